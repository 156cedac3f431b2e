"""Tasks of one's own: an editor, and a search for programs that is watched as it goes on."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arcbatt.tasks.validation import MAX_SIDE

from .bodies import read_number, read_object
from .draw_start import find_start
from .draw_tasks import MAX_DEMOS, MAX_TESTS, read_drawn, read_file
from .jobs import JobStream, workers_of
from .jobs_protocol import SOLVE
from .rendering import catalog_of, show_page

MIN_BUDGET_S, MAX_BUDGET_S = 1.0, 600.0
BUDGETS_S = (5, 15, 60, 300)
# A search ends some time after its budget; one that does not is ended.
GRACE_S = 60.0


def show_editor(request: Request) -> Response:
    """Show the editor: with the task of an address, or with what was drawn last."""
    return show_page(
        request,
        "draw.html",
        start=find_start(catalog_of(request), request.path_params),
        budgets_s=BUDGETS_S,
        max_demos=MAX_DEMOS,
        max_tests=MAX_TESTS,
        max_side=MAX_SIDE,
    )


def get_task(request: Request) -> Response:
    """Return a task of a set or run as a task file has it, without answers."""
    start = find_start(catalog_of(request), request.path_params)
    assert start is not None  # the address names one
    return JSONResponse(start.task.to_json())


async def open_file(request: Request) -> Response:
    """Return the task of a file that was sent, checked."""
    drawn = await run_in_threadpool(read_file, await request.body())
    return JSONResponse(drawn.to_json())


async def solve(request: Request) -> Response:
    """Search for programs for a task that was sent, for as long as somebody listens."""
    content = await read_object(request)
    budget_s = read_number(content, "budget_s", MIN_BUDGET_S, MAX_BUDGET_S)
    # Answers that were sent all the same end here.
    task = read_drawn(content.get("task")).task
    given = {"task": task.to_json(), "budget_s": budget_s}
    return JobStream(workers_of(request).begin(SOLVE, given, budget_s + GRACE_S))


ROUTES = [
    Route("/draw", show_editor),
    Route("/sets/{set}/tasks/{task}/draw", show_editor),
    Route("/runs/{run}/tasks/{task}/draw", show_editor),
    Route("/api/sets/{set}/tasks/{task}", get_task),
    Route("/api/runs/{run}/tasks/{task}", get_task),
    Route("/api/draw/open", open_file, methods=["POST"]),
    Route("/api/solve", solve, methods=["POST"]),
]
