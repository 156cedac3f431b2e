"""The gallery: a task set or a run in, thumbnails of its tasks out, to filter and choose from."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from arcbatt.tasks import Grid, Task

from .rendering import catalog_of, show_page


def home(request: Request) -> Response:
    """Lead to the newest run, or to the first set where there is none."""
    catalog = catalog_of(request)
    for key in catalog.runs():
        return RedirectResponse(f"/runs/{key}", 303)
    return RedirectResponse(f"/sets/{next(iter(catalog.sources))}", 303)


def show_set(request: Request) -> Response:
    """Show the tasks of a set."""
    catalog = catalog_of(request)
    source = catalog.source(request.path_params["set"])
    return show_page(
        request,
        "gallery.html",
        source=source,
        sources=catalog.sources.values(),
        runs=catalog.runs(),
    )


def list_tasks(request: Request) -> Response:
    """Return what the gallery shows of the tasks of a set."""
    catalog = catalog_of(request)
    source = catalog.source(request.path_params["set"])
    tasks = catalog.task_set(source.name)
    address = f"/sets/{source.key}/tasks/"
    return JSONResponse({"address": address, "tasks": [task_row(task) for task in tasks]})


def task_row(task: Task) -> dict[str, Any]:
    """Return what a thumbnail says of a task: its first demo, and what it is filtered by."""
    first = task.demos[0]
    grids = [side for demo in task.demos for side in (demo.input, demo.output)]
    return {
        "task": task.id,
        "input": pack_grid(first.input),
        "output": pack_grid(first.output),
        "demos": len(task.demos),
        "tests": len(task.test_inputs),
        "side": max(max(len(grid), len(grid[0])) for grid in (*grids, *task.test_inputs)),
        "colors": sorted({cell for grid in grids for row in grid for cell in row}),
    }


def pack_grid(grid: Grid) -> str:
    """Return a grid as its digits, rows set apart by spaces."""
    return " ".join("".join(map(str, row)) for row in grid)


ROUTES = [
    Route("/", home),
    Route("/sets/{set}", show_set),
    Route("/api/sets/{set}/tasks", list_tasks),
]
