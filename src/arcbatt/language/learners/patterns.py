"""Repeating patterns, continued where a grid does not show them."""

from __future__ import annotations

from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value

FORMS_IN_WORDS = (
    "at equal steps",
    "in each row separately",
    "in each column separately",
    "along rising diagonals",
    "along falling diagonals",
    "in rows and in columns",
)


@primitive(
    "Demos, Grid, Code[0..5], Code[0..1] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="the shortest step, of several the one with fewer rows, then columns; the fewest classes",
    examples=(
        "continue_pattern((), ((1, 2, 1, 0, 0),), 1, 1) == ((1, 2, 1, 2, 1),)",
        "continue_pattern((), ((1, 2, 0), (2, 0, 0), (0, 0, 0)), 3, 1) == "
        "((1, 2, 1), (2, 1, 2), (1, 2, 1))",
    ),
)
def continue_pattern(S: Demos, I: Grid, form: int, hidden: int) -> Value:  # noqa: E741
    """Continue the repeating pattern of a grid over a grid of the outputs' size.

    The size is the grid's if all demos' outputs have their inputs' sizes, else the one size that
    all outputs have; it is at most 30 and not less than the grid's. All cells of the grid are
    known, with `hidden` 1 all but 0; there must be both known and unknown places.

    The forms: 0 the shortest step down or to the right such that known places that are one step
    apart have the same color, and at least a third of the known places other than 0 are the start
    of such a step; a place gets the color of the nearest known place a number of steps away,
    forwards first, or 0. 1 each row separately with its shortest period, 2 each column likewise;
    with `hidden` 1 the zeros after the last other color are unknown, and the grid must have all
    rows, or columns. The others assign places to classes, the fewest classes such that the known
    places of a class have one color and every class has one: 3 by row plus column modulo a number
    up to 15, 4 by row minus column, 5 by row modulo one number and column modulo another.
    """


@worded("continue_pattern")
def _(given: Value, S: Demos, I: Grid, form: int, hidden: int) -> list[str]:  # noqa: E741
    where = "over its black cells" if hidden else "beyond its edges"
    return [f"the pattern of the grid repeats {FORMS_IN_WORDS[form]}; it is continued {where}"]
