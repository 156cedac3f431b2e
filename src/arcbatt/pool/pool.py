"""The pool: programs with their scores, how they came about, and what is remembered of them.

One SQLite file that several processes may use at a time. Reads see what was committed when they
began; each writing method is one transaction, and `Pool.writing` makes several into one. Texts of
programs are data: they are parsed where a program is wanted, never run by Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from arcbatt import measure
from arcbatt.library import library_programs

from .cache import Cache, CacheLimit
from .errors import PoolError
from .opening import IN_MEMORY, open_connection, open_in_memory
from .rows import (
    LIBRARY,
    Card,
    Kind,
    NewProgram,
    NewScore,
    PoolProgram,
    ProgramSummary,
    Scored,
    SolvedTask,
)
from .stats import PoolStats, read_stats
from .store import Store

T = TypeVar("T")

# SQLite takes at least 999 parameters in one statement.
_AT_ONCE = 900
_ROWS_AT_ONCE = 1000

_SCORED = """
SELECT programs.digest, programs.name, programs.text, programs.n_calls,
    tasks.digest, tasks.name, tasks.set_name,
    scores.n_matched, scores.n_demos, scores.partial, scores.steps, scores.found_at
FROM scores
JOIN programs ON programs.id = scores.program_id
JOIN tasks ON tasks.id = scores.task_id
"""
# Which of two programs is better on a task: the order of selection and of eviction.
_BEST_FIRST = """
scores.n_matched DESC, scores.partial DESC, scores.steps, scores.program_id
"""

_RECORD = """
INSERT INTO scores (program_id, task_id, n_matched, n_demos, partial, steps, found_at)
SELECT id, ?, ?, ?, ?, ?, ? FROM programs WHERE digest = ?
ON CONFLICT (program_id, task_id) DO UPDATE SET
    found_at = iif(excluded.n_matched > n_matched, excluded.found_at, found_at),
    n_matched = excluded.n_matched,
    n_demos = excluded.n_demos,
    partial = excluded.partial,
    steps = excluded.steps
