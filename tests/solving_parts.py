"""Tasks and stages for the tests of solving: small, odd, and doing as they are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from arcbatt.language import parse_program
from arcbatt.scoring import read_submission
from arcbatt.solving import Candidate, Desk, Share, stage_list
from arcbatt.solving.stages import Stage
from arcbatt.tasks import Grid, Pair, Task, load

MIRROR = "def solve(I):\n    O = vmirror(I)\n    return O\n"
FLIP = "def solve(I):\n    O = hmirror(I)\n    return O\n"
HOSTILE = (
    "../../escape",
    "</script><script>alert(1)</script>",
    "a'\"&<b>",
    "ünïcødé 図",
    "x" * 300,
    "def",
    "1",
    "a-b",
    "a_b",
)


def task_named(name: str) -> Task:
    """A task that `vmirror` solves."""
    pair = Pair(((1, 2), (3, 4)), ((2, 1), (4, 3)))
    return Task(name, (pair, pair), (((5, 6), (7, 8)), ((9, 0),)), "tests")


def huge_task() -> Task:
    """As large as tasks can be, of noise that nothing explains."""

    def grid(seed: int) -> Grid:
        return tuple(
            tuple((seed * r * r + 7 * c * c * c + r * c) % 10 for c in range(30)) for r in range(30)
        )

    pairs = tuple(Pair(grid(k), grid(k + 50)) for k in range(10))
    return Task("huge", pairs, tuple(grid(k + 99) for k in range(3)), "tests")


def training(*names: str) -> list[Task]:
    found = load("arc-agi-1/training")
    return [found[name] for name in names]


def candidate_for(task: Task, text: str = MIRROR, **changes: Any) -> Candidate:
    """A candidate that gives each test input mirrored, as its program would."""
    content: dict[str, Any] = {
        "task": task,
        "program": parse_program(text),
        "family": "vmirror",
        "outputs": tuple(tuple(row[::-1] for row in grid) for grid in task.test_inputs),
        "n_fitted": len(task.demos),
        "size": 1,
        "cost": 10,
        "credit": 1000,
    }
    return Candidate(**{**content, **changes})


class Told(Stage):
    """A stage that does what a function says, round after round."""

    weight, trust, enough = 1.0, 1.0, 10

    def __init__(
        self, do: Callable[[Sequence[Task], Desk], None], name: str = "told", n_rounds: int = 1
    ) -> None:
        self.name = name
        self._do = do
        self._n_rounds = n_rounds
        self.n_done = 0

    def run(self, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        while self.n_done < self._n_rounds and not share.is_spent:
            self.n_done += 1
            self._do(tasks, desk)
            share.end_round()
            desk.log({"n_pairs": 1, "wall_s": 0.5, "engine_s": 0.25, "note": self.n_done})

    def state(self) -> Any:
        return {"n_done": self.n_done}

    def restore(self, state: Any) -> None:
        self.n_done = state["n_done"]


def put_in_list(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Stage]) -> None:
    """Have a stage named "told" among those that runs may ask for."""
    makers = {**stage_list.STAGE_MAKERS, "told": lambda _options: make()}
    monkeypatch.setattr(stage_list, "STAGE_MAKERS", makers)


def check_submission_file(path: Path, tasks: Sequence[Task]) -> dict[str, Any]:
    """The submission has two different grids for every test input of every task, and no more."""
    submission = read_submission(path)
    assert submission.keys() == {task.id for task in tasks}
    for task in tasks:
        assert len(submission[task.id]) == len(task.test_inputs)
        for attempts in submission[task.id]:
            assert attempts["attempt_1"] != attempts["attempt_2"]
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content
