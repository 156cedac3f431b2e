"""Copies of a task: grids in, the same mirrored, transposed or recoloured out.

The rule of most tasks does not care which way is up or which colour is which. A program that gives
the same on a copy of the task, changed as the copy is, rests less on chance.
"""

from __future__ import annotations

from collections.abc import Callable

from arcbatt.tasks import Grid
from arcbatt.tasks.validation import MAX_COLOR

# 0 is the background of most tasks, and stays it.
_RECOLORED = (0, *range(MAX_COLOR, 0, -1))


def _upside_down(grid: Grid) -> Grid:
    return grid[::-1]


def _transposed(grid: Grid) -> Grid:
    return tuple(zip(*grid, strict=True))


def _recolored(grid: Grid) -> Grid:
    return tuple(tuple(_RECOLORED[color] for color in row) for row in grid)


# More turns and more colourings tell hardly more than these.
COPIES: tuple[Callable[[Grid], Grid], ...] = (_upside_down, _transposed, _recolored)
N_COPIES = len(COPIES)
