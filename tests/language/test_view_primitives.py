"""Primitives that change the view of a task: their meaning, and the engine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Failure, Reason, all_primitives
from arcbatt.language.primitives.views import GROUNDS, TURNS
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.test_learned import give, grid_of, lessons

GROUND_CODES = st.integers(0, len(GROUNDS) - 1)
TURN_CODES = st.integers(0, len(TURNS) - 1)
MIRRORS = ("identity", "hmirror", "vmirror", "dmirror", "cmirror", "rot90", "rot180", "rot270")


@pytest.mark.slow
@given(lessons(), grids(5), GROUND_CODES, TURN_CODES)
def test_views_in_the_engine(lesson: tuple[Any, Any], other: Any, ground: int, turn: int) -> None:
    demos, grid = lesson
    check_call("ground_demos", [demos, ground])
    check_call("swap_ground", [demos, grid, other, ground])
    check_call("turn_demos", [demos, turn])
    check_call("to_turn", [grid, turn])
    check_call("from_turn", [grid, other, turn])


@pytest.mark.slow
@given(lessons(), grids(5), GROUND_CODES, TURN_CODES)
def test_views_can_be_undone(lesson: tuple[Any, Any], other: Any, ground: int, turn: int) -> None:
    demos, grid = lesson
    swapped = give("swap_ground", demos, grid, other, ground)
    assert give("swap_ground", demos, grid, swapped, ground) == other
    assert give("from_turn", grid, give("to_turn", grid, turn), turn) == grid
    for (before, after), (seen, wanted) in zip(demos, give("turn_demos", demos, turn), strict=True):
        assert give("to_turn", before, turn) == seen
        assert give("from_turn", before, wanted, turn) == after


@given(grids(6), TURN_CODES)
def test_what_lies_one_way_is_left_as_it_is(grid: Any, code: int) -> None:
    turned = give("to_turn", grid, code)
    assert give("to_turn", turned, code) == turned


def test_every_code_has_its_words() -> None:
    for name, words in (("swap_ground", GROUNDS), ("ground_demos", GROUNDS), ("to_turn", TURNS)):
        assert len(list(all_primitives()[name].all_codes())) == len(words) == len(set(words))


def test_the_background_is_the_commonest_color_of_what_the_code_says() -> None:
    grid = grid_of("1111", "1222", "1222", "1222")
    demos = ((grid_of("333"), grid_of("3")),)
    colors = grid_of("0123")
    assert give("swap_ground", demos, grid, colors, 0) == grid_of("3120")
    assert give("swap_ground", demos, grid, colors, 1) == grid_of("2103")
    assert give("swap_ground", demos, grid, colors, 2) == grid_of("1023")
    assert give("swap_ground", (), grid, colors, 0) == colors


@pytest.mark.parametrize("code", [0, 1])
def test_mirror_images_are_turned_alike(code: int) -> None:
    """All eight orientations of a grid are turned the same way if its thing is on no axis."""
    grid = grid_of("50000", "55000", "00000", "00010", "00000")
    turned = {give("to_turn", give(mirror, grid), code) for mirror in MIRRORS}
    assert len(turned) == 1


def test_turns_put_the_rarest_color_below_and_mirror_nothing() -> None:
    below = grid_of("0550", "0500", "0200")
    for turn in ("identity", "rot90", "rot180", "rot270"):
        assert give("to_turn", give(turn, below), 2) == below
    assert give("to_turn", give("vmirror", below), 2) == give("vmirror", below)


def test_flips_put_the_commonest_color_to_the_top_left() -> None:
    corner = grid_of("330", "000", "001")
    for mirror in ("identity", "hmirror", "vmirror", "rot180"):
        assert give("to_turn", give(mirror, corner), 5) == corner
    assert give("to_turn", give("dmirror", corner), 5) == give("dmirror", corner)


def test_grids_of_other_numbers_than_colors_are_of_the_wrong_type() -> None:
    good, bad = grid_of("12"), ((10,),)
    wrong = Failure(Reason.TYPE)
    assert give("swap_ground", ((good, bad),), good, good, 0) == wrong
    assert give("swap_ground", (), good, bad, 0) == wrong
    assert give("ground_demos", ((bad, good),), 0) == wrong
    assert give("turn_demos", ((good, bad),), 0) == wrong
    assert give("to_turn", bad, 0) == wrong
    assert give("from_turn", good, bad, 0) == wrong
