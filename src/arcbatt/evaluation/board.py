"""The board: tasks packed once in, judgements of programs on them out.

Two questions are asked of it. Which of many programs are worth a closer look? `screen` runs a batt
on the demos of all tasks, in stages: what misses a task's first demo is not run on its others. What
is to be said of a program on a task? `trials` runs it anew on all demos, each held out if it reads
them, and on all test inputs: so what is said of it never rests on what was found in a large batt.

A program that sees the pair it is judged by can look the output up in `S`, and so fit all demos of
nearly any task without a rule. Held out, a demo is what a test input is: a pair that is not in `S`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.results import BattResult
from arcbatt.engine.samples import Samples
from arcbatt.engine.staged import TaskResult, TaskSamples, run_on_tasks
from arcbatt.language import SEARCH_BUDGET, Failure, Program, Reason, Value
from arcbatt.measure import check_threads, phase
from arcbatt.tasks import Grid, Task

from .copies import COPIES
from .trial import FULL_CREDIT, Trial, submittable

# One mutant in seven costs far more than all others, and these would take three quarters of the
# time: those that cost more than so much, in the mean over a few tasks. The dearest solver of the
# library costs 11,000 steps a sample.
DEAR_STEPS = 20_000
N_PROBED = 8
# Of these, by size, the tasks on which most of those mutants are told from others; they come first.
PROBED_FIRST = (3, 5)


class HeldOutSamples(TaskSamples):
    """The demos of tasks; the only demo of a task has nothing but itself to be seen with."""

    def demos_of(self, tasks: Sequence[int], first: int = 0, end: int | None = None) -> Samples:
        chosen = [
            (demo, self.pairs[t][:k] + self.pairs[t][k + 1 :] or self.pairs[t])
            for t in tasks
            for k, demo in list(enumerate(self.tasks[t].demos))[first:end]
        ]
        return Samples(
            [demo.input for demo, _ in chosen],
            [demo.output for demo, _ in chosen],
            [others for _, others in chosen],
        )


class _TaskAlone:
    """The samples of one task: its demos, then its test inputs; its copies; its demos held out."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.inputs = (*(demo.input for demo in task.demos), *task.test_inputs)
        self.pairs = tuple((demo.input, demo.output) for demo in task.demos)

    @cached_property
    def samples(self) -> Samples:
        targets = [*(output for _, output in self.pairs), *([None] * len(self.task.test_inputs))]
        return Samples(self.inputs, targets, [self.pairs] * len(self.inputs))

    @cached_property
    def copies(self) -> Samples:
        """The samples of all copies, one copy after the other."""
        inputs: list[Grid] = []
        targets: list[Grid | None] = []
        demos: list[tuple[tuple[Grid, Grid], ...]] = []
        for change in COPIES:
            pairs = tuple((change(demo.input), change(demo.output)) for demo in self.task.demos)
            tests = [change(grid) for grid in self.task.test_inputs]
            inputs += [*(before for before, _ in pairs), *tests]
            targets += [*(after for _, after in pairs), *([None] * len(tests))]
            demos += [pairs] * len(self.inputs)
        return Samples(inputs, targets, demos)

    @cached_property
    def held_out(self) -> HeldOutSamples:
        return HeldOutSamples([self.task])

    @cached_property
    def demos(self) -> TaskSamples:
        return TaskSamples([self.task])

    @cached_property
    def first(self) -> Samples:
        """The first demo alone, which sees all demos."""
        demo = self.task.demos[0]
        return Samples([demo.input], [demo.output], [self.pairs])


