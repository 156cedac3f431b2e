"""Sheets that lie over each other: rules are found again from grids that are drawn by them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason
from arcbatt.language.learners.layers import FORMS, WHICH
from arcbatt.language.native import find_rule
from arcbatt.language.registry import words_of_call
from tests.language.test_learned import failure, give, grid_of

SIDE = 14
# A full rectangle, or the frame of one: color, top, left, height, width, and whether it is full.
Sheet = tuple[int, int, int, int, int, bool]


def cells_of(sheet: Sheet) -> set[tuple[int, int]]:
    _, top, left, height, width, is_full = sheet
    return {
        (top + i, left + j)
        for i in range(height)
        for j in range(width)
        if is_full or i in (0, height - 1) or j in (0, width - 1)
    }


def drawn(sheets: Any) -> Any:
    """Return a grid with sheets over each other, the lowest first."""
    grid = [[0] * SIDE for _ in range(SIDE)]
    for sheet in sheets:
        for i, j in cells_of(sheet):
            grid[i][j] = sheet[0]
    return tuple(map(tuple, grid))


def chain(colors: Any, *, is_full: bool, is_rising: bool = False) -> tuple[Sheet, ...]:
    """Return squares down a diagonal, each over a corner of the one before."""
    places = [3 * k for k in range(len(colors))]
    if is_rising:
        places = [SIDE - 5 - place for place in places]
    return tuple((color, at, at, 5, 5, is_full) for color, at in zip(colors, places, strict=True))


def uppermost_cropped(sheets: Any) -> Any:
    color, *_, is_full = sheets[-1]
    blank = (color, *((color if is_full else 0,) * 3), color)
    return ((color,) * 5, blank, blank, blank, (color,) * 5)


OUTPUTS = {
    "a column, the lowest first": lambda sheets: tuple((sheet[0],) for sheet in sheets),
    "a row, the uppermost first": lambda sheets: (tuple(sheet[0] for sheet in sheets[::-1]),),
    "without the uppermost": lambda sheets: drawn(sheets[:-1]),
    "the lowest in front": lambda sheets: drawn((*sheets[1:], sheets[0])),
    "reversed": lambda sheets: drawn(sheets[::-1]),
    "the uppermost cropped": uppermost_cropped,
}


# A frame that lies over the corner of another cuts it in two.
@pytest.mark.parametrize(("code", "is_full"), [(0, False), (0, True), (1, True)])
@pytest.mark.parametrize("name", OUTPUTS)
@given(st.permutations(range(1, 10)), st.integers(2, 4), st.booleans())
def test_what_demos_make_of_sheets_is_found(
    name: str, code: int, is_full: bool, colors: Any, n: int, is_rising: bool
) -> None:
    output, shown = OUTPUTS[name], chain((3, 1, 2), is_full=is_full)
    sheets = chain(colors[:n], is_full=is_full, is_rising=is_rising)
    lesson = ((drawn(shown), output(shown)),)
    assert give("learn_layers", lesson, drawn(sheets), code) == output(sheets)


CHAIN = chain((3, 1, 2), is_full=False)


def test_nothing_is_learned_where_nothing_overlaps() -> None:
    apart = drawn(((1, 0, 0, 3, 3, True), (2, 5, 5, 3, 3, True)))
    circle = grid_of("01200", "33233", "01200", "04244", "01200")
    colors = ((1, 2),)
    for lesson in ((), ((apart, colors),), ((drawn(CHAIN), colors),), ((circle, colors),)):
        assert give("learn_layers", lesson, drawn(CHAIN), 0) == failure(Reason.EMPTY)
    lesson = ((drawn(CHAIN), drawn(CHAIN[::-1])),)
    assert give("learn_layers", lesson, apart, 0) == failure(Reason.EMPTY)


def test_every_output_has_words() -> None:
    wordings = set()
    for output in OUTPUTS.values():
        lesson = ((drawn(CHAIN), output(CHAIN)),)
        form, which = find_rule("learn_layers", [lesson, drawn(CHAIN), 0])  # type: ignore[misc]
        assert form in range(len(FORMS) + 10) and which in range(len(WHICH))
        wordings.add(words_of_call("learn_layers", None, [lesson, drawn(CHAIN), 0])[0])
    assert len(wordings) == len(OUTPUTS)
