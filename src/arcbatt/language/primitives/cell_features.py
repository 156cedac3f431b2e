"""The features of cells that cell trees test and copy.

`columns_of` returns for each feature its value in each cell of a grid, row by row: colors, 10 for
none, or numbers from 0 to 63, where greater ones count as 63. The features, their order and their
names are the same for all grids: `FEATURES`. The background is the most common color of the grid,
the lowest of several.
"""

from __future__ import annotations

from contextvars import copy_context

from ..budget import Meter, use_meter
from ..values import Grid
from .cell_columns import IS_FACT, PAINT, CellFeature, Column, most_common_color, rarest_color
from .cell_relations import RelationColumns


class _Columns(RelationColumns):
    """All features of one grid."""

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._add_surroundings()
        self._add_objects()
        self._whole()
        self.end_group()
        self._add_relations()

    def _whole(self) -> None:
        n = len(self.cells)
        main = most_common_color(self.counts, (self.ground,))
        rare = rarest_color(self.counts, (self.ground,))
        self.add("the background", PAINT, 9, [self.ground] * n)
        self.add("the main color except background", PAINT, 8, [main] * n)
        self.add("the rarest color except background", PAINT, 8, [rare] * n)
        self.add(
            "its color is the main one except background",
            IS_FACT,
            9,
            [c == main for c in self.cells],
        )
        self.add(
            "its color is the rarest except background", IS_FACT, 9, [c == rare for c in self.cells]
        )


def columns_of(grid: Grid) -> list[Column]:
    """Return the value of each feature in each cell of a grid of colors."""
    return _Columns(grid).columns


def _declare() -> tuple[tuple[CellFeature, ...], tuple[int, ...]]:
    use_meter(Meter())
    columns = _Columns(((0,),))
    return tuple(columns.features), tuple(columns.group_ends)


# In a context of its own, so that no running program is charged.
FEATURES, GROUP_ENDS = copy_context().run(_declare)
