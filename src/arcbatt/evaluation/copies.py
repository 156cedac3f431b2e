"""Copies of a task: all its grids flipped, transposed or recolored.

The rule of most tasks does not depend on orientation or on particular colors. A program that
behaves the same on a copy of the task is less likely to fit by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arcbatt.tasks import Grid
from arcbatt.tasks.transforms import recolored, transposed, upside_down
from arcbatt.tasks.validation import MAX_COLOR

# 0, the background of most tasks, keeps its color.
_REVERSED = (0, *range(MAX_COLOR, 0, -1))

# More orientations and colorings add hardly any information.
COPIES: tuple[Callable[[Grid], Grid], ...] = (
    upside_down,
    transposed,
    partial(recolored, colors=_REVERSED),
)
N_COPIES = len(COPIES)
