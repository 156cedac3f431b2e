"""Grids: making, cutting, joining, scaling, coloring.

A grid may hold any numbers and rows of unequal length. Its width is that of its first
row; to read a cell beyond the end of its row is a failure of reason `out of range`.
Primitives that only move cells about take any tuple of tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..budget import charge, require
from ..failure import empty, out_of_range
from ..registry import SINGLE_THREAD, WIDE, primitive
from ..values import Cell, Cells, Container, Element, Grid, Pair, Patch, Table, Value, ordered
from .geometry import (
    background,
    bounds,
    cell_at,
    colors,
    dimensions,
    height_of,
    is_colored,
    places,
    transpose,
    width_of,
)
from .patches import normalize, shift

# Primitives that only move cells accept cells of any kind.
_ANY_ROWS = "Tuple[Tuple[a]] -> Tuple[Tuple[a]]"
_ANY_ROWS_SCALED = "Tuple[Tuple[a]], Count -> Tuple[Tuple[a]]"

# --- colors ---


@primitive(
    "Element -> Color",
    ties="of equally common colors, the lowest",
    examples=("mostcolor(((1, 2), (2, 3))) == 2", "mostcolor({(5, (0, 0)), (4, (0, 1))}) == 4"),
    gpu=WIDE,
    brief="most common; ties: lowest",
)
def mostcolor(element: Element) -> Value:
    """The most common color."""
    return background(element, "mostcolor")


@primitive(
    "Element -> Color",
    ties="of equally rare colors, the lowest",
    examples=("leastcolor(((1, 2), (2, 3))) == 1", "leastcolor({(5, (0, 0))}) == 5"),
    brief="rarest that occurs; ties: lowest",
)
def leastcolor(element: Element) -> Value:
    """The rarest color that occurs."""
    return background(element, "leastcolor", -1)


@primitive(
    "Element, Color -> Count",
    examples=("colorcount(((1, 2), (2, 3)), 2) == 2", "colorcount({(5, (0, 0))}, 4) == 0"),
    brief="cells of color value",
)
def colorcount(element: Element, value: int) -> Value:
    """Number of cells of a color."""
    return colors(element).count(value)


@primitive(
    "Element -> Set[Color]",
    aliases=("p_f",),
    examples=("palette(((1, 2), (2, 3))) == {1, 2, 3}", "palette({(5, (0, 0))}) == {5}"),
    gpu=WIDE,
    brief="its colors",
)
def palette(element: Element) -> Value:
    """The colors that occur, as a set."""
    return frozenset(colors(element))


@primitive(
    "Element -> Tuple[Color]",
    aliases=("p_o",),
    examples=("p_g(((3, 2), (2, 1))) == (1, 2, 3)", "p_g({(5, (0, 0))}) == (5,)"),
    in_arc_dsl=False,
)
def p_g(element: Element) -> Value:
    """The colors that occur, as a tuple, ascending."""
    return tuple(sorted(set(colors(element))))


@primitive(
    "Element -> Count",
    examples=("numcolors(((1, 2), (2, 3))) == 3", "numcolors(EMPTY) == 0"),
    brief="size(palette(element))",
)
def numcolors(element: Element) -> Value:
    """Number of colors that occur."""
    return len(set(colors(element)))


@primitive(
    "Grid, Color, Color -> Grid",
    examples=(
        "replace(((1, 2), (2, 3)), 2, 7) == ((1, 7), (7, 3))",
        "replace(((1,),), 4, 5) == ((1,),)",
    ),
    gpu=WIDE,
    brief="replacee becomes replacer",
)
def replace(grid: Grid, replacee: int, replacer: int) -> Value:
    """The grid with one color replaced by another."""
    return tuple(tuple(replacer if cell == replacee else cell for cell in row) for row in grid)


@primitive(
    "Grid, Color, Color -> Grid",
    examples=(
        "switch(((1, 2), (2, 3)), 2, 3) == ((1, 3), (3, 2))",
        "switch(((1,),), 4, 5) == ((1,),)",
    ),
    brief="colors a and b exchanged",
)
def switch(grid: Grid, a: int, b: int) -> Value:
    """The grid with two colors swapped."""
    return tuple(
        tuple(b if cell == a else a if cell == b else cell for cell in row) for row in grid
    )


# --- cells and locations ---


@primitive(
    "Grid -> Indices",
    "Tuple[Tuple[a]] -> Indices",
    peeks="all",
    examples=("asindices(((5, 6),)) == {(0, 0), (0, 1)}", "asindices(()) == EMPTY"),
    gpu=WIDE,
    brief="all locations",
)
def asindices(grid: Table) -> Value:
    """All locations of the grid."""
    wide = len(grid[0]) if grid else 0
    require(3 * len(grid) * wide)
    return frozenset((i, j) for i in range(len(grid)) for j in range(wide))


@primitive(
    "Grid -> Object",
    peeks="all",
    examples=("asobject(((5, 6),)) == {(5, (0, 0)), (6, (0, 1))}", "asobject(()) == EMPTY"),
    gpu=WIDE,
    brief="all cells",
)
def asobject(grid: Grid) -> Value:
    """All cells of the grid."""
    return frozenset((cell, (i, j)) for i, row in enumerate(grid) for j, cell in enumerate(row))


@primitive(
    "Grid, Color -> Indices",
    examples=("ofcolor(((1, 2), (2, 3)), 2) == {(0, 1), (1, 0)}", "ofcolor(((1,),), 2) == EMPTY"),
    gpu=WIDE,
    brief="locations of color value",
)
def ofcolor(grid: Grid, value: int) -> Value:
    """The locations of a color."""
    return frozenset(
        (i, j) for i, row in enumerate(grid) for j, cell in enumerate(row) if cell == value
    )


@primitive(
    "Grid, Pair -> Color",
    "Tuple[Tuple[a]], Pair -> a",
    peeks="grid",
    examples=(
        "index(((1, 2), (3, 4)), (1, 0)) == 3",
        "equality(index(((1, 2), (3, 4)), (5, 5)), 1) == F",
    ),
    gpu=SINGLE_THREAD,
    brief="color at loc; None outside",
)
def index(grid: Table, loc: Pair) -> Value:
    """The color at a location.

    Outside the grid it is None, which equals nothing else.
    """
    high, wide = dimensions(grid, "index")
    i, j = loc
    return cell_at(grid, i, j, "index") if 0 <= i < high and 0 <= j < wide else None


def _painted(grid: Table, cells: Sequence[tuple[int, Pair]], name: str, under: bool) -> Value:
    high, wide = dimensions(grid, name)
    bare = background(grid, name) if under else 0
    rows = [list(row) for row in grid]
    for value, (i, j) in cells:
        if 0 <= i < high and 0 <= j < wide:
            cell_at(grid, i, j, name)
            if not under or rows[i][j] == bare:
                rows[i][j] = value
    return tuple(map(tuple, rows))


def _filled(grid: Table, value: int, patch: Container, name: str, under: bool = False) -> Value:
    return _painted(grid, [(value, place) for place in places(patch)], name, under)


@primitive(
    "Grid, Color, Patch -> Grid",
    examples=(
        "fill(((0, 0), (0, 0)), 3, {(0, 1), (9, 9)}) == ((0, 3), (0, 0))",
        "fill(((0, 0),), 3, EMPTY) == ((0, 0),)",
    ),
    gpu=WIDE,
    brief="patch's locations become value",
)
def fill(grid: Grid, value: int, patch: Patch) -> Value:
    """The grid with a color at the patch's locations."""
    return _filled(grid, value, patch, "fill")


