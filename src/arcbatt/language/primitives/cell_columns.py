"""Features of cells in columns: what a feature has, and the class that collects them for a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..values import Grid

NONE = 10  # the colour where there is none
MOST = 63  # greater numbers count as this

# What a feature is: a colour, which tests compare, or else a number, which they bound; a colour
# that a cell may take; something that changes when the grid is turned or mirrored; something that
# tells which colour it is.
IS_COLOR, IS_TAKEN, TURNS, NAMES = 1, 2, 4, 8
IS_FACT = 16  # a number that is 1 where the name is true, else 0
SHADE = IS_COLOR | NAMES
PAINT = SHADE | IS_TAKEN

Column: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class CellFeature:
    """One feature: what it is in words, its traits, and how simple it is, 16 most."""

    name: str
    traits: int
    simplicity: int


COLOR_NAMES = "black blue red green yellow grey pink orange cyan brown".split()


def commonest_color(counts: Sequence[int], apart: Iterable[int] = ()) -> int:
    """The colour that is counted most, the lowest of several; none if all are 0."""
    best = NONE
    for color in range(10):
        if color not in apart and counts[color] > (0 if best == NONE else counts[best]):
            best = color
    return best


def rarest_color(counts: Sequence[int], apart: Iterable[int] = ()) -> int:
    """The colour that is counted least, but not 0 times, the lowest of several."""
    best = NONE
    for color in range(10):
        if color not in apart and counts[color]:
            if best == NONE or counts[color] < counts[best]:
                best = color
    return best


def count_colors(colors: Iterable[int]) -> list[int]:
    """How often each colour, and none, is there."""
    counts = [0] * (NONE + 1)
    for color in colors:
        counts[color] += 1
    return counts


class CellColumns:
    """The features of one grid, to be added one after the other."""

    def __init__(self, grid: Grid) -> None:
        self.n_rows, self.width = len(grid), len(grid[0])
        self.cells = [color for row in grid for color in row]
        self.counts = count_colors(self.cells)
        self.ground = commonest_color(self.counts)
        self.features: list[CellFeature] = []
        self.columns: list[Column] = []

    def add(self, name: str, traits: int, simplicity: int, column: Column) -> None:
        if not traits & IS_COLOR:
            column = [min(int(number), MOST) for number in column]
        self.features.append(CellFeature(name, traits, simplicity))
        self.columns.append(column)

    def each(self, name: str, traits: int, simplicity: int, f: Callable[[int, int], int]) -> None:
        """Add what a function gives for each row and column."""
        column = [f(i, j) for i in range(self.n_rows) for j in range(self.width)]
        self.add(name, traits, simplicity, column)

    def at(self, i: int, j: int) -> int:
        inside = 0 <= i < self.n_rows and 0 <= j < self.width
        return self.cells[i * self.width + j] if inside else NONE

    def beside(self, k: int, directions: Sequence[tuple[int, int]]) -> list[int]:
        i, j = divmod(k, self.width)
        return [self.at(i + di, j + dj) for di, dj in directions]
