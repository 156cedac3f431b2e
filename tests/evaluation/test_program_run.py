"""Every program on every task, compared with single runs; cached results."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import SEARCH_BUDGET, ResultCache, TaskBoard, program_run, result_cache
from arcbatt.evaluation.program_run import ProgramResult, ProgramRun
from arcbatt.evaluation.result_cache import ROW
from arcbatt.language import Budget, Failure, Program, Reason, parse_program
from arcbatt.language import interpret as run_alone
from arcbatt.measure import Clock
from arcbatt.pool import Cache, Pool, PoolError
from arcbatt.pool import cache as pool_cache
from arcbatt.tasks import Pair, Task, load
from bench.random_programs import random_program
from tests.conftest import LIBRARY

GRID = ((1, 2), (3, 4))
# The second demo of `half` is not a mirror image, and the test input of `empty` has no object.
MIRROR = Task("mirror", (Pair(((1, 2),), ((2, 1),)), Pair(((3, 4),), ((4, 3),))), (GRID,), "made")
HALF = Task("half", (Pair(((1, 2),), ((2, 1),)), Pair(((1, 1),), ((5, 5),))), (GRID,), "made")
EMPTY = Task("empty", (Pair(((0, 3),), ((0, 3),)),), (((0, 0),), ((0, 7),)), "made")


def program(name: str, expression: str) -> Program:
    return parse_program(f"def {name}(I):\n    return {expression}\n")


FLIP = program("solve_mirror", "vmirror(I)")
FLIP_TWICE = program("solve_half", "vmirror(vmirror(vmirror(I)))")
PAINT = program("solve_empty", "paint(I, first(objects(I, T, F, T)))")
FAIL = program("anything", "first(difference(I, I))")
MADE = (MIRROR, HALF, EMPTY)
PROGRAMS = (FLIP, FLIP_TWICE, PAINT, FAIL)


def run_all(
    programs: Sequence[Program],
    tasks: Sequence[Task],
    *,
    staged: bool = True,
    cache: ResultCache | None = None,
) -> ProgramRun:
    run = ProgramRun(TaskBoard(tasks, device="cpu"), staged=staged, cache=cache)
    assert sum(run.batts(programs)) == len(run.programs)
    return run


@pytest.fixture(params=[True, False], ids=["staged", "full"])
def report(request: pytest.FixtureRequest) -> ProgramRun:
    return run_all(PROGRAMS, MADE, staged=request.param)


def names(results: Iterable[ProgramResult]) -> list[str]:
    return [result.program.name for result in results]


def test_which_program_fits_which_task(report: ProgramRun) -> None:
    fitted = {task: names(result for result, _ in fits) for task, fits in report.fitted.items()}
    # The cheapest program comes first.
    assert fitted == {"mirror": ["solve_mirror", "solve_half"], "empty": ["solve_empty"]}
    by_program = {each.program.name: [t.task.id for t in each.fitted] for each in report.fitting}
    assert by_program == {
        "solve_empty": ["empty"],
        "solve_half": ["mirror"],
        "solve_mirror": ["mirror"],
    }
    assert {task: names(results) for task, results in report.transfers.items()} == {
        "mirror": ["solve_half"]
    }
    assert [result.is_own(trial) for result, trial in report.fitted["mirror"]] == [True, False]
    assert [ran.n_fitted for ran in report.programs] == [3, 3, 1, 0]
    assert [ran.own_tasks for ran in report.programs] == [["mirror"], ["half"], ["empty"], []]


def test_fitting_programs_are_run_on_test_inputs(report: ProgramRun) -> None:
    ((_, paint),) = report.fitted["empty"]
    assert paint.outputs == (None, ((0, 7),))  # the first test input has no object
    assert all(trial.n_outputs == 1 for _, trial in report.fitted["mirror"])
    _, half = report.programs[0].trials
    assert (half.task, half.n_fitted, half.n_outputs) == (HALF, 1, 0)


def test_failures_on_first_demos_are_counted_by_reason(report: ProgramRun) -> None:
    # FAIL fails on all three; PAINT has an object on each of them.
    assert report.n_pairs == 4 * 3
    assert [ran.n_failures for ran in report.programs] == [0, 0, 0, 3]
    assert report.failures == {reason: 3 if reason is Reason.EMPTY else 0 for reason in Reason}


def test_rows_are_of_the_demos_only(report: ProgramRun) -> None:
    trials = {(s.program, s.task_name): s for s in report.to_rows()}
    assert set(trials) == {
        (FLIP.result.digest, "mirror"),
        (FLIP.result.digest, "half"),
        (FLIP_TWICE.result.digest, "mirror"),
        (FLIP_TWICE.result.digest, "half"),
        (PAINT.result.digest, "empty"),
    }
    whole, part = trials[FLIP.result.digest, "mirror"], trials[FLIP.result.digest, "half"]
    assert (whole.n_fitted, whole.n_demos, whole.credit) == (2, 2, 1000)
    assert (part.n_fitted, part.n_demos, part.credit) == (1, 2, 0)
    assert whole.steps == sum(
        run_alone(FLIP, {"I": demo.input, "S": ()}).steps for demo in MIRROR.demos
    )
    with Pool.in_memory() as pool:
        assert pool.record_trials(report.to_rows(), only_better=True) == 0  # none is in it


def test_json(report: ProgramRun) -> None:
    content = report.to_json()
    assert (content["tasks"], content["fitted"], content["programs"]) == (3, 2, 4)
    assert content["calls"] < content["calls_before_sharing"]
    assert (content["pairs"], content["pairs_recalled"]) == (12, 0)
    assert content["demos_fitted"] == 7
    by_task = {each["task"]: each for each in content["by_task"]}
    assert [each["name"] for each in by_task["mirror"]["fitted_by"]] == [
        "solve_mirror",
        "solve_half",
    ]
    assert [each["own"] for each in by_task["mirror"]["fitted_by"]] == [True, False]
    assert by_task["half"] == {"task": "half", "demos": 2, "best_fitted": 1, "fitted_by": []}
    assert content["by_program"][2]["fits"] == ["empty"]
    assert content["by_program"][0]["hash"] == FLIP.hash


def test_a_program_is_run_once_and_keeps_all_its_names() -> None:
    again = Program(FLIP.result, "another_name")
    report = run_all([FLIP, again, FLIP], [MIRROR])
    (ran,) = report.programs
    assert ran.program.name == "solve_mirror" and report.n_same == 2
    assert ran.names == ["solve_mirror", "another_name"]


@pytest.mark.parametrize("first", [0, 1])
def test_a_program_with_two_names_belongs_to_both_tasks(
    monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(program_run, "FIRST_BATT", 1)  # its other name is met when it has been run
    other = replace(MIRROR, id="other")
    named = [FLIP, Program(FLIP.result, "solve_other")]
    report = run_all([named[first], FAIL, named[1 - first]], [MIRROR, other])
    assert report.transfers == {} and len(report.fitted) == 2
    assert set(report.programs[0].own_tasks) == {"mirror", "other"}
    content = report.to_json()
    assert content["same_programs"] == 1
    assert set(content["by_program"][0]["names"]) == {"solve_mirror", "solve_other"}
    assert all(row["fitted_by"][0]["own"] for row in content["by_task"])


@pytest.mark.slow
def test_the_library_agrees_with_the_reference() -> None:
    tasks = load("arc-agi-1/training")[:12]
    named = {f"solve_{task.id}" for task in tasks}
    programs = [each for k, each in enumerate(LIBRARY) if each.name in named or k % 20 == 0]
    programs += [random_program(seed, 6) for seed in range(25)]
    report = run_all(programs, tasks, staged=False)
    trials = {(t.program, t.task.id): t for each in report.programs for t in each.trials}
    n_failures = dict.fromkeys(Reason, 0)
    for each in programs:
        for task in tasks:
            pairs = tuple((demo.input, demo.output) for demo in task.demos)
            got = [run_alone(each, {"I": d.input, "S": pairs}, SEARCH_BUDGET) for d in task.demos]
            n_fitted = sum(r.outcome == d.output for r, d in zip(got, task.demos, strict=True))
            first = got[0].outcome
            if isinstance(first, Failure):
                n_failures[first.reason] += 1
            n_outputs = 0
            if n_fitted == len(task.demos):
                tests = [
                    run_alone(each, {"I": grid, "S": pairs}, SEARCH_BUDGET)
                    for grid in task.test_inputs
                ]
                n_outputs = sum(not isinstance(r.outcome, Failure) for r in tests)
            steps = sum(r.steps for r in got)
            trial = trials.get((each, task.id))
            assert (trial is not None) == (n_fitted > 0)
            if trial is not None:
                assert (trial.n_fitted, trial.steps, trial.n_outputs) == (
                    n_fitted,
                    steps,
                    n_outputs,
                )
    assert report.failures == n_failures
    assert report.fitted
    staged = run_all(programs, tasks)
    assert [each.fitted for each in staged.programs] == [each.fitted for each in report.programs]


@pytest.mark.slow
@pytest.mark.parametrize("staged", [True, False])
def test_the_size_of_batts_does_not_matter(staged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = load("arc-agi-1/training")[:21]
    whole = run_all(LIBRARY, tasks, staged=staged)
    monkeypatch.setattr(program_run, "FIRST_BATT", 16)
    monkeypatch.setattr(program_run, "BATT_S", 0.0)  # every one takes too long
    run = ProgramRun(TaskBoard(tasks, device="cpu"), staged=staged)
    sizes = list(run.batts(LIBRARY))
    assert sizes[:6] == [16, 8, 4, 2, 1, 1] and sum(sizes) == len(LIBRARY)
    assert (run.programs, run.failures) == (whole.programs, whole.failures)


def test_batts_grow_while_they_are_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_run, "BATT_S", 1e9)
    monkeypatch.setattr(program_run, "FIRST_BATT", 2)
    monkeypatch.setattr(program_run, "MAX_BATT", 8)
    run = ProgramRun(TaskBoard(MADE, device="cpu"))
    assert list(run.batts(LIBRARY[:25])) == [2, 4, 8, 8, 3]


def test_a_run_can_be_stopped_between_batts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_run, "FIRST_BATT", 5)
    run = ProgramRun(TaskBoard(load("arc-agi-1/training")[:20], device="cpu"))
    for _ in run.batts(LIBRARY):
        break
    assert run.n_pairs == 5 * 20
    assert [ran.program for ran in run.programs] == LIBRARY[:5]


def test_an_interrupted_batt_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    board = TaskBoard(MADE, device="cpu")
    run = ProgramRun(board)
    assert list(run.batts([FAIL, FLIP_TWICE])) == [2]
    before = without_engine(run)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(board, "test_outputs", interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(run.batts([FLIP, PAINT, program("fails", "last(difference(I, I))")]))
    assert without_engine(run) == before


@pytest.mark.parametrize("staged", [True, False])
def test_nothing_to_run(staged: bool) -> None:
    report = run_all([], MADE, staged=staged)
    assert not report.fitted and report.to_json()["programs"] == 0
    report = run_all([FLIP], [], staged=staged)
    assert report.n_pairs == 0 and report.to_json()["tasks"] == 0


def note_screened(
    monkeypatch: pytest.MonkeyPatch, ran_on: dict[str, int] | None = None
) -> list[Program]:
    """Record the programs that boards screen from now on, and report other devices for them."""
    screened: list[Program] = []
    real = TaskBoard.screen

    def noting(self: TaskBoard, batt: Batt, **options: Any) -> TaskResult:
        screened.extend(batt.programs)
        result = real(self, batt, **options)
        return result if ran_on is None else replace(result, ran_on=ran_on)

    monkeypatch.setattr(TaskBoard, "screen", noting)
    return screened


def test_the_time_of_other_devices_is_recorded_separately(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note_screened(monkeypatch, {"cuda:0": 12})
    clock = Clock()
    with clock.active():
        report = run_all([FAIL], MADE)
    assert report.ran_on == {"cuda:0": 12}
    main, gpu = clock.report().timelines
    assert gpu.name == "cuda:0" and [each.name for each in gpu.phases] == ["run"]
    assert {"load", "fuse", "run", "score"} <= {each.name for each in main.phases}
    assert sum(each.ns for each in main.phases) == main.wall_ns


# --- cached results ---


def without_engine(run: ProgramRun) -> dict[str, Any]:
    return run.to_json() | {"pairs_recalled": 0, "engine_s": 0, "ran_on": {}}


@pytest.mark.parametrize("n_known", [0, 1, 3, len(PROGRAMS)])
def test_cached_programs_are_not_run_again(n_known: int, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = run_all(PROGRAMS, MADE)
    screened = note_screened(monkeypatch)
    with Pool.in_memory() as pool:
        cache = ResultCache(pool.results, MADE)
        known = PROGRAMS[::-1][:n_known]
        run_all(known, MADE, cache=cache)
        screened.clear()
        again = run_all(PROGRAMS, MADE, cache=cache)
        assert set(screened) == set(PROGRAMS) - set(known)
        assert again.n_recalled == n_known * len(MADE)
        assert again.to_json()["pairs_recalled"] == again.n_recalled
        assert without_engine(again) == without_engine(wanted)
        # Now all are cached.
        screened.clear()
        assert without_engine(run_all(PROGRAMS, MADE, cache=cache)) == without_engine(wanted)
        assert not screened
        assert pool.results.use.n_hits == n_known + len(PROGRAMS)


def n_known_by(pool: Pool, tasks: Sequence[Task] = MADE) -> int:
    places, rows = ResultCache(pool.results, tasks).recall(PROGRAMS)
    assert rows.shape == (len(places), len(tasks))
    return len(places)


def test_results_are_cached_by_tasks_budget_and_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pool.db"
    with Pool.open(path) as pool:
        run_all(PROGRAMS, MADE, cache=ResultCache(pool.results, MADE))
        assert n_known_by(pool) == len(PROGRAMS)
        assert n_known_by(pool, MADE[::-1]) == n_known_by(pool, MADE[:2]) == 0
        with monkeypatch.context() as changed:
            changed.setattr(result_cache, "SEARCH_BUDGET", Budget(steps=20_000, bytes=2**20))
            assert n_known_by(pool) == 0
    for version in ("engine_version", "language_version"):
        with monkeypatch.context() as changed, Pool.open(path) as pool:
            changed.setattr(pool_cache, version, lambda: "another")
            assert n_known_by(pool) == 0
    with Pool.open(path) as pool:
        assert n_known_by(pool) == len(PROGRAMS)


WHOLE = bytes(len(MADE) * ROW.itemsize)


def packed(reason: int = 0, n_fitted: int = 0, steps: int = 0) -> bytes:
    """Return a cached value with these numbers for the last task."""
    rows = np.zeros(len(MADE), ROW)
    rows[-1] = (reason, n_fitted, steps)
    return zlib.compress(rows.tobytes())


DAMAGED: dict[str, object] = {
    "nothing": b"",
    "not compressed": WHOLE,
    "compressed nothing": zlib.compress(b""),
    "too short": zlib.compress(WHOLE[:-1]),
    "too long": zlib.compress(WHOLE + b"\0"),
    "far too long": zlib.compress(bytes(50_000_000)),
    "cut off": zlib.compress(WHOLE)[:6],
    "no reason": packed(reason=max(Reason) + 1),
    "more demos than there are": packed(n_fitted=len(MADE[-1].demos) + 1),
    "negative cost": packed(steps=-1),
    "text": "text",
    "number": 7,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_results_are_ignored(name: str) -> None:
    wanted = run_all(PROGRAMS, MADE)
    with Pool.in_memory() as pool:
        cache = ResultCache(pool.results, MADE)
        run_all(PROGRAMS, MADE, cache=cache)
        pool.store.connection.execute(
            "UPDATE cache SET value = ? WHERE program = ?",
            (DAMAGED[name], FLIP.result.digest),
        )
        again = run_all(PROGRAMS, MADE, cache=cache)
        assert again.n_recalled == (len(PROGRAMS) - 1) * len(MADE)
        assert without_engine(again) == without_engine(wanted)
        # It was written again.
        assert n_known_by(pool) == len(PROGRAMS)


def test_a_pool_that_cannot_be_written_to_is_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise PoolError("mine.db: the disk is full")

    monkeypatch.setattr(Cache, "put", refuse)
    with Pool.in_memory() as pool:
        cache = ResultCache(pool.results, MADE)
        with pytest.warns(RuntimeWarning, match=r"not cached: mine\.db: the disk is full"):
            report = run_all(PROGRAMS, MADE, cache=cache)
    assert report.n_pairs == len(PROGRAMS) * len(MADE)


def test_a_full_run_does_not_use_the_cache() -> None:
    with Pool.in_memory() as pool:
        cache = ResultCache(pool.results, MADE)
        run_all(PROGRAMS, MADE, staged=False, cache=cache)
        assert n_known_by(pool) == 0
        run_all(PROGRAMS, MADE, cache=cache)
        assert run_all(PROGRAMS, MADE, staged=False, cache=cache).n_recalled == 0
