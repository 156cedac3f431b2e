"""An explanation in, a page of HTML out that refers to nothing outside itself."""

from collections.abc import Set
from html import escape
from importlib.resources import files

from arcbatt.differing import differing_cells
from arcbatt.drawing import Kind, describe, svg_grid, svg_pair, svg_value
from arcbatt.drawing.palette import colour_of, is_colour
from arcbatt.language import Failure, Primitive, find_primitive, format_value
from arcbatt.language.types import NAMED, Type
from arcbatt.tasks import Pair

from .source import words
from .trace import Explanation, LineTrace, PairTrace, Step
from .wording import VERDICT_MARKS, say_steps, verdict_words, why_no_value

# Kinds of values that say all in words; the others are drawn.
PLAIN = frozenset({Kind.NUMBER, Kind.BOOLEAN, Kind.PAIR, Kind.NUMBERS, Kind.NOTHING, Kind.EMPTY})
# A function that captured a grid has a text as long as the grid.
MAX_FUNCTION_TEXT = 400


def make_page(explanation: Explanation) -> str:
    """Return the page: the task, a tab for each pair, and the value of each line under it."""
    program, source = explanation.program, explanation.source
    lines = "\n".join(
        [_first_line(explanation), *(_line(explanation, k) for k in range(len(explanation.lines)))]
    )
    ends = "\n".join(_end(pair, k) for k, pair in enumerate(explanation.pairs))
    doc = f'<p class="doc">{escape(source.doc)}</p>' if source.doc else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(program.name)} on {escape(explanation.task.id)}</title>
