"""A pool from elsewhere: any content leads to a clear error or to rows left out."""

from __future__ import annotations

import os
import random
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arcbatt.pool import Pool, PoolError, PoolTrial, PoolWork, export_file, merge
from arcbatt.pool import connection as connection_module
from arcbatt.pool import store as store_module
from arcbatt.pool.connection import APPLICATION_ID, SCHEMA_VERSION
from arcbatt.tasks import find_task
from tests.conftest import best_of
from tests.pool.test_pool import key, row_of, trial_of
from tests.support.commands import Outcome, error_of

ESCAPE = "\x1b[31mred\x9b\r\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a pool with a row in every table."""
    path = tmp_path / "pool.db"
    with Pool.open(path) as pool:
        pool.add_programs([row_of(1), replace(row_of(2), parents=(key("parent"),)), row_of(3)])
        pool.record_trials(
            [
                trial_of(row_of(1), "a", 3, 1000, outputs=(((1,),), None), learns=True),
                trial_of(row_of(2), "a", 1, 500),
            ]
        )
        pool.mark_seen([key("seen")])
        pool.note_work([PoolWork.of(find_task("00d62c1b"), "learn", "cells", {"n": 1})])
        pool.set_state("round", 3)
        pool.results.put({(key("a"), key("b")): b"value"})
        connection = pool.store.connection
        connection.execute("INSERT INTO cards VALUES (1, 7, 32, 0, 1.0)")
        connection.execute("UPDATE programs SET card_id = 1 WHERE id = 2")
    return path


