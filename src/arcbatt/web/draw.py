"""The task editor, and a live search for programs that solve the drawn task."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arcbatt.tasks.validation import MAX_SIDE

from .bodies import read_flag, read_number, read_object
from .draw_start import find_start
from .draw_tasks import MAX_DEMOS, MAX_TESTS, read_drawn, read_file
from .jobs import stream_job, workers_of
from .jobs_protocol import SOLVE
from .responses import catalog_of, show_page

MIN_BUDGET_S, MAX_BUDGET_S = 1.0, 600.0
BUDGETS_S = (5, 15, 60, 300)
# A search that runs this much longer than its budget is killed.
GRACE_S = 60.0


def show_editor(request: Request) -> Response:
    """Show the editor with the task of the address, or with the last drawing."""
    return show_page(
        request,
        "draw.html",
        start=find_start(catalog_of(request), request.path_params),
        budgets_s=BUDGETS_S,
        library=True,
        max_demos=MAX_DEMOS,
        max_tests=MAX_TESTS,
        max_side=MAX_SIDE,
    )


def get_task(request: Request) -> Response:
    """Return a task of a set or run as a task file without answers."""
    start = find_start(catalog_of(request), request.path_params)
    assert start is not None  # the address names one
    return JSONResponse(start.task.to_json())


async def open_file(request: Request) -> Response:
    """Validate an uploaded task file and return its task."""
    drawn = await run_in_threadpool(read_file, await request.body())
    return JSONResponse(drawn.to_json())


async def solve(request: Request) -> Response:
    """Search for programs for a task, until the client disconnects."""
    content = await read_object(request)
    budget_s = read_number(content, "budget_s", MIN_BUDGET_S, MAX_BUDGET_S)
    # Drop answers, even if the client sent some.
    task = read_drawn(content.get("task")).task
    library = read_flag(content, "library", True)
    given = {"task": task.to_json(), "budget_s": budget_s, "library": library}
    return stream_job(workers_of(request).begin(SOLVE, given, budget_s + GRACE_S))


ROUTES = [
    Route("/draw", show_editor),
    Route("/sets/{set}/tasks/{task}/draw", show_editor),
    Route("/runs/{run}/tasks/{task}/draw", show_editor),
    Route("/api/sets/{set}/tasks/{task}", get_task),
    Route("/api/runs/{run}/tasks/{task}", get_task),
    Route("/api/draw/open", open_file, methods=["POST"]),
    Route("/api/solve", solve, methods=["POST"]),
]
