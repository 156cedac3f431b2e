"""The command `arcbatt pool`."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolProgram, PoolTrial, transfer
from arcbatt.tasks import find_task
from tests.conftest import LIBRARY
from tests.pool.test_pool import key, program_of, row_of, trial_of
from tests.support.commands import RIGHT, Outcome, error_of
from tests.support.search import default_signals

COMMANDS = ("list", "show", "import", "export", "prune", "stats", "merge")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pool.db"


@pytest.fixture
def full(path: Path) -> Path:
    """Return a pool with three generations of programs and trials on two tasks."""
    parent, other = row_of(1), row_of(2)
    child = PoolProgram.of(
        program_of(3), "splice", parents=(parent.digest, other.digest, key("gone"))
    )
    grandchild = PoolProgram.of(program_of(4), "crossover", parents=(child.digest, parent.digest))
    with Pool.open(path) as pool:
        pool.add_programs([parent, other, child, grandchild])
        pool.record_trials(
            [
                trial_of(parent, "a", 1, 500),
                trial_of(other, "a", 1, 400),
                trial_of(child, "a", 3, 1000, steps=12345),
                PoolTrial.of(child.digest, find_task("00d62c1b"), 2),
            ]
        )
    return path


def test_help_has_examples_and_says_where_the_pool_is() -> None:
    out = Outcome("pool", "--help").out
    assert "Examples" in out and " pool " in Outcome("--help").out
    for command in COMMANDS:
        assert f" {command} " in out
        assert "ARCBATT_POOL" in Outcome("pool", command, "--help").out


def test_list(full: Path) -> None:
    out = Outcome("pool", "list", "--pool", full).out
    lines = [line.split() for line in out.splitlines()]
    child = program_of(3).hash[:12]
    assert [child, "solve_3", "1", "1", "3", "1,000", "splice"] in lines
    assert lines.index(next(line for line in lines if child in line)) == 3
    assert f"4 of 4 programs in {full}" in out
    shown = Outcome("pool", "list", "--pool", full, "--json", "--limit", "1").json
    assert shown["total"] == 4 and shown["pool"] == str(full)
    assert shown["programs"] == [
        {
            "hash": program_of(3).hash,
            "name": "solve_3",
            "kind": "solver",
            "calls": 1,
            "fits": 1,
            "best_fitted": 3,
            "best_credit": 1000,
            "origin": "splice",
        }
    ]
    assert (
        len(Outcome("pool", "list", "--pool", full, "--limit", "0", "--json").json["programs"]) == 4
    )


def test_list_of_a_task(full: Path) -> None:
    shown = Outcome("pool", "list", "--pool", full, "--task", "00d62c1b", "--json").json
    assert [(each["name"], each["best_fitted"]) for each in shown["programs"]] == [("solve_3", 2)]
    out = Outcome("pool", "list", "--pool", full, "--task", "nowhere").out
    assert out == f"0 with a trial on nowhere of 4 programs in {full}\n"


def test_show(full: Path) -> None:
    out = Outcome("pool", "show", program_of(3).hash[:8], "--pool", full).out
    assert "O = fill(I, THREE, THREE)" in out and program_of(3).hash in out
    assert "3 of 3" in out and "12,345" in out and "00d62c1b" in out
    assert "solve_1" in out and "not in the pool" in out
    shown = Outcome("pool", "show", program_of(3).hash, "--pool", full, "--json").json
    assert shown["parents"][:2] == [program_of(1).hash, program_of(2).hash]
    assert [(each["task"], each["fits"]) for each in shown["trials"]] == [
        ("a", True),
        ("00d62c1b", False),
    ]
    tree = Outcome("pool", "show", program_of(4).hash, "--pool", full).out
    assert tree.count("solve_1") == 2 and "from splice" in tree


def test_show_draws_a_circle_of_parents_once(path: Path) -> None:
    first, second = row_of(1), row_of(2)
    with Pool.open(path) as pool:
        pool.add_programs(
            [
                PoolProgram.of(program_of(1), "splice", parents=(second.digest,)),
                PoolProgram.of(program_of(2), "splice", parents=(first.digest,)),
            ]
        )
    assert "..." in Outcome("pool", "show", first.digest.hex(), "--pool", path).out


def test_show_reports_no_or_several_matches(full: Path) -> None:
    assert f"no program in {full} has the name, or a hash that starts with, xyz" in error_of(
        "pool", "show", "xyz", "--pool", full
    )
    message = error_of("pool", "show", "", "--pool", full)
    assert "give more digits" in message and program_of(3).hash in message


def test_show_takes_a_name_that_one_program_has(full: Path) -> None:
    shown = Outcome("pool", "show", "solve_3", "--pool", full, "--json").json
    assert shown["hash"] == program_of(3).hash
    with Pool.open(full) as pool:
        named = [replace(PoolProgram.of(program_of(n), "import"), name="twice") for n in (8, 9)]
        pool.add_programs(named)
    message = error_of("pool", "show", "twice", "--pool", full)
    assert "more than one program" in message and "give more digits of a hash" in message
    assert all(program_of(n).hash in message for n in (8, 9))


def test_import_the_library(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_programs, n_alike = len(LIBRARY), len(library_programs()) - len(LIBRARY)
    outcome = Outcome("pool", "import", "--library", "--pool", path)
    assert outcome.status == 0
    assert outcome.out == (
        f"{n_programs} added, {n_alike} the same as another, 0 rejected; "
        f"{n_programs} programs in {path}\n"
    )
    again = Outcome("pool", "import", "--library", "--pool", path, "--json").json
    assert (again["added"], again["known"], again["total"]) == (0, n_programs + n_alike, n_programs)
    monkeypatch.setenv("ARCBATT_POOL", str(path))
    assert Outcome("pool", "stats", "--json").json["n_programs"] == n_programs


def test_the_default_pool_is_created_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCBATT_POOL", str(tmp_path / "data" / "arcbatt" / "pool.db"))
    assert "no such pool; `arcbatt pool import --library` creates one" in error_of("pool", "list")
    assert Outcome("pool", "import", "--library").status == 0
    assert Outcome("pool", "list").status == 0


def test_import_continues_after_an_invalid_program(tmp_path: Path, path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(RIGHT)
    bad.write_text("def solve_a(I):\n    return hmiror(I)\n\n\ndef solve_b(I):\n    return I\n")
    outcome = Outcome("pool", "import", bad, tmp_path / "no.py", good, good, "--pool", path)
    assert outcome.status == 2
    assert outcome.out == f"2 added, 1 the same as another, 1 rejected; 2 programs in {path}\n"
    assert f"{bad}:2:12: unknown primitive hmiror; did you mean hmirror?" in outcome.err
    assert "no.py: cannot be read" in outcome.err


def test_import_of_a_lone_carriage_return(tmp_path: Path, path: Path) -> None:
    file = tmp_path / "programs.py"
    file.write_bytes(b"def solve_a(I):\r    return old(I)\ndef solve_b(I):\r\n    return I\r\n")
    outcome = Outcome("pool", "import", file, "--pool", path)
    assert outcome.status == 2
    assert outcome.out == f"1 added, 0 the same as another, 1 rejected; 1 program in {path}\n"
    assert f"{file}:1:16: not readable as a program: a carriage return" in outcome.err


def test_a_strict_import_is_all_or_nothing(tmp_path: Path, path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(RIGHT)
    bad.write_text("def solve_a(I):\n    return hmiror(I)\n")
    message = error_of("pool", "import", good, bad, "--strict", "--pool", path)
    assert "hmiror" in message and "Nothing was imported" in message and not path.exists()
    assert Outcome("pool", "import", good, "--strict", "--pool", path).status == 0


def test_import_needs_something(path: Path) -> None:
    assert "--library" in error_of("pool", "import", "--pool", path)


def test_export_and_import_again(tmp_path: Path, full: Path) -> None:
    file, other = tmp_path / "programs.py", tmp_path / "other.db"
    outcome = Outcome("pool", "export", file, "--pool", full)
    assert (outcome.status, outcome.out) == (0, f"wrote 4 programs of {full} to {file}\n")
    assert Outcome("pool", "import", file, "--pool", other).status == 0
    hashes = [
        {each["hash"] for each in Outcome("pool", "list", "--pool", at, "--json").json["programs"]}
        for at in (full, other)
    ]
    assert hashes[0] == hashes[1]
    assert "no such file" in error_of("pool", "export", tmp_path / "no" / "a.py", "--pool", full)


def test_prune(full: Path) -> None:
    assert Outcome("pool", "prune", "--keep", "2", "--pool", full, "--json").json == {
        "pool": str(full),
        "evicted": 1,
        "forgotten": 0,
        "total": 3,
    }
    assert (
        f"0 programs evicted, 3 left in {full}"
        in Outcome("pool", "prune", "--keep", "2", "--pool", full).out
    )
    assert "--keep" in error_of("pool", "prune", "--pool", full)


def test_stats(full: Path) -> None:
    with Pool.open(full) as pool:
        pool.results.get([(key("a"), b"")])
    shown = Outcome("pool", "stats", "--pool", full, "--json").json
    keys = ("n_programs", "n_tasks", "n_tasks_fitted", "n_trials", "n_work")
    assert [shown[key] for key in keys] == [4, 2, 1, 4, 0]
    assert shown["by_origin"] == {"splice": 3, "crossover": 1}
    assert (shown["caches"]["results"]["n_hits"], shown["caches"]["results"]["n_misses"]) == (0, 1)
    out = Outcome("pool", "stats", "--pool", full).out
    assert "2 seen, 1 that a program fits" in out and "results" in out


def test_merge(tmp_path: Path, full: Path) -> None:
    mine = tmp_path / "mine.db"
    outcome = Outcome("pool", "merge", full, "--pool", mine)
    assert (outcome.status, outcome.out) == (
        0,
        f"4 programs and 4 trials added; 4 programs in {mine}\n",
    )
    again = Outcome("pool", "merge", full, "--pool", mine, "--json").json
    assert again == {
        "pool": str(mine),
        "programs": 0,
        "trials": 0,
        "n_rejected": 0,
        "rejected": [],
        "total": 4,
    }
    assert "into itself" in error_of("pool", "merge", full, "--pool", full)


def interrupt_after_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C, twice, when programs have been added for the first time."""
    add = Pool.add_programs

    def interrupted(self: Pool, programs: Sequence[PoolProgram]) -> int:
        n_added = add(self, programs)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return n_added

    monkeypatch.setattr(Pool, "add_programs", interrupted)
    monkeypatch.setattr(transfer, "BATCH", 3)


