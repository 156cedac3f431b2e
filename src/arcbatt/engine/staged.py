"""Programs on the demos of tasks: what each program gives on each task.

In stages, a program that fails or misses on a task's first demo is not run on the others; few
programs fit the first demo of a task that they do not solve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget, Program, to_budget
from arcbatt.measure import check_threads, usable_cores
from arcbatt.plurals import count
from arcbatt.tasks import Task

from . import _engine, profiling
from .batt import MAX_ARENA_BYTES, Batt, Choice, Run
from .defined import DEFINITIONS, run_defined
from .samples import Grid, Samples


class TaskSamples:
    """The demos of tasks as samples, and their test inputs apart from them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tuple(tasks)
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
        """Of each task the first demo."""
        return self.demos_of(range(len(self.tasks)), 0, 1)

    @cached_property
    def pairs(self) -> list[tuple[tuple[Grid, Grid], ...]]:
        """What the programs of each task see as `S`."""
        return [tuple((d.input, d.output) for d in task.demos) for task in self.tasks]

    def demos_of(self, tasks: Sequence[int], first: int = 0, end: int | None = None) -> Samples:
        """Of some tasks the demos from one to another."""
        chosen = [(t, demo) for t in tasks for demo in self.tasks[t].demos[first:end]]
        return Samples(
            [demo.input for _, demo in chosen],
            [demo.output for _, demo in chosen],
            [self.pairs[t] for t, _ in chosen],
        )


class TaskArrays(NamedTuple):
    """What a run writes, [program, task]."""

    reasons: NDArray[np.uint8]
    n_matches: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    steps: NDArray[np.int64]
    numbers: NDArray[np.int32]


