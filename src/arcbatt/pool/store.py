"""One connection to a pool, and the transactions on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from arcbatt import measure

from .errors import PoolError, explaining
from .opening import begin, commit, log_of, roll_back

# A file can be damaged so that its pages go round in a circle. A sound one is read with a few
# instructions of SQLite's for each of its bytes, and has fewer rows than bytes.
INSTRUCTIONS_A_TICK = 1_000_000
FREE_TICKS = 300
BYTES_A_TICK = 10_000

ROWS_AT_ONCE = 100
FREE_ROWS = 100_000


class Store:
    """A connection with its name for messages. For one thread; another opens its own."""

    def __init__(
        self, connection: Connection, place: str, path: Path | None, *, readonly: bool = False
    ) -> None:
        self.connection = connection
        self.place = place
        self.readonly = readonly
        self._path = path
        self._n_ticks = 0
        self._is_reading = False
        if path is not None:
            connection.set_progress_handler(self._is_endless, INSTRUCTIONS_A_TICK)

    @property
    def n_bytes(self) -> int | None:
        """The size of the file with its log; None in memory."""
        if self._path is None:
            return None
        files = (self._path, log_of(self._path))
        return sum(each.stat().st_size for each in files if each.exists())

    def _is_endless(self) -> bool:
        self._n_ticks += 1
        if not self._is_reading or self._n_ticks <= FREE_TICKS:
            return False
        return self._n_ticks > FREE_TICKS + (self.n_bytes or 0) // BYTES_A_TICK

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written inside is committed together, or, after an error, not at all.

        One inside another is committed with the outer one.
        """
        if self.readonly:
            raise PoolError(
                f"{self.place}: this pool is open for reading alone; give one that can be written "
                "to, or copy it to a folder where it can"
            )
        with measure.phase("store"), explaining(self.place):
            if self.connection.in_transaction:
                with self._part():
                    yield
                return
            begin(self.connection)
            try:
                yield
                commit(self.connection)
            except BaseException:  # an interrupt, too, leaves nothing half written
                roll_back(self.connection)
                raise

    @contextmanager
    def _part(self) -> Iterator[None]:
        """A part of a transaction: after an error all of it is undone, the rest goes on."""
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            # A full disk has undone the whole transaction already.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
            raise
        self.connection.execute("RELEASE part")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Errors of what is read inside are explained, and a query without end is one."""
        self._n_ticks = 0
        self._is_reading = True
        try:
            with measure.phase("store"), explaining(self.place):
                yield
        finally:
            self._is_reading = False

    def stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield rows without holding all of them."""
        with self.reading():
            cursor = self.connection.execute(query, values)
        n_rows = 0
        while True:
            with self.reading():
                rows = cursor.fetchmany(ROWS_AT_ONCE)
            if not rows:
                return
            n_rows += len(rows)
            if n_rows > FREE_ROWS and (n_bytes := self.n_bytes) is not None and n_rows > n_bytes:
                raise PoolError(f"{self.place}: more rows than the file has bytes: it is damaged")
            yield from rows
