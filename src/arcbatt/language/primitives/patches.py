"""Patches: indices and objects, their extent, shape and place.

A patch is a container of locations or of cells (see `domains`). Like arc-dsl, primitives that
accept both grids and patches treat every tuple as a grid: for a tuple of locations, `height`,
`width` and the primitives that use them (`center`, `square`, `vline` ...) see a table of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..budget import charge, require
from ..domains import ANYTHING, is_pair
from ..failure import empty, wrong_type
from ..registry import SINGLE_THREAD, Gpu, primitive
from ..values import Cell, Cells, Container, Objects, Pair, Patch, Value, ordered
from .geometry import (
    bounds,
    center_of,
    columns_of,
    distance,
    height_of,
    is_cells,
    locations,
    places,
    rows_of,
    width_of,
)


@primitive(
    "Patch -> Indices",
    examples=(
        "toindices({(3, (0, 1)), (4, (0, 1))}) == {(0, 1)}",
        "toindices({(0, 1)}) == {(0, 1)}",
    ),
    gpu=Gpu(single_thread=True, wide=True),
    brief="its locations",
)
def toindices(patch: Patch) -> Value:
    """The locations of a patch.

    Indices, also a tuple of locations, are given back as they are.
    """
    return locations(patch)


@primitive(
    "Color, Patch -> Object",
    examples=(
        "recolor(5, {(0, 1)}) == {(5, (0, 1))}",
        "recolor(5, {(3, (0, 1))}) == {(5, (0, 1))}",
    ),
    gpu=Gpu(single_thread=True, wide=True),
    brief="all of it in color value",
)
def recolor(value: int, patch: Patch) -> Value:
    """The patch as an object of one color."""
    return frozenset((value, place) for place in places(patch))


@primitive(
    "Indices, Direction -> Indices",
    "Object, Direction -> Object",
    "Patch, Direction -> Patch",
    examples=("shift({(0, 1)}, DOWN) == {(1, 1)}", "shift({(3, (0, 1))}, (2, 2)) == {(3, (2, 3))}"),
    domains={"directions": ANYTHING},
    gpu=Gpu(single_thread=True, wide=True),
    brief="moved by directions",
)
def shift(patch: Patch, directions: Value) -> Value:
    """The patch moved by a vector.

    An empty patch is returned unchanged, even if `directions` is None, as the corner of an empty
    patch is. A tuple becomes a set.
    """
    if not patch:
        return patch
    if not is_pair(directions):
        raise wrong_type("shift: directions is not a pair of numbers")
    di, dj = cast(Pair, directions)
    if is_cells(patch):
        return frozenset((value, (i + di, j + dj)) for value, (i, j) in cast(Sequence[Cell], patch))
    return frozenset((i + di, j + dj) for i, j in cast(Sequence[Pair], patch))


@primitive(
    "Indices -> Indices",
    "Object -> Object",
    "Patch -> Patch",
    examples=(
        "normalize({(2, 3), (3, 3)}) == {(0, 0), (1, 0)}",
        "normalize({(7, (4, 4))}) == {(7, (0, 0))}",
    ),
    brief="moved so that its box begins at (0, 0)",
)
def normalize(patch: Patch) -> Value:
    """The patch moved so that its upper left corner is the origin."""
    if not patch:
        return patch
    top, left, _, _ = bounds(patch, "normalize")
    return shift(patch, (-top, -left))


# --- extent ---


@primitive(
    "Patch -> Integer",
    examples=("uppermost({(2, 3), (5, 1)}) == 2", "uppermost({(7, (4, 0))}) == 4"),
    gpu=SINGLE_THREAD,
    brief="first row",
)
def uppermost(patch: Patch) -> Value:
    """The first row that the patch reaches."""
    return min(rows_of(patch, "uppermost"))


@primitive(
    "Patch -> Integer",
    examples=("lowermost({(2, 3), (5, 1)}) == 5", "lowermost({(7, (4, 0))}) == 4"),
    gpu=SINGLE_THREAD,
    brief="last row",
)
def lowermost(patch: Patch) -> Value:
    """The last row that the patch reaches."""
    return max(rows_of(patch, "lowermost"))


@primitive(
    "Patch -> Integer",
    examples=("leftmost({(2, 3), (5, 1)}) == 1", "leftmost({(7, (4, 0))}) == 0"),
    gpu=SINGLE_THREAD,
    brief="first column",
)
def leftmost(patch: Patch) -> Value:
    """The first column that the patch reaches."""
    return min(columns_of(patch, "leftmost"))


@primitive(
    "Patch -> Integer",
    examples=("rightmost({(2, 3), (5, 1)}) == 3", "rightmost({(7, (4, 0))}) == 0"),
    gpu=SINGLE_THREAD,
    brief="last column",
)
def rightmost(patch: Patch) -> Value:
    """The last column that the patch reaches."""
    return max(columns_of(patch, "rightmost"))


@primitive(
    "Patch -> Pair",
    examples=("ulcorner({(2, 3), (5, 1)}) == (2, 1)", "ulcorner(EMPTY) == ()"),
    gpu=SINGLE_THREAD,
    brief="upper left of box",
)
def ulcorner(patch: Patch) -> Value:
    """The upper left corner of the patch's box.

    Of an empty patch it is the empty tuple.
    """
    if not patch:
        return ()
    top, left, _, _ = bounds(patch, "ulcorner")
    return top, left


@primitive(
    "Patch -> Pair",
    examples=("urcorner({(2, 3), (5, 1)}) == (2, 3)", "urcorner(EMPTY) == ()"),
    gpu=SINGLE_THREAD,
    brief="upper right of box",
)
def urcorner(patch: Patch) -> Value:
    """The upper right corner of the patch's box.

    Of an empty patch it is the empty tuple.
    """
    if not patch:
        return ()
    top, _, _, right = bounds(patch, "urcorner")
    return top, right


@primitive(
    "Patch -> Pair",
    examples=("llcorner({(2, 3), (5, 1)}) == (5, 1)", "llcorner(EMPTY) == ()"),
    gpu=SINGLE_THREAD,
    brief="lower left of box",
)
def llcorner(patch: Patch) -> Value:
    """The lower left corner of the patch's box.

    Of an empty patch it is the empty tuple.
    """
    if not patch:
        return ()
    _, left, bottom, _ = bounds(patch, "llcorner")
    return bottom, left


@primitive(
    "Patch -> Pair",
    examples=("lrcorner({(2, 3), (5, 1)}) == (5, 3)", "lrcorner(EMPTY) == ()"),
    gpu=SINGLE_THREAD,
    brief="lower right of box",
)
def lrcorner(patch: Patch) -> Value:
    """The lower right corner of the patch's box.

    Of an empty patch it is the empty tuple.
    """
    if not patch:
        return ()
    _, _, bottom, right = bounds(patch, "lrcorner")
    return bottom, right


@primitive(
    "Patch -> Indices",
    examples=(
        "corners({(0, 0), (2, 3)}) == {(0, 0), (0, 3), (2, 0), (2, 3)}",
        "corners({(1, 1)}) == {(1, 1)}",
    ),
    gpu=SINGLE_THREAD,
    brief="the four corners of box",
)
def corners(patch: Patch) -> Value:
    """The four corners of the patch's box."""
    return frozenset({ulcorner(patch), urcorner(patch), llcorner(patch), lrcorner(patch)})


