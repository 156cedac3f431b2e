"""The board: screenings and trials agree with single runs of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from arcbatt.engine import _engine
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.results import RunArrays
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import (
    SEARCH_BUDGET,
    TaskBoard,
    Trial,
    board,
    submittable,
)
from arcbatt.evaluation.board import N_PROBED, PROBED_FIRST, QUICK_BUDGET
from arcbatt.evaluation.copies import COPIES
from arcbatt.language import Failure, Program, Reason, parse_program
from arcbatt.language import interpret as run_alone
from arcbatt.library import library_programs
from arcbatt.tasks import Pair, Task, load
from bench.random_programs import random_program

TRAINING = load("arc-agi-1/training")
TASKS = TRAINING[:8]
BOARD = TaskBoard(TASKS, device="cpu")
LIBRARY = [parsed.program for parsed in library_programs()]
# Looks up the output of the pair with the same input.
LOOK_UP = parse_program("""
def look_up(S, I):
    same = compose(rbind(equality, I), first)
    return second(extract(S, same))
""")
SEEN = parse_program("def seen(S, I):\n    return first(last(S))\n")
# Over budget on any input.
RUNAWAY = parse_program("""
def runaway(I):
    x1 = canvas(0, (30, 30))
    x2 = product(asindices(x1), asindices(x1))
    return product(x2, x2)
""")

# Over the quick budget on any input, but within the search's.
EXPENSIVE = parse_program("""
def expensive(I):
    x1 = asindices(canvas(0, (12, 12)))
    x2 = greater(size(product(x1, x1)), 0)
    return branch(x2, vmirror(I), I)
