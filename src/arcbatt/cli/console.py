"""Where the commands print to: drawings to stdout, messages to stderr."""

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from arcbatt.measure import phase

# A file or a pipe has no width of its own; this one cuts no table.
WIDTH_WITHOUT_TERMINAL = 140

USAGE_ERROR = 2


def stdout() -> Console:
    """Return the console for what was asked for."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDTH_WITHOUT_TERMINAL
    return console


def stderr() -> Console:
    """Return the console for messages; it breaks no path or line of program text."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


@phase("display")
def print_blocks(*blocks: RenderableType) -> None:
    """Print drawings one below the other."""
    console = stdout()
    for block in blocks:
        console.print(block)


@phase("display")
def print_json(content: dict[str, Any]) -> None:
    """Print exactly one JSON object to stdout."""
    json.dump(content, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_notice(message: str) -> None:
    """Print what the user should know beside the result."""
    stderr().print(Text(f"note: {message}", style="yellow"))


@contextmanager
def warnings_as_notices() -> Iterator[None]:
    """Print what the engine warns of, that a GPU is missing for example, once and in a line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print_notice(message)


def print_error(message: str) -> None:
    """Print what is wrong."""
    stderr().print(Text(f"error: {message}", style="bold red"))


def stop(message: str) -> NoReturn:
    """Say what is wrong with what was asked for, and end."""
    print_error(message)
    raise typer.Exit(USAGE_ERROR)


@phase("display")
def write_file(path: Path, content: str | bytes) -> None:
    """Write a file and say so; an unwritable place is an OSError, which `app` reports."""
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        path.write_bytes(content)
    stdout().print(Text(f"wrote {path}", style="green"), soft_wrap=True)