@primitive(
    "Patch -> Boolean",
    examples=("vline({(0, 1), (1, 1)}) == T", "vline({(0, 1), (2, 1)}) == F"),
    gpu=SINGLE_THREAD,
    brief="it is a whole vertical line",
)
def vline(patch: Patch) -> Value:
    """Whether the patch is an unbroken vertical line."""
    return height_of(patch) == len(patch) and width_of(patch, "vline") == 1


@primitive(
    "Patch -> Boolean",
    examples=("hline({(1, 0), (1, 1)}) == T", "hline({(0, 0), (1, 1)}) == F"),
    gpu=SINGLE_THREAD,
    brief="it is a whole horizontal line",
)
def hline(patch: Patch) -> Value:
    """Whether the patch is an unbroken horizontal line."""
    return width_of(patch, "hline") == len(patch) and height_of(patch) == 1


@primitive(
    "Patch -> Pair",
    examples=("center({(0, 0), (2, 4)}) == (1, 2)", "center({(0, 0), (1, 1)}) == (1, 1)"),
    gpu=SINGLE_THREAD,
    brief="middle of box, rounded up",
)
def center(patch: Patch) -> Value:
    """The middle of the patch's box, the lower right of the middle ones."""
    return center_of(patch, "center")


@primitive(
    "Patch -> Pair",
    examples=("centerofmass({(0, 0), (0, 1), (3, 3)}) == (1, 1)", "centerofmass(EMPTY) == ()"),
    brief="mean location, rounded down",
)
def centerofmass(patch: Patch) -> Value:
    """The mean location, rounded down.

    Each location counts once, but the divisor is the number of members. Of an empty patch
    it is the empty tuple.
    """
    if not patch:
        return ()
    rows, columns = zip(*places(patch), strict=True)
    return sum(rows) // len(patch), sum(columns) // len(patch)


