"""Check which programs are right on their tasks.

A program is named after its task: `solve_<task>`. It is type-checked, then run on every demo input
and test input of that task: by the reference interpreter, which knows where a program fails, or, if
that would take too long, by the engine. A program for an unknown task is only type-checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeAlias

from arcbatt.drawing.grid_diff import describe_difference
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import (
    Budget,
    Failure,
    Node,
    ParsedProgram,
    Program,
    Reason,
    RejectedProgram,
    Value,
    interpret,
)
from arcbatt.language.infer import infer
from arcbatt.language.ir import INPUTS
from arcbatt.measure import phase
from arcbatt.scoring import Answers, find_answers, is_right, load_answers
from arcbatt.tasks import BadTask, Grid, Task, TaskError, load_valid
from arcbatt.tasks.loader import look_up_task
from arcbatt.tasks.program_names import program_name, task_id_of

# Beyond this, the reference interpreter would need a second or more.
MAX_REFERENCE_STEPS = 1_000_000
# The number of lines that are run one by one to find one that costs too much.
MAX_LINES_TRIED = 8
NOT_REACHED = Failure(Reason.BUDGET)
DIFFER = "a differ judges the output of another program, and cannot be run by itself"

PairResult = Literal["right", "wrong", "failed", "unjudged"]
Outcome: TypeAlias = "Value | Failure"
# Returns what is wrong with an outcome, or None if it is right.
Judge: TypeAlias = "Callable[[Value], str | None]"
# The line of a node: its number in the file and the name it assigns.
LinePlace = tuple[int, str]


@dataclass(frozen=True, slots=True)
class KnownTask:
    """A task with the sealed answers to its test inputs, or None if they are unknown."""

    task: Task
    answers: Answers | None


FindTask = Callable[[str], KnownTask | None]


@dataclass(frozen=True, slots=True)
class PairCheck:
    """A program's outcome on one pair, and whether it is right.

    `pair` is "demo 1" or "test 1". A test input without a known answer is "unjudged". `line` and
    `name` tell where the program failed, if the reference interpreter could follow it.
    """

    pair: str
    result: PairResult
    outcome: Outcome
    steps: int
    reason: str | None = None
    line: int | None = None
    name: str | None = None

    @property
    def located_reason(self) -> str:
        """The reason with the pair, and the line if the program failed."""
        if self.line is not None:
            return f"line {self.line}, {self.name}: {self.reason} ({self.pair})"
        return f"{self.pair}: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data, without the output grid."""
        shown: dict[str, Any] = {"pair": self.pair, "result": self.result, "reason": self.reason}
        if self.result == "failed":
            shown |= {"line": self.line, "name": self.name}
        return shown | {"steps": self.steps}


@dataclass(frozen=True, slots=True)
class LineWarning:
    """A line that fails for every input, and why."""

    line: int
    name: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.name}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        return {"line": self.line, "name": self.name, "message": self.message}


