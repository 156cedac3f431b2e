"""Objects that slide, each in a direction of its own."""

from __future__ import annotations

from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value
from ..wording import COLOR_NAMES, DIRECTION_NAMES

_CUTS = (
    "of one color, connected by sides",
    "of one color, connected by sides or corners",
    "connected by sides",
    "connected by sides or corners",
)
WHICH = (
    "all objects",
    "all but the largest objects",
    "the largest objects",
    "all but the smallest objects",
    "the smallest objects",
    "objects of one cell",
    "objects of several cells",
    "objects that do not touch the edge",
    "objects that do not reach across the grid",
    "objects of several colors",
    "objects of one color",
    "objects whose color no other has",
    "objects whose color others have",
    "objects whose shape no other has",
    "objects whose shape others have",
    *(f"{name} objects" for name in COLOR_NAMES),
    *(f"all but the {name} objects" for name in COLOR_NAMES),
)
_TARGETS = (
    "the nearest object that stays",
    "the nearest object of their color that stays",
    "the largest",
)
DIRECTIONS = (
    *DIRECTION_NAMES,
    "towards the nearest edge",
    "towards the farthest edge",
    "towards their cells of the rarest color",
    "away from their cells of the rarest color",
    "towards their narrower side",
    "towards their wider side",
    "towards the edge of their color",
    "away from the edge of their color",
    *(
        f"{where} {target}{how}"
        for target in _TARGETS
        for where in ("towards", "away from")
        for how in ("", " (also diagonally)")
    ),
)
STOPS = (
    "until blocked",
    "by one cell",
    "by two cells",
    "by three cells",
    "by their longer side",
    "by as many cells as they have",
    "by as many cells as they have of the rarest color",
    "to the edge",
)
MAX_CHOICES = 2


@primitive(
    f"Demos, Grid, Code[0..{MAX_CHOICES - 1}] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="rules of equal bits in the order of their numbers, then the first grid",
    examples=(
        "learn_slides(((((1, 0, 0), (0, 0, 0), (2, 0, 0)), ((0, 0, 0), (1, 0, 0), (2, 0, 0))),), "
        "((0, 1), (0, 0), (0, 0), (0, 2)), 0) == ((0, 0), (0, 0), (0, 1), (0, 2))",
        "learn_slides(((((1, 1, 1), (0, 0, 0), (1, 0, 2), (2, 2, 2)), "
        "((1, 1, 1), (1, 0, 0), (0, 0, 2), (2, 2, 2))),), "
        "((4, 4, 4), (0, 0, 5), (0, 4, 0), (5, 5, 5)), 0) == "
        "((4, 4, 4), (0, 4, 0), (0, 0, 5), (5, 5, 5))",
    ),
)
def learn_slides(S: Demos, I: Grid, code: int) -> Value:  # noqa: E741
    """Slide objects of a grid, each in a direction of its own, as the demos do.

    A rule says how the grid is cut into objects (four ways, with 0 as the background, 40 objects at
    most), which of them slide, where to, and how far. A direction is the same for all; or it leads
    to an edge, to the object's narrower side or its cells of the rarest color, to the edge of the
    grid that has the object's color in more than half of its cells, or to an object that does not
    slide; or the opposite way. Objects go until blocked, or by a number of cells, or to the edge.
    Those that are furthest along their direction go first; later ones pass through what has yet to
    move. Objects that lack a direction stay, or, if the demos show it, vanish.

    All rules that agree with all demos are found. A rule of n bits counts 2 to the power of -n for
    the grid that it gives, and the code chooses among the grids: the one of most weight, or the
    second. If there is only one grid, as for the demos, both codes give it.
    """


@worded("learn_slides")
def _(given: Value, *args: Any) -> list[str]:
    rule: Any = find_rule("learn_slides", args)
    cut, which, direction, stop, vanish = rule
    words = f"{WHICH[which]} ({_CUTS[cut]}) slide {DIRECTIONS[direction]}, {STOPS[stop]}"
    if args[-1]:
        words += " (the second choice)"
    return [words, *(["those that lack a direction vanish"] if vanish else [])]
