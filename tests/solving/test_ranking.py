"""Ranking: the reasons for and against a grid, and the explanation of why it won or lost."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

from arcbatt.evaluation import N_COPIES, TaskBoard
from arcbatt.explainer.choice_table import ChoiceTable
from arcbatt.language import parse_program
from arcbatt.proposers import Candidate
from arcbatt.solving import TaskCandidates, rank_task
from arcbatt.solving.descriptions import choices_of, describe_ranking
from arcbatt.solving.properties import Oddities
from arcbatt.solving.ranking import (
    AGREEMENT,
    BITS,
    REASONS,
    RankedTest,
    is_outside_sizes,
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
    """Rank candidates; return the result for the first test input of their task."""
    found = TaskCandidates(candidates[0].trial.task)
    for each in candidates:
        assert found.is_wanted(each)
        found.keep(each)
    return rank_task(found).tests[0]


def test_reasons_have_the_bits_of_their_counts() -> None:
    good = weigh(candidate_for(TASK, bits=0.0, **SAME))
    assert good.bits() == 0 and good.reasons == {}
    trust, *costs = BITS.values()
    assert trust > 0 and all(bits < 0 for bits in costs)
    choice, misses, demo, unseen, copy, lacks, new = costs
    cases: list[tuple[dict[str, Any], Oddities, float]] = [
        ({"bits": 2.5}, Oddities(), 2.5 * choice),
        ({"trust": 4.0}, Oddities(), 2 * trust),
        ({"n_fitted": 1}, Oddities(), misses + demo),
        ({"learns": True, "n_held_out": 1}, Oddities(), unseen),
        ({"learns": True, "n_held_out": 2}, Oddities(), 0.0),
        ({"learns": True, "n_held_out": 1, "n_fitted": 1}, Oddities(), misses + demo),
        ({"n_copies": N_COPIES - 2}, Oddities(), 2 * copy),
        ({}, Oddities(("one",)), lacks),
        ({}, Oddities(("one", "two", "three")), 2 * lacks),
        ({}, Oddities(newness=1.5), 1.5 * new),
    ]
    for changes, odd, bits in cases:
        weight = weigh(candidate_for(TASK, **{"bits": 0.0, **SAME, **changes}), odd)
        assert weight.bits() == pytest.approx(bits)
        assert sum(weight.reasons.values()) == pytest.approx(bits)


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
    assert held_out == plain_weights[1:]  # the same weights as a program that learns nothing
    assert single < plain_weights[0]
    # A program that predicts no held-out demo counts no more than an untested one.
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
    assert test.lost == () and test.n_grids == 2


def test_a_grid_without_what_all_demos_share_loses_to_a_dearer_one_that_has_it() -> None:
    with_it, without = ((6, 5), (8, 7)), ((6, 5), (6, 5))
    test = ranked_of(giving(without, 1, bits=0.0), giving(with_it, 2, bits=3.0))
    first, second = test.attempts
    assert (first.grid, second.grid) == (with_it, without)
    assert first.broken == () and "as many cells of each color as before" in second.broken
    lacks = BITS["lacks properties that all demos share"]
    assert second.reasons["lacks properties that all demos share"] == pytest.approx(
        lacks * log2(1 + len(second.broken))
    )


def test_a_grid_of_patterns_that_no_demo_shows_loses_to_a_dearer_one() -> None:
    flat, striped = ((0,) * 4,) * 4, ((0,) * 4, (1,) * 4) * 2
    task = Task("striped", (Pair(flat, striped),) * 2, (flat,), "tests")
    noise = ((0, 1, 0, 0), (1, 1, 0, 1), (0, 0, 1, 0), (1, 0, 1, 1))
    test = ranked_of(giving(noise, 1, task=task, bits=0.0), giving(striped, 2, task=task, bits=3.0))
    first, second = test.attempts
    assert (first.grid, second.grid) == (striped, noise)
    new = "contains patterns that no demo shows"
    assert new not in first.reasons and second.reasons[new] < 0


def test_the_same_grids_win_in_whatever_order_candidates_come() -> None:
    candidates = [giving(((n, n), (n, n)), n, bits=n % 3) for n in range(8)]
    tests = [ranked_of(*candidates), ranked_of(*candidates[::-1])]
    assert tests[0] == tests[1]
    assert tests[0].n_grids == 8 and len(tests[0].lost) == 6
    evidence = [attempt.evidence for attempt in tests[0].lost]
    assert evidence == sorted(evidence, reverse=True)


def confidence_of(n_demos: int, test_input: Grid, *grids: Grid) -> float:
    """Return the confidence if these grids have equal evidence and all demos are equal."""
    pair = Pair(((1, 2), (3, 4)), ((2, 1), (4, 3)))
    task = Task(f"of {n_demos}", (pair,) * n_demos, (test_input,), "tests")
    return ranked_of(*(giving(grid, k, task=task) for k, grid in enumerate(grids))).confidence


def test_few_demos_and_unusual_sizes_lower_confidence() -> None:
    usual, mirrored = ((5, 6), (7, 8)), ((6, 5), (8, 7))
    assert confidence_of(3, usual, mirrored) < confidence_of(4, usual, mirrored)
    wide, tall = ((5, 6, 0), (7, 8, 0)), ((5, 6), (7, 8), (5, 6))
    small = ((5,),)
    same: Grid = ((6, 5), (8, 7))
    assert is_outside_sizes(wide, [usual]) and is_outside_sizes(tall, [usual])
    assert is_outside_sizes(small, [usual]) and not is_outside_sizes(usual, [small, wide, tall])
    for odd in (wide, tall, small):
        assert confidence_of(4, odd, same) < confidence_of(4, usual, same)


def test_two_grids_of_equal_evidence_are_both_attempts_and_a_third_lowers_confidence() -> None:
    usual: Grid = ((5, 6), (7, 8))
    swapped: tuple[Grid, ...] = (((6, 5), (8, 7)), ((7, 8), (5, 6)), ((8, 7), (6, 5)))
    sure = [confidence_of(4, usual, *swapped[:n]) for n in (1, 2, 3)]
    assert sure == sorted(sure, reverse=True) and len(set(sure)) == 3


def test_one_program_for_all_test_inputs_is_preferred_if_evidence_is_close() -> None:
    a, b, c = (((n, n), (n, n)) for n in (1, 2, 3))
    for bits, wanted in ((1.0, [b, b]), (9.0, [a, c])):
        found = TaskCandidates(TASK)
        # Each of the first two fails on one test input; the third answers both.
        for each in (
            giving(a, 1, bits=0.0, outputs=(a, None)),
            giving(c, 2, bits=0.0, outputs=(None, c)),
            giving(b, 3, bits=bits),
        ):
            found.keep(each)
        ranked = rank_task(found)
        assert [test.attempts[0].grid for test in ranked.tests] == wanted
        assert {attempt.grid for attempt in ranked.tests[0].attempts} == {a, b}


def test_without_candidates_there_is_no_confidence() -> None:
    assert rank_task(TaskCandidates(TASK)).confidence == 0


def test_candidates_that_go_are_forgotten_with_what_they_break(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arcbatt.solving.candidates.MAX_KEPT", 2)
    found = TaskCandidates(TASK)
    for n in range(1, 6):
        found.keep(giving(((n, n), (n, n)), n, steps=100 - n))
        rank_task(found)
    assert {each.grid for each in found.offered(0)} == {((n, n), (n, n)) for n in (4, 5)}


def test_ranking_again_with_more_candidates_is_ranking_all_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arcbatt.solving.candidates.MAX_KEPT", 4)
    task = Task("two tests", TASK.demos, (TASK.test_inputs[0],) * 2, "tests")
    grids: list[Grid] = [((n, n), (n, n)) for n in range(3)]
    found = TaskCandidates(task)
    for n in range(12):
        outputs = (grids[n % 3], None if n % 5 == 0 else grids[n // 3 % 3])
        each = giving(grids[0], n, task, outputs=outputs, bits=n % 4, steps=100 - 7 * n % 12)
        if found.is_wanted(each):
            found.keep(each)
        at_once = TaskCandidates(task)
        for kept in found.kept:
            at_once.keep(kept)
        assert rank_task(found) == rank_task(at_once)


def test_it_is_said_why_a_grid_won_and_why_others_lost() -> None:
    found = TaskCandidates(TASK)
    for each in (
        giving(((6, 5), (8, 7)), 1, bits=1.0),
        giving(((6, 6), (8, 7)), 2, bits=2.0, n_copies=1),
        giving(((7, 7), (7, 7)), 3, n_fitted=1, learns=True, n_held_out=0),
    ):
        found.keep(each)
    ranked = rank_task(found)
    lines = list(describe_ranking(ranked))
    first, second, lost = (line for line in lines if line.startswith("test 1, "))
    assert "attempt 1" in first and "attempt 2" in second and "lost, place 3" in lost
    assert f"the same on 1 of {N_COPIES} turned or recolored copies" in second
    table, _ = choices_of(ranked)
    assert table.headings == ("attempt 1", "attempt 2", "lost, place 3")
    rows = {words: cells for words, *cells in table.rows}
    copies = BITS["gives something else on copies of the task"]
    assert rows["gives something else on copies of the task"] == ["", f"{2 * copies:+.1f}", ""]
    assert rows["misses demos"] == ["", "", f"{BITS['misses demos']:+.1f}"]
    assert list(rows)[-1] == "evidence"
    # The reasons add up to the evidence.
    for attempt in (*ranked.tests[0].attempts, *ranked.tests[0].lost):
        assert sum(attempt.reasons.values()) == pytest.approx(log2(attempt.evidence))
    for line in table.lines():
        assert line in lines
    (note,) = (note for note in table.notes if note.startswith("attempt 2"))
    assert "as many cells of each color as before" in note


def test_the_table_of_reasons_fits_80_columns() -> None:
    headings = ("attempt 1", "attempt 2", "lost, place 3", "lost, place 4", "lost, place 5")
    rows = tuple((reason, *["-10.5"] * 5) for reason in REASONS)
    table = ChoiceTable("why", headings, rows, (f"lost, place 3 lacks: {'; '.join(REASONS)}",))
    lines = list(table.lines())
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == ["lost,"] * 3
    assert lines[2].split() == ["attempt", "1", "attempt", "2", *"place 3 place 4 place 5".split()]
    assert sum(line.count("-10.5") for line in lines) == 5 * len(rows)
    # Every word of a reason is there.
    text = " ".join(word for line in lines for word in line.split() if word != "-10.5")
    assert all(reason in text for reason in REASONS)


def test_agreement_is_a_reason_and_the_plainest_program_is_shown() -> None:
    grid = ((6, 5), (8, 7))
    alone = ranked_of(giving(grid, 1, bits=1.0)).attempts[0]
    assert AGREEMENT not in alone.reasons
    both = ranked_of(
        giving(grid, 1, bits=1.0, family="a"), giving(grid, 2, bits=1.0, family="b")
    ).attempts[0]
    assert both.reasons[AGREEMENT] == pytest.approx(1.0)
    assert ranked_of(giving(grid, 1)).attempts[1].reasons == {}  # a stand-in
