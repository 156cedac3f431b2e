"""Solve ARC-AGI tasks by searching for programs.

    task = arcbatt.find_task("67a3c6ac")
    solution = arcbatt.solve(task)
    arcbatt.explain(solution).save("page.html")

See docs/tutorial.md for a tour and docs/api.md for all names.
"""

TYPE_CHECKING = False  # importing `typing` would take longer than the rest of this module

if TYPE_CHECKING:
    from arcbatt.engine.graph.results import BattResult
    from arcbatt.engine.graph.samples import Samples

    from .api import explain, score, show
    from .engine.batt import Batt
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
        language_prompt,
        parse_file,
        parse_program,
        read_file,
        read_programs,
    )
    from .language.registry import primitive
    from .plugins import PluginError, load_plugin
    from .pool import Pool, PoolProgram
    from .proposers import Context, Offer, Proposal, Proposer
    from .scoring import Score
    from .solving import Solution, Solutions, Watcher, evolve, solve, solve_all
    from .tasks import Pair, Task, TaskError, TaskSet, find_task, load

    __version__: str

# The module of each public name. A module is imported when one of its names is first used, so that
# a command starts quickly and loads only what it needs.
_PLACES = {
    "api": ("explain", "score", "show"),
    "display": ("load_ipython_extension", "unload_ipython_extension"),
    "engine.batt": ("Batt",),
    "engine.graph.results": ("BattResult",),
    "engine.graph.samples": ("Samples",),
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
        "language_prompt",
        "parse_file",
        "parse_program",
        "read_file",
        "read_programs",
    ),
    "language.registry": ("primitive",),
    "plugins": ("PluginError", "load_plugin"),
    "pool": ("PoolProgram", "Pool"),
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
    "Offer",
    "Pair",
    "ParsedProgram",
    "PluginError",
    "Pool",
    "PoolProgram",
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
    "language_prompt",
    "load",
    "load_plugin",
    "parse_file",
    "parse_program",
    "primitive",
    "read_file",
    "read_programs",
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
        from .suggestion import suggest

        message += suggest(name, __all__)
    raise AttributeError(message)


def load_engine() -> None:
    """Load the native engine, which supplies the language with its learners."""
    from .engine.cpu import learners  # noqa: F401


def __dir__() -> list[str]:
    return sorted(__all__)


def _draw_in_notebook() -> None:
    """In a notebook, register a formatter that draws grids, which are plain tuples."""
    import sys

    if "IPython" in sys.modules:
        from .display import notebook_shell

        shell = notebook_shell()
        if shell is not None:
            # Through the extension manager, so that %unload_ext works.
            shell.extension_manager.load_extension(__name__)


_draw_in_notebook()
