"""A program and a task in; the value of every line on every pair out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal, TypeAlias

from arcbatt.display import Displayed
from arcbatt.files import write_whole
from arcbatt.language import Budget, Failure, Node, ParsedProgram, Program, Result, Value, interpret
from arcbatt.language.budget import SEARCH_BUDGET
from arcbatt.language.infer import infer, type_of
from arcbatt.language.types import ANY, Type
from arcbatt.tasks import Grid, Task

from .rules import say_learnt
from .source import Source, Statement

Outcome: TypeAlias = "Value | Failure"
# "failed": a call of this very line failed. "blocked": an earlier line did, and this one needs
# it. "unreached": the budget was spent before.
State = Literal["value", "failed", "blocked", "unreached"]
Verdict = Literal["right", "wrong", "failed", "unjudged"]
# More than any program that somebody would read, and drawn within seconds.
MAX_LINES = 500
MAX_CALLS = 2_000
# How high a page is in a notebook.
FRAME_PIXELS = 640
# Whether an outcome is the answer to the test input of an index; None where nobody knows.
JudgeTest: TypeAlias = "Callable[[int, Value], bool | None]"


@dataclass(frozen=True, slots=True)
class Step:
    """What a line, or a call inside it, gave on one pair.

    `type` is what is known of its value before it runs; `outcome` is None where it was not
    reached; `needs` names the line that a blocked one needs; `words` tell what it has learnt.
    """

    text: str
    type: Type
    state: State
    outcome: Outcome
    needs: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineTrace:
    """What one line gave on one pair, what it cost alone, and what the calls inside it gave."""

    step: Step
    n_steps: int
    inner: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class PairTrace:
    """A program's run on one pair; `wanted` is None for a test input."""

    label: str
    input: Grid
    wanted: Grid | None
    lines: tuple[LineTrace, ...]
    outcome: Outcome
    verdict: Verdict
    n_steps: int


@dataclass(frozen=True, slots=True)
class Line:
    """A statement with what is known of it before it runs.

    `warning` says why it cannot give a value; `is_used` whether the result needs it.
    """

    statement: Statement
    type: Type
    warning: str
    is_used: bool


@dataclass(frozen=True, slots=True)
class Explanation(Displayed):
    """The explanation of a program on a task: the value of every line on every pair."""

    program: ParsedProgram
    source: Source
    task: Task
    lines: tuple[Line, ...]
    pairs: tuple[PairTrace, ...]

    def save(self, path: str | Path) -> None:
        """Write it as a page of HTML that needs nothing but itself."""
        write_whole(Path(path), self._page())

    def _page(self) -> str:
        from .page import make_page  # here, since pages are made of explanations

        return make_page(self)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{pair.label} {pair.verdict}" for pair in self.pairs)
        return f"<Explanation of {self.program.name} on {self.task.id}: {verdicts}>"

    def _repr_svg_(self) -> None:
        return None

    def _repr_html_(self) -> str:
        # A frame of its own, so that neither style nor script of the page meet the notebook's.
        return (
            f'<iframe srcdoc="{escape(self._page())}" sandbox="allow-scripts" '
            f'style="width:100%;height:{FRAME_PIXELS}px;border:0"></iframe>'
        )


def explain(
    program: ParsedProgram,
    source: Source,
    task: Task,
    pairs: Iterable[tuple[str, int]],
    judge_test: JudgeTest,
    budget: Budget = SEARCH_BUDGET,
) -> Explanation:
    """Run a program on pairs of a task, given as ("demo" or "test", index from 0)."""
    runner = _Runner(program, source.statements, budget)
    demos = tuple((demo.input, demo.output) for demo in task.demos)

    def trace(kind: str, index: int) -> PairTrace:
        is_demo = kind == "demo"
        grid = task.demos[index].input if is_demo else task.test_inputs[index]
        wanted = task.demos[index].output if is_demo else None
        result, lines = runner.run({"I": grid, "S": demos})
        verdict: Verdict = "failed"
        if not isinstance(result.outcome, Failure):
            right = (
                judge_test(index, result.outcome) if wanted is None else result.outcome == wanted
            )
            verdict = "unjudged" if right is None else "right" if right else "wrong"
        label = f"{kind} {index + 1}"
        return PairTrace(label, grid, wanted, lines, result.outcome, verdict, result.steps)

    return Explanation(
        program, source, task, runner.type_lines(), tuple(trace(*pair) for pair in pairs)
    )


