"""The command `arcbatt run`, and `arcbatt profile run`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arcbatt.engine.gpu.devices import GpuError
from arcbatt.evaluation.program_run import ProgramRun
from arcbatt.language import Program, parse_program
from arcbatt.library import library_programs
from arcbatt.pool import Pool, PoolProgram, PoolTrial
from arcbatt.tasks import find_task
from tests.conftest import LIBRARY, best_of
from tests.measure.test_timing import phases_of
from tests.support.commands import RIGHT, Outcome, error_of, write

TASKS = ("--tasks", "67a3c6ac,68b16354")
ALONE = ("--no-library",)
OTHER = "def solve_68b16354(I):\n    return hmirror(I)\n"
DIFFER = "def differ_mine(S, I, output, target):\n    return equality(output, target)\n"


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a file of three programs, two of them in the library."""
    twice = "def solve_68b16354(I):\n    return vmirror(vmirror(vmirror(I)))\n"
    return write(tmp_path, RIGHT + OTHER + twice)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "mine.db"
    with Pool.open(path) as opened:
        opened.add_library()
    return path


def run(*args: object) -> Any:
    outcome = Outcome("run", "--json", *args)
    assert outcome.status == 0, outcome.err
    return outcome.json


def fitting_of(content: Any) -> dict[str, list[str]]:
    return {
        each["task"]: [program["name"] for program in each["fitted_by"]]
        for each in content["by_task"]
    }


def test_help_has_examples() -> None:
    out = Outcome("run", "--help").out
    assert "Examples" in out and "--pool" in out and " run " in Outcome("--help").out


def test_json(programs: Path) -> None:
    content = run("--program", programs, *ALONE, *TASKS)
    assert {key: content[key] for key in ("set", "tasks", "fitted", "programs", "calls")} == {
        "set": "arc-agi-1/training",
        "tasks": 2,
        "fitted": 2,
        "programs": 3,
        "calls": 4,
    }
    assert 0 < content["engine_s"] < content["wall_s"]
    assert fitting_of(content) == {
        "67a3c6ac": ["solve_67a3c6ac", "solve_68b16354"],
        "68b16354": ["solve_68b16354"],
    }
    assert content["ran_on"] == {"cpu": 3 * 2}
    assert not content["ended"]


def test_table(programs: Path) -> None:
    args = ("run", "--program", programs, *ALONE, *TASKS)
    outcome = Outcome(*args)
    assert outcome.status == 0 and outcome.err == ""
    assert "3 of 3 programs fit 2 of 2 tasks" in outcome.out
    assert "programs: 3 of files" in outcome.out
    assert "solve" not in outcome.out.replace("solve_", "")
    rows = [line.split() for line in outcome.out.splitlines()]
    assert ["67a3c6ac", "fits", "it", "solve_68b16354"] in rows
    (row,) = [each for each in rows if each[:2] == ["solve_68b16354", "3"]]
    assert row[2:6] == ["1", "not", "68b16354", "67a3c6ac"]
    assert "failed: wrong type" in outcome.out
    short = Outcome(*args, "--limit", "1").out
    assert "and 2 more; --limit 0 shows all" in short
    assert "more" not in Outcome(*args, "--limit", "0").out


def test_equal_programs_share_their_own_tasks() -> None:
    outcome = Outcome("run", "--tasks", "3c9b0459,6150a2bd", "--limit", "0")
    n_same = len(library_programs()) - len(LIBRARY)
    assert n_same and f"{n_same} are the same as others" in " ".join(outcome.out.split())
    rows = [line.split() for line in outcome.out.splitlines()]
    (row,) = [each for each in rows if "solve_3c9b0459" in each]
    assert "solve_6150a2bd" in row and row.count("3c9b0459") == row.count("6150a2bd") == 1
    assert "none does" not in outcome.out


