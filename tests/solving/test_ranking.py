"""Ranking: what speaks for a grid, what against it, and what is said of why it won or lost."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from arcbatt.evaluation import N_COPIES, TaskBoard
from arcbatt.language import parse_program
from arcbatt.proposers import Candidate
from arcbatt.solving import TaskCandidates, rank_task
from arcbatt.solving.descriptions import describe_ranking, describe_weight
from arcbatt.solving.ranking import (
    COSTS,
    FAULTS,
    MAX_BROKEN,
    RankedTest,
    weigh,
)
from arcbatt.tasks import Grid, Pair, Task
from tests.support.search import MIRROR, candidate_for, task_named

TASK = task_named("one")
RULE = "def solve(S, I):\n    O = learn_cells(S, I, 0)\n    return O\n"
SAME = {"n_copies": N_COPIES}


def giving(grid: Grid, number: int = 0, task: Task = TASK, **changes: Any) -> Candidate:
    """One of many candidates that give a grid for every test input."""
    text = MIRROR.replace("vmirror(I)", f"replace(I, {number // 10}, {number % 10})")
    outputs = (grid,) * len(task.test_inputs)
    return candidate_for(task, text, **{**SAME, "outputs": outputs, **changes})


def ranked_of(*candidates: Candidate) -> RankedTest:
    """What comes of candidates for the first test input of their task."""
    found = TaskCandidates(candidates[0].trial.task)
    for each in candidates:
        assert found.is_wanted(each)
        found.keep(each)
    return rank_task(found).tests[0]


def test_faults_cost_what_they_cost() -> None:
    good = weigh(candidate_for(TASK, bits=0.0, **SAME))
    assert good.bits() == 0 and good.parts == {}
    assert [name for name, cost in zip(FAULTS, COSTS, strict=True) if cost <= 0] == []
    misses, demo, unseen, copy, broken = COSTS
    cases: list[tuple[dict[str, Any], int, float]] = [
        ({"bits": 2.5}, 0, 2.5),
        ({"trust": 0.5}, 0, 1.0),
        ({"n_fitted": 1}, 0, misses + demo),
        ({"learns": True, "n_held_out": 1}, 0, unseen),
        ({"learns": True, "n_held_out": 2}, 0, 0.0),
        ({"learns": True, "n_held_out": 1, "n_fitted": 1}, 0, misses + demo),
        ({"n_copies": N_COPIES - 2}, 0, 2 * copy),
        ({}, 1, broken),
        ({}, MAX_BROKEN + 5, MAX_BROKEN * broken),
    ]
    for changes, n_broken, cost in cases:
        weight = weigh(candidate_for(TASK, **{"bits": 0.0, **SAME, **changes}), n_broken)
        assert weight.bits() == pytest.approx(-cost)
        assert sum(weight.parts.values()) == pytest.approx(cost)


def test_of_what_fits_no_demo_the_nearer_counts_more() -> None:
    near, far, nothing = (
        weigh(candidate_for(TASK, n_fitted=0, credit=credit)).bits() for credit in (900, 300, 0)
    )
    assert weigh(candidate_for(TASK, n_fitted=1)).bits() > near > far > nothing
    assert near - far == pytest.approx(4 * log2(3))


def test_a_rule_of_a_single_demo_weighs_less_than_one_that_was_held_out() -> None:
    pair = Pair(((1, 2), (2, 1)), ((3, 4), (4, 3)))
    tasks = [Task(f"of {n}", (pair,) * n, (((1, 1),),), "tests") for n in (1, 2, 3)]
    board = TaskBoard(tasks, device="cpu", n_threads=1)
    weights, plain_weights = [], []
    for task in tasks:
        rule, plain = board.trials(task, [parse_program(RULE), parse_program(MIRROR)])
        assert rule.fits and rule.learns and not plain.learns
        assert rule.n_held_out == (None if len(task.demos) == 1 else len(task.demos))
        learned = candidate_for(task, RULE, n_held_out=rule.n_held_out, learns=True)
        weights.append(weigh(learned).bits())
        plain_weights.append(weigh(candidate_for(task)).bits())
    single, *held_out = weights
    assert held_out == plain_weights[1:]  # as sure as a program that learns nothing
    assert single < plain_weights[0]
    # Nor does one that gets none right that it does not see count more than the unknown.
    by_heart = weigh(candidate_for(tasks[1], RULE, n_held_out=0, learns=True)).bits()
    assert by_heart <= single


def test_evidence_decreases_within_a_family_and_families_are_summed() -> None:
    grid, other = ((6, 5), (8, 7)), ((7, 5), (8, 6))
    test = ranked_of(
        giving(grid, 1, family="a", bits=0.0),
        giving(grid, 2, family="a", bits=0.0),
        giving(grid, 3, family="a", bits=0.0),
        giving(other, 4, family="a", bits=0.0),
        giving(other, 5, family="b", bits=0.0),
    )
    assert [attempt.grid for attempt in test.attempts] == [other, grid]
    assert test.attempts[0].evidence / test.attempts[1].evidence == pytest.approx(2 / 1.75)
    assert test.total_evidence == sum(attempt.evidence for attempt in test.attempts)
    assert test.lost == () and test.n_grids == 2


def test_a_grid_without_what_all_demos_share_loses_to_a_dearer_one_that_has_it() -> None:
    with_it, without = ((6, 5), (8, 7)), ((6, 5), (6, 5))
    test = ranked_of(giving(without, 1, bits=0.0), giving(with_it, 2, bits=3.0))
    first, second = test.attempts
    assert (first.grid, second.grid) == (with_it, without)
    assert first.broken == () and "as many cells of each color as before" in second.broken
    assert "not so here: as many cells of each color" in describe_weight(second)


def test_the_same_grids_win_in_whatever_order_candidates_come() -> None:
    candidates = [giving(((n, n), (n, n)), n, bits=n % 3) for n in range(8)]
    tests = [ranked_of(*candidates), ranked_of(*candidates[::-1])]
    assert tests[0] == tests[1]
    assert tests[0].n_grids == 8 and len(tests[0].lost) == 6
    evidence = [attempt.evidence for attempt in tests[0].lost]
    assert evidence == sorted(evidence, reverse=True)


def test_rules_learned_from_two_demos_have_less_confidence() -> None:
    pair = Pair(((1, 2), (3, 4)), ((2, 1), (4, 3)))
    sure = []
    for n_demos in (2, 3):
        task = Task(f"of {n_demos}", (pair,) * n_demos, (((5, 6), (7, 8)),), "tests")
        learned = {"learns": True, "n_held_out": n_demos, "task": task}
        sure.append(
            [
                ranked_of(giving(((6, 5), (8, 7)), **each)).confidence
                for each in ({"task": task}, learned)
            ]
        )
    (plain_of_two, learned_of_two), (plain, learned_of_three) = sure
    assert learned_of_two < plain_of_two == plain == learned_of_three


def test_candidates_that_go_are_forgotten_with_what_they_break(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arcbatt.solving.candidates.MAX_KEPT", 2)
    found = TaskCandidates(TASK)
    for n in range(1, 6):
        found.keep(giving(((n, n), (n, n)), n, steps=100 - n))
        rank_task(found)
    assert {grid for _, grid in found._broken} == {((n, n), (n, n)) for n in (4, 5)}


def test_it_is_said_why_a_grid_won_and_why_others_lost() -> None:
    found = TaskCandidates(TASK)
    for each in (
        giving(((6, 5), (8, 7)), 1, bits=1.0),
        giving(((6, 6), (8, 7)), 2, bits=2.0, n_copies=1),
        giving(((7, 7), (7, 7)), 3, n_fitted=1, learns=True, n_held_out=0),
    ):
        found.keep(each)
    lines = list(describe_ranking(rank_task(found)))
    first, second, lost = (line for line in lines if line.startswith("test 1, "))
    assert "attempt 1" in first and "weight -1.0 bits: choice -1.0" in first
    assert f"the same on 1 of {N_COPIES} copies" in second
    assert f"copies lost {-2 * COSTS[3]:+.1f}" in second
    assert lost.startswith("test 1, lost") and f"demos missed {-COSTS[1]:+.1f}" in lost
    assert f"held-out demos missed {-COSTS[2]:+.1f}" in lost
