"""`--timing` on every command, and `arcbatt profile`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arcbatt.cli.app import app
from arcbatt.measure import PHASES
from tests.support.commands import RIGHT, WRONG, Outcome, error_of, write


def phases_of(err: str) -> dict[str, float]:
    """The seconds of the phases in a printed table, and their sum."""
    found = {}
    for line in err.splitlines():
        words = line.split()
        if words and words[0] in PHASES:
            found[words[0]] = float(words[1])
        elif words[:4] == ["sum", "=", "wall", "clock"]:
            found["sum"] = float(words[4])
    return found


def all_commands() -> list[list[str]]:
    """Every command that is registered, those of groups among them."""
    import typer

    def below(command: Any, path: list[str]) -> list[list[str]]:
        if not hasattr(command, "list_commands"):
            return [path]
        with command.make_context("arcbatt", [], resilient_parsing=True) as ctx:
            inner = {name: command.get_command(ctx, name) for name in command.list_commands(ctx)}
        return [leaf for name, each in inner.items() for leaf in below(each, [*path, name])]

    return below(typer.main.get_command(app), [])


@pytest.mark.parametrize("command", all_commands(), ids=" ".join)
def test_every_command_takes_timing(command: list[str]) -> None:
    assert "--timing" in Outcome(*command, "--help").out


@pytest.mark.parametrize(
    "args",
    [
        ["--timing", "show", "67a3c6ac"],
        ["show", "--timing", "67a3c6ac"],
        ["show", "67a3c6ac", "--timing"],
    ],
)
def test_timing_may_stand_anywhere(args: list[str]) -> None:
    outcome = Outcome(*args)
    assert outcome.status == 0
    assert outcome.out == Outcome("show", "67a3c6ac").out
    assert {"load", "display", "sum"} <= set(phases_of(outcome.err))


def test_without_timing_there_is_no_table() -> None:
    assert Outcome("show", "67a3c6ac").err == ""


def test_the_phases_of_a_check(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, RIGHT), "--timing", "--json")
    assert outcome.json["right"] == 1  # stdout is the command's own
    phases = phases_of(outcome.err)
    assert {"load", "run", "score", "display", "other", "sum"} <= set(phases)


def test_a_command_that_fails_is_timed_too(tmp_path: Path) -> None:
    outcome = Outcome("check", write(tmp_path, WRONG), "--timing")
    assert outcome.status == 1 and "run" in phases_of(outcome.err)
    outcome = Outcome("show", "nosuch1", "--timing")
    assert outcome.status == 2 and "error: no task" in outcome.err and phases_of(outcome.err)


def test_profile(tmp_path: Path) -> None:
    times = tmp_path / "time.json"
    path = write(tmp_path, RIGHT)
    outcome = Outcome("profile", "--json", times, "--", "check", path, "--json")
    assert outcome.status == 0 and outcome.json["right"] == 1
    assert {"run", "score", "sum"} <= set(phases_of(outcome.err))
    content = json.loads(times.read_text(encoding="utf-8"))
    (main,) = content["timelines"]
    total = sum(each["seconds"] for each in main["phases"].values())
    assert total == pytest.approx(content["wall_s"])
    assert f"wrote {times}" in outcome.err


def test_profile_exits_with_the_status_of_its_command(tmp_path: Path) -> None:
    outcome = Outcome("profile", "check", write(tmp_path, WRONG))
    assert outcome.status == 1 and "0 of 1 right" in outcome.out and phases_of(outcome.err)
    assert Outcome("profile", "show", "nosuch1").status == 2
    assert "not itself" in error_of("profile", "profile", "tasks")
    assert "chek" in error_of("profile", "chek")
    assert "Missing argument" in error_of("profile")
    # The error comes before the command runs: its times would be lost.
    nowhere = tmp_path / "no" / "time.json"
    assert f"{nowhere} is in a folder that does not exist" in error_of(
        "profile", "--json", nowhere, "doctor"
    )
    assert "is a folder" in error_of("profile", "--json", tmp_path, "doctor")
    assert "no option is named --nosuch" in error_of("profile", "tasks", "--nosuch")


def test_a_process_counts_its_start_as_load(tmp_path: Path) -> None:
    times = tmp_path / "time.json"
    command = "from arcbatt.cli import main; main()"
    args = ["profile", "--json", str(times), "primitives", "hmirror"]
    done = subprocess.run(
        [sys.executable, "-c", command, *args],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    )
    assert done.returncode == 0 and "hmirror(" in done.stdout
    content = json.loads(times.read_text(encoding="utf-8"))
    (main,) = content["timelines"]
    (start,) = [at for at in main["paths"] if at["path"] == ["load"]]
    assert start["self_s"] > 0 and start["entered"] >= 2
    assert sum(each["seconds"] for each in main["phases"].values()) == pytest.approx(
        content["wall_s"]
    )
