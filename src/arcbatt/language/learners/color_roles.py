"""Colors by their roles in the demos' inputs: a view of a task in which colors do not matter.

Grids must be rectangles of colors 0 to 9, not empty.
"""

from __future__ import annotations

from typing import Any

from ..native import find_rule
from ..registry import primitive, worded
from ..values import Demos, Grid, Value
from ..wording import COLOR_NAMES, name_color

# Descriptions of colors by the number of the measure that selects them.
MEASURES = (
    *(
        f"the color with the {most} {of}"
        for of in ("cells", "8-connected parts", "enclosed cells")
        for most in ("most", "fewest")
    ),
    *COLOR_NAMES[1:],
    *(
        f"the color that reaches furthest {where}"
        for where in (
            "right",
            "left",
            "down",
            "up",
            "down and right",
            "up and left",
            "down and left",
            "up and right",
        )
    ),
)


@primitive(
    "Demos -> Demos",
    is_learner=True,
    examples=(
        "role_demos(((((3, 3, 5),), ((3,),)), (((5, 4, 4),), ((4,),)))) == "
        "((((2, 2, 1),), ((2,),)), (((1, 2, 2),), ((2,),)))",
        "role_demos(()) == ()",
    ),
)
def role_demos(S: Demos) -> Value:
    """Replace the colors of each demo by their roles in its input (see `to_roles`)."""


@primitive(
    "Demos, Grid -> Grid",
    is_learner=True,
    examples=(
        "to_roles(((((3, 3, 5),), ((3,),)), (((5, 4, 4),), ((4,),))), ((7, 5, 7, 7),)) == "
        "((2, 1, 2, 2),)",
        "to_roles((), ((0, 1, 2),)) == ((0, 1, 2),)",
    ),
)
def to_roles(S: Demos, I: Grid) -> Value:  # noqa: E741
    """Replace the colors of a grid by their roles, which are learned from the demos' inputs.

    The first numbers go to the fixed colors, ascending: 0, those that outputs have and no input
    has, those that all inputs have and no output has, and all colors of the outputs if all of them
    have the same. Each further number goes to the color for which a measure is greatest, the
    lowest of several. The measures are learned one after the other: the one that best singles out
    a color among those left in each input, by the least margin over the inputs which still have
    any (the difference of the two greatest numbers over the sum of their amounts; for a single
    color 1, or 0 if its number is 0), the first of several. It ends where nothing is left, or the
    best margin is 0. The measures: the number of cells, of 8-connected parts, of cells enclosed
    (4-connected), each followed by its negative; being color 1, ..., 9; how far it reaches right,
    left, down, up, down-right, up-left, down-left, up-right. A measure of being a color always
    stands for that color, also where the grid lacks it, but not twice. Numbers that are left go to
    the grid's other colors, ascending, then to those that it lacks.
    """


@primitive(
    "Demos, Grid, Grid -> Grid",
    is_learner=True,
    examples=(
        "from_roles(((((3, 3, 5),), ((3,),)), (((5, 4, 4),), ((4,),))), ((7, 5, 7, 7),), "
        "((1, 2),)) == ((5, 7),)",
        "from_roles((), ((0, 1, 2),), ((2, 1),)) == ((2, 1),)",
    ),
)
def from_roles(S: Demos, I: Grid, grid: Grid) -> Value:  # noqa: E741
    """Replace the roles in a grid by the colors that have them in `I`; undoes `to_roles`."""


def _say_roles(name: str, args: tuple[Any, ...]) -> list[str]:
    """Say which color each number stands for; numbers are named as colors."""
    rule: Any = find_rule(name, args)
    fixed, measures = rule
    roles = [*map(name_color, fixed)]
    for place, measure in enumerate(measures):
        words = MEASURES[measure]
        roles.append(f"{words}, of those left" if place and "the color" in words else words)
    return [
        f"{name_color(number)} stands for {role}"
        for number, role in enumerate(roles)
        if role != name_color(number)
    ] or ["every color stands for itself"]


@worded("role_demos")
def _(given: Value, *args: Any) -> list[str]:
    return _say_roles("role_demos", args)


@worded("to_roles")
def _(given: Value, *args: Any) -> list[str]:
    return _say_roles("to_roles", args)


@worded("from_roles")
def _(given: Value, *args: Any) -> list[str]:
    return ["each color becomes the one that it stands for"]
