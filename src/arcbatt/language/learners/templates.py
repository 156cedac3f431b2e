"""Templates: objects of several colors that complete parts of themselves elsewhere in a grid."""

from __future__ import annotations

from ..registry import Rule, primitive, worded
from ..values import Grid, Value

MATCHES_IN_WORDS = (
    "all cells of one of its colors are there",
    "all but its most common color is there, and some of that in any color",
    "an object of its shape and of one color is there",
)


@primitive(
    "Grid, Code[0..2], Code[0..1], Code[0..1] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="of matches with equally many cells the first: by template size, turn, scale, place",
    examples=(
        "complete_templates(((1, 2, 3, 0, 0, 2, 0),), 0, 0, 0) == ((1, 2, 3, 0, 1, 2, 3),)",
        "complete_templates(((1, 2, 3, 0, 8, 8, 8),), 2, 0, 1) == ((0, 0, 0, 0, 1, 2, 3),)",
    ),
)
def complete_templates(grid: Grid, match: int, turns: int, removes: int) -> Value:
    """Complete the parts of templates in a grid.

    A template is an object of two or more colors without 0, 8-connected (4-connected with `match`
    2), of at most 100 cells; a grid may have 32 objects. It is tried as it is and with each cell
    as a square of 2, 3 and 4, with `turns` 1 also mirrored and turned, at all places where one of
    its cells lies on the first cell of another object. The cells that it covers there, other than
    0, must be whole objects, none of them the template. Missing cells are added inside the grid.

    With `match` 0 the covered cells have the template's colors. Some cells are missing, but at
    least one color is complete. With `match` 1 the template's most common color, the lowest of
    several, may be replaced by one color that the template does not have. Only cells of that color
    are missing, but not all of them. With `match` 2 the template covers one object of its own shape
    and of one color, which is painted over.

    Matches with the most cells come first, and none shares an object with an earlier one. With
    `removes` 1 the templates that matched are erased. It fails if there is no match, or more than
    512.
    """


@worded("complete_templates")
def _(given: Value, grid: Grid, match: int, turns: int, removes: int) -> list[str]:
    how = "also mirrored and turned" if turns else "as it is"
    return [
        f"an object of several colors is completed, {how}, or larger, where "
        f"{MATCHES_IN_WORDS[match]}{', and is erased itself' * removes}"
    ]
