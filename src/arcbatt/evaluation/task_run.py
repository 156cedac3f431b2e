"""Run one program on a grid or a task with the engine, and show the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from arcbatt.display import Displayed
from arcbatt.drawing.pages import render_page, trusted
from arcbatt.drawing.svg import svg_call
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.explainer import PairOutcome, find_failed_call, write_feedback
from arcbatt.language import (
    Budget,
    Failure,
    ParsedProgram,
    Program,
    Result,
    Value,
    format_program,
    interpret,
    parse_programs,
    to_budget,
    to_program,
)
from arcbatt.language.interpreter import missing_input, to_inputs
from arcbatt.measure import check_threads
from arcbatt.plurals import count
from arcbatt.tasks import Grid, Task, TaskSet

# A failure within this cost is run again by the definitions, which know where and why it failed.
MAX_EXPLAINED_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class PairRun:
    """A program's result on one pair of a task; `wanted` is None for a test input."""

    label: str
    input: Grid
    wanted: Grid | None
    result: Result

    @property
    def outcome(self) -> Value | Failure:
        """The value, or the failure."""
        return self.result.outcome

    @property
    def is_right(self) -> bool | None:
        """Whether it is the demo's output; None for a test input."""
        return None if self.wanted is None else self.outcome == self.wanted


@dataclass(frozen=True)
class TaskRun(Displayed):
    """A program run on every demo and test input of a task."""

    program: Program
    task: Task
    pairs: tuple[PairRun, ...]
    parsed: ParsedProgram | None = None
    """The program as it was written, if that is known."""

    @property
    def n_fitted(self) -> int:
        """The number of right demos."""
        return sum(pair.is_right is True for pair in self.pairs)

    @property
    def fits(self) -> bool:
        """Whether all demos are right."""
        return self.n_fitted == len(self.task.demos)

    @property
    def outputs(self) -> list[Value | Failure]:
        """The outcome for each test input."""
        return [pair.outcome for pair in self.pairs if pair.wanted is None]

    def feedback(self) -> str:
        """Return the result on each pair in plain text, short enough for a prompt.

        It names the first cells that differ, and the line that failed with the values it was given.
        """
        parsed = self.parsed or next(parse_programs(format_program(self.program)))
        demos = tuple((demo.input, demo.output) for demo in self.task.demos)
        outcomes = []
        for pair in self.pairs:
            failed = None
            if pair.result.failed_at is not None and pair.result.steps <= MAX_EXPLAINED_STEPS:
                again = interpret(self.program, {"I": pair.input, "S": demos}, keep_trace=True)
                failed = find_failed_call(parsed, again.failed_at, again.trace)
            outcomes.append(PairOutcome(pair.label, pair.wanted, pair.outcome, failed))
        return write_feedback(self.program.name, outcomes)

    def __repr__(self) -> str:
        return (
            f"<TaskRun of {self.program.name} on {self.task.id}: "
            f"fits {self.n_fitted} of {count(len(self.task.demos), 'demo')}>"
        )

    def _repr_svg_(self) -> None:
        return None

    def _repr_html_(self) -> str:
        drawings = [
            (pair, trusted(svg_call([pair.input], pair.outcome)), _verdict(pair))
            for pair in self.pairs
        ]
        return render_page(
            "arcbatt.evaluation", "task_run.html", run=self, drawings=drawings, count=count
        )


def _verdict(pair: PairRun) -> str:
    if isinstance(pair.outcome, Failure):
        return f"failed: {pair.outcome}"
    return {True: "right", False: "not the output of the demo", None: "its output"}[pair.is_right]


@overload
def run(
    program: Program | ParsedProgram,
    given: Task,
    budget: Budget | None = ...,
    *,
    device: str = ...,
    n_threads: int | None = ...,
) -> TaskRun: ...
@overload
def run(
    program: Program | ParsedProgram,
    given: Sequence[Sequence[int]] | Mapping[str, object],
    budget: Budget | None = ...,
    *,
    device: str = ...,
    n_threads: int | None = ...,
) -> Result: ...
def run(
    program: Program | ParsedProgram,
    given: object,
    budget: Budget | None = None,
    *,
    device: str = "auto",
    n_threads: int | None = None,
) -> TaskRun | Result:
    """Run a program with the engine: on a grid, or on all demos and test inputs of a task.

    A grid is rows of numbers: tuples, lists or an array. `{"I": grid, "S": demos}` passes the demos
    too. The `outcome` of the result is the value, or a `Failure` with the reason. Use `Batt` for
    many programs or samples, and `interpret` to run by the definitions.
    """
    check_threads(n_threads)
    budget = to_budget(budget)
    parsed = program if isinstance(program, ParsedProgram) else None
    program = to_program(program)
    if isinstance(given, Task):
        demos = tuple((demo.input, demo.output) for demo in given.demos)
        pairs = [
            *((f"demo {k}", demo.input, demo.output) for k, demo in enumerate(given.demos, 1)),
            *((f"test {k}", grid, None) for k, grid in enumerate(given.test_inputs, 1)),
        ]
        inputs = [to_inputs({"I": grid, "S": demos}) for _, grid, _ in pairs]
        results = _run(program, inputs, budget, device, n_threads)
        return TaskRun(
            program,
            given,
            tuple(PairRun(*pair, result) for pair, result in zip(pairs, results, strict=True)),
            parsed,
        )
    if isinstance(given, TaskSet):
        raise TypeError("run takes one task; Batt([program]).run(Samples.of(*tasks)) takes many")
    if isinstance(given, str):
        raise TypeError(
            "run takes a grid or a Task, not text; find_task(id) returns the task with an id"
        )
    (result,) = _run(program, [to_inputs(given)], budget, device, n_threads)
    return result


def _run(
    program: Program,
    inputs: Sequence[Mapping[str, Value]],
    budget: Budget,
    device: str,
    n_threads: int | None,
) -> list[Result]:
    for node in program.nodes():
        if node.kind == "input" and node.name not in inputs[0]:
            raise missing_input(node.name)
    samples = Samples(
        [each["I"] for each in inputs],
        demos=[each["S"] for each in inputs] if "S" in inputs[0] else None,  # type: ignore[misc]
    )
    batt = Batt([program])
    run_result = batt.run(samples, budget, device=device, n_threads=n_threads, keep_values=True)
    results = []
    for place, each in enumerate(inputs):
        outcome, steps = run_result.outcome(0, place), int(run_result.steps[0, place])
        if isinstance(outcome, Failure) and steps <= MAX_EXPLAINED_STEPS:
            results.append(interpret(program, each, budget))
        else:
            results.append(Result(outcome, steps))
    return results
