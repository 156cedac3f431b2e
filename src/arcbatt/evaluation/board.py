"""The board: the tasks of a run, packed once, and the evaluation of programs on them.

`screen` finds out which of many programs deserve a closer look: it runs a batt on the demos of all
tasks, in stages, so that a program that misses a task's first demo is not run on its others.
`trials` returns everything about a program on a task: it runs the program again on all demos, each
held out if the program reads them, and on all test inputs, so a trial never depends on a large
batt.

A program that sees the pair it is judged by can look up the output in `S`, and so fit the demos of
nearly any task without a rule. A held-out demo is like a test input: a pair that is not in `S`.
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
from arcbatt.engine.gpu.devices import check_device_name
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.graph.samples import Samples
from arcbatt.engine.task_run import TaskResult, TaskSamples, run_on_tasks
from arcbatt.language import (
    SEARCH_BUDGET,
    Failure,
    ParsedProgram,
    Program,
    Reason,
    Value,
    to_program,
)
from arcbatt.measure import check_threads, phase
from arcbatt.tasks import Grid, Task

from .copies import COPIES
from .trial import FULL_CREDIT, Trial, submittable

# One mutant in seven costs more than this on average over a few probed tasks; together they would
# take three quarters of the time. The most expensive library solver costs 11,000 steps per sample.
EXPENSIVE_STEPS = 20_000
N_PROBED = 8
# The probed tasks, by rank in size, that identify most expensive mutants; they are run first.
PROBED_FIRST = (3, 5)

# Much of the time of a screening goes into the few (program, task) pairs that take more steps than
# this, and a few of the matches are among them.
QUICK_BUDGET = replace(SEARCH_BUDGET, steps=SEARCH_BUDGET.steps // 10)


class HeldOutSamples(TaskSamples):
    """The demos of tasks, each held out; a task's only demo sees itself."""

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


