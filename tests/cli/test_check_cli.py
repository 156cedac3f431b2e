"""`arcbatt check`: output, exit codes, messages, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import FAILING, RIGHT, WRONG, Outcome, error_of, write


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
