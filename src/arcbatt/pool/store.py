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
        self._depth = 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written inside is committed together, or, after an error, not at all.

        One inside another is part of the outer one.
        """
        if self._depth:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        with measure.phase("store"), explaining(self.place):
            begin(self.connection)
            self._depth = 1
            try:
                yield
                commit(self.connection)
            except BaseException:
                roll_back(self.connection)
                raise
            finally:
                self._depth = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Errors of what is read inside are explained."""
        with measure.phase("store"), explaining(self.place):
            yield
