"""Credit on tasks that a program does not fit: that of the differs, and who is judged at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskResult
from arcbatt.evaluation import SEARCH_BUDGET, Crediting, TaskBoard, Worth, bundled_differs
from arcbatt.evaluation.crediting import FIRST_LOOK, JUDGED_AT_ONCE
from arcbatt.evaluation.differs import score_programs, weights_of
from arcbatt.language import Program, parse_program
from arcbatt.library import library_programs
from arcbatt.proposers.evolve.archive import Archive, Entry
from arcbatt.tasks import Pair, Task, load

TASKS = load("arc-agi-1/training")[::40]
BOARD = TaskBoard(TASKS, device="cpu")


def screen(programs: Sequence[Program], board: TaskBoard = BOARD) -> TaskResult:
    return board.screen(Batt(programs), held_out=True)


def credit_of(program: Program, task: int, differs: Sequence[str] = ()) -> int:
    """By the formula of docs/differs.md, from runs on every demo."""
    chosen = [d for d in bundled_differs() if not differs or d.name in differs]
    samples = BOARD.held_out.demos_of([task])
    batt = Batt(score_programs(chosen, [program]))
    numbers = batt.run(samples, SEARCH_BUDGET, device="cpu").numbers
    weights = weights_of(chosen)
    total = int(np.clip(numbers, 0, 1000).sum(axis=1) @ weights)
    return total // (len(samples) * int(weights.sum()))


def test_credit_is_that_of_the_differs() -> None:
    programs = [each.program for each in library_programs()[:5]]
    result = screen(programs)
    pairs = [(p, t) for p in range(5) for t in range(len(TASKS)) if not result.reasons[p, t]]
    crediting = Crediting(BOARD, use_differs=True)
    found = dict(crediting.worths(programs, pairs, result, Archive(len(TASKS))))
    assert set(found) == set(pairs)
    behaviours = {}
    for (p, t), worth in found.items():
        if result.solved[p, t]:
            assert worth.credit == 1000
        elif (first := behaviours.setdefault((int(result.hashes[p, t]), t), p)) == p:
            assert worth.credit == min(credit_of(programs[p], t), 999)
            assert worth.look == credit_of(programs[p], t, [FIRST_LOOK])
        else:
            assert worth.credit == found[first, t].credit


def test_what_behaves_as_what_is_kept_is_worth_as_much() -> None:
    program = library_programs()[0].program
    result = screen([program])
    (task,) = [t for t in range(len(TASKS)) if not result.reasons[0, t]][:1]
    kept = Worth(123, int(result.hashes[0, task]), 456)
    archive = Archive(len(TASKS))
    archive.offer(task, Entry(library_programs()[1].program, 1, kept))
    crediting = Crediting(BOARD, use_differs=True)
    assert list(crediting.worths([program], [(0, task)], result, archive)) == [((0, task), kept)]


def test_what_looks_worse_than_half_of_what_is_kept_is_not_judged() -> None:
    program = library_programs()[0].program
    result = screen([program])
    (task,) = [t for t in range(len(TASKS)) if not result.reasons[0, t]][:1]
    look = credit_of(program, task, [FIRST_LOOK])
    crediting = Crediting(BOARD, use_differs=True)
    for lowest, is_judged in ((look, True), (look + 1, False)):
        archive = Archive(len(TASKS), per_task=3)
        for number, each in enumerate((0, lowest, 1000)):
            kept = Entry(library_programs()[1 + number].program, 1, Worth(1, number, each))
            archive.offer(task, kept)
        found = list(crediting.worths([program], [(0, task)], result, archive))
        assert bool(found) == is_judged


def test_programs_that_match_a_demo_are_judged_for_themselves() -> None:
    # Both give the first demo's output; on the second one is nearly right, the other far from it.
    demos = (Pair(((1, 1),), ((1, 1),)), Pair(((1, 2),), ((3, 2),)))
    board = TaskBoard([Task("made", demos, (((1,),),), "made")], device="cpu")
    near = parse_program("def near(I):\n    return I\n")
    far = parse_program("def far(I):\n    return replace(replace(I, 2, 7), 3, 7)\n")
    result = screen([near, far], board)
    assert result.n_matches.tolist() == [[1], [1]]
    pairs = [(0, 0), (1, 0)]
    crediting = Crediting(board, use_differs=True)
    found = dict(crediting.worths([near, far], pairs, result, Archive(1)))
    assert found[0, 0].credit > found[1, 0].credit
    assert found[0, 0].behaviour != found[1, 0].behaviour
    without = dict(
        Crediting(board, use_differs=False).worths([near, far], pairs, result, Archive(1))
    )
    assert [worth.credit for worth in without.values()] == [500, 500]


@pytest.mark.parametrize("use_differs", [True, False])
def test_a_task_with_a_solver_wants_solvers_only(use_differs: bool) -> None:
    solver = parse_program("def solve(I):\n    return vmirror(I)\n")
    other = parse_program("def other(I):\n    return hmirror(I)\n")
    board = BOARD.part([load("arc-agi-1/training")["67a3c6ac"], *TASKS[:3]])
    result = screen([solver, other], board)
    archive = Archive(len(board))
    for t in range(len(board)):
        archive.offer(t, Entry(solver, 1, Worth(1000, 1, 1000)))
    pairs = [(p, t) for p in range(2) for t in range(len(board))]
    crediting = Crediting(board, use_differs=use_differs)
    found = [pair for pair, _ in crediting.worths([solver, other], pairs, result, archive)]
    assert found == [(0, 0)]


def test_the_nearest_are_found_for_every_open_task() -> None:
    programs = [each.program for each in library_programs()[:20]]
    archive = Archive(len(TASKS), per_task=2)
    archive.offer(0, Entry(programs[0], 1, Worth(1000, 1, 1000)))
    crediting = Crediting(BOARD, use_differs=True)
    by_task: dict[int, list[Program]] = {}
    for task, program in crediting.nearest(programs, archive):
        by_task.setdefault(task, []).append(program)
    assert set(by_task) == set(range(1, len(TASKS)))
    credits = crediting._nearness(programs)
    for task, chosen in by_task.items():
        nearest = [credits[programs.index(program), task] for program in chosen]
        assert len(nearest) == 4
        assert nearest == sorted(credits[:, task].tolist(), reverse=True)[:4]


def test_once_the_time_is_spent_no_more_are_judged() -> None:
    programs = [each.program for each in library_programs()]
    crediting = Crediting(BOARD, use_differs=True)

    def judged(is_spent: Callable[[], bool]) -> set[Program]:
        nearest = crediting.nearest(programs, Archive(len(TASKS)), is_spent)
        return {program for _, program in nearest}

    answers = iter([False, True])
    early = set(programs[:JUDGED_AT_ONCE])
    assert judged(lambda: next(answers)) <= early
    assert not judged(lambda: False) <= early
    assert not judged(lambda: True)
