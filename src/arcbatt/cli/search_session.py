"""Runs of a search for the commands `solve`, `evolve` and `kaggle`: start or resume, then show."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import typer
from rich.text import Text

from arcbatt.plurals import count
from arcbatt.pool import Pool
from arcbatt.solving import RunStore, Search, SearchOptions
from arcbatt.solving.descriptions import describe_ranking
from arcbatt.solving.interrupts import TERMINATION, noting_interrupts
from arcbatt.solving.run_folder import REPORT, SUBMISSION, RunFolder
from arcbatt.solving.run_store import make_config, missing_space, read_options
from arcbatt.suggestion import suggest
from arcbatt.tasks import BadTask, Task

from . import INTERRUPTED
from .cluster_display import print_worker_notices, worker_tables, workers_to_json
from .console import (
    print_blocks,
    print_json,
    print_notice,
    stop,
    warnings_as_notices,
    why_unwritable,
)
from .lookup import choose_valid_tasks
from .loop_display import (
    LoopDisplay,
    draw_attempts,
    part_tables,
    proposer_table,
    share_of_gpus,
    summary_to_json,
    task_table,
)
from .timing import wall_s
from .units import format_duration

# Parameters that may be given with --resume; all others are the run's own.
RESUMABLE = {"budget", "cluster", "rounds", "resume", "explain", "trace", "limit", "as_json"}
# A run of `kaggle` is one of `solve` with options that its folder keeps.
RESUMED_BY = {"kaggle": "solve"}


@dataclass(frozen=True)
class SearchRequest:
    """The parameters of a command besides the options of the search itself."""

    budget_s: float
    rounds: int | None = None
    cluster: str | None = None
    traced: Sequence[str] = ()
    explain: bool = False
    limit: int = 20
    as_json: bool = False


def start_run(command: str, options: SearchOptions, out: Path, request: SearchRequest) -> None:
    """Check all that can be checked in advance, then search in a new run folder."""
    tasks, bad = _load_tasks(options)
    _check_traced(tasks, request.traced)
    if options.submission is not None:
        place = Path(options.submission)
        if why := why_unwritable(place):
            stop(f"--submission: {place} {why}; name a file")
    if options.pool is not None:
        Pool.open(options.pool, create=False).close()
    if lack := missing_space(out, len(tasks)):
        if not options.survives_errors:
            stop(f"{lack}; free some, or choose another folder with --out")
        print_notice(f"{lack}; continuing nevertheless")
    folder = RunFolder.create(out, make_config(command, options))
    _run(folder, options, tasks, bad, request)


def resume_run(ctx: typer.Context, path: Path, command: str, request: SearchRequest) -> None:
    """Resume the run in a folder, with its own options."""
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        if name not in RESUMABLE and source is not None and source.name == "COMMANDLINE":
            words = "SET" if name == "source" else f"--{name.replace('_', '-')}"
            stop(f"{words} cannot be given with --resume: the run keeps its own")
    folder = RunFolder.open(path)
    with ExitStack() as on_failure:
        on_failure.callback(folder.close)
        resumed_by = RESUMED_BY.get(folder.config.command, folder.config.command)
        if resumed_by != command:
            stop(
                f"{path} is the folder of `arcbatt {folder.config.command}`; "
                f"arcbatt {resumed_by} --resume {quote(str(path))} resumes it"
            )
        options = read_options(folder.config)
        tasks, bad = _load_tasks(options)
        _check_traced(tasks, request.traced)
        on_failure.pop_all()
    _run(folder, options, tasks, bad, request)


def _load_tasks(options: SearchOptions) -> tuple[list[Task], list[BadTask]]:
    """Return the tasks of a run, and those that are left out because they are not valid."""
    tasks, bad = choose_valid_tasks(options.data, options.tasks or ())
    if bad and not options.skip_bad:
        n_more = sum(len(each.faults) for each in bad) - 1
        more = f"\n{count(n_more, 'more fault')} in {count(len(bad), 'task')}; " if n_more else "\n"
        stop(f"{bad[0].faults[0]}{more}--skip-bad lists all faults and solves the rest")
    if not tasks:
        print_faults(bad)
        stop(f"{options.data}: no valid task to solve")
    return tasks, bad


def print_faults(bad: Sequence[BadTask]) -> None:
    """Print every fault of tasks that are left out."""
    for each in bad:
        for fault in each.faults:
            print_notice(f"left out: {fault}")


def _check_traced(tasks: Sequence[Task], traced: Sequence[str]) -> None:
    ids = [task.id for task in tasks]
    for name in traced:
        if name not in ids:
            stop(f"--trace {name}: no such task among those to solve{suggest(name, ids)}")


def _run(
    folder: RunFolder,
    options: SearchOptions,
    tasks: Sequence[Task],
    bad: Sequence[BadTask],
    request: SearchRequest,
) -> None:
    """Search in a folder and show the results; exit with 130 if the search was interrupted."""
    print_faults(bad)
    display = LoopDisplay()
    with warnings_as_notices():
        store = RunStore(
            folder,
            bad=bad,
            on_explained=lambda n, of: display.say_quietly(f"explanations: {n} of {of}"),
        )
        search = Search(
            options,
            store,
            tasks,
            cluster=request.cluster,
            watcher=display,
            traced=request.traced,
        )
        with noting_interrupts(search.interrupt, *TERMINATION), search, display:
            # Starting the process is part of the budget.
            budget_s = request.budget_s - wall_s()
            search.run(budget_s, request.rounds, explain=request.explain)
        _show(search, store, display, request)
    if search.is_interrupted:
        raise typer.Exit(INTERRUPTED)


def _show(search: Search, store: RunStore, display: LoopDisplay, request: SearchRequest) -> None:
    loop, path = search.loop, store.path
    ranked = loop.rank()
    for each in ranked:
        if each.task.id in request.traced:
            for line in describe_ranking(each):
                display.on_trace(each.task, "ranking", line)
    if search.trouble is not None:
        print_notice(search.trouble)
    print_worker_notices(loop)
    if search.is_interrupted:
        print_notice("interrupted; the results found so far are written")
    if request.as_json:
        print_json(
            {
                "folder": str(path),
                "submission": str(path / SUBMISSION),
                "report": str(path / REPORT),
                "ended": search.is_interrupted,
                **workers_to_json(loop),
                **summary_to_json(loop, ranked, store.bad),
            }
        )
    else:
        print_blocks(
            task_table(loop, ranked, request.limit),
            proposer_table(loop.counts),
            *part_tables(loop),
            *worker_tables(loop),
            *([draw_attempts(ranked[0])] if len(ranked) == 1 else []),
            *_rules(store, len(ranked)),
            _summary(search, store),
        )


def _rules(store: RunStore, n_tasks: int) -> list[Text]:
    """Return the rules learned for a single task; the report has those of several."""
    if n_tasks > 1 or not store.rules:
        return []
    (lines,) = store.rules.values()
    return [Text.assemble(("learned rules\n", "bold"), "\n".join(lines))]


def _summary(search: Search, store: RunStore) -> Text:
    loop, path = search.loop, store.path
    text = Text(
        f"programs fit {loop.n_fitted} of {count(len(loop.tasks), 'task')} "
        f"after {format_duration(loop.elapsed_s)}",
        style="bold green" if loop.n_fitted else "bold",
    )
    if share := share_of_gpus(loop):
        text.append(f"\n{share}", style="not bold")
    text.append(f"\nwhether they are right: arcbatt score {quote(str(path))}", style="not bold")
    text.append(f"\nreport: {path / REPORT}", style="not bold green")
    if store.bad:
        left_out = (
            f"\n{count(len(store.bad), 'task')} not valid: left out, with stand-ins as attempts"
        )
        text.append(left_out, style="not bold yellow")
    submission = search.options.submission or path / SUBMISSION
    text.append(f"\nsubmission: {submission}", style="not bold green")
    return text
