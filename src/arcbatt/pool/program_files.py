"""Files of programs into a pool and out of it. Those that are read may be of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from arcbatt import measure
from arcbatt.files import write_whole
from arcbatt.language import ProgramError, RejectedProgram, read_lines

from .pool import Pool
from .rows import DIFFER_PREFIX, IMPORT, NewProgram, PoolProgram, kind_of

BATCH = 2_000

Progress = Callable[[int], None]
"""Is told of bytes that have been read."""


@dataclass(slots=True)
class ImportCount:
    """What became of the programs of a file."""

    n_added: int = 0
    n_known: int = 0
    n_rejected: int = 0

    def __iadd__(self, other: ImportCount) -> ImportCount:
        self.n_added += other.n_added
        self.n_known += other.n_known
        self.n_rejected += other.n_rejected
        return self


def read_rows(path: Path, progress: Progress) -> Iterator[NewProgram | ProgramError]:
    """Yield the programs of a file as rows, those that are none as errors with their places."""
    file = str(path)
    for item in read_lines(_lines(path, progress), file):
        if isinstance(item, RejectedProgram):
            yield item.error
            continue
        try:
            yield NewProgram.of(item.program, IMPORT)
        except ProgramError as error:
            yield ProgramError(error.message, file=file, line=item.line, column=1)


def import_file(
    pool: Pool, path: Path, on_rejected: Callable[[ProgramError], None], progress: Progress
) -> ImportCount:
    """Keep the programs of a file; those that are none are handed to `on_rejected` and skipped.

    Raises `ProgramError` for a file that cannot be read. What was read before is kept.
    """
    count = ImportCount()
    rows = read_rows(path, progress)
    while True:
        with measure.phase("load"):
            items = list(islice(rows, BATCH))
        if not items:
            return count
        batch = [item for item in items if isinstance(item, NewProgram)]
        for item in items:
            if isinstance(item, ProgramError):
                on_rejected(item)
        n_added = pool.add_programs(batch)
        count += ImportCount(n_added, len(batch) - n_added, len(items) - len(batch))


def _lines(path: Path, progress: Progress) -> Iterator[str]:
    """The lines of a file without their ends, as splitting its text at line feeds gives them."""
    number = 0
    line = b""
    try:
        with path.open("rb") as file:
            for line in file:
                number += 1
                yield line.removesuffix(b"\n").decode("utf-8")
                progress(len(line))
    except OSError as error:
        raise ProgramError(f"cannot be read: {error.strerror}", file=str(path)) from error
    except UnicodeDecodeError as error:
        column = error.start + 1
        raise ProgramError(
            f"is not UTF-8 text: {error.reason}", file=str(path), line=number, column=column
        ) from error
    if line.endswith(b"\n"):
        yield ""


def export_file(programs: Iterable[PoolProgram], path: Path) -> int:
    """Write programs to a file that `import_file` reads; return how many.

    The file appears whole or not at all.
    """
    texts = [text_under_kind(program) for program in programs]
    write_whole(path, "\n\n".join(texts))
    return len(texts)


def text_under_kind(program: PoolProgram) -> str:
    """Return the program's text under a name that says its kind, as far as its own does not."""
    if kind_of(program.name) == program.kind:
        return program.text
    prefix = DIFFER_PREFIX if program.kind == "differ" else "solve_"
    return program.text.replace(f"def {program.name}(", f"def {prefix}{program.hash[:8]}(", 1)
