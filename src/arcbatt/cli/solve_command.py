"""`arcbatt solve`: tasks that nobody has seen in, two attempts at every test input out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.text import Text

from arcbatt.plurals import count
from arcbatt.pool import Pool
from arcbatt.proposers import PROPOSER_NAMES
from arcbatt.proposers.presets import DEFAULT_MAX_BYTES
from arcbatt.proposers.switches import PARTS, check_switches, pass_names
from arcbatt.solving import Run, RunOptions
from arcbatt.solving.cluster import check_cluster, open_cluster
from arcbatt.solving.interrupts import termination_interrupts
from arcbatt.solving.run import REPORT, SUBMISSION, lack_of_space
from arcbatt.solving.run_folder import RunFolder
from arcbatt.solving.tracing import describe_ranking
from arcbatt.tasks import BadTask, Task
from arcbatt.tasks.task import suggest

from . import INTERRUPTED
from .cluster_display import print_worker_notices, worker_tables, workers_to_json
from .completion import complete_source
from .console import (
    no_file_at,
    print_blocks,
    print_json,
    print_notice,
    stop,
    warnings_as_notices,
)
from .durations import format_duration, parse_duration
from .finding import check_device, choose_valid_tasks, find_source
from .loop_display import (
    LoopDisplay,
    draw_attempts,
    part_tables,
    proposer_table,
    share_of_gpus,
    summary_to_json,
    task_table,
)
from .options import (
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
from .sizes import format_bytes, parse_bytes
from .timing import wall_s

SOLVE_EXAMPLES = (
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
# What may be given again when a run is resumed; all else is the run's own.
NOT_OF_A_RUN = {"budget", "cluster", "rounds", "resume", "explain", "trace", "limit", "as_json"}
# A run of `kaggle` is one of `solve` with other options, and those are in its folder.
RESUMED_BY = {"kaggle": "solve"}


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
            help=f"What to leave out: a part ({', '.join(PARTS)}), a pass of enumerate "
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
            "all demos, the surest first; or not.",
        ),
    ] = True,
    trace: Annotated[
        list[str] | None,
        typer.Option(
            "--trace",
            metavar="ID",
            help="Print what is tried for a task, and why its attempts won; may be given several "
            "times.",
            show_default=False,
        ),
    ] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Solve tasks: search for programs, and write two attempts at every test input.

    Makes a folder with submission.json in Kaggle's format, report.html, programs.py and more.
    Never looks at answers: arcbatt score does that. Ctrl-C ends the search, and what was found
    is still written.

    Exits with 0, with 2 if something cannot be read or written, with 130 if it was interrupted.
    """
    budget_s = parse_duration(budget)
    check_cluster(cluster)
    if resume is not None:
        folder = open_run(ctx, resume, "solve")
    else:
        if source is None:
            stop("which tasks? Name a set, a file, a folder or a task, or a run to --resume")
        data, chosen = find_source(source)
        if chosen and tasks:
            stop(f"{source} is one task; --tasks chooses among those of a set")
        options = RunOptions(
            data=data,
            tasks=tuple(tasks) if tasks else chosen,
            skip_bad=skip_bad,
            submission=None if submission is None else str(submission.absolute()),
            proposers=_choose_proposers(proposers),
            pool=None if pool is None else str(pool.absolute()),
            library=library,
            seed=seed,
            device=device,
            n_threads=threads,
            off=_choose_off(off or []),
            max_bytes=parse_bytes(memory),
        )
        check_device(device, is_here=cluster is None)
        folder = make_run("solve", options, out, trace or [])
    carry_out(folder, budget_s, rounds, trace or [], explain, limit, as_json, cluster)


def open_run(ctx: typer.Context, path: Path, command: str) -> RunFolder:
    """Open the folder of a run to resume it, if nothing is given that is the run's own."""
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        if name not in NOT_OF_A_RUN and source is not None and source.name == "COMMANDLINE":
            words = "SET" if name == "source" else f"--{name.replace('_', '-')}"
            stop(f"{words} cannot be given with --resume: the run keeps its own")
    folder = RunFolder.open(path)
    resumed_by = RESUMED_BY.get(folder.config.command, folder.config.command)
    if resumed_by != command:
        folder.close()
        stop(
            f"{path} is the folder of `arcbatt {folder.config.command}`; "
            f"arcbatt {resumed_by} --resume {quote(str(path))} resumes it"
        )
    return folder


def make_run(command: str, options: RunOptions, out: Path, traced: Sequence[str]) -> RunFolder:
    """Make the folder of a new run; what is wrong is said before that."""
    chosen, _ = _choose(options)
    _check_traced(chosen, traced)
    if options.submission is not None:
        place = Path(options.submission)
        if why := no_file_at(place):
            stop(f"--submission: {place} {why}; name a file")
    if options.pool is not None:
        Pool.open(options.pool, create=False).close()
    if lack := lack_of_space(out, len(chosen)):
        if not options.survives_errors:
            stop(f"{lack}; free some, or choose another folder with --out")
        print_notice(f"{lack}; going on all the same")
    return RunFolder.create(out, options.to_config(command))