def tamper(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    """Change a pool against its constraints, without changing its schema."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        known = connection.execute("SELECT sql, name FROM sqlite_master WHERE sql NOT NULL")
        schema = known.fetchall()
        loosen = "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'"
        connection.execute(loosen)
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()
        connection.execute("PRAGMA writable_schema = ON")
        connection.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", schema)
        connection.commit()


def read_everything(path: Path, folder: Path) -> None:
    """Read a pool in every way; stop at a `PoolError`."""
    with Pool.open(path) as pool:
        list(pool.solvers())
        export_file(pool.programs(), folder / "programs.py")
        for summary in pool.summaries():
            pool.get(summary.digest)
            pool.trials_of(summary.digest)
        pool.summaries(task_name="a")
        list(pool.readable(pool.parents(per_task=5)))
        best_of(pool, key("a"))
        list(pool.trials())
        pool.work()
        pool.find("")
        pool.seen([key("seen"), row_of(1).digest])
        pool.results.get([(key("a"), key("b"))])
        pool.stats().to_json()
        pool.state("round")
    with Pool.in_memory() as mine:
        merge(mine, path)
        list(mine.trials())
    with Pool.open(path) as pool:
        pool.evict(0)
        pool.results.put({(key("c"), key("d")): b"more"})


def columns() -> list[tuple[str, str]]:
    with Pool.in_memory() as pool:
        rows = pool.store.connection.execute(
            """
            SELECT tables.name, columns.name
            FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table'
            """
        )
        return list(rows)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), columns())
def test_any_value_in_any_column(path: Path, table: str, column: str) -> None:
    before = path.read_bytes()
    for value in (None, ESCAPE * 100, b"\xff\x00", 1.5, -7, 2**63 - 1):
        path.write_bytes(before)
        try:
            tamper(path, f"UPDATE OR REPLACE {table} SET {column} = ?", values=(value,))
        except sqlite3.IntegrityError:
            continue  # what SQLite itself can never hold there
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                read_everything(path, path.parent)
            except PoolError as error:
                assert "\x1b" not in str(error) and len(str(error)) < 500
        messages = [str(each.message) for each in caught]
        assert all("\x1b" not in each and len(each) < 1000 for each in messages), messages


def test_damaged_bytes(path: Path) -> None:
    before, rng = path.read_bytes(), random.Random(3)
    for _ in range(30):
        content = bytearray(before)
        for _ in range(rng.randrange(1, 20)):
            content[rng.randrange(100, len(content))] = rng.randrange(256)
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_everything(path, path.parent)
            except PoolError as error:
                assert str(path) in str(error) or "in memory" in str(error)


# --- rows that cannot be read ---


def spoil_texts(path: Path) -> None:
    tamper(path, "UPDATE programs SET text = 'import os' WHERE id = 2")
    tamper(path, "UPDATE programs SET text = ? WHERE id = 3", values=(row_of(9).text,))


def test_programs_that_cannot_be_read_are_left_out_and_reported(path: Path) -> None:
    spoil_texts(path)
    reads: list[Callable[[Pool], object]] = [
        lambda pool: [each.name for each in pool.solvers()],
        lambda pool: [each.name for each in pool.programs()],
        lambda pool: [each.name for each in pool.summaries()],
    ]
    for read in reads:
        with (
            Pool.open(path) as pool,
            pytest.warns(RuntimeWarning, match=r"2 rows of .*pool\.db cannot be read and") as found,
        ):
            assert read(pool) == ["solve_1"]
        assert "solve_2: expected a program" in str(found[0].message)
        assert "solve_3: its text is not the program that its hash names" in str(found[0].message)
    with Pool.open(path) as pool:
        skipped: list[str] = []
        assert [each.name for each in pool.solvers(skipped.append)] == ["solve_1"]
        assert [each.partition(":")[0] for each in skipped] == ["solve_2", "solve_3"]
        with pytest.warns(RuntimeWarning, match="1 row of"):
            assert [row.name for row, _ in pool.readable(best_of(pool, key("a")))] == ["solve_1"]


def test_commands_report_rows_left_out(path: Path, tmp_path: Path) -> None:
    spoil_texts(path)
    listed = Outcome("pool", "list", "--pool", path)
    assert "solve_1" in listed.out and "solve_2" not in listed.out and listed.status == 0
    assert "2 rows of" in listed.err and "solve_2: expected a program" in listed.err
    file = tmp_path / "programs.py"
    exported = Outcome("pool", "export", file, "--pool", path)
    assert f"wrote 1 program of {path} to {file}" in exported.out
    assert "2 rows of" in exported.err
    merged = Outcome("pool", "merge", path, "--pool", tmp_path / "mine.db")
    assert f"2 rows of {path} left out:" in merged.err
    assert "solve_3: its text is not the program" in merged.err
    shown = Outcome("pool", "merge", path, "--pool", tmp_path / "mine.db", "--json").json
    assert [each["name"] for each in shown["rejected"]] == ["solve_2", "solve_3"]


def test_the_list_of_rejected_rows_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    with Pool.open(path) as pool:
        pool.add_programs([replace(row_of(number), text="no") for number in range(50)])
    with Pool.in_memory() as mine:
        count = merge(mine, path)
    assert count.n_rejected == 50 and len(count.rejected) == 20
    assert "and 30 more" in Outcome("pool", "merge", path, "--pool", tmp_path / "mine.db").err


def test_trials_and_work_that_cannot_be_read_are_left_out(path: Path) -> None:
    tamper(path, "UPDATE trials SET outputs = '[[[1, 77]]]'", "UPDATE work SET counts = '[1]'")
    with Pool.open(path) as pool:
        with pytest.warns(RuntimeWarning, match=r"solve_1: outputs: a grid: row 1, column 2"):
            assert list(pool.trials()) == []
        with pytest.warns(RuntimeWarning, match="cells: counts is of type list"):
            assert pool.work() == []


def test_control_characters_from_a_pool_are_escaped(path: Path, tmp_path: Path) -> None:
    tamper(
        path, "UPDATE programs SET origin = ?", "UPDATE tasks SET set_name = ?", values=(ESCAPE,)
    )
    tamper(path, "UPDATE programs SET name = ? WHERE id = 2", values=(ESCAPE * 100,))
    first = row_of(1).digest.hex()
    for command in (
        ["list"],
        ["list", "--json"],
        ["show", first],
        ["show", first, "--json"],
        ["show", ""],
        ["stats"],
        ["stats", "--json"],
        ["merge", str(path)],
        ["export", str(tmp_path / "out.py")],
        ["prune", "--keep", "0"],
    ):
        own = tmp_path / "mine.db" if command[0] == "merge" else path
        outcome = Outcome("pool", *command, "--pool", own)
        for printed in (outcome.out, outcome.err):
            assert not any(each in printed for each in ("\x1b", "\x9b", "\r")), command
            assert all(len(line) < 1000 for line in printed.splitlines())


# --- files that are refused ---


def foreign_file(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.commit()
    return path


def check_refused(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(PoolError, match="are not those of a pool; it was left unchanged"):
        Pool.open(path)
    with Pool.in_memory() as pool, pytest.raises(PoolError, match="not those of a pool"):
        merge(pool, path)
    assert "not those of a pool" in error_of("pool", "list", "--pool", path)
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n"


def test_a_view_in_place_of_a_table_is_refused(tmp_path: Path) -> None:
    check_refused(foreign_file(tmp_path / "pool.db", f"CREATE VIEW programs AS {ENDLESS}"))


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER more AFTER INSERT ON programs BEGIN DELETE FROM programs; END",
        f"CREATE VIEW more AS {ENDLESS}",
        "CREATE INDEX more ON programs (abs(n_calls))",
        "CREATE TABLE more (a)",
        "DROP TABLE state",
        "ALTER TABLE state ADD COLUMN more",
        "DROP TRIGGER cache_grows",
    ],
)
def test_any_other_schema_is_refused(path: Path, statement: str) -> None:
    check_refused(foreign_file(path, statement))


def test_sqlite_statistics_are_allowed(path: Path) -> None:
    foreign_file(path, "ANALYZE")
    with Pool.open(path) as pool:
        assert pool.n_programs == 3


def test_an_endless_query_is_interrupted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "FREE_TICKS", 3)
    with Pool.open(path) as pool:
        with pytest.raises(PoolError, match=r"pool\.db: a query takes longer than a pool of this"):
            list(pool.store.stream(f"SELECT count(*) FROM ({ENDLESS})"))
        monkeypatch.setattr(store_module, "FREE_ROWS", 100)
        with pytest.raises(PoolError, match="more rows than bytes"):
            list(pool.store.stream(ENDLESS))
        assert pool.n_programs == 3


def test_huge_values(path: Path) -> None:
    text = row_of(2).text + "# " + "x" * 5_000_000
    tamper(path, "UPDATE programs SET text = ? WHERE id = 2", values=(text,))
    with (
        Pool.open(path) as pool,
        pytest.warns(RuntimeWarning, match="solve_2: .* at most .* bytes"),
    ):
        assert [each.name for each in pool.solvers()] == ["solve_1", "solve_3"]
    tamper(path, "UPDATE programs SET text = ? WHERE id = 2", values=("x" * 20_000_000,))
    with Pool.open(path) as pool, pytest.raises(PoolError, match="too large for a pool"):
        list(pool.solvers())


@pytest.mark.parametrize("name", [":memory:", "file:pool.db", "file:pool.db?mode=memory"])
def test_special_names_of_sqlite_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for create in (True, False):
        with pytest.raises(PoolError, match="a pool is a file, and this is not"):
            Pool.open(name, create=create)
    with (
        Pool.in_memory() as pool,
        pytest.raises(PoolError, match="a pool is a file, and this is not"),
    ):
        merge(pool, Path(name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif("not hasattr(os, 'mkfifo')")
def test_a_pipe_is_not_a_pool(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pool.db")
    with pytest.raises(PoolError, match="not a regular file; a pool is a file"):
        Pool.open(tmp_path / "pool.db")


# --- read-only pools ---


@pytest.fixture
def unwritable(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a pool in a read-only folder, also if root runs the tests."""
    path.parent.chmod(0o555)
    monkeypatch.setattr(connection_module, "_is_writable", lambda _: False)
    return path


def test_a_pool_in_a_read_only_folder(unwritable: Path) -> None:
    before = unwritable.read_bytes()
    with Pool.open(unwritable) as pool:
        assert pool.is_readonly and pool.n_programs == 3
        assert len(list(pool.solvers())) == 3 and len(list(pool.trials())) == 1
        assert pool.results.get([(key("a"), key("b"))]) == {(key("a"), key("b")): b"value"}
        assert pool.stats().n_trials == 2
        assert [each.name for each in unwritable.parent.iterdir()] == ["pool.db"]
        with pytest.raises(PoolError, match=r"pool\.db: this pool is open read-only"):
            pool.add_programs([row_of(7)])
        with pytest.raises(PoolError, match="open read-only"):
            pool.results.put({})
    with Pool.in_memory() as mine:
        assert merge(mine, unwritable).n_programs == 3
    with pytest.raises(PoolError, match="the pool cannot be written to: check the permissions"):
        Pool.open(unwritable, readonly=False)
    assert unwritable.read_bytes() == before
    assert [each.name for each in unwritable.parent.iterdir()] == ["pool.db"]


def test_commands_on_a_read_only_pool(unwritable: Path) -> None:
    assert "3 of 3 programs" in Outcome("pool", "list", "--pool", unwritable).out
    assert Outcome("pool", "stats", "--pool", unwritable).status == 0
    for command in (["import", "--library"], ["prune", "--keep", "1"]):
        message = error_of("pool", *command, "--pool", unwritable)
        assert "cannot be written to" in message or "open read-only" in message


def test_the_log_of_another_process_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool.open(path) as writer:
        writer.add_programs([row_of(7)])
        monkeypatch.setattr(connection_module, "_is_writable", lambda _: False)
        with Pool.open(path) as pool:
            assert pool.is_readonly and pool.n_programs == 4


def test_a_link_to_a_pool_is_read_with_the_log_beside_the_pool(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "folder" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    with Pool.open(link) as writer:
        writer.add_programs([row_of(7)])
        monkeypatch.setattr(connection_module, "_is_writable", lambda _: False)
        with Pool.open(link) as pool:
            assert pool.n_programs == 4
    assert list(link.parent.iterdir()) == [link]


def test_opening_a_writable_pool_read_only(path: Path) -> None:
    before = path.read_bytes()
    with Pool.open(path, readonly=True) as pool:
        assert pool.is_readonly and pool.n_programs == 3
        with pytest.raises(PoolError, match="open read-only"):
            pool.record_trials([PoolTrial.of(row_of(1).digest, find_task("00d62c1b"), 1)])
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            pool.store.connection.execute("DELETE FROM programs")
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]
    with pytest.raises(PoolError, match="no such pool"):
        Pool.open(path.with_name("no.db"), readonly=True)
