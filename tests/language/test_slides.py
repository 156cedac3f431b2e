"""Objects that slide: rules are found again from grids in which objects have slid."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.cpu.calls import run_call
from arcbatt.language import Reason
from arcbatt.language.learners.slides import DIRECTIONS, STOPS, WHICH
from arcbatt.language.native import find_rule
from arcbatt.language.registry import words_of_call
from tests.language.test_learned import failure, give, grid_of


def turned(grid: Any) -> Any:
    """Return a grid after a quarter turn."""
    return tuple(zip(*grid[::-1], strict=True))


def turns(grid: Any) -> list[Any]:
    """Return a grid in its four turns."""
    found = [grid]
    for _ in range(3):
        found.append(turned(found[-1]))
    return found


BLANK = grid_of("00000", "00000", "00000")
# Each is shown in three turns and applied in the fourth: a constant direction cannot explain it.
SLIDES = {
    "towards their narrower side": (
        (*BLANK, *grid_of("03000", "03300", "03000"), *BLANK),
        (*BLANK, *grid_of("00030", "00033", "00030"), *BLANK),
    ),
    "towards their cells of the rarest color": (
        (*BLANK, *grid_of("03350"), *BLANK),
        (*BLANK, *grid_of("00335"), *BLANK),
    ),
    "towards the nearest object that stays": (
        grid_of("0000000", "0300070", "0300070", "0000070"),
        grid_of("0000000", "0000370", "0000370", "0000070"),
    ),
    "towards the edge of their color": (
        grid_of("1111111", "0000000", "0100020", "2222222"),
        grid_of("1111111", "0100000", "0000020", "2222222"),
    ),
    "towards the nearest edge": (
        grid_of("0000000", "0040000", "0000000", "0000000", "0000000"),
        grid_of("0040000", "0000000", "0000000", "0000000", "0000000"),
    ),
}


@pytest.mark.parametrize("name", SLIDES)
@pytest.mark.parametrize("left_out", range(4))
def test_directions_are_found_in_turned_demos(name: str, left_out: int) -> None:
    pairs = list(zip(*map(turns, SLIDES[name]), strict=True))
    before, after = pairs.pop(left_out)
    lesson = tuple(pairs)
    assert give("learn_slides", lesson, before, 0) == after
    for shown, changed in lesson:
        # All rules agree on the demos, so both codes give the only grid.
        assert [give("learn_slides", lesson, shown, code) for code in (0, 1)] == [changed] * 2
    assert name in words_of_call("learn_slides", None, [lesson, before, 0])[0]


# Dots that do not touch each other are objects of their own.
DOTS = st.sets(st.sampled_from((0, 2, 4)), min_size=1)


@given(DOTS, DOTS)
def test_objects_slide_one_after_the_other(upper: set[int], lower: set[int]) -> None:
    """Dots fall onto each other: those of the lower row first."""

    def rows(*places: set[int]) -> Any:
        return tuple(tuple(3 if j in row else 0 for j in range(5)) for row in places)

    empty: set[int] = set()
    lesson = (
        (rows({0, 2}, empty, {2}, empty), rows(empty, empty, {2}, {0, 2})),
        (rows({4}, empty, {0, 4}, empty), rows(empty, empty, {4}, {0, 4})),
    )
    before = rows(upper, empty, lower, empty)
    after = rows(empty, empty, upper & lower, upper | lower)
    assert give("learn_slides", lesson, before, 0) == after


def test_objects_without_a_direction_vanish_if_demos_show_it() -> None:
    lesson = (
        (grid_of("01000", "00000", "00020", "11111"), grid_of("00000", "00000", "01000", "11111")),
        (grid_of("40040", "40000", "40300"), grid_of("44000", "40000", "40000")),
    )
    before = grid_of("70000", "70700", "70006", "70000")
    assert give("learn_slides", lesson, before, 0) == grid_of("70000", "77000", "70000", "70000")
    lines = words_of_call("learn_slides", None, [lesson, before, 0])
    assert lines[1:] == ["those that lack a direction vanish"]


def test_what_does_not_slide_fails() -> None:
    grid = grid_of("100", "000")
    for bad in (
        (),
        ((grid, grid),),  # nothing changes
        ((grid, grid_of("000", "000", "100")),),  # another size
        ((grid, grid_of("000", "101")),),  # one more cell
        ((grid_of("100", "002"), grid_of("020", "000")),),  # no rule
    ):
        assert give("learn_slides", bad, grid, 0) == failure(Reason.EMPTY)


def test_each_rule_that_is_applied_costs_steps() -> None:
    grid = grid_of(*["30" * 15] * 3, *["00" * 15] * 27)
    few, many = (
        run_call("learn_slides", [((grid_of(before), grid_of(after)),), grid, 0]).steps
        for before, after in (("100", "010"), ("120", "012"))
    )
    # The lessons are equally large, and the second has more rules.
    assert many > few


def test_numbers_of_rules_have_words() -> None:
    for before, after in SLIDES.values():
        lesson = tuple(zip(*(each[:3] for each in map(turns, (before, after))), strict=True))
        _, which, direction, stop, _ = find_rule("learn_slides", [lesson, before, 0])  # type: ignore[misc]
        assert which in range(len(WHICH)) and stop in range(len(STOPS))
        assert direction in range(len(DIRECTIONS))