def why_too_large(program: ParsedProgram) -> str | None:
    """Return why there is more to show of a program than anyone would look at, None if not."""
    n_lines, n_calls = len(program.lines), program.program.n_calls
    if n_lines <= MAX_LINES and n_calls <= MAX_CALLS:
        return None
    return (
        f"{program.name} has {n_lines:,} lines and {n_calls:,} calls, explained are at most "
        f"{MAX_LINES} lines and {MAX_CALLS:,} calls"
    )


def all_pairs(task: Task) -> list[tuple[str, int]]:
    """Return the pairs of a task as `explain` takes them: its demos, then its test inputs."""
    kinds = (("demo", len(task.demos)), ("test", len(task.test_inputs)))
    return [(kind, index) for kind, count in kinds for index in range(count)]


def unjudged(_index: int, _value: Value) -> None:
    """Say nothing of what is given for test inputs, whose answers nobody knows here."""
    return


class _Runner:
    """Runs one program and sorts what its nodes give by the lines of its text."""

    def __init__(
        self, program: ParsedProgram, statements: Sequence[Statement], budget: Budget
    ) -> None:
        self.program = program.program
        self.statements = statements
        self.budget = budget
        self.used = set(self.program.nodes())
        # The line, by its index, that a node belongs to: the first that needs it.
        self.owners: dict[Node, int] = {}
        for index, statement in enumerate(statements):
            stack = [statement.node]
            while stack:
                node = stack.pop()
                if node not in self.owners:
                    self.owners[node] = index
                    stack.extend(node.args)

    def type_lines(self) -> tuple[Line, ...]:
        lines = []
        for index, statement in enumerate(self.statements):
            known, warning = type_of(statement.node), ""
            if known is None:  # it, or a line that it needs, cannot work
                typing = infer(Program(statement.node))
                known = typing.result
                own = [w.message for w in typing.warnings if self.owners[w.node] == index]
                warning = "; ".join(own)
            lines.append(Line(statement, known, warning, statement.node in self.used))
        return tuple(lines)

    def run(self, inputs: Mapping[str, Value]) -> tuple[Result, tuple[LineTrace, ...]]:
        """Run the program; lines that its result does not need are run on their own.

        Those end when they have taken as much as the program may: the others are not reached.
        """
        result = interpret(self.program, inputs, self.budget, keep_trace=True)
        outcomes, node_steps = dict(result.trace), dict(result.node_steps)
        n_alone = 0
        for statement in self.statements:
            if statement.node not in self.used and n_alone <= self.budget.steps:
                alone = interpret(Program(statement.node), inputs, self.budget, keep_trace=True)
                n_alone += alone.steps
                outcomes = {**alone.trace, **outcomes}
                node_steps = {**alone.node_steps, **node_steps}
        n_steps = [0] * len(self.statements)
        for node, owner in self.owners.items():
            n_steps[owner] += node_steps.get(node, 0)
        lines = tuple(
            LineTrace(
                self.step(statement.text, statement.node, index, outcomes),
                n_steps[index],
                tuple(self.step(i.text, i.node, index, outcomes) for i in statement.inner),
            )
            for index, statement in enumerate(self.statements)
        )
        return result, lines

    def step(self, text: str, node: Node, line: int, outcomes: Mapping[Node, Outcome]) -> Step:
        known = type_of(node) or ANY
        if node not in outcomes:
            return Step(text, known, "unreached", None)
        outcome = outcomes[node]
        if not isinstance(outcome, Failure):
            return Step(text, known, "value", outcome, words=say_learnt(node, outcomes))
        origin = node
        while failed := [arg for arg in origin.args if isinstance(outcomes[arg], Failure)]:
            origin = failed[0]
        owner = self.owners[origin]
        if owner == line:
            return Step(text, known, "failed", outcome)
        return Step(text, known, "blocked", outcome, self.statements[owner].name)
