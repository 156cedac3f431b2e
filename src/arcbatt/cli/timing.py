"""`--timing` on every command: time by phase, printed when the command has ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from arcbatt.measure import Clock, Report, current_clock
from arcbatt.measure.tables import draw_report

from .console import stderr

WANTED = "arcbatt.timing"


def ask_for_timing(ctx: typer.Context, wanted: bool) -> bool:
    """Note that the times are wanted, wherever on the command line that was said."""
    if wanted:
        ctx.find_root().meta[WANTED] = True
    return wanted


def accept_timing(command: Any, option: Any) -> Any:
    """Give a command the option, and all commands below it."""
    if option not in command.params:
        command.params.append(option)
    for below in getattr(command, "commands", {}).values():
        accept_timing(below, option)
    return command


@contextmanager
def timed(ctx: typer.Context) -> Iterator[None]:
    """Have a clock while a command runs, and print its report at the end if that was wanted."""
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
    """Print times to stderr: stdout is for what the command itself gives."""
    console = stderr()
    for block in draw_report(report):
        console.print(block)


def wall_s() -> float:
    """Return the seconds since the command began, the start of its process included."""
    clock = current_clock()
    assert clock is not None  # `app` has one while a command runs
    return clock.report().main.wall_s
