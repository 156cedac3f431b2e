"""The page that compares two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arcbatt.drawing import palette
from arcbatt.drawing.charts import Chart, Line, lay_out_chart
from arcbatt.drawing.pages import trusted
from arcbatt.drawing.scene import Block, flow, stack, text_block, with_margin
from arcbatt.drawing.svg import render_svg
from arcbatt.plurals import count
from arcbatt.solving.report.views import view_values
from arcbatt.solving.runs import TaskComparison, compare_runs, split_runs

from .catalog import task_key
from .responses import catalog_of, charts_to_json, export_page, export_scene, show_page
from .run_data import ShownRun, read_run

MARGIN, GAP, WIDTH = 20, 10, 1000
# Runs side by side in a table.
MAX_RUNS = 12
TITLE_SIZE, TEXT_SIZE = 17, 13


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs and the results of their tasks, by score or by fit."""

    first: ShownRun
    second: ShownRun
    by: str
    tasks: Sequence[TaskComparison]

    @property
    def word(self) -> str:
        return "right" if self.by == "right" else "fitted"

    @property
    def can_score(self) -> bool:
        """Return whether the answers for both runs are known."""
        return self.first.right is not None and self.second.right is not None

    def results_of(self, task: TaskComparison) -> tuple[bool, bool]:
        """Return whether a task is right, or fitted, in each of the two runs."""
        if self.by != "right":
            return task.fits
        first, second = (
            run.right is not None and None not in run.right.get(task.task_id, (None,))
            for run in (self.first, self.second)
        )
        return first, second

    @property
    def parts(self) -> dict[str, list[TaskComparison]]:
        return split_runs(self.tasks, self.results_of)

    @property
    def changed(self) -> list[TaskComparison]:
        """The tasks with equal results but different attempts."""
        parts = self.parts
        alike = [*parts["both"], *parts["neither"]]
        ids = {task.task_id for task in alike if not task.same_attempts}
        return [task for task in self.tasks if task.task_id in ids]

    @property
    def sections(self) -> list[tuple[str, str, list[TaskComparison]]]:
        """The lists of the page: heading, explanation, tasks."""
        parts = self.parts
        return [
            ("gained", f"{self.word} by the second run alone", parts["second"]),
            ("lost", f"{self.word} by the first run alone", parts["first"]),
            ("changed", "as well or as badly in both, with other attempts", self.changed),
        ]

    def say(self) -> str:
        """Return the comparison as a sentence."""
        parts = {name: len(tasks) for name, tasks in self.parts.items()}
        n_same = sum(task.same_attempts for task in self.tasks)
        return (
            f"of {count(len(self.tasks), 'task')} {parts['both']} {self.word} by both, "
            f"{parts['first']} by the first alone, {parts['second']} by the second alone, "
            f"{parts['neither']} by neither; the same attempts at {n_same}"
        )

    def address(self, run: ShownRun, task: TaskComparison) -> str:
        """Return the address of a task's page in one of the runs."""
        return f"{run.address}/tasks/{task_key(task.task_id)}"

    @property
    def chart(self) -> Chart:
        """Tasks fitted over time, one line per run."""
        lines = tuple(
            Line(run.key, tuple((entry.elapsed_s, float(entry.n_fitted)) for entry in run.log))
            for run in (self.first, self.second)
        )
        return Chart("Tasks fitted", "seconds", "tasks fitted by some program", lines)

    def lay_out(self) -> Block:
        """Return the comparison as one picture."""
        title = f"{self.first.key} and {self.second.key}"
        blocks = [
            text_block(title, TITLE_SIZE, palette.STRONG_TEXT, bold=True),
            text_block(self.say(), TEXT_SIZE, palette.TEXT),
            lay_out_chart(self.chart),
        ]
        for name, meaning, tasks in self.sections:
            heading = f"{name} ({len(tasks)}): {meaning}"
            blocks.append(text_block(heading, TEXT_SIZE, palette.STRONG_TEXT, bold=True))
            ids = [text_block(task.task_id, TEXT_SIZE, palette.TEXT) for task in tasks]
            if ids:
                blocks.append(flow(ids, WIDTH, 2 * GAP, GAP))
        return with_margin(stack(blocks, GAP), MARGIN)


