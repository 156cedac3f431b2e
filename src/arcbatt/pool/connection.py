"""Create, check and open the SQLite file of a pool.

A pool is created under a temporary name and then linked to its own, so that at any moment, and
after any crash, there is either a whole pool or no file. A file from elsewhere is opened only if
its tables, indexes and triggers are exactly those of a pool.
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

from platformdirs import user_data_path

from .errors import PoolError, explaining, is_busy

SCHEMA_VERSION = 1

IN_MEMORY = ":memory:"
# "ARCB" in the file's header distinguishes a pool from other SQLite files.
APPLICATION_ID = 0x41524342
_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
# The wait for other writing processes, whose transactions take milliseconds.
BUSY_TIMEOUT_S = 10
PATIENCE_S = 60
# Far more than any value of a pool has: a larger one raises an error before it fills the memory.
MAX_VALUE_BYTES = 16 * 2**20
# Tables that ANALYZE adds.
_STATISTICS_TABLES = ("sqlite_stat1", "sqlite_stat4")
PATH_VARIABLE = "ARCBATT_POOL"

Schema = frozenset[tuple[Any, ...]]


def default_path() -> Path:
    """Return the file that ARCBATT_POOL names, or `arcbatt/pool.db` in the user's data folder."""
    named = os.environ.get(PATH_VARIABLE)
    return Path(named) if named else user_data_path("arcbatt", appauthor=False) / "pool.db"


def open_connection(
    path: Path, *, create: bool, readonly: bool | None
) -> tuple[sqlite3.Connection, bool]:
    """Return a connection to the pool at `path`, and whether it is read-only.

    With `create`, a missing pool is created. `readonly` None opens a pool read-only if its file or
    folder is not writable; False raises `PoolError` for such a pool.
    """
    if not _exists(path):
        if not create or readonly:
            raise PoolError(f"{path}: no such pool; `arcbatt pool import --library` creates one")
        _create(path)
    check_header(path)
    is_writable = _is_writable(path)
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
        except BaseException:  # interrupts too
            connection.close()
            raise
    return connection, bool(readonly) or not is_writable


def open_in_memory() -> sqlite3.Connection:
    """Return a new pool that is lost when its connection is closed."""
    connection = _connect(IN_MEMORY)
    _create_tables(connection)
    return connection


def _exists(path: Path) -> bool:
    if str(path) == IN_MEMORY or str(path).startswith("file:"):
        raise PoolError(f"{path}: a pool is a file, and this is not a file name")
    try:
        return path.exists()
    except OSError as error:
        raise PoolError(f"{path}: cannot be read: {error.strerror}") from error


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(log_of(path).parent, os.W_OK)


def log_of(path: Path) -> Path:
    """Return the path of a pool's SQLite log, which is next to the file that a link points to."""
    real = Path(os.path.realpath(path))
    return real.with_name(real.name + "-wal")


def _connect(place: str, *, uri: bool = False) -> sqlite3.Connection:
    # Transactions are begun and ended explicitly: sqlite3 would begin them too late.
    connection = sqlite3.connect(place, timeout=BUSY_TIMEOUT_S, isolation_level=None, uri=uri)
    try:
        # A text that is not UTF-8 makes its row unreadable, not the pool.
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.execute("PRAGMA foreign_keys = ON")
        # A pool may come from elsewhere: its schema may only call SQLite's own functions.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:  # interrupts too
        connection.close()
        raise
    return connection


def _connect_unwritable(path: Path) -> sqlite3.Connection:
    """Return a connection to a pool in a folder where SQLite cannot create files."""
    log = log_of(path)
    # `immutable` would ignore the log's content.
    has_log = log.exists() and log.stat().st_size > 0
    return _connect(
        f"{path.absolute().as_uri()}?{'mode=ro' if has_log else 'immutable=1'}", uri=True
    )


def _prepare_for_writing(connection: sqlite3.Connection) -> None:
    # Every commit reaches the disk, so that a power cut does not lose it.
    connection.execute("PRAGMA synchronous = FULL")
    _retry(connection, "PRAGMA journal_mode = WAL")


def _retry(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """Execute a statement; retry while another process holds a lock."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return connection.execute(statement)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def begin(connection: sqlite3.Connection) -> None:
    """Begin a writing transaction as soon as no other one is active."""
    _retry(connection, "BEGIN IMMEDIATE")


def commit(connection: sqlite3.Connection) -> None:
    _retry(connection, "COMMIT")


def roll_back(connection: sqlite3.Connection) -> None:
    # SQLite rolls back some failed transactions itself.
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def _create(path: Path) -> None:
    """Create a pool at `path`, unless another process does so first."""
    if not path.parent.is_dir():
        raise PoolError(f"{path}: the folder {path.parent} does not exist; create it first")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    with explaining(str(path)):
        try:
            connection = _connect(str(temporary))
            try:
                _prepare_for_writing(connection)
                _create_tables(connection)
            finally:
                connection.close()
            _link(temporary, path)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass  # another process was first; its pool is as good
    except OSError:
        # The file system has no links; do not overwrite a pool that appeared meanwhile.
        if not path.exists():
            temporary.rename(path)


def _create_tables(connection: sqlite3.Connection) -> None:
    begin(connection)
    for statement in _statements((files("arcbatt.pool") / "schema.sql").read_text("utf-8")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    commit(connection)


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script one by one: `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


# --- checks ---


def check_header(path: Path) -> None:
    """Raise `PoolError` for a file that is not a pool of this version, before SQLite opens it."""
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "not a regular file"
        raise PoolError(f"{path}: this is {what}; a pool is a file")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise PoolError(f"{path}: cannot be read: {error.strerror}") from error
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        what = "an empty file" if not header else "not a SQLite file"
        raise PoolError(f"{path}: {what}, so not a pool; it was left unchanged")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise PoolError(f"{path}: a SQLite file, but not a pool; it was left unchanged")
    version = int.from_bytes(header[60:64], "big")
    if version != SCHEMA_VERSION:
        raise PoolError(
            f"{path}: a pool of version {version}, but this arcbatt reads version "
            f"{SCHEMA_VERSION}; it was left unchanged: use the arcbatt that created it, or export "
            "its programs with that one"
        )


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `PoolError` if tables, views or triggers differ: queries on them might never end."""
    if _read_schema(connection) != _expected_schema():
        raise PoolError(
            f"{path}: its tables, views or triggers are not those of a pool; it was left unchanged"
        )


def _read_schema(connection: sqlite3.Connection) -> Schema:
    cursor = _retry(connection, "SELECT type, name, tbl_name, sql FROM sqlite_master")
    return frozenset(
        (kind, name, table, " ".join(sql.split()) if isinstance(sql, str) else sql)
        for kind, name, table, sql in cursor
        if sql is not None and not (kind == "table" and name in _STATISTICS_TABLES)
    )


@cache
def _expected_schema() -> Schema:
    connection = open_in_memory()
    try:
        return _read_schema(connection)
    finally:
        connection.close()
