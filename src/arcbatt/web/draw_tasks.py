"""Validate a drawn task, and separate its answers from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from arcbatt.checking import KnownTask
from arcbatt.scoring import seal_answers
from arcbatt.tasks import Grid, Task, TaskError
from arcbatt.tasks.validation import pairs_of, parse_grid, show

# More than any task of the sets has.
MAX_DEMOS = 20
MAX_TESTS = 10
DRAWN = "drawn"
PLACE = "task"


@dataclass(frozen=True, slots=True)
class DrawnTask:
    """A task without answers, and the answers that its author has drawn."""

    task: Task
    answers: tuple[Grid | None, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the task in the format of a task file, with the known answers."""
        content: dict[str, Any] = self.task.to_json()
        for test, answer in zip(content["test"], self.answers, strict=True):
            if answer is not None:
                test["output"] = answer
        return content

    def known(self) -> KnownTask:
        """Return the task with sealed answers; an incomplete set of answers counts as none."""
        if any(answer is None for answer in self.answers):
            return KnownTask(self.task, None)
        return KnownTask(self.task, seal_answers({self.task.id: self.answers}))


def read_drawn(content: object) -> DrawnTask:
    """Parse a drawn task; raise `TaskError` if it is not valid."""
    for key, label, most in (("train", "demo", MAX_DEMOS), ("test", "test", MAX_TESTS)):
        n_pairs = len(pairs_of(content, key, label, PLACE))
        if n_pairs > most:
            raise TaskError(f'{PLACE}: "{key}" has {n_pairs} pairs, expected {most} at most')
    assert isinstance(content, dict)
    task = Task.of({key: content[key] for key in ("train", "test")}, source=DRAWN)
    answers = tuple(
        parse_grid(pair["output"], f"{PLACE}: test {number} output")
        if pair.get("output") is not None
        else None
        for number, pair in enumerate(content["test"], 1)
    )
    return DrawnTask(task, answers)


def read_file(text: str | bytes) -> DrawnTask:
    """Return the task of a file, which may be a Kaggle file with a single task."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise TaskError(f"this is not JSON: {problem}") from None
    if isinstance(content, dict) and content and not {"train", "test"} & content.keys():
        if all(isinstance(each, dict) and "train" in each for each in content.values()):
            if len(content) > 1:
                raise TaskError(
                    f"this file has {len(content)} tasks, the first is "
                    f"{show(next(iter(content)))}; open a file of one task, or start with "
                    f"`arcbatt serve --data FILE` and choose one of them in the gallery"
                )
            (content,) = content.values()
    return read_drawn(content)
