"""Run the web server until it is interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette

from .app import create_app
from .catalog import Catalog
from .protocol import Protocol
from .settings import Settings


def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Serve pages until an interrupt; call `on_ready` with the address to open.

    Raises OSError if the port is taken, before anything is served.
    """
    config = make_config(create_app(settings), log_level="warning")
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"{settings.host}:{settings.port}") from None
        on_ready(address_of(settings))
        uvicorn.Server(config).run([listener])


def make_config(app: Starlette, *, log_level: str) -> uvicorn.Config:
    """Return the settings of the HTTP server."""
    return uvicorn.Config(
        app,
        http=Protocol,
        log_level=log_level,
        server_header=False,
        timeout_graceful_shutdown=2,  # live updates never end on their own
        lifespan="off",
    )


def address_of(settings: Settings) -> str:
    """Return the address to open: the requested run, with the token if there is one."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    if settings.host in ("0.0.0.0", "::"):  # not addresses that a browser can open
        host = socket.gethostname()
    keys = list(Catalog(settings).runs()) if settings.runs else []
    path = f"runs/{keys[0]}" if keys else ""
    address = f"http://{host}:{settings.port}/{path}"
    return f"{address}?token={quote(settings.token)}" if settings.token else address
