"""The pool: programs with their trials, how they came about, what is done and remembered.

One SQLite file that several processes may use at a time. Reads see what was committed when they
began; each writing method is one transaction, and `Pool.writing` makes several into one. Texts of
programs are data: they are parsed where a program is wanted, never run by Python. A row that cannot
be read is left out and reported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from arcbatt import measure
from arcbatt.language import ParsedProgram, Program, ProgramError, to_program
from arcbatt.library import library_programs

from .cache import Cache, CacheLimit
from .errors import PoolError, shown
from .opening import IN_MEMORY, open_connection, open_in_memory
from .queries import BEST_FIRST, RECORD, SCORED, TASK_IDS, TEXT, TRIALS_QUERY
from .reading import (
    OnSkip,
    describe_unreadable,
    is_digest,
    make_rows,
    make_trials,
    make_work,
    read_program,
    reporting,
)
from .rows import (
    IMPORT,
    LIBRARY,
    Card,
    Kind,
    NewProgram,
    NewTrial,
    NewWork,
    PoolProgram,
    ProgramSummary,
    Scored,
    TrialRow,
    Work,
    outputs_to_json,
)
from .stats import PoolStats, read_stats
from .store import Store

T = TypeVar("T")
R = TypeVar("R", PoolProgram, ProgramSummary)

# SQLite takes at least 999 parameters in one statement.
_AT_ONCE = 900
MAX_PARENTS = 64
_DIGEST_WITHOUT_TRIALS = """
SELECT digest FROM programs
WHERE id = ? AND NOT EXISTS (SELECT 1 FROM trials WHERE program_id = programs.id)
"""


class Pool:
    """A pool of programs. Open one with `Pool.open` or `Pool.in_memory`; it closes with `with`.

    `arcbatt.pool.merge(pool, file)` adds what the pool in another file has.
    """

    def __init__(
        self, store: Store, path: Path | None, cache_limit: CacheLimit | None, versions: str | None
    ) -> None:
        self.store = store
        self._connection = store.connection
        self.path = path
        self.results = Cache(store, "results", cache_limit or CacheLimit(), versions)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        create: bool = True,
        readonly: bool | None = None,
        cache_limit: CacheLimit | None = None,
        versions: str | None = None,
    ) -> Pool:
        """Open the pool in a file; one that is not there is made, unless `create` is false.

        With `readonly` True it is opened for reading, and writing is a `PoolError`. So is a pool
        whose file or folder cannot be written to, unless `readonly` is False: then it is refused.
        `versions` is part of the cache's keys.

        Raises `PoolError` for a file that is not a pool of this version; it is left untouched.
        """
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"a pool is given by its file, not by a {type(path).__name__}")
        with measure.phase("store"):
            connection, is_readonly = open_connection(Path(path), create=create, readonly=readonly)
        store = Store(connection, str(path), Path(path), readonly=is_readonly)
        return cls(store, Path(path), cache_limit, versions)

    @classmethod
    def in_memory(
        cls, *, cache_limit: CacheLimit | None = None, versions: str | None = None
    ) -> Pool:
        """Return a new pool in memory, which is lost when it is closed."""
        store = Store(open_in_memory(), "the pool in memory", None)
        return cls(store, None, cache_limit, versions)

    @property
    def is_readonly(self) -> bool:
        """Whether writing is refused."""
        return self.store.readonly

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
        return self.store.writing()

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

    def add_programs(self, programs: Iterable[NewProgram | Program | ParsedProgram]) -> int:
        """Keep programs; return how many are new. One that is there stays as it is.

        A `NewProgram` says where it comes from; other programs are kept as imported ones.
        """
        if isinstance(programs, NewProgram | Program | ParsedProgram):
            raise TypeError("add_programs takes several programs: add_programs([program])")
        rows = [_row_of(program, place) for place, program in enumerate(programs)]
        with self.writing():
            known = self.contains(program.digest for program in rows)
            new: dict[bytes, NewProgram] = {}
            for program in rows:
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

    def record_trials(self, trials: Sequence[NewTrial], *, only_better: bool = False) -> int:
        """Keep what programs reached on tasks; return how many trials were written.

        A trial replaces that of the same program on the same task (with `only_better`, if it is
        better, and has outputs if that one has); when it was found stays unless more demos fit. How
        it was found, what is held out, copies and outputs are taken from the first that has
        outputs, and stay. A program that is not in the pool, which another process may have
        evicted, gets none.
        """
        with self.writing():
            task_ids = self._task_ids(trials)
            return self._connection.executemany(
                RECORD,
                [
                    {
                        "always": not only_better,
                        "program": t.program,
                        "task": task_ids[t.task],
                        "n_fitted": t.n_fitted,
                        "n_demos": t.n_demos,
                        "credit": t.credit,
                        "steps": t.steps,
                        "learns": t.learns,
                        "n_held_out": t.n_held_out,
                        "n_copies": t.n_copies,
                        "proposer": t.proposer,
                        "family": t.family,
                        "bits": t.bits,
                        "found_s": t.found_s,
                        "outputs": outputs_to_json(t.outputs),
                        "found_at": t.found_at,
                    }
                    for t in trials
                ],
            ).rowcount

    def drop_outputs(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Forget the outputs of programs on tasks, given by their digests."""
        with self.writing():
            self._connection.executemany(
                """
                UPDATE trials SET outputs = NULL
                WHERE program_id = (SELECT id FROM programs WHERE digest = ?)
                    AND task_id = (SELECT id FROM tasks WHERE digest = ?)
                """,
                list(pairs),
            )

    def note_work(self, rows: Sequence[NewWork], *, only_new: bool = False) -> None:
        """Keep what proposers have finished; the same work again has new counts.

        With `only_new` what is there stays as it is.
        """
        with self.writing():
            task_ids = self._task_ids(rows)
            what = "NOTHING" if only_new else "UPDATE SET counts = excluded.counts"
            self._connection.executemany(
                f"""
                INSERT INTO work (task_id, proposer, item, counts, done_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (task_id, proposer, item) DO {what}
                """,
                [
                    (task_ids[w.task], w.proposer, w.item, json.dumps(dict(w.counts)), w.done_at)
                    for w in rows
                ],
            )

    def set_state(self, key: str, value: Any) -> None:
        """Keep a JSON value under a key; it replaces the one that is there."""
        with self.writing():
            self._connection.execute(
                "INSERT INTO state (key, value) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, json.dumps(value)),
            )

    def _task_ids(self, rows: Sequence[NewTrial | NewWork]) -> dict[bytes, int]:
        tasks = {row.task: (row.task, row.task_name, row.set_name) for row in rows}
        self._connection.executemany(
            "INSERT INTO tasks (digest, name, set_name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            tasks.values(),
        )
        return {digest: task_id for task_id, digest in self._select_in(TASK_IDS, tasks)}

    def mark_seen(self, digests: Iterable[bytes]) -> None:
        """Note programs that were tried and are not worth keeping, for `seen`."""
        remaining = iter(digests)
        with self.writing():
            while some := list(islice(remaining, _AT_ONCE)):
                self._connection.execute(
                    f"""
                    INSERT INTO dropped (digest)
                    SELECT column1 FROM (VALUES {", ".join(["(?)"] * len(some))})
                    WHERE NOT EXISTS (SELECT 1 FROM programs WHERE digest = column1)
                    ON CONFLICT DO NOTHING
                    """,
                    some,
                )

    def evict(
        self,
        keep: int,
        tasks: Iterable[bytes] | None = None,
        *,
        spared: Collection[bytes] = frozenset(),
    ) -> int:
        """Keep the best programs of each task; return how many programs left the pool.

        On each task (or those given) the best `keep` stay: by demos fitted, then credit, then the
        fewest steps. A trial beyond them goes, unless it fits the task or has outputs; a program
        that had trials and has none left goes with them. So a program that fits anything stays, and
        so does one that was never tried, and any whose digest is `spared`. `seen` still knows those
        that went.
        """
        if keep < 0:
            raise ValueError("cannot keep fewer than no programs")
        with self.writing():
            connection = self._connection
            if tasks is None:
                task_ids = [row[0] for row in connection.execute("SELECT id FROM tasks")]
            else:
                task_ids = [row[0] for row in self._select_in(TASK_IDS, tasks)]
            losing: set[int] = set()
            for task_id in task_ids:
                beyond = self._rows(
                    f"""
                    SELECT program_id, fits OR outputs IS NOT NULL FROM trials WHERE task_id = ?
                    ORDER BY {BEST_FIRST} LIMIT -1 OFFSET ?
                    """,
                    (task_id, keep),
                )
                gone = [(task_id, program_id) for program_id, stays in beyond if not stays]
                connection.executemany(
                    "DELETE FROM trials WHERE task_id = ? AND program_id = ?", gone
                )
                losing.update(program_id for _, program_id in gone)
            digests = {
                program_id: digest
                for program_id in losing
                for (digest,) in self._rows(_DIGEST_WITHOUT_TRIALS, (program_id,))
                if digest not in spared
            }
            connection.executemany(
                "INSERT INTO dropped (digest) VALUES (?) ON CONFLICT DO NOTHING",
                [(digest,) for digest in digests.values()],
            )
            return connection.executemany(
                "DELETE FROM programs WHERE id = ?", [(program_id,) for program_id in digests]
            ).rowcount

    # --- what the search reads ---

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
            {SCORED}
            JOIN (
                SELECT program_id, task_id, row_number() OVER (
                    PARTITION BY task_id ORDER BY {BEST_FIRST}
                ) AS place FROM trials
            ) AS places USING (program_id, task_id)
            WHERE place <= ? AND programs.kind = ?
                AND (trials.n_fitted > 0 OR trials.credit > 0)
            ORDER BY 1.0 * trials.n_fitted / trials.n_demos DESC, trials.credit DESC,
                trials.steps, tasks.digest, programs.digest
            LIMIT ?
            """,
            (per_task, kind, -1 if limit is None else limit),
        )

    def solvers(
        self, on_skip: OnSkip | None = None, *, found_until: float | None = None
    ) -> Iterator[Program]:
        """Yield the solvers, by name; those that cannot be read are left out and reported.

        `on_skip` is told of each; without it a warning sums them up at the end. With
        `found_until`, only those that were found by then.
        """
        with reporting(self.store.place, on_skip) as skip:
            for row in self.program_rows("WHERE kind = 'solver' ORDER BY name, digest", skip=skip):
                if found_until is not None and row.found_at > found_until:
                    continue
                try:
                    yield read_program(row.digest, row.name, row.text)
                except ProgramError as error:
                    skip(describe_unreadable(row.name, error))

    def trials(self, task: bytes | None = None) -> Iterator[TrialRow]:
        """Yield the trials that have outputs, by task, then by when they were found.

        With `task`, those on the task of this digest.
        """
        of_task = "" if task is None else "AND tasks.digest = ?"
        found = self.store.stream(
            f"{TRIALS_QUERY} WHERE outputs IS NOT NULL {of_task} "
            "ORDER BY tasks.digest, found_s, programs.digest",
            () if task is None else (task,),
        )
        with reporting(self.store.place, None) as skip:
            yield from make_trials(TrialRow, found, skip)

    def work(self, proposer: str | None = None) -> list[Work]:
        """Return what proposers (or this one) have finished, in the order in which they did."""
        of_proposer = "" if proposer is None else "WHERE proposer = ?"
        found = self.store.stream(
            "SELECT tasks.digest, proposer, item, counts FROM work "
            f"JOIN tasks ON tasks.id = task_id {of_proposer} ORDER BY work.id",
            () if proposer is None else (proposer,),
        )
        with reporting(self.store.place, None) as skip:
            return list(make_work(Work, found, skip))

    def state(self, key: str) -> Any:
        """Return the value that `set_state` kept under a key; None if there is none."""
        for (text,) in self._rows("SELECT value FROM state WHERE key = ?", (key,)):
            try:
                return json.loads(text)
            except (TypeError, ValueError, RecursionError) as error:
                raise PoolError(
                    f"{self.store.place}: its state {shown(key)!r} is damaged: {shown(str(error))}"
                ) from error
        return None

    def readable(self, rows: Iterable[Scored]) -> Iterator[tuple[Scored, Program]]:
        """Yield rows with their programs; those that cannot be read are left out and reported."""
        with reporting(self.store.place, None) as skip:
            for row in rows:
                try:
                    yield row, read_program(row.program, row.name, row.text)
                except ProgramError as error:
                    skip(describe_unreadable(row.name, error))

    def seen(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return those that are in the pool, were evicted from it, or were marked as seen."""
        wanted = list(digests)
        found = self._select_in("SELECT digest FROM dropped WHERE digest IN", wanted)
        return self.contains(wanted) | {digest for (digest,) in found}

    def dropped(self) -> Iterator[bytes]:
        """Yield the digests of all that was evicted or marked as seen."""
        for (digest,) in self.store.stream("SELECT digest FROM dropped"):
            if is_digest(digest):
                yield digest

    def digests(self) -> Iterator[bytes]:
        """Yield the digests of all programs."""
        for (digest,) in self.store.stream("SELECT digest FROM programs"):
            if is_digest(digest):
                yield digest

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
        """Return programs with what they reached, those that fit most tasks first.

        With `task_name`, those with a trial on that task, and what they reached there. Programs
        that cannot be read are left out and reported.
        """
        on_task = "" if task_name is None else "JOIN tasks ON tasks.id = task_id AND tasks.name = ?"
        found = self.store.stream(
            f"""
            SELECT digest, name, {TEXT}, kind, n_calls, origin, coalesce(n_fits, 0), best,
                best_credit
            FROM programs {"LEFT" * (task_name is None)} JOIN (
                SELECT program_id, sum(fits) AS n_fits, max(n_fitted) AS best,
                    max(credit) AS best_credit, min(steps) AS fewest
                FROM trials {on_task} GROUP BY program_id
            ) ON program_id = programs.id
            ORDER BY coalesce(n_fits, 0) DESC, coalesce(best, -1) DESC,
                coalesce(best_credit, -1) DESC, fewest, n_calls, digest
            """,
            () if task_name is None else (task_name,),
        )
        with reporting(self.store.place, None) as skip:
            rows = make_rows(ProgramSummary, found, skip)
            return list(islice(_readable(rows, skip), limit))

    def find(self, text: str) -> list[PoolProgram]:
        """Return the programs that have this name, or a hash that starts so, at most 10 of them."""
        digits = text.lower()
        low, high = b"", b""  # no digest
        if len(digits) <= 32 and set(digits) <= set("0123456789abcdef"):
            low, high = (bytes.fromhex(digits.ljust(32, fill)) for fill in "0f")
        with reporting(self.store.place, None) as skip:
            return list(
                self.program_rows(
                    "WHERE digest BETWEEN ? AND ? OR name = ? ORDER BY name != ?, digest LIMIT 10",
                    low,
                    high,
                    text,
                    text,
                    skip=skip,
                )
            )

    def get(self, digest: bytes) -> PoolProgram | None:
        """Return the program of a digest."""
        with reporting(self.store.place, None) as skip:
            return next(self.program_rows("WHERE digest = ?", digest, skip=skip), None)

    def programs(self, on_skip: OnSkip | None = None) -> Iterator[PoolProgram]:
        """Yield all programs, solvers first, by name.

        Those that cannot be read are left out; `on_skip` is told of each, or a warning sums up.
        """
        with reporting(self.store.place, on_skip) as skip:
            rows = self.program_rows("ORDER BY kind DESC, name, digest", skip=skip)
            yield from _readable(rows, skip)

    def trials_of(self, digest: bytes) -> list[Scored]:
        """Return what a program reached on every task, the best first."""
        return self._read(
            Scored,
            f"{SCORED} WHERE programs.digest = ? ORDER BY trials.fits DESC, {BEST_FIRST}",
            (digest,),
        )

    def stats(self) -> PoolStats:
        """Return how much is in the pool."""
        self.results.flush()
        with reporting(self.store.place, None) as skip, self.store.reading():
            return read_stats(self._connection, skip)

    def program_rows(
        self, condition: str = "", *values: Any, skip: OnSkip
    ) -> Iterator[PoolProgram]:
        """Yield the programs under a condition of SQL; their texts may be anything."""
        found = self.store.stream(
            f"""
            SELECT id, card_id, digest, name, {TEXT}, kind, n_calls, origin, found_at
            FROM programs {condition}
            """,
            values,
        )
        for program_id, card_id, *columns in found:
            parents = self._rows(
                "SELECT parent FROM parentage WHERE child_id = ? ORDER BY place LIMIT ?",
                (program_id, MAX_PARENTS),
            )
            card = None if card_id is None else self._card(card_id)
            row = (*columns, card, tuple(parent for (parent,) in parents if is_digest(parent)))
            yield from make_rows(PoolProgram, [row], skip)

    def _card(self, card_id: int) -> Card | None:
        cards = self._read(
            Card, "SELECT seed, size, generation, started_at FROM cards WHERE id = ?", (card_id,)
        )
        return cards[0] if cards else None

    def _read(self, make: type[T], query: str, values: Sequence[Any] = ()) -> list[T]:
        with reporting(self.store.place, None) as skip:
            return list(make_rows(make, self._rows(query, values), skip))

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self.store.reading():
            return self._connection.execute(query, values).fetchall()

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


def _row_of(program: NewProgram | Program | ParsedProgram, place: int) -> NewProgram:
    if isinstance(program, NewProgram):
        return program
    return NewProgram.of(to_program(program, f"program {place}"), IMPORT)


def _readable(rows: Iterable[R], skip: OnSkip) -> Iterator[R]:
    """Leave out rows whose texts are not the programs that their digests name."""
    for row in rows:
        try:
            read_program(row.digest, row.name, row.text)
        except ProgramError as error:
            skip(describe_unreadable(row.name, error))
        else:
            yield row
