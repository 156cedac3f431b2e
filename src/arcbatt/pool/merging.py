"""One pool into another: what the other has and this one lacks is added.

Programs come with their cards and parents; then trials, what was seen and dropped, and finished
work, but not the state of a run. Where both have a trial of a program on a task, the better one
stays, and outputs are filled in where they are missing. The other pool is only read. What comes
from elsewhere is checked: each new program's text is parsed, and must be the program that its
digest names.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from arcbatt.language import ProgramError

from .errors import PoolError
from .pool import Pool
from .queries import TRIALS_QUERY
from .reading import describe_unreadable, make_trials, make_work, read_program
from .rows import NewProgram, NewTrial, NewWork

T = TypeVar("T")

BATCH = 2_000
MAX_REJECTED = 20


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row of the other pool that was not taken, and why."""

    name: str
    why: str


@dataclass(slots=True)
class MergeCount:
    """What a merge brought; of what was rejected the first `MAX_REJECTED`."""

    n_programs: int = 0
    n_trials: int = 0
    n_rejected: int = 0
    rejected: list[Rejected] = field(default_factory=list)

    def reject(self, message: str) -> None:
        """Note a row that was not taken, by its "name: why"."""
        self.n_rejected += 1
        if len(self.rejected) < MAX_REJECTED:
            name, _, why = message.partition(": ")
            self.rejected.append(Rejected(name, why))


def merge(pool: Pool, other: Path | str, *, only_programs: bool = False) -> MergeCount:
    """Add what the pool in the file `other` has. Doing it again adds nothing.

    With `only_programs`, none of what it says of tasks: that is for a run of its own to find out.
    """
    other = Path(other)
    with Pool.open(other, create=False, readonly=True) as source:
        if pool.path is not None and pool.path.exists() and other.samefile(pool.path):
            raise PoolError(f"{other}: a pool cannot be merged into itself")
        with source.store.reading():
            # One moment of the other pool, whatever is written to it meanwhile.
            source.store.connection.execute("BEGIN")
        return merge_open(pool, source, only_programs=only_programs)


def merge_open(pool: Pool, source: Pool, *, only_programs: bool = False) -> MergeCount:
    """Add what another pool has that is open already, such as one in memory."""
    count = MergeCount()
    _merge_programs(pool, source, count)
    if only_programs:
        return count
    _merge_trials(pool, source, count)
    for digests in _batches(source.dropped()):
        pool.mark_seen(digests)
    _merge_work(pool, source, count)
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
                made = NewProgram.of(program, row.origin, kind=row.kind)
            except ProgramError as error:
                count.reject(describe_unreadable(row.name, error))
                continue
            card = None if row.card is None else pool.add_card(row.card)
            # The clock of another machine may be ahead of this one's.
            found_at = min(row.found_at, time.time())
            new.append(replace(made, card=card, parents=row.parents, found_at=found_at))
        count.n_programs += pool.add_programs(new)


def _merge_trials(pool: Pool, source: Pool, count: MergeCount) -> None:
    rows = source.store.stream(TRIALS_QUERY)
    trials = make_trials(NewTrial, (row[:-2] for row in rows), count.reject)
    for batch in _batches(trials):
        count.n_trials += pool.record_trials(batch, only_better=True)


def _merge_work(pool: Pool, source: Pool, count: MergeCount) -> None:
    rows = source.store.stream(
        """
        SELECT tasks.digest, tasks.name, set_name, proposer, item, counts, done_at
        FROM work JOIN tasks ON tasks.id = task_id ORDER BY work.id
        """
    )
    for batch in _batches(make_work(NewWork, rows, count.reject)):
        pool.note_work(batch, only_new=True)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH)):
        yield batch
