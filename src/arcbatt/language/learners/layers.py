"""Grids as sheets that lie over each other."""

from __future__ import annotations

from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value
from ..wording import name_color

_SHEETS = ("a sheet is all cells of one color", "a sheet is connected cells of one color")
# The sheets that an output is made of, by number.
WHICH = (
    "all sheets",
    "the sheets that overlap",
    "the uncovered sheets that cover others",
    "all but the uncovered sheets that cover others",
    "the covered sheets that cover none",
    "all but the covered sheets that cover none",
    "the covered sheets",
    "the uncovered sheets",
    "the sheets that cover others",
    "the sheets that cover none",
    "the covered sheets that cover others",
)
FORMS = (
    "the colors of {} in a row, the lowest first",
    "the colors of {} in a row, the uppermost first",
    "the colors of {} in a column, the lowest first",
    "the colors of {} in a column, the uppermost first",
    "squares in the colors of {}, the lowest outermost, around one cell",
    "squares in the colors of {}, the uppermost outermost, around one cell",
    "squares in the colors of {}, the lowest outermost, around four cells",
    "squares in the colors of {}, the uppermost outermost, around four cells",
    "{}, whole and without the others",
    "{}, whole and cropped",
    "a crop of the grid: the box of {}",
    "one cell in the color of {}",
    "the grid in the color of {}",
    "{}, whole, in front of the others",
    "{} in reverse order",
)


@primitive(
    "Demos, Grid, Code[0..1] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="the first form of output, then the first sheets, in the order given",
    examples=(
        "learn_layers(((((0, 3, 0), (2, 3, 2), (0, 3, 0)), ((2, 3),)),), "
        "((0, 0, 5), (4, 4, 4), (0, 0, 5), (0, 0, 5)), 0) == ((5, 4),)",
        "learn_layers(((((0, 3, 0), (2, 3, 2), (0, 3, 0)), ((0, 3, 0), (2, 2, 2), (0, 3, 0))),), "
        "((0, 0, 5), (4, 4, 4), (0, 0, 5), (0, 0, 5)), 0) == "
        "((0, 0, 5), (4, 4, 5), (0, 0, 5), (0, 0, 5))",
    ),
)
def learn_layers(S: Demos, I: Grid, code: int) -> Value:  # noqa: E741
    """Make a grid of sheets that lie over each other, as the demos do.

    A sheet is all cells of one color other than 0 (code 0), or 8-connected cells of one color (1).
    If others hide a part of it, the whole sheet is the first of these that has all its visible
    cells, and its other cells under other sheets: a frame, a diagonal, a frame two cells thick, a
    rectangle, the visible cells with their mirror images, or all cells between them in rows and
    columns. A sheet covers another if it is visible in a cell of the other. A grid may have up to
    12 sheets. Some must overlap, and none may cover itself by way of others.

    An output is a list of the colors in their order, as a row, a column or squares within each
    other; some of the sheets, whole, in their places or cropped; a crop of the grid to the box of
    some; the color of some, as one cell or for all cells other than 0; all sheets with some of them
    in front of the others, or in reverse order; the grid with some of them in another color.
    """


@worded("learn_layers")
def _(given: Value, *args: Any) -> list[str]:
    rule: Any = find_rule("learn_layers", args)
    form, which = rule
    if form < len(FORMS):
        what = FORMS[form].format(WHICH[which])
    else:
        what = f"the grid with {WHICH[which]} in {name_color(form - len(FORMS))}"
    return [f"{_SHEETS[args[-1]]}, also where others hide them; the output is {what}"]