@primitive(
    "Grid, Cells -> Grid",
    ties="of several cells at one location, the last in iteration order",
    examples=(
        "paint(((0, 0), (0, 0)), {(3, (0, 1))}) == ((0, 3), (0, 0))",
        "paint(((0,),), {(3, (0, 0)), (4, (0, 0))}) == ((4,),)",
    ),
    gpu=WIDE,
    brief="obj's cells laid on grid",
)
def paint(grid: Grid, obj: Cells) -> Value:
    """The grid with an object's cells laid on it."""
    return _painted(grid, cast(Sequence[Cell], ordered(obj)), "paint", under=False)


@primitive(
    "Grid, Color, Patch -> Grid",
    examples=(
        "underfill(((0, 0), (0, 5)), 3, {(0, 1), (1, 1)}) == ((0, 3), (0, 5))",
        "underfill(((0, 0),), 3, EMPTY) == ((0, 0),)",
    ),
    gpu=WIDE,
    brief="fill, only over mostcolor(grid)",
)
def underfill(grid: Grid, value: int, patch: Patch) -> Value:
    """`fill`, only where the grid has its most common color."""
    return _filled(grid, value, patch, "underfill", under=True)


@primitive(
    "Grid, Cells -> Grid",
    ties="of several cells at one location, the first that has another color than the most common",
    examples=(
        "underpaint(((0, 0), (0, 5)), {(3, (0, 1)), (3, (1, 1))}) == ((0, 3), (0, 5))",
        "underpaint(((0, 0),), EMPTY) == ((0, 0),)",
    ),
    brief="paint, only over mostcolor(grid)",
)
def underpaint(grid: Grid, obj: Cells) -> Value:
    """`paint`, only where the grid has its most common color."""
    return _painted(grid, cast(Sequence[Cell], ordered(obj)), "underpaint", under=True)


