"""Runs of programs on the demos of tasks.

In stages, a program that fails on a task's first demo, or misses its output, is not run on the
others; few programs fit the first demo of a task that they do not solve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine, profiler
from arcbatt.engine.batt import Batt, Choice, choose_devices, run_on_devices
from arcbatt.engine.cpu import run as cpu_run
from arcbatt.engine.cpu.definitions import DEFINITIONS, run_defined
from arcbatt.engine.cpu.run import RunRequest
from arcbatt.engine.graph.results import RunArrays
from arcbatt.engine.graph.samples import Grid, Samples
from arcbatt.language import Budget, Program, to_budget
from arcbatt.measure import check_threads, usable_cores
from arcbatt.plurals import count
from arcbatt.tasks import Task
from arcbatt.tasks.validation import check_number


class TaskSamples:
    """The demos of tasks as samples, task after task."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tuple(tasks)
        for task in self.tasks:
            check_number(len(task.demos), "demo", f"task {task.id}")
        self.n_demos = np.array([len(task.demos) for task in self.tasks], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.n_demos)]).astype(np.uint32)
        self.demos = self.demos_of(range(len(self.tasks)))

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def n_samples(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def first_demos(self) -> Samples:
        """The first demo of each task."""
        return self.demos_of(range(len(self.tasks)), 0, 1)

    @cached_property
    def pairs(self) -> list[tuple[tuple[Grid, Grid], ...]]:
        """The demos of each task as programs see them in `S`."""
        return [tuple((d.input, d.output) for d in task.demos) for task in self.tasks]

    def demos_of(self, tasks: Sequence[int], first: int = 0, end: int | None = None) -> Samples:
        """Return a range of the demos of each of some tasks."""
        chosen = [(t, demo) for t in tasks for demo in self.tasks[t].demos[first:end]]
        return Samples(
            [demo.input for _, demo in chosen],
            [demo.output for _, demo in chosen],
            [self.pairs[t] for t, _ in chosen],
        )


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Results of programs on the demos of tasks, as arrays [program, task]."""

    arrays: RunArrays
    n_demos: NDArray[np.int64]
    ran_on: Mapping[str, int]

    @property
    def reasons(self) -> NDArray[np.uint8]:
        """The reasons on the first demo; `NOT_RUN` if a program was not tried."""
        return self.arrays.reasons

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The content hashes on the first demo."""
        return self.arrays.hashes

    @property
    def n_matches(self) -> NDArray[np.uint8]:
        """The number of demos whose output a program returns."""
        return self.arrays.matches

    @property
    def steps(self) -> NDArray[np.int64]:
        """The cost on all demos that a program was run on."""
        return self.arrays.steps

    @property
    def numbers(self) -> NDArray[np.int32]:
        """The sum of the numbers that values are or start with."""
        return self.arrays.numbers

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Whether all demos match."""
        all_match: NDArray[np.bool_] = self.n_matches == self.n_demos
        return all_match

    def __repr__(self) -> str:
        n_programs, n_tasks = self.reasons.shape
        size = f"{count(n_programs, 'program')} on {count(n_tasks, 'task')}"
        return f"<TaskResult of {size}: {count(int(self.solved.sum()), 'fit')}>"

    @classmethod
    def of_failures(cls, n_programs: int, n_demos: NDArray[np.int64], reason: int) -> TaskResult:
        """Return a result in which every program failed on every task for one reason."""
        arrays = _new_arrays(n_programs, len(n_demos))
        arrays.reasons.fill(reason)
        return cls(arrays, n_demos, {})

    def put(self, programs: NDArray[np.intp], tasks: NDArray[np.intp], some: TaskResult) -> None:
        """Put the results of some programs on some tasks, given by their places."""
        cells = np.ix_(programs, tasks)
        for name in RunArrays._fields:
            getattr(self.arrays, name)[cells] = getattr(some.arrays, name)

    def fail(self, programs: NDArray[np.intp], reason: int) -> None:
        """Make some programs fail on all tasks for one reason."""
        for array in self.arrays:
            array[programs] = 0
        self.arrays.reasons[programs] = reason

    def among(self, ran: NDArray[np.bool_], reason: int) -> TaskResult:
        """Return results of more programs: these where `ran`, failures for one reason elsewhere."""
        all_rows = TaskResult.of_failures(len(ran), self.n_demos, reason)
        all_rows.arrays.set_rows(ran, self.arrays)
        return replace(all_rows, ran_on=self.ran_on)


def run_on_tasks(
    batt: Batt,
    samples: TaskSamples,
    budget: Budget | None = None,
    *,
    only: Sequence[int] | NDArray[np.int32] | None = None,
    staged: bool = True,
    device: str = "auto",
    n_threads: int | None = None,
) -> TaskResult:
    """Run every program on the demos of every task.

    `only[p]` is the one task that program p is run on, always with all demos; -1 stands for all
    tasks. Unless the run is staged, every program is run on all demos.
    """
    check_threads(n_threads)
    budget = to_budget(budget)
    if batt.is_defined.any():
        return _run_with_defined(batt, samples, budget, only, staged, device, n_threads)
    n_threads = n_threads or usable_cores()
    n_programs = batt.n_programs
    tasks_of = np.full(n_programs, -1, np.int32) if only is None else np.asarray(only, np.int32)
    if len(tasks_of) != n_programs or (tasks_of >= len(samples)).any():
        raise ValueError(
            f"only: a task, 0 to {len(samples) - 1}, or -1 for each of {n_programs} programs"
        )
    everywhere = np.flatnonzero(tasks_of < 0)
    n_first = len(samples) if staged else samples.n_samples
    choice = choose_devices(batt, device if len(everywhere) else "cpu", n_first, n_threads)
    if choice.devices:
        request = RunRequest(samples.first_demos if staged else samples.demos, budget, n_threads)
        arrays, ran_on = _run_on_gpus(batt, samples, everywhere, staged, choice, request)
        n_done = 1 if staged else int(samples.n_demos.max())
    else:
        arrays, n_done = _new_arrays(n_programs, len(samples)), 0
        ran_on = {"cpu": len(everywhere) * len(samples)}
    ran_on["cpu"] += n_programs - len(everywhere)
    _engine.run_tasks(
        batt.fused,
        samples.demos.packed,
        samples.starts,
        tasks_of,
        max_steps=budget.steps,
        max_bytes=budget.bytes,
        max_arena_bytes=cpu_run.MAX_ARENA_BYTES,
        n_threads=choice.n_threads,
        staged=staged,
        n_done=n_done,
        **arrays._asdict(),
        profile=profiler.counts(),
    )
    return TaskResult(arrays, samples.n_demos, ran_on)


def _run_with_defined(
    batt: Batt,
    samples: TaskSamples,
    budget: Budget,
    only: Sequence[int] | NDArray[np.int32] | None,
    staged: bool,
    device: str,
    n_threads: int | None,
) -> TaskResult:
    """Run some programs by the engine, then those that need it by the definitions."""
    ran = ~batt.is_defined
    tasks_of = None if only is None else np.asarray(only, np.int32)
    result = run_on_tasks(
        batt.engine_part,
        samples,
        budget,
        only=None if tasks_of is None else tasks_of[ran],
        staged=staged,
        device=device,
        n_threads=n_threads,
    ).among(ran, _engine.NOT_RUN)
    n_defined = 0
    for p in np.flatnonzero(batt.is_defined).tolist():
        chosen = -1 if tasks_of is None else int(tasks_of[p])
        for t in range(len(samples)) if chosen < 0 else [chosen]:
            is_staged = staged and chosen < 0
            _run_defined_on(batt.programs[p], samples, t, budget, is_staged, result.arrays, p)
            n_defined += 1
    return replace(result, ran_on={**result.ran_on, DEFINITIONS: n_defined})


def _run_defined_on(
    program: Program,
    samples: TaskSamples,
    task: int,
    budget: Budget,
    staged: bool,
    arrays: RunArrays,
    row: int,
) -> None:
    """Run one program on the demos of one task, and write its results into a row."""
    first, end = int(samples.starts[task]), int(samples.starts[task + 1])
    for sample in range(first, end):
        result = run_defined(program, samples.demos, sample, budget)
        if sample == first:
            arrays.reasons[row, task] = result.reasons
            arrays.hashes[row, task] = result.hashes
            arrays.steps[row, task] = arrays.matches[row, task] = arrays.numbers[row, task] = 0
        arrays.matches[row, task] += result.matches
        arrays.steps[row, task] += result.steps
        arrays.numbers[row, task] += 0 if result.numbers == _engine.NO_NUMBER else result.numbers
        if staged and sample == first and not result.matches:
            return


def _new_arrays(n_programs: int, n_tasks: int) -> RunArrays:
    """Return arrays without any result: no matches, no cost."""
    return RunArrays.new((n_programs, n_tasks), np.zeros)


def _run_on_gpus(
    batt: Batt,
    samples: TaskSamples,
    programs: NDArray[np.int64],
    staged: bool,
    choice: Choice,
    request: RunRequest,
) -> tuple[RunArrays, dict[str, int]]:
    """Run programs that are tried on all tasks; return results, and their number per device.

    In stages GPUs run first demos only: few programs are left after those, for few tasks, which is
    work for the CPU.
    """
    result = run_on_devices(batt.part(programs), choice, request)
    arrays = RunArrays(
        result.reasons,
        result.matches.view(np.uint8),
        result.hashes,
        result.steps,
        np.where(result.numbers == _engine.NO_NUMBER, 0, result.numbers).astype(np.int32),
    )
    if not staged:
        starts = samples.starts[:-1].astype(np.int64)
        arrays = RunArrays(
            arrays.reasons.take(starts, axis=1),
            np.add.reduceat(arrays.matches, starts, axis=1, dtype=np.uint8),
            arrays.hashes.take(starts, axis=1),
            np.add.reduceat(arrays.steps, starts, axis=1),
            np.add.reduceat(arrays.numbers, starts, axis=1, dtype=np.int32),
        )
    if len(programs) < batt.n_programs:
        part, arrays = arrays, _new_arrays(batt.n_programs, len(samples))
        arrays.set_rows(programs, part)
    n_pairs = len(programs) * len(samples)
    ran_on = {name: n * n_pairs // result.reasons.size for name, n in result.ran_on.items()}
    ran_on["cpu"] = n_pairs - sum(n for name, n in ran_on.items() if name != "cpu")
    return arrays, ran_on
