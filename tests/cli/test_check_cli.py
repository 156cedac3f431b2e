"""`arcbatt check`: output, exit codes, messages, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import (
    FAILING,
    RIGHT,
    WRONG,
    Outcome,
    error_of,
    kaggle_file,
    write,
)


def test_files_that_cannot_be_read_are_not_counted(tmp_path: Path) -> None:
    assert "cannot be read" in error_of("check", tmp_path)


def test_a_task_in_place_of_a_file_says_what_to_write() -> None:
    message = " ".join(error_of("check", "67a3c6ac").replace("│", " ").split())
    assert "check FILE --task 67a3c6ac" in message and "--library --task 67a3c6ac" in message


def test_check_a_right_program(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, RIGHT))
    assert outcome.status == 0
    assert "1 of 1 right" in outcome.out and "✓✓✓✓" in outcome.out


def test_check_a_wrong_program(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, WRONG))
    assert outcome.status == 1
    assert "0 of 1 right" in outcome.out and "✗✗✗✗" in outcome.out and "differ" in outcome.out


def test_check_names_the_first_failing_line(tmp_path: Path) -> None:
    path = write(tmp_path, FAILING)
    outcome = Outcome("check", path)
    assert outcome.status == 1
    assert "!!!!" in outcome.out
    assert "line 3, x2: empty: first: the container is empty (demo 1)" in outcome.out
    (program,) = Outcome("check", path, "--json").json["programs"]
    assert program["right"] is False and program["reason"].startswith("line 3, x2: empty")
    assert program["pairs"][0]["result"] == "failed"
    assert (program["pairs"][0]["line"], program["pairs"][0]["name"]) == (3, "x2")


def test_check_types_a_program_for_no_known_task(program_file: Path) -> None:
    outcome = Outcome("check", program_file)
    assert outcome.status == 0
    assert "1 of 2 right, 1 for no known task (typed only)" in outcome.out
    shown = Outcome("check", program_file, "--json").json
    assert (shown["total"], shown["right"], shown["errors"]) == (2, 1, [])
    assert [each["right"] for each in shown["programs"]] == [True, None]
    assert [(each["fits"], each["solves"]) for each in shown["programs"]] == [
        (True, True),
        (None, None),
    ]


def test_check_warns_of_types_and_fails(tmp_path: Path) -> None:
    path = write(tmp_path, "def solve_nowhere(I):\n    x1 = fill(I, I, 3)\n    return x1\n")
    outcome = Outcome("check", path)
    assert outcome.status == 1
    assert "line 2, x1: fill cannot take" in outcome.out


def test_check_continues_after_an_unreadable_file(tmp_path: Path, program_file: Path) -> None:
    bad = write(tmp_path, "def solve_67a3c6ac(I):\n    x1 = vmiror(I)\n    return x1\n")
    empty = tmp_path / "empty.py"
    empty.write_text("# nothing\n")
    outcome = Outcome("check", bad, tmp_path / "missing.py", empty, program_file)
    assert outcome.status == 2
    assert "1 of 3 right" in outcome.out
    assert f"{bad}:2:10: unknown primitive vmiror; did you mean vmirror?" in outcome.err
    assert "missing.py: cannot be read" in outcome.err
    assert "empty.py: no programs in this file" in outcome.err
    asked = Outcome("check", bad, program_file, "--json")
    assert asked.status == 2
    assert (asked.json["total"], asked.json["right"], asked.json["errors"]) == (3, 1, [])
    rejected = asked.json["programs"][-1]
    assert (rejected["name"], rejected["task"]) == ("solve_67a3c6ac", "67a3c6ac")
    assert rejected["right"] is False and "did you mean vmirror?" in rejected["reason"]


def test_a_rejected_program_does_not_affect_others_in_its_file(tmp_path: Path) -> None:
    good = "def solve_67a3c6ac(I):\n    x1 = vmirror(I)\n    return x1\n"
    path = write(tmp_path, good + "def solve_68b16354(I):\n    return foo(I)\n" + good)
    asked = Outcome("check", path, "--json")
    assert (asked.status, asked.json["total"], asked.json["right"]) == (2, 3, 2)


@pytest.mark.slow
def test_check_the_library() -> None:
    outcome = Outcome("check", "--library", "--json")
    assert outcome.status == 0
    assert outcome.json["total"] == outcome.json["right"] > 0
    assert {"name", "task", "file", "line", "right", "pairs", "cost", "reason", "warnings"} <= set(
        outcome.json["programs"][0]
    )


def test_check_draws_some_tasks(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT + "\n\n" + WRONG + "\n\n" + FAILING)
    out = Outcome("check", path, "--show", "2").out
    assert out.count("def solve_67a3c6ac(I):") == 2
    assert "x1 = vmirror(I)" in out and "return x1" in out
    assert "the program's output: right" in out and "the program's output: wrong" in out
    assert "the program's output: failed" in Outcome("check", path, "--show", "9").out


def test_check_on_a_source(tmp_path: Path) -> None:
    grid, mirrored = [[1, 2]], [[2, 1]]
    pair = {"input": grid, "output": mirrored}
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    (tasks / "mine.json").write_text(json.dumps({"train": [pair], "test": [pair]}))
    path = write(tmp_path, RIGHT.replace("67a3c6ac", "mine"))
    assert "1 of 1 right" in Outcome("check", path, "--data", tasks).out
    (tasks / "mine.json").write_text(json.dumps({"train": [pair], "test": [{"input": grid}]}))
    outcome = Outcome("check", path, "--data", tasks)
    assert outcome.status == 0
    assert "✓?" in outcome.out and "test inputs are run, not judged" in outcome.err


def pairs_file(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(content))
    return path


def test_check_on_further_pairs(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT + "\n\n" + RIGHT.replace("67a3c6ac", "68b16354"))
    right, wrong = (
        {"input": [[1, 2]], "output": [[2, 1]]},
        {"input": [[3, 4]], "output": [[3, 4]]},
    )
    pairs = pairs_file(tmp_path, {"67a3c6ac": [right, wrong]})
    outcome = Outcome("check", path, "--pairs", pairs, "--explain")
    assert outcome.status == 1
    assert "✓✗" in outcome.out and "1 of 2" in outcome.out
    assert "of 1 program, 0 right on all pairs, 1 on some, 0 on none" in outcome.out
    assert "as it should be" in outcome.out and "the program's output: wrong" in outcome.out
    assert "without pairs in the file: 1 program" in outcome.err
    shown = Outcome("check", path, "--pairs", pairs, "--json").json
    assert shown["right_on"] == {"all": 0, "some": 1, "none": 0}
    assert shown["without_pairs"] == ["solve_68b16354"]
    (program,) = shown["programs"]
    assert (program["right"], program["n_right"]) == (False, 1)
    assert [pair["result"] for pair in program["pairs"]] == ["right", "wrong"]
    assert (
        Outcome("check", path, "--pairs", pairs_file(tmp_path, {"67a3c6ac": [right]})).status == 0
    )


def test_check_on_further_pairs_names_unknown_tasks_and_bad_files(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT)
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    pairs = pairs_file(tmp_path, {"67a3c6ac": [pair], "nowhere": [pair]})
    outcome = Outcome("check", path, "--pairs", pairs)
    assert outcome.status == 2
    assert "1 right on all" in outcome.out
    assert f"{pairs}: task nowhere: no known task has this id" in outcome.err
    assert "is not a list of pairs" in error_of(
        "check", path, "--pairs", pairs_file(tmp_path, {"67a3c6ac": 1})
    )
    assert "no such file" in error_of("check", path, "--pairs", tmp_path / "missing.json")
    assert "without --turned" in error_of("check", path, "--pairs", pairs, "--turned")
    assert "give it with --pairs" in error_of("check", path, "--explain")


HOSTILE = {
    "nested": "def solve_67a3c6ac(I):\n    x1 = " + "vmirror(" * 5000 + "I" + ")" * 5000,
    "long": "def solve_67a3c6ac(I):\n" + "    x1 = vmirror(I)\n" * 1_000_000,
    "growing": "def solve_67a3c6ac(I):\n    x0 = hconcat(I, I)\n"
    + "".join(f"    x{k} = hconcat(x{k - 1}, x{k - 1})\n" for k in range(1, 60))
    + "    return x59\n",
    "calling": "def solve_67a3c6ac(I):\n    x0 = compose(vmirror, vmirror)\n"
    + "".join(f"    x{k} = compose(x{k - 1}, x{k - 1})\n" for k in range(1, 20))
    + "    return x19(I)\n",
    "power": "def solve_67a3c6ac(I):\n    x0 = power(vmirror, 30)\n"
    + "".join(f"    x{k} = power(x{k - 1}, 30)\n" for k in range(1, 20))
    + "    return x19(I)\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_program_ends_with_a_message(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, HOSTILE[kind])
    checked = Outcome("check", path)
    explained = Outcome("explain", path, "--task", "67a3c6ac")
    if kind in ("nested", "long"):
        assert (checked.status, explained.status) == (2, 2)
        assert f"{path}:" in checked.err and f"{path}:" in explained.err
    else:
        assert (checked.status, explained.status) == (1, 0)
        assert "over budget" in checked.out and "line " in checked.out
        assert "over budget" in explained.out


def test_check_within_a_budget(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, RIGHT), "--budget-steps", "5")
    assert outcome.status == 1 and "line 2, x1: over budget: " in outcome.out


@pytest.mark.parametrize(
    "args",
    [
        ("check", "--library", "--budget-steps"),
        ("check", "--library", "--budget-bytes"),
        ("run", "--threads"),
        ("card", "--size"),
        ("evolve", "--card-size"),
    ],
)
def test_a_number_that_is_too_large_is_reported(args: tuple[str, ...]) -> None:
    assert args[-1] in error_of(*args, 10**22)


def test_check_needs_something_to_check() -> None:
    message = error_of("check")
    assert "--library" in message and "Usage" in message
    assert "give only one of them" in error_of("check", "--library", "--json", "--show", "1")


def test_check_on_one_task_whatever_the_names(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT.replace("solve_67a3c6ac", "solve"))
    on_task = Outcome("check", path, "--task", "67a3c6ac", "--json")
    assert on_task.status == 0 and on_task.json["programs"][0]["solves"] is True
    assert Outcome("check", path, "--task", "00d62c1b").status == 1
    bundled = Outcome("check", "--library", path, "--task", "67a3c6ac", "--json").json["programs"]
    assert [each["name"] for each in bundled] == ["solve_67a3c6ac", "solve"]
    own = ("check", path, "--task", "mine", "--data", kaggle_file(tmp_path))
    assert Outcome(*own).status == 0
    assert "no task '67a3c6ad'" in error_of("check", path, "--task", "67a3c6ad")


def test_a_task_id_that_cannot_be_encoded_is_a_note(tmp_path: Path) -> None:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    task = {"train": [pair], "test": [{"input": [[3, 4]]}]}
    tasks = tmp_path / "tasks.json"
    tasks.write_text(json.dumps({"\ud800": task, "67a3c6ac": task}))
    outcome = Outcome("check", write(tmp_path, RIGHT), "--data", tasks)
    assert outcome.status == 0 and "'\\ud800' is not a task id" in outcome.err
