"""Progress of a search: a bar in a notebook or on a terminal, lines elsewhere."""

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

# Each update in a notebook is a message to the browser.
SECONDS_PER_UPDATE = 0.5
# Without notebook and terminal.
SECONDS_PER_LINE = 10.0
REFRESHES_PER_S = 4
BAR_COLUMNS = 24


class Progress(Watcher):
    """The state of a progress bar, copied from the loop."""

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
        """The spent share of the budget, 0 to 1."""
        loop = self._loop
        if loop is None or not loop.budget_s:
            return 0.0
        return min(1 - loop.left_s / loop.budget_s, 1.0)

    def say(self, is_done: bool = False) -> str:
        """Return the progress in a few words."""
        loop = self._loop
        if loop is None:
            return "starting"
        fitted = f"programs fit {self.n_fitted} of {count(len(loop.tasks), 'task')}"
        if is_done:
            return f"{fitted} after {loop.elapsed_s:,.1f} s"
        return f"{fitted}, {loop.left_s:,.0f} s left"


@contextmanager
def watching(progress: bool | Watcher | None) -> Iterator[Watcher]:
    """Show the progress of a loop inside; yield the watcher for it.

    None shows a bar in a notebook and on a terminal, True shows progress anywhere, False nowhere; a
    watcher is yielded itself.
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
            refresh_per_second=REFRESHES_PER_S,
            transient=True,
        ):
            yield shown
    elif progress:
        with _ticking(SECONDS_PER_LINE, lambda: print(shown.say(), file=sys.stderr, flush=True)):
            yield shown
    else:
        yield shown


def _draw(shown: Progress) -> Table:
    row = Table.grid(padding=(0, 2))
    bar = ProgressBar(total=1.0, completed=shown.fraction, width=BAR_COLUMNS)
    row.add_row(bar, Text(shown.say()), Text(shown.message, "dim"))
    return row


def bar_html(shown: Progress, is_done: bool = False) -> str:
    """Return the bar for a notebook, or its last line."""
    if is_done:
        return f"<div>{escape(shown.say(is_done=True))}</div>"
    return (
        f'<div><progress max="1" value="{shown.fraction:.3f}"></progress> '
        f'{escape(shown.say())} <span style="opacity:.6">{escape(shown.message)}</span></div>'
    )


@contextmanager
def _in_notebook(shown: Progress) -> Iterator[None]:
    """Keep one output of the cell current, without widgets."""
    notebook = notebook_display()
    handle = notebook.display(notebook.HTML(bar_html(shown)), display_id=True)
    try:
        with _ticking(SECONDS_PER_UPDATE, lambda: handle.update(notebook.HTML(bar_html(shown)))):
            yield
    finally:
        handle.update(notebook.HTML(bar_html(shown, is_done=True)))


@contextmanager
def _ticking(every_s: float, tick: Callable[[], None]) -> Iterator[None]:
    """Call a function regularly from a thread: the engine may work for seconds."""
    is_over = Event()

    def repeat() -> None:
        due_s = time.monotonic() + every_s
        while not is_over.wait(max(due_s - time.monotonic(), 0.0)):
            with phase("display"):
                tick()
            due_s = time.monotonic() + every_s

    thread = Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
