"""A server and a browser for tests, and checks for every page."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

NO_BROWSER = (
    "no Chromium: `apt-get install chromium` (Debian) or `.venv/bin/playwright install chromium` "
    "installs one; ARCBATT_CHROMIUM may say where it is"
)
# Pages are tested on phones and desktops, light and dark.
WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
# Generous, as the machine may be busy.
TIMEOUT_MS = 60_000


def find_chromium(playwright: Any) -> str:
    """Return the path of Chromium: configured, installed by the system, or by Playwright."""
    named = os.environ.get("ARCBATT_CHROMIUM") or shutil.which("chromium")
    return named or str(playwright.chromium.executable_path)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; tests are skipped with a hint if it is missing."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if not Path(path).exists():
            pytest.skip(NO_BROWSER)
        try:
            started = playwright.chromium.launch(executable_path=path)
        except Error as error:
            pytest.skip(f"{NO_BROWSER}; {path} does not start: {error}")
        yield started
        started.close()


# Tasks of ARC-AGI-1 training: fitted by a stack of pictures, by rules, by one primitive; the last
# is not fitted here.
SHOWN_TASKS = ("0520fde7", "00d62c1b", "67a3c6ac", "017c7c7b", "25ff71a9", "045e512c")


@dataclass(frozen=True)
class TwoRuns:
    """A folder with two runs over the same tasks; the first fits fewer."""

    folder: Path
    first: str
    second: str


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> TwoRuns:
    """Two runs for all tests: one with `known` alone, one with `learn` and `enumerate` too."""
    folder = tmp_path_factory.mktemp("runs")
    chosen = (("known",), ("known", "learn", "enumerate"))
    first, second = (_make_run(folder, proposers) for proposers in chosen)
    return TwoRuns(folder, first, second)


def _make_run(folder: Path, proposers: tuple[str, ...]) -> str:
    from arcbatt.solving import RunStore, Search, SearchOptions
    from arcbatt.tasks import load

    options = SearchOptions(
        "arc-agi-1/training", SHOWN_TASKS, proposers, library=False, device="cpu", n_threads=1
    )
    tasks = [load(options.data)[name] for name in SHOWN_TASKS]
    store = RunStore.create(folder, "solve", options)
    with Search(options, store, tasks) as search:
        search.run(60, max_rounds=1, explain=True)
    return store.path.name


@contextmanager
def serving(**settings: Any) -> Iterator[str]:
    """Serve pages on a free port of this machine; yield the address."""
    # Imported here because conftest imports this module for all tests.
    import uvicorn

    from arcbatt.web import Settings, create_app
    from arcbatt.web.server import make_config

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        app = create_app(Settings(port=port, **settings))
        server = uvicorn.Server(make_config(app, log_level="error"))
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
    """A browser page that collects its errors."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.errors: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(f"error: {error}"))
        page.on("request", self._on_request)

    def _on_console(self, message: Any) -> None:
        # Violations of the security policy are errors on the console.
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.type}: {message.text}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:", "file:")):
            self.errors.append(f"a request to {request.url}")

    def open(self, path: str) -> Any:
        """Open a page of the server and wait until it is ready."""
        self.page.goto(self.address + path)
        return self.page

    def require_clean(self) -> None:
        """Check that there were no errors and that the page fits the window."""
        assert not self.errors, self.errors
        wide, room = self.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room, f"{self.page.url}: {wide} pixels wide, the window has {room}"


@contextmanager
def watched(
    browser: Any, address: str, *, width: int = 1280, scheme: str = "light", **options: Any
) -> Iterator[Watched]:
    """Open a browser window; check for errors when it closes."""
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, **options
    )
    try:
        context.set_default_timeout(TIMEOUT_MS)
        seen = Watched(context.new_page(), address)
        yield seen
        seen.require_clean()
    finally:
        context.close()


def wait_until(page: Any, condition: str) -> None:
    """Wait until an expression of JavaScript is true, on this page or the one that it leads to.

    Playwright's `wait_for_function` evaluates text inside the page when it asks again, which the
    policy of the page forbids.
    """
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while not _holds(page, condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(50)


def _holds(page: Any, condition: str) -> bool:
    """Return the value of an expression, or False while the page is replaced by another."""
    try:
        return bool(page.evaluate(condition))
    except Exception as error:
        if "Execution context was destroyed" not in str(error):
            raise
        return False


def require_accessible(page: Any) -> None:
    """Check contrast, accessible names, and unique ids."""
    checks = (Path(__file__).parent / "page_checks.js").read_text("utf-8")
    for name in ("findLowContrast", "findNameless", "findTwice"):
        assert page.evaluate(f"() => {{ {checks}\nreturn {name}(); }}") == [], page.url
