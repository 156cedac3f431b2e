"""Styles and scripts, read at startup and served under their names.

Names are looked up in a table and never become paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

# The folders of the files that pages refer to; names are unique across them.
PLACES: Final = (
    ("arcbatt.drawing", "shared"),
    ("arcbatt.explainer", ""),
    ("arcbatt.solving.report", ""),
    ("arcbatt.web", "static"),
)
KINDS = {".css": "text/css", ".js": "text/javascript"}


def read_assets() -> dict[str, tuple[str, bytes]]:
    """Return the media type and content of every static file by name."""
    assets: dict[str, tuple[str, bytes]] = {}
    for package, folder in PLACES:
        place: Traversable = files(package)
        if folder:
            place = place / folder
        for file in place.iterdir():
            kind = KINDS.get(file.name[file.name.rfind(".") :])
            if kind is None:
                continue
            if file.name in assets:
                raise ValueError(f"two files of pages are named {file.name}")
            assets[file.name] = (kind, file.read_bytes())
    return assets


def make_route(assets: Mapping[str, tuple[str, bytes]]) -> Route:
    """Return the route of static files; it answers "not modified" to conditional requests."""

    async def hand_out(request: Request) -> Response:
        asset = assets.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404, "no such file")
        kind, content = asset
        tag = f'"{blake2b(content, digest_size=12).hexdigest()}"'
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)

    return Route("/static/{name}", hand_out)
