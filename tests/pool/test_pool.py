"""The pool: programs, trials, selection, eviction, files, merging and caches."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt import measure
from arcbatt.language import (
    Program,
    ProgramError,
    ir,
    language_version,
    parse_file,
    parse_program,
)
from arcbatt.language import version as version_module
from arcbatt.pool import (
    NO_TASK,
    CacheLimit,
    Pool,
    PoolCard,
    PoolError,
    PoolProgram,
    PoolTrial,
    default_path,
    export_file,
    import_file,
    merge,
    task_key,
)
from arcbatt.pool import connection as connection_module
from arcbatt.tasks import find_task
from tests.conftest import LIBRARY, best_of
from tests.conftest import programs as random_programs


def program_of(number: int, kind: str = "solve") -> Program:
    """Return one of many distinct small programs."""
    constant = ir.constant(number)
    return Program(ir.call_node("fill", ir.input_node("I"), constant, constant), f"{kind}_{number}")


def row_of(number: int, **details: object) -> PoolProgram:
    return replace(PoolProgram.of(program_of(number), "splice"), **details)  # type: ignore[arg-type]


def key(name: str) -> bytes:
    return blake2b(name.encode(), digest_size=16).digest()


def trial_of(
    program: PoolProgram, task: str, n_fitted: int, credit: int = 0, steps: int = 10, **rest: Any
) -> PoolTrial:
    trial = PoolTrial(program.digest, key(task), task, "a set", n_fitted, 3, credit, steps)
    return replace(trial, **{"found_at": 1.0, **rest})


def ignore(_: object) -> None:
    pass


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool.in_memory() as opened:
        yield opened


@pytest.fixture
def rows() -> list[PoolProgram]:
    return [row_of(number) for number in range(6)]


# --- programs ---


def test_programs_come_back(pool: Pool) -> None:
    card = PoolCard(seed=7, size=32, generation=2, started_at=5.0)
    parent, other = row_of(1), row_of(2)
    child = PoolProgram.of(
        program_of(3), "splice", card=card, parents=(other.digest, parent.digest, key("gone"))
    )
    assert pool.add_programs([parent, other, child]) == 3
    found = pool.get(child.digest)
    assert found is not None
    assert (found.name, found.text, found.kind, found.n_calls) == (
        "solve_3",
        "def solve_3(I):\n    O = fill(I, THREE, THREE)\n    return O\n",
        "solver",
        1,
    )
    assert parse_program(found.text).result.digest == found.digest
    assert found.card == PoolCard(7, 32, 2, 5.0) and found.origin == "splice"
    assert found.parents == (other.digest, parent.digest, key("gone"))
    assert found.found_at == child.found_at and found.hash == program_of(3).hash
    assert pool.get(key("nothing")) is None and pool.n_programs == 3


def test_a_card_is_kept_once(pool: Pool) -> None:
    cards = [PoolCard(7, 32, 0, 5.0), PoolCard(7, 32, 0, 5.0), PoolCard(8, 32, 0, 5.0)]
    for number, card in enumerate(cards):
        pool.add_programs([row_of(number, card=card)])
    assert pool.stats().n_cards == 2


def test_a_known_program_stays_as_it_is(pool: Pool) -> None:
    first = row_of(1, parents=(key("a"),))
    assert pool.add_programs([first, replace(first, origin="later", parents=(key("b"),) * 2)]) == 1
    again = PoolProgram.of(Program(program_of(1).result, "renamed"), "import", parents=(key("c"),))
    assert pool.add_programs([again]) == 0
    found = pool.get(first.digest)
    assert found is not None and (found.name, found.origin) == ("solve_1", "splice")
    assert found.parents == (key("a"),)


def test_plain_programs_are_imported(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "programs.py"
    path.write_text("def solve_a(I):\n    return hmirror(I)\n")
    assert pool.add_programs(iter([program_of(1), *parse_file(path)])) == 2
    assert [(each.name, each.origin) for each in pool.programs()] == [
        ("solve_1", "import"),
        ("solve_a", "import"),
    ]
    with pytest.raises(TypeError, match=r"program 1: expected a program.*parse_program\(text\)"):
        pool.add_programs([program_of(1), "def f(I):\n    return I\n"])  # type: ignore[list-item]


def test_the_name_says_the_kind(pool: Pool) -> None:
    rows = [
        PoolProgram.of(program_of(1, "differ"), "import"),
        PoolProgram.of(program_of(2), "import"),
        PoolProgram.of(program_of(3), "import", kind="differ"),
    ]
    pool.add_programs(rows)
    assert [(each.name, each.kind) for each in pool.programs()] == [
        ("solve_2", "solver"),
        ("differ_1", "differ"),
        ("solve_3", "differ"),
    ]


def test_programs_that_could_not_be_parsed_again_are_refused() -> None:
    for name in ("", "two words", "def", "f(I): pass\ndef g"):
        with pytest.raises(ProgramError, match="not a valid program name"):
            PoolProgram.of(Program(program_of(1).result, name), "import")
    long = Program(ir.constant(tuple(range(200_000))))
    with pytest.raises(ProgramError, match="more than 1048576 bytes"):
        PoolProgram.of(long, "import")
    node = ir.input_node("I")
    for _ in range(10_001):
        node = ir.call_node("hmirror", node)
    with pytest.raises(ProgramError, match="more than 10000 lines"):
        PoolProgram.of(Program(node), "import")


def test_add_library(pool: Pool) -> None:
    assert pool.add_library() == len(LIBRARY) == pool.n_programs
    assert pool.add_library() == 0
    assert {each.digest for each in pool.programs()} == {each.result.digest for each in LIBRARY}
    assert pool.stats().by_origin == {"library": pool.n_programs}


def test_programs_are_found_by_their_first_digits(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    for row in rows:
        digits = row.digest.hex()
        for prefix in (digits, digits[:15], digits[:16].upper()):
            assert [each.digest for each in pool.find(prefix)] == [row.digest]
    assert len(pool.find("")) == len(rows)
    assert pool.find("0" * 33) == pool.find("xyz") == pool.find("'; DROP TABLE programs") == []


# --- trials and selection ---


def test_the_best_of_a_task_come_first(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    pool.record_trials(
        [
            trial_of(rows[0], "a", 1, 900),
            trial_of(rows[1], "a", 3, steps=50),
            trial_of(rows[2], "a", 3, steps=20),
            trial_of(rows[3], "a", 1, 950),
            trial_of(rows[4], "b", 2),
        ]
    )
    best = best_of(pool, key("a"))
    assert [each.program for each in best] == [rows[i].digest for i in (2, 1, 3, 0)]
    assert [(each.n_fitted, each.fits) for each in best[1:3]] == [(3, True), (1, False)]
    assert (best[0].task_name, best[0].set_name, best[0].steps) == ("a", "a set", 20)
    assert len(best_of(pool, key("a"), 2)) == 2
    assert best_of(pool, key("nowhere")) == []


def test_parents_are_the_best_of_every_task(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    pool.record_trials(
        [
            trial_of(rows[0], "a", 3),
            trial_of(rows[1], "a", 2),
            trial_of(rows[0], "b", 0, 700),
            trial_of(rows[2], "b", 1),
            trial_of(rows[3], "c", 0, 0),
            trial_of(rows[4], "d", 0, 800),
        ]
    )
    assert [(each.name, each.task_name) for each in pool.parents()] == [
        ("solve_0", "a"),
        ("solve_2", "b"),
        ("solve_4", "d"),
    ]
    assert [(each.name, each.task_name) for each in pool.parents(per_task=2)] == [
        ("solve_0", "a"),
        ("solve_1", "a"),
        ("solve_2", "b"),
        ("solve_4", "d"),
        ("solve_0", "b"),
    ]
    assert len(pool.parents(2, per_task=5)) == 2 and pool.parents(kind="differ") == []
    assert parse_program(pool.parents()[0].text) == program_of(0)


def test_a_second_trial_replaces_the_first(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    first = trial_of(rows[0], "a", 2, 100)
    assert pool.record_trials([first]) == 1

    def known() -> tuple[int, int, float]:
        (trial,) = pool.trials_of(rows[0].digest)
        return trial.n_fitted, trial.credit, trial.found_at

    pool.record_trials([replace(first, n_fitted=1, found_at=2.0)])
    assert known() == (1, 100, 1.0)
    pool.record_trials([replace(first, n_fitted=3, credit=50, found_at=3.0)])
    assert known() == (3, 50, 3.0)
    worse = replace(first, n_fitted=3, credit=40, found_at=4.0)
    assert pool.record_trials([worse], only_better=True) == 0
    assert pool.record_trials([replace(worse, credit=60)], only_better=True) == 1
    assert known() == (3, 60, 3.0)


def test_a_trial_without_its_program_is_ignored(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows[:1])
    assert pool.record_trials([trial_of(rows[0], "a", 1), trial_of(rows[1], "a", 1)]) == 1


def test_trials_of_a_task(pool: Pool, rows: list[PoolProgram]) -> None:
    task = find_task("00d62c1b")
    pool.add_programs(rows[:1])
    pool.record_trials([PoolTrial.of(rows[0].digest, task, 5, credit=1000, steps=77)])
    (best,) = best_of(pool, task_key(task))
    assert (best.task_name, best.set_name) == ("00d62c1b", "arc-agi-1/training")
    assert (best.n_fitted, best.fits, best.steps) == (5, True, 77)


@pytest.mark.parametrize(
    "wrong", [{"n_fitted": 4}, {"n_fitted": -1}, {"n_demos": 0}, {"credit": 1001}]
)
def test_a_wrong_trial_keeps_the_whole_batch_out(
    pool: Pool, rows: list[PoolProgram], wrong: dict[str, int]
) -> None:
    pool.add_programs(rows)
    bad = replace(trial_of(rows[1], "a", 1), **wrong)  # type: ignore[arg-type]
    with pytest.raises(PoolError, match="CHECK constraint"):
        pool.record_trials([trial_of(rows[0], "a", 1), bad])
    assert best_of(pool, key("a")) == [] and pool.stats().n_tasks == 0


def test_several_writes_are_one_transaction(pool: Pool, rows: list[PoolProgram]) -> None:
    with pytest.raises(KeyError), pool.writing():
        pool.add_programs(rows)
        pool.record_trials([trial_of(rows[0], "a", 1)])
        raise KeyError
    assert pool.n_programs == 0 and pool.stats().n_trials == 0
    with pool.writing():
        pool.add_programs(rows)
        pool.record_trials([trial_of(rows[0], "a", 1)])
    assert pool.n_programs == 6 and pool.stats().n_trials == 1


def test_a_failed_nested_write_is_undone_alone(pool: Pool, rows: list[PoolProgram]) -> None:
    with pool.writing():
        pool.add_programs(rows[:2])
        with pytest.raises(PoolError, match="CHECK constraint"):
            pool.add_programs([rows[2], replace(rows[3], digest=b"short")])
        pool.add_programs(rows[4:5])
    assert [each.name for each in pool.programs()] == ["solve_0", "solve_1", "solve_4"]


def test_a_locked_pool_raises_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[PoolProgram]
) -> None:
    monkeypatch.setattr(connection_module, "BUSY_TIMEOUT_S", 0)
    monkeypatch.setattr(connection_module, "PATIENCE_S", 0)
    path = tmp_path / "pool.db"
    with Pool.open(path) as pool, Pool.open(path) as other:
        with other.writing():
            other.add_programs(rows[:1])
            with pytest.raises(PoolError, match="another process keeps the pool locked"):
                pool.add_programs(rows)
            assert pool.n_programs == 0  # reading needs no lock
        assert pool.add_programs(rows) == 5


# --- seen and eviction ---


def test_seen(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows[:2])
    pool.mark_seen([rows[2].digest, rows[0].digest])
    assert pool.seen(row.digest for row in rows) == {row.digest for row in rows[:3]}
    assert pool.seen([]) == set()
    assert pool.stats().n_dropped == 1  # one that is kept is not dropped
    pool.add_programs([rows[2]])
    assert pool.stats().n_dropped == 0
    many = [key(str(number)) for number in range(5000)]
    pool.mark_seen(many[::2])
    assert pool.seen(many) == set(many[::2])


def test_eviction_keeps_the_best_of_each_task(pool: Pool) -> None:
    rows = [row_of(number) for number in range(8)]
    pool.add_programs(rows)
    pool.record_trials(
        [
            trial_of(rows[0], "a", 2),
            trial_of(rows[1], "a", 1, 900),
            trial_of(rows[2], "a", 1, 800, steps=5),
            trial_of(rows[3], "a", 1, 800, steps=6),  # the worst of "a"
            trial_of(rows[4], "a", 0, 999),  # and worse, but it leads in "b"
            trial_of(rows[4], "b", 1),
            trial_of(rows[5], "c", 3, steps=1),
            trial_of(rows[6], "c", 3, steps=2),
            trial_of(rows[6], "a", 0),  # solves "c"
        ]
    )
    assert pool.evict(3) == 1
    assert pool.get(rows[3].digest) is None
    assert [each.name for each in best_of(pool, key("a"))] == ["solve_0", "solve_1", "solve_2"]
    # It is not tried again, and its trial on the other task stays.
    assert pool.seen([rows[3].digest]) == {rows[3].digest}
    assert [each.task_name for each in pool.trials_of(rows[4].digest)] == ["b"]
    assert pool.evict(0) == 4
    # The programs that fit a task, and the one without trials.
    assert {each.name for each in pool.programs()} == {"solve_5", "solve_6", "solve_7"}
    assert pool.evict(0) == 0
    with pytest.raises(ValueError, match="fewer than 0"):
        pool.evict(-1)


def test_eviction_keeps_spared_programs(pool: Pool, rows: list[PoolProgram]) -> None:
    pool.add_programs(rows)
    pool.record_trials([trial_of(row, "a", 1) for row in rows])
    spared = {rows[0].digest, rows[2].digest}
    assert pool.evict(0, spared=spared) == len(rows) - 2
    assert {each.digest for each in pool.programs()} == spared
    assert pool.trials_of(rows[0].digest) == []


scores = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 5)),
    max_size=40,
)


@settings(max_examples=50)
@given(scores, st.integers(0, 4))
def test_eviction_follows_its_documentation(
    given: list[tuple[int, str, int, int]], keep: int
) -> None:
    with Pool.in_memory() as pool:
        rows = [row_of(number) for number in range(10)]
        pool.add_programs(rows)
        known = {(number, task): (n, steps) for number, task, n, steps in given}
        pool.record_trials(
            [trial_of(rows[i], task, n, steps=steps) for (i, task), (n, steps) in known.items()]
        )
        pool.evict(keep)
        left = {each.name for each in pool.programs()}
        for number in range(10):
            own = {task: rank for (i, task), rank in known.items() if i == number}
            solves = any(n == 3 for n, _ in own.values())
            among_best = any(
                sum(
                    (-n, steps, i) < (-rank[0], rank[1], number)
                    for (i, other), (n, steps) in known.items()
                    if other == task
                )
                < keep
                for task, rank in own.items()
            )
            assert (f"solve_{number}" in left) == (not own or solves or among_best)


# --- the file ---


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_pool_of_another_version_is_left_unchanged(tmp_path: Path, version: int) -> None:
    path = tmp_path / "pool.db"
    with Pool.open(path):
        pass
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(PoolError, match=rf"pool\.db: a pool of version {version}, but this .* 1;"):
        Pool.open(path)
    with Pool.in_memory() as pool, pytest.raises(PoolError, match="it was left unchanged"):
        merge(pool, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"def solve(I):\n", b"SQLite format 3\0", bytes(5000)])
def test_a_file_that_is_not_a_pool_is_left_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(PoolError, match="not a pool; it was left unchanged"):
        Pool.open(path)
    with Pool.in_memory() as pool, pytest.raises(PoolError, match="not a pool"):
        merge(pool, path)
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


def test_another_database_is_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE programs (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(PoolError, match="a SQLite file, but not a pool"):
        Pool.open(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_paths_without_a_pool(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="this is a folder"):
        Pool.open(tmp_path)
    with pytest.raises(PoolError, match="does not exist; create it first"):
        Pool.open(tmp_path / "no" / "pool.db")
    with pytest.raises(PoolError, match="no such pool"):
        Pool.open(tmp_path / "pool.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_pool_raises_an_error(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    with Pool.open(path) as pool:
        pool.add_library()
    content = bytearray(path.read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(PoolError, match=r"pool\.db: the pool is damaged"), Pool.open(path) as pool:
        list(pool.programs())


def test_a_pool_uses_wal_mode_and_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    with Pool.open(path) as pool:
        pool.add_library()
        assert {each.name for each in tmp_path.iterdir()} == {
            "pool.db",
            "pool.db-wal",
            "pool.db-shm",
        }
    assert list(tmp_path.iterdir()) == [path]
    assert sqlite3.connect(path).execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_pool_is_created_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr("os.link", refuse)
    with Pool.open(tmp_path / "pool.db") as pool:
        assert pool.n_programs == 0


def test_a_closed_pool_or_another_thread_raises_an_error(tmp_path: Path) -> None:
    with (
        Pool.open(tmp_path / "pool.db") as pool,
        ThreadPoolExecutor(1) as other,
        pytest.raises(PoolError, match="belongs to the thread that opened it; open another"),
    ):
        other.submit(lambda: list(pool.solvers())).result()
    with pytest.raises(PoolError, match=r"this pool is closed; Pool\.open opens it again"):
        list(pool.solvers())


def test_a_full_disk_only_undoes_the_failed_write(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    kept = [row_of(number) for number in range(50)]
    with Pool.open(path) as pool:
        pool.add_programs(kept)
        pages = pool._connection.execute("PRAGMA page_count").fetchone()[0]
        pool._connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        with pytest.raises(
            PoolError, match=r"pool\.db: the disk is full; nothing of this was written"
        ):
            pool.add_programs([row_of(number) for number in range(50, 5000)])
        assert pool.n_programs == 50
        pool._connection.execute("PRAGMA max_page_count = 1000000")
        pool.add_programs([row_of(50)])
    with Pool.open(path) as pool:
        assert pool.n_programs == 51


def test_the_default_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCBATT_POOL", "here.db")
    assert default_path() == Path("here.db")
    monkeypatch.delenv("ARCBATT_POOL")
    assert default_path().parts[-2:] == ("arcbatt", "pool.db")


@pytest.mark.skipif("sys.platform != 'linux'")
def test_the_default_path_follows_the_convention(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARCBATT_POOL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "arcbatt" / "pool.db"


# --- files of programs ---


def export_of(pool: Pool, path: Path) -> dict[bytes, str]:
    export_file(pool.programs(), path)
    with Pool.in_memory() as other:
        import_file(other, path, pytest.fail, ignore)
        return {each.digest: each.kind for each in other.programs()}


def test_exported_programs_can_be_imported(pool: Pool, tmp_path: Path) -> None:
    pool.add_library()
    pool.add_programs([PoolProgram.of(program_of(3), "splice", kind="differ")])
    pool.add_programs([PoolProgram.of(program_of(4, "differ"), "splice", kind="solver")])
    path = tmp_path / "programs.py"
    assert export_of(pool, path) == {each.digest: each.kind for each in pool.programs()}
    assert list(tmp_path.iterdir()) == [path]


@settings(max_examples=25)
@given(st.lists(st.tuples(random_programs, st.sampled_from(["solver", "differ"])), max_size=8))
def test_any_programs_survive_export_and_import(
    tmp_path_factory: pytest.TempPathFactory, given: Sequence[tuple[Program, str]]
) -> None:
    path = tmp_path_factory.mktemp("export") / "programs.py"
    with Pool.in_memory() as pool:
        pool.add_programs(
            [PoolProgram.of(program, "splice", kind=kind) for program, kind in given]  # type: ignore[arg-type]
        )
        assert export_of(pool, path) == {each.digest: each.kind for each in pool.programs()}


def test_import_counts_and_reports(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "programs.py"
    path.write_bytes(
        b"\xef\xbb\xbf# programs\r\n"
        b"def solve_a(I):\r\n    return hmirror(I)\r\n"
        b"def solve_b(I):\n    return hmiror(I)\n"
        b"def solve_c(I):\n    x1 = hmirror(I)\n    return x1\n"
        b"def differ_d(I):\n    return vmirror(I)"
    )
    rejected: list[ProgramError] = []
    read: list[int] = []
    count = import_file(pool, path, rejected.append, read.append)
    assert (count.n_added, count.n_known, count.n_rejected) == (2, 1, 1)
    (error,) = rejected
    assert str(error).startswith(f"{path}:5:12: unknown primitive hmiror")
    assert sum(read) == path.stat().st_size
    assert [(each.name, each.kind) for each in pool.programs()] == [
        ("solve_a", "solver"),
        ("differ_d", "differ"),
    ]


def test_import_continues_after_a_line_outside_programs(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "programs.py"
    path.write_text("import os\ndef solve_a(I):\n    return hmirror(I)\nZZ = 3\n")
    rejected: list[ProgramError] = []
    count = import_file(pool, path, rejected.append, ignore)
    assert (count.n_added, count.n_rejected) == (1, 2)
    assert [error.line for error in rejected] == [1, 4]


def test_import_rejects_programs_that_could_not_be_exported(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "programs.py"
    # Spaces make it longer than a program may be.
    lines = "\n".join("100000," * 1_000 for _ in range(140))
    path.write_text(f"# long\ndef solve_a(I):\n    return (\n{lines}\n    )\n")
    rejected: list[ProgramError] = []
    count = import_file(pool, path, rejected.append, ignore)
    assert (count.n_added, count.n_rejected) == (0, 1)
    assert str(rejected[0]).startswith(f"{path}:2:1: written with one call per line")


def test_files_that_cannot_be_read(pool: Pool, tmp_path: Path) -> None:
    path = tmp_path / "programs.py"
    with pytest.raises(ProgramError, match="cannot be read: No such file"):
        import_file(pool, path, ignore, ignore)
    path.write_bytes(b"def solve(I):\n    return I\n# \xff\n")
    with pytest.raises(ProgramError, match=r"programs\.py:3:3: is not UTF-8 text"):
        import_file(pool, path, ignore, ignore)


# --- merge ---


def pool_at(path: Path, rows: Sequence[PoolProgram], trials: Sequence[PoolTrial]) -> Path:
    with Pool.open(path) as pool:
        pool.add_programs(rows)
        pool.record_trials(trials)
    return path


def test_merge_adds_missing_rows_and_keeps_better_trials(tmp_path: Path) -> None:
    rows = [row_of(number, found_at=float(number)) for number in range(4)]
    child = replace(rows[3], parents=(rows[0].digest, rows[2].digest))
    other = pool_at(
        tmp_path / "other.db",
        [rows[1], rows[2]],
        [trial_of(rows[1], "a", 3, steps=5), trial_of(rows[2], "a", 1)],
    )
    with Pool.open(other) as pool:
        pool.add_programs([replace(child, card=PoolCard(5, 8, 1, 2.0))])
        pool.mark_seen([key("seen")])
    before = other.read_bytes()
    mine = pool_at(
        tmp_path / "mine.db",
        [rows[0], rows[1], rows[2]],
        [trial_of(rows[1], "a", 2), trial_of(rows[2], "a", 2)],
    )
    with Pool.open(mine) as pool:
        pool.add_programs([row_of(9, card=PoolCard(1, 1, 1, 1.0))])
        count = merge(pool, other)
        assert (count.n_programs, count.n_trials, count.n_rejected) == (1, 1, 0)
        assert [(each.name, each.n_fitted) for each in best_of(pool, key("a"))] == [
            ("solve_1", 3),
            ("solve_2", 2),
        ]
        found = pool.get(child.digest)
        assert found is not None and found.card == PoolCard(5, 8, 1, 2.0)
        assert (found.parents, found.found_at) == (child.parents, 3.0)
        assert pool.seen([key("seen")]) == {key("seen")}
        again = merge(pool, other)
        assert (again.n_programs, again.n_trials) == (0, 0)
    assert other.read_bytes() == before


def test_a_pool_to_merge_may_be_named_by_text(pool: Pool, tmp_path: Path) -> None:
    path = pool_at(tmp_path / "other.db", [row_of(1)], [])
    assert merge(pool, str(path)).n_programs == 1


def test_merge_checks_digests(tmp_path: Path) -> None:
    good, bad = row_of(1), row_of(2)
    rows = [
        good,
        replace(bad, digest=key("other")),
        replace(row_of(3), text="import os\nos.abort()\n"),
    ]
    other = pool_at(tmp_path / "other.db", rows, [trial_of(rows[1], "a", 3)])
    with Pool.in_memory() as pool:
        count = merge(pool, other)
        assert (count.n_programs, count.n_trials, count.n_rejected) == (1, 0, 2)
        assert best_of(pool, key("a")) == []
        assert [(each.name, each.why.split(";")[0]) for each in count.rejected] == [
            ("solve_2", "its text is not the program that its hash names"),
            ("solve_3", "expected a program: def solve_...(I):"),
        ]


def test_merge_needs_two_pools(tmp_path: Path) -> None:
    path = pool_at(tmp_path / "pool.db", [], [])
    with Pool.open(path) as pool:
        with pytest.raises(PoolError, match="into itself"):
            merge(pool, path)
        with pytest.raises(PoolError, match="no such pool"):
            merge(pool, tmp_path / "no.db")


# --- caches ---


def test_a_cache_returns_stored_values(pool: Pool) -> None:
    a, b = (key("a"), key("task")), (key("b"), NO_TASK)
    assert pool.results.get([a, b]) == {}
    pool.results.put({a: b"one", b: b""})
    assert pool.results.get([a, b, a]) == {a: b"one", b: b""}
    pool.results.put({a: b"two"})
    assert pool.results.get([a]) == {a: b"two"}
    assert (pool.results.use.n_hits, pool.results.use.n_misses) == (4, 2)
    assert pool.results.use.hit_rate == pytest.approx(4 / 6)


def test_a_full_cache_drops_the_least_recently_used_values() -> None:
    keys = [(key(str(number)), NO_TASK) for number in range(6)]
    with Pool.in_memory(cache_limit=CacheLimit(rows=3, bytes=10)) as pool:
        cache = pool.results
        for each in keys[:3]:
            cache.put({each: b"abc"})
        cache.get([keys[0]])
        cache.put({keys[3]: b"abc"})
        assert set(cache.get(keys)) == {keys[0], keys[2], keys[3]}
        cache.put({keys[4]: b"12345678"})  # bytes are bounded too
        assert set(cache.get(keys)) == {keys[4]}
        cache.put({keys[5]: b"x" * 11})  # larger than the whole cache
        assert cache.get(keys) == {}
        stats = pool.stats().caches["results"]
        assert (stats.n_rows, stats.n_bytes) == (0, 0)
    with pytest.raises(ValueError, match="negative"):
        CacheLimit(rows=-1)


def test_another_version_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pool.db"
    entry = (key("a"), key("task"))
    with Pool.open(path) as pool:
        pool.results.put({entry: b"old"})
    with monkeypatch.context() as patch:
        patch.setattr("arcbatt.pool.cache.language_version", lambda: "another")
        with Pool.open(path) as pool:
            assert pool.results.get([entry]) == {}
            pool.results.put({entry: b"new"})
    with Pool.open(path) as pool:
        assert pool.results.get([entry]) == {entry: b"old"}
        assert pool.results.forget_other_versions() == 1
        assert pool.stats().caches["results"].n_rows == 1


def test_cache_use_is_measured_and_stored(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    entry = (key("a"), NO_TASK)
    for _ in range(2):
        with Pool.open(path) as pool:
            pool.results.get([entry])
            pool.results.put({entry: b"Grid"})
            pool.results.get([entry, entry])
    with Pool.open(path) as pool:
        stats = pool.stats().caches["results"]
    assert (stats.n_hits, stats.n_misses, stats.n_rows, stats.n_bytes) == (5, 1, 1, 4)
    assert stats.seconds > 0


def test_cache_use_is_shown_with_the_times() -> None:
    clock = measure.Clock()
    with clock.active(), Pool.in_memory() as pool:
        pool.results.get([(key("a"), NO_TASK)])
    (table,) = clock.report().tables
    assert table.title == "caches" and table.rows[0][:4] == ("results", 0, 1, 0.0)
    clock = measure.Clock()
    with clock.active(), Pool.in_memory():
        pass
    assert clock.report().tables == ()


# --- the version of the language ---


def test_the_language_has_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version_of(**sources: str) -> str:
        folder = tmp_path / "language"
        (folder / "primitives").mkdir(parents=True, exist_ok=True)
        for name, text in sources.items():
            (folder / f"{name.replace('_in_', '/')}.py").write_bytes(text.encode())
        monkeypatch.setattr(version_module, "__file__", str(folder / "version.py"))
        return language_version.__wrapped__()

    assert len(language_version()) == 32 and language_version() == language_version()
    first = version_of(values="a\nb", primitives_in_grids="def hmirror", parse="x", text="y")
    assert first == version_of(parse="z", text="z")
    assert first == version_of(values="a\r\nb")
    changed = version_of(primitives_in_grids="def hmirrored")
    assert changed != first and version_of(values="a") not in (first, changed)