@primitive(
    "Grid, Patch -> Grid",
    examples=(
        "cover(((0, 0), (0, 5)), {(1, 1)}) == ((0, 0), (0, 0))",
        "cover(((0, 0),), EMPTY) == ((0, 0),)",
    ),
    gpu=WIDE,
    brief="fill(grid, mostcolor(grid), patch)",
)
def cover(grid: Grid, patch: Patch) -> Value:
    """The grid with its most common color at the patch's locations."""
    return _filled(grid, background(grid, "cover"), patch, "cover")


@primitive(
    "Grid, Cells, Direction -> Grid",
    examples=(
        "move(((5, 0), (0, 0)), {(5, (0, 0))}, DOWN) == ((0, 0), (5, 0))",
        "move(((5, 0), (0, 0)), {(5, (0, 0))}, UP) == ((0, 0), (0, 0))",
    ),
    gpu=WIDE,
    brief="paint(cover(grid, obj), shift(obj, offset))",
)
def move(grid: Grid, obj: Cells, offset: Pair) -> Value:
    """The grid with an object covered and painted again, moved by a vector."""
    moved = cast(Container, shift(obj, offset))
    return _painted(
        cast(Table, cover(grid, obj)), cast(Sequence[Cell], ordered(moved)), "move", under=False
    )


@primitive(
    "Color, Dims -> Grid",
    examples=("canvas(3, (1, 2)) == ((3, 3),)", "canvas(0, TWO_BY_TWO) == ((0, 0), (0, 0))"),
    gpu=WIDE,
    brief="size dimensions (rows, columns), all of value",
)
def canvas(value: int, dimensions: Pair) -> Value:
    """A grid of one color; with a negative side it is empty."""
    high, wide = max(0, dimensions[0]), max(0, dimensions[1])
    require(high * (1 + wide))
    return ((value,) * wide,) * high


@primitive(
    "Grid, Grid, Color -> Grid",
    examples=(
        "cellwise(((1, 2), (3, 4)), ((1, 0), (3, 0)), 9) == ((1, 9), (3, 9))",
        "cellwise(((1,),), ((1, 2),), 0) == ((1,),)",
    ),
    brief="a's cell where b's is equal, else fallback",
)
def cellwise(a: Grid, b: Grid, fallback: int) -> Value:
    """Cells where two grids agree, a fallback color elsewhere.

    The second grid may be larger; where it is smaller the call fails.
    """
    high, wide = dimensions(a, "cellwise")
    if len(b) < high and wide:
        raise out_of_range("cellwise: the second grid has fewer rows")
    return tuple(
        tuple(
            cell
            if (cell := cell_at(a, i, j, "cellwise")) == cell_at(b, i, j, "cellwise")
            else fallback
            for j in range(wide)
        )
        for i in range(high)
    )