def test_full_runs_on_every_demo(programs: Path) -> None:
    staged, full = (
        run("--program", programs, *ALONE, *TASKS, how) for how in ("--staged", "--full")
    )
    assert (staged["staged"], full["staged"]) == (True, False)
    assert fitting_of(full) == fitting_of(staged)
    # In stages, a program that misses the first demo is not run on the others.
    for in_stages, in_full in zip(staged["by_program"], full["by_program"], strict=True):
        assert in_full["steps"] > in_stages["steps"]


def test_the_library_is_run_by_default() -> None:
    content = run("--tasks", "67a3c6ac", "--tasks", "1cf80156")
    assert content["programs"] == len(LIBRARY)
    assert content["from"] == {"library": len(library_programs())}
    assert "solve_0b148d64" in fitting_of(content)["1cf80156"]  # written for another task
    assert "no program to run" in error_of("run", *ALONE, *TASKS)


def test_no_pool_is_used_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    run(*TASKS)
    assert not list(tmp_path.rglob("*.db*"))


def test_the_origins_of_programs_are_shown(pool: Path, programs: Path) -> None:
    args = ("--pool", pool, "--program", programs, *TASKS)
    n_library = len(library_programs())
    content = run(*args)
    assert content["from"] == {"library": n_library, "files": 3, str(pool): len(LIBRARY)}
    shown = " ".join(Outcome("run", *args).out.split())
    assert f"{n_library} of library, 3 of files, {len(LIBRARY)} of " in shown


def test_programs_of_a_pool_and_of_files_are_run(pool: Path, programs: Path) -> None:
    with Pool.open(pool) as opened:
        differ = PoolProgram.of(LIBRARY[0], "import", kind="differ")
        opened.add_programs([differ])
    n_library = len(LIBRARY)
    assert run("--pool", pool, *ALONE, *TASKS)["programs"] == n_library
    assert run("--pool", pool, *TASKS)["programs"] == n_library  # each once
    assert run("--pool", pool, "--program", programs, *TASKS)["programs"] == n_library + 1


def test_cached_results_are_not_computed_again(pool: Path, programs: Path) -> None:
    first = run("--pool", pool, *TASKS)
    again = run("--pool", pool, "--program", programs, *TASKS)
    assert (first["pairs_recalled"], again["pairs_recalled"]) == (0, first["pairs"])
    assert again["pairs"] == first["pairs"] + 2
    for name, fitting in fitting_of(first).items():
        assert set(fitting) <= set(fitting_of(again)[name])
    assert first["failures"] == run("--pool", pool, *TASKS)["failures"]
    outcome = Outcome("run", "--pool", pool, *TASKS, "--timing")
    assert f"{first['pairs']} of them from the cache" in " ".join(outcome.out.split())
    n_programs = first["programs"]
    assert ["results", str(n_programs), "0", "100.0%"] in [
        line.split()[:4] for line in outcome.err.splitlines()
    ]
    # A full run does not use the cache.
    assert run("--pool", pool, *TASKS, "--full")["pairs_recalled"] == 0


def test_differs_are_not_run(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT + DIFFER + DIFFER.replace("differ_", "solve_"))
    outcome = Outcome("run", "--program", path, *ALONE, *TASKS)
    assert outcome.status == 0 and "2 differs in the files not run" in outcome.err
    assert "1 of 1 program fit 1 of 2 tasks" in outcome.out
    assert "differs judge" in error_of("run", "--program", write(tmp_path, DIFFER), *ALONE)


def test_fits_without_a_test_output_are_marked(tmp_path: Path) -> None:
    pair = {"input": [[0, 3]], "output": [[0, 3]]}
    task = tmp_path / "made.json"
    task.write_text(json.dumps({"train": [pair], "test": [{"input": [[0, 0]]}]}))
    text = "def solve_made(I):\n    return paint(I, first(objects(I, T, F, T)))\n"
    outcome = Outcome("run", "--program", write(tmp_path, text), *ALONE, task)
    assert "made!" in outcome.out and "gives no output for a test input (1)" in outcome.err


