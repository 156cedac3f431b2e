"""arcbatt: solves ARC-AGI tasks by searching for programs."""

TYPE_CHECKING = False  # `typing` takes longer to load than all that is here

if TYPE_CHECKING:
    from .language import Budget, Failure, Program, parse_file, parse_program, run
    from .solving import Solution, solve, solve_all
    from .tasks import Task, load

    __version__: str

__all__ = [
    "Budget",
    "Failure",
    "Program",
    "Solution",
    "Task",
    "__version__",
    "load",
    "parse_file",
    "parse_program",
    "run",
    "solve",
    "solve_all",
]

# Where the names are: each package is loaded when the first of its names is asked for, so that a
# command is there at once and loads only what it needs.
_PLACES = {
    "language": ("Budget", "Failure", "Program", "parse_file", "parse_program", "run"),
    "solving": ("Solution", "solve", "solve_all"),
    "tasks": ("Task", "load"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("arcbatt")
    from importlib import import_module

    for package, names in _PLACES.items():
        if name == package:
            return import_module(f".{package}", __name__)
        if name in names:
            return getattr(import_module(f".{package}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
