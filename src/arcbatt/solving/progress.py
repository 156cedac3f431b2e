"""A bar that says how far a search is: in a notebook, on a terminal, or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from threading import Event, Thread

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arcbatt.display import in_notebook, notebook_display
from arcbatt.measure import phase
from arcbatt.plurals import count

from .loop import Loop, Watcher

# In a notebook an update is a message to the browser, and each is kept in the file's last state.
SECONDS_AN_UPDATE = 0.5
# Where there is neither notebook nor terminal: a line so often.
SECONDS_A_LINE = 10.0
REFRESHES_A_SECOND = 4
BAR_COLUMNS = 24


class Progress(Watcher):
    """What a bar shows: copied from the loop when that has something to say."""

    def __init__(self) -> None:
        self._loop: Loop | None = None
        self.n_fitted = 0
        self.message = ""

    def on_message(self, loop: Loop, message: str) -> None:
        self._copy(loop)
        self.message = f"{loop.current}: {message}" if loop.current else message

    def on_progress(self, loop: Loop) -> None:
        self._copy(loop)

    def _copy(self, loop: Loop) -> None:
        self._loop = loop
        self.n_fitted = loop.n_fitted

    @property
    def fraction(self) -> float:
        """The part of the budget that is spent, 0 to 1."""
        loop = self._loop
        if loop is None or not loop.budget_s:
            return 0.0
        return min(1 - loop.left_s / loop.budget_s, 1.0)

    def say(self, is_done: bool = False) -> str:
        """Return how far it is in a few words."""
        loop = self._loop
        if loop is None:
            return "begins"
        found = f"programs fit {self.n_fitted} of {count(len(loop.tasks), 'task')}"
        if is_done:
            return f"{found} after {loop.elapsed_s:,.1f} s"
        return f"{found}, {loop.left_s:,.0f} s left"


@contextmanager
def watching(progress: bool | Watcher | None) -> Iterator[Watcher]:
    """Show how far a loop is while it runs inside; yield who is to watch it.

    None shows a bar in a notebook and on a terminal, True anywhere, False nothing; a watcher is
    told all and shows what it likes.
    """
    if isinstance(progress, Watcher):
        yield progress
        return
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress is True, False or a Watcher, not a {type(progress).__name__}")
    shown = Progress()
    if progress is False:
        yield shown
    elif in_notebook():
        with _in_notebook(shown):
            yield shown
    elif sys.stderr.isatty():
        console = Console(stderr=True)
        with Live(
            console=console,
            get_renderable=lambda: _draw(shown),
            refresh_per_second=REFRESHES_A_SECOND,
            transient=True,
        ):
            yield shown
    elif progress:
        with _ticking(SECONDS_A_LINE, lambda: print(shown.say(), file=sys.stderr, flush=True)):
            yield shown
    else:
        yield shown


def _draw(shown: Progress) -> Table:
    row = Table.grid(padding=(0, 2))
    bar = ProgressBar(total=1.0, completed=shown.fraction, width=BAR_COLUMNS)
    row.add_row(bar, Text(shown.say()), Text(shown.message, "dim"))
    return row


def bar_html(shown: Progress, is_done: bool = False) -> str:
    """Return the bar of a notebook; when all is done, only what came of it."""
    if is_done:
        return f"<div>{escape(shown.say(is_done=True))}</div>"
    return (
        f'<div><progress max="1" value="{shown.fraction:.3f}"></progress> '
        f'{escape(shown.say())} <span style="opacity:.6">{escape(shown.message)}</span></div>'
    )


@contextmanager
def _in_notebook(shown: Progress) -> Iterator[None]:
    """Keep one output of the cell current; it needs no widgets."""
    notebook = notebook_display()
    handle = notebook.display(notebook.HTML(bar_html(shown)), display_id=True)
    try:
        with _ticking(SECONDS_AN_UPDATE, lambda: handle.update(notebook.HTML(bar_html(shown)))):
            yield
    finally:
        handle.update(notebook.HTML(bar_html(shown, is_done=True)))


@contextmanager
def _ticking(every_s: float, tick: Callable[[], None]) -> Iterator[None]:
    """Call a function now and then from a thread, since the engine may be at work for seconds."""
    is_over = Event()

    def go_on() -> None:
        due_s = time.monotonic() + every_s
        while not is_over.wait(max(due_s - time.monotonic(), 0.0)):
            with phase("display"):
                tick()
            due_s = time.monotonic() + every_s

    thread = Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