def read_comparison(request: Request) -> Comparison:
    """Return the comparison that a request asks for."""
    catalog, query = catalog_of(request), request.query_params
    if "first" not in query or "second" not in query:
        raise HTTPException(404, "say which two runs: ?first=RUN&second=RUN")
    first, second = read_run(catalog, query["first"]), read_run(catalog, query["second"])
    by = query.get("by", "")
    can_score = first.right is not None and second.right is not None
    if by not in ("fits", "right"):
        by = "right" if can_score else "fits"
    if by == "right" and not can_score:
        raise HTTPException(422, "the answers of these runs' tasks are not known; compare by=fits")
    return Comparison(first, second, by, compare_runs(first.path, second.path))


@dataclass(frozen=True, slots=True)
class ManyRuns:
    """More than two runs: what each reaches, and the tasks at which they differ."""

    runs: Sequence[ShownRun]

    @property
    def by(self) -> str:
        """The compared property: right if all answers are known, otherwise fits."""
        return "right" if all(run.right is not None for run in self.runs) else "fits"

    @property
    def word(self) -> str:
        return "right" if self.by == "right" else "fitted"

    def _reached(self, run: ShownRun) -> frozenset[str]:
        if self.by == "right" and run.right is not None:
            return frozenset(task for task, right in run.right.items() if None not in right)
        return frozenset(row["task"] for row in run.results["by_task"] if row["fits"])

    @property
    def rows(self) -> list[tuple[ShownRun, int, int]]:
        """Every run with the number of tasks that it reaches, and that it alone reaches."""
        reached = [self._reached(run) for run in self.runs]
        return [
            (run, len(own), len(own.difference(*reached[:k], *reached[k + 1 :])))
            for k, (run, own) in enumerate(zip(self.runs, reached, strict=True))
        ]

    @property
    def differing(self) -> list[tuple[str, list[bool]]]:
        """The tasks that some runs reach and others do not, with the result of each run."""
        reached = [self._reached(run) for run in self.runs]
        some, every = frozenset[str]().union(*reached), reached[0].intersection(*reached[1:])
        return [(task, [task in own for own in reached]) for task in sorted(some - every)]

    def say(self) -> str:
        """Return the comparison as a sentence."""
        reached = [self._reached(run) for run in self.runs]
        n_every = len(reached[0].intersection(*reached[1:]))
        n_some = len(frozenset[str]().union(*reached))
        n_runs = len(self.runs)
        return f"{count(n_some, 'task')} {self.word} by some of {n_runs} runs, {n_every} by all"


def show_comparison(request: Request) -> Response:
    """Show two runs side by side, a table of more, or a form to choose them."""
    chosen = list(dict.fromkeys(request.query_params.getlist("run")))
    if len(chosen) == 2:
        # Lists have the newest run first; it is compared with the other.
        query = urlencode({"first": chosen[1], "second": chosen[0]})
        return RedirectResponse(f"/compare?{query}", 303)
    if len(chosen) > MAX_RUNS:
        raise HTTPException(422, f"{len(chosen)} runs, expected {MAX_RUNS} at most")
    if len(chosen) > 2:
        catalog = catalog_of(request)
        many = ManyRuns([read_run(catalog, key) for key in chosen])
        return show_page(request, "compare_many.html", many=many, task_key=task_key)
    keys = list(catalog_of(request).runs())
    asked = "first" in request.query_params and "second" in request.query_params
    comparison = read_comparison(request) if asked else None
    return show_page(request, "compare.html", keys=keys, **_values(comparison))


def _values(comparison: Comparison | None) -> dict[str, Any]:
    chart = None if comparison is None else trusted(render_svg(lay_out_chart(comparison.chart)))
    return {**view_values(), "compared": comparison, "chart": chart}


def export_comparison(request: Request) -> Response:
    """Export a comparison as a file."""
    comparison = read_comparison(request)
    name = f"{comparison.first.key}-{comparison.second.key}"
    kind = request.path_params["kind"]
    if kind == "html":
        return export_page("compare.html", f"{name}.html", keys=[], **_values(comparison))
    return export_scene(comparison.lay_out(), name, kind)


def list_charts(request: Request) -> Response:
    """Return the chart of two runs as data."""
    return JSONResponse({"charts": charts_to_json([read_comparison(request).chart])})


ROUTES = [
    Route("/compare", show_comparison),
    Route("/api/compare/charts", list_charts),
    Route("/compare/export.{kind}", export_comparison),
]
