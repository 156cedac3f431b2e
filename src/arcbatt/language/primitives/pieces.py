"""Pieces: operations on grids and patches alike.

Tuples are taken for grids, whatever they hold; sets must be patches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..budget import require
from ..failure import empty, wrong_type
from ..registry import SINGLE_THREAD, WIDE, primitive
from ..values import Cell, Container, Pair, Piece, Value
from .geometry import as_rows, bounds, height_of, is_cells, transpose, width_of


@primitive(
    "Grid -> Integer",
    "Patch -> Integer",
    "Tuple[a] -> Integer",
    examples=("height(((1, 2), (3, 4), (5, 6))) == 3", "height({(1, 1), (4, 2)}) == 4"),
    gpu=SINGLE_THREAD,
    brief="rows of grid or box",
)
def height(piece: Piece) -> Value:
    """Number of rows of a grid, or of a patch's box; 0 if empty."""
    return height_of(piece)


@primitive(
    "Grid -> Integer",
    "Patch -> Integer",
    "Tuple[C[a]] -> Integer",
    examples=("width(((1, 2), (3, 4), (5, 6))) == 2", "width({(1, 1), (4, 2)}) == 2"),
    gpu=SINGLE_THREAD,
    brief="columns of grid or box",
)
def width(piece: Piece) -> Value:
    """Number of columns of a grid, or of a patch's box; 0 if empty.

    A grid has the width of its first row.
    """
    return width_of(piece, "width")


@primitive(
    "Grid -> Dims",
    "Patch -> Dims",
    "Tuple[C[a]] -> Dims",
    examples=("shape(((1, 2), (3, 4), (5, 6))) == (3, 2)", "shape({(1, 1), (4, 2)}) == (4, 2)"),
    gpu=SINGLE_THREAD,
    brief="(height(piece), width(piece))",
)
def shape(piece: Piece) -> Value:
    """Height and width."""
    return height_of(piece), width_of(piece, "shape")


@primitive(
    "Grid -> Boolean",
    "Patch -> Boolean",
    "Tuple[C[a]] -> Boolean",
    examples=("portrait(((1,), (3,))) == T", "portrait({(1, 1), (1, 2)}) == F"),
    gpu=SINGLE_THREAD,
    brief="height(piece) > width(piece)",
)
def portrait(piece: Piece) -> Value:
    """Whether it is higher than wide."""
    return height_of(piece) > width_of(piece, "portrait")


@primitive(
    "Grid -> Boolean",
    "Patch -> Boolean",
    "Tuple[C[a]] -> Boolean",
    examples=("square(((1, 2), (3, 4))) == T", "square({(0, 0), (1, 1)}) == F"),
    brief="grid of equal sides; patch that is a full square",
)
def square(piece: Piece) -> Value:
    """Whether a grid is as high as wide, or a patch a solid square.

    The empty set is a square, the empty tuple fails.
    """
    if isinstance(piece, tuple):
        if not piece:
            raise empty("square: the grid is empty")
        return len(piece) == width_of(piece, "square")
    high, wide = height_of(piece), width_of(piece, "square")
    return high * wide == len(piece) and high == wide


# --- mirrors of patches and grids ---


def _remap(patch: Container, to: tuple[Pair, Pair, Pair]) -> frozenset[Value]:
    """Map locations (i, j) linearly: to = (row, column, offset)."""
    (ri, rj), (ci, cj), (oi, oj) = to
    if is_cells(patch):
        return frozenset(
            (value, (ri * i + rj * j + oi, ci * i + cj * j + oj))
            for value, (i, j) in cast(Sequence[Cell], patch)
        )
    return frozenset(
        (ri * i + rj * j + oi, ci * i + cj * j + oj) for i, j in cast(Sequence[Pair], patch)
    )


_MIRROR = ("Grid -> Grid", "Indices -> Indices", "Object -> Object")
_ANY_ROWS = "Tuple[Tuple[a]] -> Tuple[Tuple[a]]"