@primitive(
    "Grid, Color, Grid, Grid -> Grid",
    examples=(
        "where_color(((1, 2), (3, 1)), 1, ((4, 4), (4, 4)), ((5, 6), (7, 8))) == ((4, 6), (7, 4))",
        "where_color(((0,),), 1, ((4, 4),), ((5, 6),)) == ((5,),)",
    ),
    in_arc_dsl=False,
    brief="cells of `chosen` where `key` has the color, those of `other` elsewhere",
)
def where_color(key: Grid, color: int, chosen: Grid, other: Grid) -> Value:
    """Cells of one grid where a key has a color, those of another grid elsewhere.

    Both grids may be larger than the key; where one is smaller the call fails.
    """
    high, wide = dimensions(key, "where_color")
    if wide and min(len(chosen), len(other)) < high:
        raise out_of_range("where_color: a grid has fewer rows than the key")
    rows = []
    for i in range(high):
        colors, *lines = (
            [cell_at(grid, i, j, "where_color") for j in range(wide)]
            for grid in (key, chosen, other)
        )
        rows.append(tuple(a if c == color else b for c, a, b in zip(colors, *lines, strict=True)))
    return tuple(rows)


# --- turning, cutting, joining ---


@primitive(
    "Grid -> Grid",
    _ANY_ROWS,
    examples=("rot90(((1, 2), (3, 4))) == ((3, 1), (4, 2))", "rot90(((1, 2),)) == ((1,), (2,))"),
    gpu=WIDE,
    brief="clockwise",
)
def rot90(grid: Table) -> Value:
    """A quarter turn clockwise; rows of unequal length are cut to the shortest."""
    return transpose(grid[::-1])


@primitive(
    "Grid -> Grid",
    _ANY_ROWS,
    examples=("rot180(((1, 2), (3, 4))) == ((4, 3), (2, 1))", "rot180(()) == ()"),
    gpu=WIDE,
    brief="half a turn",
)
def rot180(grid: Table) -> Value:
    """Half a turn."""
    return tuple(row[::-1] for row in grid[::-1])


@primitive(
    "Grid -> Grid",
    _ANY_ROWS,
    examples=("rot270(((1, 2), (3, 4))) == ((2, 4), (1, 3))", "rot270(((1, 2),)) == ((2,), (1,))"),
    gpu=WIDE,
    brief="counterclockwise",
)
def rot270(grid: Table) -> Value:
    """A quarter turn counterclockwise; rows of unequal length are cut to the shortest."""
    return transpose(grid)[::-1]


@primitive(
    "Grid, Pair, Dims -> Grid",
    "Tuple[Tuple[a]], Pair, Dims -> Tuple[Tuple[a]]",
    peeks="grid",
    examples=(
        "crop(((1, 2, 3), (4, 5, 6)), (0, 1), (2, 2)) == ((2, 3), (5, 6))",
        "crop(((1, 2, 3), (4, 5, 6)), (0, -1), (1, 1)) == ((),)",
        "crop(((1, 2, 3),), (0, 2), (5, 5)) == ((3,),)",
    ),
    gpu=WIDE,
    brief="part of size dims (rows, columns) from start on",
)
def crop(grid: Table, start: Pair, dims: Pair) -> Value:
    """The part of a grid from a location on, of a size, as far as the grid reaches.

    Start and end (start plus size) are taken as in Python's slices: a negative one counts
    from the end of the grid or row.
    """
    (i, j), (high, wide) = start, dims
    return tuple(row[j : j + wide] for row in grid[i : i + high])


@primitive(
    "Grid -> Grid",
    _ANY_ROWS,
    peeks="all",
    examples=("trim(((1, 2, 3), (4, 5, 6), (7, 8, 9))) == ((5,),)", "trim(((1, 2),)) == ()"),
    brief="without outermost rows and columns",
)
def trim(grid: Table) -> Value:
    """The grid without its outermost rows and columns."""
    return tuple(row[1:-1] for row in grid[1:-1])