WHERE ? OR (excluded.n_matched, excluded.partial, -excluded.steps) > (n_matched, partial, -steps)
"""
_TASK_IDS = "SELECT id, digest FROM tasks WHERE digest IN"


class Pool:
    """A pool of programs. Open one with `Pool.open` or `Pool.in_memory`; it closes with `with`."""

    def __init__(self, store: Store, path: Path | None, cache_limit: CacheLimit) -> None:
        self._store = store
        self._connection = store.connection
        self.path = path
        self.results = Cache(store, "results", cache_limit)

    @classmethod
    def open(
        cls, path: Path | str, *, create: bool = True, cache_limit: CacheLimit | None = None
    ) -> Pool:
        """Open the pool in a file; one that is not there is made, unless `create` is false.

        Raises `PoolError` for a file that is no pool or a newer one; such a file is not touched.
        """
        path = Path(path)
        with measure.phase("store"):
            connection = open_connection(path, create)
        return cls(Store(connection, str(path)), path, cache_limit or CacheLimit())

    @classmethod
    def in_memory(cls, *, cache_limit: CacheLimit | None = None) -> Pool:
        """Return a fresh pool that is gone when it is closed."""
        store = Store(open_in_memory(), "the pool in memory")
        return cls(store, None, cache_limit or CacheLimit())

    def close(self) -> None:
        """Write what was noted of the caches' use, and close the file."""
        try:
            self._report_caches()
            # Notes on use are not worth an error, least of all after another one.
            with suppress(PoolError):
                self.results.flush()
        finally:
            self._connection.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Pool {self.path or IN_MEMORY}>"

    def writing(self) -> AbstractContextManager[None]:
        """Make what is written inside one transaction: all of it is kept, or none."""
        return self._store.writing()

    # --- what goes in ---

    def add_card(self, card: Card) -> int:
        """Keep a card and return its id; the same card again has the same id."""
        values = (card.seed, card.size, card.generation, card.started_at)
        with self.writing():
            self._connection.execute(
                "INSERT INTO cards (seed, size, generation, started_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                values,
            )
            (card_id,) = self._connection.execute(
                "SELECT id FROM cards "
                "WHERE seed = ? AND size = ? AND generation = ? AND started_at = ?",
                values,
            ).fetchone()
        return int(card_id)

    def add_programs(self, programs: Sequence[NewProgram]) -> int:
        """Keep programs; return how many are new. One that is there stays as it is."""
        with self.writing():
            known = self.contains(program.digest for program in programs)
            new: dict[bytes, NewProgram] = {}
            for program in programs:
                if program.digest not in known:
                    new.setdefault(program.digest, program)
            self._connection.executemany(
                """
                INSERT INTO programs
                    (digest, name, text, kind, n_calls, origin, card_id, found_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    (p.digest, p.name, p.text, p.kind, p.n_calls, p.origin, p.card, p.found_at)
                    for p in new.values()
                ],
            )
            self._connection.executemany(
                """
                INSERT INTO parentage (child_id, place, parent)
                SELECT id, ?, ? FROM programs WHERE digest = ?
                """,
                [
                    (place, parent, program.digest)
                    for program in new.values()
                    for place, parent in enumerate(program.parents)
                ],
            )
            self._connection.executemany(
                "DELETE FROM dropped WHERE digest = ?", [(digest,) for digest in new]
            )
        return len(new)

    def add_library(self) -> int:
        """Keep the solvers that come with arcbatt; return how many are new."""
        return self.add_programs(
            [NewProgram.of(parsed.program, LIBRARY) for parsed in library_programs()]
        )

    def record_scores(self, scores: Sequence[NewScore], *, only_better: bool = False) -> int:
        """Keep what programs reached on tasks; return how many scores were written.

        A score replaces that of the same program on the same task (with `only_better`, if it is
        better); when it was found stays unless more demos match. A program that is not in the pool,
        which another process may have evicted, gets none.
        """
        with self.writing():
            task_ids = self._task_ids(scores)
            return self._connection.executemany(
                _RECORD,
                [
                    (
                        task_ids[s.task],
                        s.n_matched,
                        s.n_demos,
                        s.partial,
                        s.steps,
                        s.found_at,
                        s.program,
                        not only_better,
                    )
                    for s in scores
                ],
            ).rowcount

    def _task_ids(self, scores: Sequence[NewScore]) -> dict[bytes, int]:
        tasks = {s.task: (s.task, s.task_name, s.set_name) for s in scores}
        self._connection.executemany(
            "INSERT INTO tasks (digest, name, set_name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            tasks.values(),
        )
        return {digest: task_id for task_id, digest in self._select_in(_TASK_IDS, tasks)}

    def mark_seen(self, digests: Iterable[bytes]) -> None:
        """Note programs that were tried and are not worth keeping, for `seen`."""
        with self.writing():
            self._connection.executemany(
                """
                INSERT INTO dropped (digest)
                SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM programs WHERE digest = ?1)
                ON CONFLICT DO NOTHING
                """,
                [(digest,) for digest in digests],
            )

    def evict(self, keep: int, tasks: Iterable[bytes] | None = None) -> int:
        """Keep the best programs of each task; return how many programs left the pool.

        On each task (or those given) the best `keep` stay: by score, then partial, then the fewest
        steps. A score beyond them goes, unless it solves the task; a program that had scores and
        has none left goes with them. So a program that solves anything stays, and so does one that
        was never scored. `seen` still knows those that went.
        """
        if keep < 0:
            raise ValueError("cannot keep fewer than no programs")
        with self.writing():
            connection = self._connection
            if tasks is None:
                task_ids = [row[0] for row in connection.execute("SELECT id FROM tasks")]
            else:
                task_ids = [row[0] for row in self._select_in(_TASK_IDS, tasks)]
            losing: set[int] = set()
            for task_id in task_ids:
                beyond = connection.execute(
                    f"""
                    SELECT program_id, solved FROM scores WHERE task_id = ?
                    ORDER BY {_BEST_FIRST} LIMIT -1 OFFSET ?
                    """,
                    (task_id, keep),
                ).fetchall()
                gone = [(task_id, program_id) for program_id, solved in beyond if not solved]
                connection.executemany(
                    "DELETE FROM scores WHERE task_id = ? AND program_id = ?", gone
                )
                losing.update(program_id for _, program_id in gone)
            without = "id = ?1 AND NOT EXISTS (SELECT 1 FROM scores WHERE program_id = ?1)"
            ids = [(program_id,) for program_id in losing]
            connection.executemany(
                f"INSERT INTO dropped SELECT digest FROM programs WHERE {without} "
                "ON CONFLICT DO NOTHING",
                ids,
            )
            return connection.executemany(f"DELETE FROM programs WHERE {without}", ids).rowcount

    # --- what selection reads ---

    def best_for_task(self, task: bytes, limit: int = 10) -> list[Scored]:
        """Return the best programs on a task, the best first."""
        return self._read(
            Scored,
            f"{_SCORED} WHERE tasks.digest = ? ORDER BY {_BEST_FIRST} LIMIT ?",
            (task, limit),
        )

    def parents(
        self, limit: int | None = None, *, per_task: int = 1, kind: Kind = "solver"
    ) -> list[Scored]:
        """Return the best `per_task` programs of every task, the most promising first.

        Each row is a program with what it reached on one task; a program that is among the best of
        several has several rows. Rows that reached nothing are left out.
        """
        return self._read(
            Scored,
            f"""
            {_SCORED}
            JOIN (
                SELECT program_id, task_id, row_number() OVER (
                    PARTITION BY task_id ORDER BY {_BEST_FIRST}
                ) AS place FROM scores
            ) AS places USING (program_id, task_id)
            WHERE place <= ? AND programs.kind = ?
                AND (scores.n_matched > 0 OR scores.partial > 0)
            ORDER BY 1.0 * scores.n_matched / scores.n_demos DESC, scores.partial DESC,
                scores.steps, tasks.digest, programs.digest
            LIMIT ?
            """,
            (per_task, kind, -1 if limit is None else limit),
        )

    def solved_tasks(self) -> list[SolvedTask]:
        """Return the tasks that some program solves, by name, with the cheapest program."""
        return self._read(
            SolvedTask,
            f"""
            SELECT tasks.digest, tasks.name, tasks.set_name, n_programs, programs.digest, steps
            FROM (
                SELECT task_id, program_id, steps,
                    count(*) OVER (PARTITION BY task_id) AS n_programs,
                    row_number() OVER (PARTITION BY task_id ORDER BY {_BEST_FIRST}) AS place
                FROM scores WHERE solved
            )
            JOIN tasks ON tasks.id = task_id
            JOIN programs ON programs.id = program_id
            WHERE place = 1 ORDER BY tasks.name, tasks.digest
            """,
        )

    def seen(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return those that are in the pool, were evicted from it, or were marked as seen."""
        wanted = list(digests)
        found = self._select_in("SELECT digest FROM dropped WHERE digest IN", wanted)
        return self.contains(wanted) | {digest for (digest,) in found}

    def contains(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return those that are in the pool."""
        found = self._select_in("SELECT digest FROM programs WHERE digest IN", digests)
        return {digest for (digest,) in found}

    # --- what people read ---

    @property
    def n_programs(self) -> int:
        """How many programs are in the pool."""
        (n_programs,) = self._rows("SELECT count(*) FROM programs")[0]
        return int(n_programs)

    def summaries(
        self, *, task_name: str | None = None, limit: int | None = None
    ) -> list[ProgramSummary]:
        """Return programs with what they reached, those that solve most first.

        With `task_name`, those with a score on that task, and what they reached there.
        """
        on_task = "" if task_name is None else "JOIN tasks ON tasks.id = task_id AND tasks.name = ?"
        return self._read(
            ProgramSummary,
            f"""
            SELECT digest, name, kind, n_calls, origin, coalesce(n_solved, 0), best, best_partial
            FROM programs {"LEFT" * (task_name is None)} JOIN (
                SELECT program_id, sum(solved) AS n_solved, max(score) AS best,
                    max(partial) AS best_partial, min(steps) AS fewest
                FROM scores {on_task} GROUP BY program_id
            ) ON program_id = programs.id
            ORDER BY coalesce(n_solved, 0) DESC, coalesce(best, -1) DESC,
                coalesce(best_partial, -1) DESC, fewest, n_calls, digest
            LIMIT ?
            """,
            (*([] if task_name is None else [task_name]), -1 if limit is None else limit),
        )

    def find(self, hash_prefix: str) -> list[PoolProgram]:
        """Return the programs whose hash starts so, at most 10 of them."""
        digits = hash_prefix.lower()
        if len(digits) > 32 or not set(digits) <= set("0123456789abcdef"):
            return []
        low, high = (bytes.fromhex(digits.ljust(32, fill)) for fill in "0f")
        return list(
            self._programs("WHERE digest BETWEEN ? AND ? ORDER BY digest LIMIT 10", low, high)
        )

    def get(self, digest: bytes) -> PoolProgram | None:
        """Return the program of a digest."""
        return next(self._programs("WHERE digest = ?", digest), None)

    def programs(self) -> Iterator[PoolProgram]:
        """Yield all programs, solvers first, by name."""
        return self._programs("ORDER BY kind DESC, name, digest")

    def scores(self, digest: bytes) -> list[Scored]:
        """Return what a program reached on every task, the best first."""
        return self._read(
            Scored,
            f"{_SCORED} WHERE programs.digest = ? ORDER BY scores.solved DESC, {_BEST_FIRST}",
            (digest,),
        )

    def stats(self) -> PoolStats:
        """Return how much is in the pool."""
        self.results.flush()
        with self._store.reading():
            return read_stats(self._connection)

    def _programs(self, condition: str, *values: Any) -> Iterator[PoolProgram]:
        found = self._stream(
            f"""
            SELECT id, digest, name, text, kind, n_calls, origin, found_at, card_id
            FROM programs {condition}
            """,
            values,
        )
        for program_id, digest, name, text, kind, n_calls, origin, found_at, card_id in found:
            parents = self._rows(
                "SELECT parent FROM parentage WHERE child_id = ? ORDER BY place", (program_id,)
            )
            card = None if card_id is None else self._card(card_id)
            yield PoolProgram(
                digest,
                name,
                text,
                kind,
                n_calls,
                origin,
                found_at,
                card,
                tuple(parent for (parent,) in parents),
            )

    def _card(self, card_id: int) -> Card:
        (row,) = self._rows(
            "SELECT seed, size, generation, started_at FROM cards WHERE id = ?", (card_id,)
        )
        return Card(*row)

    def _read(self, make: type[T], query: str, values: Sequence[Any] = ()) -> list[T]:
        return [make(*row) for row in self._rows(query, values)]

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._store.reading():
            return self._connection.execute(query, values).fetchall()

    def _stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield rows without holding all of them."""
        with self._store.reading():
            cursor = self._connection.execute(query, values)
        while True:
            with self._store.reading():
                rows = cursor.fetchmany(_ROWS_AT_ONCE)
            if not rows:
                return
            yield from rows

    def _select_in(self, query: str, digests: Iterable[bytes]) -> list[Any]:
        """The rows of a query that ends in IN, for any number of digests."""
        rows: list[Any] = []
        remaining = iter(digests)
        while some := list(islice(remaining, _AT_ONCE)):
            rows += self._rows(f"{query} ({','.join('?' * len(some))})", some)
        return rows

    def _report_caches(self) -> None:
        use = self.results.use
        if use.n_hits or use.n_misses:
            columns = ("cache", "hits", "misses", "hit rate", "seconds in the cache")
            row = ("results", use.n_hits, use.n_misses, use.hit_rate, use.seconds)
            measure.add_table("caches", columns, [row])
