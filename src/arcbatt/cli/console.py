"""Where the commands print to: drawings to stdout, messages to stderr.

What is printed may come from files of others: names, ids, program text. None of it reaches the
terminal as a command to it.
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

# A file or a pipe has no width of its own; this one cuts no table.
WIDTH_WITHOUT_TERMINAL = 140

USAGE_ERROR = 2
# Set by Jupyter for its kernels and all that they start.
NOTEBOOK = "JPY_PARENT_PID"

# A line of a message is cut beyond this: longer than any path, shorter than a file.
MAX_MESSAGE_LINE = 5_000
# What stands for a character that a terminal would obey rather than show.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
MAX_COLUMNS = 10_000
# What may be folded can still be read so wide.
FOLDED_WIDTH = 16


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


def forget_useless_width() -> None:
    """Take COLUMNS for not set where it is 0, no number, or wider than anyone can see."""
    columns = os.environ.get("COLUMNS", "")
    is_number = columns.isascii() and columns.isdecimal() and len(columns) < 10
    if not (is_number and 0 < int(columns) <= MAX_COLUMNS):
        os.environ.pop("COLUMNS", None)


def stdout() -> Console:
    """Return the console for what was asked for."""
    console = _SafeConsole(highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDTH_WITHOUT_TERMINAL
    return console


def stderr() -> Console:
    """Return the console for messages; it breaks no path or line of program text."""
    return _SafeConsole(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def can_overwrite(console: Console) -> bool:
    """Return whether what was printed can be drawn anew: in a terminal, and not in a notebook.

    A notebook gives commands a terminal too, but keeps all that was ever printed to it.
    """
    return console.is_terminal and NOTEBOOK not in os.environ


def counting_bar(doing: str, is_quiet: bool) -> Progress:
    """Return a bar that shows of how many things how many are done, and which one is next."""
    # Here, since most commands show none.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    return Progress(
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", style="dim"),
        console=stdout(),
        transient=True,
        disable=is_quiet,
    )


@phase("display")
def print_blocks(*blocks: RenderableType) -> None:
    """Print drawings one below the other."""
    console = stdout()
    for block in blocks:
        console.print(block)


@phase("display")
def print_json(content: dict[str, Any]) -> None:
    """Print exactly one JSON object to stdout; ASCII, so that a terminal can show any of it."""
    json.dump(content, sys.stdout, indent=2)
    sys.stdout.write("\n")


class FittingTable(Table):
    """A table that leaves columns out where it would be too wide, and says which."""

    def __init__(self, *may_go: str) -> None:
        """`may_go` are headings of columns, in the order in which they are left out."""
        super().__init__(box=box.SIMPLE_HEAD)
        self._may_go = may_go

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = copy(self)
        gone: list[str] = []
        while len(gone) < len(self._may_go) and shown._least_width(console) > options.max_width:
            gone.append(self._may_go[len(gone)])
            kept = [column for column in self.columns if column.header not in gone]
            shown.columns = [replace(column, _index=k) for k, column in enumerate(kept)]
        yield from Table.__rich_console__(shown, console, options)
        if gone:
            yield Text(f"no room for: {', '.join(gone)}; --json has all", style="dim")

    def _least_width(self, console: Console) -> int:
        """How wide it is with all cells in a line, but for those that may be folded."""
        width = 3 * len(self.columns) + 1  # what is between columns, and around them
        for column in self.columns:
            cells = (column.header, *column.cells)
            widest = max(Measurement.get(console, console.options, cell).maximum for cell in cells)
            width += min(widest, FOLDED_WIDTH) if column.overflow == "fold" else widest
        return width


def say_how_many_more(table: Table, n_more: int) -> None:
    """Say below a table how many rows it would have without --limit."""
    if n_more:
        table.caption = f"and {n_more:,} more; --limit 0 shows all"
        table.caption_justify = "left"


def print_notice(message: str) -> None:
    """Print what the user should know beside the result."""
    stderr().print(Text(f"note: {clean(message)}", style="yellow"))


@contextmanager
def warnings_as_notices() -> Iterator[None]:
    """Print what the engine warns of, that a GPU fails for example, at once, once, in a line."""
    told: set[str] = set()

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in told:
            told.add(text)
            print_notice(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = tell
        yield


def print_error(message: str) -> None:
    """Print what is wrong."""
    stderr().print(Text(f"error: {clean(message)}", style="bold red"))


def stop(message: str) -> NoReturn:
    """Say what is wrong with what was asked for, and end."""
    print_error(message)
    raise typer.Exit(USAGE_ERROR)


def no_file_at(place: Path) -> str | None:
    """Say why no file can be written to a place, as far as it can be said before; None if not."""
    if place.is_dir():
        return "is a folder"
    return None if place.parent.is_dir() else "is in a folder that is not there"


@phase("display")
def write_file(path: Path, content: str | bytes) -> None:
    """Write a file and say so; an unwritable place is an OSError, which `app` reports."""
    write_whole(path, content)
    stdout().print(Text(f"wrote {path}", style="green"), soft_wrap=True)