# --- boxes ---


def _outline(top: int, left: int, bottom: int, right: int) -> frozenset[Value]:
    require(3 * 2 * (bottom - top + right - left))
    sides = {(i, j) for i in range(top, bottom + 1) for j in (left, right)}
    return frozenset(sides | {(i, j) for i in (top, bottom) for j in range(left, right + 1)})


@primitive(
    "Patch -> Indices",
    examples=(
        "backdrop({(0, 0), (1, 1)}) == {(0, 0), (0, 1), (1, 0), (1, 1)}",
        "backdrop(EMPTY) == EMPTY",
    ),
    brief="all locations of box",
)
def backdrop(patch: Patch) -> Value:
    """All locations of the patch's box."""
    if not patch:
        return frozenset()
    top, left, bottom, right = bounds(patch, "backdrop")
    require(3 * (bottom - top + 1) * (right - left + 1))
    return frozenset((i, j) for i in range(top, bottom + 1) for j in range(left, right + 1))


@primitive(
    "Patch -> Indices",
    examples=("delta({(0, 0), (1, 1)}) == {(0, 1), (1, 0)}", "delta(EMPTY) == EMPTY"),
    brief="backdrop(patch) without patch",
)
def delta(patch: Patch) -> Value:
    """The locations of the patch's box that the patch leaves out."""
    if not patch:
        return frozenset()
    return cast(frozenset[Value], backdrop(patch)) - frozenset(places(patch))


@primitive(
    "Patch -> Indices",
    examples=("size(box({(0, 0), (2, 2)})) == 8", "box({(1, 1)}) == {(1, 1)}"),
    brief="outline of box",
)
def box(patch: Patch) -> Value:
    """The outline of the patch's box; an empty patch is given back as it is."""
    return _outline(*bounds(patch, "box")) if patch else patch


@primitive(
    "Patch -> Indices",
    examples=("inbox({(0, 0), (2, 2)}) == {(1, 1)}", "size(inbox({(0, 0), (4, 4)})) == 8"),
    brief="outline one step inside box",
)
def inbox(patch: Patch) -> Value:
    """The outline one step inside the patch's box.

    Where the box is too small for that, the crossed sides change places.
    """
    top, left, bottom, right = bounds(patch, "inbox")
    rows, columns = sorted((top + 1, bottom - 1)), sorted((left + 1, right - 1))
    return _outline(rows[0], columns[0], rows[1], columns[1])


@primitive(
    "Patch -> Indices",
    examples=("size(outbox({(1, 1)})) == 8", "outbox({(1, 1)}) == neighbors((1, 1))"),
    brief="outline one step outside box",
)
def outbox(patch: Patch) -> Value:
    """The outline one step outside the patch's box."""
    top, left, bottom, right = bounds(patch, "outbox")
    return _outline(top - 1, left - 1, bottom + 1, right + 1)


# --- lines ---


