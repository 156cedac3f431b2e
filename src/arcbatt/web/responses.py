"""Responses: pages rendered from templates, and exported files."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arcbatt.drawing.charts import Chart
from arcbatt.drawing.pages import render_page
from arcbatt.drawing.png import render_png
from arcbatt.drawing.scene import Block
from arcbatt.drawing.svg import render_svg
from arcbatt.plurals import count

from .catalog import Catalog

PACKAGE = "arcbatt.web"
# The frames of served pages and of exported pages.
APP_FRAME = "templates/app.html"
FILE_FRAME = "arcbatt.drawing/shared/base.html"

# The links in the navigation bar: address and title.
NAVIGATION = (
    ("/", "Gallery"),
    ("/runs", "Runs"),
    ("/compare", "Compare"),
    ("/draw", "Draw"),
    ("/write", "Write"),
    ("/primitives", "Primitives"),
)


class EventStream(StreamingResponse):
    """Server-sent events; `on_end` is called when they end, or the client is gone."""

    def __init__(self, events: AsyncIterator[str], on_end: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()


def catalog_of(request: Request) -> Catalog:
    """Return the catalog of the server that handles a request."""
    return cast(Catalog, request.app.state.catalog)


def show_page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template of the app as a page."""
    page = render_page(
        PACKAGE,
        f"templates/{template}",
        linked=True,
        frame=APP_FRAME,
        is_file=False,
        navigation=NAVIGATION,
        path=request.url.path,
        **{"count": count, **values},
    )
    return HTMLResponse(page, status)


def charts_to_json(charts: Sequence[Chart]) -> list[dict[str, Any]]:
    """Return charts as data for `charts.js`."""
    return [
        {
            "title": chart.title,
            "x": chart.x_label,
            "y": chart.y_label,
            "lines": [{"name": line.name, "points": line.points} for line in chart.lines],
        }
        for chart in charts
    ]


def export_page(template: str, name: str, **values: Any) -> Response:
    """Return a page as a self-contained file."""
    page = render_page(
        PACKAGE,
        f"templates/{template}",
        frame=FILE_FRAME,
        is_file=True,
        **{"count": count, **values},
    )
    return export_file(page.encode(), name, "text/html; charset=utf-8")


def export_scene(scene: Block, name: str, kind: str) -> Response:
    """Return a drawing as an "svg" or "png" file; raise "not found" for another kind."""
    if kind == "svg":
        return export_file(render_svg(scene).encode(), f"{name}.svg", "image/svg+xml")
    if kind == "png":
        return export_file(render_png(scene), f"{name}.png", "image/png")
    raise HTTPException(404, f"there is no {kind} of it; there are html, svg and png")


def export_file(content: bytes, name: str, kind: str) -> Response:
    """Return a file to download; its name is safe inside the header."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    headers = {"content-disposition": f'attachment; filename="{plain}"'}
    return Response(content, media_type=kind, headers=headers)
