"""Compare two task sets: which tasks differ, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arcbatt.drawing.grid_diff import describe_difference
from arcbatt.plurals import count
from arcbatt.scoring import Answers, known_answers, same_answers
from arcbatt.tasks import Grid, Task, load


@dataclass(frozen=True, slots=True)
class SetDifference:
    """The tasks that only one of two sets has, and the differences of shared ones, by task id."""

    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]
    n_same: int

    def to_json(self) -> dict[str, Any]:
        return {
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
            "changed": {task_id: list(lines) for task_id, lines in self.changed.items()},
            "same": self.n_same,
        }


def compare_sets(first: str, second: str) -> SetDifference:
    """Return how two sources of tasks differ; answers are compared if both have them."""
    one, other = load(first), load(second)
    answers = known_answers(first), known_answers(second)
    changed: dict[str, tuple[str, ...]] = {}
    common = [task for task in one if other.get(task.id) is not None]
    for task in common:
        twin = other[task.id]
        if lines := (*_compare_tasks(task, twin), *_compare_answers(task, answers)):
            changed[task.id] = lines
    return SetDifference(
        tuple(task_id for task_id in one.ids if other.get(task_id) is None),
        tuple(task_id for task_id in other.ids if one.get(task_id) is None),
        changed,
        len(common) - len(changed),
    )


def _compare_tasks(task: Task, twin: Task) -> Iterator[str]:
    demos, twins = task.demos, twin.demos
    if demos != twins and sorted(map(repr, demos)) == sorted(map(repr, twins)):
        yield "the demos are in another order"
    else:
        for side in ("input", "output"):
            yield from _compare_grids(
                f"demo {{}} {side}",
                [getattr(demo, side) for demo in demos],
                [getattr(demo, side) for demo in twins],
            )
        if len(demos) != len(twins):
            yield f"{count(len(demos), 'demo')} in the first, {len(twins)} in the second"
    yield from _compare_grids("test {} input", task.test_inputs, twin.test_inputs)
    if len(task.test_inputs) != len(twin.test_inputs):
        n_tests = count(len(task.test_inputs), "test input")
        yield f"{n_tests} in the first, {len(twin.test_inputs)} in the second"


def _compare_grids(label: str, grids: Any, twins: Any) -> Iterator[str]:
    pairs: Iterator[tuple[Grid, Grid]] = zip(grids, twins, strict=False)
    for number, (grid, twin) in enumerate(pairs, 1):
        if grid != twin:
            sizes = tuple(f"{len(each)}x{len(each[0])}" for each in (grid, twin))
            how = describe_difference(grid, twin)
            if sizes[0] != sizes[1]:
                how = f"{sizes[0]} in the first, {sizes[1]} in the second"
            yield f"{label.format(number)}: {how}"


def _compare_answers(task: Task, answers: tuple[Answers | None, Answers | None]) -> Iterator[str]:
    first, second = answers
    if first is None or second is None:
        return
    for number, is_same in enumerate(same_answers(first, second, task.id), 1):
        if not is_same:
            yield f"test {number}: another answer"
