"""One connection to a pool, and the transactions on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection

from arcbatt import measure

from .errors import explaining
from .opening import begin, commit, roll_back


class Store:
    """A connection with its name for messages. For one thread; another opens its own."""

    def __init__(self, connection: Connection, place: str) -> None:
        self.connection = connection
        self.place = place

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written inside is committed together, or, after an error, not at all.

        One inside another is committed with the outer one.
        """
        with measure.phase("store"), explaining(self.place):
            if self.connection.in_transaction:
                with self._part():
                    yield
                return
            begin(self.connection)
            try:
                yield
                commit(self.connection)
            except BaseException:
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
        """Errors of what is read inside are explained."""
        with measure.phase("store"), explaining(self.place):
            yield