@primitive(
    *_MIRROR,
    "Tuple[a] -> Tuple[a]",
    examples=(
        "hmirror(((1, 2), (3, 4))) == ((3, 4), (1, 2))",
        "hmirror({(0, 0), (1, 1)}) == {(0, 1), (1, 0)}",
    ),
    gpu=WIDE,
    brief="upside down",
)
def hmirror(piece: Piece) -> Value:
    """Flipped upside down.

    Any tuple is turned around.
    """
    if isinstance(piece, tuple):
        return piece[::-1]
    top, _, bottom, _ = bounds(piece, "hmirror")
    return _remap(piece, ((-1, 0), (0, 1), (top + bottom, 0)))


@primitive(
    *_MIRROR,
    _ANY_ROWS,
    examples=(
        "vmirror(((1, 2), (3, 4))) == ((2, 1), (4, 3))",
        "vmirror({(0, 0), (1, 1)}) == {(0, 1), (1, 0)}",
    ),
    gpu=WIDE,
    brief="left to right",
)
def vmirror(piece: Piece) -> Value:
    """Flipped left to right."""
    if isinstance(piece, tuple):
        return tuple(row[::-1] for row in as_rows(piece, "vmirror"))
    _, left, _, right = bounds(piece, "vmirror")
    return _remap(piece, ((1, 0), (0, -1), (0, left + right)))


@primitive(
    *_MIRROR,
    _ANY_ROWS,
    examples=(
        "dmirror(((1, 2), (3, 4))) == ((1, 3), (2, 4))",
        "dmirror({(1, 1), (1, 2)}) == {(1, 1), (2, 1)}",
    ),
    gpu=WIDE,
    brief="transposed",
)
def dmirror(piece: Piece) -> Value:
    """Flipped along the diagonal from the upper left.

    A grid with rows of unequal length is cut to the shortest.
    """
    if isinstance(piece, tuple):
        return transpose(as_rows(piece, "dmirror"))
    top, left, _, _ = bounds(piece, "dmirror")
    return _remap(piece, ((0, 1), (1, 0), (top - left, left - top)))


@primitive(
    *_MIRROR,
    _ANY_ROWS,
    examples=(
        "cmirror(((1, 2), (3, 4))) == ((4, 2), (3, 1))",
        "cmirror({(0, 0), (0, 1)}) == {(0, 0), (1, 0)}",
    ),
    gpu=WIDE,
    brief="flipped over the other diagonal",
)
def cmirror(piece: Piece) -> Value:
    """Flipped along the diagonal from the upper right.

    A grid with rows of unequal length is cut to the shortest, from the right.
    """
    if isinstance(piece, tuple):
        rows = as_rows(piece, "cmirror")
        return transpose(tuple(row[::-1] for row in rows[::-1]))
    return vmirror(cast(Piece, dmirror(cast(Piece, vmirror(piece)))))


@primitive(
    "Grid, Count -> Grid",
    "Object, Count -> Object",
    "Tuple[Tuple[a]], Count -> Tuple[Tuple[a]]",
    examples=(
        "upscale(((1, 2),), 2) == ((1, 1, 2, 2), (1, 1, 2, 2))",
        "upscale({(3, (1, 1))}, 2) == {(3, (1, 1)), (3, (1, 2)), (3, (2, 1)), (3, (2, 2))}",
    ),
    gpu=WIDE,
    brief="each cell as factor by factor",
)
def upscale(element: Piece, factor: int) -> Value:
    """Each cell as a block of factor by factor cells; an object keeps its upper left corner.

    A factor below 1 leaves nothing.
    """
    times = max(0, factor)
    if isinstance(element, tuple):
        rows = as_rows(element, "upscale")
        require(sum(times * (1 + times * len(row)) for row in rows))
        return tuple(
            tuple(cell for cell in row for _ in range(times)) for row in rows for _ in range(times)
        )
    if not element:
        return frozenset()
    if not is_cells(element):
        raise wrong_type("upscale: element is a set of locations, expected a grid or an object")
    require(5 * times * times * len(element))
    top, left, _, _ = bounds(element, "upscale")
    return frozenset(
        (value, (top + (i - top) * times + di, left + (j - left) * times + dj))
        for value, (i, j) in cast(Sequence[Cell], element)
        for di in range(times)
        for dj in range(times)
    )
