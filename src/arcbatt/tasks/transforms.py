"""Transforms of grids: rotations, mirrorings, color permutations and frames."""

from __future__ import annotations

from collections.abc import Sequence

from .task import Grid

N_TURNS = 8


def upside_down(grid: Grid) -> Grid:
    return grid[::-1]


def transposed(grid: Grid) -> Grid:
    return tuple(zip(*grid, strict=True))


def turned(grid: Grid, turn: int) -> Grid:
    """Return one of the eight orientations of a grid: 0 to 3 quarter turns to the right; 4 to 7
    the same, then flipped upside down.
    """
    for _ in range(turn % 4):
        grid = transposed(upside_down(grid))
    return upside_down(grid) if turn >= 4 else grid


def turned_back(grid: Grid, turn: int) -> Grid:
    """Undo `turned`."""
    grid = upside_down(grid) if turn >= 4 else grid
    return turned(grid, -turn % 4)


def recolored(grid: Grid, colors: Sequence[int]) -> Grid:
    """Return a grid with every color `c` replaced by `colors[c]`."""
    return tuple(tuple(colors[color] for color in row) for row in grid)


def framed(grid: Grid, width: int, color: int) -> Grid:
    """Return a grid with a frame of one color around it."""
    side = (color,) * width
    across = ((color,) * (len(grid[0]) + 2 * width),) * width
    return (*across, *((*side, *row, *side) for row in grid), *across)


def unframed(grid: Grid, width: int, color: int) -> Grid | None:
    """Undo `framed`; return None if there is no such frame."""
    inner = tuple(row[width:-width] for row in grid[width:-width])
    has_inner = len(inner) > 0 and len(inner[0]) > 0
    return inner if has_inner and framed(inner, width, color) == grid else None