@primitive(
    "Pair, Pair -> Indices",
    examples=(
        "connect((0, 0), (0, 2)) == {(0, 0), (0, 1), (0, 2)}",
        "connect((0, 2), (2, 0)) == {(0, 2), (1, 1), (2, 0)}",
        "connect((0, 0), (1, 2)) == EMPTY",
    ),
    gpu=SINGLE_THREAD,
    brief="straight or diagonal line with its ends; otherwise empty",
)
def connect(a: Pair, b: Pair) -> Value:
    """The straight line between two locations, ends included.

    Locations that share no row, column or diagonal give the empty set.
    """
    (ai, aj), (bi, bj) = a, b
    length = max(abs(bi - ai), abs(bj - aj))
    if ai != bi and aj != bj and abs(bi - ai) != abs(bj - aj):
        return frozenset()
    require(3 * (length + 1))
    di, dj = (bi > ai) - (bi < ai), (bj > aj) - (bj < aj)
    return frozenset((ai + k * di, aj + k * dj) for k in range(length + 1))


@primitive(
    "Pair, Direction -> Indices",
    examples=("size(shoot(ORIGIN, DOWN)) == 43", "contained((3, 3), shoot(ORIGIN, UNITY)) == T"),
    gpu=SINGLE_THREAD,
    brief="connect(start, start + direction * 42)",
)
def shoot(start: Pair, direction: Pair) -> Value:
    """The line from a location to 42 times a vector away."""
    return connect(start, (start[0] + 42 * direction[0], start[1] + 42 * direction[1]))


@primitive(
    "Pair -> Indices",
    examples=("size(vfrontier((3, 4))) == 30", "contained((29, 4), vfrontier((3, 4))) == T"),
    brief="its column, rows 0 to 29",
)
def vfrontier(location: Pair) -> Value:
    """The column through a location, rows 0 to 29."""
    return frozenset((i, location[1]) for i in range(30))


@primitive(
    "Pair -> Indices",
    examples=("size(hfrontier((3, 4))) == 30", "contained((3, 29), hfrontier((3, 4))) == T"),
    brief="its row, columns 0 to 29",
)
def hfrontier(location: Pair) -> Value:
    """The row through a location, columns 0 to 29."""
    return frozenset((location[0], j) for j in range(30))


# --- two patches ---


@primitive(
    "Patch, Patch -> Boolean",
    examples=("hmatching({(0, 1)}, {(0, 5)}) == T", "hmatching({(0, 1)}, {(1, 1)}) == F"),
    gpu=SINGLE_THREAD,
    brief="they share a row",
)
def hmatching(a: Patch, b: Patch) -> Value:
    """Whether two patches share a row."""
    return not {i for i, _ in places(a)}.isdisjoint(i for i, _ in places(b))


@primitive(
    "Patch, Patch -> Boolean",
    examples=("vmatching({(0, 1)}, {(5, 1)}) == T", "vmatching({(0, 1)}, {(0, 2)}) == F"),
    gpu=SINGLE_THREAD,
    brief="they share a column",
)
def vmatching(a: Patch, b: Patch) -> Value:
    """Whether two patches share a column."""
    return not {j for _, j in places(a)}.isdisjoint(j for _, j in places(b))


@primitive(
    "Patch, Patch -> Integer",
    examples=("manhattan({(0, 0)}, {(2, 3)}) == 5", "manhattan({(0, 0), (2, 2)}, {(2, 3)}) == 1"),
    gpu=SINGLE_THREAD,
    brief="least rows plus columns from a cell to a cell",
)
def manhattan(a: Patch, b: Patch) -> Value:
    """The least distance in steps between two patches.

    Costs one step more for each pair of members.
    """
    return distance(a, b, "manhattan")


@primitive(
    "Patch, Patch -> Boolean",
    examples=("adjacent({(0, 0)}, {(0, 1)}) == T", "adjacent({(0, 0)}, {(1, 1)}) == F"),
    brief="manhattan(a, b) == 1",
)
def adjacent(a: Patch, b: Patch) -> Value:
    """Whether the least distance between two patches is one step.

    Costs one step more for each pair of members.
    """
    return distance(a, b, "adjacent") == 1


