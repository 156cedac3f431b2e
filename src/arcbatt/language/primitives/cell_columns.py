"""Features of cells in columns: the declaration of a feature, and the base that computes them.

`engine.table` writes the traits, simplicities and groups of all features for the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..values import Grid
from ..wording import COLOR_NAMES as COLOR_NAMES

NONE = 10  # stands for no color
MOST = 63  # greater numbers count as this

# Traits of features.
IS_COLOR = 1  # a color, which tests compare; all others are numbers, which tests bound
IS_TAKEN = 2  # a color that a cell may take
TURNS = 4  # it changes when the grid is turned or mirrored
NAMES = 8  # it depends on which color is which
IS_FACT = 16  # a number that is 1 if the name is true, else 0
SHADE = IS_COLOR | NAMES
PAINT = SHADE | IS_TAKEN

Column: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class CellFeature:
    """One feature: its name in words, its traits, and its simplicity, 16 for the simplest."""

    name: str
    traits: int
    simplicity: int


def most_common_color(counts: Sequence[int], without: Iterable[int] = ()) -> int:
    """Return the color that is counted most, the lowest of several; NONE if all are 0."""
    best = NONE
    for color in range(10):
        if color not in without and counts[color] > (0 if best == NONE else counts[best]):
            best = color
    return best


def rarest_color(counts: Sequence[int], without: Iterable[int] = ()) -> int:
    """Return the color that is counted least, but not 0 times, the lowest of several."""
    best = NONE
    for color in range(10):
        if color not in without and counts[color]:
            if best == NONE or counts[color] < counts[best]:
                best = color
    return best


def count_colors(colors: Iterable[int]) -> list[int]:
    """Return how often each color, and NONE, occurs."""
    counts = [0] * (NONE + 1)
    for color in colors:
        counts[color] += 1
    return counts


def n_counted(counts: Sequence[int]) -> int:
    """Return the number of colors that occur."""
    return sum(number > 0 for number in counts[:NONE])


class CellColumns:
    """The features of one grid, added one after the other, in groups that belong together."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.n_rows, self.width = len(grid), len(grid[0])
        self.cells = [color for row in grid for color in row]
        self.counts = count_colors(self.cells)
        self.ground = most_common_color(self.counts)
        self.features: list[CellFeature] = []
        self.columns: list[Column] = []
        self.group_ends: list[int] = []

    def end_group(self) -> None:
        self.group_ends.append(len(self.features))

    def add(self, name: str, traits: int, simplicity: int, column: Column) -> None:
        if not traits & IS_COLOR:
            column = [min(int(number), MOST) for number in column]
        self.features.append(CellFeature(name, traits, simplicity))
        self.columns.append(column)

    def each(self, name: str, traits: int, simplicity: int, f: Callable[[int, int], int]) -> None:
        """Add a function of the row and the column."""
        column = [f(i, j) for i in range(self.n_rows) for j in range(self.width)]
        self.add(name, traits, simplicity, column)

    def at(self, i: int, j: int) -> int:
        inside = 0 <= i < self.n_rows and 0 <= j < self.width
        return self.cells[i * self.width + j] if inside else NONE

    def beside(self, k: int, directions: Sequence[tuple[int, int]]) -> list[int]:
        i, j = divmod(k, self.width)
        return [self.at(i + di, j + dj) for di, dj in directions]
