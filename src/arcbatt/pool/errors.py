"""What goes wrong with a pool, in words: SQLite's errors in, `PoolError` out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


class PoolError(Exception):
    """A pool cannot be used as asked; the message says which, why and what to do.

    A write that ends so has changed nothing; what was committed before is safe.
    """


# By the low byte of SQLite's error code; sqlite3 names the codes only from Python 3.11 on.
_FULL = sqlite3.SQLITE_FULL
_IO = sqlite3.SQLITE_IOERR
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_READ_ONLY = sqlite3.SQLITE_READONLY
_CANNOT_OPEN = sqlite3.SQLITE_CANTOPEN
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's error code without its details; 0 where there is none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process was in the way, for now."""
    return primary_code(error) in _BUSY


@contextmanager
def explaining(place: str) -> Iterator[None]:
    """Turn SQLite's errors into a `PoolError` that names the pool at `place`."""
    try:
        yield
    except sqlite3.Error as error:
        raise PoolError(f"{place}: {_explain(error)}") from error


def _explain(error: sqlite3.Error) -> str:
    code = primary_code(error)
    safe = "nothing of this was written, and all that was committed before is safe"
    if code == _FULL:
        return f"the disk is full; {safe}; make room and try again"
    if code == _IO:
        return f"the disk cannot be read or written ({error}); {safe}"
    if code in _BUSY:
        return "another process keeps the pool locked; try again when it is done"
    if code == _READ_ONLY:
        return "the pool cannot be written to: check the permissions of the file and its folder"
    if code == _CANNOT_OPEN:
        return "the pool cannot be opened: check that its folder exists and may be written to"
    if code in _DAMAGED:
        return f"the pool is damaged: {error}; `sqlite3 FILE .recover` may save what is left"
    return str(error)