def _choose(options: RunOptions) -> tuple[list[Task], list[BadTask]]:
    """Return the tasks of a run, and those that it leaves out because they are not valid."""
    tasks, bad = choose_valid_tasks(options.data, options.tasks or ())
    if bad and not options.skip_bad:
        n_more = sum(len(each.faults) for each in bad) - 1
        more = f"\n{count(n_more, 'more fault')} in {count(len(bad), 'task')}; " if n_more else "\n"
        stop(f"{bad[0].faults[0]}{more}--skip-bad lists all faults and solves the rest")
    if not tasks:
        say_what_is_bad(bad)
        stop(f"{options.data}: no valid task to solve")
    return tasks, bad


def say_what_is_bad(bad: Sequence[BadTask]) -> None:
    """Print every fault of tasks that are left out."""
    for each in bad:
        for fault in each.faults:
            print_notice(f"left out: {fault}")


def _choose_proposers(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in text.split(",") if name))
    for name in names:
        if name not in PROPOSER_NAMES:
            stop(
                f"no proposer is named {name}{suggest(name, PROPOSER_NAMES)}\n"
                f"The proposers are: {', '.join(PROPOSER_NAMES)}."
            )
    if not names:
        stop(f"no proposer was named; the proposers are: {', '.join(PROPOSER_NAMES)}")
    return names


def _choose_off(given: list[str]) -> tuple[str, ...]:
    names = (name.strip() for text in given for name in text.split(","))
    try:
        return tuple(sorted(check_switches(name for name in names if name)))
    except ValueError as error:
        stop(f"--off: {error}")


def _check_traced(tasks: Sequence[Task], traced: Sequence[str]) -> None:
    ids = [task.id for task in tasks]
    for name in traced:
        if name not in ids:
            stop(f"--trace {name}: no such task among those to solve{suggest(name, ids)}")


def carry_out(
    folder: RunFolder,
    budget_s: float,
    rounds: int | None,
    traced: Sequence[str],
    explain: bool,
    limit: int,
    as_json: bool,
    cluster: str | None = None,
) -> None:
    """Run the loop in a folder and show what came of it; exit with 130 if it was interrupted."""
    with termination_interrupts(), warnings_as_notices(), folder:
        options = RunOptions.from_config(folder.config)
        tasks, bad = _choose(options)
        say_what_is_bad(bad)
        _check_traced(tasks, traced)
        is_ended = False
        display = LoopDisplay()
        workers = None if cluster is None else open_cluster(cluster, options, folder.path)
        with Run(folder, tasks, bad=bad, watcher=display, traced=traced, workers=workers) as run:
            try:
                with display:
                    run.spend(
                        budget_s - wall_s(),  # what the start took is part of it
                        rounds,
                        explain=explain,
                        on_explained=lambda n, of: display.say_quietly(
                            f"explanations: {n} of {of}"
                        ),
                    )
            except KeyboardInterrupt:
                is_ended = True
        _show(run, display, traced, limit, as_json, is_ended)
    if is_ended:
        raise typer.Exit(INTERRUPTED)


def _show(
    run: Run,
    display: LoopDisplay,
    traced: Sequence[str],
    limit: int,
    as_json: bool,
    is_ended: bool,
) -> None:
    ranked = run.loop.rank()
    for each in ranked:
        if each.task.id in traced:
            for line in describe_ranking(each):
                display.on_trace(each.task, "ranking", line)
    if run.trouble is not None:
        print_notice(run.trouble)
    print_worker_notices(run.loop)
    if is_ended:
        print_notice("interrupted; what was found so far is written")
    path = run.folder.path
    if as_json:
        places = {"folder": str(path), "submission": str(path / SUBMISSION)}
        content = summary_to_json(run, ranked)
        about = {"report": str(path / REPORT), "ended": is_ended, **workers_to_json(run.loop)}
        print_json({**places, **about, **content})
    else:
        print_blocks(
            task_table(run.loop, ranked, limit),
            proposer_table(run.loop.counts),
            *part_tables(run.loop),
            *worker_tables(run.loop),
            *([draw_attempts(ranked[0])] if len(ranked) == 1 else []),
            *_rule(run),
            _summary(run),
        )


def _rule(run: Run) -> list[Text]:
    """Return what was learnt of a single task; of many the report has it."""
    if len(run.loop.tasks) > 1 or not run.rules:
        return []
    (lines,) = run.rules.values()
    return [Text.assemble(("what was learnt\n", "bold"), "\n".join(lines))]


def _summary(run: Run) -> Text:
    loop, path = run.loop, run.folder.path
    text = Text(
        f"programs fit {loop.n_fitted} of {count(len(loop.tasks), 'task')} "
        f"after {format_duration(loop.elapsed_s)}",
        style="bold green" if loop.n_fitted else "bold",
    )
    if share := share_of_gpus(loop):
        text.append(f"\n{share}", style="not bold")
    text.append(f"\nwhether they are right: arcbatt score {quote(str(path))}", style="not bold")
    text.append(f"\nreport: {path / REPORT}", style="not bold green")
    if run.bad:
        left_out = (
            f"\n{count(len(run.bad), 'task')} not valid: left out, with stand-ins as attempts"
        )
        text.append(left_out, style="not bold yellow")
    submission = run.options.submission or path / SUBMISSION
    text.append(f"\nsubmission: {submission}", style="not bold green")
    return text
