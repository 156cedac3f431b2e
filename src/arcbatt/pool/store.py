"""One connection to a pool, and the transactions on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from arcbatt import measure

from .connection import begin, commit, log_of, roll_back
from .errors import PoolError, explaining

# The pages of a damaged file can form a cycle. An intact file is read with a few of SQLite's
# instructions per byte, and has fewer rows than bytes.
INSTRUCTIONS_PER_TICK = 1_000_000
FREE_TICKS = 300
BYTES_PER_TICK = 10_000

ROWS_AT_ONCE = 100
FREE_ROWS = 100_000


def _identity_of(path: Path) -> tuple[int, int] | None:
    """Return the device and number of a file, which change if it is replaced; None if missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Store:
    """A connection, with its name for messages. It belongs to one thread."""

    def __init__(
        self, connection: Connection, place: str, path: Path | None, *, readonly: bool = False
    ) -> None:
        self.connection = connection
        self.place = place
        self.readonly = readonly
        self._path = path
        self._identity = None if path is None else _identity_of(path)
        self._n_ticks = 0
        self._is_reading = False
        if path is not None:
            connection.set_progress_handler(self._is_endless, INSTRUCTIONS_PER_TICK)

    @property
    def n_bytes(self) -> int | None:
        """The size of the file and its log; None for a pool in memory."""
        if self._path is None:
            return None
        files = (self._path, log_of(self._path))
        return sum(each.stat().st_size for each in files if each.exists())

    def _is_endless(self) -> bool:
        self._n_ticks += 1
        if not self._is_reading or self._n_ticks <= FREE_TICKS:
            return False
        return self._n_ticks > FREE_TICKS + (self.n_bytes or 0) // BYTES_PER_TICK

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Commit everything written inside together, or, after an error, nothing.

        A nested block is committed with the outer one.
        """
        if self.readonly:
            raise PoolError(
                f"{self.place}: this pool is open read-only; use a writable one, or copy it to a "
                "writable folder"
            )
        with measure.phase("store"), explaining(self.place):
            if self.connection.in_transaction:
                with self._savepoint():
                    yield
                return
            # SQLite would write to the file that it opened, whatever its name is now.
            if self._path is not None and _identity_of(self._path) != self._identity:
                raise PoolError(
                    f"{self.place}: it was removed or replaced by another file meanwhile; nothing "
                    "was written"
                )
            begin(self.connection)
            try:
                yield
                commit(self.connection)
            except BaseException:  # interrupts too
                roll_back(self.connection)
                raise

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        """Undo what was written inside after an error, without ending the transaction."""
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            # SQLite rolls back the whole transaction itself when the disk is full.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
            raise
        self.connection.execute("RELEASE part")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Explain the errors of queries inside, and interrupt a query that does not end."""
        self._n_ticks = 0
        self._is_reading = True
        try:
            with measure.phase("store"), explaining(self.place):
                yield
        finally:
            self._is_reading = False

    def stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield rows without keeping all of them in memory."""
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
                raise PoolError(f"{self.place}: it has more rows than bytes, so it is damaged")
            yield from rows