# --- storing ---


def test_trials_are_stored(pool: Path, programs: Path) -> None:
    outcome = Outcome("run", "--pool", pool, "--program", programs, *TASKS, "--store")
    assert outcome.status == 0 and "trials kept in" in outcome.out
    with Pool.open(pool) as opened:
        assert opened.n_programs == len(LIBRARY) + 1
        task = bytes.fromhex(find_task("68b16354").digest)
        (best,) = best_of(opened, task)
        assert best.fits and best.credit == 1000 and best.name == "solve_68b16354"
    again = run("--pool", pool, "--program", programs, *TASKS, "--store")
    assert (again["stored_trials"], again["stored_programs"]) == (0, 0)  # none is better
    assert again["pool"] == str(pool)


def test_a_better_trial_in_the_pool_stays(pool: Path) -> None:
    program, task = LIBRARY[0].result.digest, find_task("67a3c6ac")
    with Pool.open(pool) as opened:
        opened.record_trials([PoolTrial.of(program, task, 2, credit=700)])
    run("--pool", pool, *TASKS, "--store")
    with Pool.open(pool) as opened:
        assert [(s.n_fitted, s.credit) for s in opened.trials_of(program)] == [(2, 700)]


def test_storing_creates_the_pool(tmp_path: Path, programs: Path) -> None:
    path = tmp_path / "new.db"
    args = ("--store", "--tasks", "0b148d64,67a3c6ac", "--program", programs)
    assert run("--pool", path, *args)["stored_trials"]
    with Pool.open(path, create=False) as opened:
        assert {row.origin for row in opened.programs()} == {"library", "import"}
        assert opened.stats().n_tasks_fitted == 2
    assert "name it with --pool" in error_of("run", *args)


def test_without_store_nothing_is_written(pool: Path) -> None:
    run("--pool", pool, *TASKS)
    with Pool.open(pool) as opened:
        assert opened.stats().n_trials == 0


# --- errors ---


