"""A path in, a connection to the pool there out: made, checked, for writing or for reading alone.

A pool comes into being whole: it is made under another name and then linked to its own, so that
whoever opens it, at any moment and after any crash, finds a pool or nothing. A file that comes from
elsewhere is opened only if its tables, indexes and triggers are exactly those of a pool.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from .errors import PoolError, explaining, is_busy

SCHEMA_VERSION = 1

IN_MEMORY = ":memory:"
# "ARCB" in the file's header: what tells a pool from any other SQLite file.
APPLICATION_ID = 0x41524342
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
# How long to wait for other processes that write; their transactions take milliseconds.
BUSY_TIMEOUT_S = 10
PATIENCE_S = 60
# No text or blob of a pool comes near it; one that is larger is an error and fills no memory.
MAX_VALUE_BYTES = 16 * 2**20
# What SQLite itself keeps in its list of tables.
_OWN_OF_SQLITE = ("sqlite_stat1", "sqlite_stat4")

Schema = frozenset[tuple[Any, ...]]


def open_connection(
    path: Path, *, create: bool, readonly: bool | None
) -> tuple[sqlite3.Connection, bool]:
    """Return a connection to the pool at `path`, and whether it is for reading alone.

    A missing pool is made where `create` says so. `readonly` None: for reading alone if the file or
    its folder cannot be written to; False: that is an error.
    """
    if not _exists(path):
        if not create or readonly:
            raise PoolError(f"{path}: no such pool; `arcbatt pool import --library` makes one")
        _create(path)
    check_header(path)
    is_writable = _can_be_written_to(path)
    if readonly is False and not is_writable:
        raise PoolError(
            f"{path}: the pool cannot be written to: check the permissions of the file and its "
            "folder, or give another with --pool"
        )
    with explaining(str(path)):
        connection = _connect(str(path)) if is_writable else _connect_unwritable(path)
        try:
            _check_schema(connection, path)
            if is_writable:
                _prepare_for_writing(connection)
            if readonly:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:  # an interrupt, too, leaves nothing open
            connection.close()
            raise
    return connection, bool(readonly) or not is_writable


def open_in_memory() -> sqlite3.Connection:
    """Return a fresh pool that is gone when its connection is closed."""
    connection = _connect(IN_MEMORY)
    _make_fresh(connection)
    return connection


def _exists(path: Path) -> bool:
    if str(path) == IN_MEMORY or str(path).startswith("file:"):
        raise PoolError(f"{path}: a pool is a file with a name of its own, and this names none")
    try:
        return path.exists()
    except OSError as error:
        raise PoolError(f"{path}: cannot be read: {error.strerror}") from error


def _can_be_written_to(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(log_of(path).parent, os.W_OK)


def log_of(path: Path) -> Path:
    """Return where SQLite has the log of a pool: beside the file that a link leads to."""
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + "-wal")


def _connect(place: str, *, uri: bool = False) -> sqlite3.Connection:
    # Transactions are begun and ended by hand: sqlite3 would begin them too late.
    connection = sqlite3.connect(place, timeout=BUSY_TIMEOUT_S, isolation_level=None, uri=uri)
    try:
        # What is no UTF-8 is no reason to end: it makes a row that is no program.
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.execute("PRAGMA foreign_keys = ON")
        # A pool may come from elsewhere: its schema may call nothing but SQLite's own.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:  # an interrupt, too, leaves nothing open
        connection.close()
        raise
    return connection


def _connect_unwritable(path: Path) -> sqlite3.Connection:
    """Return a connection to a pool beside which SQLite can make no files."""
    log = log_of(path)
    # What is in the log is read too, if SQLite can; `immutable` would pass over it.
    has_log = log.exists() and log.stat().st_size > 0
    return _connect(
        f"{path.absolute().as_uri()}?{'mode=ro' if has_log else 'immutable=1'}", uri=True
    )


def _prepare_for_writing(connection: sqlite3.Connection) -> None:
    # Every commit reaches the disk, so that a power cut loses none either.
    connection.execute("PRAGMA synchronous = FULL")
    _retry(connection, "PRAGMA journal_mode = WAL")


def _retry(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute a statement, and again while another process is in the way."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return connection.execute(statement)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def begin(connection: sqlite3.Connection) -> None:
    """Begin a transaction that will write, once no other one is."""
    _retry(connection, "BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection) -> None:
    _retry(connection, "COMMIT")


def roll_back(connection: sqlite3.Connection) -> None:
    # SQLite has undone some failed transactions itself.
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def _create(path: Path) -> None:
    """Make a fresh pool at `path`, unless another process is first."""
    if not path.parent.is_dir():
        raise PoolError(f"{path}: the folder {path.parent} does not exist; make it first")
    making = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    with explaining(str(path)):
        try:
            connection = _connect(str(making))
            try:
                _prepare_for_writing(connection)
                _make_fresh(connection)
            finally:
                connection.close()
            _put_in_place(making, path)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                making.with_name(making.name + suffix).unlink(missing_ok=True)


def _put_in_place(made: Path, path: Path) -> None:
    try:
        os.link(made, path)
    except FileExistsError:
        pass  # another process was first; its pool is as good
    except OSError:
        # A file system without links; what was there a moment ago is not overwritten.
        if not path.exists():
            made.rename(path)


def _make_fresh(connection: sqlite3.Connection) -> None:
    begin(connection)
    for statement in _statements((files("arcbatt.pool") / "schema.sql").read_text("utf-8")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    commit(connection)


def _statements(script: str) -> Iterator[str]:
    """Yield statements to execute in one transaction, which `executescript` would end."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


# --- what is refused ---


def check_header(path: Path) -> None:
    """Refuse a file that is no pool, or of another version, before SQLite has touched it."""
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "no plain file"
        raise PoolError(f"{path}: this is {what}, a pool is a file")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise PoolError(f"{path}: cannot be read: {error.strerror}") from error
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        what = "an empty file" if not header else "not a SQLite file"
        raise PoolError(f"{path}: {what}, so no pool; it was left as it is")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise PoolError(f"{path}: a SQLite file, but no pool; it was left as it is")
    version = int.from_bytes(header[60:64], "big")
    if version != SCHEMA_VERSION:
        raise PoolError(
            f"{path}: a pool of version {version}, and this arcbatt has version {SCHEMA_VERSION}; "
            "it was left as it is: use the arcbatt that made it, or export its programs with that"
        )


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file with other tables, views or triggers: its queries might never end."""
    if _read_schema(connection) != _expected_schema():
        raise PoolError(
            f"{path}: its tables, views or triggers are not those of a pool; it was left as it is"
        )


def _read_schema(connection: sqlite3.Connection) -> Schema:
    cursor = _retry(connection, "SELECT type, name, tbl_name, sql FROM sqlite_master")
    return frozenset(
        (kind, name, table, " ".join(sql.split()) if isinstance(sql, str) else sql)
        for kind, name, table, sql in cursor
        if sql is not None and not (kind == "table" and name in _OWN_OF_SQLITE)
    )


@cache
def _expected_schema() -> Schema:
    connection = open_in_memory()
    try:
        return _read_schema(connection)
    finally:
        connection.close()
