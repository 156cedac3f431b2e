"""Notebook representations of tasks, programs and values, for `arcbatt.display`.

Classes of packages above this one have their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any

from arcbatt.drawing.describe import Kind, describe
from arcbatt.drawing.pages import render_page
from arcbatt.drawing.pixels import thumbnail
from arcbatt.drawing.svg import svg_pair, svg_task, svg_value
from arcbatt.drawing.words import words
from arcbatt.engine.graph.results import BattResult
from arcbatt.language import Failure, Function, Program, Reason, Result
from arcbatt.plurals import count
from arcbatt.tasks import Pair, Task, TaskSet

_render = partial(render_page, "arcbatt.drawing")

# Tasks of a set, or programs of a batt, that are shown.
MAX_ROWS = 12
# Kinds of plain sets that are drawn; grids are checked separately.
DRAWN = frozenset({Kind.OBJECT, Kind.INDICES, Kind.PATCHES, Kind.PICTURE, Kind.PICTURES})
MAX_SIDE = 30
_COLORS = frozenset(range(10))


def draw_svg(thing: object) -> str | None:
    """Return a drawing as SVG, or None for values shown as HTML or text."""
    match thing:
        case Task():
            return svg_task(thing)
        case Pair():
            return svg_pair(thing)
        case Failure():
            return svg_value(thing)
        case Result():
            return svg_value(thing.outcome)
    return None


def make_html(thing: object) -> str | None:
    """Return HTML for a task set, a program, a function or a batt result."""
    match thing:
        case Program():
            return program_html(thing.text)
        case Function():
            return program_html(str(thing))
        case TaskSet():
            shown = thing[:MAX_ROWS]
            return _render(
                "task_set.html",
                tasks=thing,
                shown=shown,
                n_more=len(thing) - len(shown),
                count=count,
                picture=thumbnail,
            )
        case BattResult():
            return _batt_html(thing)
    return None


def program_html(text: str) -> str:
    """Return program text with syntax highlighting."""
    return _render("program.html", words=words(text, frozenset()))


def _batt_html(result: BattResult) -> str:
    n_programs, n_samples = result.reasons.shape
    rows = [
        (
            program,
            int(result.matches[program].sum()),
            ", ".join(
                f"{int(n)} {reason.words}"
                for reason in Reason
                if (n := (result.reasons[program] == reason).sum())
            ),
            f"{result.steps[program].mean():,.0f}" if n_samples else "",
        )
        for program in range(min(n_programs, MAX_ROWS))
    ]
    heading = f"{count(n_programs, 'program')} on {count(n_samples, 'sample')}"
    ran_on = ", ".join(f"{n:,} on {device}" for device, n in result.ran_on.items())
    return _render(
        "batt_result.html",
        heading=f"{heading}, results: {ran_on}",
        rows=rows,
        n_more=n_programs - len(rows),
    )


def is_drawn(value: object) -> bool:
    """Return whether a plain tuple or set is certainly a grid, grids, or cells of one."""
    if not isinstance(value, tuple | frozenset) or not value:
        return False
    if isinstance(value, tuple) and (_is_grid(value) or all(map(_is_grid, value))):
        return True
    return isinstance(value, frozenset) and describe(value).kind in DRAWN


def _is_grid(value: Any) -> bool:
    if not isinstance(value, tuple) or not 1 <= len(value) <= MAX_SIDE:
        return False
    if not all(isinstance(row, tuple) and 1 <= len(row) <= MAX_SIDE for row in value):
        return False
    cells: Iterable[Any] = chain.from_iterable(value)
    return len(set(map(len, value))) == 1 and all(
        type(cell) is int and cell in _COLORS for cell in cells
    )


def draw_plain(value: object) -> str | None:
    """Return a drawing of a plain tuple or set that is a grid or cells of one, else None."""
    return svg_value(value) if is_drawn(value) else None
