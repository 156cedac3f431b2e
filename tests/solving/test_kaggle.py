"""`arcbatt kaggle`: files found wherever they are, a valid submission at any time."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from arcbatt.cli import search_session
from arcbatt.cli.app import app
from arcbatt.cli.commands import kaggle as kaggle_command
from arcbatt.cli.commands.kaggle import _choose_budget
from arcbatt.scoring import read_submission
from arcbatt.tasks import TaskError, load, load_valid
from arcbatt.tasks.kaggle import RERUN, find_files, is_rerun
from arcbatt.tasks.submission import fill_in

MIRROR = {
    "train": [
        {"input": [[1, 2], [3, 4]], "output": [[2, 1], [4, 3]]},
        {"input": [[5, 0, 0]], "output": [[0, 0, 5]]},
    ],
    "test": [{"input": [[7, 8, 9]]}, {"input": [[6, 0]]}],
}
BROKEN = {
    "train": [{"input": [[1]], "output": [[11]]}, {"input": [[1]]}, 3],
    "test": [{"input": [[4, 4]]}, {"input": [[1], [1, 2]]}],
}


def write_tasks(folder: Path, tasks: dict[str, Any], part: str = "test") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"arc-agi_{part}_challenges.json"
    path.write_text(json.dumps(tasks))
    return path


def kaggle(tmp_path: Path, *args: str) -> Any:
    place = ["--input", str(tmp_path / "input"), "--output", str(tmp_path / "working")]
    options = ["--budget", "1h", "--rounds", "1", "--device", "cpu", "--threads", "1"]
    return CliRunner().invoke(app, ["kaggle", *place, *options, *args], env={"COLUMNS": "200"})


# --- the files ---


@pytest.mark.parametrize("below", ["", "arc-prize-2026", "competitions/arc-prize-2026", "a/b/c/d"])
def test_files_are_found_whatever_the_prefix(tmp_path: Path, below: str) -> None:
    path = write_tasks(tmp_path / below, {"a": MIRROR})
    files = find_files(tmp_path, "test")
    assert (files.challenges, files.others, files.sample) == (path, (), None)
    with pytest.raises(TaskError, match=r"no file \*evaluation_challenges.json"):
        find_files(tmp_path, "evaluation")
    with pytest.raises(TaskError, match=r"json is a file; name the folder that it is in"):
        find_files(path, "test")


def test_of_several_that_with_a_sample_submission_is_taken(tmp_path: Path) -> None:
    first = write_tasks(tmp_path / "a", {"a": MIRROR})
    other = write_tasks(tmp_path / "b", {"a": MIRROR})
    assert find_files(tmp_path, "test").challenges == other
    (tmp_path / "a" / "sample_submission.json").write_text("{}")
    files = find_files(tmp_path, "test")
    assert (files.challenges, files.others) == (first, (other,))
    assert files.sample == tmp_path / "a" / "sample_submission.json"


# --- the time ---


def test_the_budget_is_short_but_in_the_run_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RERUN, raising=False)
    assert not is_rerun() and _choose_budget("12h", None) == 5 * 60
    assert _choose_budget("2m", None) == pytest.approx(0.96 * 120)
    monkeypatch.setenv(RERUN, "1")
    assert is_rerun() and _choose_budget("12h", None) == 11 * 3600 + 40 * 60
    assert _choose_budget("1h", None) == pytest.approx(0.96 * 3600)
    assert _choose_budget("12h", "10m") == 600
    with pytest.raises(typer.Exit):
        _choose_budget("1h", "1h")


# --- the run ---


def test_a_broken_task_is_reported_and_filled_in_and_the_rest_solved(tmp_path: Path) -> None:
    write_tasks(tmp_path / "input" / "competitions" / "arc", {"good": MIRROR, "bad": BROKEN})
    write_tasks(tmp_path / "input" / "competitions" / "a 1", {"good": MIRROR})
    beside = tmp_path / "input" / "competitions" / "arc" / "a_test_challenges.json"
    beside.write_text("{}")
    ended = kaggle(tmp_path)
    assert ended.exit_code == 0, ended.stderr
    for fault in (
        "demo 1 output: row 1, column 1: 11 is not a color",
        'demo 2: the key "output" is missing',
        "demo 3: 3 is not a pair",
        "test 2 input: row 2: 2 cells",
    ):
        assert f"task bad: {fault}" in ended.stderr
    assert f"not used: {beside}; give it a folder of its own" in ended.stderr
    other = tmp_path / "input" / "competitions" / "a 1"
    assert "not used" in ended.stderr and f"--input '{other}' would use it" in ended.stderr
    assert (
        "1 task, 1 not valid" in ended.stdout and "is valid: 2 tasks, 4 test inputs" in ended.stdout
    )
    submission = read_submission(tmp_path / "working" / "submission.json")
    assert [entry["attempt_1"] for entry in submission["good"]] == [[[9, 8, 7]], [[0, 6]]]
    assert submission["bad"] == [
        {"attempt_1": [[4, 4]], "attempt_2": [[0, 0]]},
        {"attempt_1": [[0]], "attempt_2": [[1]]},
    ]
    (run,) = (tmp_path / "working" / "runs").iterdir()
    assert read_submission(run / "submission.json") == submission
    results = json.loads((run / "results.json").read_text())
    assert list(results["not_valid"]) == ["bad"] and len(results["not_valid"]["bad"]) == 4


def test_a_submission_is_there_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tasks(tmp_path / "input", {"good": MIRROR, "bad": BROKEN})
    seen = {}

    def fail(*_: object) -> None:
        seen.update(read_submission(tmp_path / "working" / "submission.json"))
        raise RuntimeError("whatever")

    monkeypatch.setattr(search_session, "start_run", fail)
    ended = kaggle(tmp_path)
    assert isinstance(ended.exception, RuntimeError)
    assert seen.keys() == {"good", "bad"}
    assert "is valid: 2 tasks" in ended.stdout and "0 with something found" in ended.stdout


def test_little_is_loaded_before_the_first_submission() -> None:
    code = (
        "import sys, arcbatt.cli.app, arcbatt.cli.commands.kaggle\n"
        "assert not {'numpy', 'arcbatt.language', 'arcbatt.solving'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_where_no_task_is_valid_all_are_filled_in(tmp_path: Path) -> None:
    write_tasks(tmp_path / "input", {"bad": BROKEN, "worse": 3, "\n": MIRROR})
    ended = kaggle(tmp_path)
    assert ended.exit_code == 2 and "none of its tasks is valid" in ended.stderr
    submission = read_submission(tmp_path / "working" / "submission.json")
    assert {name: len(entries) for name, entries in submission.items()} == {
        "bad": 2,
        "worse": 1,
        "\n": 2,
    }


def test_a_disk_that_may_be_too_small_does_not_keep_it_from_searching(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    write_tasks(tmp_path / "input", {"good": MIRROR})
    ended = kaggle(tmp_path)
    assert ended.exit_code == 0 and "1 with something found" in ended.stdout
    assert "1 MB are free" in ended.stderr and "continuing nevertheless" in ended.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--set", "trainign"], "did you mean training?"),
        (["--set", "evaluation"], "no file *evaluation_challenges.json"),
        (["--limit", "soon"], "--limit: 'soon' is not a duration"),
        (["--budget", "0s"], "--budget: '0s' is zero"),
        (["--pool", "no/such.db"], "no such pool"),
        (["--proposers", "knwon"], "did you mean known?"),
        (["--memory", "1MiB"], "--memory: '1MiB' is too little"),
        (["--limit", "10s"], "the rest is the margin"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, args: list[str], message: str) -> None:
    write_tasks(tmp_path / "input", {"good": MIRROR})
    ended = kaggle(tmp_path, *args)
    assert ended.exit_code == 2 and message in ended.stderr


def test_a_plugin_that_fails_leaves_the_stand_ins(tmp_path: Path) -> None:
    write_tasks(tmp_path / "input", {"good": MIRROR})
    (tmp_path / "bad.py").write_text("1 / 0\n")
    ended = kaggle(tmp_path, "--plugin", str(tmp_path / "bad.py"))
    assert ended.exit_code == 2 and "division by zero" in ended.stderr
    submission = json.loads((tmp_path / "working" / "submission.json").read_text())
    assert len(submission["good"]) == 2


def test_programs_of_a_pool_are_used_and_options_kept(tmp_path: Path) -> None:
    write_tasks(tmp_path / "input", {"good": MIRROR})
    program = tmp_path / "mine.py"
    program.write_text("def solve_mine(I):\n    O = vmirror(I)\n    return O\n")
    pool = tmp_path / "mine.db"
    assert (
        CliRunner().invoke(app, ["pool", "import", str(program), "--pool", str(pool)]).exit_code
        == 0
    )
    ended = kaggle(
        tmp_path, "--pool", str(pool), "--proposers", "known", "--no-library", "--memory", "64MiB"
    )
    assert ended.exit_code == 0 and "1 with something found" in ended.stdout
    (run,) = (tmp_path / "working" / "runs").iterdir()
    options = json.loads((run / "config.json").read_text())["options"]
    assert options["proposers"] == ["known"] and options["library"] is False
    assert options["enumerate"]["max_bytes"] == 64 * 2**20 and options["pool"] == str(pool)
    assert "best" in (run / "results.json").read_text()


def test_a_run_is_resumed_by_solve(tmp_path: Path) -> None:
    write_tasks(tmp_path / "input", {"good": MIRROR})
    assert kaggle(tmp_path).exit_code == 0
    (folder,) = (tmp_path / "working" / "runs").iterdir()
    resume = ["--resume", str(folder), "--budget", "1h", "--rounds", "1"]
    refused = CliRunner().invoke(app, ["evolve", *resume])
    assert refused.exit_code == 2 and f"arcbatt solve --resume {folder}" in refused.stderr
    submission = tmp_path / "working" / "submission.json"
    submission.unlink()
    again = CliRunner().invoke(app, ["solve", *resume])
    assert again.exit_code == 0 and not submission.exists()
    assert f"--submission {submission}" in again.stderr.replace("\n", " ")
    named = CliRunner().invoke(app, ["solve", *resume, "--submission", str(submission)])
    assert named.exit_code == 0 and "--submission" not in named.stderr
    assert read_submission(submission).keys() == {"good"}


def test_the_decoy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tasks(tmp_path / "input", {"good": MIRROR})
    monkeypatch.setattr(search_session, "start_run", lambda *_: None)
    monkeypatch.delenv(RERUN, raising=False)
    assert "not the run that counts" in kaggle(tmp_path).stdout
    monkeypatch.setenv(RERUN, "1")
    assert "budget: 1 h 0 min, the run that counts" in kaggle(tmp_path).stdout
    assert kaggle_command.SHORT_S < 10 * 60


# --- tasks that are not valid ---


def test_valid_tasks_come_with_all_faults_of_the_others(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"bad": BROKEN, "good": MIRROR, "none": {}}))
    tasks, bad = load_valid(path)
    assert tasks.ids == ("good",)
    assert [each.id for each in bad] == ["bad", "none"]
    assert [len(each.faults) for each in bad] == [4, 2]
    assert bad[0].test_inputs == (((4, 4),), None) and bad[1].test_inputs == (None,)
    with pytest.raises(TaskError, match="1 more of 3 tasks are not valid either"):
        load(path)


def test_a_file_of_a_folder_that_cannot_be_read_is_one_bad_task(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(json.dumps(MIRROR))
    (tmp_path / "torn.json").write_text("{")
    tasks, bad = load_valid(tmp_path)
    assert tasks.ids == ("good",)
    assert [(each.id, len(each.faults)) for each in bad] == [("torn", 1)]
    assert "not JSON" in bad[0].faults[0]


def test_what_stands_in_is_two_different_grids() -> None:
    for grid in (None, ((3,),), ((0, 0), (0, 0)), ((1, 2),)):
        (entry,) = fill_in([grid])
        assert entry["attempt_1"] != entry["attempt_2"]
        assert entry["attempt_1"] == (grid or ((0,),))
