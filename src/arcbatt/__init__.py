"""arcbatt: solves ARC-AGI tasks by searching for programs."""

from importlib.metadata import version

from .language import Budget, Failure, Program, parse_file, parse_program, run
from .tasks import Task, load

__version__ = version("arcbatt")

__all__ = [
    "Budget",
    "Failure",
    "Program",
    "Task",
    "__version__",
    "load",
    "parse_file",
    "parse_program",
    "run",
]
