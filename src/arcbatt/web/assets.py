"""Styles and scripts: their names in, files out that were read at the start.

A name is looked up among those that are there, and never becomes a path.
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

# Where the files are that pages refer to; a name is in one place only.
PLACES: Final = (
    ("arcbatt.drawing", "shared"),
    ("arcbatt.explainer", ""),
    ("arcbatt.solving.report", ""),
    ("arcbatt.web", "static"),
)
KINDS = {".css": "text/css", ".js": "text/javascript"}


def read_assets() -> dict[str, tuple[str, bytes]]:
    """Return by name the kind and the content of every file that pages refer to."""
    found: dict[str, tuple[str, bytes]] = {}
    for package, folder in PLACES:
        place: Traversable = files(package)
        if folder:
            place = place / folder
        for file in place.iterdir():
            kind = KINDS.get(file.name[file.name.rfind(".") :])
            if kind is None:
                continue
            if file.name in found:
                raise ValueError(f"two files of pages are named {file.name}")
            found[file.name] = (kind, file.read_bytes())
    return found


def make_route(assets: Mapping[str, tuple[str, bytes]]) -> Route:
    """Return the route that hands them out; a browser that has a file already is told so."""

    async def hand_out(request: Request) -> Response:
        found = assets.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404, "no such file")
        kind, content = found
        tag = f'"{blake2b(content, digest_size=12).hexdigest()}"'
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=f"{kind}; charset=utf-8", headers=headers)

    return Route("/static/{name}", hand_out)
