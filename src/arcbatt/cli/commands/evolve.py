"""`arcbatt evolve`: mutate programs and keep improvements until the budget is spent."""

from typing import Annotated

import typer

from arcbatt.proposers.evolve import (
    DEFAULT_CARD_SIZE,
    MAX_CARD_SIZE,
    EvolveOptions,
    choose_card_size,
)
from arcbatt.solving import SearchOptions
from arcbatt.solving.cluster import check_cluster

from .. import notes_interrupts
from .. import options as given
from ..lookup import check_device, find_tasks
from ..search_session import SearchRequest, resume_run, start_run
from ..units import parse_duration

EXAMPLES = (
    ("arcbatt evolve --budget 10m", "ten minutes on ARC-AGI-1 training, from the bundled solvers"),
    (
        "arcbatt evolve my/tasks --pool mine.db",
        "on a folder of tasks, from the programs of a pool too",
    ),
    ("arcbatt evolve --cluster local:16", "16 islands that exchange what they find"),
    ("arcbatt evolve --resume runs/evolve-20260101-120000", "resume a run"),
    ("arcbatt pool merge runs/evolve-20260101-120000/pool.db", "keep what a run has found"),
)


@notes_interrupts
def evolve(
    ctx: typer.Context,
    source: given.Tasks = given.DEFAULT_DATA,
    tasks: given.TaskIds = None,
    budget: given.TimeBudget = "10m",
    pool: given.KnownPool = None,
    library: given.Library = True,
    skip_bad: given.SkipBad = False,
    device: given.DeviceName = "auto",
    threads: given.Threads = None,
    plugin: given.Plugins = None,
    cluster: given.ClusterName = None,
    seed: given.Seed = 0,
    rounds: given.Rounds = None,
    card_size: Annotated[
        int | None,
        typer.Option(
            "--card-size",
            metavar="N",
            min=1,
            max=MAX_CARD_SIZE,
            help="New programs per round; by default 800, or 3,200 if this machine has a GPU.",
            rich_help_panel=given.SEARCH,
        ),
    ] = None,
    use_differs: Annotated[
        bool,
        typer.Option(
            "--differs/--no-differs",
            help="Keep nearly right programs, or not.",
            rich_help_panel=given.SEARCH,
        ),
    ] = True,
    out: given.OutFolder = given.DEFAULT_OUT,
    resume: given.ResumedRun = None,
    limit: given.Limit = 20,
    as_json: given.AsJson = False,
) -> None:
    """Evolve programs for tasks; stop at any time with Ctrl-C without losing anything.

    This is solve with evolution alone. It creates a folder with a submission, a report and a pool
    of all kept programs.

    Exits with 0, with 2 if something cannot be read or written, with 130 if it was interrupted.
    """
    request = SearchRequest(parse_duration(budget), rounds, cluster, limit=limit, as_json=as_json)
    check_cluster(cluster)
    if resume is not None:
        resume_run(ctx, resume, "evolve", request)
        return
    data, chosen = find_tasks(source, tasks)
    check_device(device, is_here=cluster is None)
    if card_size is None:
        card_size = choose_card_size(device) if cluster is None else DEFAULT_CARD_SIZE
    options = SearchOptions(
        data=data,
        tasks=chosen,
        skip_bad=skip_bad,
        proposers=("evolve",),
        pool=None if pool is None else str(pool.absolute()),
        library=library,
        device=device,
        n_threads=threads,
        plugins=tuple(plugin or ()),
        evolve=EvolveOptions(seed=seed, card_size=card_size, use_differs=use_differs),
    )
    start_run("evolve", options, out, request)
