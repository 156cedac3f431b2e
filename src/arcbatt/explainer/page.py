"""Render an explanation as a self-contained HTML page.

`page.html` is the page; `explanation.html` is the part that pages of the web app share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from arcbatt.drawing import Kind, describe, svg_grid, svg_pair, svg_value
from arcbatt.drawing.grid_diff import differing_cells
from arcbatt.drawing.pages import render_page, trusted
from arcbatt.drawing.palette import is_color
from arcbatt.drawing.words import words
from arcbatt.language import Failure, find_primitive, format_value
from arcbatt.language.types import NAMED
from arcbatt.plurals import count
from arcbatt.tasks import Pair

from .choice_table import ChoiceTable
from .layers import LaidLayer, find_layers, lay
from .rule_tables import to_tables
from .trace import Explanation, Line, LineTrace, PairTrace, Step
from .wording import VERDICT_MARKS, format_steps, is_rule, verdict_words, why_no_value

# Kinds of values shown as text; the others are drawn.
PLAIN = frozenset({Kind.NUMBER, Kind.BOOLEAN, Kind.PAIR, Kind.NUMBERS, Kind.NOTHING, Kind.EMPTY})
# The text of a function that captured a grid is as long as the grid.
MAX_FUNCTION_TEXT = 400


def make_page(explanation: Explanation, choices: Sequence[ChoiceTable] = ()) -> str:
    """Return a page with the task, a tab per pair, and the value of each line.

    `choices` explain why the outputs of the program became attempts of a search.
    """
    values = explanation_values(explanation)
    return render_page("arcbatt.explainer", "page.html", choices=choices, **values)


def explanation_values(explanation: Explanation) -> dict[str, Any]:
    """Return the template values of `explanation.html`."""
    return {
        "program": explanation.program,
        "source": explanation.source,
        "task": explanation.task,
        "pairs": explanation.pairs,
        "rows": list(_rows(explanation)),
        "stacks": list(_shown_layers(explanation)),
        "thumbnails": list(_thumbnails(explanation)),
        "marks": VERDICT_MARKS,
        "words": words,
        "find_primitive": find_primitive,
        "count": count,
        "format_steps": format_steps,
        "verdict_words": verdict_words,
        "show_value": _show_value,
        "inner_steps": _inner_steps,
        "draw_given": _draw_given,
        "draw_end": _draw_end,
        "draw_layer": _draw_layer,
        "to_tables": to_tables,
    }


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the program with its value and cost on every pair."""

    line: Line
    anchor: str
    classes: str
    traces: Sequence[tuple[PairTrace, LineTrace]]

    @property
    def costs(self) -> list[int]:
        return [trace.n_steps for _, trace in self.traces]


def _rows(explanation: Explanation) -> Iterator[_Row]:
    earlier: set[str] = set()
    for index, line in enumerate(explanation.lines):
        name = line.statement.name
        # Ids must be unique; a name that is assigned twice links to its first line.
        anchor = f"line-{name}" if name not in earlier else f"line-{name}-{index}"
        earlier.add(name)
        traces = [(pair, pair.lines[index]) for pair in explanation.pairs]
        states = [trace.step.state for _, trace in traces]
        classes = "line" + " unused" * (not line.is_used)
        classes += " has-failed" * ("failed" in states)
        classes += " idle" * all(state in ("blocked", "unreached") for state in states)
        yield _Row(line, anchor, classes, traces)


@dataclass(frozen=True, slots=True)
class _ShownLayer:
    """A layer of a stack: the line that creates it, and its grid on each pair."""

    name: str
    text: str
    paints: str
    laid: Sequence[tuple[PairTrace, LaidLayer]]


