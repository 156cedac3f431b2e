"""One pool into another: what the other has and this one lacks is added.

Programs come with their cards, parents and scores. Where both have a score of a program on a task,
the better one stays. The other pool is only read; if it is of an older version, a copy of it in
memory is brought up to date. What comes from elsewhere is checked: each new program's text is
parsed, and must be the program that its digest names.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arcbatt.language import Program, ProgramError, parse_program
from arcbatt.measure import phase

from .errors import PoolError, explaining
from .opening import check_header, connect, migrate, newest_version, version_of
from .pool import Pool
from .rows import Card, NewProgram, NewScore

BATCH = 2_000


@dataclass(slots=True)
class MergeCount:
    """What a merge brought."""

    n_programs: int = 0
    n_scores: int = 0
    n_rejected: int = 0


def merge(pool: Pool, other: Path) -> MergeCount:
    """Add what the pool in the file `other` has. Doing it again adds nothing."""
    if not other.exists():
        raise PoolError(f"{other}: no such pool")
    if pool.path is not None and pool.path.exists() and other.samefile(pool.path):
        raise PoolError(f"{other}: a pool cannot be merged into itself")
    check_header(other)
    count = MergeCount()
    with explaining(str(other)), closing(_up_to_date(other)) as source:
        # One moment of the other pool, whatever is written to it meanwhile.
        source.execute("BEGIN")
        cards = {
            card_id: pool.add_card(Card(*values))
            for card_id, *values in source.execute(
                "SELECT id, seed, size, generation, started_at FROM cards"
            ).fetchall()
        }
        _merge_programs(pool, source, cards, count)
        _merge_scores(pool, source, count)
        for rows in _batches(source, "SELECT digest FROM dropped"):
            pool.mark_seen(digest for (digest,) in rows)
    return count


def _up_to_date(path: Path) -> sqlite3.Connection:
    connection = connect(str(path))
    if version_of(connection) == newest_version():
        return connection
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with closing(connection):
        connection.backup(copy)
    migrate(copy, str(path))
    return copy


def _merge_programs(
    pool: Pool, source: sqlite3.Connection, cards: dict[int, int], count: MergeCount
) -> None:
    query = """
    SELECT id, digest, text, kind, origin, card_id, found_at FROM programs ORDER BY id
    """
    for rows in _batches(source, query):
        known = pool.contains(digest for _, digest, *_ in rows)
        new = []
        for program_id, digest, text, kind, origin, card_id, found_at in rows:
            if digest in known:
                continue
            program = _parse(text)
            if program is None or program.result.digest != digest:
                count.n_rejected += 1
                continue
            parents = source.execute(
                "SELECT parent FROM parentage WHERE child_id = ? ORDER BY place", (program_id,)
            ).fetchall()
            row = NewProgram.of(
                program,
                origin,
                kind=kind,
                card=cards.get(card_id),
                parents=tuple(parent for (parent,) in parents),
            )
            new.append(replace(row, found_at=found_at))
        count.n_programs += pool.add_programs(new)


@phase("validate")
def _parse(text: object) -> Program | None:
    try:
        return parse_program(text) if isinstance(text, str) else None
    except ProgramError:
        return None


def _merge_scores(pool: Pool, source: sqlite3.Connection, count: MergeCount) -> None:
    query = """
    SELECT programs.digest, tasks.digest, tasks.name, tasks.set_name,
        n_matched, n_demos, partial, steps, scores.found_at
    FROM scores JOIN programs ON programs.id = program_id JOIN tasks ON tasks.id = task_id
    """
    for rows in _batches(source, query):
        scores = [NewScore(*row) for row in rows]
        count.n_scores += pool.record_scores(scores, only_better=True)


def _batches(source: sqlite3.Connection, query: str) -> Iterator[list[Any]]:
    cursor = source.execute(query)
    while rows := cursor.fetchmany(BATCH):
        yield rows
