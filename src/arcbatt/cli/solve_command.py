"""`arcbatt solve`: tasks that nobody has seen in, two attempts at every test input out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from arcbatt.pool import Pool
from arcbatt.search.run_folder import RunFolder
from arcbatt.solving import STAGE_NAMES, Solver
from arcbatt.solving.enumerate_stage import EnumerateStage
from arcbatt.solving.interrupts import termination_interrupts
from arcbatt.solving.solve_run import (
    REPORT,
    SUBMISSION,
    SolveOptions,
    SolveRun,
    require_space,
)
from arcbatt.solving.stage_list import DEFAULT_MAX_BYTES
from arcbatt.solving.switches import PARTS, check_switches, pass_names
from arcbatt.solving.tracing import describe_ranking
from arcbatt.tasks import Task
from arcbatt.tasks.task import suggest

from . import INTERRUPTED
from .console import (
    print_blocks,
    print_json,
    print_notice,
    stop,
    warnings_as_notices,
)
from .durations import format_duration, parse_duration
from .finding import check_device, choose_tasks, complete_set
from .options import DEFAULT_OUT, DeviceName, OutFolder, TaskIds
from .pool_command import AsJson
from .sizes import format_bytes, parse_bytes
from .solve_display import SolveDisplay, pass_table, stage_table, summary_to_json, task_table

SOLVE_EXAMPLES = (
    ("arcbatt solve arc-agi-1/training --budget 2m", "all tasks of a set, in two minutes"),
    ("arcbatt solve arc_challenges.json --out answers", "a Kaggle file"),
    (
        "arcbatt solve arc-agi-1/training --tasks 67a3c6ac --trace 67a3c6ac",
        "one task, told at length",
    ),
    ("arcbatt solve --resume runs/solve-20260101-120000", "go on where a run ended"),
)
# What a run keeps: with --resume these cannot be given again.
OF_A_RUN = (
    "source",
    "tasks",
    "device",
    "jobs",
    "pool",
    "library",
    "stages",
    "off",
    "memory",
    "seed",
    "out",
)


def solve(
    ctx: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SET|FILE|FOLDER",
            help="The tasks: a built-in set, a Kaggle file, a task file, or a folder of them.",
            autocompletion=complete_set,
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME", help="How long to search: 90s, 10m, 1.5h.")
    ] = "5m",
    tasks: TaskIds = None,
    device: DeviceName = "auto",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            help="Threads on the CPU; otherwise all cores.",
            show_default=False,
        ),
    ] = None,
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool",
            metavar="FILE",
            help="Begin with the programs of a pool too; it is only read.",
            show_default=False,
        ),
    ] = None,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="Begin with the bundled solvers, or not.")
    ] = True,
    stages: Annotated[
        str,
        typer.Option("--stages", metavar="NAME,NAME...", help="Which stages; they run in order."),
    ] = ",".join(STAGE_NAMES),
    off: Annotated[
        list[str] | None,
        typer.Option(
            "--off",
            metavar="NAME,NAME...",
            help=f"What to leave out: a part ({', '.join(PARTS)}), a pass of enumerate "
            f"({', '.join(pass_names())}), or a primitive that is searched with; may be given "
            "several times.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        str,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="At most so much for enumerating one task: 512MiB, 1GiB. As many tasks as there "
            "are threads are enumerated at a time.",
        ),
    ] = format_bytes(DEFAULT_MAX_BYTES),
    seed: Annotated[int, typer.Option("--seed", metavar="K", help="Where chance starts.")] = 0,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="N",
            min=1,
            help="At most so many rounds of each stage; a run that ends by that, and not by its "
            "budget, repeats from its seed.",
            show_default=False,
        ),
    ] = None,
    out: OutFolder = DEFAULT_OUT,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Go on with the run in this folder, with its own tasks and options, for --budget "
            "more.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain/--no-explain",
            help="At the end, write a page about each program that fits all demos, or not.",
        ),
    ] = True,
    trace: Annotated[
        list[str] | None,
        typer.Option(
            "--trace",
            metavar="ID",
            help="Tell what is tried for a task, and why its attempts won; may be given several "
            "times.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="How many rows to show; 0 for all.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Solve tasks: search for programs, and write two attempts at every test input.

    A folder is made with submission.json in Kaggle's format, report.html, programs.py and more.
    Answers are never looked at: arcbatt score does that. Ctrl-C ends the search, and what was
    found is written all the same.

    Status 0, 2 if something cannot be read or written, 130 if the run was ended.
    """
    budget_s = parse_duration(budget)
    if resume is not None:
        given = [name for name in OF_A_RUN if _is_given(ctx, name)]
        if given:
            words = "SET" if given[0] == "source" else f"--{given[0]}"
            stop(f"{words} cannot be given with --resume: the run goes on with its own")
        folder = RunFolder.open(resume)
    else:
        if source is None:
            stop("which tasks? Name a set, a file or a folder, or a run to --resume")
        check_device(device)
        options = SolveOptions(
            data=source,
            tasks=None if not tasks else tuple(tasks),
            stages=_choose_stages(stages),
            pool=None if pool is None else str(pool),
            library=library,
            seed=seed,
            device=device,
            n_threads=jobs,
            off=_choose_off(off or []),
            max_bytes=parse_bytes(memory),
        )
        # What is wrong is said before a folder is made.
        chosen = choose_tasks(source, tasks or [])
        _check_traced(chosen, trace or [])
        if pool is not None:
            Pool.open(pool, create=False).close()
        require_space(out, len(chosen))
        folder = RunFolder.create(out, options.to_config())
    with termination_interrupts(), folder:
        is_ended = _run(folder, budget_s, rounds, trace or [], explain, limit, as_json)
    if is_ended:
        raise typer.Exit(INTERRUPTED)


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _choose_stages(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in text.split(",") if name))
    for name in names:
        if name not in STAGE_NAMES:
            stop(
                f"no stage is named {name}{suggest(name, STAGE_NAMES)}\n"
                f"The stages are: {', '.join(STAGE_NAMES)}."
            )
    if not names:
        stop(f"no stage was named; the stages are: {', '.join(STAGE_NAMES)}")
    return names