class _OneTask:
    """The samples of one task: its demos and test inputs, its copies, its demos held out."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.inputs = (*(demo.input for demo in task.demos), *task.test_inputs)
        self.pairs = tuple((demo.input, demo.output) for demo in task.demos)

    @cached_property
    def samples(self) -> Samples:
        targets = [*(output for _, output in self.pairs), *([None] * len(self.task.test_inputs))]
        return Samples(self.inputs, targets, [self.pairs] * len(self.inputs))

    @cached_property
    def tests(self) -> Samples:
        """The test inputs alone."""
        inputs = self.task.test_inputs
        return Samples(inputs, demos=[self.pairs] * len(inputs))

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
        """The first demo, with all demos as `S`."""
        demo = self.task.demos[0]
        return Samples([demo.input], [demo.output], [self.pairs])


class TaskBoard:
    """The tasks of a run. Several threads may use it at the same time."""

    def __init__(
        self, tasks: Sequence[Task], *, device: str = "auto", n_threads: int | None = None
    ) -> None:
        if len({task.id for task in tasks}) != len(tasks):
            raise ValueError("two tasks have the same id")
        check_device_name(device)
        check_threads(n_threads)
        self.tasks = tuple(tasks)
        self.device = device
        self.n_threads = n_threads
        # The number of screening results per device, for all parts of this board.
        self.ran_on: Counter[str] = Counter()
        self._counting = Lock()
        self._by_id: dict[str, _OneTask] = {}

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
        board = TaskBoard(tasks, device=self.device, n_threads=self.n_threads)
        board._by_id = self._by_id
        board.ran_on, board._counting = self.ran_on, self._counting
        return board

    @phase("run")
    def screen(
        self,
        batt: Batt,
        *,
        only: Sequence[int] | NDArray[np.int32] | None = None,
        held_out: bool = False,
        staged: bool = True,
        quick: bool = False,
        skip_expensive: bool = False,
        device: str | None = None,
        n_threads: int | None = None,
    ) -> TaskResult:
        """Run the programs of a batt on the demos of all tasks, or each on its task in `only`.

        With `quick`, programs may take a tenth of the steps.

        With `skip_expensive`, a program that costs too much on a few probed tasks counts as over
        budget on all tasks and is not run on the others.
        """
        device, n_threads = device or self.device, n_threads or self.n_threads
        if skip_expensive and len(self.tasks) >= 2 * N_PROBED:
            if only is not None or quick:
                raise ValueError("skip_expensive runs all programs on all tasks, by one budget")
            result = self._screen_cheap(batt, held_out, staged, device, n_threads)
        else:
            result = run_on_tasks(
                batt,
                self.held_out if held_out else self.demos,
                QUICK_BUDGET if quick else SEARCH_BUDGET,
                only=only,
                staged=staged,
                device=device,
                n_threads=n_threads,
            )
        with self._counting:
            self.ran_on.update(result.ran_on)
        return result

    def _screen_cheap(
        self, batt: Batt, held_out: bool, staged: bool, device: str, n_threads: int | None
    ) -> TaskResult:
        """Screen the programs that cost at most `EXPENSIVE_STEPS` on average over the probed tasks.

        The probed tasks are so few that the CPU finishes before a GPU would have a plan. A program
        that uses up the steps for all probed tasks on some of them is not run on the others. One
        that does not has been within its budget: its results there are those of any larger budget.
        """
        max_steps = EXPENSIVE_STEPS * N_PROBED
        steps = np.zeros(batt.n_programs, np.int64)
        are_cheap = np.ones(batt.n_programs, np.bool_)
        result = TaskResult.of_failures(batt.n_programs, self.n_demos, Reason.BUDGET)
        ran_on: Counter[str] = Counter()
        for board, tasks, is_probe in self._in_order_of_probing:
            cheap = np.flatnonzero(are_cheap)
            with phase("fuse"):
                rest = batt.part(cheap)
            some = run_on_tasks(
                rest,
                board.held_out if held_out else board.demos,
                replace(SEARCH_BUDGET, steps=max_steps) if is_probe else SEARCH_BUDGET,
                staged=staged,
                device="cpu" if is_probe else device,
                n_threads=n_threads,
            )
            if is_probe:
                steps[cheap] += some.steps.sum(axis=1)
                are_cheap = steps <= max_steps
            result.put(cheap, tasks, some)
            ran_on.update(some.ran_on)
        result.fail(np.flatnonzero(~are_cheap), Reason.BUDGET)
        return replace(result, ran_on=ran_on)

    @cached_property
    def _in_order_of_probing(self) -> list[tuple[TaskBoard, NDArray[np.intp], bool]]:
        """The tasks that identify most expensive programs, the other probed ones, and the rest.

        Each with the places of its tasks, and whether they are probed. The probed tasks represent
        the sizes of all: most programs cost more on larger grids.
        """
        grids = [task.demos[0].input for task in self.tasks]
        by_size = sorted(range(len(grids)), key=lambda k: len(grids[k]) * len(grids[k][0]))
        probed = [by_size[(2 * k + 1) * len(grids) // (2 * N_PROBED)] for k in range(N_PROBED)]
        first = [probed[k] for k in PROBED_FIRST]
        groups = [
            (first, True),
            ([t for t in probed if t not in first], True),
            ([t for t in range(len(grids)) if t not in probed], False),
        ]
        return [
            (self.part([self.tasks[t] for t in group]), np.array(group, np.intp), is_probe)
            for group, is_probe in groups
        ]

    @phase("run")
    def screen_alone(self, program: Program, task: int, *, held_out: bool = True) -> TaskResult:
        """Screen one program on one task by itself."""
        one = self._of(self.tasks[task])
        samples = one.held_out if held_out else one.demos
        return run_on_tasks(Batt([program]), samples, SEARCH_BUDGET, device="cpu", n_threads=1)

    def _of(self, task: Task) -> _OneTask:
        one = self._by_id.get(task.id)
        if one is None or one.task is not task:
            one = self._by_id[task.id] = _OneTask(task)
        return one

    @phase("run")
    def test_outputs(
        self, task: Task, programs: Sequence[Program]
    ) -> list[tuple[Grid | None, ...]]:
        """Return each program's outputs for the test inputs, None where it gives no grid."""
        if not programs:
            return []
        samples = self._of(task).tests
        result = self._run(samples, programs, self.n_threads)
        return [
            tuple(_grid(result, place, k) for k in range(len(samples)))
            for place in range(len(programs))
        ]

    @phase("run")
    def trials(
        self,
        task: Task,
        programs: Sequence[Program | ParsedProgram],
        credits: Mapping[Program, int] | None = None,
        *,
        held_out: Mapping[Program, int] | None = None,
        n_threads: int | None = None,
    ) -> list[Trial]:
        """Return the trials of programs on a task, in their order.

        `credits` are given to programs that do not fit; the default is the share of demos fitted.
        `held_out` is what `count_held_out` returned for these programs, if they were counted.
        """
        if not programs:
            return []
        chosen = [to_program(each) for each in programs]
        n_demos = len(task.demos)
        n_threads = n_threads or self.n_threads
        result = self._run(self._of(task).samples, chosen, n_threads)
        if held_out is None:
            held_out = self.count_held_out(task, chosen, n_threads=n_threads)
        outputs = [
            tuple(_grid(result, place, n_demos + k) for k in range(len(task.test_inputs)))
            for place in range(len(chosen))
        ]
        n_copies = self._n_copies(task, chosen, result.matches[:, :n_demos], outputs, n_threads)
        trials = []
        for place, program in enumerate(chosen):
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

    def _run(
        self, samples: Samples, programs: Sequence[Program], n_threads: int | None
    ) -> BattResult:
        return Batt(programs).run(
            samples, SEARCH_BUDGET, device="cpu", n_threads=n_threads, keep_values=True
        )

    @phase("run")
    def count_held_out(
        self, task: Task, programs: Sequence[Program], *, n_threads: int | None = None
    ) -> dict[Program, int]:
        """Return how many demos each learning program gets right without seeing them.

        A task with a single demo leaves nothing to learn from: it gives no counts.
        """
        learning = [program for program in programs if "S" in program.inputs]
        if not learning or len(task.demos) < 2:
            return {}
        samples, n_threads = self._of(task).held_out.demos, n_threads or self.n_threads
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
        """Return the number of copies on which each program that fits a demo behaves the same."""
        places = np.flatnonzero(matches.any(axis=1)).tolist()
        if not places:
            return {}
        one = self._of(task)
        result = self._run(one.copies, [programs[place] for place in places], n_threads)
        n_demos = len(task.demos)
        counts = {}
        for row, place in enumerate(places):
            n_same = 0
            for number, change in enumerate(COPIES):
                first = number * len(one.inputs)
                n_same += bool(
                    (result.matches[row, first : first + n_demos] == matches[place]).all()
                ) and all(
                    grid is not None and _grid(result, row, first + n_demos + k) == change(grid)
                    for k, grid in enumerate(outputs[place])
                )
            counts[programs[place]] = n_same
        return counts

    @phase("run")
    def values_on_first_demo(
        self, task: Task, programs: Sequence[Program]
    ) -> list[Value | Failure]:
        """Return the values of programs on the first demo, such as a rule as data."""
        result = self._run(self._of(task).first, programs, 1)
        return [result.outcome(place, 0) for place in range(len(programs))]

    @phase("run")
    def values(self, task: Task, batt: Batt) -> list[tuple[Program, tuple[Grid, ...]]]:
        """Return the programs that give a grid for every demo and test input, with the grids.

        Of programs with equal grids, only the first with the fewest calls is returned.
        """
        samples = self._of(task).samples
        result = batt.run(samples, SEARCH_BUDGET, device="cpu", n_threads=1, keep_values=True)
        first: dict[bytes, int] = {}
        for place in (result.reasons == 0).all(axis=1).nonzero()[0].tolist():
            key = result.hashes[place].tobytes()
            other = first.setdefault(key, place)
            if other != place and batt.programs[place].n_calls < batt.programs[other].n_calls:
                first[key] = place
        values = []
        for place in sorted(first.values()):
            grids = tuple(_grid(result, place, k) for k in range(len(samples)))
            if None not in grids:
                values.append((batt.programs[place], grids))
        return values  # type: ignore[return-value]  # no None is left


def _grid(result: BattResult, program: int, sample: int) -> Grid | None:
    outcome = result.outcome(program, sample)
    return None if isinstance(outcome, Failure) else submittable(outcome)
