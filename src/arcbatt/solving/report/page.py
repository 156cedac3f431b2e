"""A run in, `report.html` out: every task drawn, with its attempts and the program behind them.

The page refers to nothing outside itself but the explanations beside it. Grids are pictures of one
pixel a cell, which the browser enlarges, and what is not in view is not laid out: so a page of 400
tasks has some 2 MB and is there at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from urllib.parse import quote

from arcbatt.drawing.pixels import data_url
from arcbatt.measure import phase
from arcbatt.tasks import TASK_SETS, Grid, Task

from .candidates import Candidate
from .ranking import Attempt, RankedTask, RankedTest
from .results import PROGRAMS, Winner
from .solver import Solver

# The longer side of a grid is about so many pixels long, a cell between these many.
DEMO_SIDE, TEST_SIDE = 96, 132
MIN_CELL, MAX_CELL = 3, 16
# A program of so many calls is shown at once, a longer one when asked for.
MAX_OPEN = 12

FITS, PARTIAL, NOTHING = "fits", "partial", "nothing"
# What the filter and the mark of a task say of it.
_STATES = {
    FITS: "all demos fitted",
    PARTIAL: "some demos fitted",
    NOTHING: "no demo fitted",
}
_ORDERS = {
    "task": "task id",
    "confidence": "confidence",
    "found": "time found",
    "spent": "time spent",
    "size": "program size",
}


@phase("display")
def make_report(
    solver: Solver,
    ranked: Sequence[RankedTask],
    winners: Mapping[str, Winner],
    *,
    title: str,
    explanations: Mapping[str, str] | None = None,
) -> str:
    """Return the page; `explanations` has by task id where the page about its program is."""
    cards = "\n".join(
        _card(solver, each, winners.get(each.task.id), (explanations or {}).get(each.task.id))
        for each in ranked
    )
    states = [_state(each) for each in ranked]
    counts = {state: states.count(state) for state in _STATES}
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_resource("report.css")}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p class="sum"><b>{counts[FITS]}</b> of <b>{len(ranked)}</b> first attempts are by a program \
that gives the output of every demo, {counts[PARTIAL]} more by one that gives some; \
{_duration(solver.elapsed_s)} in all. Whether attempts are right is not known here: \
<code>arcbatt score</code> says it.</p>
{_stage_table(solver)}
</header>
{_controls(solver, counts, len(ranked))}
<main id="tasks">
{cards}
</main>
<script>
{_resource("report.js")}</script>
</body>
</html>
"""


def _resource(name: str) -> str:
    return (files("arcbatt.solving") / name).read_text(encoding="utf-8")


def _state(ranked: RankedTask) -> str:
    """Whether what is behind a task's first attempts fits its demos."""
    firsts = [test.attempts[0].best for test in ranked.tests]
    fitted = [0 if best is None else best.candidate.n_fitted for best in firsts]
    if min(fitted) == len(ranked.task.demos):
        return FITS
    return PARTIAL if max(fitted) else NOTHING


