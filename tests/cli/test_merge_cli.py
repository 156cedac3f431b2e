"""`arcbatt merge`: submissions and runs become one submission."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arcbatt.scoring import MergeSource, SubmissionError, merge_submissions, read_submission
from arcbatt.scoring.merge import SECOND_SHARE, confidences_by_task
from bench.say_run import describe
from tests.support.commands import Outcome, error_of, kaggle_file

A, B, C, D = [[1]], [[2]], [[3]], [[4]]


def submission(**tasks: list[tuple[Any, Any]]) -> Any:
    return {
        task: [{"attempt_1": first, "attempt_2": second} for first, second in tests]
        for task, tests in tasks.items()
    }


def source(
    name: str, sure: float, least: float = 0.0, **tasks: list[tuple[Any, Any]]
) -> MergeSource:
    content = submission(**tasks)
    return MergeSource(name, content, confidences_by_task(sure, content, name), least)


def attempts(merged: Any, task: str = "t", test: int = 0) -> list[list[list[int]]]:
    entry = merged.submission[task][test]
    return [list(map(list, entry[f"attempt_{k}"])) for k in (1, 2)]


def test_the_most_confident_distinct_attempts_come_first() -> None:
    merged = merge_submissions([source("x", 0.5, t=[(A, B)]), source("y", 0.8, t=[(C, D)])])
    assert attempts(merged) == [C, A]
    counts = merged.by_source
    assert (counts["x"].firsts, counts["x"].seconds) == (0, 1)
    assert (counts["y"].firsts, counts["y"].seconds) == (1, 0)
    assert merged.confidences["t"] == pytest.approx(1 - 0.5 * 0.2)


def test_sources_that_agree_support_each_other() -> None:
    three = [
        source("x", 0.5, t=[(A, B)]),
        source("y", 0.6, t=[(C, D)]),
        source("z", 0.5, t=[(A, D)]),
    ]
    merged = merge_submissions(three)
    assert attempts(merged) == [A, C]
    assert (merged.by_source["x"].shared, merged.by_source["y"].shared) == (1, 0)


def test_second_attempts_count_little() -> None:
    merged = merge_submissions([source("x", 0.9, t=[(A, B)]), source("y", 0.1, t=[(C, D)])])
    assert attempts(merged) == [A, C]
    low = merge_submissions(
        [source("x", 0.9, t=[(A, B)]), source("y", 0.9 * SECOND_SHARE / 2, t=[(C, D)])]
    )
    assert attempts(low) == [A, B]


def test_a_source_leaves_what_it_is_less_sure_of_to_the_others() -> None:
    sure = confidences_by_task({"t": [0.9, 0.7]}, submission(t=[(A, B), (A, B)]), "x")
    run = MergeSource("x", submission(t=[(A, B), (A, B)]), sure, min_confidence=0.8)
    merged = merge_submissions([run, source("y", 0.1, t=[(C, D), (C, D)])])
    assert attempts(merged) == [A, C] and attempts(merged, test=1) == [C, D]
    alone = merge_submissions([source("x", 0.1, 0.8, t=[(A, B)])])
    assert attempts(alone) == [A, B]


def test_tasks_of_one_source_alone_and_one_grid_twice() -> None:
    merged = merge_submissions([source("x", 0.5, s=[(A, A)]), source("y", 0.5, t=[(C, D)])])
    assert attempts(merged, "s") == [A, A] and attempts(merged, "t") == [C, D]
    assert merged.by_source["x"].tasks == 1 and merged.by_source["x"].seconds == 0


def test_stand_ins_count_nothing() -> None:
    content = submission(t=[(A, B)])
    run = MergeSource(
        "x", content, confidences_by_task(0.9, content, "x"), 0.0, frozenset({("t", 0, 1)})
    )
    assert attempts(merge_submissions([run, source("y", 0.01, t=[(C, D)])])) == [A, C]


def test_sources_must_agree_on_test_inputs() -> None:
    with pytest.raises(SubmissionError, match=r"y: task t: 2 entries, but x has 1"):
        merge_submissions([source("x", 0.5, t=[(A, B)]), source("y", 0.5, t=[(A, B), (A, B)])])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (2, "2 is not a confidence"),
        ({"t": True}, "True is not a confidence"),
        ({}, "task t has no confidence"),
        ({"t": 0.5, "u": 0.5}, "task 'u' is not in the submission"),
        ({"t": [0.5, 0.5]}, "2 confidences, expected 1"),
    ],
)
def test_malformed_confidences_are_errors(content: Any, message: str) -> None:
    with pytest.raises(SubmissionError, match=message):
        confidences_by_task(content, submission(t=[(A, B)]), "x.json")


# --- the command ---


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A run on a task file with answers, which a program solves: mirror."""
    rounds = ("--rounds", 1, "--threads", 1, "--device", "cpu", "--no-explain")
    done = Outcome("solve", kaggle_file(tmp_path), *rounds, "--out", tmp_path / "runs", "--json")
    assert done.status == 0, done.err
    return Path(done.json["folder"])


