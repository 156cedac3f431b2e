"""A bounded cache of bytes by program, task and version, with measured use.

A key is a program's digest, a task's digest (empty if the value depends on the program alone) and
the versions of the language and the engine, so a new version never finds old values. A cache over
its limit drops the least recently used values.

Uses are collected in memory and written with the next `put`, so reading never waits for a writer.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arcbatt.engine.version import engine_version
from arcbatt.language import language_version

from .store import Store

Key = tuple[bytes, bytes]
"""The digests of a program and of a task."""

NO_TASK = b""

MAX_USE = 2**62

_FIND = """
SELECT id, value FROM cache WHERE kind = ? AND program = ? AND task = ? AND version = ?
"""
_INSERT = """
INSERT INTO cache (kind, program, task, version, value, used) VALUES (?, ?, ?, ?, ?, ?)
"""
_DELETE = "DELETE FROM cache WHERE kind = ? AND program = ? AND task = ? AND version = ?"


@dataclass(frozen=True, slots=True)
class CacheLimit:
    """The most rows and bytes that a cache may hold."""

    rows: int = 1_000_000
    bytes: int = 256 * 2**20

    def __post_init__(self) -> None:
        if self.rows < 0 or self.bytes < 0:
            raise ValueError("a cache's limit cannot be negative")


@dataclass(slots=True)
class CacheUse:
    """Lookups with and without a result, and the seconds spent in the cache."""

    n_hits: int = 0
    n_misses: int = 0
    seconds: float = 0.0

    @property
    def hit_rate(self) -> float:
        n_lookups = self.n_hits + self.n_misses
        return self.n_hits / n_lookups if n_lookups else 0.0


class Cache:
    """One kind of cached value in a pool, such as `pool.results`."""

    def __init__(
        self,
        store: Store,
        kind: str,
        limit: CacheLimit,
        versions: str | None = None,
    ) -> None:
        self._store = store
        self._connection = store.connection
        self._kind = kind
        self._limit = limit
        self._versions = versions
        self._touched: set[int] = set()
        self._unwritten = CacheUse()
        self.use = CacheUse()

    @property
    def versions(self) -> str:
        """The version in every key; by default those of the language and the engine."""
        if self._versions is None:
            self._versions = f"{language_version()} {engine_version()}"
        return self._versions

    def get(self, keys: Iterable[Key]) -> dict[Key, bytes]:
        """Return the cached values of these keys; keys without a value are left out."""
        started = time.perf_counter()
        kind, versions, find = self._kind, self.versions, self._connection.execute
        values: dict[Key, bytes] = {}
        n_hits = n_misses = 0
        with self._store.reading():
            for program, task in keys:
                row = find(_FIND, (kind, program, task, versions)).fetchone()
                if row is None or not isinstance(row[1], bytes):
                    n_misses += 1
                else:
                    n_hits += 1
                    self._touched.add(row[0])
                    values[program, task] = row[1]
        self._note(n_hits, n_misses, time.perf_counter() - started)
        return values

    def put(self, items: Mapping[Key, bytes]) -> None:
        """Store values, and drop the least recently used ones beyond the limit."""
        started = time.perf_counter()
        kind, versions = self._kind, self.versions
        with self._store.writing():
            self._write_uses()
            used = self._next_use()
            keys = [(kind, program, task, versions) for program, task in items]
            self._connection.executemany(_DELETE, keys)
            rows = ((*key, value, used) for key, value in zip(keys, items.values(), strict=True))
            self._connection.executemany(_INSERT, rows)
            self._forget_beyond_limit()
        self._note(0, 0, time.perf_counter() - started)

    def flush(self) -> None:
        """Write the uses since the last `put`, unless the pool is read-only."""
        if self._store.readonly:
            return
        if self._touched or self._unwritten != CacheUse():
            with self._store.writing():
                self._write_uses()

    def forget_other_versions(self) -> int:
        """Delete the values of other versions; return their number."""
        with self._store.writing():
            return self._connection.execute(
                "DELETE FROM cache WHERE kind = ? AND version <> ?", (self._kind, self.versions)
            ).rowcount

    def _note(self, n_hits: int, n_misses: int, seconds: float) -> None:
        for use in (self.use, self._unwritten):
            use.n_hits += n_hits
            use.n_misses += n_misses
            use.seconds += seconds

    def _next_use(self) -> int:
        (last,) = self._connection.execute(
            "SELECT max(used) FROM cache WHERE kind = ?", (self._kind,)
        ).fetchone()
        # A pool from elsewhere may have any value there; then the order of use starts again.
        return last + 1 if isinstance(last, int) and last < MAX_USE else 1

    def _write_uses(self) -> None:
        use = self._unwritten
        self._connection.execute(
            """
            INSERT INTO cache_totals (kind, n_hits, n_misses, seconds) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind) DO UPDATE SET
                n_hits = n_hits + excluded.n_hits,
                n_misses = n_misses + excluded.n_misses,
                seconds = seconds + excluded.seconds
            """,
            (self._kind, use.n_hits, use.n_misses, use.seconds),
        )
        if self._touched:
            used = self._next_use()
            self._connection.executemany(
                "UPDATE cache SET used = ? WHERE id = ?", [(used, each) for each in self._touched]
            )
        self._touched = set()
        self._unwritten = CacheUse()

    def _forget_beyond_limit(self) -> None:
        n_rows, n_bytes = self._connection.execute(
            "SELECT n_rows, n_bytes FROM cache_totals WHERE kind = ?", (self._kind,)
        ).fetchone()
        if n_rows <= self._limit.rows and n_bytes <= self._limit.bytes:
            return
        dropped = []
        for row_id, size in self._connection.execute(
            "SELECT id, length(value) FROM cache WHERE kind = ? ORDER BY used, id", (self._kind,)
        ):
            if n_rows <= self._limit.rows and n_bytes <= self._limit.bytes:
                break
            dropped.append((row_id,))
            n_rows -= 1
            n_bytes -= size
        self._connection.executemany("DELETE FROM cache WHERE id = ?", dropped)
