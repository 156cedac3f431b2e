"""Counts of everything in a pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from sqlite3 import Connection
from typing import Any

from .errors import abbreviate
from .row_reader import OnSkip, make_rows


@dataclass(frozen=True, slots=True)
class CacheStats:
    """The size of a cache, and its measured use since the pool was created."""

    kind: str
    n_rows: int
    n_bytes: int
    n_hits: int
    n_misses: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PoolStats:
    """Counts of everything in a pool."""

    version: int
    n_bytes: int
    by_kind: Mapping[str, int]
    by_origin: Mapping[str, int]
    n_tasks: int
    n_tasks_fitted: int
    n_trials: int
    n_work: int
    n_cards: int
    n_dropped: int
    caches: Mapping[str, CacheStats]

    @property
    def n_programs(self) -> int:
        return sum(self.by_kind.values())

    def to_json(self) -> dict[str, Any]:
        caches = {name: {**asdict(cache), "kind": name} for name, cache in self.caches.items()}
        return {"n_programs": self.n_programs, **asdict(self), "caches": caches}


def read_stats(connection: Connection, skip: OnSkip) -> PoolStats:
    """Count everything in a pool; report unreadable rows about caches to `skip`."""

    def number(query: str) -> int:
        return int(connection.execute(query).fetchone()[0])

    def grouped(column: str) -> dict[str, int]:
        query = f"SELECT {column}, count(*) FROM programs GROUP BY 1 ORDER BY 2 DESC, 1"
        return {abbreviate(value): n for value, n in connection.execute(query)}

    caches = connection.execute(
        "SELECT kind, n_rows, n_bytes, n_hits, n_misses, seconds FROM cache_totals ORDER BY kind"
    )
    return PoolStats(
        version=number("PRAGMA user_version"),
        n_bytes=number("PRAGMA page_count") * number("PRAGMA page_size"),
        by_kind=grouped("kind"),
        by_origin=grouped("origin"),
        n_tasks=number("SELECT count(*) FROM tasks"),
        n_tasks_fitted=number("SELECT count(DISTINCT task_id) FROM trials WHERE fits"),
        n_trials=number("SELECT count(*) FROM trials"),
        n_work=number("SELECT count(*) FROM work"),
        n_cards=number("SELECT count(*) FROM cards"),
        n_dropped=number("SELECT count(*) FROM dropped"),
        caches={abbreviate(row.kind): row for row in make_rows(CacheStats, caches, skip)},
    )
