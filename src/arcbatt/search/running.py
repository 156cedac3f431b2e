"""Programs and tasks in, who solves which task out: every program on every task.

Programs are fused into batts of up to `PROGRAMS_A_BATT`. In stages, a program is run on a task's
first demo, on the others if it gives the first's output, and on the test inputs if it gives all of
them; in full, on every sample. Scores come from the demos alone: `POINTS_A_DEMO` for each that
matches, and a program solves a task when all do. Of test inputs it is known whether a program gives
an output, never whether that is right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt import measure
from arcbatt.engine.batt import Batt, BattSize
from arcbatt.engine.samples import Samples
from arcbatt.engine.staged import TaskSamples, run_on_tasks
from arcbatt.language import Budget, Program, Reason
from arcbatt.pool import NewTrial
from arcbatt.tasks import Task

from .remembering import ROW, ResultMemory, Rows

PROGRAMS_A_BATT = 2_000
# What a call takes on one sample: a cautious guess, from which the first part of a run is cut. How
# long it takes shows the size of the next.
GUESSED_CALL_S = 5e-6
MAX_FIRST_TASKS = 64
OWN_PREFIX = "solve_"
POINTS_A_DEMO = 1000


@dataclass(frozen=True, slots=True)
class Match:
    """A program that gives the output of some demo of a task.

    `steps` is its cost on the demos that it was run on; `n_test_outputs` how many test inputs it
    gives an output for, None if it was not run on them.
    """

    program: int
    task: int
    n_matched: int
    steps: int
    n_test_outputs: int | None


@dataclass(frozen=True, slots=True)
class RanProgram:
    """A program and how it fared over all tasks.

    `n_failures` counts the samples that it failed on, in stages among first demos and test inputs;
    `steps` is its cost on all demos that it was run on.
    """

    program: Program
    n_matched: int
    n_failures: int
    steps: int

    @property
    def own_task(self) -> str | None:
        """The task that the program's name says it is for."""
        name = self.program.name
        return name.removeprefix(OWN_PREFIX) if name.startswith(OWN_PREFIX) else None


