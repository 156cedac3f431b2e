"""Learnt actions of objects: what they mean, and that the engine agrees."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Failure, Reason, all_primitives
from arcbatt.language.primitives.object_actions import describe_actions
from arcbatt.language.primitives.object_drawing import (
    BY_CONSTANT,
    N_PAINTS,
    N_WAYS,
    N_WHATS,
    TO_OTHER,
    TRIED,
)
from arcbatt.language.primitives.object_stages import FEATURES, N_FEATURES, N_SEGMENTATIONS
from arcbatt.tasks import load

from .conftest import grids
from .test_engine import check_call
from .test_learned import demos_of, give, grid_of

BUDGET = Budget(1_000_000, 2**23)
N_CODES = 2 * N_SEGMENTATIONS


def learn(*demos: tuple[Any, Any], segments: int = 0) -> Any:
    return give("learn_actions", demos, segments)


# --- the engine agrees ---


actions = st.tuples(
    st.just(-1),
    st.one_of(st.integers(0, BY_CONSTANT - 1), st.integers(0, N_WHATS - 1)),
    st.integers(0, N_PAINTS - 1),
    st.integers(0, 1),
)
questions = st.tuples(st.integers(0, N_FEATURES - 1), st.integers(0, 1), st.integers(-1, 4))


@st.composite
def all_rules(draw: st.DrawFn) -> tuple[int, ...]:
    segments = draw(st.integers(0, N_CODES - 1))
    if draw(st.booleans()):
        return (segments, *draw(actions))
    return (segments, *draw(questions), 9, *draw(actions), *draw(actions))


@given(all_rules(), grids(7))
def test_any_rules_in_the_engine(rules: tuple[int, ...], grid: Any) -> None:
    check_call("apply_actions", [rules, grid], BUDGET)
    assert describe_actions(rules)


@given(all_rules(), st.lists(grids(6), min_size=1, max_size=3), st.integers(0, N_CODES - 1))
def test_what_rules_did_is_learnt_in_the_engine(
    rules: tuple[int, ...], inputs: list[Any], segments: int
) -> None:
    pairs = [(grid, give("apply_actions", rules, grid)) for grid in inputs]
    demos = tuple(pair for pair in pairs if not isinstance(pair[1], Failure))
    check_call("learn_actions", [demos, segments], BUDGET)


def test_real_tasks_in_the_engine() -> None:
    rng = random.Random(4)
    tasks = list(load("arc-agi-1/training"))
    for task in rng.sample(tasks, 20):
        demos = demos_of(task.id)
        for segments in range(N_CODES):
            check_call("learn_actions", [demos, segments], BUDGET)


@pytest.mark.parametrize(
    "rules", [(), (0,), (0, 1), (0, -1, 0, 0), (0, 3, 0, 0, 1), (0, -1, 0, 0, 2)]
)
def test_what_are_no_rules(rules: tuple[int, ...]) -> None:
    assert give("apply_actions", rules, ((1, 0),)) == Failure(Reason.RANGE)
    check_call("apply_actions", [rules, ((1, 0),)])
    check_call("apply_actions", [(*rules, (1, 2)), ((1, 0),)])


# --- what is learnt ---


def test_what_is_learnt_finds_the_outputs_again() -> None:
    n_learnt = 0
    for task in list(load("arc-agi-1/training"))[:60]:
        demos = demos_of(task.id)
        rules = give("learn_actions", demos, 0)
        if not isinstance(rules, Failure):
            n_learnt += 1
            assert all(give("apply_actions", rules, given) == wanted for given, wanted in demos)
    assert n_learnt > 3


def test_moves_towards_another() -> None:
    rules = learn(
        (grid_of("20008", "00000"), grid_of("00028", "00000")),
        (grid_of("20000", "00000", "00000", "80000"), grid_of("00000", "00000", "20000", "80000")),
    )
    moved = give("apply_actions", rules, grid_of("000000", "800002"))
    assert moved == grid_of("000000", "820000")


def test_background_is_the_commonest_color() -> None:
    rules = learn((grid_of("33333", "13333"), grid_of("33333", "33331")))
    assert give("apply_actions", rules, grid_of("5552", "5555")) == grid_of("5552", "5555")
    assert give("apply_actions", rules, grid_of("2555", "5555")) == grid_of("5552", "5555")


def test_a_question_tells_actions() -> None:
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
def test_what_is_not_explained_is_not_guessed(demos: Any) -> None:
    assert learn(*demos) == Failure(Reason.EMPTY)


def test_without_the_other_there_is_no_result() -> None:
    towards_red = (0, -1, TO_OTHER + 16 * N_WAYS, 0, 0)
    assert give("apply_actions", towards_red, grid_of("1003")) == Failure(Reason.EMPTY)


def test_zero_as_background_is_refused_where_it_is_that_anyway() -> None:
    demo = (grid_of("100", "000"), grid_of("001", "000"))
    assert not isinstance(learn(demo), Failure)
    assert learn(demo, segments=N_SEGMENTATIONS) == Failure(Reason.EMPTY)


# --- words ---


def test_every_code_has_words() -> None:
    said = {describe_actions((0, -1, what, 0, 0)) for what in TRIED}
    assert len(said) == len(TRIED)
    said = {describe_actions((0, -1, 0, paint, 0)) for paint in range(N_PAINTS)}
    assert len(said) == N_PAINTS
    leaves = (-1, 0, 0, 0, -1, 1, 0, 0)
    said = {describe_actions((0, k, 0, 1, 9, *leaves)) for k in range(len(FEATURES))}
    assert len(said) == len(FEATURES)
    codes = dict(all_primitives()["learn_actions"].codes)
    assert len({describe_actions((k, -1, 0, 0, 0)) for k in codes[1]}) == N_CODES
