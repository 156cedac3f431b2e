"""The bundled solvers and differs, parsed from program text in the package."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from arcbatt.language import ParsedProgram, parse_file


def library_files() -> list[Path]:
    """Return the files of solvers, one per theme, sorted by name."""
    return _files("solvers")


def differ_files() -> list[Path]:
    """Return the files of differs, sorted by name."""
    return _files("differs")


def _files(folder: str) -> list[Path]:
    return sorted(Path(str(files("arcbatt") / folder)).glob("*.py"))


@cache
def _programs() -> tuple[ParsedProgram, ...]:
    return tuple(program for path in library_files() for program in parse_file(path))


@cache
def _differs() -> tuple[ParsedProgram, ...]:
    return tuple(program for path in differ_files() for program in parse_file(path))


def library_programs() -> list[ParsedProgram]:
    """Return the solvers of the library, file by file; they are parsed once per process."""
    return list(_programs())


def library_differs() -> list[ParsedProgram]:
    """Return the differs of the library, file by file; they are parsed once per process."""
    return list(_differs())
