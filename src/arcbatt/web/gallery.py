"""The gallery: thumbnails of the tasks of a set or run, with filters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arcbatt.solving.report.views import STATES
from arcbatt.tasks import Grid, Task

from .catalog import task_key
from .responses import catalog_of, show_page
from .run_data import read_run

# The choices for the longest side of grids, to filter by.
SIDES = (5, 10, 15, 20, 30)
CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.99)


def home(request: Request) -> Response:
    """Redirect to the first set given, or ARC-AGI-1 training."""
    return RedirectResponse(f"/sets/{next(iter(catalog_of(request).sources))}", 303)


def show_set(request: Request) -> Response:
    """Show the tasks of a set."""
    source = catalog_of(request).source(request.path_params["set"])
    return show_page(
        request,
        "set.html",
        source=source,
        **gallery_values(request, f"/sets/{source.key}", f"/api/sets/{source.key}/tasks"),
    )


def go_to_set(request: Request) -> Response:
    """Redirect from the name of a set, as commands take it, to its page or one below."""
    given = request.path_params
    name = f"{given['family']}/{given['part']}"
    key = next((k for k, each in catalog_of(request).sources.items() if each.name == name), None)
    if key is None:
        raise HTTPException(404, f"no task set is named {name}")
    below = f"/tasks/{quote(given['below'])}" if "below" in given else ""
    return RedirectResponse(f"/sets/{key}{below}", 303)


def gallery_values(request: Request, here: str, rows: str, proposers: Iterable[str] = ()) -> Any:
    """Return the template values of `gallery.html`: its address, and that of its rows."""
    catalog = catalog_of(request)
    places = [(f"/sets/{each.key}", each.name) for each in catalog.sources.values()]
    places += [(f"/runs/{key}", f"run {key}") for key in catalog.runs()]
    return {
        "here": here,
        "rows_from": rows,
        "places": places,
        "sides": SIDES,
        "confidences": CONFIDENCES,
        "states": STATES,
        "of_run": bool(proposers),
        "proposer_names": list(proposers),
    }


def list_set(request: Request) -> Response:
    """Return the gallery's rows for the tasks of a set."""
    catalog = catalog_of(request)
    source = catalog.source(request.path_params["set"])
    tasks = [task_row(task) for task in catalog.task_set(source.name)]
    return JSONResponse({"address": f"/sets/{source.key}/tasks/", "tasks": tasks})


def list_run(request: Request) -> Response:
    """Return the gallery's rows for the tasks of a run, also while it is running."""
    run = read_run(catalog_of(request), request.path_params["run"])
    known = {row["task"]: row for row in run.rows()}
    tasks = [{**task_row(task), **known[task.id]} for task in run.tasks if task.id in known]
    return JSONResponse(
        {"address": f"{run.address}/tasks/", "running": run.is_running, "tasks": tasks}
    )


def task_row(task: Task) -> dict[str, Any]:
    """Return the data of a thumbnail: the first demo, and the properties to filter by."""
    first = task.demos[0]
    grids = [side for demo in task.demos for side in (demo.input, demo.output)]
    return {
        "task": task.id,
        "key": task_key(task.id),
        "input": pack_grid(first.input),
        "output": pack_grid(first.output),
        "demos": len(task.demos),
        "tests": len(task.test_inputs),
        "side": max(max(len(grid), len(grid[0])) for grid in (*grids, *task.test_inputs)),
        "colors": sorted({cell for grid in grids for row in grid for cell in row}),
    }


def pack_grid(grid: Grid) -> str:
    """Return a grid as digits, with rows separated by spaces."""
    return " ".join("".join(map(str, row)) for row in grid)


ROUTES = [
    Route("/", home),
    Route("/sets/{set}", show_set),
    # The names of built-in sets have two parts.
    Route("/sets/{family}/{part}", go_to_set),
    Route("/sets/{family}/{part}/tasks/{below:path}", go_to_set),
    Route("/api/sets/{set}/tasks", list_set),
    Route("/api/runs/{run}/tasks", list_run),
]
