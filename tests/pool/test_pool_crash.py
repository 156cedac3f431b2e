"""A pool whose writer is killed, and one with two writing processes."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arcbatt.pool import Pool
from tests.conftest import best_of
from tests.support.pool_writer import PROGRAMS_PER_WRITE, TASK, rows_of

ROUNDS = 12
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")


def start_writer(path: Path, name: str, n_writes: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.pool_writer", str(path), name, str(n_writes)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )


def check_sound(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def check_written(path: Path, name: str, numbers: list[int]) -> None:
    """Check that every acknowledged transaction is there, and none in part."""
    with Pool.open(path, create=False) as pool:
        scored = {each.program for each in best_of(pool, TASK, 10**6)}
        for number in numbers:
            wanted = {row.digest for row in rows_of(name, number)}
            assert pool.contains(wanted) == wanted, f"{name} {number} is lost"
            assert wanted <= scored
        last = {row.digest for row in rows_of(name, max(numbers, default=0) + 1)[:-1]}
        assert len(pool.contains(last)) in (0, PROGRAMS_PER_WRITE)


@pytest.mark.slow
def test_kill_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    waits = random.Random(4)
    for turn in range(ROUNDS):
        writer = start_writer(path, f"writer {turn}")
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(waits.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        acknowledged = [first, *writer.stdout.read().splitlines(keepends=True)]
        assert writer.wait() == -signal.SIGKILL
        numbers = [int(line) for line in acknowledged if line.endswith("\n")]
        assert numbers == list(range(1, len(numbers) + 1)) and numbers
        check_written(path, f"writer {turn}", numbers)
        check_sound(path)
    for fresh in tmp_path.glob("fresh-*.db"):
        with Pool.open(fresh, create=False) as pool:
            assert pool.n_programs in (0, PROGRAMS_PER_WRITE + 1)
        check_sound(fresh)


@pytest.mark.slow
def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pool.db"
    n_writes = 200
    writers = {name: start_writer(path, name, n_writes) for name in ("one", "another")}
    with Pool.open(path) as reader:  # and one that reads meanwhile
        while any(writer.poll() is None for writer in writers.values()):
            assert len(best_of(reader, TASK)) <= 10
            time.sleep(0.01)
    for name, writer in writers.items():
        out, _ = writer.communicate()
        assert writer.returncode == 0
        assert [int(line) for line in out.split()] == list(range(1, n_writes + 1))
        check_written(path, name, list(range(1, n_writes + 1)))
    check_sound(path)
    with Pool.open(path) as pool:
        assert pool.n_programs == n_writes * (2 * PROGRAMS_PER_WRITE + 1)
    assert list(tmp_path.iterdir()) == [path]
