"""The bundled solver library: program text that comes with the package, in; programs out."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from arcbatt.language import ParsedProgram, parse_file


def library_files() -> list[Path]:
    """Return the files of the library, one a theme, in ascending order of name."""
    return sorted(Path(str(files("arcbatt") / "solvers")).glob("*.py"))


@cache
def _programs() -> tuple[ParsedProgram, ...]:
    return tuple(program for path in library_files() for program in parse_file(path))


def library_programs() -> list[ParsedProgram]:
    """Return the programs of the library, file by file; they are parsed once a process."""
    return list(_programs())
