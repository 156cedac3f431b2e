"""What known programs make of the input, as values to enumerate from.

A known program rarely solves another task, but half of one it may: what it gives is a source beside
the input, and its nodes are part of whatever program is found from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.tasks import Grid, Task

from .stacks import Source

# Of what a large pool has, so many programs are run on each task for their values: those of the
# fewest calls. All of them would take far more time, and memory, than the search that follows.
MAX_RUN = 1000
# Of a task, so many values at most; each costs about what the input does, less one move.
MAX_KNOWN = 12
KNOWN_DEPTH = 1


def known_values(board: TaskBoard, task: Task, batt: Batt) -> list[Source]:
    """Return the nearest of what programs give, as values to enumerate from.

    None gives all outputs, which would be a solution and no way to one.
    """
    near = [each for each in near_values(board, task, batt) if not each.is_right]
    return [each.source for each in near[:MAX_KNOWN]]


@dataclass(frozen=True, slots=True)
class NearValue:
    """What a program gives, and how near to the outputs that is.

    `n_other_size` demos have an output of another size, the others `n_wrong` wrong cells.
    """

    source: Source
    n_other_size: int
    n_wrong: int

    @property
    def is_right(self) -> bool:
        """Whether it is the output in all demos."""
        return self.n_other_size == self.n_wrong == 0


def near_values(board: TaskBoard, task: Task, batt: Batt) -> list[NearValue]:
    """Return what programs give that are grids in every example, nearest to the outputs first.

    Nearest: with the size of the output in most demos, then with the fewest wrong cells in those,
    then of the smallest program. None is the input itself, and no two are the same.
    """
    if not batt.programs:
        return []
    inputs = (*(demo.input for demo in task.demos), *task.test_inputs)
    found: dict[tuple[Grid, ...], tuple[tuple[int, int, int, int], Source]] = {}
    for place, (program, grids) in enumerate(board.values(task, batt)):
        if grids == inputs:
            continue
        rank = (*_distance(grids, task), program.n_calls, place)
        if grids not in found or rank < found[grids][0]:
            found[grids] = (rank, Source(program.result, grids, KNOWN_DEPTH))
    best = sorted(found.values(), key=lambda each: each[0])
    return [NearValue(source, *rank[:2]) for rank, source in best]


def _distance(given: Sequence[Grid], task: Task) -> tuple[int, int]:
    """In how many demos the size is not the output's, and the wrong cells in the others."""
    n_other_size = n_wrong = 0
    for grid, demo in zip(given, task.demos, strict=False):
        if (len(grid), len(grid[0])) != (len(demo.output), len(demo.output[0])):
            n_other_size += 1
            continue
        n_wrong += sum(
            a != b
            for row, wanted in zip(grid, demo.output, strict=True)
            for a, b in zip(row, wanted, strict=True)
        )
    return n_other_size, n_wrong
