"""Every program on every task: what is solved, matched and failed, against runs one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from arcbatt.engine.batt import Batt
from arcbatt.language import Budget, Failure, Program, Reason, parse_program
from arcbatt.language import run as run_alone
from arcbatt.language.random_programs import random_program
from arcbatt.library import library_programs
from arcbatt.measure import Clock
from arcbatt.pool import Cache, Pool, PoolError
from arcbatt.search import running
from arcbatt.search.remembering import ResultMemory
from arcbatt.search.running import Match, ProgramRun, RunReport, run_programs
from arcbatt.tasks import Pair, Task, load

SMALL = Budget(steps=20_000, bytes=2**20)

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


@pytest.fixture(params=[True, False], ids=["staged", "full"])
def report(request: pytest.FixtureRequest) -> RunReport:
    return run_programs(PROGRAMS, MADE, staged=request.param, device="cpu")


def test_who_solves_what(report: RunReport) -> None:
    solved = {MADE[t].id: [m.program for m in found] for t, found in report.solved.items()}
    assert solved == {"mirror": [0, 1], "empty": [2]}  # the cheaper one first
    assert {p: [m.task for m in found] for p, found in report.solvers.items()} == {
        2: [2],
        1: [0],
        0: [0],
    }
    assert [(m.program, m.task) for m in report.transfers] == [(1, 0)]
    assert report.is_own(report.solved[0][0]) and not report.is_own(report.solved[0][1])
    assert [ran.n_matched for ran in report.programs] == [3, 3, 1, 0]
    assert [ran.own_task for ran in report.programs] == ["mirror", "half", "empty", None]


def test_test_inputs_are_run_and_not_judged(report: RunReport) -> None:
    (paint,) = report.solved[2]
    assert paint.n_test_outputs == 1  # of two: the first has no object
    assert all(match.n_test_outputs == 1 for match in report.solved[0])
    (half,) = [m for m in report.matches if (m.program, m.task) == (0, 1)]
    assert half.n_matched == 1 and half.n_test_outputs == (None if report.staged else 1)


def test_failures_are_counted_by_reason(report: RunReport) -> None:
    # In stages FAIL fails on three first demos and PAINT on a test input; in full FAIL on all nine
    # samples, and PAINT on another that has no object, the second demo of `half`.
    if report.staged:
        assert report.n_runs == 4 * 3 + 2 * 1 + 2
        assert sum(report.failures.values()) == 3 + 1
        assert [ran.n_failures for ran in report.programs] == [0, 0, 1, 3]
    else:
        assert report.n_runs == 4 * 9
        assert sum(report.failures.values()) == 9 + 2
        assert [ran.n_failures for ran in report.programs] == [0, 0, 2, 9]
    assert report.failures[Reason.EMPTY] == sum(report.failures.values())


def test_scores_are_those_of_the_demos_alone(report: RunReport) -> None:
    scores = {(s.program, s.task_name): s for s in report.new_trials()}
    assert set(scores) == {
        (FLIP.result.digest, "mirror"),
        (FLIP.result.digest, "half"),
        (FLIP_TWICE.result.digest, "mirror"),
        (FLIP_TWICE.result.digest, "half"),
        (PAINT.result.digest, "empty"),
    }
    whole, part = scores[FLIP.result.digest, "mirror"], scores[FLIP.result.digest, "half"]
    assert (whole.n_fitted, whole.n_demos, whole.credit) == (2, 2, 1000)
    assert (part.n_fitted, part.n_demos, part.credit) == (1, 2, 0)
    assert whole.steps == sum(
        run_alone(FLIP, {"I": demo.input, "S": ()}).steps for demo in MIRROR.demos
    )
    with Pool.in_memory() as pool:
        assert pool.record_trials(report.new_trials(), only_better=True) == 0  # none is in it


def test_json(report: RunReport) -> None:
    content = report.to_json()
    assert (content["tasks"], content["solved"], content["programs"]) == (3, 2, 4)
    assert content["calls"] < content["calls_before_sharing"]
    assert content["complete"] and content["pairs"] == 12
    by_task = {each["task"]: each for each in content["by_task"]}
    assert [each["name"] for each in by_task["mirror"]["solved_by"]] == [
        "solve_mirror",
        "solve_half",
    ]
    assert [each["own"] for each in by_task["mirror"]["solved_by"]] == [True, False]
    assert by_task["half"] == {"task": "half", "demos": 2, "best_score": 1000, "solved_by": []}
    assert content["by_program"][2]["solves"] == ["empty"]
    assert content["by_program"][0]["hash"] == FLIP.hash


def test_a_program_is_run_once_under_its_first_name() -> None:
    again = Program(FLIP.result, "another_name")
    report = run_programs([FLIP, again, FLIP], [MIRROR], device="cpu")
    assert [ran.program.name for ran in report.programs] == ["solve_mirror"]


def test_the_library_as_the_reference_has_it() -> None:
    tasks = load("arc-agi-1/training")[:12]
    programs = [each.program for each in library_programs()[:25]]
    programs += [random_program(seed, 6) for seed in range(25)]
    report = run_programs(programs, tasks, SMALL, staged=False, device="cpu")
    matches = {(m.program, m.task): m for m in report.matches}
    n_failures = dict.fromkeys(Reason, 0)
    for p, each in enumerate(programs):
        for t, task in enumerate(tasks):
            pairs = tuple((demo.input, demo.output) for demo in task.demos)
            got = [run_alone(each, {"I": d.input, "S": pairs}, SMALL) for d in task.demos]
            tests = [run_alone(each, {"I": i, "S": pairs}, SMALL) for i in task.test_inputs]
            n_matched = sum(r.outcome == d.output for r, d in zip(got, task.demos, strict=True))
            n_outputs = sum(not isinstance(r.outcome, Failure) for r in tests)
            for r in (*got, *tests):
                if isinstance(r.outcome, Failure):
                    n_failures[r.outcome.reason] += 1
            steps = sum(r.steps for r in got)
            wanted = Match(p, t, n_matched, steps, n_outputs) if n_matched else None
            assert matches.get((p, t)) == wanted
    assert report.failures == n_failures
    staged = run_programs(programs, tasks, SMALL, device="cpu")
    assert staged.solved == report.solved


@pytest.mark.parametrize("staged", [True, False])
def test_neither_parts_nor_batts_matter(staged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = load("arc-agi-1/training")[:21]
    programs = [each.program for each in library_programs()]
    whole = run_programs(programs, tasks, SMALL, staged=staged, device="cpu")
    monkeypatch.setattr(running, "PROGRAMS_A_BATT", 30)
    run = ProgramRun(tasks, SMALL, staged=staged, device="cpu", part_s=1e-9)
    sizes = [[*run.parts(batt)] for batt in run.batts(programs)]
    assert sizes == [[1] * 21] * 3
    cut = run.report()
    assert sorted(cut.matches, key=lambda m: (m.program, m.task)) == sorted(
        whole.matches, key=lambda m: (m.program, m.task)
    )
    assert (cut.programs, cut.failures, cut.solved) == (
        whole.programs,
        whole.failures,
        whole.solved,
    )
    assert cut.is_complete and cut.n_pairs == whole.n_pairs


def test_parts_grow_while_they_take_less_than_wanted() -> None:
    tasks = load("arc-agi-1/training")[:200]
    run = ProgramRun(tasks, device="cpu", part_s=1e9)
    (batt,) = run.batts([FLIP])
    assert list(run.parts(batt)) == [64, 64, 72]


def test_a_run_can_be_stopped_between_parts() -> None:
    tasks = load("arc-agi-1/training")[:20]
    run = ProgramRun(tasks, SMALL, device="cpu", part_s=1e-9)
    for batt in run.batts([each.program for each in library_programs()]):
        for n_done, _ in enumerate(run.parts(batt), 1):
            if n_done == 5:
                break
    report = run.report()
    assert report.n_pairs == 5 * len(report.programs) and not report.is_complete
    assert {match.task for match in report.matches} <= set(range(5))
    assert not report.to_json()["complete"]


def run_with(memory: ResultMemory | None, programs: Sequence[Program]) -> RunReport:
    run = ProgramRun(MADE, device="cpu", memory=memory)
    for batt in run.batts(programs):
        for _ in run.parts(batt):
            pass
    return run.report()


def without_engine(report: RunReport) -> RunReport:
    return replace(report, n_recalled=0, engine_s=0, ran_on={})


@pytest.mark.parametrize("n_known", [0, 1, 3, len(PROGRAMS)])
def test_what_is_known_is_not_run_again(n_known: int, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = run_with(None, PROGRAMS)
    ran: list[Program] = []
    real = running.run_on_tasks

    def noting(batt: Batt, *args: object, **kwargs: object) -> object:
        ran.extend(batt.programs)
        return real(batt, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "run_on_tasks", noting)
    with Pool.in_memory() as pool:
        memory = ResultMemory(pool.results, MADE, None)
        known = PROGRAMS[::-1][:n_known]
        run_with(memory, known)
        ran.clear()
        again = run_with(memory, PROGRAMS)
        assert set(ran) == set(PROGRAMS) - set(known)
        assert again.n_recalled == n_known * len(MADE)
        assert again.to_json()["pairs_recalled"] == again.n_recalled
        assert without_engine(again) == without_engine(wanted)
        # Now all are known.
        ran.clear()
        assert without_engine(run_with(memory, PROGRAMS)) == without_engine(wanted)
        assert not ran
        assert pool.results.use.n_hits == n_known + len(PROGRAMS)


def test_a_memory_is_of_its_tasks_its_budget_and_the_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Pool.in_memory() as pool:
        run_with(ResultMemory(pool.results, MADE, None), PROGRAMS)
        for tasks, budget in ((MADE[::-1], None), (MADE[:2], None), (MADE, SMALL)):
            places, rows = ResultMemory(pool.results, tasks, budget).recall(PROGRAMS)
            assert len(places) == 0 and rows.shape == (0, len(tasks))
        places, rows = ResultMemory(pool.results, MADE, Budget()).recall(PROGRAMS)
        assert places.tolist() == [0, 1, 2, 3] and rows.shape == (4, 3)
        monkeypatch.setattr(pool.results, "_versions", "another")
        assert not len(ResultMemory(pool.results, MADE, None).recall(PROGRAMS)[0])


def test_a_pool_that_cannot_be_written_to_is_said_and_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise PoolError("mine.db: the disk is full")

    monkeypatch.setattr(Cache, "put", refuse)
    with Pool.in_memory() as pool:
        memory = ResultMemory(pool.results, MADE, None)
        with pytest.warns(RuntimeWarning, match=r"not remembered: mine\.db: the disk is full"):
            report = run_with(memory, PROGRAMS)
    assert report.is_complete


def test_a_run_that_was_stopped_or_is_in_full_remembers_nothing() -> None:
    with Pool.in_memory() as pool:
        memory = ResultMemory(pool.results, MADE, None)
        run = ProgramRun(MADE, device="cpu", part_s=1e-9, memory=memory)
        (batt,) = run.batts(PROGRAMS)
        next(run.parts(batt))
        full = ProgramRun(MADE, device="cpu", staged=False, memory=memory)
        (batt,) = full.batts(PROGRAMS)
        assert sum(full.parts(batt)) == len(MADE)
        assert len(memory.recall(PROGRAMS)[0]) == 0


@pytest.mark.parametrize("staged", [True, False])
def test_nothing_to_run(staged: bool) -> None:
    report = run_programs([], MADE, staged=staged)
    assert report.is_complete and not report.solved and report.to_json()["programs"] == 0
    report = run_programs([FLIP], [], staged=staged)
    assert report.is_complete and report.to_json()["tasks"] == 0


def test_the_engine_time_of_other_devices_is_recorded_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = running.run_on_tasks

    def on_gpu(*args: object, **kwargs: object) -> object:
        got = real(*args, **kwargs)  # type: ignore[arg-type]
        object.__setattr__(got, "ran_on", {"cuda:0": 12})
        return got

    monkeypatch.setattr(running, "run_on_tasks", on_gpu)
    clock = Clock()
    with clock.active():
        report = run_programs([FAIL], MADE)
    assert report.ran_on == {"cuda:0": 12}
    main, gpu = clock.report().timelines
    assert gpu.name == "cuda:0" and [each.name for each in gpu.phases] == ["run"]
    assert {"load", "fuse", "run", "score"} <= {each.name for each in main.phases}
    assert sum(each.ns for each in main.phases) == main.wall_ns
