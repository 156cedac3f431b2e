"""Draw an explanation in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from arcbatt.drawing import Kind, describe, draw_grid, draw_pair, draw_value
from arcbatt.drawing.grid_diff import differing_cells
from arcbatt.drawing.words import words
from arcbatt.language import Failure
from arcbatt.tasks import Grid, Pair

from .source import Source
from .trace import Explanation, Line, PairTrace, Step
from .wording import VERDICT_MARKS, format_steps, is_rule, verdict_words, why_no_value

WORD_STYLES = {
    "primitive": "bold cyan",
    "constant": "magenta",
    "input": "bold green",
    "name": "",
    "comment": "dim italic",
    "other": "dim",
}
VERDICT_STYLES = {
    "right": "bold green",
    "wrong": "bold red",
    "failed": "bold red",
    "unjudged": "bold yellow",
}
FIGURE_GAP = 4
# Longer types (of functions that captured functions) would displace the code.
MAX_TYPE = 48


def draw_code(text: str, names: Set[str]) -> Text:
    """Return program text with syntax highlighting; `names` are the assigned names."""
    drawn = Text()
    for kind, word in words(text, names):
        drawn.append(word, style=WORD_STYLES[kind])
    return drawn


def draw_source(source: Source) -> Text:
    """Return the text of a program without its docstring, which would widen it."""
    text = draw_code(source.header, source.names)
    for statement in source.statements:
        lines = [*statement.comments, *statement.text.split("\n")]
        text.append_text(_indent_code(lines, source))
    if not source.statements or source.statements[-1].text != source.last_line:
        text.append_text(_indent_code([source.last_line], source))
    return text


def _indent_code(lines: Iterable[str], source: Source) -> Text:
    code = Text()
    for line in lines:
        code.append("\n    ").append_text(draw_code(line, source.names))
    return code


def draw_explanation(explanation: Explanation, inner: bool = False) -> RenderableType:
    """Draw every line of the program with its value on every pair.

    With `inner`, the values of the calls inside each line are drawn too.
    """
    names = explanation.source.names
    parts: list[RenderableType] = [_heading(explanation), Text()]
    parts.append(_side_by_side([_given(pair) for pair in explanation.pairs]))
    for index, line in enumerate(explanation.lines):
        steps = [pair.lines[index] for pair in explanation.pairs]
        costs = [step.n_steps for step in steps]
        parts += [Text(), _line(line, costs, all(s.step.state == "blocked" for s in steps), names)]
        drawn = [
            _labeled(pair, _value(pair.lines[index].step, pair), explanation)
            for pair in explanation.pairs
        ]
        parts.append(_indented(_side_by_side(drawn), 5))
        if inner:
            parts += _inner_calls(explanation, index)
    parts += [Text(), Rule(style="dim"), _side_by_side([_end(pair) for pair in explanation.pairs])]
    return Group(*parts)


def _inner_calls(explanation: Explanation, index: int) -> Iterable[RenderableType]:
    """Yield the calls inside a line with their values, except functions."""
    for k, inner_call in enumerate(explanation.lines[index].statement.inner):
        steps = [(pair, pair.lines[index].inner[k]) for pair in explanation.pairs]
        if any(describe(step.outcome).kind is Kind.FUNCTION for _, step in steps):
            continue
        label = Text.assemble(("· ", "dim"), draw_code(inner_call.text, explanation.source.names))
        drawn = [_labeled(pair, _value(step, pair), explanation) for pair, step in steps]
        yield _indented(label, 5)
        yield _indented(_side_by_side(drawn), 7)


def _heading(explanation: Explanation) -> RenderableType:
    program = explanation.program
    title = Text(program.name, style="bold")
    title.append(f"  {program.file}:{program.line}", style="not bold dim")
    title.append(f", on task {explanation.task.id}", style="not bold dim")
    return (
        Group(title, Text(explanation.source.doc, style="italic"))
        if explanation.source.doc
        else title
    )


def _given(pair: PairTrace) -> RenderableType:
    if pair.wanted is None:
        return Group(
            Text.assemble((pair.label, "bold"), (f"  {_size(pair.input)}", "dim")),
            draw_grid(pair.input),
        )
    sizes = f"  {_size(pair.input)} -> {_size(pair.wanted)}"
    return Group(
        Text.assemble((pair.label, "bold"), (sizes, "dim")),
        draw_pair(Pair(pair.input, pair.wanted)),
    )


def _line(line: Line, costs: Sequence[int], is_blocked: bool, names: Set[str]) -> RenderableType:
    """Return a line with its number on the left, and its type and cost on the right."""
    statement = line.statement
    code = draw_code(statement.text, names)
    if not line.is_used or is_blocked:
        code.stylize("dim")
    facts = Text.assemble((_short(str(line.type)), "yellow"), (f"  {format_steps(costs)}", "dim"))
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(justify="right", style="dim", no_wrap=True, width=3)
    table.add_column(ratio=1)
    table.add_column(justify="right")
    for comment in statement.comments:
        table.add_row("", Text(comment, style=WORD_STYLES["comment"]))
    table.add_row(str(statement.number), code, facts)
    if not line.is_used:
        table.add_row("", Text("unused: the result does not need this line", style="dim italic"))
    if line.warning:
        table.add_row("", Text(f"cannot work: {line.warning}", style="yellow"))
    return table


def _short(text: str) -> str:
    return text if len(text) <= MAX_TYPE else text[: MAX_TYPE - 3] + "..."


def _value(step: Step, pair: PairTrace) -> RenderableType:
    """Draw the value of a line or an inner call."""
    if step.state == "value":
        words = [Text(line, style="italic") for line in step.words]
        if is_rule(step):
            return Group(*words)
        drawn = draw_value(step.outcome, pair.input, step.type)
        return Group(drawn, *words) if words else drawn
    if step.state == "failed":
        return Text(f"failed: {step.outcome}", style="bold red")
    return Text(why_no_value(step), style="dim red" if step.state == "blocked" else "dim")


def _labeled(pair: PairTrace, drawn: RenderableType, explanation: Explanation) -> RenderableType:
    """Put the pair's label above its value if several pairs are side by side."""
    if len(explanation.pairs) == 1:
        return drawn
    return Group(Text(pair.label, style="dim bold"), drawn)


