"""Choices coded as numbers, so that a search can vary them."""

from __future__ import annotations

from ..failure import out_of_range
from ..registry import primitive
from ..values import Grid, Patch, Piece, Value, sort
from .geometry import as_rows
from .grids import rot90, rot180, rot270
from .numbers import identity
from .objects import find_objects
from .patches import (
    leftmost,
    llcorner,
    lowermost,
    lrcorner,
    rightmost,
    ulcorner,
    uppermost,
    urcorner,
)
from .pieces import cmirror, dmirror, hmirror, vmirror


@primitive(
    "Grid, ObjectCode -> Objects",
    ties="of equally common colors, the lowest is the background",
    examples=(
        "o_g(((1, 0), (0, 2)), R5) == {{(1, (0, 0))}, {(2, (1, 1))}}",
        "o_g(((1, 0), (0, 2)), R3) == {{(1, (0, 0)), (2, (1, 1))}}",
    ),
    brief="`objects` by a code: 4 if univalued, plus 2 if diagonal, plus 1 without background",
)
def o_g(grid: Grid, r: int) -> Value:
    """`objects` by a code from 0 to 7: 4 if univalued, 2 if diagonal, 1 without background."""
    return find_objects(grid, bool(r & 4), bool(r & 2), bool(r & 1))


@primitive(
    "Grid, ObjectCode -> Tuple[Object]",
    ties="of equally common colors, the lowest is the background",
    examples=(
        "o_g_t(((1, 0), (0, 2)), R5) == ({(1, (0, 0))}, {(2, (1, 1))})",
        "size(o_g_t(((1, 0), (0, 2)), R4)) == 4",
    ),
)
def o_g_t(grid: Grid, r: int) -> Value:
    """`o_g`, as a tuple in ascending order."""
    return tuple(sort(find_objects(grid, bool(r & 4), bool(r & 2), bool(r & 1))))


_MIRRORS = (hmirror, dmirror, vmirror, cmirror)
_TURNS = (rot90, rot180, rot270, identity)


@primitive(
    "Grid, MirrorCode -> Grid",
    "Object, PatchMirrorCode -> Object",
    "Indices, PatchMirrorCode -> Indices",
    "Tuple[Tuple[a]], MirrorCode -> Tuple[Tuple[a]]",
    "Tuple[a], MirrorCode -> Tuple[a]",
    examples=(
        "mir_rot(((1, 2), (3, 4)), A1) == ((1, 3), (2, 4))",
        "mir_rot(((1, 2), (3, 4)), A4) == ((3, 1), (4, 2))",
        "mir_rot({(0, 0), (1, 1)}, A0) == {(0, 1), (1, 0)}",
    ),
    brief="by code hmirror, dmirror, vmirror, cmirror, rot90, rot180, rot270, identity; patches"
    " take 0 to 3",
)
def mir_rot(piece: Piece, a: int) -> Value:
    """A mirror or turn by code: hmirror, dmirror, vmirror, cmirror, rot90, rot180, rot270,
    identity for 0 to 7; a patch takes only the mirrors, 0 to 3.
    """
    if a < len(_MIRRORS):
        return _MIRRORS[a](piece)
    if not isinstance(piece, tuple):
        raise out_of_range(f"mir_rot: a is {a}, a turn, which a patch does not have")
    return _TURNS[a - len(_MIRRORS)](as_rows(piece, "mir_rot"))


@primitive(
    "Patch, SideCode -> Integer",
    examples=("col_row({(2, 3), (5, 1)}, R0) == 5", "col_row({(2, 3), (5, 1)}, R2) == 1"),
    brief="by code the lowermost, uppermost, leftmost, rightmost of the patch",
)
def col_row(patch: Patch, r: int) -> Value:
    """An edge of the patch's box by code: lowermost, uppermost, leftmost, rightmost for 0 to 3."""
    return (lowermost, uppermost, leftmost, rightmost)[r](patch)


@primitive(
    "Patch, CornerCode -> Pair",
    examples=("corner({(2, 3), (5, 1)}, R0) == (2, 1)", "corner({(2, 3), (5, 1)}, R3) == (5, 3)"),
    brief="a corner of the patch's box by code: upper left, upper right, lower left, lower right",
)
def corner(patch: Patch, r: int) -> Value:
    """A corner of the patch's box by code: upper left, upper right, lower left, lower right."""
    return (ulcorner, urcorner, llcorner, lrcorner)[r](patch)
