"""The option `--timing` of every command: print time by phase at the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from arcbatt.measure import Clock, Report, current_clock
from arcbatt.measure.tables import draw_report

from .console import stderr

WANTED = "arcbatt.timing"


def ask_for_timing(ctx: typer.Context, wanted: bool) -> bool:
    """Record that `--timing` was given, at any position of the command line."""
    if wanted:
        ctx.find_root().meta[WANTED] = True
    return wanted


def accept_timing(command: Any, option: Any) -> Any:
    """Add the option to a command and its subcommands."""
    if option not in command.params:
        command.params.append(option)
    for below in getattr(command, "commands", {}).values():
        accept_timing(below, option)
    return command


@contextmanager
def timed(ctx: typer.Context) -> Iterator[None]:
    """Run a command under a clock and print its report at the end if requested."""
    clock = current_clock()
    if clock is None:
        clock = Clock()
        with clock.active(), timed(ctx):
            yield
        return
    try:
        yield
    except typer.Exit:
        _print_if_wanted(ctx, clock)
        raise
    _print_if_wanted(ctx, clock)


def _print_if_wanted(ctx: typer.Context, clock: Clock) -> None:
    if ctx.find_root().meta.get(WANTED):
        print_report(clock.report())


def print_report(report: Report) -> None:
    """Print a timing report to stderr, to keep it apart from the command's output."""
    console = stderr()
    for block in draw_report(report):
        console.print(block)


def wall_s() -> float:
    """Return the seconds since the process of the command started."""
    clock = current_clock()
    assert clock is not None  # `app` activates a clock around every command
    return clock.report().main.wall_s
