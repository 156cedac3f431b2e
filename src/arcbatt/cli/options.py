"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.measure import MAX_THREADS

from .completion import complete_set, complete_task

DEFAULT_DATA = "arc-agi-1/training"
DEFAULT_OUT = Path("runs")

DataSet = Annotated[
    str,
    typer.Option(
        "--data",
        metavar="SET",
        help="The tasks: a built-in set, a Kaggle file, or a folder.",
        autocompletion=complete_set,
    ),
]
TaskIds = Annotated[
    list[str] | None,
    typer.Option(
        "--tasks",
        metavar="ID,ID...",
        help="Only these tasks of the set.",
        autocompletion=complete_task,
        show_default=False,
    ),
]
# For commands that take tasks by id.
TaskSource = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="SET",
        help="Where the tasks are: a built-in set, a Kaggle file, or a folder; "
        "by default all built-in sets.",
        autocompletion=complete_set,
        show_default=False,
    ),
]
ProgramName = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="Which program of the file; by default solve_<task>, or the only one.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
DeviceName = Annotated[
    str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda (all GPUs) or cuda:1.")
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        max=MAX_THREADS,
        help="Threads on the CPU; by default all cores.",
        show_default=False,
    ),
]
OutFolder = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Where to make the run's folder.")
]
RunsFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the runs.")]
TimeBudget = Annotated[
    str,
    typer.Option(
        "--budget",
        metavar="TIME",
        help="How long the command may take, start and files included: 90s, 10m, 1.5h.",
    ),
]
KnownPool = Annotated[
    Path | None,
    typer.Option(
        "--pool",
        metavar="FILE",
        help="Start from the programs of this pool too; it is only read.",
        show_default=False,
    ),
]
Library = Annotated[
    bool, typer.Option("--library/--no-library", help="Use the bundled solvers, or not.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="K", help="The random seed.")]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        metavar="N",
        min=1,
        help="At most N rounds of each proposer; a run that ends by its rounds, not by its budget, "
        "can be repeated from its seed.",
        show_default=False,
    ),
]
ClusterName = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local:N|auto|HOST:PORT",
        help="Where the work is done: N processes on this machine, Ray on this machine, or Ray at "
        "an address; by default threads of this process.",
        show_default=False,
    ),
]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad",
        help="Leave out tasks that are not valid, list all their faults, and put stand-ins for "
        "them into the submission.",
    ),
]
ResumedRun = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="RUN",
        help="Resume the run in this folder, with its own tasks and options, for another --budget.",
        show_default=False,
    ),
]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=0, help="How many rows to show; 0 for all.")
]
