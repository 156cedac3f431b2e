"""The program editor, which shows the value of every line on a chosen task."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from arcbatt.language import all_primitives
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.values import format_value
from arcbatt.tasks.program_names import program_name

from .bodies import read_object, read_text
from .draw_start import SET, TASK, find_start
from .draw_tasks import read_drawn
from .jobs import wait_for, workers_of
from .jobs_protocol import CHECK
from .responses import catalog_of, show_page

# The task to start with where none was drawn yet, by its keys.
EXAMPLE_SET, EXAMPLE_TASK = "arc-agi-1-training", "67a3c6ac"
# More characters than the longest program that is explained.
MAX_TEXT = 100_000
MAX_PAIR = 20
# Enough to run a program on all pairs within the step budget and draw it.
LIMIT_S = 30.0


def show_editor(request: Request) -> Response:
    """Show the editor, for the task of the address or the last drawing."""
    start = find_start(catalog_of(request), request.path_params)
    name = "solve" if start is None else program_name(start.task.id)
    example = find_start(catalog_of(request), {SET: EXAMPLE_SET, TASK: EXAMPLE_TASK})
    return show_page(
        request, "write.html", start=start, example=example, name=name, max_text=MAX_TEXT
    )


def list_words(_request: Request) -> Response:
    """Return the vocabulary of programs: primitives with their docs, and constants."""
    return JSONResponse(
        {
            "primitives": [each.to_json() for each in all_primitives().values()],
            "constants": {name: format_value(value) for name, value in CONSTANTS.items()},
        },
        headers={"cache-control": "private, max-age=600"},
    )


async def check(request: Request) -> Response:
    """Return the errors of a program, the value of every line, and the pairs it fits."""
    content = await read_object(request)
    given: dict[str, Any] = {
        "text": read_text(content, "text", MAX_TEXT),
        "pair": read_text(content, "pair", MAX_PAIR),
        "source": None,
    }
    if "of" in content:
        of = content["of"]
        if not isinstance(of, dict) or not all(isinstance(each, str) for each in of.values()):
            raise HTTPException(422, '"of" does not name a task')
        start = await run_in_threadpool(find_start, catalog_of(request), {TASK: "", **of})
        if start is None:
            raise HTTPException(422, '"of" names neither a set nor a run')
        task = start.task
        given |= {"source": start.source, "id": task.id, "task": task.to_json()}
    else:
        given["task"] = read_drawn(content.get("task")).to_json()
    job = workers_of(request).begin(CHECK, given, LIMIT_S)
    return JSONResponse(await wait_for(job, request))


ROUTES = [
    Route("/write", show_editor),
    Route("/sets/{set}/tasks/{task}/write", show_editor),
    Route("/runs/{run}/tasks/{task}/write", show_editor),
    Route("/api/words", list_words),
    Route("/api/check", check, methods=["POST"]),
]
