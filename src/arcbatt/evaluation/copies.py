"""Copies of a task: grids in, the same mirrored, transposed or recoloured out.

The rule of most tasks does not care which way is up or which colour is which. A program that gives
the same on a copy of the task, changed as the copy is, rests less on chance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arcbatt.tasks import Grid
from arcbatt.tasks.turning import recolored, transposed, upside_down
from arcbatt.tasks.validation import MAX_COLOR

# 0 is the background of most tasks, and stays it.
_REVERSED = (0, *range(MAX_COLOR, 0, -1))

# More turns and more colourings tell hardly more than these.
COPIES: tuple[Callable[[Grid], Grid], ...] = (
    upside_down,
    transposed,
    partial(recolored, colors=_REVERSED),
)
N_COPIES = len(COPIES)