def _stage_table(solver: Solver) -> str:
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{count.n_tasks:,}</td><td>{count.n_rounds:,}</td>"
        f"<td>{count.n_offered:,}</td><td>{count.n_kept:,}</td><td>{count.n_first:,}</td>"
        f"<td>{_duration(count.elapsed_s)}</td></tr>"
        for name, count in solver.counts.items()
    )
    return (
        '<table class="stages"><thead><tr><th>stage</th><th>tasks</th><th>rounds</th>'
        "<th>candidates</th><th>kept</th><th>tasks fitted first</th><th>time</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _controls(solver: Solver, counts: Mapping[str, int], n_tasks: int) -> str:
    states = _option("", f"all {n_tasks} tasks") + "".join(
        _option(state, f"{words} ({counts[state]})") for state, words in _STATES.items()
    )
    stages = _option("", "any stage") + "".join(_option(name, name) for name in solver.counts)
    orders = "".join(_option(key, f"by {words}") for key, words in _ORDERS.items())
    return (
        '<nav><input id="find" type="search" placeholder="task id" aria-label="task id">'
        f'<select id="state" aria-label="how well demos are fitted">{states}</select>'
        f'<select id="stage" aria-label="stage">{stages}</select>'
        f'<select id="order" aria-label="order">{orders}</select>'
        '<label><input id="reverse" type="checkbox"> reverse</label>'
        '<span id="shown"></span></nav>'
    )


def _option(value: str, words: str) -> str:
    return f'<option value="{escape(value)}">{escape(words)}</option>'


def _card(
    solver: Solver, ranked: RankedTask, winner: Winner | None, explanation: str | None
) -> str:
    task, best, state = ranked.task, ranked.best, _state(ranked)
    spent_s = solver.spent_s[task.id]
    found_s = "" if best is None else f"{best.found_s:.3f}"
    facts = [f'<span class="mark {state}">{_STATES[state]}</span>']
    if best is not None:
        facts.append(f"<span>found by <b>{escape(best.stage)}</b></span>")
        facts.append(f"<span>after {_duration(best.found_s)}</span>")
    facts.append(f"<span>{_duration(spent_s)} spent</span>")
    facts.append(
        f'<span class="sure">confidence {ranked.confidence:.2f} '
        f'<meter min="0" max="1" value="{ranked.confidence:.3f}"></meter></span>'
    )
    return (
        f'<article id="{escape(task.id)}" data-task="{escape(task.id)}" data-state="{state}" '
        f'data-stage="{"" if best is None else escape(best.stage)}" '
        f'data-confidence="{ranked.confidence:.4f}" data-found="{found_s}" '
        f'data-spent="{spent_s:.3f}" '
        f'data-size="{"" if best is None else best.candidate.size}">'
        f'<h2><a href="#{escape(quote(task.id))}">{escape(task.id)}</a></h2>'
        f'<p class="facts">{"".join(facts)}</p>'
        f'<div class="demos">{_demos(task)}</div>'
        '<div class="end">'
        f'<div class="tests">{"".join(_test(ranked, k) for k in range(len(ranked.tests)))}</div>'
        f"{_program(task, winner, explanation)}</div></article>"
    )


def _demos(task: Task) -> str:
    return "".join(
        f'<figure><figcaption>demo {k}</figcaption><div class="pair">'
        f"{_grid(demo.input, DEMO_SIDE)}<b>→</b>{_grid(demo.output, DEMO_SIDE)}</div></figure>"
        for k, demo in enumerate(task.demos, 1)
    )


def _test(ranked: RankedTask, k: int) -> str:
    test: RankedTest = ranked.tests[k]
    attempts = "".join(
        f'<figure class="{"attempt" if attempt.best else "attempt none"}">'
        f"<figcaption>attempt {number}<small>{_behind(attempt)}</small></figcaption>"
        f"{_grid(attempt.grid, TEST_SIDE)}</figure>"
        for number, attempt in enumerate(test.attempts, 1)
    )
    return (
        f'<div class="test"><figure><figcaption>test {k + 1}</figcaption>'
        f"{_grid(ranked.task.test_inputs[k], TEST_SIDE)}</figure><b>→</b>{attempts}</div>"
    )


def _behind(attempt: Attempt) -> str:
    best = attempt.best
    if best is None:
        return "stands in: nothing was found"
    n_others = len(attempt.supporters) - 1
    others = f", {n_others} more agree" if n_others else ""
    return f"{escape(best.stage)}, {_fit(best.candidate)}{others}"


def _fit(candidate: Candidate) -> str:
    return f"{candidate.n_fitted} of {candidate.n_demos} demos"


def _program(task: Task, winner: Winner | None, explanation: str | None) -> str:
    if winner is None:
        return ""
    name = winner.program.name
    size = winner.kept.candidate.size
    if explanation is not None:
        more = f'<p><a href="{escape(explanation)}">what every line of it does</a></p>'
    elif task.source in TASK_SETS:
        command = f"arcbatt explain {PROGRAMS} --task {task.id} --program {name}"
        more = f"<p>what every line of it does: <code>{escape(command)}</code></p>"
    else:
        more = ""
    candidate = winner.kept.candidate
    is_open = " open" if candidate.fits and size <= MAX_OPEN else ""
    summary = f"program of {size} call{'s' * (size != 1)}, {_fit(candidate)}"
    return (
        f"<details{is_open}><summary>{summary}</summary>"
        f"<pre>{escape(winner.text)}</pre>{more}</details>"
    )


def _grid(grid: Grid, side: int) -> str:
    height, width = len(grid), len(grid[0])
    cell = min(max(side // max(height, width), MIN_CELL), MAX_CELL)
    return (
        f'<i class="g" style="--c:{cell}px"><img alt="{height}x{width} grid" '
        f'width="{width * cell}" height="{height * cell}" src="{data_url(grid)}"></i>'
    )


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:,.0f} s"
