"""`arcbatt evolve`: mutate what works, keep what works better, until the budget is spent."""

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.engine.staged import TaskSamples
from arcbatt.measure import phase
from arcbatt.pool import Pool, default_path
from arcbatt.search.evolving import DEFAULT_CARD_SIZE, MUTANT_BUDGET, Evolution, EvolveOptions
from arcbatt.search.evolving_run import EvolutionRun
from arcbatt.search.run_folder import RunConfig, RunFolder
from arcbatt.search.validating import Validator

from .console import print_notice, stop, warnings_as_notices
from .durations import parse_duration
from .evolve_display import EvolveDisplay, print_summary
from .finding import check_device, choose_tasks
from .options import (
    DEFAULT_DATA,
    DEFAULT_OUT,
    DataSet,
    DeviceName,
    OutFolder,
    TaskIds,
    Threads,
)

EVOLVE_EXAMPLES = (
    ("arcbatt evolve --budget 10m", "ten minutes on ARC-AGI-1 training, from the bundled solvers"),
    (
        "arcbatt evolve --data my/tasks --pool mine.db",
        "on a folder of tasks, into a pool of one's own",
    ),
    ("arcbatt evolve --resume runs/evolve-20260101-120000", "go on where a run ended"),
)


def evolve(
    data: DataSet = DEFAULT_DATA,
    tasks: TaskIds = None,
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME", help="How long: 90s, 10m, 1.5h.")
    ] = "10m",
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool",
            metavar="FILE",
            help="The pool to fill, with the bundled solvers if it is new. "
            "[default: ARCBATT_POOL, or pool.db in the user's data folder]",
            show_default=False,
        ),
    ] = None,
    device: DeviceName = "auto",
    seed: Annotated[int, typer.Option("--seed", metavar="K", help="Where chance starts.")] = 0,
    generations: Annotated[
        int | None,
        typer.Option(
            "--generations",
            metavar="N",
            min=1,
            help="End after so many generations, if the time has not ended it before.",
            show_default=False,
        ),
    ] = None,
    card_size: Annotated[
        int, typer.Option("--card-size", metavar="N", min=1, help="New programs a generation.")
    ] = DEFAULT_CARD_SIZE,
    use_differs: Annotated[
        bool,
        typer.Option("--differs/--no-differs", help="Keep programs that are nearly right, or not."),
    ] = True,
    threads: Threads = None,
    out: OutFolder = DEFAULT_OUT,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="RUN",
            help="Go on with the run in this folder, with its own options, for --budget more.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Evolve programs for tasks; stop it with Ctrl-C whenever you like, nothing is lost."""
    budget_s = parse_duration(budget)
    if resume is not None:
        folder = RunFolder.open(resume)
        if folder.config.command != "evolve":
            stop(f"{resume} is the folder of `arcbatt {folder.config.command}`, not of evolve")
    else:
        options = EvolveOptions(
            seed=seed,
            card_size=card_size,
            use_differs=use_differs,
            device=device,
            n_threads=threads,
        )
        asked = {
            **options.to_json(),
            "data": data,
            "tasks": tasks,
            "pool": str(pool or default_path()),
        }
        check_device(device)
        choose_tasks(data, tasks or [])  # a wrong name makes no folder
        folder = RunFolder.create(out, RunConfig("evolve", seed, asked))
    with folder:
        _run(folder, budget_s, generations)


def _run(folder: RunFolder, budget_s: float, generations: int | None) -> None:
    asked = dict(folder.config.options)
    data, ids, pool = asked.pop("data"), asked.pop("tasks"), Path(asked.pop("pool"))
    with phase("load"):
        samples = TaskSamples(choose_tasks(data, ids or []))
    pool.parent.mkdir(parents=True, exist_ok=True)
    with Pool.open(pool) as opened:
        if not opened.n_programs:
            with phase("load"):
                opened.add_library()
        validator = Validator(folder.path / "differences", strict=False, budget=MUTANT_BUDGET)
        evolution = Evolution(samples, opened, EvolveOptions(**asked), validator)
        run = EvolutionRun(evolution, folder)
        try:
            with warnings_as_notices(), EvolveDisplay(run, budget_s) as display:
                run.go_on(budget_s, display.say, display.show, max_generations=generations)
        except KeyboardInterrupt:
            print_notice("interrupted; all that was found is kept")
        finally:
            evolution.close()
    print_summary(run)
    if validator.n_differences:
        stop(
            f"{validator.n_differences} programs gave alone what they did not give in their batt: "
            f"a bug; the files in {validator.folder} have all about it"
        )