""")


def program(expression: str) -> Program:
    return parse_program(f"def made(I):\n    return {expression}\n")


def pairs_of(task: Task) -> tuple[tuple[Any, Any], ...]:
    return tuple((demo.input, demo.output) for demo in task.demos)


def n_matches(of: Program, on: TaskBoard, *, held_out: bool) -> list[int]:
    found: list[int] = on.screen(Batt([of]), held_out=held_out).n_matches[0].tolist()
    return found


# --- demos held out ---


def test_a_lookup_program_matches_nothing_held_out() -> None:
    assert n_matches(LOOK_UP, BOARD, held_out=False) == [len(task.demos) for task in TASKS]
    assert n_matches(LOOK_UP, BOARD, held_out=True) == [0] * len(TASKS)


def test_each_demo_sees_the_others() -> None:
    result = Batt([SEEN]).run(BOARD.held_out.demos, keep_values=True, device="cpu")
    place = 0
    for task in TASKS:
        pairs = pairs_of(task)
        for k, demo in enumerate(task.demos):
            others = pairs[:k] + pairs[k + 1 :]
            wanted = run_alone(SEEN, {"I": demo.input, "S": others}).outcome
            assert result.outcome(0, place) == wanted
            place += 1


def test_some_demos_of_some_tasks() -> None:
    samples = BOARD.held_out
    assert len(samples.demos_of([2, 5], 1)) == sum(len(TASKS[t].demos) - 1 for t in (2, 5))
    assert len(samples.first_demos) == len(TASKS)


def test_a_single_demo_sees_itself() -> None:
    alone = Task("alone", TASKS[0].demos[:1], TASKS[0].test_inputs, "made")
    assert n_matches(LOOK_UP, TaskBoard([alone], device="cpu"), held_out=True) == [1]


@pytest.mark.parametrize("solver", LIBRARY[::8], ids=lambda solver: solver.name)
def test_the_library_fits_its_tasks_held_out_too(solver: Program) -> None:
    task = TRAINING[solver.name.removeprefix("solve_")]
    own = TaskBoard([task], device="cpu")
    assert n_matches(solver, own, held_out=True) == [len(task.demos)]


# --- screening ---


def assert_same(found: TaskResult, wanted: TaskResult) -> None:
    for name in ("reasons", "n_matches", "hashes", "steps", "numbers"):
        assert (getattr(found, name) == getattr(wanted, name)).all(), name


def test_screening_agrees_with_the_reference() -> None:
    programs = [*LIBRARY[:10], *(random_program(seed, 6) for seed in range(20)), LOOK_UP]
    full = BOARD.screen(Batt(programs), staged=False)
    staged = BOARD.screen(Batt(programs))
    for p, each in enumerate(programs):
        for t, task in enumerate(TASKS):
            inputs = [{"I": demo.input, "S": pairs_of(task)} for demo in task.demos]
            got = [run_alone(each, given, SEARCH_BUDGET) for given in inputs]
            first = got[0].outcome
            reason = first.reason if isinstance(first, Failure) else 0
            right = [r.outcome == d.output for r, d in zip(got, task.demos, strict=True)]
            assert full.reasons[p, t] == staged.reasons[p, t] == reason
            assert full.n_matches[p, t] == sum(right)
            assert full.steps[p, t] == sum(r.steps for r in got)
            # A program that misses the first demo is not run on the others.
            assert staged.n_matches[p, t] == (sum(right) if right[0] else 0)
            assert staged.steps[p, t] == (full.steps[p, t] if right[0] else got[0].steps)


def test_a_program_can_be_screened_on_one_task_only() -> None:
    programs = [LIBRARY[0], LOOK_UP, LIBRARY[1]]
    everywhere = BOARD.screen(Batt(programs), staged=False)
    only = BOARD.screen(Batt(programs), only=[3, 5, -1])
    for p, tasks in enumerate(([3], [5], range(len(TASKS)))):
        left = [t for t in range(len(TASKS)) if t not in tasks]
        assert (only.reasons[p, left] == _engine.NOT_RUN).all()
        assert (only.reasons[p, list(tasks)] == everywhere.reasons[p, list(tasks)]).all()
    assert only.n_matches[1, 5] == everywhere.n_matches[1, 5] == len(TASKS[5].demos)


def test_a_program_does_the_same_alone_and_in_a_screening() -> None:
    programs = [*LIBRARY[:6], LOOK_UP]
    found = BOARD.screen(Batt(programs), held_out=True)
    for p, each in enumerate(programs):
        for t in range(len(TASKS)):
            alone = BOARD.screen_alone(each, t)
            for name in ("reasons", "n_matches", "hashes", "steps"):
                assert getattr(alone, name)[0, 0] == getattr(found, name)[p, t]


# --- expensive programs ---


class Ran:
    """Record how many programs run on how many tasks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[tuple[int, int]] = []
        self._real = board.run_on_tasks
        monkeypatch.setattr(board, "run_on_tasks", self)

    def __call__(self, batt: Batt, samples: Any, *args: Any, **kwargs: Any) -> TaskResult:
        self.sizes.append((len(batt.programs), len(samples)))
        return self._real(batt, samples, *args, **kwargs)


def test_a_quick_screening_takes_a_tenth_of_the_steps() -> None:
    batt = Batt([*LIBRARY[:60], RUNAWAY, EXPENSIVE])
    whole, quick = BOARD.screen(batt), BOARD.screen(batt, quick=True)
    within = whole.steps <= QUICK_BUDGET.steps
    assert within[:-2].any() and not within[-2:].any()
    for name in RunArrays._fields:
        equal = getattr(quick.arrays, name) == getattr(whole.arrays, name)
        assert equal[within].all(), name
    assert (quick.reasons[-2:] == Reason.BUDGET).all()