@primitive(
    "Patch, Patch -> Direction",
    examples=("position({(0, 0)}, {(5, 5)}) == (1, 1)", "position({(0, 5)}, {(0, 0)}) == (0, -1)"),
    brief="from center of a to that of b, as signs",
)
def position(a: Patch, b: Patch) -> Value:
    """The direction from the center of one patch to that of another.

    Equal centers give (0, -1).
    """
    ia, ja = center_of(locations(a), "position")
    ib, jb = center_of(locations(b), "position")
    right = 1 if ja < jb else -1
    down = 1 if ia < ib else -1
    return (0, right) if ia == ib else (down, 0) if ja == jb else (down, right)


@primitive(
    "Patch, Patch -> Direction",
    examples=(
        "gravitate({(0, 0)}, {(4, 0)}) == (3, 0)",
        "gravitate({(0, 5)}, {(0, 0)}) == (0, -4)",
    ),
    brief="vector that moves source to touch destination; vertical if they share a column",
)
def gravitate(source: Patch, destination: Patch) -> Value:
    """The vector that moves one patch until it touches another.

    Down or up where they share a column, otherwise right or left, at most 42 steps. Each
    step tried costs one step for each pair of members.
    """
    si, sj = center_of(source, "gravitate")
    di, dj = center_of(destination, "gravitate")
    i, j = 0, 0
    if vmatching(source, destination):
        i = 1 if si < di else -1
    else:
        j = 1 if sj < dj else -1
    moved: Container = source
    steps = 0
    while steps < 42 and distance(moved, destination, "gravitate") != 1:
        steps += 1
        moved = cast(Container, shift(moved, (i, j)))
    return steps * i, steps * j


# --- objects ---


@primitive(
    "Cells -> Color",
    ties="of several colors, the lowest",
    peeks="all",
    examples=("color({(3, (0, 1))}) == 3", "color({(5, (0, 0)), (2, (1, 1))}) == 2"),
    gpu=SINGLE_THREAD,
    brief="color of first cell",
)
def color(obj: Cells) -> Value:
    """The color of the object's first cell."""
    if not obj:
        raise empty("color: the object is empty")
    return ordered(obj)[0][0]  # type: ignore[index]


@primitive(
    "C[Cells], Color -> Objects",
    examples=(
        "colorfilter({{(3, (0, 1))}, {(4, (0, 0))}}, 3) == {{(3, (0, 1))}}",
        "colorfilter(EMPTY, 3) == EMPTY",
    ),
    brief="those with color(member) == value, as a set",
)
def colorfilter(objs: Objects, value: int) -> Value:
    """The objects whose first cell has a color, as a set."""
    return frozenset(obj for obj in objs if color(obj) == value)


@primitive(
    "Cells -> Count",
    examples=(
        "hperiod({(1, (0, 0)), (2, (0, 1)), (1, (0, 2)), (2, (0, 3))}) == 2",
        "hperiod({(1, (0, 0)), (2, (0, 1))}) == 2",
    ),
    brief="least shift left that matches itself, or width",
)
def hperiod(obj: Cells) -> Value:
    """The least shift to the left that lays the object on itself; its width if none does.

    Each shift tried costs one step for each cell.
    """
    return _period(obj, "hperiod", (0, -1), 1)


@primitive(
    "Cells -> Count",
    examples=(
        "vperiod({(1, (0, 0)), (2, (1, 0)), (1, (2, 0)), (2, (3, 0))}) == 2",
        "vperiod({(1, (0, 0)), (2, (1, 0))}) == 2",
    ),
    brief="least shift up that matches itself, or height",
)
def vperiod(obj: Cells) -> Value:
    """The least shift upwards that lays the object on itself; its height if none does.

    Each shift tried costs one step for each cell.
    """
    return _period(obj, "vperiod", (-1, 0), 0)


def _period(obj: Container, name: str, step: Pair, axis: int) -> int:
    normal = cast(frozenset[Cell], normalize(obj))
    extent = (height_of(normal), width_of(normal, name))[axis]
    for period in range(1, extent):
        charge(len(normal))
        moved = cast(frozenset[Cell], shift(normal, (step[0] * period, step[1] * period)))
        if all(cell in normal for cell in moved if cell[1][axis] >= 0):
            return period
    return extent
