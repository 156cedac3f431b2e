"""Check programs on further pairs of their tasks, as generators of ARC-AGI-1 tasks make them.

A program can be right on the few pairs of its task and still take a color, a size or a place for
granted. Further pairs of the same rule reveal this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from arcbatt.language import Budget, ParsedProgram
from arcbatt.tasks import Pair, Task, TaskError
from arcbatt.tasks.json_file import read_json
from arcbatt.tasks.validation import check_id, check_number, show, side_of

from .programs import PairCheck, PairToRun, judge_demo, run_on_pairs


@dataclass(frozen=True, slots=True)
class FurtherPairsCheck:
    """The outcomes of a program on further pairs of its task."""

    program: ParsedProgram
    task: Task
    pairs: tuple[Pair, ...]
    checks: tuple[PairCheck, ...]

    @property
    def n_right(self) -> int:
        return sum(check.result == "right" for check in self.checks)

    @property
    def is_right(self) -> bool:
        return self.n_right == len(self.checks)

    @property
    def first_trouble(self) -> tuple[Pair, PairCheck] | None:
        """The first pair that is not right and the program's outcome; None if all are right."""
        for pair, check in zip(self.pairs, self.checks, strict=True):
            if check.result != "right":
                return pair, check
        return None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.program.name,
            "task": self.task.id,
            "file": self.program.file,
            "line": self.program.line,
            "right": self.is_right,
            "n_right": self.n_right,
            "pairs": [check.to_json() for check in self.checks],
        }


def read_pairs(path: Path) -> dict[str, tuple[Pair, ...]]:
    """Return the pairs by task id of a JSON file: an object of lists of {"input", "output"}."""
    content = read_json(path)
    if not isinstance(content, dict) or not content:
        raise TaskError(
            f'{path}: {show(content)} is not an object of task ids with lists of {{"input", '
            f'"output"}}'
        )
    return {task_id: _parse_pairs(raw, task_id, path) for task_id, raw in content.items()}


def _parse_pairs(raw: object, task_id: str, path: Path) -> tuple[Pair, ...]:
    check_id(task_id, str(path))
    place = f"{path}: task {task_id}"
    if not isinstance(raw, list) or not raw:
        raise TaskError(f'{place}: {show(raw)} is not a list of pairs {{"input", "output"}}')
    check_number(len(raw), "pair", place)
    return tuple(
        Pair(
            side_of(raw, index, "input", "pair", place),
            side_of(raw, index, "output", "pair", place),
        )
        for index in range(len(raw))
    )


def check_on_pairs(
    program: ParsedProgram, task: Task, pairs: tuple[Pair, ...], budget: Budget | None = None
) -> FurtherPairsCheck:
    """Check one program on further pairs; the demos it is given are those of its task."""
    given = [
        PairToRun(f"pair {number}", pair.input, partial(judge_demo, pair.output))
        for number, pair in enumerate(pairs, 1)
    ]
    demos = tuple((demo.input, demo.output) for demo in task.demos)
    return FurtherPairsCheck(program, task, pairs, run_on_pairs(program, given, demos, budget))


def count_results(checks: Sequence[FurtherPairsCheck]) -> dict[str, int]:
    """Return the numbers of programs that are right on all, some and none of their pairs."""
    n_all = sum(check.is_right for check in checks)
    n_none = sum(check.n_right == 0 for check in checks)
    return {"all": n_all, "some": len(checks) - n_all - n_none, "none": n_none}
