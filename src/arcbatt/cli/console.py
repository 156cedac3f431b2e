"""Console output: results to stdout, messages to stderr.

Names, ids and program text may come from untrusted files, so control characters never reach the
terminal.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from arcbatt.files import write_whole
from arcbatt.measure import phase

if TYPE_CHECKING:
    from rich.progress import Progress

# The width of output to a file or a pipe; wide enough for every table.
WIDTH_WITHOUT_TERMINAL = 140

USAGE_ERROR = 2
# Set by Jupyter for its kernels and their child processes.
NOTEBOOK = "JPY_PARENT_PID"

# Longer lines of a message are cut: longer than any path, shorter than a file.
MAX_MESSAGE_LINE = 5_000
# Replaces control characters.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
MAX_COLUMNS = 10_000
# The minimum width of a column whose text may be wrapped, and of one whose text is copied, such as
# an id or a path.
FOLDED_WIDTH = 16
COPIED_WIDTH = 32


def clean(text: str, limit: int = MAX_MESSAGE_LINE) -> str:
    """Return text that is safe to print: no control characters, lines of at most `limit`."""
    lines = text.split("\n")
    if all(line.isprintable() and len(line) <= limit for line in lines):
        return text
    return "\n".join(_clean_line(line, limit) for line in lines)


def _clean_line(line: str, limit: int) -> str:
    cut = line if len(line) <= limit else line[: limit - 3] + "..."
    return "".join(c if c.isprintable() else REPLACEMENT for c in cut.expandtabs(4))


class _SafeConsole(Console):
    """A console that shows control characters instead of sending them to the terminal."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(clean(segment.text, sys.maxsize), segment.style)


def ignore_invalid_width() -> None:
    """Unset COLUMNS if it is 0, not a number, or absurdly large."""
    columns = os.environ.get("COLUMNS", "")
    is_number = columns.isascii() and columns.isdecimal() and len(columns) < 10
    if not (is_number and 0 < int(columns) <= MAX_COLUMNS):
        os.environ.pop("COLUMNS", None)


def stdout() -> Console:
    """Return the console for results."""
    console = _SafeConsole(highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDTH_WITHOUT_TERMINAL
    return console


def stderr() -> Console:
    """Return the console for messages, which does not wrap paths or program text."""
    return _SafeConsole(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def can_overwrite(console: Console) -> bool:
    """Return whether printed text can be overwritten: in a terminal, but not in a notebook.

    A notebook provides a terminal too, but keeps everything that was printed.
    """
    return console.is_terminal and NOTEBOOK not in os.environ


def counting_bar(activity: str, is_quiet: bool) -> Progress:
    """Return a progress bar that shows the number of finished items and the current one."""
    # Imported here because most commands show no progress bar.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn(activity),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", style="dim"),
        console=stdout(),
        transient=True,
        disable=is_quiet,
    )


@phase("display")
def print_blocks(*blocks: RenderableType) -> None:
    """Print renderables one below the other."""
    console = stdout()
    for block in blocks:
        console.print(block)


@phase("display")
def print_json(content: dict[str, Any]) -> None:
    """Print exactly one JSON object to stdout, in ASCII, which any terminal can show."""
    json.dump(content, sys.stdout, indent=2)
    sys.stdout.write("\n")


class FittingTable(Table):
    """A table that omits columns if it is too wide, and says which."""

    def __init__(self, *optional: str, elsewhere: str = "--json has all") -> None:
        """Set the headings of columns that may be omitted, in the order of omission.

        `elsewhere` says where omitted columns are.
        """
        super().__init__(box=box.SIMPLE_HEAD)
        self._extra = optional
        self._elsewhere = elsewhere

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown, omitted = self._fitted(console, options.max_width)
        if shown._full_width(console) > options.max_width:
            # Not even alone do copied columns fit on one line.
            folded = copy(self)
            folded.columns = [
                replace(column, min_width=min(column.min_width or 0, FOLDED_WIDTH) or None)
                for column in self.columns
            ]
            shown, omitted = folded._fitted(console, options.max_width)
        yield from Table.__rich_console__(shown, console, options)
        if omitted:
            yield Text(f"columns omitted: {', '.join(omitted)}; {self._elsewhere}", style="dim")

    def _fitted(self, console: Console, width: int) -> tuple[FittingTable, list[str]]:
        """Return the table without as many optional columns as necessary, and their headings."""
        shown = copy(self)
        omitted: list[str] = []
        while len(omitted) < len(self._extra) and shown._full_width(console) > width:
            omitted.append(self._extra[len(omitted)])
            kept = [column for column in self.columns if column.header not in omitted]
            shown.columns = [replace(column, _index=k) for k, column in enumerate(kept)]
        return shown, omitted

    def add_copied_column(self, heading: str, texts: Iterable[str]) -> None:
        """Add a column of texts that stay on one line unless they are very long."""
        widest = max(map(len, texts), default=0)
        self.add_column(heading, overflow="fold", min_width=min(widest, COPIED_WIDTH))

    def _full_width(self, console: Console) -> int:
        """Return the width with all cells on one line, except those that may be wrapped."""
        width = 3 * len(self.columns) + 1  # gaps between columns, and the margin
        for column in self.columns:
            cells = (column.header, *column.cells)
            widest = max(Measurement.get(console, console.options, cell).maximum for cell in cells)
            folded = max(FOLDED_WIDTH, column.min_width or 0)
            width += min(widest, folded) if column.overflow == "fold" else widest
        return width


def note_hidden_rows(table: Table, n_more: int) -> None:
    """Add a caption with the number of rows that --limit hides."""
    if n_more:
        table.caption = f"and {n_more:,} more; --limit 0 shows all"
        table.caption_justify = "left"


def print_notice(message: str) -> None:
    """Print a note to stderr."""
    stderr().print(Text(f"note: {clean(message)}", style="yellow"))


@contextmanager
def warnings_as_notices() -> Iterator[None]:
    """Print warnings of the engine as notices, each only once."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in seen:
            seen.add(text)
            print_notice(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = show
        yield


def print_error(message: str, console: Console | None = None) -> None:
    """Print an error message to stderr; above a progress bar, if `console` is that of one."""
    (console or stderr()).print(Text(f"error: {clean(message)}", style="bold red"))


def stop(message: str) -> NoReturn:
    """Print an error message and exit with status 2."""
    print_error(message)
    raise typer.Exit(USAGE_ERROR)


def why_unwritable(path: Path) -> str | None:
    """Return why no file can be written to a path, as far as is known beforehand, or None."""
    if path.is_dir():
        return "is a folder"
    return None if path.parent.is_dir() else "is in a folder that does not exist"


@phase("display")
def write_file(path: Path, content: str | bytes) -> None:
    """Write a file and report it; `app` reports an OSError."""
    write_whole(path, content)
    stdout().print(Text(f"wrote {path}", style="green"), soft_wrap=True)
