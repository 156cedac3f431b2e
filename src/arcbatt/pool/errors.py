"""Translate SQLite's errors into `PoolError`s that say what happened and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

MAX_SHOWN = 80


class PoolError(Exception):
    """A pool cannot be used as asked; the message says which pool, why, and what to do.

    A write that fails with this error has changed nothing, and earlier commits are safe.
    """


# By the low byte of SQLite's error code.
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def escape(text: str) -> str:
    """Return text with unprintable characters escaped, so that no terminal interprets them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def abbreviate(value: object) -> str:
    """Return a value from a pool for a message: escaped, and at most `MAX_SHOWN` characters."""
    text = escape(value[:MAX_SHOWN]) if isinstance(value, str) else repr(value)[:MAX_SHOWN]
    is_cut = len(text) > MAX_SHOWN or (isinstance(value, str) and len(value) > MAX_SHOWN)
    return text[: MAX_SHOWN - 3] + "..." if is_cut else text


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's error code without its details; 0 if there is none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another process held a lock."""
    return primary_code(error) in _BUSY


@contextmanager
def explaining(place: str) -> Iterator[None]:
    """Turn SQLite's errors into a `PoolError` that names the pool at `place`."""
    try:
        yield
    except sqlite3.Error as error:
        raise PoolError(f"{place}: {_explain(error)}") from error
    except UnicodeDecodeError as error:
        # SQLite quotes the names in its own list of tables.
        raise PoolError(f"{place}: the pool is damaged: a table's name is not text") from error


def _explain(error: sqlite3.Error) -> str:
    code = primary_code(error)
    safe = "nothing of this was written, and earlier commits are safe"
    if code == sqlite3.SQLITE_FULL:
        return f"the disk is full; {safe}; make room and try again"
    if code == sqlite3.SQLITE_IOERR:
        return f"the disk cannot be read or written ({error}); {safe}"
    if code in _BUSY:
        return "another process keeps the pool locked; try again when it is done"
    if code == sqlite3.SQLITE_READONLY:
        return "the pool cannot be written to: check the permissions of the file and its folder"
    if code == sqlite3.SQLITE_CANTOPEN:
        return "the pool cannot be opened: check that its folder exists and is writable"
    if code in _DAMAGED:
        return f"the pool is damaged: {error}; `sqlite3 FILE .recover` may save what is left"
    if code == sqlite3.SQLITE_TOOBIG:
        return "a value is too large for a pool; the file is damaged or was made by something else"
    if isinstance(error, sqlite3.ProgrammingError):
        # Raised by Python's module, without a code: the pool is misused, not damaged.
        if "closed" in str(error):
            return "this pool is closed; Pool.open opens it again"
        if "thread" in str(error):
            return "a pool belongs to the thread that opened it; open another with Pool.open"
    if code == sqlite3.SQLITE_INTERRUPT:
        return "a query takes longer than a pool of this size can need; the file is damaged"
    return abbreviate(str(error))