@dataclass(frozen=True, slots=True)
class ProgramCheck:
    """The check of one program; `known` is None if it was only type-checked."""

    program: ParsedProgram
    known: KnownTask | None
    pairs: tuple[PairCheck, ...]
    warnings: tuple[LineWarning, ...]

    @property
    def task_id(self) -> str | None:
        """The id of the task that the program is named after, known or not."""
        return task_id_of(self.program.name) if self.known is None else self.known.task.id

    @property
    def right(self) -> bool | None:
        """Whether no pair is wrong and none failed; None if only type-checked."""
        if self.known is None:
            return None
        return not self.first_trouble

    @property
    def fits(self) -> bool | None:
        """Whether all demos are right; None if only type-checked."""
        return self._all_right("demo")

    @property
    def solves(self) -> bool | None:
        """Whether all test inputs are right; None if only type-checked or without answers."""
        return self._all_right("test")

    def _all_right(self, kind: str) -> bool | None:
        results = {pair.result for pair in self.pairs if pair.pair.startswith(kind)}
        if results <= {"unjudged"}:
            return None
        return results == {"right"}

    @property
    def is_fine(self) -> bool:
        """Whether the program has no warning and is right or was only type-checked."""
        return not self.warnings if self.right is None else self.right

    @property
    def first_trouble(self) -> PairCheck | None:
        """The first failed pair, or else the first wrong one: a failure explains more."""
        for result in ("failed", "wrong"):
            for pair in self.pairs:
                if pair.result == result:
                    return pair
        return None

    @property
    def cost(self) -> int | None:
        """The highest number of steps on a pair."""
        return max((pair.steps for pair in self.pairs), default=None)

    @property
    def cost_sum(self) -> int | None:
        """The steps of all pairs together."""
        return sum(pair.steps for pair in self.pairs) if self.pairs else None

    @property
    def reason(self) -> str | None:
        """Why the program is not fine, in one line; None if it is."""
        trouble = self.first_trouble
        if trouble is None:
            return str(self.warnings[0]) if self.warnings and not self.right else None
        return trouble.located_reason

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.program.name,
            "task": self.task_id,
            "file": self.program.file,
            "line": self.program.line,
            "right": self.right,
            "fits": self.fits,
            "solves": self.solves,
            "pairs": [pair.to_json() for pair in self.pairs],
            "cost": self.cost,
            "cost_sum": self.cost_sum,
            "reason": self.reason,
            "warnings": [warning.to_json() for warning in self.warnings],
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The checks of all programs, the rejections by the parser, and errors about files."""

    programs: tuple[ProgramCheck, ...]
    rejected: tuple[RejectedProgram, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return len(self.programs) + len(self.rejected)

    @property
    def n_right(self) -> int:
        return sum(check.right is True for check in self.programs)

    @property
    def n_typed_only(self) -> int:
        return sum(check.right is None for check in self.programs)

    @property
    def all_fine(self) -> bool:
        """Whether every file was read and every program is fine."""
        all_read = not self.errors and not self.rejected
        return all_read and all(check.is_fine for check in self.programs)

    def to_json(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "right": self.n_right,
            "typed_only": self.n_typed_only,
            "programs": [
                *(check.to_json() for check in self.programs),
                *map(_rejected_to_json, self.rejected),
            ],
            "errors": list(self.errors),
        }


def _rejected_to_json(rejected: RejectedProgram) -> dict[str, Any]:
    return {
        "name": rejected.name,
        "task": task_id_of(rejected.name),
        "file": rejected.error.file,
        "line": rejected.line,
        "right": False,
        "fits": False,
        "solves": False,
        "pairs": [],
        "cost": None,
        "cost_sum": None,
        "reason": "\n".join(map(str, rejected.errors)),
        "warnings": [],
    }


def find_named(program: str) -> KnownTask | None:
    """Return the task of the built-in sets that a program is named after, or None."""
    task_id = task_id_of(program)
    return None if task_id is None else find_built_in(task_id)


@cache
def find_built_in(task_id: str) -> KnownTask | None:
    """Return the task of this id from the built-in sets, or None if none has it."""
    with phase("load"):
        task = look_up_task(task_id)
    return None if task is None else KnownTask(task, find_answers(task_id))


@dataclass(frozen=True, slots=True)
class SourceTasks:
    """The tasks of a source by program name, with the source's answers.

    `no_answers` says why there are no answers. `bad` are the invalid tasks, also by program name.
    """

    tasks: Mapping[str, Task]
    answers: Answers | None
    no_answers: str | None
    bad: Mapping[str, BadTask]

    def find(self, task_id: str) -> KnownTask | None:
        """Return the task of this id, or None if the source lacks it."""
        return self.find_named(program_name(task_id))

    def find_named(self, program: str) -> KnownTask | None:
        """Return the task that a program is named after, or None if the source lacks it."""
        task = self.tasks.get(program)
        return None if task is None else KnownTask(task, self.answers)


def load_source(source: str) -> SourceTasks:
    """Return the tasks of a source that `arcbatt.tasks.load` accepts, with any answers it has."""
    valid, bad = load_valid(source)
    tasks = {program_name(task.id): task for task in valid}
    not_valid = {program_name(each.id): each for each in bad}
    try:
        return SourceTasks(tasks, load_answers(source), None, not_valid)
    except TaskError as error:
        # A competition publishes tasks without answers; their demos can still be judged.
        return SourceTasks(tasks, None, str(error), not_valid)


def check_programs(
    programs: Iterable[ParsedProgram], find: FindTask = find_named, budget: Budget | None = None
) -> Iterable[ProgramCheck]:
    """Yield the check of each program; `find` looks up the task of a program's name."""
    for program in programs:
        yield check_program(program, find(program.name), budget)


def is_differ(program: ParsedProgram) -> bool:
    """Return whether a program reads another program's output, which a task does not have."""
    return program.program.inputs == INPUTS


def check_program(
    program: ParsedProgram, known: KnownTask | None, budget: Budget | None = None
) -> ProgramCheck:
    """Check one program on a task, or only its types."""
    places = program.places()
    warnings = tuple(
        LineWarning(*places[warning.node], warning.message)
        for warning in infer(program.program).warnings
    )
    if known is None:
        return ProgramCheck(program, None, (), warnings)
    if is_differ(program):
        trouble = LineWarning(program.line, program.name, DIFFER)
        return ProgramCheck(program, None, (), (*warnings, trouble))
    task = known.task
    demos = tuple((demo.input, demo.output) for demo in task.demos)
    given = [
        PairToRun(f"demo {number}", demo.input, partial(judge_demo, demo.output))
        for number, demo in enumerate(task.demos, 1)
    ]
    for index, grid in enumerate(task.test_inputs):
        given.append(PairToRun(f"test {index + 1}", grid, answer_judge(known, index)))
    return ProgramCheck(program, known, run_on_pairs(program, given, demos, budget), warnings)