@pytest.mark.parametrize("held_out", [True, False])
def test_expensive_programs_count_as_over_budget_everywhere(
    held_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = TaskBoard(TRAINING[: 3 * N_PROBED], device="cpu")
    others = [LIBRARY[0], LOOK_UP]
    wanted = many.screen(Batt(others), held_out=held_out)
    ran = Ran(monkeypatch)
    batt = Batt([others[0], RUNAWAY, others[1]])
    found = many.screen(batt, held_out=held_out, skip_expensive=True)
    n_first = len(PROBED_FIRST)
    assert ran.sizes == [(3, n_first), (2, N_PROBED - n_first), (2, len(many) - N_PROBED)]
    assert found.ran_on == {"cpu": 3 * n_first + 2 * (len(many) - n_first)}
    assert (found.reasons[1] == Reason.BUDGET).all()
    assert not found.n_matches[1].any()
    kept = np.array([True, False, True])
    assert_same(found, wanted.among(kept, Reason.BUDGET))


def test_cheap_programs_and_small_boards_are_run_fully(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = TaskBoard(TRAINING[: 2 * N_PROBED], device="cpu")
    few = many.part(TRAINING[: 2 * N_PROBED - 1])
    ran = Ran(monkeypatch)
    calm = Batt(LIBRARY[:2])
    assert_same(many.screen(calm, skip_expensive=True), many.screen(calm))
    n_first = len(PROBED_FIRST)
    assert ran.sizes[:2] == [(2, n_first), (2, N_PROBED - n_first)]
    assert ran.sizes[2:] == [(2, len(many) - N_PROBED), (2, len(many))]
    ran.sizes.clear()
    few.screen(Batt([RUNAWAY]), skip_expensive=True)
    assert ran.sizes == [(1, len(few))]


def test_programs_are_expensive_by_their_total_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "EXPENSIVE_STEPS", 1500)
    many = TaskBoard(TRAINING[: 2 * N_PROBED], device="cpu")
    probed = [t for _, tasks, is_probe in many._in_order_of_probing for t in tasks if is_probe]
    assert len(probed) == len(set(probed)) == N_PROBED
    batt = Batt([*LIBRARY, RUNAWAY])
    everywhere = many.screen(batt, held_out=True)
    wanted = everywhere.steps[:, probed].mean(axis=1) <= 1500
    found = many.screen(batt, held_out=True, skip_expensive=True)
    assert 2 < wanted.sum() < len(wanted) - 2
    cheap = many.screen(batt.part(np.flatnonzero(wanted)), held_out=True)
    assert_same(found, cheap.among(wanted, Reason.BUDGET))


def test_only_expensive_programs_and_programs_with_one_task() -> None:
    many = TaskBoard(TRAINING[: 2 * N_PROBED], device="cpu")
    found = many.screen(Batt([RUNAWAY]), skip_expensive=True)
    assert (found.reasons == Reason.BUDGET).all()
    with pytest.raises(ValueError, match="all programs on all tasks"):
        many.screen(Batt([RUNAWAY, LOOK_UP]), only=[1, 9], skip_expensive=True)


# --- trials ---


def trial_alone(each: Program, task: Task) -> Trial:
    """Return the trial by single runs of the reference."""
    pairs = pairs_of(task)
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    got = [run_alone(each, {"I": grid, "S": pairs}, SEARCH_BUDGET) for grid in inputs]
    n_demos = len(task.demos)
    n_fitted = sum(r.outcome == d.output for r, d in zip(got[:n_demos], task.demos, strict=True))
    failures = [r.outcome.reason for r in got if isinstance(r.outcome, Failure)]
    learns = "S" in each.inputs
    n_held_out = None
    if learns and n_demos > 1:
        n_held_out = 0
        for k, demo in enumerate(task.demos):
            others = pairs[:k] + pairs[k + 1 :]
            result = run_alone(each, {"I": demo.input, "S": others}, SEARCH_BUDGET)
            n_held_out += result.outcome == demo.output
    return Trial(
        task=task,
        program=each,
        n_fitted=n_fitted,
        credit=1000 * n_fitted // n_demos,
        steps=sum(r.steps for r in got),
        outputs=tuple(submittable(r.outcome) for r in got[n_demos:]),
        learns=learns,
        n_held_out=n_held_out,
        n_copies=n_copies_alone(each, task) if n_fitted else 0,
        failure=failures[0] if failures else None,
    )


def n_copies_alone(each: Program, task: Task) -> int:
    """Return on how many copies of a task the reference does the same."""
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    pairs = pairs_of(task)
    own = [run_alone(each, {"I": grid, "S": pairs}, SEARCH_BUDGET).outcome for grid in inputs]
    n_same = 0
    for change in COPIES:
        changed = tuple((change(before), change(after)) for before, after in pairs)
        given = [
            run_alone(each, {"I": change(grid), "S": changed}, SEARCH_BUDGET).outcome
            for grid in inputs
        ]
        fitted = [
            (a == after, b == change(after))
            for a, b, (_, after) in zip(own, given, pairs, strict=False)
        ]
        outputs = [submittable(grid) for grid in own[len(pairs) :]]
        n_same += all(a == b for a, b in fitted) and all(
            grid is not None and submittable(b) == change(grid)
            for grid, b in zip(outputs, given[len(pairs) :], strict=True)
        )
    return n_same


def test_trials_agree_with_the_reference() -> None:
    programs = [*LIBRARY[:8], LOOK_UP, SEEN, *(random_program(seed, 6) for seed in range(12))]
    for task in TASKS[:4]:
        assert BOARD.trials(task, programs) == [trial_alone(each, task) for each in programs]
    assert BOARD.trials(TASKS[0], []) == []


def test_a_program_is_run_on_copies_of_the_task_if_it_fits_some_demo() -> None:
    pair = Pair(((1, 2), (0, 3)), ((3, 0), (2, 1)))
    task = Task("turned", (pair, pair), (((4, 5), (6, 7)),), "made")
    turns, mirrors = BOARD.trials(task, [program("rot180(I)"), program("vmirror(I)")])
    assert turns.fits and turns.n_copies == len(COPIES)
    assert not mirrors.n_fitted and mirrors.n_copies == 0
    # A program that depends on orientation and colors differs on every copy.
    pair = Pair(((1, 2), (0, 3)), ((0, 3), (1, 1)))
    task = Task("flipped", (pair,), (((2, 2), (0, 3)),), "made")
    (flips,) = BOARD.trials(task, [program("replace(hmirror(I), 2, 1)")])
    assert flips.fits and flips.n_copies == 1  # upside down it does the same


def test_a_solver_fits_and_has_outputs() -> None:
    task = TRAINING["00d62c1b"]
    (solver,) = [each for each in LIBRARY if each.name == "solve_00d62c1b"]
    (trial,) = BOARD.trials(task, [solver])  # a task that it was not made with will do
    assert trial.fits and (trial.credit, trial.failure) == (1000, None)
    assert not trial.learns and trial.n_held_out is None
    pairs = pairs_of(task)
    assert trial.outputs == tuple(
        run_alone(solver, {"I": grid, "S": pairs}).outcome for grid in task.test_inputs
    )


def test_a_learning_program_is_judged_by_held_out_demos() -> None:
    task = TASKS[0]
    (trial,) = BOARD.trials(task, [LOOK_UP])
    assert trial.fits and trial.learns and trial.n_held_out == 0
    # A single demo leaves nothing to learn from, so its held-out result is unknown.
    alone = Task("alone", task.demos[:1], task.test_inputs, "made")
    looks_up, mirrors = BOARD.trials(alone, [LOOK_UP, program("vmirror(I)")])
    assert looks_up.fits and looks_up.learns and looks_up.n_held_out is None
    assert not mirrors.learns and mirrors.n_held_out is None


def test_credit_is_given_or_the_share_of_fitted_demos() -> None:
    demos = (Pair(((1, 2),), ((2, 1),)), Pair(((1, 1),), ((5, 5),)))
    task = Task("half", demos, (((1, 2),),), "made")
    made = TaskBoard([task], device="cpu")
    half, none = program("vmirror(I)"), program("I")
    assert [trial.credit for trial in made.trials(task, [half, none])] == [500, 0]
    judged = {none: 700, half: 1000}
    # Only a fit has full credit, whatever is given.
    assert [t.credit for t in made.trials(task, [half, none], judged)] == [999, 700]
    whole = Task("whole", demos[:1], (((1, 2),),), "made")
    assert [t.credit for t in made.trials(whole, [half], {half: 3})] == [1000]


@pytest.mark.parametrize(
    "expression",
    [
        "size(I)",
        "canvas(3, (31, 1))",
        "canvas(10, (2, 2))",
        "canvas(-1, (2, 2))",
        "astuple(1, 2)",
        "asindices(I)",
        "objects(I, T, F, F)",
        "first(difference(I, I))",
    ],
)
def test_a_value_that_cannot_be_submitted_is_not_an_output(expression: str) -> None:
    task = Task("made", (Pair(((1,),), ((1,),)),), (((0, 3),), ((4,),)), "made")
    (trial,) = BOARD.trials(task, [program(expression)])
    assert trial.outputs == (None, None)
    assert (trial.failure is Reason.EMPTY) == expression.startswith("first")


def test_a_program_over_budget_fails() -> None:
    (trial,) = BOARD.trials(TASKS[0], [RUNAWAY])
    assert trial.failure is Reason.BUDGET and trial.n_fitted == 0


def test_several_threads_may_ask_for_trials() -> None:
    fresh = TaskBoard(TASKS, device="cpu", n_threads=1)
    programs = [*LIBRARY[:4], LOOK_UP]

    def ask(task: Task) -> list[Trial]:
        return fresh.trials(task, programs)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, [*TASKS, *TASKS]))
    assert found == [BOARD.trials(task, programs) for task in [*TASKS, *TASKS]]


