"""A server and a browser for tests of pages, and what must hold on every page."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NO_BROWSER = (
    "no Chromium: `apt-get install chromium` (Debian) or `.venv/bin/playwright install chromium` "
    "installs one; ARCBATT_CHROMIUM may say where it is"
)
# Phone and desktop, light and dark: pages are looked at in all of them.
WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; without one, tests are skipped and say how to get it."""
    from playwright.sync_api import Error, sync_playwright

    named = os.environ.get("ARCBATT_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        path = named or playwright.chromium.executable_path
        if not Path(path).exists():
            pytest.skip(NO_BROWSER)
        try:
            started = playwright.chromium.launch(executable_path=path)
        except Error as error:
            pytest.skip(f"{NO_BROWSER}; {path} does not start: {error}")
        yield started
        started.close()


@contextmanager
def serving(**settings: Any) -> Iterator[str]:
    """Serve pages on a free port of this machine; yield where."""
    # Here, since fixtures are read by all tests, and most need none of it.
    import uvicorn

    from arcbatt.web import Settings, create_app

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        app = create_app(Settings(port=port, **settings))
        config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()


class Watched:
    """A page of a browser, with all that went wrong on it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.troubles: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("request", self._on_request)

    def _on_console(self, message: Any) -> None:
        # What breaks the policy of a page is an error on its console.
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:", "file:")):
            self.troubles.append(f"a request to {request.url}")

    def open(self, path: str) -> Any:
        """Open a page of the server and wait until it is ready to be used."""
        self.page.goto(self.address + path)
        return self.page

    def require_clean(self) -> None:
        """Nothing went wrong, and the page is no wider than the window."""
        assert not self.troubles, self.troubles
        wide, room = self.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room, f"{self.page.url}: {wide} pixels wide, the window has {room}"


@contextmanager
def watched(
    browser: Any, address: str, *, width: int = 1280, scheme: str = "light", **options: Any
) -> Iterator[Watched]:
    """Open a window of the browser; when it closes, nothing may have gone wrong in it."""
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, **options
    )
    try:
        seen = Watched(context.new_page(), address)
        yield seen
        seen.require_clean()
    finally:
        context.close()
