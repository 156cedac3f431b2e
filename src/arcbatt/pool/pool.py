"""The pool: programs with their trials, their ancestry, finished work and cached results.

One SQLite file that several processes may use at the same time. A read sees what was committed when
it began; each writing method is one transaction, and `Pool.writing` combines several into one.
Program texts are data: they are parsed, never run by Python. A row that cannot be read is left out
and reported.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from arcbatt import measure
from arcbatt.language import ParsedProgram, Program, ProgramError, to_program
from arcbatt.library import library_programs

from .cache import Cache, CacheLimit
from .connection import IN_MEMORY, open_connection, open_in_memory
from .errors import PoolError, abbreviate
from .queries import (
    BEST_FIRST,
    DIGEST_WITHOUT_TRIALS,
    RECORD,
    SELECT_WORK,
    TASK_IDS,
    TEXT,
    select_trials,
)
from .row_reader import (
    OnSkip,
    describe_unreadable,
    is_digest,
    make_rows,
    read_program,
    reporting,
)
from .rows import (
    IMPORT,
    LIBRARY,
    PoolCard,
    PoolProgram,
    PoolTrial,
    PoolWork,
    ProgramKind,
    ProgramSummary,
    outputs_to_json,
)
from .stats import PoolStats, read_stats
from .store import Store

T = TypeVar("T")
R = TypeVar("R", PoolProgram, ProgramSummary)

# SQLite accepts at least 999 parameters in one statement.
_BATCH = 900
MAX_PARENTS = 64


class Pool:
    """A pool of programs. Open one with `Pool.open` or `Pool.in_memory`; `with` closes it.

    `arcbatt.pool.merge(pool, file)` adds the content of the pool in another file.
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
        """Open the pool in a file; create a missing one, unless `create` is false.

        With `readonly` True, writing raises `PoolError`. By default a pool whose file or folder is
        not writable is opened like that; with `readonly` False it raises `PoolError`. `versions` is
        part of the cache's keys.

        Raises `PoolError` for a file that is not a pool of this version, and leaves it unchanged.
        """
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"expected the file of a pool, not a {type(path).__name__}")
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
        """Whether writing raises `PoolError`."""
        return self.store.readonly

    def close(self) -> None:
        """Write the measured use of the cache, and close the file."""
        try:
            self._report_cache_use()
            # The measured use is not worth an error, least of all after another one.
            with suppress(PoolError):
                self.results.flush()
        finally:
            self._connection.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Pool {self.path or IN_MEMORY}>"

    def writing(self) -> AbstractContextManager[None]:
        """Combine the writes inside into one transaction: all are kept, or none."""
        return self.store.writing()

    # --- writing ---

    def add_programs(self, programs: Iterable[PoolProgram | Program | ParsedProgram]) -> int:
        """Add programs; return how many are new. A program that is there stays as it is.

        A `PoolProgram` has an origin; other programs are added as imported ones.
        """
        if isinstance(programs, PoolProgram | Program | ParsedProgram):
            raise TypeError("add_programs takes several programs: add_programs([program])")
        rows = [_row_of(program, place) for place, program in enumerate(programs)]
        with self.writing():
            known = self.contains(program.digest for program in rows)
            new: dict[bytes, PoolProgram] = {}
            for program in rows:
                if program.digest not in known:
                    new.setdefault(program.digest, program)
            cards = dict.fromkeys(program.card for program in new.values())
            card_ids = {card: self._add_card(card) for card in cards}
            self._connection.executemany(
                """
                INSERT INTO programs
                    (digest, name, text, kind, n_calls, origin, card_id, found_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    (p.digest, p.name, p.text, p.kind, p.n_calls, p.origin, card_id, p.found_at)
                    for p in new.values()
                    for card_id in [card_ids[p.card]]
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

    def _add_card(self, card: PoolCard | None) -> int | None:
        """Add a card and return its id, which is the same for the same card."""
        if card is None:
            return None
        values = (card.seed, card.size, card.generation, card.started_at)
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

    def add_library(self) -> int:
        """Add the solvers that come with arcbatt; return how many are new."""
        return self.add_programs(
            [PoolProgram.of(parsed.program, LIBRARY) for parsed in library_programs()]
        )

    def record_trials(self, trials: Sequence[PoolTrial], *, only_better: bool = False) -> int:
        """Record trials; return how many were written.

        A trial replaces that of the same program on the same task. With `only_better` it must be
        better, and must have outputs if the other one has. `found_at` stays unless more demos fit.
        How the program was found, held-out demos, copies and outputs come from the first trial with
        outputs, and stay. A trial of a program that is not in the pool, which another process may
        have evicted, is ignored.
        """
        with self.writing():
            task_ids = self._task_ids(trials)
            return self._connection.executemany(
                RECORD,
                [
                    {
                        **{name: getattr(trial, name) for name in PoolTrial.__slots__},
                        "always": not only_better,
                        "task": task_ids[trial.task],
                        "outputs": outputs_to_json(trial.outputs),
                    }
                    for trial in trials
                ],
            ).rowcount

    def drop_outputs(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Delete the outputs of (program, task) pairs, given by their digests."""
        with self.writing():
            self._connection.executemany(
                """
                UPDATE trials SET outputs = NULL
                WHERE program_id = (SELECT id FROM programs WHERE digest = ?)
                    AND task_id = (SELECT id FROM tasks WHERE digest = ?)
                """,
                list(pairs),
            )

    def note_work(self, rows: Sequence[PoolWork], *, only_new: bool = False) -> None:
        """Record finished work; the same work again updates its counts unless `only_new`."""
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
        """Store a JSON value under a key, replacing the previous one."""
        with self.writing():
            self._connection.execute(
                "INSERT INTO state (key, value) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, json.dumps(value)),
            )

    def _task_ids(self, rows: Sequence[PoolTrial | PoolWork]) -> dict[bytes, int]:
        tasks = {row.task: (row.task, row.task_name, row.set_name) for row in rows}
        self._connection.executemany(
            "INSERT INTO tasks (digest, name, set_name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            tasks.values(),
        )
        return {digest: task_id for task_id, digest in self._select_in(TASK_IDS, tasks)}

    def mark_seen(self, digests: Iterable[bytes]) -> None:
        """Mark programs that were tried and not kept, for `seen`."""
        remaining = iter(digests)
        with self.writing():
            while some := list(islice(remaining, _BATCH)):
                self._connection.execute(
                    f"""
                    INSERT INTO dropped (digest)
                    SELECT column1 FROM (VALUES {", ".join(["(?)"] * len(some))})
                    WHERE NOT EXISTS (SELECT 1 FROM programs WHERE digest = column1)
                    ON CONFLICT DO NOTHING
                    """,
                    some,
                )

    def evict(self, keep: int, *, spared: Collection[bytes] = frozenset()) -> int:
        """Keep the best programs of each task; return how many programs were removed.

        On each task the best `keep` trials stay: by demos fitted, then credit, then fewest steps.
        Other trials are removed unless they fit the task or have outputs, and so is a program that
        loses its last trial. A program that fits any task, was never tried, or
        whose digest is `spared` stays. `seen` still returns the removed programs.
        """
        if keep < 0:
            raise ValueError("cannot keep fewer than 0 programs")
        with self.writing():
            connection = self._connection
            losing: set[int] = set()
            for (task_id,) in connection.execute("SELECT id FROM tasks").fetchall():
                beyond = self._rows(
                    f"""
                    SELECT program_id, fits OR outputs IS NOT NULL FROM trials WHERE task_id = ?
                    ORDER BY {BEST_FIRST} LIMIT -1 OFFSET ?
                    """,
                    (task_id, keep),
                )
                removed = [(task_id, program_id) for program_id, stays in beyond if not stays]
                connection.executemany(
                    "DELETE FROM trials WHERE task_id = ? AND program_id = ?", removed
                )
                losing.update(program_id for _, program_id in removed)
            digests = {
                program_id: digest
                for program_id in losing
                for (digest,) in self._rows(DIGEST_WITHOUT_TRIALS, (program_id,))
                if digest not in spared
            }
            connection.executemany(
                "INSERT INTO dropped (digest) VALUES (?) ON CONFLICT DO NOTHING",
                [(digest,) for digest in digests.values()],
            )
            return connection.executemany(
                "DELETE FROM programs WHERE id = ?", [(program_id,) for program_id in digests]
            ).rowcount

    # --- reading, for the search ---

    def parents(
        self, limit: int | None = None, *, per_task: int = 1, kind: ProgramKind = "solver"
    ) -> list[PoolTrial]:
        """Return the best `per_task` trials of every task, the most promising first.

        A program that is among the best on several tasks has several trials. Trials without a
        fitted demo and without credit are left out; outputs are not read.
        """
        return self._read(
            PoolTrial,
            f"""
            {select_trials("NULL")}
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
        self,
        on_skip: OnSkip | None = None,
        *,
        found_until: float | None = None,
        parsed: Iterable[Program] = (),
    ) -> Iterator[Program]:
        """Yield the solvers by name, with `found_until` only those found by then.

        Each one that cannot be read is reported to `on_skip`, or a warning sums them up.
        Programs in `parsed` are not parsed again.
        """
        ready = {(each.result.digest, each.name): each for each in parsed}
        with reporting(self.store.place, on_skip) as skip:
            for row in self.program_rows("WHERE kind = 'solver' ORDER BY name, digest", skip=skip):
                if found_until is not None and row.found_at > found_until:
                    continue
                program = ready.get((row.digest, row.name))
                if program is not None:
                    yield program
                    continue
                try:
                    yield read_program(row.digest, row.name, row.text)
                except ProgramError as error:
                    skip(describe_unreadable(row.name, error))

    def trials(self, task: bytes | None = None) -> Iterator[PoolTrial]:
        """Yield the trials with outputs by task and time, or those on the task with a digest."""
        of_task = "" if task is None else "AND tasks.digest = ?"
        rows = self.store.stream(
            f"{select_trials()} WHERE outputs IS NOT NULL {of_task} "
            "ORDER BY tasks.digest, found_s, programs.digest",
            () if task is None else (task,),
        )
        with reporting(self.store.place, None) as skip:
            yield from make_rows(PoolTrial, rows, skip)

    def work(self, proposer: str | None = None) -> list[PoolWork]:
        """Return the finished work of all proposers, or of one, in order of time."""
        of_proposer = "" if proposer is None else "WHERE proposer = ?"
        rows = self.store.stream(
            f"{SELECT_WORK} {of_proposer} ORDER BY work.id",
            () if proposer is None else (proposer,),
        )
        with reporting(self.store.place, None) as skip:
            return list(make_rows(PoolWork, rows, skip))

    def state(self, key: str) -> Any:
        """Return the value that `set_state` stored under a key; None if there is none."""
        for (text,) in self._rows("SELECT value FROM state WHERE key = ?", (key,)):
            try:
                return json.loads(text)
            except (TypeError, ValueError, RecursionError) as error:
                raise PoolError(
                    f"{self.store.place}: its state {abbreviate(key)!r} is damaged: "
                    f"{abbreviate(str(error))}"
                ) from error
        return None

    def readable(self, rows: Iterable[PoolTrial]) -> Iterator[tuple[PoolTrial, Program]]:
        """Yield trials with their programs; unreadable ones are left out and reported."""
        with reporting(self.store.place, None) as skip:
            for row in rows:
                try:
                    yield row, read_program(row.program, row.name, row.text)
                except ProgramError as error:
                    skip(describe_unreadable(row.name, error))

    def seen(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return the digests that are in the pool, were evicted, or were marked as seen."""
        wanted = list(digests)
        dropped = self._select_in("SELECT digest FROM dropped WHERE digest IN", wanted)
        return self.contains(wanted) | {digest for (digest,) in dropped}

    def dropped(self) -> Iterator[bytes]:
        """Yield the digests of the programs that were evicted or marked as seen."""
        rows = self.store.stream("SELECT digest FROM dropped")
        return (digest for (digest,) in rows if is_digest(digest))

    def digests(self) -> Iterator[bytes]:
        """Yield the digests of all programs."""
        rows = self.store.stream("SELECT digest FROM programs")
        return (digest for (digest,) in rows if is_digest(digest))

    def contains(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return the digests whose programs are in the pool."""
        rows = self._select_in("SELECT digest FROM programs WHERE digest IN", digests)
        return {digest for (digest,) in rows}

    # --- reading, for people ---

    @property
    def n_programs(self) -> int:
        """The number of programs in the pool."""
        (n_programs,) = self._rows("SELECT count(*) FROM programs")[0]
        return int(n_programs)

    def summaries(
        self, *, task_name: str | None = None, limit: int | None = None
    ) -> list[ProgramSummary]:
        """Return programs with their best results, those that fit most tasks first.

        With `task_name`, only programs with a trial on that task, and their results there.
        """
        on_task = "" if task_name is None else "JOIN tasks ON tasks.id = task_id AND tasks.name = ?"
        rows = self.store.stream(
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
            summaries = make_rows(ProgramSummary, rows, skip)
            return list(islice(_readable(summaries, skip), limit))

    def find(self, text: str) -> list[PoolProgram]:
        """Return at most 10 programs with this name, or a hash that starts with this text."""
        digits = text.lower()
        low, high = b"", b""  # matches no digest
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
        """Return the program with a digest."""
        with reporting(self.store.place, None) as skip:
            return next(self.program_rows("WHERE digest = ?", digest, skip=skip), None)

    def programs(self, on_skip: OnSkip | None = None) -> Iterator[PoolProgram]:
        """Yield all programs, solvers first, by name.

        Each one that cannot be read is reported to `on_skip`, or a warning sums them up.
        """
        with reporting(self.store.place, on_skip) as skip:
            rows = self.program_rows("ORDER BY kind DESC, name, digest", skip=skip)
            yield from _readable(rows, skip)

    def trials_of(self, digest: bytes) -> list[PoolTrial]:
        """Return a program's trials, the best first; outputs are not read."""
        condition = f"WHERE programs.digest = ? ORDER BY trials.fits DESC, {BEST_FIRST}"
        return self._read(PoolTrial, f"{select_trials('NULL')} {condition}", (digest,))

    def stats(self) -> PoolStats:
        """Return counts of everything in the pool."""
        self.results.flush()
        with reporting(self.store.place, None) as skip, self.store.reading():
            return read_stats(self._connection, skip)

    def program_rows(
        self, condition: str = "", *values: Any, skip: OnSkip
    ) -> Iterator[PoolProgram]:
        """Yield the programs that satisfy an SQL condition; their texts are not checked."""
        rows = self.store.stream(
            f"""
            SELECT id, card_id, found_at, digest, name, {TEXT}, kind, n_calls, origin
            FROM programs {condition}
            """,
            values,
        )
        for program_id, card_id, found_at, *columns in rows:
            parents = self._rows(
                "SELECT parent FROM parentage WHERE child_id = ? ORDER BY place LIMIT ?",
                (program_id, MAX_PARENTS),
            )
            card = None if card_id is None else self._card(card_id)
            digests = tuple(parent for (parent,) in parents if is_digest(parent))
            yield from make_rows(PoolProgram, [(*columns, card, digests, found_at)], skip)

    def _card(self, card_id: int) -> PoolCard | None:
        cards = self._read(
            PoolCard,
            "SELECT seed, size, generation, started_at FROM cards WHERE id = ?",
            (card_id,),
        )
        return cards[0] if cards else None

    def _read(self, make: type[T], query: str, values: Sequence[Any] = ()) -> list[T]:
        with reporting(self.store.place, None) as skip:
            return list(make_rows(make, self._rows(query, values), skip))

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self.store.reading():
            return self._connection.execute(query, values).fetchall()

    def _select_in(self, query: str, digests: Iterable[bytes]) -> list[Any]:
        """Return the rows of a query that ends in IN, for any number of digests."""
        rows: list[Any] = []
        remaining = iter(digests)
        while some := list(islice(remaining, _BATCH)):
            rows += self._rows(f"{query} ({','.join('?' * len(some))})", some)
        return rows

    def _report_cache_use(self) -> None:
        use = self.results.use
        if use.n_hits or use.n_misses:
            columns = ("cache", "hits", "misses", "hit rate", "seconds in the cache")
            row = ("results", use.n_hits, use.n_misses, use.hit_rate, use.seconds)
            measure.add_table("caches", columns, [row])


def _row_of(program: PoolProgram | Program | ParsedProgram, place: int) -> PoolProgram:
    if isinstance(program, PoolProgram):
        return program
    return PoolProgram.of(to_program(program, f"program {place}"), IMPORT)


def _readable(rows: Iterable[R], skip: OnSkip) -> Iterator[R]:
    """Yield the rows whose texts are the programs that their digests name."""
    for row in rows:
        try:
            read_program(row.digest, row.name, row.text)
        except ProgramError as error:
            skip(describe_unreadable(row.name, error))
        else:
            yield row
