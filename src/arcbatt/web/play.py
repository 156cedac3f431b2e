"""Play a task: draw the outputs of its test inputs, with two attempts at each."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arcbatt.scoring import is_right
from arcbatt.solving.report.views import view_values
from arcbatt.tasks.submission import N_ATTEMPTS
from arcbatt.tasks.validation import MAX_SIDE, parse_grid

from .bodies import read_number, read_object
from .responses import show_page
from .task_page import MAX_CELL, SIDE, ShownTask, find_shown


def show_play(request: Request) -> Response:
    """Show the demos and test inputs of a task, with a grid to draw each output on."""
    shown = find_shown(request)
    return show_page(
        request,
        "play.html",
        **view_values(),
        shown=shown,
        task=shown.task,
        side=SIDE,
        max_cell=MAX_CELL,
        max_side=MAX_SIDE,
        n_attempts=N_ATTEMPTS,
    )


async def judge(request: Request) -> Response:
    """Return whether a drawn grid is the answer to a test input."""
    content = await read_object(request)
    shown = await run_in_threadpool(find_shown, request)
    return JSONResponse(await run_in_threadpool(_judge, shown, content))


def _judge(shown: ShownTask, content: dict[str, object]) -> dict[str, bool]:
    if shown.answers is None:
        raise HTTPException(422, "the answers to this task are not known")
    test = int(read_number(content, "test", 0, len(shown.task.test_inputs) - 1))
    grid = parse_grid(content.get("grid"), "grid")
    return {"right": is_right(shown.answers, shown.task.id, test, grid)}


ROUTES = [
    Route("/sets/{set}/tasks/{task}/play", show_play),
    Route("/runs/{run}/tasks/{task}/play", show_play),
    Route("/api/sets/{set}/tasks/{task}/judge", judge, methods=["POST"]),
    Route("/api/runs/{run}/tasks/{task}/judge", judge, methods=["POST"]),
]
