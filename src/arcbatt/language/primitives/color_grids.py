"""Grids of colors: non-empty rectangles of numbers 0 to 9, their places and directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ..failure import wrong_type
from ..values import Grid, Pair

Pairs: TypeAlias = Sequence[tuple[Grid, Grid]]

OUTSIDE = 10  # the color of places outside the grid

BESIDE = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def check_colors(name: str, S: Pairs, *grids: Grid) -> None:
    """Fail unless all grids are non-empty rectangles of colors 0 to 9."""
    for grid in [*(side for pair in S for side in pair), *grids]:
        widths = {len(row) for row in grid}
        if len(widths) != 1 or 0 in widths:
            raise wrong_type(f"{name}: a grid is empty or not a rectangle")
        if not all(0 <= cell <= 9 for row in grid for cell in row):
            raise wrong_type(f"{name}: a grid has a number that is not a color")


def size_of(grid: Grid) -> Pair:
    """Return the number of rows and columns."""
    return len(grid), len(grid[0])


def at(grid: Grid, i: int, j: int) -> int:
    """Return the color at a place, which may lie outside the grid."""
    return grid[i][j] if 0 <= i < len(grid) and 0 <= j < len(grid[0]) else OUTSIDE


def all_places(grid: Grid) -> Iterator[Pair]:
    """Yield all places, row by row."""
    return ((i, j) for i in range(len(grid)) for j in range(len(grid[0])))


def parts_of(places: Iterable[Pair], steps: Sequence[Pair]) -> list[set[Pair]]:
    """Return the connected parts of places, where steps lead from one to the next."""
    rest = set(places)
    parts = []
    while rest:
        todo = [rest.pop()]
        part = set(todo)
        while todo:
            i, j = todo.pop()
            near = {(i + di, j + dj) for di, dj in steps} & rest
            rest -= near
            part |= near
            todo += near
        parts.append(part)
    return parts
