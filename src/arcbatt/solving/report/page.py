"""The report of a run: every task drawn, with its attempts and programs.

The page is self-contained except for links to explanations. Grids are pictures with one pixel per
cell, which the browser enlarges, and only the visible part is laid out: a page of 400 tasks has
about 3 MB and opens at once. The markup is in `report.html`.
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
    """Return the report of the content of `results.json`.

    `explanations` has the paths of pages about programs by task id. `right` has, for a scored run,
    the right attempt at each test input by task id, None for none.
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
