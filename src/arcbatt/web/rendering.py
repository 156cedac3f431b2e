"""A template and its values in, an answer to a browser out."""

from __future__ import annotations

import re
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arcbatt.drawing.pages import render_page
from arcbatt.drawing.png import render_png
from arcbatt.drawing.scene import Block
from arcbatt.drawing.svg import render_svg
from arcbatt.plurals import count

from .catalog import Catalog

PACKAGE = "arcbatt.web"
# The frame of pages that the app shows, and of those that it hands out as files.
APP_FRAME = "templates/app.html"
FILE_FRAME = "arcbatt.drawing/shared/base.html"

# What the bar of every page leads to: the address, and what it is called.
NAVIGATION = (
    ("/", "Gallery"),
    ("/runs", "Runs"),
    ("/compare", "Compare"),
    ("/draw", "Draw"),
    ("/write", "Write"),
)


def catalog_of(request: Request) -> Catalog:
    """Return the sets and runs of the server that a request is for."""
    return cast(Catalog, request.app.state.catalog)


def show_page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return the page that a template of the app makes of values."""
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


def export_page(template: str, name: str, **values: Any) -> Response:
    """Return the same page as a file that needs nothing but itself."""
    page = render_page(
        PACKAGE,
        f"templates/{template}",
        frame=FILE_FRAME,
        is_file=True,
        **{"count": count, **values},
    )
    return export_file(page.encode(), name, "text/html; charset=utf-8")


def export_scene(scene: Block, name: str, kind: str) -> Response:
    """Return a drawing as a file: "svg" or "png"; another kind is answered with "not found"."""
    if kind == "svg":
        return export_file(render_svg(scene).encode(), f"{name}.svg", "image/svg+xml")
    if kind == "png":
        return export_file(render_png(scene), f"{name}.png", "image/png")
    raise HTTPException(404, f"there is no {kind} of it; there are html, svg and png")


def export_file(content: bytes, name: str, kind: str) -> Response:
    """Return a file for a browser to keep; nothing of its name can end the header it stands in."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    headers = {"content-disposition": f'attachment; filename="{plain}"'}
    return Response(content, media_type=kind, headers=headers)
