"""Actions of objects: applying rules, learning them, and their words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Failure, Reason, all_primitives
from arcbatt.language.primitives.grid_objects import FEATURES, N_FEATURES, N_SEGMENTATIONS
from arcbatt.language.primitives.object_actions import describe_actions
from arcbatt.language.primitives.object_effects import (
    BY_CONSTANT,
    N_EFFECTS,
    N_PAINTS,
    N_WAYS,
    Effect,
)
from arcbatt.tasks import load
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.learner_checks import check_cost, check_learner
from tests.language.test_learned import demos_of, give, grid_of

BUDGET = Budget(1_000_000, 2**23)
N_CODES = 2 * N_SEGMENTATIONS


def learn(*demos: tuple[Any, Any], segmentation: int = 0) -> Any:
    return give("learn_actions", demos, segmentation)


# --- the engine agrees ---


actions = st.tuples(
    st.just(-1),
    st.one_of(st.integers(0, BY_CONSTANT - 1), st.integers(0, N_EFFECTS - 1)),
    st.integers(0, N_PAINTS - 1),
    st.integers(0, 1),
)
questions = st.tuples(st.integers(0, N_FEATURES - 1), st.integers(0, 1), st.integers(-1, 4))


@st.composite
def all_rules(draw: st.DrawFn) -> tuple[int, ...]:
    segmentation = draw(st.integers(0, N_CODES - 1))
    if draw(st.booleans()):
        return (segmentation, *draw(actions))
    return (segmentation, *draw(questions), 9, *draw(actions), *draw(actions))


@given(all_rules(), grids(7))
def test_engine_applies_any_rules(rules: tuple[int, ...], grid: Any) -> None:
    check_call("apply_actions", [rules, grid], BUDGET)
    assert describe_actions(rules)


@pytest.mark.parametrize(
    "rules", [(), (0,), (0, 1), (0, -1, 0, 0), (0, 3, 0, 0, 1), (0, -1, 0, 0, 2)]
)
def test_malformed_rules_are_refused(rules: tuple[int, ...]) -> None:
    assert give("apply_actions", rules, ((1, 0),)) == Failure(Reason.RANGE)
    check_call("apply_actions", [rules, ((1, 0),)])
    check_call("apply_actions", [(*rules, (1, 2)), ((1, 0),)])


# --- learning ---


@given(all_rules(), st.lists(grids(6), min_size=1, max_size=3), st.integers(0, N_CODES - 1))
def test_learned_rules_reproduce_the_demos(
    rules: tuple[int, ...], inputs: list[Any], segmentation: int
) -> None:
    pairs = [(grid, give("apply_actions", rules, grid)) for grid in inputs]
    demos = tuple(pair for pair in pairs if not isinstance(pair[1], Failure))
    check_learner("learn_actions", "apply_actions", demos, (segmentation,))


@pytest.mark.slow
def test_learned_rules_reproduce_tasks() -> None:
    n_learned = 0
    for task in random.Random(4).sample(list(load("arc-agi-1/training")), 60):
        for segmentation in range(N_CODES):
            rules = check_learner(
                "learn_actions", "apply_actions", demos_of(task.id), (segmentation,)
            )
            n_learned += not isinstance(rules, Failure)
    assert n_learned > 10


def test_learning_keeps_to_the_budget() -> None:
    demos = ((grid_of("10220", "00000"), grid_of("00330", "00000")),)
    check_cost("learn_actions", (demos, 0))


def test_moves_towards_another() -> None:
    rules = learn(
        (grid_of("20008", "00000"), grid_of("00028", "00000")),
        (grid_of("20000", "00000", "00000", "80000"), grid_of("00000", "00000", "20000", "80000")),
    )
    moved = give("apply_actions", rules, grid_of("000000", "800002"))
    assert moved == grid_of("000000", "820000")


def test_background_is_the_most_common_color() -> None:
    rules = learn((grid_of("33333", "13333"), grid_of("33333", "33331")))
    assert give("apply_actions", rules, grid_of("5552", "5555")) == grid_of("5552", "5555")
    assert give("apply_actions", rules, grid_of("2555", "5555")) == grid_of("5552", "5555")


def test_a_question_selects_actions() -> None:
    rules = learn(
        (grid_of("10220", "00000"), grid_of("00330", "00000")),
        (grid_of("00404", "11000"), grid_of("00000", "33000")),
    )
    assert give("apply_actions", rules, grid_of("80770", "00770")) == grid_of("00330", "00330")
    assert describe_actions(rules).splitlines()[1:] == [
        "if its size is at least 2:",
        "  it stays, in green",
        "otherwise:",
        "  it vanishes",
    ]


@pytest.mark.parametrize(
    "demos",
    [
        (),
        ((grid_of("10"), grid_of("1")),),
        ((grid_of("10"), grid_of("10")),),
        ((grid_of("000", "000"), grid_of("010", "000")),),
        ((grid_of("0100", "0000"), grid_of("0123", "4567")),),
    ],
)
def test_unexplained_demos_fail(demos: Any) -> None:
    assert learn(*demos) == Failure(Reason.EMPTY)


def test_a_missing_reference_fails() -> None:
    towards_red = (0, -1, Effect.TO_OTHER + 16 * N_WAYS, 0, 0)
    assert give("apply_actions", towards_red, grid_of("1003")) == Failure(Reason.EMPTY)


def test_zero_as_background_fails_if_it_is_the_most_common_color() -> None:
    demo = (grid_of("100", "000"), grid_of("001", "000"))
    assert not isinstance(learn(demo), Failure)
    assert learn(demo, segmentation=N_SEGMENTATIONS) == Failure(Reason.EMPTY)


# --- words ---


def test_every_code_has_words() -> None:
    for template, n in (
        (lambda k: (0, -1, k, 0, 0), BY_CONSTANT),
        (lambda k: (0, -1, 0, k, 0), N_PAINTS),
        (lambda k: (0, k, 0, 1, 9, -1, 0, 0, 0, -1, 1, 0, 0), len(FEATURES)),
        (lambda k: (k, -1, 0, 0, 0), len(dict(all_primitives()["learn_actions"].codes)[1])),
    ):
        assert len({describe_actions(template(k)) for k in range(n)}) == n