def _end(pair: PairTrace) -> RenderableType:
    """Draw the verdict on a pair; for a wrong demo, the expected and the actual output."""
    verdict = Text.assemble(
        (
            f"{VERDICT_MARKS[pair.verdict]} {pair.label} {verdict_words(pair)}",
            VERDICT_STYLES[pair.verdict],
        ),
        (f"  {pair.n_steps:,} steps", "dim"),
    )
    if pair.wanted is None or pair.verdict != "wrong" or isinstance(pair.outcome, Failure):
        return verdict
    figures: list[RenderableType] = [
        Group(
            Text("wanted", style="bold"),
            Text(f"grid {_size(pair.wanted)}", style="dim"),
            draw_grid(pair.wanted),
        )
    ]
    figures.append(Group(Text("got", style="bold"), draw_value(pair.outcome, over=pair.input)))
    differing = differing_cells(pair.wanted, pair.outcome)
    if differing:
        shown = draw_value(differing, over=pair.wanted)
        figures.append(Group(Text("where they differ", style="bold"), shown))
    return Group(verdict, _side_by_side(figures))


def _size(grid: Grid) -> str:
    return f"{len(grid)}x{len(grid[0])}"


def _side_by_side(drawn: Sequence[RenderableType]) -> RenderableType:
    return drawn[0] if len(drawn) == 1 else Columns(drawn, padding=(0, FIGURE_GAP))


def _indented(drawn: RenderableType, columns: int) -> RenderableType:
    return Padding(drawn, (0, 0, 0, columns))
