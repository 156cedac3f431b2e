"""Connected parts of grids of colors, as the features of cells and of objects describe them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..values import Grid, Pair
from .cell_columns import count_colors, most_common_color
from .color_grids import BESIDE, all_places, parts_of


@dataclass(eq=False)
class GridPart:
    """A part of a grid."""

    number: int
    cells: list[Pair]  # row by row
    grid: Grid

    @property
    def size(self) -> int:
        return len(self.cells)

    @cached_property
    def counts(self) -> list[int]:
        """How often each color occurs in it."""
        return count_colors(self.grid[i][j] for i, j in self.cells)

    @cached_property
    def color(self) -> int:
        """Its most common color, the lowest of several."""
        return most_common_color(self.counts)

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Its first and last row, its first and last column."""
        rows, columns = zip(*self.cells, strict=True)
        return min(rows), max(rows), min(columns), max(columns)

    @property
    def height(self) -> int:
        return self.box[1] - self.box[0] + 1

    @property
    def width(self) -> int:
        return self.box[3] - self.box[2] + 1

    @property
    def area(self) -> int:
        return self.height * self.width

    @cached_property
    def shape(self) -> list[Pair]:
        """Its cells, relative to its box."""
        return [(i - self.box[0], j - self.box[2]) for i, j in self.cells]

    @cached_property
    def holes(self) -> list[set[Pair]]:
        """The 4-connected areas of other cells that do not reach the sides of its box."""
        top, bottom, left, right = self.box
        places = {(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)}
        areas = parts_of(places.difference(self.cells), BESIDE)
        inner = [at for at in places if top < at[0] < bottom and left < at[1] < right]
        return [area for area in areas if area.issubset(inner)]


def cut(
    grid: Grid,
    background: int,
    steps: Sequence[Pair] | None,
    *,
    together: bool = False,
    with_background: bool = False,
) -> list[list[Pair]]:
    """Return the cells of each part of a grid, row by row; parts in the order of first cells.

    Steps lead from one cell of a part to the next; without them, all cells of a color are one part.
    A part has one color, or, with `together`, any but the background. Parts of the background are
    left out, or connected by sides.
    """
    places: defaultdict[int | None, set[Pair]] = defaultdict(set)
    for i, j in all_places(grid):
        color = grid[i][j]
        places[None if together and color != background else color].add((i, j))
    parts = []
    for kind, same in places.items():
        if kind != background:
            parts += [same] if steps is None else parts_of(same, steps)
        elif with_background:
            parts += parts_of(same, BESIDE)
    return sorted(map(sorted, parts))
