"""Values of programs that come near a task's outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language.ir import Node
from arcbatt.tasks import Grid, Task


@dataclass(frozen=True, slots=True)
class NearValue:
    """The value of a node in each example, and its distance from the outputs.

    In `n_other_size` demos its size is not the output's; in the others `n_wrong` cells are wrong.
    """

    node: Node
    grids: tuple[Grid, ...]
    n_other_size: int
    n_wrong: int

    @property
    def is_right(self) -> bool:
        """Whether it is the output in all demos."""
        return self.n_other_size == self.n_wrong == 0


def near_values(board: TaskBoard, task: Task, batt: Batt) -> list[NearValue]:
    """Return the distinct values of programs that are grids in every example, nearest first.

    The input itself is left out. The order is by demos of another size, then by wrong cells; of
    programs with the same value the shortest counts.
    """
    if not batt.programs:
        return []
    inputs = (*(demo.input for demo in task.demos), *task.test_inputs)
    best: dict[tuple[Grid, ...], tuple[tuple[int, int, int, int], Node]] = {}
    for index, (program, grids) in enumerate(board.values(task, batt)):
        if grids == inputs:
            continue
        rank = (*_distance(grids, task), program.n_calls, index)
        if grids not in best or rank < best[grids][0]:
            best[grids] = (rank, program.result)
    ordered = sorted(best.items(), key=lambda item: item[1][0])
    return [NearValue(node, grids, *rank[:2]) for grids, (rank, node) in ordered]


def _distance(grids: Sequence[Grid], task: Task) -> tuple[int, int]:
    """Return the number of demos of another size, and the wrong cells in the others."""
    n_other_size = n_wrong = 0
    for grid, demo in zip(grids, task.demos, strict=False):
        if (len(grid), len(grid[0])) != (len(demo.output), len(demo.output[0])):
            n_other_size += 1
            continue
        n_wrong += sum(
            a != b
            for row, wanted in zip(grid, demo.output, strict=True)
            for a, b in zip(row, wanted, strict=True)
        )
    return n_other_size, n_wrong
