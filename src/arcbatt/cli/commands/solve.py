"""`arcbatt solve`: search for programs and write two attempts at every test input."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.proposers import PROPOSER_NAMES
from arcbatt.proposers.enumerate import EnumerateOptions
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.proposers.registry import (
    DEFAULT_MAX_BYTES,
    PARTS,
    check_names,
    check_switches,
    pass_names,
)
from arcbatt.solving import SearchOptions
from arcbatt.solving.cluster import check_cluster

from ..completion import complete_source
from ..console import stop
from ..lookup import check_device, find_source
from ..options import (
    DEFAULT_OUT,
    AsJson,
    ClusterName,
    DeviceName,
    KnownPool,
    Library,
    Limit,
    OutFolder,
    ResumedRun,
    Rounds,
    Seed,
    SkipBad,
    TaskIds,
    Threads,
    TimeBudget,
)
from ..search_session import SearchRequest, resume_run, start_run
from ..units import format_bytes, parse_bytes, parse_duration

EXAMPLES = (
    ("arcbatt solve arc-agi-1/training --budget 2m", "all tasks of a set, in two minutes"),
    ("arcbatt solve 67a3c6ac --budget 10s", "one task, its attempts drawn"),
    ("arcbatt solve arc_challenges.json --submission submission.json", "a file of many tasks"),
    (
        "arcbatt solve arc-agi-1/training --tasks 67a3c6ac,00d62c1b --trace 67a3c6ac",
        "two tasks, one of them traced",
    ),
    ("arcbatt solve arc-agi-1/training --cluster local:16", "on 16 processes; auto: on Ray"),
    ("arcbatt solve --resume runs/solve-20260101-120000", "resume a run"),
)


def solve(
    ctx: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SET|FILE|FOLDER|ID",
            help="The tasks: a built-in set, a file of one task or many, a folder of task files, "
            "or the id of a task of a built-in set.",
            autocompletion=complete_source,
            show_default=False,
        ),
    ] = None,
    budget: TimeBudget = "5m",
    tasks: TaskIds = None,
    device: DeviceName = "auto",
    threads: Threads = None,
    pool: KnownPool = None,
    library: Library = True,
    proposers: Annotated[
        str,
        typer.Option(
            "--proposers", metavar="NAME,NAME...", help="Which proposers search for programs."
        ),
    ] = ",".join(PROPOSER_NAMES),
    off: Annotated[
        list[str] | None,
        typer.Option(
            "--off",
            metavar="NAME,NAME...",
            help=f"Leave out a part ({', '.join(PARTS)}), a pass of enumerate "
            f"({', '.join(pass_names())}), or a primitive of the search; may be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        str,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="The most memory for enumerating one task: 512MiB, 1GiB. Each thread enumerates "
            "one task at a time.",
        ),
    ] = format_bytes(DEFAULT_MAX_BYTES),
    cluster: ClusterName = None,
    skip_bad: SkipBad = False,
    seed: Seed = 0,
    rounds: Rounds = None,
    out: OutFolder = DEFAULT_OUT,
    submission: Annotated[
        Path | None,
        typer.Option(
            "--submission",
            metavar="FILE",
            help="Write the submission to this file too, and keep it current.",
            show_default=False,
        ),
    ] = None,
    resume: ResumedRun = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain/--no-explain",
            help="At the end, while the budget lasts, write pages that explain programs that fit "
            "all demos, the most confident first; or not.",
        ),
    ] = True,
    trace: Annotated[
        list[str] | None,
        typer.Option(
            "--trace",
            metavar="ID",
            help="Print everything tried for a task, and why its attempts won; may be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Solve tasks: search for programs, and write two attempts per test input.

    Creates a folder with submission.json in Kaggle's format, report.html, programs.py and more.
    Never looks at answers: arcbatt score does that. Ctrl-C ends the search early, and its results
    are still written.

    Exits with 0, with 2 if something cannot be read or written, with 130 if it was interrupted.
    """
    request = SearchRequest(
        parse_duration(budget), rounds, cluster, tuple(trace or ()), explain, limit, as_json
    )
    check_cluster(cluster)
    if resume is not None:
        resume_run(ctx, resume, "solve", request)
        return
    if source is None:
        stop("which tasks? Name a set, a file, a folder or a task, or a run to --resume")
    data, chosen = find_source(source)
    if chosen and tasks:
        stop(f"{source} is one task; --tasks chooses among those of a set")
    options = SearchOptions(
        data=data,
        tasks=tuple(tasks) if tasks else chosen,
        skip_bad=skip_bad,
        submission=None if submission is None else str(submission.absolute()),
        proposers=_choose_proposers(proposers),
        pool=None if pool is None else str(pool.absolute()),
        library=library,
        device=device,
        n_threads=threads,
        off=_choose_off(off or []),
        enumerate=EnumerateOptions(max_bytes=parse_bytes(memory)),
        evolve=EvolveOptions(seed=seed),
    )
    check_device(device, is_here=cluster is None)
    start_run("solve", options, out, request)


def _choose_proposers(text: str) -> tuple[str, ...]:
    try:
        names = check_names([name for name in text.split(",") if name])
    except ValueError as error:
        stop(str(error))
    if not names:
        stop(f"no proposer was named; the proposers are: {', '.join(PROPOSER_NAMES)}")
    return names


def _choose_off(given: list[str]) -> frozenset[str]:
    names = (name.strip() for text in given for name in text.split(","))
    try:
        return check_switches(name for name in names if name)
    except ValueError as error:
        stop(f"--off: {error}")