def _shown_layers(explanation: Explanation) -> Iterator[_ShownLayer]:
    """Yield the layers of a program that stacks pictures, from top to bottom."""
    layers = find_layers(explanation.program.program)
    laid = [(pair, lay(layers, explanation.task, pair.input)) for pair in explanation.pairs]
    lines = {line.statement.node: line.statement for line in explanation.lines}
    for number, layer in enumerate(layers):
        line = lines.get(layer.piece)
        yield _ShownLayer(
            "" if line is None else line.name,
            "" if line is None else line.text,
            layer.paints,
            [(pair, shown[number]) for pair, shown in laid],
        )


def _draw_layer(laid: LaidLayer) -> Markup | None:
    """Draw a layer with those below it, and outline the cells it changes."""
    if laid.grid is None:
        return None
    is_all = len(laid.changed) == len(laid.grid) * len(laid.grid[0])
    if is_all or not laid.changed:
        return trusted(svg_grid(laid.grid))
    cells = frozenset((laid.grid[r][c], (r, c)) for r, c in laid.changed)
    return trusted(svg_value(cells, laid.grid))


def _thumbnails(explanation: Explanation) -> Iterator[tuple[str, Markup, int | None]]:
    """Yield a thumbnail per pair of the task, with its index if it can be selected."""
    task = explanation.task
    drawings = [(f"demo {k}", svg_pair(demo)) for k, demo in enumerate(task.demos, 1)]
    drawings += [(f"test {k}", svg_grid(grid)) for k, grid in enumerate(task.test_inputs, 1)]
    places = {pair.label: k for k, pair in enumerate(explanation.pairs)}
    for label, drawing in drawings:
        yield label, trusted(drawing), places.get(label)


def _draw_given(pair: PairTrace) -> Markup:
    """Draw the input of a pair, with the expected output if known."""
    if pair.wanted is None:
        return trusted(svg_grid(pair.input))
    return trusted(svg_pair(Pair(pair.input, pair.wanted)))


@dataclass(frozen=True, slots=True)
class _ShownValue:
    """A value as a drawing or as text; `kind` is its CSS class."""

    kind: str
    text: str = ""
    swatch: int | None = None
    drawing: Markup | None = None
    words: Sequence[str] = ()


def _show_value(step: Step, pair: PairTrace) -> _ShownValue:
    if step.state == "failed":
        return _ShownValue("failure", f"failed: {step.outcome}")
    if step.state != "value" or isinstance(step.outcome, Failure):
        return _ShownValue("blocked", why_no_value(step))
    value = step.outcome
    if is_rule(step):
        return _ShownValue("rule", words=step.words)
    description = describe(value, step.type)
    if description.kind is Kind.FUNCTION:
        text = format_value(value)
        if len(text) > MAX_FUNCTION_TEXT:
            text = text[:MAX_FUNCTION_TEXT] + "..."
        return _ShownValue("function", text)
    if description.kind in PLAIN:
        is_swatch = step.type is NAMED["Color"] and isinstance(value, int) and is_color(value)
        swatch = value if is_swatch and isinstance(value, int) else None
        return _ShownValue("plain", description.caption, swatch)
    drawing = trusted(svg_value(value, pair.input, step.type))
    return _ShownValue("picture", drawing=drawing, words=step.words)


def _inner_steps(trace: LineTrace) -> list[Step]:
    """Return the calls inside a line, except those that return functions."""
    return [
        step
        for step in trace.inner
        if step.state == "failed"
        or (step.state == "value" and describe(step.outcome).kind is not Kind.FUNCTION)
    ]


def _draw_end(pair: PairTrace) -> list[tuple[str, Markup]]:
    """Draw the expected output, the actual output, and their differences."""
    drawings = []
    if pair.wanted is not None:
        drawings.append(("wanted", svg_value(pair.wanted)))
    if not isinstance(pair.outcome, Failure):
        drawings.append(("got", svg_value(pair.outcome, pair.input)))
        differing = differing_cells(pair.wanted, pair.outcome) if pair.wanted is not None else None
        if differing:
            drawings.append(("where they differ", svg_value(differing, pair.wanted)))
    return [(title, trusted(svg)) for title, svg in drawings]