@primitive(
    "Grid -> Grid",
    "Tuple[a] -> Tuple[a]",
    peeks="all",
    examples=("tophalf(((1,), (2,), (3,))) == ((1,),)", "tophalf((4, 5, 6, 7)) == (4, 5)"),
    brief="without a middle row",
)
def tophalf(grid: tuple[Value, ...]) -> Value:
    """The upper half, without a middle row; of any tuple the first half."""
    return grid[: len(grid) // 2]


@primitive(
    "Grid -> Grid",
    "Tuple[a] -> Tuple[a]",
    peeks="all",
    examples=("bottomhalf(((1,), (2,), (3,))) == ((3,),)", "bottomhalf((4, 5, 6, 7)) == (6, 7)"),
    brief="without a middle row",
)
def bottomhalf(grid: tuple[Value, ...]) -> Value:
    """The lower half, without a middle row; of any tuple the second half."""
    return grid[len(grid) // 2 + len(grid) % 2 :]


@primitive(
    "Grid -> Grid",
    _ANY_ROWS,
    peeks="all",
    examples=("lefthalf(((1, 2, 3), (4, 5, 6))) == ((1,), (4,))", "lefthalf(((1,),)) == ()"),
    brief="without a middle column",
)
def lefthalf(grid: Table) -> Value:
    """The left half, without a middle column; a grid one cell wide leaves nothing.

    Rows of unequal length are cut to the shortest.
    """
    columns = transpose(grid)
    return transpose(columns[: len(columns) // 2])


@primitive(
    "Grid -> Grid",
    _ANY_ROWS,
    peeks="all",
    examples=("righthalf(((1, 2, 3), (4, 5, 6))) == ((3,), (6,))", "righthalf(((1,),)) == ()"),
    brief="without a middle column",
)
def righthalf(grid: Table) -> Value:
    """The right half, without a middle column; a grid one cell wide leaves nothing.

    Rows of unequal length are cut to the shortest.
    """
    columns = transpose(grid)
    return transpose(columns[len(columns) // 2 + len(columns) % 2 :])


@primitive(
    "Grid, Grid -> Grid",
    "Tuple[Tuple[a]], Tuple[Tuple[a]] -> Tuple[Tuple[a]]",
    examples=(
        "hconcat(((1,), (2,)), ((3,), (4,))) == ((1, 3), (2, 4))",
        "hconcat(((1,), (2,)), ((3,),)) == ((1, 3),)",
    ),
    gpu=WIDE,
    brief="a left of b, cut to the smaller height",
)
def hconcat(a: Table, b: Table) -> Value:
    """Two grids side by side.

    Of unequal heights, only the rows that both have.
    """
    return tuple(left + right for left, right in zip(a, b, strict=False))


@primitive(
    "Grid, Grid -> Grid",
    "Tuple[a], Tuple[a] -> Tuple[a]",
    examples=("vconcat(((1, 2),), ((3, 4),)) == ((1, 2), (3, 4))", "vconcat((1,), (2,)) == (1, 2)"),
    gpu=WIDE,
    brief="a above b",
)
def vconcat(a: tuple[Value, ...], b: tuple[Value, ...]) -> Value:
    """Two grids one above the other; any two tuples joined."""
    return a + b


@primitive(
    "Grid, Count -> Tuple[Grid]",
    "Tuple[Tuple[a]], Count -> Tuple[Tuple[Tuple[a]]]",
    examples=(
        "hsplit(((1, 2, 3, 4),), 2) == (((1, 2),), ((3, 4),))",
        "hsplit(((1, 0, 2),), 2) == (((1,),), ((2,),))",
    ),
    brief="n equal parts, left to right; skips a column between if n does not divide the width",
)
def hsplit(grid: Table, n: int) -> Value:
    """The grid cut into n parts of equal width, side by side.

    If the width is not a multiple of n, one column is skipped between parts.
    """
    if n == 0:
        raise out_of_range("hsplit: into 0 parts")
    high, wide = dimensions(grid, "hsplit")
    part, gap = wide // n, wide % n != 0
    require(max(0, n) * (1 + high * (1 + part)))
    return tuple(crop(grid, (0, (part + gap) * k), (high, part)) for k in range(n))


@primitive(
    "Grid, Count -> Tuple[Grid]",
    "Tuple[Tuple[a]], Count -> Tuple[Tuple[Tuple[a]]]",
    examples=(
        "vsplit(((1,), (2,), (3,), (4,)), 2) == (((1,), (2,)), ((3,), (4,)))",
        "vsplit(((1,), (0,), (2,)), 2) == (((1,),), ((2,),))",
    ),
    brief="n equal parts, top to bottom; skips a row between if n does not divide the height",
)
def vsplit(grid: Table, n: int) -> Value:
    """The grid cut into n parts of equal height, one above the other.

    If the height is not a multiple of n, one row is skipped between parts.
    """
    if n == 0:
        raise out_of_range("vsplit: into 0 parts")
    high, wide = dimensions(grid, "vsplit")
    part, gap = high // n, high % n != 0
    require(max(0, n) * (1 + part * (1 + wide)))
    return tuple(crop(grid, ((part + gap) * k, 0), (part, wide)) for k in range(n))


# --- scaling ---


@primitive(
    "Grid, Count -> Grid",
    _ANY_ROWS_SCALED,
    examples=("hupscale(((1, 2),), 2) == ((1, 1, 2, 2),)", "hupscale(((1, 2),), 0) == ((),)"),
    gpu=WIDE,
    brief="each cell factor times as wide",
)
def hupscale(grid: Table, factor: int) -> Value:
    """Each cell `factor` times as wide."""
    times = max(0, factor)
    require(sum(1 + times * len(row) for row in grid))
    return tuple(tuple(cell for cell in row for _ in range(times)) for row in grid)


@primitive(
    "Grid, Count -> Grid",
    _ANY_ROWS_SCALED,
    examples=("vupscale(((1, 2),), 2) == ((1, 2), (1, 2))", "vupscale(((1, 2),), 0) == ()"),
    gpu=WIDE,
    brief="each cell factor times as high",
)
def vupscale(grid: Table, factor: int) -> Value:
    """Each cell `factor` times as high."""
    times = max(0, factor)
    require(sum(times * (1 + len(row)) for row in grid))
    return tuple(row for row in grid for _ in range(times))


@primitive(
    "Grid, Count -> Grid",
    _ANY_ROWS_SCALED,
    examples=(
        "downscale(((1, 1, 2, 2), (1, 1, 2, 2)), 2) == ((1, 2),)",
        "downscale(((1, 2, 3),), 2) == ((1, 3),)",
    ),
    brief="each factor-th row and column",
)
def downscale(grid: Table, factor: int) -> Value:
    """Every `factor`-th row and column, from the first on; a factor of zero fails."""
    high, wide = dimensions(grid, "downscale")
    if factor == 0:
        raise out_of_range("downscale: the factor is zero")
    step = abs(factor)
    if wide:
        for i in range(high):
            cell_at(grid, i, (wide - 1) // step * step, "downscale")
    return tuple(row[:wide:step] for row in grid[::step])


# --- lines and borders ---


def _even_rows(rows: Table) -> list[int]:
    """Return the rows of one color."""
    return [i for i, row in enumerate(rows) if len(set(row)) == 1]


@primitive(
    "Grid -> Objects",
    examples=(
        "frontiers(((0, 1), (5, 5))) == {{(5, (1, 0)), (5, (1, 1))}}",
        "frontiers(((0, 1), (1, 0))) == EMPTY",
    ),
    brief="rows and columns of one color",
)
def frontiers(grid: Grid) -> Value:
    """The rows and columns that are of one color, as objects."""
    high, wide = dimensions(grid, "frontiers")
    lines: set[Value] = set()
    for i in _even_rows(grid):
        lines.add(frozenset((cell_at(grid, i, j, "frontiers"), (i, j)) for j in range(wide)))
    for j in _even_rows(transpose(grid)):
        lines.add(frozenset((cell_at(grid, i, j, "frontiers"), (i, j)) for i in range(high)))
    return frozenset(lines)


@primitive(
    "Grid -> Grid",
    examples=(
        "compress(((0, 1), (5, 5), (1, 0))) == ((0, 1), (1, 0))",
        "compress(((5, 5),)) == ()",
    ),
    brief="without rows and columns of one color",
)
def compress(grid: Grid) -> Value:
    """The grid without the rows and columns that are of one color."""
    even_rows, even_columns = set(_even_rows(grid)), set(_even_rows(transpose(grid)))
    return tuple(
        tuple(cell for j, cell in enumerate(row) if j not in even_columns)
        for i, row in enumerate(grid)
        if i not in even_rows
    )


# --- patches in grids ---


@primitive(
    "Patch, Grid -> Boolean",
    peeks="grid",
    examples=(
        "bordering({(0, 1)}, ((1, 2), (3, 4), (5, 6))) == T",
        "bordering({(1, 1)}, ((1, 2, 3), (3, 4, 5), (5, 6, 7))) == F",
    ),
    brief="it has a cell at an edge",
)
def bordering(patch: Patch, grid: Grid) -> Value:
    """Whether the patch reaches an edge of the grid."""
    top, left, bottom, right = bounds(patch, "bordering")
    high, wide = dimensions(grid, "bordering")
    return top == 0 or left == 0 or bottom == high - 1 or right == wide - 1


@primitive(
    "Patch, Grid -> Object",
    peeks="grid",
    examples=(
        "toobject({(0, 1), (5, 5)}, ((1, 2), (3, 4))) == {(2, (0, 1))}",
        "toobject(EMPTY, ((1,),)) == EMPTY",
    ),
    gpu=WIDE,
    brief="grid's cells at its locations",
)
def toobject(patch: Patch, grid: Grid) -> Value:
    """The grid's cells at the patch's locations, those outside left out."""
    high, wide = dimensions(grid, "toobject")
    inside = [(i, j) for i, j in places(patch) if 0 <= i < high and 0 <= j < wide]
    return frozenset((cell_at(grid, i, j, "toobject"), (i, j)) for i, j in inside)


@primitive(
    "Patch, Grid -> Grid",
    "Patch, Tuple[Tuple[a]] -> Tuple[Tuple[a]]",
    peeks="grid",
    examples=(
        "subgrid({(0, 1), (1, 1)}, ((1, 2), (3, 4))) == ((2,), (4,))",
        "subgrid({(3, (0, 0))}, ((1, 2), (3, 4))) == ((1,),)",
    ),
    brief="part of grid in patch's box",
)
def subgrid(patch: Patch, grid: Table) -> Value:
    """The part of the grid that the patch's box covers; cut as by `crop`."""
    if not patch:
        raise empty("subgrid: the patch is empty")
    top, left, _, _ = bounds(patch, "subgrid")
    return crop(grid, (top, left), (height_of(patch), width_of(patch, "subgrid")))


@primitive(
    "Grid, Cells -> Indices",
    examples=(
        "occurrences(((1, 2), (2, 1)), {(1, (5, 5))}) == {(0, 0), (1, 1)}",
        "occurrences(((1, 2), (2, 1)), {(3, (0, 0))}) == EMPTY",
    ),
    brief="upper left corners where all of obj's cells are found",
)
def occurrences(grid: Grid, obj: Cells) -> Value:
    """The places of an object's upper left corner at which the grid has all its cells.

    Costs one step per place and cell. An empty object occurs everywhere, also one row below and
    one column to the right of the grid.
    """
    high, wide = dimensions(grid, "occurrences")
    tall, broad = height_of(obj), width_of(obj, "occurrences")
    n_rows, n_columns = max(0, high - tall + 1), max(0, wide - broad + 1)
    charge(n_rows * n_columns * max(1, len(obj)))
    normal = cast(Sequence[Cell], ordered(cast(Container, normalize(obj))))
    return frozenset(
        (i, j)
        for i in range(n_rows)
        for j in range(n_columns)
        if all(is_colored(grid, i + a, j + b, value, high, wide) for value, (a, b) in normal)
    )