def test_a_trial_is_checked() -> None:
    task = TASKS[0]
    good = BOARD.trials(task, [LOOK_UP])[0]
    with pytest.raises(ValueError, match=r"0 outputs, expected 1, one per test input"):
        Trial(task, LOOK_UP, 1, 0, 0, ())
    for n_fitted in (-1, len(task.demos) + 1):
        with pytest.raises(ValueError, match="demos fitted"):
            Trial(task, LOOK_UP, n_fitted, 0, 0, good.outputs)


# --- values ---


def test_values_are_of_programs_with_a_grid_for_every_sample() -> None:
    task = TRAINING["67a3c6ac"]
    inputs = [*(demo.input for demo in task.demos), *task.test_inputs]
    programs = [
        program("vmirror(I)"),
        program("size(I)"),
        program("canvas(1, (40, 40))"),
        LOOK_UP,  # finds no pair with the test input
        SEEN,
    ]
    found = BOARD.values(task, Batt(programs))
    assert [each for each, _ in found] == [programs[0], SEEN]
    for each, grids in found:
        given = [{"I": grid, "S": pairs_of(task)} for grid in inputs]
        assert grids == tuple(run_alone(each, inputs).outcome for inputs in given)


# --- boards ---


def test_a_part_of_a_board_uses_its_devices() -> None:
    whole = TaskBoard(TASKS, device="cpu", n_threads=1)
    chosen: Sequence[Task] = [TASKS[5], TASKS[2]]
    part = whole.part(chosen)
    assert (part.tasks, part.device, part.n_threads) == (tuple(chosen), "cpu", 1)
    assert len(part) == 2 and part.n_demos.tolist() == [len(task.demos) for task in chosen]
    batt = Batt(LIBRARY[:10])
    some, every = part.screen(batt, held_out=True), whole.screen(batt, held_out=True)
    for name in ("reasons", "n_matches", "hashes", "steps"):
        assert (getattr(some, name) == getattr(every, name)[:, [5, 2]]).all()
    assert whole.part(TASKS) is whole


def test_another_task_with_a_known_id_uses_its_own_demos() -> None:
    other = Task(TASKS[0].id, TASKS[1].demos, TASKS[1].test_inputs, "made")
    (known,), (found,) = (BOARD.trials(task, [SEEN]) for task in (TASKS[1], other))
    assert (found.outputs, found.steps) == (known.outputs, known.steps)
    assert BOARD.trials(TASKS[0], [SEEN])[0].outputs != found.outputs


def test_tasks_need_distinct_ids() -> None:
    with pytest.raises(ValueError, match="two tasks have the same id"):
        TaskBoard([TASKS[0], TASKS[0]])