@pytest.mark.parametrize("command", ["import", "merge"])
def test_an_interrupted_command_can_be_repeated(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: Path, full: Path
) -> None:
    source = full
    if command == "import":
        source = tmp_path / "programs.py"
        assert Outcome("pool", "export", source, "--pool", full).status == 0
    new = tmp_path / "new.db"
    with monkeypatch.context() as patch, default_signals():
        interrupt_after_one_batch(patch)
        outcome = Outcome("pool", command, source, "--pool", new)
    assert (outcome.status, outcome.out) == (130, "")
    assert (
        outcome.err == "note: interrupted; 3 programs were added, the same command adds the rest\n"
    )
    again = Outcome("pool", command, source, "--pool", new)
    assert again.status == 0 and "4 programs in" in again.out


def test_a_file_that_is_not_a_pool_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(json.dumps({}))
    for command in (["list"], ["stats"], ["import", "--library"], ["prune", "--keep", "1"]):
        assert "not a pool; it was left unchanged" in error_of("pool", *command, "--pool", file)


@pytest.mark.parametrize(
    ("columns", "headings", "left_out"),
    [
        (40, "hash program fits", "calls, credit, from, most demos"),
        (60, "hash program fits most demos from", "calls, credit"),
        (80, "hash program calls fits most demos credit from", ""),
    ],
)
def test_a_list_drops_columns_without_room(
    full: Path, columns: int, headings: str, left_out: str
) -> None:
    shown = Outcome("pool", "list", "--pool", full, columns=columns).out
    lines = [line.rstrip() for line in shown.splitlines() if line.strip()]
    assert lines[0].split() == headings.split()
    assert max(map(len, lines[:5])) <= columns  # its head and three rows
    said = " ".join(shown.split())
    assert ("columns omitted" in said) == bool(left_out)
    assert f"columns omitted: {left_out}; --json has all" in said or not left_out