@dataclass(frozen=True)
class RunReport:
    """What came of a run; programs and tasks are named by their places.

    `failures` counts failed samples by reason, `n_runs` all samples of which it is known whether
    they failed: first demos and test inputs in stages, otherwise all. `n_pairs` is how many
    (program, task) were done, which is less than all if the run was stopped; `n_recalled` those of
    them that were known before.
    """

    tasks: tuple[Task, ...]
    programs: tuple[RanProgram, ...]
    matches: tuple[Match, ...]
    failures: Mapping[Reason, int]
    n_runs: int
    n_pairs: int
    n_recalled: int
    n_calls: int
    n_calls_before: int
    staged: bool
    engine_s: float
    ran_on: Mapping[str, int]

    @property
    def is_complete(self) -> bool:
        return self.n_pairs == len(self.programs) * len(self.tasks)

    @property
    def solved(self) -> dict[int, list[Match]]:
        """The tasks that are solved, ascending, with those that solve them, the cheapest first."""
        found: dict[int, list[Match]] = {}
        for match in self.matches:
            if match.n_matched == len(self.tasks[match.task].demos):
                found.setdefault(match.task, []).append(match)
        for matches in found.values():
            matches.sort(key=lambda match: (match.steps, match.program))
        return dict(sorted(found.items()))

    @property
    def solvers(self) -> dict[int, list[Match]]:
        """The programs that solve something with what they solve; who solves most comes first."""
        found: dict[int, list[Match]] = {}
        for matches in self.solved.values():
            for match in matches:
                found.setdefault(match.program, []).append(match)
        order = sorted(found, key=lambda p: (-len(found[p]), self.programs[p].program.name, p))
        return {program: found[program] for program in order}

    def is_own(self, match: Match) -> bool:
        """Whether the task is that of the program's name."""
        return self.programs[match.program].own_task == self.tasks[match.task].id

    @property
    def transfers(self) -> list[Match]:
        """Tasks solved by programs that are not for them, by task, the cheapest first."""
        return [m for matches in self.solved.values() for m in matches if not self.is_own(m)]

    def new_trials(self) -> list[NewTrial]:
        """What a pool keeps of it: every program on every task of which it matches a demo.

        A task that is solved has full partial credit; for others this run knows none.
        """
        scores = []
        for match in self.matches:
            task = self.tasks[match.task]
            digest = self.programs[match.program].program.result.digest
            partial = 1000 if match.n_matched == len(task.demos) else 0
            scores.append(
                NewTrial.of(digest, task, match.n_matched, credit=partial, steps=match.steps)
            )
        return scores

    def to_json(self) -> dict[str, Any]:
        solved, solvers = self.solved, self.solvers
        best: dict[int, int] = {}
        for match in self.matches:
            best[match.task] = max(best.get(match.task, 0), match.n_matched)
        return {
            "tasks": len(self.tasks),
            "solved": len(solved),
            "programs": len(self.programs),
            "calls": self.n_calls,
            "calls_before_sharing": self.n_calls_before,
            "engine_s": self.engine_s,
            "staged": self.staged,
            "complete": self.is_complete,
            "pairs": self.n_pairs,
            "pairs_recalled": self.n_recalled,
            "demos_matched": sum(each.n_matched for each in self.programs),
            "runs": self.n_runs,
            "failures": {reason.words: n for reason, n in self.failures.items()},
            "ran_on": dict(self.ran_on),
            "by_task": [
                {
                    "task": task.id,
                    "demos": len(task.demos),
                    "best_score": POINTS_A_DEMO * best.get(number, 0),
                    "solved_by": [self._match_to_json(match) for match in solved.get(number, ())],
                }
                for number, task in enumerate(self.tasks)
            ],
            "by_program": [
                {
                    "name": each.program.name,
                    "hash": each.program.hash,
                    "calls": each.program.n_calls,
                    "own_task": each.own_task,
                    "solves": [self.tasks[match.task].id for match in solvers.get(number, ())],
                    "demos_matched": each.n_matched,
                    "failures": each.n_failures,
                    "steps": each.steps,
                }
                for number, each in enumerate(self.programs)
            ],
        }

    def _match_to_json(self, match: Match) -> dict[str, Any]:
        program = self.programs[match.program].program
        return {
            "name": program.name,
            "hash": program.hash,
            "own": self.is_own(match),
            "steps": match.steps,
            "test_outputs": match.n_test_outputs,
        }


def run_programs(
    programs: Iterable[Program],
    tasks: Sequence[Task],
    budget: Budget | None = None,
    *,
    staged: bool = True,
    device: str = "auto",
    n_threads: int | None = None,
) -> RunReport:
    """Every program, each once, on every task."""
    run = ProgramRun(tasks, budget, staged=staged, device=device, n_threads=n_threads)
    for batt in run.batts(programs):
        for _ in run.parts(batt):
            pass
    return run.report()


@dataclass(frozen=True)
class _Part:
    """What came of a batt on some tasks. `n_failures` and `steps` are by program of the batt."""

    n_tasks: int
    matches: list[Match]
    n_matched: NDArray[np.int64]
    n_failures: NDArray[np.int64]
    steps: NDArray[np.int64]
    n_by_reason: NDArray[np.int64]  # 0: a value
    engine_s: float
    ran_on: Mapping[str, int]


@dataclass(frozen=True)
class _Batt:
    """A batt of the run, where its programs start among all, and the parts that are done.

    Of the programs at the places `recalled` it is known what they give; `to_run` are the others.
    """

    batt: Batt
    start: int
    size: BattSize
    recalled: NDArray[np.intp]
    known: Rows
    to_run: NDArray[np.intp]
    rest: Batt
    parts: list[_Part] = field(default_factory=list)
    new: list[Rows] = field(default_factory=list)


