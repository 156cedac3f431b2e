"""`arcbatt profile`: run another command and show its time by phase."""

import json
from pathlib import Path
from typing import Annotated

import typer

from arcbatt.engine import profiler
from arcbatt.files import write_whole
from arcbatt.measure import Clock, current_clock

from ..console import print_notice, stop, why_unwritable
from ..timing import print_report

EXAMPLES = (
    ("arcbatt profile run", "its phases, and the primitives inside the engine"),
    ("arcbatt profile --json time.json -- tasks --json", "for a script"),
)
PRIMITIVES_TITLE = "primitives inside the engine, seconds over all threads of the CPU"
# Options before the command belong to profile, those after it to the command.
CONTEXT = {"allow_interspersed_args": False, "ignore_unknown_options": False}


def profile(
    ctx: typer.Context,
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND", help="A command with its arguments.")
    ],
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the times as JSON.")
    ] = None,
) -> None:
    """Run a command and show its time by phase, which sums to the wall clock.

    The time of a phase excludes the phases inside it. Other threads and devices are shown
    separately, not added. If the command runs the engine on the CPU, a second table shows the calls
    and time of each primitive. Tables go to stderr, so the command's own output is unchanged.

    Exits with the status of the command.
    """
    if command[0] == "profile":
        stop("profile runs another command, not itself")
    if as_json is not None and (why := why_unwritable(as_json)):
        stop(f"{as_json} {why}; name a file")
    clock = current_clock()
    assert clock is not None  # `app` activates a clock around every command
    root = ctx.find_root()
    with profiler.profile() as engine:
        status = root.command.main(command, prog_name=root.info_name, standalone_mode=False)
    _add_primitives(clock, engine.rows())
    report = clock.report()
    if as_json is not None:
        write_whole(as_json, json.dumps(report.to_json(), indent=2) + "\n")
        print_notice(f"wrote {as_json}")
    print_report(report)
    if isinstance(status, int) and status:
        raise typer.Exit(status)


def _add_primitives(clock: Clock, rows: list[profiler.PrimitiveTime]) -> None:
    total_s = sum(row.seconds for row in rows)
    if rows:
        clock.add_table(
            PRIMITIVES_TITLE,
            ("primitive", "calls", "seconds", "share", "ns per call"),
            [
                (
                    row.name,
                    row.n_calls,
                    row.seconds,
                    row.seconds / total_s if total_s else 0.0,
                    round(row.seconds / row.n_calls * 1e9),
                )
                for row in rows
            ],
        )
