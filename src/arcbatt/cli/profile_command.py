"""`arcbatt profile`: another command, and where its time went."""

import json
from pathlib import Path
from typing import Annotated

import typer

from arcbatt.measure import Clock, current_clock
from arcbatt.measure.icicle import svg_icicle

from .console import print_notice, stop
from .timing import print_report

PROFILE_EXAMPLES = (
    ("arcbatt profile check --library", "a table of its phases"),
    ("arcbatt profile --svg time.svg check --library", "and a picture"),
    ("arcbatt profile --json time.json -- tasks --json", "for a script"),
)
# Options before the command are profile's own, those after it the command's.
PROFILE_CONTEXT = {"allow_interspersed_args": False, "ignore_unknown_options": False}


def profile(
    ctx: typer.Context,
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="A command with its arguments.")
    ],
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Write an icicle picture of phases in phases."),
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the times as JSON.")
    ] = None,
) -> None:
    """Run a command and show its time by phase, which sums to the wall clock.

    Each phase counts without those inside it. What other threads and devices did is shown beside,
    not added. The table goes to stderr, so the command's own output stays what it is.

    Ends with the status of the command.
    """
    if command[0] == "profile":
        stop("profile runs another command, not itself")
    clock = current_clock()
    assert clock is not None  # `app` has one while a command runs
    root = ctx.find_root()
    status = root.command.main(command, prog_name=root.info_name, standalone_mode=False)
    _write(clock, svg, as_json)
    if isinstance(status, int) and status:
        raise typer.Exit(status)


def _write(clock: Clock, svg: Path | None, as_json: Path | None) -> None:
    report = clock.report()
    if as_json is not None:
        as_json.write_text(json.dumps(report.to_json(), indent=2) + "\n", encoding="utf-8")
        print_notice(f"wrote {as_json}")
    if svg is not None:
        svg.write_text(svg_icicle(report), encoding="utf-8")
        print_notice(f"wrote {svg}")
    print_report(report)
