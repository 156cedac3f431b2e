"""A template and its values in, an answer to a browser out."""

from __future__ import annotations

from typing import Any, cast

from starlette.requests import Request
from starlette.responses import HTMLResponse

from arcbatt.drawing.pages import render_page
from arcbatt.plurals import count

from .catalog import Catalog

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
        "arcbatt.web",
        f"templates/{template}",
        linked=True,
        navigation=NAVIGATION,
        path=request.url.path,
        count=count,
        **values,
    )
    return HTMLResponse(page, status)
