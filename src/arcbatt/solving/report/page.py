"""A run in, `report.html` out: every task drawn, with its attempts and the program behind them.

The page refers to nothing outside itself but the explanations beside it. Grids are pictures of one
pixel a cell, which the browser enlarges, and what is not in view is not laid out: so a page of 400
tasks has some 3 MB and is there at once. `report.html` beside this module has its markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arcbatt.drawing.pages import render_page
from arcbatt.measure import phase
from arcbatt.tasks import Task

from .views import Overview, make_views, view_values


@phase("display")
def make_report(
    results: Mapping[str, Any],
    tasks: Iterable[Task],
    *,
    title: str,
    explanations: Mapping[str, str] | None = None,
    right: Mapping[str, Sequence[int | None]] | None = None,
) -> str:
    """Return the page about what `results.json` has.

    `explanations` has by task id where the page about its program is. `right` has by task id for
    each test input the attempt that is right, None for none, where somebody has scored.
    """
    views = make_views(results, tasks, explanations, right)
    return render_page(
        "arcbatt.solving.report",
        "report.html",
        title=title,
        overview=Overview(views, results),
        views=views,
        **view_values(),
    )
