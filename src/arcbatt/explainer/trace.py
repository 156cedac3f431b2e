"""Trace a program: the value of every line on every pair of a task."""

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

from .feedback import FailedCall, PairOutcome, find_failed_call, write_feedback
from .rules import describe_rule
from .source import Source, Statement

Outcome: TypeAlias = "Value | Failure"
# "failed": a call of this line failed. "blocked": an earlier line that this one needs
# failed. "unreached": the budget was spent before.
State = Literal["value", "failed", "blocked", "unreached"]
Verdict = Literal["right", "wrong", "failed", "unjudged"]
# More than anyone would read, but still drawn within seconds.
MAX_LINES = 500
MAX_CALLS = 2_000
# The height of a page in a notebook, in pixels.
FRAME_PIXELS = 640
# Return whether an outcome is right for a test input; None if the answer is unknown.
JudgeTest: TypeAlias = "Callable[[int, Value], bool | None]"


@dataclass(frozen=True, slots=True)
class Step:
    """The value of a line, or of a call inside it, on one pair.

    `type` is the inferred type; `outcome` is None if the line was not reached; `needs` names the
    failed line that a blocked line needs; `words` describe a learned rule.
    """

    text: str
    type: Type
    state: State
    outcome: Outcome
    needs: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineTrace:
    """The value of one line on one pair, its own cost, and the calls inside it."""

    step: Step
    n_steps: int
    inner: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class PairTrace:
    """A run of the program on one pair; `wanted` is None for a test input."""

    label: str
    input: Grid
    wanted: Grid | None
    lines: tuple[LineTrace, ...]
    outcome: Outcome
    verdict: Verdict
    n_steps: int
    failed: FailedCall | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A statement with its static properties.

    `warning` says why it always fails; `is_used` whether the result needs it.
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
        """Write the explanation as a self-contained HTML page."""
        write_whole(Path(path), self._page())

    @property
    def text(self) -> str:
        """The result on each pair in plain text, short enough for a prompt.

        It names the first cells that differ, and the line that failed with the values it was given.
        """
        pairs = (
            PairOutcome(each.label, each.wanted, each.outcome, each.failed) for each in self.pairs
        )
        return write_feedback(self.program.name, pairs)

    def _page(self) -> str:
        from .page import make_page  # imported here because pages import explanations

        return make_page(self)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{pair.label} {pair.verdict}" for pair in self.pairs)
        return f"<Explanation of {self.program.name} on {self.task.id}: {verdicts}>"

    def _repr_svg_(self) -> None:
        return None

    def _repr_html_(self) -> str:
        # An iframe keeps the styles and scripts of the page and the notebook apart.
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
        failed = find_failed_call(program, result.failed_at, result.trace)
        return PairTrace(label, grid, wanted, lines, result.outcome, verdict, result.steps, failed)

    return Explanation(
        program, source, task, runner.type_lines(), tuple(trace(*pair) for pair in pairs)
    )


def why_too_large(program: ParsedProgram) -> str | None:
    """Return why a program is too large to explain, or None."""
    n_lines, n_calls = len(program.lines), program.program.n_calls
    if n_lines <= MAX_LINES and n_calls <= MAX_CALLS:
        return None
    return (
        f"{program.name} has {n_lines:,} lines and {n_calls:,} calls; at most "
        f"{MAX_LINES} lines and {MAX_CALLS:,} calls can be explained"
    )


def all_pairs(task: Task) -> list[tuple[str, int]]:
    """Return all pairs of a task in the form that `explain` takes: demos, then test inputs."""
    kinds = (("demo", len(task.demos)), ("test", len(task.test_inputs)))
    return [(kind, index) for kind, count in kinds for index in range(count)]


def unjudged(_index: int, _value: Value) -> None:
    """Return None for every test input, as answers are unknown."""
    return


class _Runner:
    """Run one program and assign the values of its nodes to the lines of its text."""

    def __init__(
        self, program: ParsedProgram, statements: Sequence[Statement], budget: Budget
    ) -> None:
        self.program = program.program
        self.statements = statements
        self.budget = budget
        self.used = set(self.program.nodes())
        # The index of the line that a node belongs to: the first that needs it.
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
            if known is None:  # the line, or one that it needs, always fails
                typing = infer(Program(statement.node))
                known = typing.result
                own = [w.message for w in typing.warnings if self.owners[w.node] == index]
                warning = "; ".join(own)
            lines.append(Line(statement, known, warning, statement.node in self.used))
        return tuple(lines)

    def run(self, inputs: Mapping[str, Value]) -> tuple[Result, tuple[LineTrace, ...]]:
        """Run the program; lines that its result does not need are run separately.

        These share one more budget; lines after its end are not reached.
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
            return Step(text, known, "value", outcome, words=describe_rule(node, outcomes))
        origin = node
        while failed := [arg for arg in origin.args if isinstance(outcomes[arg], Failure)]:
            origin = failed[0]
        owner = self.owners[origin]
        if owner == line:
            return Step(text, known, "failed", outcome)
        return Step(text, known, "blocked", outcome, self.statements[owner].name)
