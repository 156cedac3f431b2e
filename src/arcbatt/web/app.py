"""The Starlette app: its routes, middleware and error pages."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from arcbatt.language import ProgramError
from arcbatt.pool import PoolError
from arcbatt.scoring import SubmissionError
from arcbatt.solving.run_folder import RunFolderError
from arcbatt.tasks import TaskError

from . import compare_page, draw, gallery, play, primitives_page, runs_page, task_page, write
from .assets import make_route, read_assets
from .catalog import Catalog
from .jobs import Workers
from .responses import show_page
from .security import SECURITY_HEADERS, Guard
from .settings import Settings

# Modules with ROUTES.
PAGES: tuple[Any, ...] = (
    gallery,
    task_page,
    runs_page,
    compare_page,
    draw,
    write,
    play,
    primitives_page,
)
# Errors about requested files; their messages are shown.
EXPECTED = (TaskError, RunFolderError, PoolError, SubmissionError, ProgramError)


def create_app(settings: Settings) -> Starlette:
    """Return the app for these settings."""
    app = Starlette(
        routes=[*(route for page in PAGES for route in page.ROUTES), make_route(read_assets())],
        middleware=[
            Middleware(Guard, settings=settings),
            Middleware(GZipMiddleware, minimum_size=1_000),
        ],
        exception_handlers={
            HTTPException: _show_refusal,
            **dict.fromkeys(EXPECTED, _show_error),
            ClientDisconnect: _end_quietly,
            Exception: _show_fault,
        },
    )
    app.state.catalog = Catalog(settings)
    app.state.settings = settings
    app.state.n_streams = 0
    app.state.workers = Workers()
    return app


async def _show_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _answer(request, error.status_code, error.detail)


async def _show_error(request: Request, error: Exception) -> Response:
    return _answer(request, 422, str(error))


async def _end_quietly(_request: Request, _error: Exception) -> Response:
    # A browser was closed, or a page left, in the middle of an upload: nobody reads the answer.
    return Response(status_code=400)


async def _show_fault(request: Request, error: Exception) -> Response:
    # The server prints the traceback; the client needs only the class of the error.
    answer = _answer(request, 500, f"internal error: {type(error).__name__}")
    answer.headers.update(SECURITY_HEADERS)  # the guard does not handle this answer
    return answer


def _answer(request: Request, status: int, message: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message}, status)
    return show_page(request, "error.html", status, message=message, error_status=status)
