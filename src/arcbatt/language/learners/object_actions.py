"""Learn actions of objects from the demos, chosen by a small tree over their features."""

from __future__ import annotations

from collections.abc import Sequence

from ..primitives.object_actions import describe_actions
from ..registry import Rule, primitive, worded
from ..values import Demos, Value


@primitive(
    "Demos, Code[0..9] -> Tuple[Integer]",
    rule=Rule(applied_by="apply_actions", plain_only=True),
    is_learner=True,
    examples=(
        "learn_actions(((((1, 0, 0), (0, 0, 0)), ((0, 0, 1), (0, 0, 0))),), 0) == (0, -1, 5, 0, 0)",
        "learn_actions(((((1, 0, 0, 0, 3, 3),), ((0, 0, 0, 0, 2, 2),)),), 0) == (0, -1, 9, 3, 0)",
    ),
    ties="the first in the order of actions and of features",
)
def learn_actions(S: Demos, segmentation: int) -> Value:
    """Learn what the objects of the demos do, as rules for `apply_actions`.

    All outputs must have their inputs' sizes. Objects are made of cells other than the background:
    0 4-connected of one color, 1 8-connected of one color, 2 8-connected of any colors, 3 all
    cells of a color, 4 as 0, with the parts of the background. The background is the most common
    color of a grid. Codes 5 to 9 are the same with 0 as the background; they fail if it is the
    most common color of every input. A grid may have 64 objects, all demos together 512.

    Each object must have one known effect in one paint; it may also stay (a copy). The rules use
    the fewest actions that explain all objects and draw all new cells: up to three are found by
    trying at most 64 choices, up to six by taking those that explain most. A tree of at most four
    questions in a row, chosen by the fewest errors, selects an object's action by its features.
    The rules reproduce all outputs; the fewest nodes win, then the questions that come first in
    the list of features.
    """


@worded("learn_actions")
def _(given: Sequence[int], *args: Value) -> list[str]:
    return describe_actions(given).splitlines()
