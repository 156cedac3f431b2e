"""Pictures: plain functions that the definitions of steps on them use.

A picture is a rectangle of colours 0 to 9 at a place, `((row, column), grid)`; 0 is
see-through. The empty picture is `((0, 0), ())`: it is what steps give where there is
nothing to give, and an ordinary value. A list of pictures is a set of them, in the order
of values, so by place first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from ..budget import require
from ..values import Grid, Pair

Picture: TypeAlias = tuple[Pair, Grid]
Rows: TypeAlias = Sequence[Sequence[int]]

EMPTY_PICTURE: Picture = ((0, 0), ())


def picture(row: int, column: int, rows: Iterable[Iterable[int]]) -> Picture:
    """A picture of rows of cells; the empty one where there are none."""
    grid = tuple(map(tuple, rows))
    return ((row, column), grid) if grid and grid[0] else EMPTY_PICTURE


def plain(given: Picture) -> Picture:
    """A picture as it counts: without cells it is the empty one, wherever it lies."""
    return given if given[1] else EMPTY_PICTURE


def require_cells(n_rows: int, width: int) -> None:
    """Fail before a picture is made that is larger than the budget."""
    if n_rows > 0 and width > 0:
        require(n_rows * (1 + width))


def n_rows(given: Picture) -> int:
    return len(given[1])


def width(given: Picture) -> int:
    return len(given[1][0]) if given[1] else 0


def cells(given: Picture) -> Iterable[int]:
    """All cells, row by row."""
    return chain.from_iterable(given[1])


def n_shown(given: Picture) -> int:
    """How many cells are not 0."""
    return sum(cell != 0 for cell in cells(given))


def main_color(given: Picture) -> int:
    """The commonest colour but 0, the lowest of several; 0 where there is none."""
    counts = Counter(cell for cell in cells(given) if cell)
    return min(counts, key=lambda color: (-counts[color], color), default=0)
