"""A grid's objects or colors in some order, each as a cell or a bar of its color."""

from __future__ import annotations

from ..registry import Rule, primitive, worded
from ..values import Grid, Value

ITEMS = ("objects of one color", "objects of any colors", "colors")
CHOICES = ("all", "the largest", "all but the largest")
ORDERS = ("the largest first", "the smallest first", "from the left", "from the top")
DRAWINGS = (
    "a row of cells",
    "a column of cells",
    "bars to the right",
    "bars to the left",
    "bars downwards",
    "bars upwards",
)


@primitive(
    "Grid, Code[0..2], Code[0..11], Code[0..5] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="of equal objects the first, row by row; of colors the lowest",
    examples=(
        "object_bars(((1, 0, 2, 2),), 0, 0, 1) == ((2,), (1,))",
        "object_bars(((1, 0, 2, 2),), 2, 0, 4) == ((2, 1), (2, 0))",
    ),
)
def object_bars(grid: Grid, what: int, choice: int, drawing: int) -> Value:
    """Draw a grid's objects or colors, in order, as a cell or a bar each.

    What: 0 8-connected objects of one color other than 0, 1 8-connected objects of any colors
    other than 0, 2 the colors other than 0. Choices: 0 all, by the number of their cells, the
    largest first, 1 the smallest first, 2 by their first column, 3 by their first row; 4 to 7
    likewise only those that have the most cells, 8 to 11 all but those. Drawings: 0 a row of cells,
    1 a column, 2 bars to the right, 3 to the left, each a row as long as there are cells, 4 bars
    downwards, 5 upwards. Each has its most common color, the lowest of several. Fails where there
    is nothing to draw, or a side would be longer than 30.
    """


@worded("object_bars")
def _(given: Value, grid: Grid, what: int, choice: int, drawing: int) -> list[str]:
    which, order = divmod(choice, len(ORDERS))
    return [f"{CHOICES[which]} of the {ITEMS[what]}, {ORDERS[order]}, as {DRAWINGS[drawing]}"]
