"""Import files of programs into a pool, export them, and merge one pool into another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from arcbatt import measure
from arcbatt.files import write_whole
from arcbatt.language import ProgramError, RejectedProgram, read_lines

from .errors import PoolError
from .pool import Pool
from .queries import SELECT_WORK, select_trials
from .row_reader import describe_unreadable, make_rows, read_program
from .rows import DIFFER_PREFIX, IMPORT, PoolProgram, PoolTrial, PoolWork, kind_of

T = TypeVar("T")

BATCH = 2_000
MAX_REJECTED = 20

Progress = Callable[[int], None]
"""Receives the number of bytes read since the last call."""


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH)):
        yield batch


# --- files ---


@dataclass(slots=True)
class ImportCount:
    """The numbers of programs of a file that were added, known before, and rejected."""

    n_added: int = 0
    n_known: int = 0
    n_rejected: int = 0

    def __iadd__(self, other: ImportCount) -> ImportCount:
        self.n_added += other.n_added
        self.n_known += other.n_known
        self.n_rejected += other.n_rejected
        return self


def read_rows(path: Path, progress: Progress) -> Iterator[PoolProgram | ProgramError]:
    """Yield the programs of a file of any size as rows, and an error for each invalid one."""
    file = str(path)
    for item in read_lines(_lines(path, progress), file):
        if isinstance(item, RejectedProgram):
            yield item.error
            continue
        try:
            yield PoolProgram.of(item.program, IMPORT)
        except ProgramError as error:
            yield ProgramError(error.message, file=file, line=item.line, column=1)


def import_file(
    pool: Pool,
    path: Path,
    on_rejected: Callable[[ProgramError], None],
    progress: Progress,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> ImportCount:
    """Add the programs of a file, or some of them once `is_interrupted` returns true.

    The error of each invalid one is passed to `on_rejected`. Raises `ProgramError` if the file
    cannot be read; what was read before is kept.
    """
    count = ImportCount()
    rows = read_rows(path, progress)
    while True:
        with measure.phase("load"):
            items = list(islice(rows, BATCH))
        if not items or is_interrupted():
            return count
        batch = [item for item in items if isinstance(item, PoolProgram)]
        for item in items:
            if isinstance(item, ProgramError):
                on_rejected(item)
        n_added = pool.add_programs(batch)
        count += ImportCount(n_added, len(batch) - n_added, len(items) - len(batch))


def _lines(path: Path, progress: Progress) -> Iterator[str]:
    """Yield the lines of a file as `text.split("\\n")` returns them."""
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
    """Write programs to a file that `import_file` reads, all or nothing; return their number."""
    texts = [text_named_by_kind(program) for program in programs]
    write_whole(path, "\n\n".join(texts))
    return len(texts)


def text_named_by_kind(program: PoolProgram) -> str:
    """Return the program's text, renamed if its name implies another kind."""
    if kind_of(program.name) == program.kind:
        return program.text
    prefix = DIFFER_PREFIX if program.kind == "differ" else "solve_"
    return program.text.replace(f"def {program.name}(", f"def {prefix}{program.hash[:8]}(", 1)


# --- other pools ---


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row of the other pool that was not added, and why."""

    name: str
    why: str


@dataclass(slots=True)
class MergeCount:
    """The numbers of rows that a merge added and rejected, and the first rejected ones."""

    n_programs: int = 0
    n_trials: int = 0
    n_rejected: int = 0
    rejected: list[Rejected] = field(default_factory=list)

    def reject(self, message: str) -> None:
        """Count a rejected row, given as "name: why"."""
        self.n_rejected += 1
        if len(self.rejected) < MAX_REJECTED:
            name, _, why = message.partition(": ")
            self.rejected.append(Rejected(name, why))


def merge(pool: Pool, other: Path | str, *, only_programs: bool = False) -> MergeCount:
    """Add the rows that this pool lacks from the pool in the file `other`, which is only read.

    Programs come with their cards and parents, then trials, dropped programs and finished work,
    but not the state of a run. If both pools have a trial of a program on a task, the better one
    stays, and missing outputs are filled in. Each new program's text must be the program that its
    digest names. With `only_programs`, nothing about tasks is added.
    """
    other = Path(other)
    with Pool.open(other, create=False, readonly=True) as source:
        if pool.path is not None and pool.path.exists() and other.samefile(pool.path):
            raise PoolError(f"{other}: a pool cannot be merged into itself")
        with source.store.reading():
            # Read one snapshot of the other pool, whatever is written to it meanwhile.
            source.store.connection.execute("BEGIN")
        return merge_open(pool, source, only_programs=only_programs)


def merge_open(pool: Pool, source: Pool, *, only_programs: bool = False) -> MergeCount:
    """Merge another open pool, such as one in memory, into this one."""
    count = MergeCount()
    _merge_programs(pool, source, count)
    if only_programs:
        return count
    trials = make_rows(PoolTrial, source.store.stream(select_trials()), count.reject)
    for batch in _batches(trials):
        count.n_trials += pool.record_trials(batch, only_better=True)
    for digests in _batches(source.dropped()):
        pool.mark_seen(digests)
    work = source.store.stream(f"{SELECT_WORK} ORDER BY work.id")
    for items in _batches(make_rows(PoolWork, work, count.reject)):
        pool.note_work(items, only_new=True)
    return count


def _merge_programs(pool: Pool, source: Pool, count: MergeCount) -> None:
    for rows in _batches(source.program_rows("ORDER BY id", skip=count.reject)):
        known = pool.contains(row.digest for row in rows)
        new = []
        for row in rows:
            if row.digest in known:
                continue
            try:
                program = read_program(row.digest, row.name, row.text)
                made = PoolProgram.of(
                    program, row.origin, kind=row.kind, card=row.card, parents=row.parents
                )
            except ProgramError as error:
                count.reject(describe_unreadable(row.name, error))
                continue
            # The clock of another machine may be ahead of this one's.
            new.append(replace(made, found_at=min(row.found_at, time.time())))
        count.n_programs += pool.add_programs(new)
