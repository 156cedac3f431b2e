"""Run commands in tests, with a few sample programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app

RIGHT = "def solve_67a3c6ac(I):\n    x1 = vmirror(I)\n    return x1\n"
WRONG = RIGHT.replace("vmirror", "hmirror")
FAILING = """def solve_67a3c6ac(I):
    x1 = colorfilter(objects(I, T, F, T), 99)
    x2 = first(x1)
    return paint(I, x2)
"""


class Outcome:
    """The exit status and output of a command."""

    def __init__(self, *args: object, columns: int = 140) -> None:
        words = [str(arg) for arg in args]
        result = CliRunner().invoke(app, words, env={"COLUMNS": str(columns)})
        assert result.exception is None or isinstance(result.exception, SystemExit), repr(
            result.exception
        )
        self.status = result.exit_code
        self.out = result.stdout
        self.err = result.stderr

    @property
    def json(self) -> Any:
        assert self.out.startswith("{") and self.out.endswith("}\n")
        return json.loads(self.out)


def error_of(*args: object) -> str:
    """Return the error of a command that must exit with status 2 and an empty stdout."""
    outcome = Outcome(*args)
    assert outcome.status == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    return outcome.err


def write(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(text)
    return path


def kaggle_file(folder: Path) -> Path:
    pair = {"input": [[1, 2]], "output": [[2, 1]]}
    path = folder / "my_challenges.json"
    path.write_text(json.dumps({"mine": {"train": [pair], "test": [{"input": [[3, 4]]}]}}))
    (folder / "my_solutions.json").write_text(json.dumps({"mine": [[[4, 3]]]}))
    return path


@pytest.fixture
def program_file(tmp_path: Path) -> Path:
    """A file with two programs, one of them without a task."""
    path = tmp_path / "programs.py"
    path.write_text(RIGHT + "\n\n" + RIGHT.replace("67a3c6ac", "nowhere"))
    return path
