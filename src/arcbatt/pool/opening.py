"""A path in, a connection to the pool there out: made, checked and brought up to date.

A pool comes into being whole: it is made under another name and then linked to its own, so that
whoever opens it, at any moment and after any crash, finds a pool or nothing.
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

from .errors import PoolError, explaining, is_busy

IN_MEMORY = ":memory:"
# "ARCB" in the file's header: what tells a pool from any other SQLite file.
APPLICATION_ID = 0x41524342
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
# How long to wait for other processes that write; their transactions take milliseconds.
BUSY_TIMEOUT_S = 10
PATIENCE_S = 60


@cache
def migrations() -> tuple[str, ...]:
    """Return the scripts that lead from an empty file to the present schema, the first first."""
    folder = files("arcbatt.pool") / "migrations"
    scripts = sorted((each.name, each.read_text("utf-8")) for each in folder.iterdir())
    return tuple(text for name, text in scripts if name.endswith(".sql"))


def newest_version() -> int:
    """Return the version of pools that are made now."""
    return len(migrations())


def open_connection(path: Path, create: bool) -> sqlite3.Connection:
    """Return a connection to the pool at `path`; a missing one is made where `create` says so."""
    if not path.exists():
        if not create:
            raise PoolError(f"{path}: no such pool; `arcbatt pool import --library` makes one")
        _create(path)
    check_header(path)
    with explaining(str(path)):
        connection = connect(str(path))
    try:
        with explaining(str(path)):
            migrate(connection, str(path))
    except BaseException:
        connection.close()
        raise
    return connection


def open_in_memory() -> sqlite3.Connection:
    """Return a fresh pool that is gone when its connection is closed."""
    connection = connect(IN_MEMORY)
    _make_fresh(connection)
    return connection


def connect(path: str) -> sqlite3.Connection:
    # Transactions are begun and ended by hand: sqlite3 would begin them too late.
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # A pool may come from elsewhere: its schema may call nothing but SQLite's own.
        connection.execute("PRAGMA trusted_schema = OFF")
        # Every commit reaches the disk, so that a power cut loses none either.
        connection.execute("PRAGMA synchronous = FULL")
        if path != IN_MEMORY:
            _retry(connection, "PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _retry(connection: sqlite3.Connection, statement: str) -> None:
    """Execute a statement, and again while another process is in the way."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection.execute(statement)
            return
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


def version_of(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(connection: sqlite3.Connection, place: str) -> None:
    """Bring a pool to the newest version, one step a transaction."""
    check_version(version_of(connection), place)
    while version_of(connection) < newest_version():
        begin(connection)
        try:
            # Another process may have taken the step meanwhile.
            version = version_of(connection)
            if version < newest_version():
                _execute_script(connection, migrations()[version])
                connection.execute(f"PRAGMA user_version = {version + 1}")
            commit(connection)
        except BaseException:
            roll_back(connection)
            raise


def check_version(version: int, place: str) -> None:
    if version > newest_version():
        raise PoolError(
            f"{place}: this pool was made by a newer arcbatt (pool version {version}, this one "
            f"knows up to {newest_version()}); update arcbatt to open it"
        )


def _create(path: Path) -> None:
    """Make a fresh pool at `path`, unless another process is first."""
    if not path.parent.is_dir():
        raise PoolError(f"{path}: the folder {path.parent} does not exist; make it first")
    making = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    with explaining(str(path)):
        try:
            connection = connect(str(making))
            try:
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
    _execute_script(connection, (files("arcbatt.pool") / "schema.sql").read_text("utf-8"))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {newest_version()}")
    commit(connection)


def _execute_script(connection: sqlite3.Connection, script: str) -> None:
    """Execute statements inside the present transaction, which `executescript` would end."""
    for statement in _statements(script):
        connection.execute(statement)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def check_header(path: Path) -> None:
    """Refuse a file that is no pool, or a newer one, before SQLite has touched it."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except IsADirectoryError:
        raise PoolError(f"{path}: this is a folder, a pool is a file") from None
    except OSError as error:
        raise PoolError(f"{path}: cannot be read: {error.strerror}") from error
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        what = "an empty file" if not header else "not a SQLite file"
        raise PoolError(f"{path}: {what}, so no pool; it was left as it is")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise PoolError(f"{path}: a SQLite file, but no pool; it was left as it is")
    check_version(int.from_bytes(header[60:64], "big"), str(path))
