"""The archive: every task keeps its own specialists, and draws follow the documented rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.evaluation import Credit, Trial
from arcbatt.language import Program, ir
from arcbatt.proposers.evolve.archive import DRAWS_TO_HALVE, SOLVER_SHARE, Archive, Entry
from arcbatt.tasks import Pair, Task

GRID = ((1,),)
TASK = Task("made", (Pair(GRID, GRID),), (GRID,), "made")


def program(k: int) -> Program:
    return Program(ir.call_node("replace", ir.input_node("I"), ir.constant(k), ir.constant(0)))


def entry(
    k: int, credit: int, *, steps: int = 10, behavior: int | None = None, look: int = 0
) -> Entry:
    trial = Trial.screened(TASK, program(k), int(credit == 1000), steps, credit)
    return Entry(trial, k if behavior is None else behavior, look)


def test_a_task_keeps_its_best_and_returns_a_verdict() -> None:
    archive = Archive(2, per_task=2)
    assert archive.offer(0, entry(1, 300)) == "improved"
    assert archive.offer(0, entry(2, 200)) == "kept"
    assert archive.offer(0, entry(3, 100)) == "refused"
    assert archive.offer(0, entry(4, 400)) == "improved"
    assert [c.trial.credit for c in archive.niches[0].nearly_right] == [400, 300]
    # A poor entry of one task may be the best of another.
    assert archive.offer(1, entry(3, 100)) == "improved"
    assert archive.offer(1, entry(5, 0)) == "refused"


def test_the_cheapest_entry_of_a_behavior_is_kept() -> None:
    archive = Archive(1)
    archive.offer(0, entry(1, 500, steps=10, behavior=7))
    assert archive.offer(0, entry(2, 500, steps=12, behavior=7)) == "refused"
    assert archive.offer(0, entry(3, 500, steps=8, behavior=7)) == "kept"
    assert [c.program for c in archive.niches[0].nearly_right] == [program(3)]


def test_a_fitted_task_keeps_only_its_cheapest_solver() -> None:
    archive = Archive(1)
    archive.offer(0, entry(1, 900))
    assert archive.offer(0, entry(2, 1000, steps=50)) == "fits"
    assert archive.niches[0].nearly_right == []
    assert archive.offer(0, entry(3, 999)) == "refused"
    assert archive.offer(0, entry(4, 1000, steps=60)) == "refused"
    assert archive.offer(0, entry(5, 1000, steps=40)) == "cheaper"
    assert archive.solvers() == [program(5)]
    assert (archive.n_fitted, archive.best_credit) == (1, 0)


def test_draws_prefer_solvers_by_their_share_and_tasks_by_their_credit() -> None:
    archive = Archive(3)
    archive.offer(0, entry(1, 1000))
    archive.offer(1, entry(2, 800))
    archive.offer(2, entry(3, 400))
    drawn = Counter(archive.draw(100, random.Random(0)).tasks)
    assert abs(drawn[None] / 100 - SOLVER_SHARE) < 0.15
    assert drawn[1] > drawn[2] > 0


def test_better_entries_of_a_task_are_drawn_more_often() -> None:
    archive = Archive(1, per_task=3)
    for number, credit in ((1, 700), (2, 500), (3, 300)):
        archive.offer(0, entry(number, credit))
    draws = archive.draw(9000, random.Random(0))
    assert draws.tasks == [0] * 9000
    counts = Counter(draws.programs[k] for k in draws.chosen)
    assert [counts[program(k)] for k in (1, 2, 3)] == [
        pytest.approx(wanted, rel=0.1) for wanted in (6000, 2000, 1000)
    ]
    assert archive.draw(50, random.Random(1)) == archive.draw(50, random.Random(1))


def test_a_task_without_improvement_is_drawn_less() -> None:
    archive = Archive(1)
    archive.offer(0, entry(1, 500))
    fresh = archive.niches[0].weight
    archive.draw(DRAWS_TO_HALVE, random.Random(0))
    assert archive.niches[0].weight == pytest.approx(fresh / 2)
    archive.offer(0, entry(2, 600))
    assert archive.niches[0].weight > fresh


def test_kept_entries_decide_what_is_worth_scoring() -> None:
    archive = Archive(2, per_task=3)
    assert archive.is_open(0) and archive.credit_of(0, 7) is None
    for k, look in ((1, 900), (2, 100)):
        archive.offer(0, entry(k, 100 * k, behavior=6 + k, look=look))
    assert archive.credit_of(0, 7) == Credit(100, 7, 900)
    assert archive.credit_of(1, 7) is None
    assert archive.min_first_look(0) == 0  # there is still room
    archive.offer(0, entry(3, 300, look=500))
    assert (archive.min_first_look(0), archive.min_first_look(1)) == (500, 0)
    archive.offer(0, entry(4, 1000))
    assert not archive.is_open(0) and archive.is_open(1)


def test_an_empty_archive_has_no_parents() -> None:
    assert Archive(3).draw(5, random.Random(0)) == ([], [], [])
    with pytest.raises(ValueError, match="at least one"):
        Archive(1, per_task=0)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 1000), st.integers(0, 5)),
        max_size=60,
    ),
    st.integers(1, 4),
)
def test_entries_are_bounded_ordered_and_diverse(
    offers: list[tuple[int, int, int, int]], per_task: int
) -> None:
    archive = Archive(3, per_task)
    best = [0, 0, 0]
    for task, k, credit, behavior in offers:
        archive.offer(task, entry(k, credit, steps=k, behavior=behavior))
        best[task] = max(best[task], credit)
    for niche, wanted in zip(archive.niches, best, strict=True):
        credits = [c.trial.credit for c in niche.nearly_right]
        assert credits == sorted(credits, reverse=True)
        assert len(credits) <= per_task
        assert len({c.behavior for c in niche.nearly_right}) == len(credits)
        assert niche.best_credit == wanted
