"""Shapes: a patch compared with its box, the cross through a location, and copies of a patch.

As for `hfrontier` and `vfrontier`, endless lines have 30 cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..budget import charge, require
from ..registry import WIDE, primitive
from ..values import Cell, Container, Pair, Patch, Value
from .geometry import bounds, is_cells, places

_REACH = 30


@primitive(
    "Patch -> Boolean",
    examples=(
        "is_solid({(0, 0), (0, 1), (1, 0), (1, 1)}) == T",
        "is_solid({(0, 0), (1, 1)}) == F",
        "is_solid(EMPTY) == F",
    ),
)
def is_solid(patch: Patch) -> Value:
    """Whether the patch is a full rectangle.

    An empty patch is not.
    """
    if not patch:
        return False
    top, left, bottom, right = bounds(patch, "is_solid")
    return len(set(places(patch))) == (bottom - top + 1) * (right - left + 1)


@primitive(
    "Patch -> Boolean",
    examples=(
        "is_outline(box({(0, 0), (2, 3)})) == T",
        "is_outline({(0, 0), (0, 1), (1, 0), (1, 1)}) == F",
        "is_outline(insert((1, 1), box({(0, 0), (2, 2)}))) == F",
    ),
)
def is_outline(patch: Patch) -> Value:
    """Whether the patch is the outline of a rectangle that has an inside.

    So it is three cells or more high and wide.
    """
    if not patch:
        return False
    top, left, bottom, right = bounds(patch, "is_outline")
    here = set(places(patch))
    return (
        bottom - top > 1
        and right - left > 1
        and len(here) == 2 * (bottom - top + right - left)
        and all(i in (top, bottom) or j in (left, right) for i, j in here)
    )


@primitive(
    "Patch -> Indices",
    examples=(
        "inside_of({(0, 0), (3, 2)}) == {(1, 1), (2, 1)}",
        "inside_of({(0, 0), (1, 1)}) == EMPTY",
    ),
)
def inside_of(patch: Patch) -> Value:
    """The locations of the patch's box that are not on its outline."""
    if not patch:
        return frozenset()
    top, left, bottom, right = bounds(patch, "inside_of")
    require(3 * max(bottom - top - 1, 0) * max(right - left - 1, 0))
    return frozenset((i, j) for i in range(top + 1, bottom) for j in range(left + 1, right))


@primitive(
    "Pair -> Indices",
    examples=(
        "size(cross_at((3, 4))) == 59",
        "contained((3, 29), cross_at((3, 4))) == T",
        "contained((4, 5), cross_at((3, 4))) == F",
    ),
)
def cross_at(location: Pair) -> Value:
    """The row and the column through a location, columns and rows 0 to 29."""
    row, column = location
    across = {(row, j) for j in range(_REACH)}
    return frozenset(across | {(i, column) for i in range(_REACH)})


# --- copies ---


@primitive(
    "Indices, Patch -> Indices",
    "Object, Patch -> Object",
    "Patch, Patch -> Patch",
    examples=(
        "copies_at({(0, 0), (0, 1)}, {(0, 0), (2, 3)}) == {(0, 0), (0, 1), (2, 3), (2, 4)}",
        "copies_at({(5, (0, 0))}, {(1, 1), (2, 2)}) == {(5, (1, 1)), (5, (2, 2))}",
        "copies_at({(0, 0)}, EMPTY) == EMPTY",
    ),
    gpu=WIDE,
)
def copies_at(patch: Patch, offsets: Patch) -> Value:
    """The patch moved by each of some vectors, all together.

    Costs one step more for each pair of a member and a vector.
    """
    return _copies(patch, places(offsets))


@primitive(
    "Indices, Direction -> Indices",
    "Object, Direction -> Object",
    "Patch, Direction -> Patch",
    examples=(
        "size(repeat_along({(0, 0)}, (0, 10))) == 5",
        "contained((1, 3), repeat_along({(1, 5)}, LEFT)) == T",
        "repeat_along({(4, (1, 2))}, ORIGIN) == {(4, (1, 2))}",
    ),
    gpu=WIDE,
    brief="all copies of the patch moved by multiples of direction, both ways, by less than 30 "
    "rows and columns",
)
def repeat_along(patch: Patch, direction: Pair) -> Value:
    """The patch moved by all multiples of a vector, forwards and backwards.

    It is moved by less than 30 rows and columns. Costs one step more for each cell of each copy.
    """
    di, dj = direction
    longest = max(abs(di), abs(dj))
    n_each_way = (_REACH - 1) // longest if longest else 0
    return _copies(patch, [(k * di, k * dj) for k in range(-n_each_way, n_each_way + 1)])


def _copies(patch: Container, offsets: Sequence[Pair]) -> frozenset[Value]:
    """Return the patch moved by each vector; the budget must allow copies without overlap."""
    charge(len(patch) * len(offsets))
    with_colors = is_cells(patch)
    require((5 if with_colors else 3) * len(patch) * len(offsets))
    if with_colors:
        return frozenset(
            (value, (i + di, j + dj))
            for value, (i, j) in cast(Sequence[Cell], patch)
            for di, dj in offsets
        )
    return frozenset((i + di, j + dj) for i, j in cast(Sequence[Pair], patch) for di, dj in offsets)
