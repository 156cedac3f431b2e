"""`arcbatt solve`: search for programs and write two attempts at every test input."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.proposers.registry import PARTS, check_switches, pass_names
from arcbatt.solving import SearchOptions
from arcbatt.solving.cluster import check_cluster

from .. import notes_interrupts
from ..completion import complete_source
from ..console import stop
from ..lookup import check_device, find_tasks
from ..options import (
    DEFAULT_OUT,
    OUTPUT,
    SEARCH,
    TASKS_HELP,
    TASKS_METAVAR,
    AsJson,
    AskSettings,
    ClusterName,
    DeviceName,
    Endpoint,
    FailFast,
    KnownPool,
    Library,
    Limit,
    MaxRequests,
    Memory,
    ModelName,
    OutFolder,
    Plugins,
    Proposers,
    ResumedRun,
    Rounds,
    Seed,
    SkipBad,
    TaskIds,
    Threads,
    TimeBudget,
)
from ..search_session import (
    SearchRequest,
    choose_ask,
    choose_memory,
    choose_proposers,
    resume_run,
    start_run,
)
from ..units import parse_duration

EXAMPLES = (
    ("arcbatt solve arc-agi-1/training --budget 2m", "a set, in two minutes"),
    ("arcbatt solve 67a3c6ac --budget 10s", "one task, its attempts drawn"),
    ("arcbatt solve arc_challenges.json --submission out.json", "a file of Kaggle"),
    (
        "arcbatt solve tasks --model qwen3 --endpoint http://gpu/v1",
        "ask a model too",
    ),
    ("arcbatt solve --resume runs/solve-20260101-120000", "resume a run"),
)


@notes_interrupts
def solve(
    ctx: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar=TASKS_METAVAR,
            help=TASKS_HELP,
            autocompletion=complete_source,
        ),
    ] = None,
    budget: TimeBudget = "5m",
    tasks: TaskIds = None,
    device: DeviceName = "auto",
    threads: Threads = None,
    pool: KnownPool = None,
    library: Library = True,
    proposers: Proposers = None,
    off: Annotated[
        list[str] | None,
        typer.Option(
            "--off",
            metavar="NAME,NAME...",
            help="Leave out parts, passes or primitives. An unknown name lists all. The parts "
            f"are {', '.join(PARTS)}; the passes of enumerate are {', '.join(pass_names())}. May "
            "be given several times.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    memory: Memory = None,
    model: ModelName = None,
    endpoint: Endpoint = None,
    max_requests: MaxRequests = None,
    ask: AskSettings = None,
    plugin: Plugins = None,
    fail_fast: FailFast = False,
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
            help="Keep the submission in this file too. With --resume, name it again.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resume: ResumedRun = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain/--no-explain",
            help="Write pages that explain programs. They are written at the end, while "
            "the budget lasts, for programs that fit all demos, the most confident first.",
            rich_help_panel=OUTPUT,
        ),
    ] = True,
    trace: Annotated[
        list[str] | None,
        typer.Option(
            "--trace",
            metavar="ID",
            help="Print all that is tried for a task. Also why its attempts won; may be given "
            "several times.",
            rich_help_panel=OUTPUT,
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
    place = None if submission is None else str(submission.absolute())
    request = SearchRequest(
        parse_duration(budget),
        rounds,
        cluster,
        tuple(trace or ()),
        explain,
        limit,
        as_json,
        place,
        endpoint,
    )
    check_cluster(cluster)
    if resume is not None:
        resume_run(ctx, resume, "solve", request)
        return
    if source is None:
        stop("which tasks? Name a set, a file, a folder or a task, or a run to --resume")
    data, chosen = find_tasks(source, tasks)
    options = SearchOptions(
        data=data,
        tasks=chosen,
        skip_bad=skip_bad,
        submission=place,
        proposers=choose_proposers(proposers, asks=model is not None),
        pool=None if pool is None else str(pool.absolute()),
        library=library,
        device=device,
        n_threads=threads,
        off=_choose_off(off or []),
        max_bytes=choose_memory(memory),
        evolve=EvolveOptions(seed=seed),
        ask=choose_ask(model, endpoint, max_requests, ask or []),
        survives_errors=not fail_fast,
        plugins=tuple(plugin or ()),
    )
    check_device(device, is_here=cluster is None)
    start_run("solve", options, out, request)


def _choose_off(given: list[str]) -> frozenset[str]:
    names = (name.strip() for text in given for name in text.split(","))
    try:
        return check_switches(name for name in names if name)
    except ValueError as error:
        stop(f"--off: {error}")
