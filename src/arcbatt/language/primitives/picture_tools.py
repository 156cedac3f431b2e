"""Helper functions on pictures for the definitions of primitives.

A picture is a rectangle of colors 0 to 9 at a place, `((row, column), grid)`; 0 is
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
from .color_grids import BESIDE, parts_of

Picture: TypeAlias = tuple[Pair, Grid]
Rows: TypeAlias = Sequence[Sequence[int]]

EMPTY_PICTURE: Picture = ((0, 0), ())


def picture(row: int, column: int, rows: Iterable[Iterable[int]]) -> Picture:
    """Return a picture of rows of cells; the empty one if there are none."""
    grid = tuple(map(tuple, rows))
    return ((row, column), grid) if grid and grid[0] else EMPTY_PICTURE


def plain(given: Picture) -> Picture:
    """Return a picture in canonical form: any picture without cells is the empty one."""
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
    """Return all cells, row by row."""
    return chain.from_iterable(given[1])


def columns_of(rows: Iterable[Iterable[int]]) -> Grid:
    """Return the columns of rows: their transpose."""
    return tuple(zip(*rows, strict=True))


def n_shown(given: Picture) -> int:
    """Return how many cells are not 0."""
    return sum(cell != 0 for cell in cells(given))


def main_color(given: Picture) -> int:
    """Return the most common color other than 0, the lowest on ties; 0 if there is none."""
    counts = Counter(cell for cell in cells(given) if cell)
    return min(counts, key=lambda color: (-counts[color], color), default=0)


# --- neighborhoods ---


def places_of(given: Picture, *colors: int) -> set[Pair]:
    """Return (row, column) of the cells of some colors, relative to the first cell."""
    return {
        (i, j) for i, line in enumerate(given[1]) for j, cell in enumerate(line) if cell in colors
    }


def on_edge(given: Picture, i: int, j: int) -> bool:
    """Return whether a cell is on the edge of the frame."""
    return i in (0, n_rows(given) - 1) or j in (0, width(given) - 1)


def outside(given: Picture, steps: Sequence[Pair]) -> set[Pair]:
    """Return the zeros that are connected to the edge by zeros."""
    parts = parts_of(places_of(given, 0), steps)
    return {at for part in parts if any(on_edge(given, *at) for at in part) for at in part}


def enclosed(given: Picture) -> list[set[Pair]]:
    """Return the holes: parts of zeros, connected by sides, that do not reach the edge."""
    parts = parts_of(places_of(given, 0), BESIDE)
    return [part for part in parts if not any(on_edge(given, *at) for at in part)]
