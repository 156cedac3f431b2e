"""A grid's objects in some order, each as a cell or a bar of its colour."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..domains import Grid, Number
from ..failure import empty
from ..registry import primitive, worded
from ..values import Value
from .observations import BY_COLOR_8, TOGETHER_8, Part, all_places, check_colors, commonest, cut_all

MAX_SIDE = 30
WHATS_IN_WORDS = ("objects of one colour", "objects of any colours", "colours")
WHICH_IN_WORDS = ("all", "the largest", "all but the largest")
ORDERS_IN_WORDS = ("the largest first", "the smallest first", "from the left", "from the top")
DRAWINGS_IN_WORDS = (
    "a row of cells",
    "a column of cells",
    "bars to the right",
    "bars to the left",
    "bars downwards",
    "bars upwards",
)


@dataclass(frozen=True)
class _Item:
    """Something that gets a cell or a bar."""

    color: int
    size: int
    top: int
    left: int


def _item(part: Part) -> _Item:
    color = commonest(part.grid[i][j] for i, j in part.places)
    return _Item(color, part.size, part.top, part.left)


def _items(grid: Grid, what: int) -> list[_Item]:
    if what < 2:
        (parts,) = cut_all([grid], (BY_COLOR_8, TOGETHER_8)[what])
    else:
        shown = sorted(Counter(cell for row in grid for cell in row if cell))
        parts = [
            Part(grid, frozenset((i, j) for i, j in all_places(grid) if grid[i][j] == color))
            for color in shown
        ]
    return [_item(part) for part in parts]


@primitive(
    "Grid, Code[0..2], Code[0..11], Code[0..5] -> Grid",
    ties="of equal ones the first, row by row; of colours the lowest",
    examples=(
        "object_bars(((1, 0, 2, 2),), 0, 0, 1) == ((2,), (1,))",
        "object_bars(((1, 0, 2, 2),), 2, 0, 4) == ((2, 1), (2, 0))",
    ),
)
def object_bars(grid: Grid, what: Number, choice: Number, drawing: Number) -> Value:
    """A grid's objects, or its colours, in order: a cell or a bar for each.

    What: 0 8-connected objects of one colour but 0, 1 8-connected ones of any colours but
    0, 2 the colours but 0. Choices: 0 all, by the number of their cells, the largest first, 1 the
    smallest first, 2 by their first column, 3 by their first row; 4 to 7 likewise those alone
    that have the most cells, 8 to 11 all but those. Drawings: 0 a row of cells, 1 a column, 2
    bars to the right, 3 to the left, each a row as long as there are cells, 4 bars downwards, 5
    upwards. Each has its commonest colour, the lowest of several. Fails where there are none, or
    a side would be longer than 30.
    """
    check_colors("object_bars", (), grid)
    items = _items(grid, what)
    most = max((item.size for item in items), default=0)
    which, order = divmod(choice, len(ORDERS_IN_WORDS))
    if which:
        items = [item for item in items if (item.size == most) == (which == 1)]
    places = [(-item.size, item.size, item.left, item.top)[order] for item in items]
    items = [items[k] for k in sorted(range(len(items)), key=lambda k: places[k])]
    is_bar = drawing >= 2
    length = max((item.size for item in items), default=0) if is_bar else 1
    if not items or len(items) > MAX_SIDE or length > MAX_SIDE:
        raise empty("object_bars: there are none, or too many")
    rows = []
    for item in items:
        n_shown = item.size if is_bar else 1
        bar = (item.color,) * n_shown + (0,) * (length - n_shown)
        rows.append(bar[::-1] if drawing in (3, 5) else bar)
    is_upright = drawing in (0, 4, 5)
    return tuple(zip(*rows, strict=True)) if is_upright else tuple(rows)


@worded("object_bars")
def _(given: Value, grid: Grid, what: int, choice: int, drawing: int) -> list[str]:
    which, order = divmod(choice, len(ORDERS_IN_WORDS))
    return [
        f"{WHICH_IN_WORDS[which]} of the {WHATS_IN_WORDS[what]}, {ORDERS_IN_WORDS[order]}, as "
        f"{DRAWINGS_IN_WORDS[drawing]}"
    ]