def _choose_off(given: list[str]) -> tuple[str, ...]:
    names = (name.strip() for text in given for name in text.split(","))
    try:
        return tuple(sorted(check_switches(name for name in names if name)))
    except ValueError as error:
        stop(f"--off: {error}")


def _check_traced(tasks: list[Task], traced: list[str]) -> None:
    ids = [task.id for task in tasks]
    for name in traced:
        if name not in ids:
            stop(f"--trace {name}: no such task among those to solve{suggest(name, ids)}")


def _run(
    folder: RunFolder,
    budget_s: float,
    rounds: int | None,
    traced: list[str],
    explain: bool,
    limit: int,
    as_json: bool,
) -> bool:
    """Solve in a folder and show what came of it; return whether it was ended before its time."""
    options = SolveOptions.from_config(folder.config)
    tasks = choose_tasks(options.data, options.tasks or ())
    _check_traced(tasks, traced)
    is_ended = False
    display = SolveDisplay()
    with warnings_as_notices(), SolveRun(folder, tasks, watcher=display, traced=traced) as run:
        try:
            with display:
                run.go_on(budget_s, rounds)
                if explain:
                    run.explain(lambda n, of: display.say_quietly(f"explanations: {n} of {of}"))
        except KeyboardInterrupt:
            is_ended = True
    ranked = run.solver.rank()
    for each in ranked:
        if each.task.id in traced:
            for line in describe_ranking(each):
                display.traced(each.task, "ranking", line)
    if run.trouble is not None:
        print_notice(run.trouble)
    if is_ended:
        print_notice("ended; what was found until then is written")
    if as_json:
        places = {"folder": str(folder.path), "submission": str(folder.path / SUBMISSION)}
        content = summary_to_json(run.solver, ranked)
        print_json({**places, "report": str(folder.path / REPORT), "ended": is_ended, **content})
    else:
        print_blocks(
            task_table(run.solver, ranked, limit),
            stage_table(run.solver.counts),
            *_part_tables(run.solver),
            _summary(run),
        )
    return is_ended


def _part_tables(solver: Solver) -> list[Table]:
    passes = solver.parts().get(EnumerateStage.name, {})
    return [pass_table(passes)] if any(each["n_tasks"] for each in passes.values()) else []


def _summary(run: SolveRun) -> Text:
    solver = run.solver
    text = Text(
        f"{solver.n_fitted} of {len(solver.tasks)} tasks solved on their demos "
        f"in {format_duration(solver.elapsed_s)}",
        style="bold green" if solver.n_fitted else "bold",
    )
    text.append(f"\nreport: {run.folder.path / REPORT}", style="not bold green")
    text.append(f"\nsubmission: {run.folder.path / SUBMISSION}", style="not bold green")
    return text
