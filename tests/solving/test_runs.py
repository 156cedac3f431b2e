"""`arcbatt runs`: runs listed, compared and removed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.solving.run_folder import RunFolderError
from arcbatt.solving.runs import compare_runs, list_runs, remove_run, summarize_run
from tests.support.commands import Outcome

SET = "arc-agi-1/training"
QUICK = ("--budget", "1h", "--rounds", "1", "--device", "cpu", "--threads", "1", "--no-explain")


def arcbatt(*args: object, **options: Any) -> Any:
    return CliRunner().invoke(app, [*map(str, args)], env={"COLUMNS": "200"}, **options)


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two runs over the same two tasks, with and without the bundled solvers."""
    base = tmp_path_factory.mktemp("runs")
    chosen = (SET, "--tasks", "67a3c6ac,00d62c1b", "--proposers", "known", *QUICK)
    for more in ((), ("--no-library",)):
        assert arcbatt("solve", *chosen, *more, "--out", base).exit_code == 0
    return base


@pytest.fixture(scope="module")
def paths(two_runs: Path) -> tuple[Path, Path]:
    """The run with the bundled solvers, and that without."""
    both = sorted(two_runs.iterdir(), key=lambda path: summarize_run(path).n_fitted or 0)
    return both[1], both[0]


def test_runs_are_listed(two_runs: Path, paths: tuple[Path, Path]) -> None:
    ended = arcbatt("runs", "list", "--out", two_runs)
    assert ended.exit_code == 0 and "2 runs in" in ended.stdout
    assert all(path.name in ended.stdout for path in paths)
    content = json.loads(arcbatt("runs", "list", "--out", two_runs, "--json").stdout)
    assert content["total"] == 2
    rows = {row["run"]: row for row in content["runs"]}
    assert rows[str(paths[0])]["fits"] == 2 and rows[str(paths[1])]["fits"] == 1
    assert not any(row["running"] for row in content["runs"])
    assert "1 not shown" in arcbatt("runs", "list", "--out", two_runs, "--limit", 1).stdout
    assert "0 runs" in arcbatt("runs", "list", "--out", two_runs / "nowhere").stdout
    narrow = Outcome("runs", "list", "--out", two_runs, columns=40).out
    assert narrow.splitlines()[1].split() == ["run", "fits", "time"]
    assert "columns omitted: seed, size, tasks of; --json has all" in " ".join(narrow.split())
    refused = arcbatt("runs", "list", "--out", paths[0] / "config.json")
    assert refused.exit_code == 2 and "is not a folder of runs" in refused.stderr


def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text("{}")
    found, troubles = list_runs(tmp_path)
    assert not found and len(troubles) == 1
    with pytest.raises(RunFolderError):
        remove_run(tmp_path / "odd")
    assert (tmp_path / "odd").exists()


def test_a_damaged_run_stays_and_cleaning_says_so(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text("{}")
    cleaned = arcbatt("runs", "clean", "--keep", 0, "--out", tmp_path, "--yes")
    assert cleaned.exit_code == 0 and "nothing to remove" in cleaned.stdout
    said = " ".join(cleaned.stderr.split())
    assert "kept, and not counted" in said and "odd" in said
    assert "remove its folder by hand" in said
    assert (tmp_path / "odd").exists()


def test_files_that_are_replaced_meanwhile_do_not_count(
    paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = summarize_run(paths[0]).n_bytes
    found = [*paths[0].rglob("*"), paths[0] / "gone"]
    monkeypatch.setattr(Path, "rglob", lambda _path, _pattern: iter(found))
    monkeypatch.setattr(Path, "is_file", lambda path: not path.is_dir())
    assert summarize_run(paths[0]).n_bytes == before


def test_a_folder_that_cannot_be_written_to_has_no_process(
    paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_lock: FileLock) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(FileLock, "_acquire", refuse)
    assert not summarize_run(paths[0]).is_running


def test_two_runs_are_compared(paths: tuple[Path, Path]) -> None:
    tasks = {task.task_id: task for task in compare_runs(*paths)}
    assert tasks["00d62c1b"].fits == (True, False) and tasks["67a3c6ac"].fits == (True, True)
    assert tasks["67a3c6ac"].same_attempts and not tasks["00d62c1b"].same_attempts
    shown = arcbatt("runs", "compare", *paths).stdout
    assert "of 2 tasks 1 fitted by both, 1 by the first alone" in shown and "00d62c1b" in shown
    content = json.loads(arcbatt("runs", "compare", *paths, "--score", "--json").stdout)
    assert (content["both"], content["first"], content["by"]) == (
        ["67a3c6ac"],
        ["00d62c1b"],
        "right",
    )
    assert content["second"] == content["neither"] == [] and content["same_attempts"] == 1


def test_the_score_of_a_run_is_over_its_own_tasks(paths: tuple[Path, Path]) -> None:
    ended = arcbatt("score", paths[1])
    assert "1 of 2 tasks solved" in ended.stdout and "not in the submission" not in ended.stderr
    assert re.search(r"1 task wrong", ended.stdout) and "00d62c1b" in ended.stdout
    content = json.loads(arcbatt("score", paths[1], "--json").stdout)
    assert content["output_score"] == content["score"] == 0.5
    results = paths[1] / "results.json"
    before = results.read_text()
    changed = json.loads(before)
    for row in changed["by_task"]:
        row["confidence"] = 0.93
    results.write_text(json.dumps(changed))
    shown = arcbatt("score", paths[1]).stdout
    results.write_text(before)
    assert "1 of them with confidence 0.8 or more" in shown and "0.93 !" in shown


def test_runs_are_removed_when_asked_for(tmp_path: Path) -> None:
    chosen = (SET, "--tasks", "67a3c6ac", "--proposers", "known", *QUICK, "--out", tmp_path)
    for _ in range(2):
        assert arcbatt("solve", *chosen).exit_code == 0
    newest, oldest = (each.path for each in list_runs(tmp_path)[0])
    refused = arcbatt("runs", "clean")
    assert refused.exit_code == 2 and "--keep N" in refused.stderr
    unasked = arcbatt("runs", "clean", "--keep", 1, "--out", tmp_path)
    assert unasked.exit_code == 2 and "confirm with --yes" in unasked.stderr and oldest.exists()
    with FileLock(oldest / "lock"):
        busy = arcbatt("runs", "clean", "--keep", 1, "--out", tmp_path, "--yes")
        assert "is in progress: kept" in busy.stderr and oldest.exists()
    link = tmp_path / "link"
    link.symlink_to(oldest)
    assert "1 run removed" in arcbatt("runs", "clean", link, "--yes").stdout
    assert oldest.exists() and not link.is_symlink()
    assert "1 run removed" in arcbatt("runs", "clean", oldest, oldest, "--yes").stdout
    assert newest.exists() and not oldest.exists()
    left = arcbatt("runs", "clean", "--keep", 1, "--out", tmp_path, "--yes")
    assert "nothing to remove" in left.stdout and newest.exists()