@dataclass(frozen=True)
class TaskResult:
    """Arrays [program, task].

    `reasons` and `hashes` are those of the first demo (`NOT_RUN` where a program was not tried);
    `n_matches` the demos whose output the program gives; `steps` its cost on the demos that it was
    run on; `numbers` the sum of what the results start with, where that are numbers.
    """

    reasons: NDArray[np.uint8]
    n_matches: NDArray[np.uint8]
    hashes: NDArray[np.uint64]
    steps: NDArray[np.int64]
    numbers: NDArray[np.int32]
    n_demos: NDArray[np.int64]
    ran_on: Mapping[str, int]

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Whether all demos match."""
        found: NDArray[np.bool_] = self.n_matches == self.n_demos
        return found

    def __repr__(self) -> str:
        n_programs, n_tasks = self.reasons.shape
        size = f"{count(n_programs, 'program')} on {count(n_tasks, 'task')}"
        return f"<TaskResult of {size}: {count(int(self.solved.sum()), 'fit')}>"

    def among(self, ran: NDArray[np.bool_], reason: int) -> TaskResult:
        """Return these results as those of the programs that `ran`, the others failing so."""
        arrays = _new_arrays(len(ran), self.reasons.shape[1])
        arrays.reasons.fill(reason)
        for name in TaskArrays._fields:
            getattr(arrays, name)[ran] = getattr(self, name)
        return TaskResult(*arrays, self.n_demos, self.ran_on)


def run_on_tasks(
    batt: Batt,
    samples: TaskSamples,
    budget: Budget | None = None,
    *,
    only: Sequence[int] | NDArray[np.int32] | None = None,
    staged: bool = True,
    device: str = "auto",
    n_threads: int | None = None,
    may_share: bool = True,
) -> TaskResult:
    """Every program on the demos of every task.

    `only[p]` is the one task that program p is tried on, with all demos in any case; -1 stands for
    all tasks. Without stages every program is run on all demos. Unless it `may_share`, "auto" takes
    the CPU or GPUs for what both can run, not both at once.
    """
    check_threads(n_threads)
    budget = to_budget(budget)
    if batt.is_defined.any():
        return _with_defined(batt, samples, budget, only, staged, device, n_threads, may_share)
    n_threads = n_threads or usable_cores()
    n_programs = batt.n_programs
    tasks_of = np.full(n_programs, -1, np.int32) if only is None else np.asarray(only, np.int32)
    if len(tasks_of) != n_programs or (tasks_of >= len(samples)).any():
        raise ValueError(
            f"only: a task, 0 to {len(samples) - 1}, or -1 for each of {n_programs} programs"
        )
    everywhere = np.flatnonzero(tasks_of < 0)
    # What is chosen for is what programs are run on first.
    n_first = len(samples) if staged else samples.n_samples
    choice = batt.choose(
        device if len(everywhere) else "cpu", n_first, n_threads, "tasks", may_share=may_share
    )
    with choice.measured():
        if choice.devices:
            run = Run(samples.first_demos if staged else samples.demos, budget, n_threads)
            arrays, ran_on = _on_gpu(batt, samples, everywhere, staged, choice, run)
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
            max_arena_bytes=MAX_ARENA_BYTES,
            n_threads=choice.n_threads_beside_compilers(n_threads),
            staged=staged,
            n_done=n_done,
            **arrays._asdict(),
            profile=profiling.counts(),
        )
    return TaskResult(*arrays, samples.n_demos, ran_on)


def _with_defined(
    batt: Batt,
    samples: TaskSamples,
    budget: Budget,
    only: Sequence[int] | NDArray[np.int32] | None,
    staged: bool,
    device: str,
    n_threads: int | None,
    may_share: bool,
) -> TaskResult:
    """The same where definitions run some of the programs, after the engine has run the others."""
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
        may_share=may_share,
    ).among(ran, _engine.NOT_RUN)
    n_defined = 0
    for p in np.flatnonzero(batt.is_defined).tolist():
        chosen = -1 if tasks_of is None else int(tasks_of[p])
        for t in range(len(samples)) if chosen < 0 else [chosen]:
            _run_defined_on(batt.programs[p], samples, t, budget, staged and chosen < 0, result, p)
            n_defined += 1
    return replace(result, ran_on={**result.ran_on, DEFINITIONS: n_defined})


def _run_defined_on(
    program: Program,
    samples: TaskSamples,
    task: int,
    budget: Budget,
    staged: bool,
    result: TaskResult,
    row: int,
) -> None:
    """Run one program on the demos of one task; writes its results into their row."""
    first, end = int(samples.starts[task]), int(samples.starts[task + 1])
    for sample in range(first, end):
        found = run_defined(program, samples.demos, sample, budget)
        if sample == first:
            result.reasons[row, task] = found.reasons
            result.hashes[row, task] = found.hashes
            result.steps[row, task] = result.n_matches[row, task] = result.numbers[row, task] = 0
        result.n_matches[row, task] += found.matches
        result.steps[row, task] += found.steps
        result.numbers[row, task] += 0 if found.numbers == _engine.NO_NUMBER else found.numbers
        if staged and not found.matches:
            return


def _new_arrays(n_programs: int, n_tasks: int) -> TaskArrays:
    shape = (n_programs, n_tasks)
    return TaskArrays(
        np.full(shape, _engine.NOT_RUN, np.uint8),
        np.zeros(shape, np.uint8),
        np.zeros(shape, np.uint64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int32),
    )


def _on_gpu(
    batt: Batt,
    samples: TaskSamples,
    programs: NDArray[np.int64],
    staged: bool,
    choice: Choice,
    run: Run,
) -> tuple[TaskArrays, dict[str, int]]:
    """Run programs that are tried on all tasks on GPUs: on first demos, without stages on all.

    Returns the results, and how many came from where. Few programs are left after the first demos,
    for few tasks, which is work for the CPU.
    """
    got = batt.part(programs).run_as(choice, run)
    matches = got.matches.view(np.uint8)
    found = TaskArrays(got.reasons, matches, got.hashes, got.steps, _numbers(got.numbers))
    if not staged:
        starts = samples.starts[:-1].astype(np.int64)
        found = TaskArrays(
            got.reasons.take(starts, axis=1),
            np.add.reduceat(found.n_matches, starts, axis=1, dtype=np.uint8),
            got.hashes.take(starts, axis=1),
            np.add.reduceat(found.steps, starts, axis=1),
            np.add.reduceat(found.numbers, starts, axis=1, dtype=np.int32),
        )
    arrays = found
    if len(programs) < batt.n_programs:
        arrays = _new_arrays(batt.n_programs, len(samples))
        for name in TaskArrays._fields:
            getattr(arrays, name)[programs] = getattr(found, name)
    n_pairs = len(programs) * len(samples)
    ran_on = {name: n * n_pairs // got.reasons.size for name, n in got.ran_on.items()}
    ran_on["cpu"] = n_pairs - sum(n for name, n in ran_on.items() if name != "cpu")
    return arrays, ran_on


def _numbers(numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.where(numbers == _engine.NO_NUMBER, 0, numbers).astype(np.int32)
