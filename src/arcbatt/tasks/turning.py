"""Grids in, the same turned, mirrored, recoloured or framed out."""

from __future__ import annotations

from collections.abc import Sequence

from .task import Grid

N_TURNS = 8


def upside_down(grid: Grid) -> Grid:
    return grid[::-1]


def transposed(grid: Grid) -> Grid:
    return tuple(zip(*grid, strict=True))


def turned(grid: Grid, turn: int) -> Grid:
    """Return one of the eight ways to lay a grid: 0 as it is, 1 to 3 turned to the right by
    quarters, 4 to 7 the same and then upside down.
    """
    for _ in range(turn % 4):
        grid = transposed(upside_down(grid))
    return upside_down(grid) if turn >= 4 else grid


def turned_back(grid: Grid, turn: int) -> Grid:
    """Return the grid that `turned` made this one of."""
    grid = upside_down(grid) if turn >= 4 else grid
    return turned(grid, -turn % 4)


def recolored(grid: Grid, colors: Sequence[int]) -> Grid:
    """Return a grid with every colour replaced by the one at its place in `colors`."""
    return tuple(tuple(colors[color] for color in row) for row in grid)


def framed(grid: Grid, width: int, color: int) -> Grid:
    """Return a grid with a frame of one colour around it."""
    side = (color,) * width
    across = ((color,) * (len(grid[0]) + 2 * width),) * width
    return (*across, *((*side, *row, *side) for row in grid), *across)


def unframed(grid: Grid, width: int, color: int) -> Grid | None:
    """Return the grid that `framed` made this one of; None if there is no such frame."""
    inner = tuple(row[width:-width] for row in grid[width:-width])
    has_inner = len(inner) > 0 and len(inner[0]) > 0
    return inner if has_inner and framed(inner, width, color) == grid else None