def test_a_run_and_a_foreign_submission(run_folder: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.json"
    foreign.write_text(json.dumps(submission(mine=[([[9, 9]], [[8, 8]])])))
    out = tmp_path / "merged.json"
    done = Outcome(
        "merge", run_folder, foreign, "--confidence", f"{foreign}=0.05", "--out", out, "--json"
    )
    assert done.status == 0, done.err
    assert read_submission(out)["mine"] == [{"attempt_1": [[4, 3]], "attempt_2": [[9, 9]]}]
    assert done.json["solved"] == {str(run_folder): 1, str(foreign): 0, "merged": 1}
    assert done.json["sources"][str(foreign)] == {
        "tasks": 1,
        "firsts": 0,
        "seconds": 1,
        "shared": 0,
    }
    # Its confidence is below --min, so the run is left out.
    least = Outcome(
        "merge", run_folder, foreign, "--confidence", f"{foreign}=0.05",
        "--min", f"{run_folder}/=1", "--out", out, columns=80,
    )  # fmt: skip
    assert least.status == 0 and read_submission(out)["mine"][0]["attempt_1"] == [[9, 9]]
    assert "merged" in least.out and "0.00%" in least.out
    assert max(map(len, least.out.splitlines()[:-1])) <= 80


def test_what_is_wrong_with_sources_is_said(run_folder: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.json"
    foreign.write_text(json.dumps(submission(other=[(A, B)])))
    out = ("--out", tmp_path / "merged.json")
    assert f"Add --confidence {foreign}=0.5" in error_of("merge", foreign, *out)
    assert "no such file" in error_of("merge", f"{foreign}=0.5", *out)
    assert "which has confidences of its own" in error_of(
        "merge", run_folder, "--confidence", f"{run_folder}=1", *out
    )
    assert "write SOURCE=NUMBER" in error_of("merge", run_folder, "--min", "0.5", *out)
    assert "is not among the sources" in error_of("merge", run_folder, "--min", "x=0.5", *out)
    assert "is not a number from 0 to 1" in error_of(
        "merge", foreign, "--confidence", f"{foreign}=80", *out
    )
    assert "is named twice" in error_of("merge", run_folder, run_folder, *out)
    sure = ("--confidence", f"{foreign}=0.5")
    assert "is in a folder that does not exist" in error_of(
        "merge", foreign, *sure, "--out", tmp_path / "no" / "merged.json"
    )
    assert "task 'other' is not among the tasks" in error_of(
        "merge", run_folder, foreign, *sure, *out, "--data", kaggle_file(tmp_path)
    )
    assert not (tmp_path / "merged.json").exists()


def test_sources_of_unlike_tasks_are_merged_without_a_score(
    run_folder: Path, tmp_path: Path
) -> None:
    foreign, out = tmp_path / "foreign.json", tmp_path / "merged.json"
    foreign.write_text(json.dumps(submission(other=[(A, B)])))
    done = Outcome("merge", run_folder, foreign, "--confidence", f"{foreign}=0.5", "--out", out)
    assert done.status == 0, done.err
    assert "not scored: task other is not in" in done.err and "solved" not in done.out
    assert set(read_submission(out)) == {"mine", "other"}


def test_solve_mentions_score_only_where_there_are_answers(tmp_path: Path) -> None:
    path = kaggle_file(tmp_path)
    args = ("--rounds", 1, "--threads", 1, "--device", "cpu", "--no-explain", "--out", tmp_path)
    assert "arcbatt score" in Outcome("solve", path, *args).out
    (tmp_path / "my_solutions.json").unlink()
    assert "arcbatt score" not in Outcome("solve", path, *args).out


def test_make_run_says_in_a_paragraph_what_it_did(run_folder: Path) -> None:
    said = describe(run_folder)
    assert "for programs for 1 task of " in said and "For 1 of them it found a program" in said
    assert "all are right for 1 task, for 1 of them at the first attempt" in said
    assert str(run_folder / "report.html") in said
