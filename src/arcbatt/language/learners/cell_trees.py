"""Trees that choose a color for each cell, learned from the demos."""

from __future__ import annotations

from collections.abc import Sequence

from ..primitives.cell_trees import describe_tree
from ..registry import primitive, worded
from ..values import Demos, Value


@primitive(
    "Demos, Code[0..3], Code[0..12] -> Tuple[Integer]",
    is_learner=True,
    examples=(
        "grow_tree(((((1, 2),), ((3, 2),)),), 0, 0) == (0, 1, 2, -1, 3, 0, -1, 10, 0)",
        "grow_tree(((((1, 2),), ((1, 2),)),), 1, 0) == (-1, 10, 0)",
    ),
    ties="the first feature, then the least value; the first action",
)
def grow_tree(S: Demos, way: int, part: int) -> Value:
    """Learn which color each cell of the demos becomes, as a tree for `apply_tree`.

    All outputs must have their inputs' sizes. The tree gives each cell its color in the output: its
    own if that is right, or one of at most 8 actions (to take a color, or the color of a feature)
    that explain all cells, chosen one by one, each for most of the cells that are left. Tests are
    chosen one by one, too: the one that gains most information about which action is right, times
    the feature's simplicity; a cell for which several actions are right counts for the one that
    is right for most cells of its branch. A leaf takes the first action that is right for all its
    cells. It fails with more than 9 tests on the way to a leaf, with more than 12 leaves, or if no
    test separates cells that become different colors.

    `way` selects the features: 0 all, 1 those that do not change when the grid is turned or
    mirrored, 2 those that name no color, 3 those of both. A `part` from 1 on tests half of them,
    each another half.
    """


@worded("grow_tree")
def _(given: Sequence[Value], S: Demos, way: int, part: int) -> list[str]:
    return ["for each cell:", *describe_tree(given)]