@dataclass(frozen=True, slots=True)
class PairToRun:
    """An input with its label and the judge of its outcome; None if no answer is known."""

    label: str
    input: Grid
    judge: Judge | None


def run_on_pairs(
    program: ParsedProgram,
    given: Sequence[PairToRun],
    demos: tuple[Any, ...],
    budget: Budget | None = None,
) -> tuple[PairCheck, ...]:
    """Run a program on inputs and judge its outcomes; `demos` is its argument S."""
    budget = budget or Budget()
    places = program.places()
    with phase("run"):
        fast = _run_on_engine(program.program, [each.input for each in given], demos, budget)
    pairs: list[PairCheck] = []
    for index, each in enumerate(given):
        n_steps = int(fast.steps[0, index])
        with phase("run"):
            if n_steps <= MAX_REFERENCE_STEPS:
                result = interpret(program.program, {"I": each.input, "S": demos}, budget)
                ran = _PairOutcome(result.outcome, result.steps, result.failed_at)
            elif fast.reasons[0, index] == Reason.BUDGET:
                # Finding the line takes a while, and only the first failure is shown.
                is_first = not any(pair.result == "failed" for pair in pairs)
                costly = _find_costly_line(program, each.input, demos, budget) if is_first else None
                ran = _PairOutcome(_over_budget(budget), n_steps, costly)
            else:
                ran = _PairOutcome(fast.outcome(0, index), n_steps)
        pairs.append(_judge(each.label, ran, each.judge, places))
    return tuple(pairs)


@dataclass(frozen=True, slots=True)
class _PairOutcome:
    """A program's outcome on one input, its cost, and the node where it failed, if known."""

    outcome: Outcome
    steps: int
    failed_at: Node | None = None


def _over_budget(budget: Budget) -> Failure:
    """Return a failure that names all limits: the engine does not report which was exceeded."""
    limits = f"more than {budget.steps:,} steps or {budget.bytes:,} bytes, or nested too deep"
    return Failure(Reason.BUDGET, limits)


def _run_on_engine(
    program: Program, inputs: Sequence[Grid], demos: tuple[Any, ...], budget: Budget
) -> BattResult:
    samples = Samples(inputs, demos=[demos] * len(inputs))
    batt = Batt([program])
    return batt.run(samples, budget, device="cpu", n_threads=1, keep_values=True)


def _find_costly_line(
    program: ParsedProgram, grid: Grid, demos: tuple[Any, ...], budget: Budget
) -> Node | None:
    """Return the first line that is over budget by itself; None if the first few are not.

    Lines before the one where the reference interpreter gives up are cheap.
    """
    short = Budget(min(budget.steps, MAX_REFERENCE_STEPS), budget.bytes)
    reached = interpret(program.program, {"I": grid, "S": demos}, short, keep_trace=True).trace
    needed = set(program.program.nodes())
    lines = [node for _, _, node in program.lines if node in needed]
    open_lines = [node for node in lines if isinstance(reached.get(node, NOT_REACHED), Failure)]
    for node in open_lines[:MAX_LINES_TRIED]:
        result = _run_on_engine(Program(node), [grid], demos, budget)
        if result.reasons[0, 0] == Reason.BUDGET:
            return node
    return None


def _judge(
    pair: str, ran: _PairOutcome, judge: Judge | None, places: Mapping[Node, LinePlace]
) -> PairCheck:
    outcome = ran.outcome
    if isinstance(outcome, Failure):
        line, name = places[ran.failed_at] if ran.failed_at is not None else (None, None)
        return PairCheck(pair, "failed", outcome, ran.steps, str(outcome), line, name)
    if judge is None:
        return PairCheck(pair, "unjudged", outcome, ran.steps, "no answer is known")
    with phase("score"):
        trouble = judge(outcome)
    return PairCheck(pair, "wrong" if trouble else "right", outcome, ran.steps, trouble)


def judge_demo(wanted: Grid, outcome: Value) -> str | None:
    """Return how an outcome differs from the wanted grid, or None if it does not."""
    return None if outcome == wanted else describe_difference(wanted, outcome)


def answer_judge(known: KnownTask, index: int) -> Judge | None:
    """Return the judge of outcomes for a test input; None if its answer is unknown.

    It says only whether an outcome is right; the answer stays sealed.
    """
    answers = known.answers
    if answers is None:
        return None

    def judge(outcome: Value) -> str | None:
        right = is_right(answers, known.task.id, index, _with_plain_numbers(outcome))
        return None if right else "not the answer"

    return judge


def _with_plain_numbers(value: Value) -> Value:
    """Turn booleans into 0 and 1: the language does not distinguish them, but JSON does."""
    if isinstance(value, tuple):
        return tuple(_with_plain_numbers(member) for member in value)
    return int(value) if isinstance(value, bool) else value
