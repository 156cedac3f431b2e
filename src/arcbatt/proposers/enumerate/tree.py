"""Trees over pieces, as a search grows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DrawnValue:
    """A value in the output's size: the path to it, and the final changes to it."""

    path: tuple[int, ...]
    to_origin: bool
    pasted: bool


@dataclass(frozen=True, slots=True)
class PieceTree:
    """A rule that gives each cell a color or that of a value, chosen by colors of other values.

    A node is (value, color, other). With `other` it is a test whether the value has the color: then
    the next node follows, otherwise node `other`. Without `other` it is a leaf: a value to copy,
    or, where the value is -1, a color to take.

    `n_held_out` counts the demos that come out right by the tree that is grown without them,
    `n_alike` the trees over other selections of values that give the same outputs.
    """

    nodes: tuple[tuple[int, int, int], ...]
    values: tuple[DrawnValue, ...]
    n_leaves: int
    n_held_out: int
    n_alike: int