class TaskBoard:
    """The tasks of a run. Several threads may screen and ask for trials at a time."""

    def __init__(
        self, tasks: Sequence[Task], *, device: str = "auto", n_threads: int | None = None
    ) -> None:
        if len({task.id for task in tasks}) != len(tasks):
            raise ValueError("two tasks have one id")
        check_threads(n_threads)
        self.tasks = tuple(tasks)
        self.device = device
        self.n_threads = n_threads
        # How many results of screening came from which device, for all parts of this board.
        self.ran_on: Counter[str] = Counter()
        self._counting = Lock()
        self._alone: dict[str, _TaskAlone] = {}

    def __len__(self) -> int:
        return len(self.tasks)

    @cached_property
    def demos(self) -> TaskSamples:
        with phase("load"):
            return TaskSamples(self.tasks)

    @cached_property
    def held_out(self) -> HeldOutSamples:
        with phase("load"):
            return HeldOutSamples(self.tasks)

    @cached_property
    def n_demos(self) -> NDArray[np.int64]:
        return np.array([len(task.demos) for task in self.tasks], np.int64)

    def part(self, tasks: Sequence[Task]) -> TaskBoard:
        """Return a board of some tasks, with the devices of this one."""
        if tuple(tasks) == self.tasks:
            return self
        found = TaskBoard(tasks, device=self.device, n_threads=self.n_threads)
        found._alone = self._alone
        found.ran_on, found._counting = self.ran_on, self._counting
        return found

    @phase("run")
    def screen(
        self,
        batt: Batt,
        *,
        only: Sequence[int] | NDArray[np.int32] | None = None,
        held_out: bool = False,
        staged: bool = True,
        skip_dear: bool = False,
        may_share: bool = True,
        device: str | None = None,
        n_threads: int | None = None,
    ) -> TaskResult:
        """Run the programs of a batt on the demos of all tasks, or each on the task `only` says.

        With `skip_dear`, a program that costs too much on a few tasks, of all sizes, counts as over
        budget on all, and is not run on the others. `may_share` as of `run_on_tasks`.
        """
        samples = self.held_out if held_out else self.demos
        device, n_threads = device or self.device, n_threads or self.n_threads
        runs = np.ones(batt.n_programs, np.bool_)
        if skip_dear and len(self.tasks) >= 2 * N_PROBED:
            runs = self._are_cheap(batt, held_out=held_out, n_threads=n_threads)
        rest = batt
        if not runs.all():
            with phase("fuse"):
                rest = batt.part(np.flatnonzero(runs))
        result = run_on_tasks(
            rest,
            samples,
            SEARCH_BUDGET,
            only=None if only is None else np.asarray(only, np.int32)[runs],
            staged=staged,
            device=device,
            n_threads=n_threads,
            may_share=may_share,
        )
        with self._counting:
            self.ran_on.update(result.ran_on)
        return result if runs.all() else result.among(runs, Reason.BUDGET)

    def _are_cheap(
        self, batt: Batt, *, held_out: bool, n_threads: int | None = None
    ) -> NDArray[np.bool_]:
        """Which programs cost no more than `DEAR_STEPS`, in the mean over the tasks of the probes.

        Tasks are few: the CPU has run the programs before they would be planned for a GPU. What
        costs more on some tasks than it may on all is not run to its end there, nor on the others.
        """
        n_at_most = DEAR_STEPS * N_PROBED
        steps = np.zeros(batt.n_programs, np.int64)
        are_cheap = np.ones(batt.n_programs, np.bool_)
        for board in self._probes:
            with phase("fuse"):
                left = batt.part(np.flatnonzero(are_cheap))
            result = run_on_tasks(
                left,
                board.held_out if held_out else board.demos,
                replace(SEARCH_BUDGET, steps=n_at_most),
                device="cpu",
                n_threads=n_threads,
            )
            steps[are_cheap] += result.steps.sum(axis=1)
            are_cheap = steps <= n_at_most
            if not are_cheap.any():
                break
        return are_cheap

    @cached_property
    def _probes(self) -> tuple[TaskBoard, TaskBoard]:
        """A few tasks, as large and as small as all of them: most programs cost more on larger."""
        grids = [task.demos[0].input for task in self.tasks]
        by_size = sorted(range(len(grids)), key=lambda k: len(grids[k]) * len(grids[k][0]))
        probed = [
            self.tasks[by_size[(2 * k + 1) * len(grids) // (2 * N_PROBED)]] for k in range(N_PROBED)
        ]
        first = [probed[k] for k in PROBED_FIRST]
        return self.part(first), self.part([task for task in probed if task not in first])

    @phase("run")
    def screen_alone(self, program: Program, task: int, *, held_out: bool = True) -> TaskResult:
        """Run one program on one task by itself: what a screening of many must repeat."""
        alone = self._of(self.tasks[task])
        samples = alone.held_out if held_out else alone.demos
        return run_on_tasks(Batt([program]), samples, SEARCH_BUDGET, device="cpu", n_threads=1)

    def _of(self, task: Task) -> _TaskAlone:
        found = self._alone.get(task.id)
        if found is None or found.task is not task:
            found = self._alone[task.id] = _TaskAlone(task)
        return found

    @phase("run")
    def trials(
        self,
        task: Task,
        programs: Sequence[Program],
        credits: Mapping[Program, int] | None = None,
        *,
        n_threads: int | None = None,
    ) -> list[Trial]:
        """Return what is to be said of programs on a task, in their order.

        `credits` says how near programs come that do not fit; otherwise the demos fitted do.
        """
        if not programs:
            return []
        n_demos = len(task.demos)
        n_threads = n_threads or self.n_threads
        result = self._run(task, programs, n_threads)
        held_out = self._held_out(task, programs, n_threads)
        outputs = [
            tuple(_grid(result, place, n_demos + k) for k in range(len(task.test_inputs)))
            for place in range(len(programs))
        ]
        n_copies = self._n_copies(task, programs, result.matches[:, :n_demos], outputs, n_threads)
        trials = []
        for place, program in enumerate(programs):
            n_fitted = int(result.matches[place, :n_demos].sum())
            failed = [int(reason) for reason in result.reasons[place] if reason]
            credit = (credits or {}).get(program, FULL_CREDIT * n_fitted // n_demos)
            trials.append(
                Trial(
                    task=task,
                    program=program,
                    n_fitted=n_fitted,
                    credit=FULL_CREDIT if n_fitted == n_demos else min(credit, FULL_CREDIT - 1),
                    steps=int(result.steps[place].sum()),
                    outputs=outputs[place],
                    learns="S" in program.inputs,
                    n_held_out=held_out.get(program),
                    n_copies=n_copies.get(program, 0),
                    failure=Reason(failed[0]) if failed else None,
                )
            )
        return trials

    def _run(self, task: Task, programs: Sequence[Program], n_threads: int | None) -> BattResult:
        samples = self._of(task).samples
        return Batt(programs).run(
            samples, SEARCH_BUDGET, device="cpu", n_threads=n_threads, keep_values=True
        )

    def _held_out(
        self, task: Task, programs: Sequence[Program], n_threads: int | None
    ) -> dict[Program, int]:
        """Of programs that learn: how many demos they get right that they do not see."""
        learning = [program for program in programs if "S" in program.inputs]
        if not learning or len(task.demos) < 2:
            return {}
        samples = self._of(task).held_out.demos
        result = Batt(learning).run(samples, SEARCH_BUDGET, device="cpu", n_threads=n_threads)
        counts = result.matches.sum(axis=1)
        return {program: int(counts[place]) for place, program in enumerate(learning)}

    def _n_copies(
        self,
        task: Task,
        programs: Sequence[Program],
        matches: NDArray[np.bool_],
        outputs: Sequence[tuple[Grid | None, ...]],
        n_threads: int | None,
    ) -> dict[Program, int]:
        """Of programs that fit some demo: on how many copies of the task they give the same."""
        places = np.flatnonzero(matches.any(axis=1)).tolist()
        if not places:
            return {}
        alone = self._of(task)
        result = Batt([programs[place] for place in places]).run(
            alone.copies, SEARCH_BUDGET, device="cpu", n_threads=n_threads, keep_values=True
        )
        n_demos = len(task.demos)
        counts = {}
        for row, place in enumerate(places):
            n_same = 0
            for number, change in enumerate(COPIES):
                first = number * len(alone.inputs)
                n_same += bool(
                    (result.matches[row, first : first + n_demos] == matches[place]).all()
                ) and all(
                    grid is not None and _grid(result, row, first + n_demos + k) == change(grid)
                    for k, grid in enumerate(outputs[place])
                )
            counts[programs[place]] = n_same
        return counts

    @phase("run")
    def learnt(self, task: Task, programs: Sequence[Program]) -> list[Value | Failure]:
        """Return what programs give on the first demo, such as a rule as data."""
        result = Batt(programs).run(
            self._of(task).first, SEARCH_BUDGET, device="cpu", n_threads=1, keep_values=True
        )
        return [result.outcome(place, 0) for place in range(len(programs))]

    @phase("run")
    def values(self, task: Task, batt: Batt) -> list[tuple[Program, tuple[Grid, ...]]]:
        """Return the programs that give a grid for every demo and test input, with the grids.

        Of programs that give the same there is the smallest, the first of several.
        """
        samples = self._of(task).samples
        result = batt.run(samples, SEARCH_BUDGET, device="cpu", n_threads=1, keep_values=True)
        first: dict[bytes, int] = {}
        for place in (result.reasons == 0).all(axis=1).nonzero()[0].tolist():
            key = result.hashes[place].tobytes()
            other = first.setdefault(key, place)
            if other != place and batt.programs[place].n_calls < batt.programs[other].n_calls:
                first[key] = place
        found = []
        for place in sorted(first.values()):
            grids = tuple(_grid(result, place, k) for k in range(len(samples)))
            if None not in grids:
                found.append((batt.programs[place], grids))
        return found  # type: ignore[return-value]  # no None is left


def _grid(result: BattResult, program: int, sample: int) -> Grid | None:
    outcome = result.outcome(program, sample)
    return None if isinstance(outcome, Failure) else submittable(outcome)
