"""Credit on tasks that a program does not solve: that of the differs, and who is judged at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskResult, TaskSamples, run_on_tasks
from arcbatt.language import Program, parse_program
from arcbatt.library import library_programs
from arcbatt.search.crediting import FIRST_LOOK, Crediting
from arcbatt.search.differs import bundled_differs, score_programs, weights_of
from arcbatt.search.selection import Archive, Candidate
from arcbatt.tasks import Pair, Task, load

TASKS = load("arc-agi-1/training")[::40]
SAMPLES = TaskSamples(TASKS)


def run(batt: Batt, only: NDArray[np.int32] | None = None) -> TaskResult:
    return run_on_tasks(batt, SAMPLES, only=only, device="cpu")


def credit_of(program: Program, task: int, differs: Sequence[str] = ()) -> int:
    """By the formula of docs/differs.md, from runs on every demo."""
    chosen = [d for d in bundled_differs() if not differs or d.name in differs]
    samples = SAMPLES.demos_of([task])
    numbers = Batt(score_programs(chosen, [program])).run(samples, device="cpu").numbers
    weights = weights_of(chosen)
    total = int(np.clip(numbers, 0, 1000).sum(axis=1) @ weights)
    return total // (len(samples) * int(weights.sum()))


def test_credit_is_that_of_the_differs() -> None:
    programs = [each.program for each in library_programs()[:5]]
    result = run(Batt(programs))
    pairs = [(p, t) for p in range(5) for t in range(len(TASKS)) if not result.reasons[p, t]]
    crediting = Crediting(run, use_differs=True)
    found = dict(crediting.candidates(programs, pairs, result, Archive(len(TASKS))))
    assert set(found) == set(pairs)
    behaviours = {}
    for (p, t), candidate in found.items():
        if result.solved[p, t]:
            assert candidate.credit == 1000
        elif (first := behaviours.setdefault((int(result.hashes[p, t]), t), p)) == p:
            assert candidate.credit == min(credit_of(programs[p], t), 999)
            assert candidate.look == credit_of(programs[p], t, [FIRST_LOOK])
        else:
            assert candidate.credit == found[first, t].credit


def test_what_looks_worse_than_half_of_what_is_kept_is_not_judged() -> None:
    program = library_programs()[0].program
    result = run(Batt([program]))
    (task,) = [t for t in range(len(TASKS)) if not result.reasons[0, t]][:1]
    look = credit_of(program, task, [FIRST_LOOK])
    crediting = Crediting(run, use_differs=True)
    for lowest, is_judged in ((look, True), (look + 1, False)):
        archive = Archive(len(TASKS), per_task=3)
        for number, each in enumerate((0, lowest, 1000)):
            kept = Candidate(library_programs()[1 + number].program, 1, 1, number, each)
            archive.offer(task, kept)
        found = list(crediting.candidates([program], [(0, task)], result, archive))
        assert bool(found) == is_judged


def test_programs_that_match_a_demo_are_judged_for_themselves() -> None:
    # Both give the first demo's output; on the second one is nearly right, the other far from it.
    demos = (Pair(((1, 1),), ((1, 1),)), Pair(((1, 2),), ((3, 2),)))
    task = Task("made", demos, (((1,),),), "made")
    near = parse_program("def near(I):\n    return I\n")
    far = parse_program("def far(I):\n    return replace(replace(I, 2, 7), 3, 7)\n")
    samples = TaskSamples([task])

    def run_here(batt: Batt, only: NDArray[np.int32] | None = None) -> TaskResult:
        return run_on_tasks(batt, samples, only=only, device="cpu")

    result = run_here(Batt([near, far]))
    assert result.n_matches.tolist() == [[1], [1]]
    pairs = [(0, 0), (1, 0)]
    crediting = Crediting(run_here, use_differs=True)
    found = dict(crediting.candidates([near, far], pairs, result, Archive(1)))
    assert found[0, 0].credit > found[1, 0].credit
    assert found[0, 0].behaviour != found[1, 0].behaviour
    without = dict(
        Crediting(run_here, use_differs=False).candidates([near, far], pairs, result, Archive(1))
    )
    assert [candidate.credit for candidate in without.values()] == [500, 500]


@pytest.mark.parametrize("use_differs", [True, False])
def test_a_task_with_a_solver_wants_solvers_only(use_differs: bool) -> None:
    program = library_programs()[0].program
    result = run(Batt([program]))
    archive = Archive(len(TASKS))
    for t in range(len(TASKS)):
        archive.offer(t, Candidate(program, 1000, 1, 1))
    pairs = [(0, t) for t in range(len(TASKS))]
    crediting = Crediting(run, use_differs=use_differs)
    found = [pair for pair, _ in crediting.candidates([program], pairs, result, archive)]
    assert found == [pair for pair in pairs if result.solved[pair]]


def test_the_nearest_are_found_for_every_open_task() -> None:
    programs = [each.program for each in library_programs()[:20]]
    archive = Archive(len(TASKS), per_task=2)
    archive.offer(0, Candidate(programs[0], 1000, 1, 1))
    nearest = Crediting(run, use_differs=True).nearest(programs, archive)
    by_task: dict[int, list[Candidate]] = {}
    for task, candidate in nearest:
        by_task.setdefault(task, []).append(candidate)
    assert set(by_task) == set(range(1, len(TASKS)))
    for candidates in by_task.values():
        assert len(candidates) == 4
        credits = [candidate.credit for candidate in candidates]
        assert credits == sorted(credits, reverse=True) and credits[0] < 1000
