"""`arcbatt explain`: output, exit codes, messages, pages."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.commands import FAILING, RIGHT, Outcome, error_of, kaggle_file, write


def test_explain_rejects_very_long_programs(tmp_path: Path) -> None:
    lines = "".join(f"    x{k} = vmirror(I)\n" for k in range(600))
    message = error_of(
        "explain",
        write(tmp_path, f"def solve_67a3c6ac(I):\n{lines}    return x1\n"),
        "--task",
        "67a3c6ac",
    )
    assert "600 lines" in message and "at most 500 lines" in message


def test_explain_in_the_terminal(program_file: Path) -> None:
    out = Outcome("explain", program_file, "--task", "67a3c6ac").out
    assert "x1 = vmirror(I)" in out and "✓ demo 1 is right" in out and "demo 2" not in out
    out = Outcome("explain", program_file, "--task", "67a3c6ac", "--pair", "all").out
    assert "✓ demo 2 is right" in out and "✓ test 1 is right" in out
    out = Outcome("explain", program_file, "--task", "67a3c6ac", "--pair", "test:1").out
    assert "✓ test 1 is right" in out and "demo" not in out


def test_explain_a_failing_program(tmp_path: Path) -> None:
    path = write(tmp_path, FAILING)
    outcome = Outcome("explain", path, "--task", "67a3c6ac")
    assert outcome.status == 0
    assert "failed: empty: first: the container is empty" in outcome.out
    assert "needs x2, which failed" in outcome.out


def test_explain_writes_a_page(tmp_path: Path, program_file: Path) -> None:
    page = tmp_path / "page.html"
    outcome = Outcome("explain", program_file, "--task", "67a3c6ac", "--html", page)
    assert (outcome.status, outcome.out) == (0, f"wrote {page}\n")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "test 1 is right" in text


def test_explain_chooses_a_program(tmp_path: Path, program_file: Path) -> None:
    message = error_of("explain", program_file, "--task", "00d62c1b")
    assert "solve_67a3c6ac, solve_nowhere" in message
    message = error_of("explain", program_file, "--task", "67a3c6ac", "--name", "solve_nowher")
    assert "did you mean solve_nowhere?" in message
    outcome = Outcome("explain", program_file, "--task", "67a3c6ac", "--name", "solve_nowhere")
    assert outcome.status == 0 and outcome.out.startswith("solve_nowhere")
    only = write(tmp_path, RIGHT)
    assert "is wrong" in Outcome("explain", only, "--task", "00d62c1b").out


def test_explain_reports_errors(tmp_path: Path, program_file: Path) -> None:
    for pair in ("demo:9", "demo:0", "demo", "demo:x", "best:1"):
        message = error_of("explain", program_file, "--task", "67a3c6ac", "--pair", pair)
        assert "demo:1, demo:2, demo:3, test:1" in message
    assert "did you mean" in error_of("explain", program_file, "--task", "67a3c6ad")
    assert "cannot be read" in error_of("explain", tmp_path / "no.py", "--task", "67a3c6ac")
    bad = write(tmp_path, "import os\n")
    assert "expected a program" in error_of("explain", bad, "--task", "67a3c6ac")
    page = tmp_path / "no" / "page.html"
    assert "no such file" in error_of("explain", program_file, "--task", "67a3c6ac", "--html", page)


def test_explain_on_a_task_file(tmp_path: Path) -> None:
    grid, mirrored = [[1, 2]], [[2, 1]]
    pair = {"input": grid, "output": mirrored}
    task = tmp_path / "mine.json"
    task.write_text(json.dumps({"train": [pair], "test": [{"input": grid}]}))
    path = write(tmp_path, RIGHT.replace("67a3c6ac", "mine"))
    outcome = Outcome("explain", path, "--task", task, "--pair", "all")
    assert "✓ demo 1 is right" in outcome.out and "? test 1 has no known answer" in outcome.out


def test_explain_and_differs_take_tasks_of_any_source(tmp_path: Path) -> None:
    data = kaggle_file(tmp_path)
    path = write(tmp_path, RIGHT.replace("67a3c6ac", "mine"))
    outcome = Outcome("explain", path, "--task", "mine", "--data", data, "--pair", "all")
    assert "✓ demo 1 is right" in outcome.out and "✓ test 1 is right" in outcome.out
    assert "did you mean mine?" in error_of("explain", path, "--task", "mime", "--data", data)
    judged = Outcome("differs", "--program", path, "--task", "mine", "--data", data, "--json").json
    assert judged["fits"] is True and judged["credit"] == 1000


def test_explain_skips_rejected_programs(tmp_path: Path) -> None:
    broken = "def solve_broken(I):\n    return foo(I)\n"
    path = write(tmp_path, RIGHT + "\n\n" + broken * 5)
    outcome = Outcome("explain", path, "--task", "67a3c6ac")
    assert outcome.status == 0 and "✓ demo 1 is right" in outcome.out
    assert outcome.err.count("note: left out:") == 3 and "2 more programs" in outcome.err
    message = error_of("explain", path, "--task", "67a3c6ac", "--name", "solve_broken")
    assert "unknown primitive foo" in message
    # The program of the task is broken: no other program of the file replaces it.
    own = write(tmp_path, RIGHT.replace("67a3c6ac", "other") + broken.replace("broken", "67a3c6ac"))
    assert "unknown primitive foo" in error_of("explain", own, "--task", "67a3c6ac")
    assert "unknown primitive foo" in error_of(
        "explain", write(tmp_path, broken), "--task", "67a3c6ac"
    )


def test_a_differ_is_not_run_by_itself(tmp_path: Path) -> None:
    text = "def solve_67a3c6ac(S, I, output, target):\n    x = vmirror(output)\n    return x\n"
    path = write(tmp_path, text)
    checked = Outcome("check", path)
    assert checked.status == 1 and "a differ judges the output of another program" in checked.out
    for command in (["explain", path], ["differs", "--program", path]):
        assert "a differ judges" in error_of(*command, "--task", "67a3c6ac")


def test_explain_the_bundled_solver_of_a_task(tmp_path: Path) -> None:
    shown = Outcome("explain", "67a3c6ac")
    assert shown.status == 0 and "solve_67a3c6ac" in shown.out and "vmirror(I)" in shown.out
    assert "comes with arcbatt" in error_of("explain", "e5062a87")
    for mistyped in ("67a3c6ad", "67a3c6a", "67a3c6acc"):
        assert "did you mean 67a3c6ac?" in error_of("explain", mistyped)


def test_explain_takes_the_task_that_a_program_is_named_after(tmp_path: Path) -> None:
    path = write(tmp_path, RIGHT)
    assert Outcome("explain", path).out == Outcome("explain", path, "--task", "67a3c6ac").out
    path.write_text(RIGHT.replace("solve_67a3c6ac", "mirror"))
    assert "which task? --task ID" in error_of("explain", path)
