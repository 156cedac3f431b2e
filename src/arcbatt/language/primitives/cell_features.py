"""What can be said of a cell: numbered features that cell trees test and copy.

`columns_of` gives for each feature what it is in each cell of a grid, row by row: colours, 10
standing for none, or numbers from 0 to 63, greater ones counting as 63. The features, their order
and their names are the same for all grids: `FEATURES`. Nowhere is 0 the background unasked: the
background is the commonest colour of the grid, the lowest of several.
"""

from __future__ import annotations

from contextvars import copy_context

from ..budget import Meter, use_meter
from ..values import Grid
from .cell_columns import IS_FACT, PAINT, CellFeature, Column, commonest_color, rarest_color
from .cell_objects import ObjectColumns


class _Columns(ObjectColumns):
    """All features of one grid."""

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._add_surroundings()
        self._add_objects()
        self._whole()

    def _whole(self) -> None:
        n = len(self.cells)
        main = commonest_color(self.counts, (self.ground,))
        rare = rarest_color(self.counts, (self.ground,))
        self.add("the background", PAINT, 9, [self.ground] * n)
        self.add("the main colour but background", PAINT, 8, [main] * n)
        self.add("the rarest colour but background", PAINT, 8, [rare] * n)
        self.add(
            "its colour is the main one but background", IS_FACT, 9, [c == main for c in self.cells]
        )
        self.add(
            "its colour is the rarest but background", IS_FACT, 9, [c == rare for c in self.cells]
        )


def columns_of(grid: Grid) -> list[Column]:
    """What each feature is in each cell of a grid of colours."""
    return _Columns(grid).columns


def _features() -> tuple[CellFeature, ...]:
    use_meter(Meter())
    return tuple(_Columns(((0,),)).features)


# In a context of its own: what is charged for here is nobody's.
FEATURES = copy_context().run(_features)
