"""Objects and colors in an order: rules are found again from grids that were made by them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason
from arcbatt.language.learners.orders import CANVASES, FORMS, ITEMS, KEYS
from arcbatt.language.native import find_rule
from arcbatt.language.registry import words_of_call
from tests.language.test_learned import failure, give, grid_of

SIDE = 9
# A column of cells: its color and length. Columns stand apart, from the left to the right.
Bar = tuple[int, int]
Bars = tuple[Bar, ...]


def drawn(bars: Bars) -> Any:
    """Return a grid with bars that hang from the top, with gaps between them."""
    rows = [[0] * (2 * len(bars)) for _ in range(SIDE)]
    for j, (color, length) in enumerate(bars):
        for i in range(length):
            rows[i][2 * j] = color
    return tuple(map(tuple, rows))


def recolored(bars: Bars, colors: list[int]) -> Any:
    """Return the grid of the bars in other colors, given from the shortest to the longest."""
    by_length = sorted(bars, key=lambda bar: bar[1])
    become = {length: color for (_, length), color in zip(by_length, colors, strict=True)}
    return drawn(tuple((become[length], length) for _, length in bars))


def by_length(bars: Bars) -> list[int]:
    """Return the colors of bars, the shortest first."""
    return [color for color, _ in sorted(bars, key=lambda bar: bar[1])]


def filled(colors: list[int], *, in_turns: bool) -> Any:
    """Return a grid of 6 rows and 5 columns, filled column by column from the bottom right."""
    rows = [[0] * 5 for _ in range(6)]
    for k, color in enumerate(colors):
        column, i = divmod(k, 6)
        rows[i if in_turns and column % 2 else 5 - i][4 - column] = color
    return tuple(map(tuple, rows))


def runs(bars: Bars) -> list[int]:
    return [color for color, length in sorted(bars, key=lambda bar: bar[1]) for _ in range(length)]


def exchanged(colors: list[int]) -> list[int]:
    return [colors[k ^ 1] if k ^ 1 < len(colors) else colors[k] for k in range(len(colors))]


RULES = {
    "in a row, each as one cell": lambda bars: (tuple(by_length(bars)),),
    "in a column, each as one cell": lambda bars: tuple((each,) for each in by_length(bars)),
    "columns from the right, each from the bottom": lambda bars: filled(runs(bars), in_turns=False),
    "from the bottom, every other line backwards": lambda bars: filled(runs(bars), in_turns=True),
    "they take their colors in reverse order": lambda bars: recolored(bars, by_length(bars)[::-1]),
    "each two exchange their colors": lambda bars: recolored(bars, exchanged(by_length(bars))),
}
# Colors and lengths in which no place is in the order of the lengths, and no two rules agree.
LESSONS: tuple[Bars, ...] = (
    ((4, 5), (2, 1), (7, 8), (1, 3)),
    ((6, 2), (5, 6), (2, 1), (9, 4), (1, 7)),
    ((1, 9), (7, 3), (6, 5)),
)
BARS = st.lists(
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    min_size=2,
    max_size=5,
    unique_by=(lambda bar: bar[0], lambda bar: bar[1]),
).filter(lambda bars: sum(length for _, length in bars) <= 30)


@pytest.mark.parametrize("name", RULES)
@given(bars=BARS.map(tuple))
def test_rules_are_found(name: str, bars: Bars) -> None:
    output = RULES[name]
    lesson = tuple((drawn(each), output(each)) for each in LESSONS)
    before, after = drawn(bars), output(bars)
    assert give("learn_order", lesson, before, 0) == after
    assert give("learn_order", lesson[::-1], before, 0) == after
    for shown, wanted in lesson:
        # All rules agree on the demos, so both codes give the only grid.
        assert [give("learn_order", lesson, shown, code) for code in (0, 1)] == [wanted] * 2
    words = words_of_call("learn_order", None, [lesson, before, 0])
    assert "ordered by" in words[0] and name in words[1]


def test_objects_of_several_colors_are_recolored() -> None:
    lesson = (
        (grid_of("1120033", "1100333"), grid_of("3330011", "3300111")),
        (grid_of("440555", "460500"), grid_of("550444", "550400")),
    )
    assert give("learn_order", lesson, grid_of("880999"), 0) == grid_of("990888")


def test_what_has_no_order_fails() -> None:
    grid = grid_of("100", "002")
    for bad in (
        (),
        ((grid, grid),),  # nothing changes
        ((grid, grid_of("13")),),  # another color
        ((grid, grid_of("1202")),),  # more cells
        ((grid_of("101"), grid_of("11")),),  # any order gives it
        ((grid_of("000"), grid_of("000", "000")),),  # no items
        ((grid, grid_of("200", "301")),),  # more changes
    ):
        assert give("learn_order", bad, grid, 0) == failure(Reason.EMPTY)


def test_numbers_of_rules_have_words() -> None:
    for output in RULES.values():
        lesson = tuple((drawn(each), output(each)) for each in LESSONS)
        rule: Any = find_rule("learn_order", [lesson, lesson[0][0], 0])
        items, key, falling, form, canvas, path = rule
        assert items in range(len(ITEMS)) and key in range(len(KEYS)) and falling in range(2)
        assert form in range(len(FORMS)) and canvas in range(len(CANVASES) + 1)
        assert path in range(17)