<style>
{_resource("page.css")}</style>
</head>
<body>
<header>
<h1>{escape(program.name)}</h1>
{doc}
<p class="where">task {escape(explanation.task.id)} of {escape(explanation.task.source)}, \
program at <code>{escape(program.file)}:{program.line}</code></p>
<div class="task">{_thumbnails(explanation)}</div>
</header>
<nav class="tabs"><div class="tabs-inner" role="tablist">{_tabs(explanation)}</div></nav>
<main>
<ol class="lines">
{lines}
</ol>
<section class="result">
<h2>Result</h2>
{ends}
</section>
</main>
<script>
{_resource("page.js")}</script>
</body>
</html>
"""


def _resource(name: str) -> str:
    return (files("arcbatt.explain") / name).read_text(encoding="utf-8")


def _tabs(explanation: Explanation) -> str:
    tabs = []
    for k, pair in enumerate(explanation.pairs):
        selected = "true" if k == 0 else "false"
        tabs.append(
            f'<button type="button" role="tab" class="{pair.verdict}" data-pair="{k}" '
            f'aria-selected="{selected}">{escape(pair.label)} '
            f'<span class="mark">{VERDICT_MARKS[pair.verdict]}</span></button>'
        )
    if len(explanation.pairs) > 1:
        tabs.append(
            '<button type="button" role="tab" data-pair="all" aria-selected="false">'
            "side by side</button>"
        )
    return "".join(tabs)


def _thumbnails(explanation: Explanation) -> str:
    """The whole task in small; a pair that is explained further down can be chosen here."""
    task = explanation.task
    pictures = [(f"demo {k}", svg_pair(demo)) for k, demo in enumerate(task.demos, 1)]
    pictures += [(f"test {k}", svg_grid(grid)) for k, grid in enumerate(task.test_inputs, 1)]
    places = {pair.label: k for k, pair in enumerate(explanation.pairs)}
    shown = []
    for label, svg in pictures:
        inside = f"<span>{label}</span>{svg}"
        if label in places:
            shown.append(f'<button type="button" data-choose="{places[label]}">{inside}</button>')
        else:
            shown.append(f"<div>{inside}</div>")
    return "".join(shown)


def _hidden(k: int) -> str:
    """The first pair is shown until another tab is chosen."""
    return "" if k == 0 else " hidden"


def _first_line(explanation: Explanation) -> str:
    """The header of the program, with the input it is given and the output that is wanted."""
    values = "".join(
        f'<div class="value" data-of="{k}"{_hidden(k)}>'
        f'<div class="pair-label">{escape(pair.label)}</div><div class="picture">'
        + (svg_grid(pair.input) if pair.wanted is None else svg_pair(Pair(pair.input, pair.wanted)))
        + "</div></div>"
        for k, pair in enumerate(explanation.pairs)
    )
    return (
        f'<li class="line"><div class="code"><div class="number">{explanation.program.line}</div>'
        f"<div><pre>{_code(explanation.source.header, explanation.source.names)}</pre></div></div>"
        f'<div class="values">{values}</div></li>'
    )


def _line(explanation: Explanation, index: int) -> str:
    line = explanation.lines[index]
    statement, names = line.statement, explanation.source.names
    earlier = {other.statement.name for other in explanation.lines[:index]}
    # A name that is assigned twice links to its first line; an id stands once on a page.
    anchor = statement.name if statement.name not in earlier else f"{statement.name}-{index}"
    traces = [pair.lines[index] for pair in explanation.pairs]
    comments = "".join(f'<pre class="comment">{escape(text)}</pre>' for text in statement.comments)
    warning = ""
    if line.warning:
        warning = f'<div class="warning">cannot work: {escape(line.warning)}</div>'
    unused = "" if line.is_used else "<span>unused: the result does not need this line</span>"
    values = "".join(
        f'<div class="value" data-of="{k}"{_hidden(k)}>'
        f'<div class="pair-label">{escape(pair.label)}</div>'
        f"{_value(trace.step, pair, line.type)}{_inner(trace, pair, names)}</div>"
        for k, (pair, trace) in enumerate(zip(explanation.pairs, traces, strict=True))
    )
    classes = "line" + " unused" * (not line.is_used)
    classes += " has-failed" * any(trace.step.state == "failed" for trace in traces)
    classes += " idle" * all(trace.step.state in ("blocked", "unreached") for trace in traces)
    return (
        f'<li class="{classes}" id="{escape(anchor)}">'
        f'<div class="code"><div class="number">{statement.number}</div><div>{comments}'
        f"<pre>{_code(statement.text, names)}</pre>"
        f'<div class="facts"><span class="type">{escape(str(line.type))}</span>'
        f"{_costs(explanation, index)}{unused}</div>{warning}</div></div>"
        f'<div class="values">{values}</div></li>'
    )


def _costs(explanation: Explanation, index: int) -> str:
    """The steps of a line on each pair, and their range for the view of all pairs."""
    costs = [pair.lines[index].n_steps for pair in explanation.pairs]
    each = "".join(
        f'<span class="one" data-of="{k}"{_hidden(k)}>{say_steps([cost])}</span>'
        for k, cost in enumerate(costs)
    )
    return f'{each}<span class="range">{say_steps(costs)}</span>'


def _code(text: str, names: Set[str]) -> str:
    """Program text with its words coloured, docs at its primitives and links at its names."""
    parts = []
    for kind, word in words(text, names):
        shown = escape(word)
        primitive = find_primitive(word) if kind == "primitive" else None
        if primitive is not None:
            parts.append(
                f'<span class="p w-primitive" tabindex="0">{shown}{_tip(primitive)}</span>'
            )
        elif kind == "name":
            parts.append(f'<a class="w-name" href="#{shown}" data-name="{shown}">{shown}</a>')
        elif word.isspace():
            parts.append(shown)
        else:
            parts.append(f'<span class="w-{kind}">{shown}</span>')
    return "".join(parts)


def _tip(primitive: Primitive) -> str:
    signatures = "".join(f"<code>{escape(str(each))}</code>" for each in primitive.signatures)
    ties = f"<i>Ties: {escape(primitive.ties)}.</i>" if primitive.ties else ""
    notes = f"<i>{escape(primitive.notes)}</i>" if primitive.notes else ""
    return (
        f'<span class="tip" role="tooltip"><b>{escape(primitive.usage)}</b>{signatures}'
        f"<span>{escape(primitive.doc)}</span>{notes}{ties}</span>"
    )


def _value(step: Step, pair: PairTrace, kind: Type | None) -> str:
    if step.state == "failed":
        return f'<div class="failure">failed: {escape(str(step.outcome))}</div>'
    if step.state != "value" or isinstance(step.outcome, Failure):
        return f'<div class="blocked">{escape(why_no_value(step))}</div>'
    value = step.outcome
    description = describe(value)
    if description.kind is Kind.FUNCTION:
        text = format_value(value)
        if len(text) > MAX_FUNCTION_TEXT:
            text = text[:MAX_FUNCTION_TEXT] + "..."
        return f'<div class="caption">function</div><pre>{_code(text, frozenset())}</pre>'
    if description.kind in PLAIN:
        swatch = ""
        if kind is NAMED["Color"] and isinstance(value, int) and is_colour(value):
            swatch = f'<span class="swatch" style="background:{colour_of(value)}"></span>'
        return f'<div class="plain">{swatch}{escape(description.caption)}</div>'
    return f'<div class="picture">{svg_value(value, over=pair.input)}</div>'


def _inner(trace: LineTrace, pair: PairTrace, names: Set[str]) -> str:
    """The values of the calls inside a line; functions are left out, their text says it all."""
    shown = [
        step
        for step in trace.inner
        if step.state == "failed"
        or (step.state == "value" and describe(step.outcome).kind is not Kind.FUNCTION)
    ]
    if not shown:
        return ""
    figures = "".join(
        f"<div><pre>{_code(step.text, names)}</pre>{_value(step, pair, None)}</div>"
        for step in shown
    )
    is_open = " open" if trace.step.state == "failed" else ""
    n_calls = f"{len(shown)} inner call{'s' * (len(shown) != 1)}"
    return (
        f'<details class="inner"{is_open}><summary>{n_calls}</summary>'
        f"<div>{figures}</div></details>"
    )


def _end(pair: PairTrace, k: int) -> str:
    figures = []
    if pair.wanted is not None:
        figures.append(("wanted", svg_value(pair.wanted)))
    if not isinstance(pair.outcome, Failure):
        figures.append(("got", svg_value(pair.outcome, over=pair.input)))
        differing = differing_cells(pair.wanted, pair.outcome) if pair.wanted is not None else None
        if differing:
            figures.append(("where they differ", svg_value(differing, over=pair.wanted)))
    shown = "".join(f"<div><h3>{title}</h3>{svg}</div>" for title, svg in figures)
    return (
        f'<div class="end {pair.verdict}" data-of="{k}"{_hidden(k)}>'
        f'<p><span class="mark">{VERDICT_MARKS[pair.verdict]}</span> '
        f"{escape(pair.label)} {escape(verdict_words(pair))}"
        f'<span class="cost">{pair.n_steps:,} steps</span></p>'
        f'<div class="figures">{shown}</div></div>'
    )