class ProgramRun:
    """A run that can be watched and stopped between its parts.

    With `part_s`, a part is so many tasks that it takes about so long; otherwise all tasks.
    Whatever happens between parts, `report` tells of all parts that are done.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        budget: Budget | None = None,
        *,
        staged: bool = True,
        device: str = "auto",
        n_threads: int | None = None,
        part_s: float | None = None,
        memory: ResultMemory | None = None,
    ) -> None:
        self.tasks = tuple(tasks)
        self.staged = staged
        self._budget = budget
        self._device = device
        self._n_threads = n_threads
        self._part_s = part_s
        self._memory = memory if staged else None
        self._batts: list[_Batt] = []
        self._seen: set[Program] = set()
        self._tasks: dict[tuple[int, int], _TasksOfPart] = {}

    def batts(self, programs: Iterable[Program]) -> Iterator[_Batt]:
        """Fuses the programs, those that were met before left out, as they come."""
        new = (program for program in programs if self._is_new(program))
        while True:
            with measure.phase("load"):  # where they come from may have to read them
                some = list(islice(new, PROGRAMS_A_BATT))
            if not some:
                return
            recalled, known = self._recall(some)
            with measure.phase("fuse"):
                batt = Batt(some)
                start = sum(len(before.batt.programs) for before in self._batts)
                to_run = np.setdiff1d(np.arange(len(some)), recalled)
                rest = Batt([some[p] for p in to_run]) if len(recalled) else batt
                fused = _Batt(batt, start, batt.size, recalled, known, to_run, rest)
            self._batts.append(fused)
            yield fused

    def _recall(self, programs: Sequence[Program]) -> tuple[NDArray[np.intp], Rows]:
        if self._memory is None:
            return np.zeros(0, np.intp), np.zeros((0, len(self.tasks)), ROW)
        return self._memory.recall(programs)

    def _is_new(self, program: Program) -> bool:
        if program in self._seen:
            return False
        self._seen.add(program)
        return True

    def parts(self, fused: _Batt) -> Iterator[int]:
        """Runs a batt on all tasks; yields after each part how many tasks that were."""
        size = self._first_size(fused)
        start = 0
        while start < len(self.tasks):
            # Parts start at multiples of their size, so that the next batt has the same ones.
            while start % size:
                size //= 2
            end = min(start + size, len(self.tasks))
            began = time.perf_counter()
            part = self._run_part(fused, start, end)
            fused.parts.append(part)
            yield end - start
            start = end
            if self._part_s is not None:
                elapsed_s = time.perf_counter() - began
                if elapsed_s > self._part_s:
                    size = max(size // 2, 1)
                elif elapsed_s < self._part_s / 4:
                    size *= 2
        if self._memory is not None and len(fused.to_run) and self.tasks:
            self._memory.remember(fused.rest.programs, np.concatenate(fused.new, axis=1))

    def _first_size(self, fused: _Batt) -> int:
        """Of all tasks, or those that are guessed to take the time of a part: a power of two."""
        size = 1 << max(len(self.tasks) - 1, 0).bit_length()
        if self._part_s is not None:
            task_s = GUESSED_CALL_S * fused.size.n_calls * (1 if self.staged else 4)
            while size > 1 and (size > MAX_FIRST_TASKS or size * task_s > self._part_s):
                size //= 2
        return size

    def _run_part(self, fused: _Batt, start: int, end: int) -> _Part:
        samples = self._tasks.get((start, end))
        if samples is None:
            with measure.phase("load"):
                samples = self._tasks[start, end] = _TasksOfPart(self.tasks[start:end], start)
        run = self._run_in_stages if self.staged else self._run_in_full
        return run(fused, samples)

    def _run_in_stages(self, fused: _Batt, tasks: _TasksOfPart) -> _Part:
        engine = _Engine()
        rows = np.zeros((len(fused.batt.programs), len(tasks)), ROW)
        rows[fused.recalled] = fused.known[:, tasks.first : tasks.first + len(tasks)]
        if len(fused.to_run):
            with engine.running() as note:
                got = run_on_tasks(
                    fused.rest,
                    tasks.demos,
                    self._budget,
                    device=self._device,
                    n_threads=self._n_threads,
                )
                note(got.ran_on)
            for name, array in (
                ("reason", got.reasons),
                ("n_matches", got.n_matches),
                ("steps", got.steps),
            ):
                rows[name][fused.to_run] = array
            fused.new.append(rows[fused.to_run])
        reasons, n_matches, steps = rows["reason"], rows["n_matches"], rows["steps"]
        with measure.phase("score"):
            matching, columns = np.nonzero(n_matches)
            solved = n_matches == tasks.demos.n_demos
            n_by_reason = np.bincount(reasons.ravel(), minlength=len(Reason) + 1)
            n_failures = np.count_nonzero(reasons, axis=1)
        # Programs by tasks: how many test inputs it gives an output for, -1: not run on them.
        n_outputs: NDArray[np.int64] = np.full(solved.shape, -1, np.int64)
        for t in np.flatnonzero(solved.any(axis=0)).tolist():
            solvers = np.flatnonzero(solved[:, t])
            on_tests = self._run_on_tests(
                [fused.batt.programs[p] for p in solvers], tasks, t, engine
            )
            with measure.phase("score"):
                n_outputs[solvers, t] = np.count_nonzero(on_tests == 0, axis=1)
                n_failures[solvers] += np.count_nonzero(on_tests, axis=1)
                n_by_reason += np.bincount(on_tests.ravel(), minlength=len(Reason) + 1)
        with measure.phase("score"):
            return _Part(
                len(tasks),
                tasks.matches(fused.start, matching, columns, n_matches, steps, n_outputs),
                n_matches.sum(axis=1, dtype=np.int64),
                n_failures,
                steps.sum(axis=1),
                n_by_reason,
                engine.elapsed_s,
                engine.ran_on,
            )

    def _run_on_tests(
        self, programs: Sequence[Program], tasks: _TasksOfPart, task: int, engine: _Engine
    ) -> NDArray[np.uint8]:
        """Reasons of programs by test input of a task: too few of either for a GPU or threads."""
        with measure.phase("fuse"):
            batt = Batt(programs)
            tests = tasks.demos.tests_of([task])
        with engine.running() as note:
            got = batt.run(tests, self._budget, device="cpu", n_threads=1)
            note(got.ran_on)
        return got.reasons

    def _run_in_full(self, fused: _Batt, tasks: _TasksOfPart) -> _Part:
        engine = _Engine()
        with engine.running() as note:
            got = fused.batt.run(
                tasks.all_samples, self._budget, device=self._device, n_threads=self._n_threads
            )
            note(got.ran_on)
        with measure.phase("score"):
            # Samples are laid out as all demos, task by task, then all test inputs likewise.
            n_demos = tasks.demos.n_samples
            demos_from = tasks.demos.starts[:-1].astype(np.int64)
            tests_from = np.cumsum(tasks.n_tests) - tasks.n_tests
            n_matches = np.add.reduceat(got.matches[:, :n_demos].astype(np.int64), demos_from, 1)
            steps = np.add.reduceat(got.steps[:, :n_demos], demos_from, 1)
            has_output = (got.reasons[:, n_demos:] == 0).astype(np.int64)
            n_outputs = np.add.reduceat(has_output, tests_from, 1)
            rows, columns = np.nonzero(n_matches)
            return _Part(
                len(tasks),
                tasks.matches(fused.start, rows, columns, n_matches, steps, n_outputs),
                n_matches.sum(axis=1),
                np.count_nonzero(got.reasons, axis=1),
                steps.sum(axis=1),
                np.bincount(got.reasons.ravel(), minlength=len(Reason) + 1),
                engine.elapsed_s,
                engine.ran_on,
            )

    def report(self) -> RunReport:
        """What is done."""
        with measure.phase("score"):
            return self._report()

    def _report(self) -> RunReport:
        programs: list[RanProgram] = []
        n_by_reason = np.zeros(len(Reason) + 1, np.int64)
        ran_on: dict[str, int] = {}
        n_pairs = n_recalled = 0
        parts = [part for fused in self._batts for part in fused.parts]
        for fused in self._batts:
            zeros = np.zeros(len(fused.batt.programs), np.int64)
            sums = [
                sum((getattr(part, name) for part in fused.parts), zeros).tolist()
                for name in ("n_matched", "n_failures", "steps")
            ]
            programs += map(RanProgram, fused.batt.programs, *sums)
            n_tasks = sum(part.n_tasks for part in fused.parts)
            n_pairs += len(fused.batt.programs) * n_tasks
            n_recalled += len(fused.recalled) * n_tasks
        for part in parts:
            n_by_reason += part.n_by_reason
            for device, n in part.ran_on.items():
                ran_on[device] = ran_on.get(device, 0) + n
        return RunReport(
            tasks=self.tasks,
            programs=tuple(programs),
            matches=tuple(match for part in parts for match in part.matches),
            failures={reason: int(n_by_reason[reason]) for reason in Reason},
            n_runs=int(n_by_reason.sum()),
            n_pairs=n_pairs,
            n_recalled=n_recalled,
            n_calls=sum(fused.size.n_calls for fused in self._batts),
            n_calls_before=sum(fused.size.n_calls_before for fused in self._batts),
            staged=self.staged,
            engine_s=sum(part.engine_s for part in parts),
            ran_on=ran_on,
        )


class _TasksOfPart:
    """Some tasks as samples, and which number the first of them has."""

    def __init__(self, tasks: Sequence[Task], first: int) -> None:
        self.first = first
        self.demos = TaskSamples(tasks)
        self.n_tests: NDArray[np.int64] = np.array([len(t.test_inputs) for t in tasks], np.int64)
        self._all: Samples | None = None

    def __len__(self) -> int:
        return len(self.demos)

    @property
    def all_samples(self) -> Samples:
        """All demos, task by task, then all test inputs likewise; these have no target."""
        if self._all is None:
            tasks, pairs = self.demos.tasks, self.demos.pairs
            demos = [
                (demo, seen) for task, seen in zip(tasks, pairs, strict=True) for demo in task.demos
            ]
            tests = [
                (i, seen) for task, seen in zip(tasks, pairs, strict=True) for i in task.test_inputs
            ]
            self._all = Samples(
                [*(demo.input for demo, _ in demos), *(grid for grid, _ in tests)],
                [*(demo.output for demo, _ in demos), *([None] * len(tests))],
                [*(seen for _, seen in demos), *(seen for _, seen in tests)],
            )
        return self._all

    def matches(
        self,
        first_program: int,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        n_matches: NDArray[Any],
        steps: NDArray[np.int64],
        n_outputs: NDArray[np.int64],
    ) -> list[Match]:
        """The matches of cells [program, task], numbered as in the whole run."""
        return [
            Match(program, task, n_matched, cost, None if n_fine < 0 else n_fine)
            for program, task, n_matched, cost, n_fine in zip(
                (rows + first_program).tolist(),
                (columns + self.first).tolist(),
                n_matches[rows, columns].tolist(),
                steps[rows, columns].tolist(),
                n_outputs[rows, columns].tolist(),
                strict=True,
            )
        ]


class _Engine:
    """The time inside the engine, and what ran where."""

    def __init__(self) -> None:
        self.elapsed_s = 0.0
        self.ran_on: dict[str, int] = {}

    @contextmanager
    def running(self) -> Iterator[Callable[[Mapping[str, int]], None]]:
        """Counts the time of one run; gives what is told where it ran.

        If that is not the CPU alone, the time is recorded beside the main timeline too, under the
        names of all devices that took part.
        """
        devices: list[str] = []

        def note(ran_on: Mapping[str, int]) -> None:
            for device, n in ran_on.items():
                self.ran_on[device] = self.ran_on.get(device, 0) + n
                devices.append(device)

        with measure.phase("run"):
            began = time.perf_counter()
            try:
                yield note
            finally:
                elapsed_s = time.perf_counter() - began
                self.elapsed_s += elapsed_s
        if devices and devices != ["cpu"]:
            measure.record(" and ".join(devices), "run", elapsed_s)
