"""arcbatt: solves ARC-AGI tasks by searching for programs.

    task = arcbatt.find_task("67a3c6ac")
    solution = arcbatt.solve(task)
    arcbatt.explain(solution).save("page.html")

docs/tutorial.md begins here; docs/api.md has all names.
"""

TYPE_CHECKING = False  # `typing` takes longer to load than all that is here

if TYPE_CHECKING:
    from .api import explain, score, show
    from .engine.batt import Batt
    from .engine.results import BattResult
    from .engine.samples import Samples
    from .evaluation import TaskRun, run
    from .explainer import Explanation
    from .language import (
        Budget,
        Failure,
        ParsedProgram,
        Program,
        ProgramError,
        RejectedProgram,
        Result,
        interpret,
        parse_file,
        parse_program,
        read_file,
    )
    from .language.own import primitive
    from .pool import NewProgram, Pool
    from .proposers import Context, Offer, Proposal, Proposer
    from .scoring import Score
    from .solving import Solution, Solutions, Watcher, evolve, solve, solve_all
    from .tasks import Pair, Task, TaskError, TaskSet, find_task, load

    __version__: str

# Where the names are: each package is loaded when the first of its names is asked for, so that a
# command is there at once and loads only what it needs.
_PLACES = {
    "api": ("explain", "score", "show"),
    "display": ("load_ipython_extension", "unload_ipython_extension"),
    "engine.batt": ("Batt",),
    "engine.results": ("BattResult",),
    "engine.samples": ("Samples",),
    "evaluation": ("TaskRun", "run"),
    "explainer": ("Explanation",),
    "language": (
        "Budget",
        "Failure",
        "ParsedProgram",
        "Program",
        "ProgramError",
        "RejectedProgram",
        "Result",
        "interpret",
        "parse_file",
        "parse_program",
        "read_file",
    ),
    "language.own": ("primitive",),
    "pool": ("NewProgram", "Pool"),
    "proposers": ("Context", "Offer", "Proposal", "Proposer"),
    "scoring": ("Score",),
    "solving": ("Solution", "Solutions", "Watcher", "evolve", "solve", "solve_all"),
    "tasks": ("Pair", "Task", "TaskError", "TaskSet", "find_task", "load"),
}

__all__ = [
    "Batt",
    "BattResult",
    "Budget",
    "Context",
    "Explanation",
    "Failure",
    "NewProgram",
    "Offer",
    "Pair",
    "ParsedProgram",
    "Pool",
    "Program",
    "ProgramError",
    "Proposal",
    "Proposer",
    "RejectedProgram",
    "Result",
    "Samples",
    "Score",
    "Solution",
    "Solutions",
    "Task",
    "TaskError",
    "TaskRun",
    "TaskSet",
    "Watcher",
    "__version__",
    "evolve",
    "explain",
    "find_task",
    "interpret",
    "load",
    "parse_file",
    "parse_program",
    "primitive",
    "read_file",
    "run",
    "score",
    "show",
    "solve",
    "solve_all",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("arcbatt")
    for package, names in _PLACES.items():
        if name == package:
            return import_module(f".{package}", __name__)
        if name in names:
            return getattr(import_module(f".{package}", __name__), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("_"):
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, n=1)
        message += f"; did you mean {near[0]}?" if near else ""
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted(__all__)


def _draw_in_notebook() -> None:
    """Where this is a notebook, have grids drawn, which are plain tuples."""
    import sys

    if "IPython" in sys.modules:
        from .display import notebook_shell

        shell = notebook_shell()
        if shell is not None:
            # Not by its function, so that %unload_ext knows of it.
            shell.extension_manager.load_extension(__name__)


_draw_in_notebook()
