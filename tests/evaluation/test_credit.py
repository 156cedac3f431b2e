"""Credit on tasks that a program does not fit, and which programs are scored at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import (
    SEARCH_BUDGET,
    Credit,
    CreditScorer,
    TaskBoard,
    Trial,
    bundled_differs,
)
from arcbatt.evaluation.credit import FIRST_LOOK, SCORING_BATCH
from arcbatt.evaluation.differs import score_programs, weights_of
from arcbatt.language import Program, parse_program
from arcbatt.library import library_programs
from arcbatt.proposers.evolve.archive import Archive, Entry
from arcbatt.tasks import Pair, Task, load

TASKS = load("arc-agi-1/training")[::40]
BOARD = TaskBoard(TASKS, device="cpu")


def screen(programs: Sequence[Program], board: TaskBoard = BOARD) -> TaskResult:
    return board.screen(Batt(programs), held_out=True)


def entry(program: Program, credit: Credit) -> Entry:
    """Return an entry with a credit, of any task."""
    task = TASKS[0]
    n_fitted = len(task.demos) if credit.score == 1000 else 0
    trial = Trial.screened(task, program, n_fitted, 1, credit.score)
    return Entry(trial, credit.behavior, credit.first_look)


def credit_of(program: Program, task: int, differs: Sequence[str] = ()) -> int:
    """Return the credit by the formula of docs/differs.md, from runs on every demo."""
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
    scorer = CreditScorer(BOARD, use_differs=True)
    found = dict(scorer.credits(programs, pairs, result, Archive(len(TASKS))))
    assert set(found) == set(pairs)
    behaviors = {}
    for (p, t), credit in found.items():
        if result.solved[p, t]:
            assert credit.score == 1000
        elif (first := behaviors.setdefault((int(result.hashes[p, t]), t), p)) == p:
            assert credit.score == min(credit_of(programs[p], t), 999)
            assert credit.first_look == credit_of(programs[p], t, [FIRST_LOOK])
        else:
            assert credit.score == found[first, t].score


def test_a_program_that_behaves_like_a_kept_one_has_its_credit() -> None:
    program = library_programs()[0].program
    result = screen([program])
    (task,) = [t for t in range(len(TASKS)) if not result.reasons[0, t]][:1]
    kept = Credit(123, int(result.hashes[0, task]), 456)
    archive = Archive(len(TASKS))
    archive.offer(task, entry(library_programs()[1].program, kept))
    scorer = CreditScorer(BOARD, use_differs=True)
    assert list(scorer.credits([program], [(0, task)], result, archive)) == [((0, task), kept)]


def test_a_program_below_the_median_first_look_is_not_scored() -> None:
    program = library_programs()[0].program
    result = screen([program])
    (task,) = [t for t in range(len(TASKS)) if not result.reasons[0, t]][:1]
    look = credit_of(program, task, [FIRST_LOOK])
    scorer = CreditScorer(BOARD, use_differs=True)
    for lowest, is_scored in ((look, True), (look + 1, False)):
        archive = Archive(len(TASKS), per_task=3)
        for number, each in enumerate((0, lowest, 1000)):
            kept = entry(library_programs()[1 + number].program, Credit(1, number, each))
            archive.offer(task, kept)
        found = list(scorer.credits([program], [(0, task)], result, archive))
        assert bool(found) == is_scored


def test_programs_that_match_a_demo_are_scored_individually() -> None:
    # Both are right on the first demo; on the second, one is close and the other is not.
    demos = (Pair(((1, 1),), ((1, 1),)), Pair(((1, 2),), ((3, 2),)))
    board = TaskBoard([Task("made", demos, (((1,),),), "made")], device="cpu")
    near = parse_program("def near(I):\n    return I\n")
    far = parse_program("def far(I):\n    return replace(replace(I, 2, 7), 3, 7)\n")
    result = screen([near, far], board)
    assert result.n_matches.tolist() == [[1], [1]]
    pairs = [(0, 0), (1, 0)]
    scorer = CreditScorer(board, use_differs=True)
    found = dict(scorer.credits([near, far], pairs, result, Archive(1)))
    assert found[0, 0].score > found[1, 0].score
    assert found[0, 0].behavior != found[1, 0].behavior
    without = dict(
        CreditScorer(board, use_differs=False).credits([near, far], pairs, result, Archive(1))
    )
    assert [credit.score for credit in without.values()] == [500, 500]


@pytest.mark.parametrize("use_differs", [True, False])
def test_a_task_with_a_solver_only_scores_solvers(use_differs: bool) -> None:
    solver = parse_program("def solve(I):\n    return vmirror(I)\n")
    other = parse_program("def other(I):\n    return hmirror(I)\n")
    board = BOARD.part([load("arc-agi-1/training")["67a3c6ac"], *TASKS[:3]])
    result = screen([solver, other], board)
    archive = Archive(len(board))
    for t in range(len(board)):
        archive.offer(t, entry(solver, Credit(1000, 1, 1000)))
    pairs = [(p, t) for p in range(2) for t in range(len(board))]
    scorer = CreditScorer(board, use_differs=use_differs)
    found = [pair for pair, _ in scorer.credits([solver, other], pairs, result, archive)]
    assert found == [(0, 0)]


def test_nearest_programs_are_found_for_every_open_task() -> None:
    programs = [each.program for each in library_programs()[:20]]
    archive = Archive(len(TASKS), per_task=2)
    archive.offer(0, entry(programs[0], Credit(1000, 1, 1000)))
    scorer = CreditScorer(BOARD, use_differs=True)
    by_task: dict[int, list[Program]] = {}
    for task, program in scorer.nearest(programs, archive):
        by_task.setdefault(task, []).append(program)
    assert set(by_task) == set(range(1, len(TASKS)))
    credits = scorer._nearness(programs)
    for task, chosen in by_task.items():
        nearest = [credits[programs.index(program), task] for program in chosen]
        assert len(nearest) == 4
        assert nearest == sorted(credits[:, task].tolist(), reverse=True)[:4]


def test_no_programs_are_scored_once_the_time_is_spent() -> None:
    programs = [each.program for each in library_programs()]
    scorer = CreditScorer(BOARD, use_differs=True)

    def scored(is_spent: Callable[[], bool]) -> set[Program]:
        nearest = scorer.nearest(programs, Archive(len(TASKS)), is_spent)
        return {program for _, program in nearest}

    answers = iter([False, True])
    early = set(programs[:SCORING_BATCH])
    assert scored(lambda: next(answers)) <= early
    assert not scored(lambda: False) <= early
    assert not scored(lambda: True)