def test_bad_files_are_reported_and_the_others_run(programs: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def solve_1(I):\n    return nosuch(I)\n")
    missing = tmp_path / "missing.py"
    args = ("--program", programs, "--program", bad, "--program", missing, *ALONE)
    outcome = Outcome("run", *args, *TASKS, "--json")
    assert outcome.status == 2 and outcome.json["programs"] == 3
    assert "unknown primitive nosuch" in outcome.err and "missing.py" in outcome.err
    error = error_of("run", "--program", bad, *ALONE, *TASKS)
    assert "no program to run" in error and "unknown primitive nosuch" in error


def test_an_empty_pool(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    Pool.open(path).close()
    error = error_of("run", "--pool", path, *ALONE, *TASKS)
    assert "no program to run" in error and "arcbatt pool import" in error


def test_an_invalid_program_in_the_pool(pool: Path) -> None:
    with Pool.open(pool) as opened:
        text = "UPDATE programs SET text = 'def f(I):\n    return old(I)\n' WHERE id = 1"
        opened._connection.execute(text)
    outcome = Outcome("run", "--pool", pool, *ALONE, *TASKS, "--json")
    assert outcome.status == 2 and outcome.json["programs"] == len(LIBRARY) - 1
    assert "unknown primitive old" in outcome.err


def test_unknown_names(tmp_path: Path, programs: Path) -> None:
    assert "is not a device" in error_of("run", "--device", "gpu")
    assert "did you mean 67a3c6ac" in error_of("run", "--tasks", "67a3c6ad")
    assert "no task set" in error_of("run", "nosuch")
    assert "no such" in error_of("run", "--pool", tmp_path / "no.db").lower()
    assert "--threads" in error_of("run", "--threads", "0")


def test_a_missing_gpu_is_reported_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise GpuError("there is none")

    monkeypatch.setattr("arcbatt.cli.lookup.device_count", none)
    assert "--device cuda: no GPU: there is none" in error_of("run", "--device", "cuda", *TASKS)
    monkeypatch.setattr("arcbatt.cli.lookup.device_count", lambda: 2)
    assert "there is no such GPU; 2 GPUs" in error_of("run", "--device", "cuda:2", *TASKS)


def test_an_interrupt_shows_the_results_so_far(monkeypatch: pytest.MonkeyPatch, pool: Path) -> None:
    real = ProgramRun.batts

    def interrupted(self: ProgramRun, programs: Iterable[Program]) -> Iterator[int]:
        for n_programs in real(self, programs):
            yield n_programs
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgramRun, "batts", interrupted)
    outcome = Outcome("run", "--pool", pool, *ALONE, "--json", "--store")
    content = outcome.json
    n_pairs = len(LIBRARY) * 400
    assert outcome.status == 130 and 0 < content["pairs"] < n_pairs
    assert content["ended"] and content["stored_trials"] > 0
    assert f"interrupted after {content['pairs']:,} of {n_pairs:,}" in outcome.err
    shown = Outcome("run", "--pool", pool, *ALONE)
    assert shown.status == 130 and "programs fit" in shown.out


def test_an_interrupted_run_names_the_right_total(
    monkeypatch: pytest.MonkeyPatch, pool: Path, programs: Path
) -> None:
    with Pool.open(pool) as opened:
        mine = parse_program("def mine(I):\n    return rot90(rot90(rot90(I)))\n")
        opened.add_programs([PoolProgram.of(mine, "import")])
        opened._connection.execute("UPDATE programs SET text = 'none' WHERE name = 'mine'")
    real = ProgramRun.batts

    def interrupted(self: ProgramRun, programs: Iterable[Program]) -> Iterator[int]:
        yield from real(self, programs)
        raise KeyboardInterrupt  # at the very end: all that there is was run

    monkeypatch.setattr(ProgramRun, "batts", interrupted)
    files, whole = ("--program", programs), ("--pool", pool)
    for sources in ((), files, whole, (*whole, *files), (*whole, *ALONE)):
        outcome = Outcome("run", *sources, *TASKS, "--json")
        n_pairs = outcome.json["pairs"]
        assert f"interrupted after {n_pairs:,} of {n_pairs:,} (program, task) pairs" in outcome.err


# --- profile ---


def test_profile_shows_primitives_inside_the_engine(programs: Path, tmp_path: Path) -> None:
    times = tmp_path / "time.json"
    args = ("run", "--program", programs, *ALONE, *TASKS, "--device", "cpu", "--full")
    outcome = Outcome("profile", "--json", times, *args)
    assert outcome.status == 0
    assert {"load", "fuse", "run", "score", "display", "sum"} <= set(phases_of(outcome.err))
    content = json.loads(times.read_text())
    (table,) = content["tables"]
    assert table["title"] in outcome.err
    assert table["columns"] == ["primitive", "calls", "seconds", "share", "ns per call"]
    rows = {row[0]: row[1:] for row in table["rows"]}
    # On every demo, and on the test inputs of the tasks that a program fits.
    mirror, flip = (find_task(name) for name in ("67a3c6ac", "68b16354"))
    n_demos = len(mirror.demos) + len(flip.demos)
    assert {name: row[0] for name, row in rows.items()} == {
        "vmirror": 3 * (n_demos + len(mirror.test_inputs)),
        "hmirror": n_demos + len(flip.test_inputs),
    }
    assert sum(row[2] for row in rows.values()) == pytest.approx(1)
    for n_calls, seconds, _, ns_a_call in rows.values():
        assert seconds > 0 and ns_a_call == round(seconds / n_calls * 1e9)


def test_timing_has_no_table_of_primitives(programs: Path) -> None:
    outcome = Outcome("run", "--program", programs, *TASKS, "--timing")
    assert "run" in phases_of(outcome.err) and "primitives" not in outcome.err
