"""arcbatt: solves ARC-AGI tasks by searching for programs."""

from typing import TYPE_CHECKING, Any

from .language import Budget, Failure, Program, parse_file, parse_program, run
from .tasks import Task, load

if TYPE_CHECKING:
    from .solving import Solution, solve

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
]


def __getattr__(name: str) -> Any:
    """Load what takes a while when it is first asked for: solving needs all the rest."""
    if name == "__version__":
        from importlib.metadata import version

        return version("arcbatt")
    if name not in ("Solution", "solve"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import solving

    return getattr(solving, name)
