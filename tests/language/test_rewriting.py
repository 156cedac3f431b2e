"""Rules that rewrite a grid: applying them, learning them, and their words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason
from arcbatt.language.primitives.rewriting import describe_rules
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.learner_checks import check_cost, check_learner
from tests.language.test_learned import TASKS, demos_of, failure, give, grid_of

CODES = range(8)

places = st.tuples(st.integers(-1, 15), st.integers(-1, 12))


@st.composite
def rules(draw: st.DrawFn) -> tuple[int, ...]:
    """Draw rules that often hold somewhere."""
    numbers = [draw(st.integers(0, 3))]
    for _ in range(draw(st.integers(1, 3))):
        numbers += [draw(st.integers(0, 2)), draw(st.sampled_from([0, 1, 2, 3, 11]))]
        for place in draw(st.lists(places, min_size=3, max_size=3)):
            numbers += place
    return tuple(numbers)


@st.composite
def lessons(draw: st.DrawFn) -> Any:
    """Draw demos whose outputs are their inputs rewritten by some rules, or any grids."""
    rule = draw(rules())
    given_grids = draw(st.lists(grids(6), min_size=1, max_size=3))
    demos = [(grid, give("rewrite", rule, grid)) for grid in given_grids]
    if draw(st.booleans()):
        demos.append((given_grids[0], draw(grids(6))))
    return tuple(demos)


@given(rules(), grids(7))
def test_engine_rewrites_by_any_rules(rule: tuple[int, ...], grid: Any) -> None:
    check_call("rewrite", [rule, grid])


@given(lessons(), st.sampled_from(CODES))
def test_learned_rules_reproduce_the_demos(demos: Any, code: int) -> None:
    check_learner("learn_rewrites", "rewrite", demos, (code,))


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_learned_rules_reproduce_tasks(code: int) -> None:
    for task in ["3bd67248", "97999447", "508bd3b6", random.Random(code).choice(list(TASKS))]:
        check_learner("learn_rewrites", "rewrite", demos_of(task), (code,))


def test_learning_keeps_to_the_budget() -> None:
    check_cost("learn_rewrites", (demos_of("97999447"), 4))


def test_a_ray_is_one_rule_of_one_place() -> None:
    demos = (
        (grid_of("000", "100", "000"), grid_of("000", "111", "000")),
        (grid_of("2000", "0000"), grid_of("2222", "0000")),
    )
    learned = give("learn_rewrites", demos, 0)
    assert learned == (0, 0, 11, 3, 11, -1, -1, -1, -1)
    assert describe_rules(learned) == [
        "a black cell becomes the color that is to the left",
    ]
    assert give("rewrite", learned, grid_of("0300", "0050")) == grid_of("0333", "0055")


def test_mirrors_and_turns_of_a_rule_hold() -> None:
    rule = (3, 0, 5, 1, 12, -1, -1, -1, -1)
    grid = grid_of("000", "020", "000")
    everywhere = grid_of("555", "525", "555")
    assert give("rewrite", rule, grid) == everywhere
    assert give("rewrite", (0, *rule[1:]), grid) == grid_of("000", "020", "050")
    assert describe_rules(rule)[-1] == "also mirrored and turned in all ways"


def test_a_cell_changes_once_and_all_change_together() -> None:
    # 0 beside 1 becomes 2, and 0 beside 2 becomes 1: both looked at in the same round.
    rule = (1, 0, 2, 3, 1, -1, -1, -1, -1, 0, 1, 3, 2, -1, -1, -1, -1)
    assert give("rewrite", rule, grid_of("1000002")) == grid_of("1212212")


def test_two_steps_away_alternates() -> None:
    demos = demos_of("97999447")
    learned = give("learn_rewrites", demos, 4)
    assert any("two steps " in line for line in describe_rules(learned))
    for grid, wanted in demos:
        assert give("rewrite", learned, grid) == wanted


def test_unlearnable_demos_fail() -> None:
    dot = grid_of("010", "000")
    for demos in [
        (),
        ((dot, dot),),
        ((dot, grid_of("01")),),
        ((dot, grid_of("010", "500")), (dot, grid_of("010", "005"))),
    ]:
        assert give("learn_rewrites", demos, 3) == failure(Reason.EMPTY)


def test_malformed_rules_are_refused() -> None:
    good = (0, 0, 11, 3, 11, -1, -1, -1, -1)
    grid = grid_of("01")
    assert give("rewrite", (0,), grid) == grid
    for rule in [(), (0, 1), good[:-1], (4, *good[1:]), (0, 10, *good[2:]), (0, 0, 10, *good[3:])]:
        assert give("rewrite", rule, grid) == failure(Reason.RANGE)
    for place, look in [(16, 0), (-2, 0), (0, 13), (0, -2)]:
        rule = (*good[:3], place, look, *good[5:])
        assert give("rewrite", rule, grid) == failure(Reason.RANGE)
        check_call("rewrite", [rule, grid])
    for rule, other in [(((1,),), grid), (good, ((10,),)), (good, ((1, 2), (3,)))]:
        assert give("rewrite", rule, other) == failure(Reason.TYPE)
        check_call("rewrite", [rule, other])
