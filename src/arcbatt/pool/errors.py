"""What goes wrong with a pool, in words: SQLite's errors in, `PoolError` out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

MAX_SHOWN = 80


class PoolError(Exception):
    """A pool cannot be used as asked; the message says which, why and what to do.

    A write that ends so has changed nothing; what was committed before is safe.
    """


# By the low byte of SQLite's error code.
_FULL = sqlite3.SQLITE_FULL
_IO = sqlite3.SQLITE_IOERR
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_READ_ONLY = sqlite3.SQLITE_READONLY
_CANNOT_OPEN = sqlite3.SQLITE_CANTOPEN
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TOO_BIG = sqlite3.SQLITE_TOOBIG
_INTERRUPTED = sqlite3.SQLITE_INTERRUPT


def clean(text: str) -> str:
    """Return text that no terminal takes for a command: what is not printable is written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: object) -> str:
    """Return what a message says for something from a pool: clean, and not long."""
    text = clean(value[:MAX_SHOWN]) if isinstance(value, str) else repr(value)[:MAX_SHOWN]
    is_cut = len(text) > MAX_SHOWN or (isinstance(value, str) and len(value) > MAX_SHOWN)
    return text[: MAX_SHOWN - 3] + "..." if is_cut else text


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
    except UnicodeDecodeError as error:
        # SQLite quotes what it finds in its own list of tables.
        raise PoolError(f"{place}: the pool is damaged: it names what is no text") from error


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
    if code == _TOO_BIG:
        return "a value is larger than any that a pool holds; the pool is damaged or foreign"
    if isinstance(error, sqlite3.ProgrammingError):
        # Not SQLite's own, so without a code: of how the pool is used, not of its file.
        if "closed" in str(error):
            return "this pool is closed; Pool.open opens it again"
        if "thread" in str(error):
            return "a pool is for the thread that opened it; another opens its own by Pool.open"
    if code == _INTERRUPTED:
        return "reading takes longer than a pool of this size can; it is damaged or foreign"
    return shown(str(error))
