"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from arcbatt.measure import MAX_THREADS
from arcbatt.plugins import load_plugins

from .completion import complete_set, complete_source, complete_task

DEFAULT_DATA = "arc-agi-1/training"
DEFAULT_OUT = Path("runs")
# Headings of options in help, after the common ones.
SEARCH, MODEL, MACHINE, OUTPUT = "Search", "Language model", "Machine", "Output"

TASKS_METAVAR = "SET|FILE|FOLDER|ID"
TASKS_HELP = (
    "A built-in set, a file, a folder, or a task's id. Files hold one task or many; ids are those "
    "of built-in sets."
)
Tasks = Annotated[
    str,
    typer.Argument(metavar=TASKS_METAVAR, help=TASKS_HELP, autocompletion=complete_source),
]
TaskIds = Annotated[
    list[str] | None,
    typer.Option(
        "--tasks",
        metavar="ID,ID...",
        help="Only these tasks of the set.",
        autocompletion=complete_task,
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
    ),
]
ProgramName = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="NAME",
        help="Which program of the file; by default solve_<task>, or the only one.",
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object.", rich_help_panel=OUTPUT)
]
DeviceName = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="NAME",
        help="auto, cpu, cuda (all GPUs) or cuda:1.",
        rich_help_panel=MACHINE,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        max=MAX_THREADS,
        help="Threads on the CPU; by default all cores.",
        rich_help_panel=MACHINE,
    ),
]
OutFolder = Annotated[
    Path,
    typer.Option(
        "--out", metavar="DIR", help="Where to make the run's folder.", rich_help_panel=OUTPUT
    ),
]
RunsFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the runs.")]
TimeBudget = Annotated[
    str,
    typer.Option(
        "--budget",
        metavar="TIME",
        help="How long the command may take: 90s, 10m, 1.5h. Start and files are included.",
    ),
]
KnownPool = Annotated[
    Path | None,
    typer.Option(
        "--pool",
        metavar="FILE",
        help="Start from the programs of this pool too. It is only read.",
    ),
]
Library = Annotated[bool, typer.Option("--library/--no-library", help="Use the bundled solvers.")]
Proposers = Annotated[
    str | None,
    typer.Option(
        "--proposers",
        metavar="NAME,NAME...",
        help="Which proposers search for programs; by default all.",
        rich_help_panel=SEARCH,
    ),
]


def _plugin_option(**more: Any) -> Any:
    return typer.Option(
        "--plugin",
        metavar="FILE.py|MODULE",
        help="Import your own primitives and proposers. A file, a module or the name of an "
        "installed plugin; it is Python code, which is run. May be given several times.",
        rich_help_panel=SEARCH,
        **more,
    )


# Loaded as soon as it is read: other options may name its proposers and primitives.
Plugins = Annotated[
    list[str] | None,
    _plugin_option(callback=lambda names: list(load_plugins(names or ())), is_eager=True),
]
# For a command that has something to do before it calls `load_plugins`.
LatePlugins = Annotated[list[str] | None, _plugin_option()]
FailFast = Annotated[
    bool,
    typer.Option(
        "--fail-fast",
        help="End the search when a proposer fails. By default it goes on without that one.",
        rich_help_panel=SEARCH,
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Ask this language model for programs. Adds the proposer ask.",
        rich_help_panel=MODEL,
    ),
]
Endpoint = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        metavar="URL",
        help="Its OpenAI-compatible server. An example is http://localhost:8000/v1. The key is "
        "taken from the environment (ARCBATT_API_KEY or OPENAI_API_KEY) and stored nowhere.",
        rich_help_panel=MODEL,
    ),
]
MaxRequests = Annotated[
    int | None,
    typer.Option(
        "--max-requests",
        metavar="N",
        min=0,
        help="The most requests, failed ones included.",
        rich_help_panel=MODEL,
    ),
]
AskSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--ask",
        metavar="NAME=VALUE,...",
        help="More bounds and settings of ask. They are max-tokens, max-cost (dollars, with "
        "price-in and price-out per million tokens), samples, turns, parallel, reply-tokens, "
        "temperature, timeout, images=yes, dialect=arc-dsl. May be given several times.",
        rich_help_panel=MODEL,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="The most memory for values in each process, whatever the number of threads: "
        "512MiB, 8GiB. Programs that need more fail, and enumerating stops earlier. By default "
        "half of the machine's memory.",
        rich_help_panel=MACHINE,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="K", help="The random seed.", rich_help_panel=SEARCH)
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        metavar="N",
        min=1,
        help="At most N rounds of each proposer. A run that ends by its rounds, not by its budget, "
        "can be repeated from its seed.",
        rich_help_panel=SEARCH,
    ),
]
ClusterName = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local:N|auto|HOST:PORT",
        help="Work in N processes, or on Ray (auto: here). By default the work is done by "
        "threads of this process.",
        rich_help_panel=MACHINE,
    ),
]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad",
        help="Leave out tasks that are not valid. All their faults are listed, and the submission "
        "has stand-ins for them.",
        rich_help_panel=SEARCH,
    ),
]
ResumedRun = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="RUN",
        help="Resume the run in this folder for another --budget. It keeps its tasks and options.",
    ),
]
Limit = Annotated[
    int,
    typer.Option(
        "--limit",
        metavar="N",
        min=0,
        help="How many rows to show; 0 for all.",
        rich_help_panel=OUTPUT,
    ),
]
