"""`arcbatt differs` as a user meets it."""

from pathlib import Path

import pytest

from arcbatt.evaluation import bundled_differs
from tests.support.commands import FAILING, RIGHT, WRONG, Outcome, error_of

WEIGHTS = {differ.name: differ.weight for differ in bundled_differs()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(WRONG, "utf-8")
    return path


def test_the_list_has_every_differ_with_its_weight() -> None:
    outcome = Outcome("differs")
    assert outcome.status == 0
    assert all(name in outcome.out for name in WEIGHTS)
    listed = Outcome("differs", "--json").json["differs"]
    assert {differ["name"]: differ["weight"] for differ in listed} == WEIGHTS
    assert all("Picks" in differ["doc"] for differ in listed)


def test_a_wrong_program_is_judged_demo_by_demo(file: Path) -> None:
    outcome = Outcome("differs", "--program", file, "--task", "67a3c6ac")
    assert outcome.status == 0
    assert "demo 1 of 3" in outcome.out and "demo 3 of 3" in outcome.out
    assert "the program's output: wrong" in outcome.out
    assert all(outcome.out.count(name) == 3 for name in WEIGHTS)
    judged = Outcome("differs", "--program", file, "--task", "67a3c6ac", "--json").json
    assert 0 < judged["credit"] < 1000
    assert f"credit {judged['credit']} of 1000" in outcome.out
    for demo in judged["demos"]:
        # It mirrors the wrong way.
        assert not demo["right"] and demo["scores"]["differ_turned"] == 1000
        assert demo["scores"].keys() == WEIGHTS.keys()


def test_a_right_and_a_failing_program(file: Path) -> None:
    file.write_text(RIGHT, "utf-8")
    assert (
        "credit 1000 of 1000, fits"
        in Outcome("differs", "--program", file, "--task", "67a3c6ac").out
    )
    file.write_text(FAILING, "utf-8")
    outcome = Outcome("differs", "--program", file, "--task", "67a3c6ac")
    assert "credit 0 of 1000" in outcome.out and "every differ scores 0" in outcome.out


def test_program_and_task_are_required_together(file: Path) -> None:
    assert "--program FILE and --task ID" in error_of("differs", "--program", file)
    assert "--program FILE and --task ID" in error_of("differs", "--name", "solve")
    file.write_text(RIGHT + "\n\n" + WRONG.replace("67a3c6ac", "other"), "utf-8")
    message = error_of("differs", "--program", file, "--task", "00d62c1b")
    assert "choose one with --name NAME" in message
