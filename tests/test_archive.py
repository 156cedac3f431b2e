"""The archive: every task keeps its own specialists, and draws follow the stated rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.evaluation import Worth
from arcbatt.language import Program, ir
from arcbatt.proposers.evolve.archive import DRAWS_TO_HALVE, SOLVER_SHARE, Archive, Entry


def program(k: int) -> Program:
    return Program(ir.call_node("replace", ir.input_node("I"), ir.constant(k), ir.constant(0)))


def entry(
    k: int, credit: int, *, steps: int = 10, behaviour: int | None = None, look: int = 0
) -> Entry:
    return Entry(program(k), steps, Worth(credit, k if behaviour is None else behaviour, look))


def test_a_task_keeps_its_best_and_says_what_became_of_an_offer() -> None:
    archive = Archive(2, per_task=2)
    assert archive.offer(0, entry(1, 300)) == "improved"
    assert archive.offer(0, entry(2, 200)) == "kept"
    assert archive.offer(0, entry(3, 100)) == "refused"
    assert archive.offer(0, entry(4, 400)) == "improved"
    assert [c.credit for c in archive.niches[0].nearly_right] == [400, 300]
    # What is poor on one task may be the best of another.
    assert archive.offer(1, entry(3, 100)) == "improved"
    assert archive.offer(1, entry(5, 0)) == "refused"


def test_what_turns_out_to_be_none_is_forgotten() -> None:
    archive = Archive(1)
    near, nearer, solver = entry(1, 300), entry(2, 400), entry(3, 1000)
    for each in (near, nearer):
        archive.offer(0, each)
    archive.withdraw(0, nearer)
    assert archive.niches[0].nearly_right == [near]
    archive.offer(0, solver)
    archive.withdraw(0, near)  # is gone already
    assert archive.n_fitted == 1
    archive.withdraw(0, solver)
    assert archive.n_fitted == 0


def test_a_solver_is_back_when_the_cheaper_one_turns_out_to_be_none() -> None:
    archive = Archive(1)
    first, wrong, cheapest = (entry(k, 1000, steps=50 - k) for k in (1, 2, 3))
    for each in (first, wrong, cheapest):
        archive.offer(0, each)
    archive.withdraw(0, wrong)
    assert archive.niches[0].solver is cheapest
    archive.withdraw(0, cheapest)
    assert archive.niches[0].solver is first
    archive.withdraw(0, first)
    assert archive.n_fitted == 0


def test_of_one_behaviour_the_cheapest_is_kept() -> None:
    archive = Archive(1)
    archive.offer(0, entry(1, 500, steps=10, behaviour=7))
    assert archive.offer(0, entry(2, 500, steps=12, behaviour=7)) == "refused"
    assert archive.offer(0, entry(3, 500, steps=8, behaviour=7)) == "kept"
    assert [c.program for c in archive.niches[0].nearly_right] == [program(3)]


def test_a_task_that_is_fitted_keeps_its_cheapest_solver_alone() -> None:
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


def test_of_a_task_the_better_is_drawn_more_often() -> None:
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


def test_a_task_that_brings_nothing_is_drawn_less_until_it_improves() -> None:
    archive = Archive(1)
    archive.offer(0, entry(1, 500))
    fresh = archive.niches[0].weight
    archive.draw(DRAWS_TO_HALVE, random.Random(0))
    assert archive.niches[0].weight == pytest.approx(fresh / 2)
    archive.offer(0, entry(2, 600))
    assert archive.niches[0].weight > fresh


def test_what_a_task_has_kept_says_what_is_worth_judging() -> None:
    archive = Archive(2, per_task=3)
    assert archive.is_open(0) and archive.worth_of(0, 7) is None
    for k, look in ((1, 900), (2, 100)):
        archive.offer(0, entry(k, 100 * k, behaviour=6 + k, look=look))
    assert archive.worth_of(0, 7) == Worth(100, 7, 900)
    assert archive.worth_of(1, 7) is None
    assert archive.least_look(0) == 0  # there is room still
    archive.offer(0, entry(3, 300, look=500))
    assert (archive.least_look(0), archive.least_look(1)) == (500, 0)
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
def test_what_is_kept_is_bounded_ordered_and_diverse(
    offers: list[tuple[int, int, int, int]], per_task: int
) -> None:
    archive = Archive(3, per_task)
    best = [0, 0, 0]
    for task, k, credit, behaviour in offers:
        archive.offer(task, entry(k, credit, steps=k, behaviour=behaviour))
        best[task] = max(best[task], credit)
    for niche, wanted in zip(archive.niches, best, strict=True):
        credits = [c.credit for c in niche.nearly_right]
        assert credits == sorted(credits, reverse=True)
        assert len(credits) <= per_task
        assert len({c.worth.behaviour for c in niche.nearly_right}) == len(credits)
        assert niche.best_credit == wanted
