"""Objects and colors in an order, listed or recolored."""

from __future__ import annotations

from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value

ITEMS = (
    "colors",
    "objects of one color, connected by sides or corners",
    "objects of one color, connected by sides",
    "objects, connected by sides or corners",
)
KEYS = (
    "first cell row by row",
    "first cell column by column",
    "top edge",
    "left edge",
    "bottom edge",
    "right edge",
    "number of cells",
    "height",
    "width",
    "box area",
)
FORMS = (
    "each as one cell",
    "each as its number of cells",
    "they take their colors in reverse order",
    "each two exchange their colors",
)
CANVASES = ("in a row", "in a column", "in a grid of fixed size", "in a grid of the input's size")
_IN_LINES = (2, 3)  # the canvases that a list fills line by line
_LAST_LINE_FIRST, _FROM_THE_END, _COLUMNS, _IN_TURNS = 1, 2, 4, 8
_N_LISTS = 2  # the first forms


@primitive(
    "Demos, Grid, Code[0..1] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="rules of equal bits in the order of their numbers, then the first grid",
    examples=(
        "learn_order(((((0, 3, 0), (2, 0, 0), (0, 0, 4)), ((2, 3, 4),)),), "
        "((5, 0, 0, 0), (0, 0, 0, 6), (0, 7, 0, 0)), 0) == ((5, 7, 6),)",
        "learn_order(((((1, 2, 2, 3, 3, 3),), ((3, 2, 2, 1, 1, 1),)),), "
        "((4, 4, 4, 5, 5, 6),), 0) == ((6, 6, 6, 5, 5, 4),)",
    ),
)
def learn_order(S: Demos, I: Grid, code: int) -> Value:  # noqa: E741
    """Put the objects or colors of a grid in an order, and list or recolor them as the demos do.

    The items are the colors other than 0, or objects on 0, which are cut in three ways; a grid may
    have 60. They are ordered by a place, by their number of cells or by their box, the least or the
    greatest first; items with equal keys stay in the order of their first cells.

    A list has one cell per item, or as many as the item has. It is a row or a column of its own
    length, or it fills a grid of the input's size or of the size of all outputs: line by line, from
    one of the corners, along rows or columns, each line in the same direction or every other one
    backwards. Or the items keep their places, and their colors are reversed in this order, or each
    two in the order exchange theirs.

    All rules that agree with all demos are found. A rule of n bits counts 2 to the power of -n for
    the grid that it gives, and the code chooses among the grids: the one of most weight, or the
    second. If there is only one grid, as for the demos, both codes give it.
    """


def _words_of_path(path: int) -> str:
    ends = (("top", "bottom"), ("left", "right"))
    upright = bool(path & _COLUMNS)
    # The first line is at one side, its first cell at another.
    line = ends[upright][bool(path & _LAST_LINE_FIRST)]
    start = ends[not upright][bool(path & _FROM_THE_END)]
    lines = "columns" if upright else "rows"
    how = ", every other line backwards" if path & _IN_TURNS else ""
    return f"{lines} from the {line}, each from the {start}{how}"


@worded("learn_order")
def _(given: Value, *args: Any) -> list[str]:
    rule: Any = find_rule("learn_order", args)
    items, key, falling, form, canvas, path = rule
    order = f"{ITEMS[items]}, ordered by their {KEYS[key]}"
    order += ", the greatest first" if falling else ", the least first"
    if args[-1]:
        order += " (the second choice)"
    if form >= _N_LISTS:
        return [order, FORMS[form]]
    lines = f", in {_words_of_path(path)}" if canvas in _IN_LINES else ""
    return [order, f"they are listed {CANVASES[canvas]}, {FORMS[form]}{lines}"]
