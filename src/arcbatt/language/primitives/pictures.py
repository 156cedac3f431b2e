"""Operations on pictures, each of which would take a solver many lines.

A result without cells is the empty picture, not a failure, so that an operation can be tried on any
picture. The main color is the most common one other than 0, the lowest on ties; 0 if there is none.
"""

from __future__ import annotations

from itertools import product

from ..registry import Searched, primitive
from ..values import Picture, Value
from .picture_tools import (
    ALL_AROUND,
    EMPTY_PICTURE,
    SIDES,
    cells,
    enclosed,
    main_color,
    n_rows,
    n_shown,
    on_edge,
    outside,
    parts_of,
    picture,
    places_of,
    plain,
    require_cells,
    width,
)

# --- colors ---


@primitive(
    "Picture, Color -> Picture",
    searched=Searched(
        codes=range(1, 10),
        needs_color=True,
        unchanged_if="HAS_NO_OTHER_COLOR << {code}",
        blank_if="LACKS_COLOR << {code}",
    ),
    examples=(
        "keep_color(((0, 0), ((1, 2), (2, 3))), 2) == ((0, 0), ((0, 2), (2, 0)))",
        "keep_color(((3, 1), ((1, 1),)), 4) == ((3, 1), ((0, 0),))",
    ),
)
def keep_color(p: Picture, color: int) -> Value:
    """The cells of one color; all others become 0."""
    (row, column), grid = p
    return picture(row, column, ([c if c == color else 0 for c in line] for line in grid))


@primitive(
    "Picture, Color -> Picture",
    searched=Searched(
        after="negative",
        codes=range(1, 10),
        needs_color=True,
        unchanged_if="LACKS_COLOR << {code}",
        blank_if="HAS_NO_OTHER_COLOR << {code}",
    ),
    examples=(
        "drop_color(((0, 0), ((1, 2), (2, 3))), 2) == ((0, 0), ((1, 0), (0, 3)))",
        "drop_color(((3, 1), ((1, 1),)), 4) == ((3, 1), ((1, 1),))",
    ),
)
def drop_color(p: Picture, color: int) -> Value:
    """The picture without one color, whose cells become 0."""
    (row, column), grid = p
    return picture(row, column, ([0 if c == color else c for c in line] for line in grid))


@primitive(
    "Picture -> Picture",
    searched=Searched(blank_if="IS_FULL"),
    examples=(
        "negative(((0, 1), ((0, 5), (3, 0)))) == ((0, 1), ((3, 0), (0, 3)))",
        "negative(((0, 0), ((0, 0),))) == ((0, 0), ((1, 1),))",
    ),
)
def negative(p: Picture) -> Value:
    """Zeros and colors swapped: zeros get the lowest color, everything else becomes 0.

    Zeros of a picture without any color become 1.
    """
    (row, column), grid = p
    lowest = min((cell for cell in cells(p) if cell), default=1)
    return picture(row, column, ([0 if cell else lowest for cell in line] for line in grid))


@primitive(
    "Picture, Color[0..9] -> Picture",
    examples=(
        "tint(((0, 0), ((1, 2), (0, 3))), 5) == ((0, 0), ((5, 5), (0, 5)))",
        "tint(((2, 0), ((1, 2),)), 0) == ((2, 0), ((0, 0),))",
    ),
    brief="all cells but the zeros in one color",
)
def tint(p: Picture, color: int) -> Value:
    """All cells but the zeros in one color, from 0 to 9."""
    (row, column), grid = p
    return picture(row, column, ([color if cell else 0 for cell in line] for line in grid))


# --- extent ---


@primitive(
    "Picture -> Picture",
    searched=Searched(unchanged_if="IS_TIGHT"),
    examples=(
        "shrink(((1, 1), ((0, 0, 0), (0, 2, 3)))) == ((2, 2), ((2, 3),))",
        "shrink(((1, 1), ((0, 0, 0),))) == ((0, 0), ())",
    ),
)
def shrink(p: Picture) -> Value:
    """The bounding box of all cells other than 0, in place."""
    (row, column), grid = p
    rows = [i for i, line in enumerate(grid) if any(line)]
    columns = [j for j, line in enumerate(zip(*grid, strict=True)) if any(line)]
    if not rows:
        return EMPTY_PICTURE
    (top, bottom), (left, right) = (rows[0], rows[-1]), (columns[0], columns[-1])
    box = (line[left : right + 1] for line in grid[top : bottom + 1])
    return picture(row + top, column + left, box)


@primitive(
    "Picture -> Picture",
    searched=Searched(after="core", unchanged_if="AT_ORIGIN | HAS_NO_ZERO_LINE"),
    examples=(
        "squeeze(((4, 4), ((1, 0, 2), (0, 0, 0), (3, 0, 0)))) == ((0, 0), ((1, 2), (3, 0)))",
        "squeeze(((4, 4), ((0, 0),))) == ((0, 0), ())",
    ),
)
def squeeze(p: Picture) -> Value:
    """The rows and columns that have a cell other than 0, moved together, at the origin."""
    columns = [j for j, line in enumerate(zip(*p[1], strict=True)) if any(line)]
    return picture(0, 0, ([line[j] for j in columns] for line in p[1] if any(line)))


@primitive(
    "Picture -> Picture",
    searched=Searched(after="squeeze"),
    examples=(
        "collapse(((4, 4), ((1, 1, 2), (1, 1, 2), (3, 3, 2)))) == ((0, 0), ((1, 2), (3, 2)))",
        "collapse(((4, 4), ((0, 0), (0, 0)))) == ((0, 0), ((0,),))",
    ),
)
def collapse(p: Picture) -> Value:
    """One of each run of equal rows, and of equal columns, at the origin."""
    grid = p[1]
    turned = tuple(zip(*grid, strict=True))
    columns = [j for j, line in enumerate(turned) if j == 0 or line != turned[j - 1]]
    rows = [line for i, line in enumerate(grid) if i == 0 or line != grid[i - 1]]
    return picture(0, 0, ([line[j] for j in columns] for line in rows))


@primitive(
    "Picture -> Picture",
    searched=Searched(after="slab", unchanged_if="AT_ORIGIN"),
    examples=(
        "to_origin(((4, -2), ((1, 2),))) == ((0, 0), ((1, 2),))",
        "to_origin(((4, -2), ())) == ((0, 0), ())",
    ),
)
def to_origin(p: Picture) -> Value:
    """The picture at place (0, 0)."""
    return picture(0, 0, p[1])


@primitive(
    "Picture -> Picture",
    searched=Searched(plain="SPOT"),
    examples=(
        "spot(((4, 2), ((0, 3), (3, 1)))) == ((4, 2), ((3,),))",
        "spot(((4, 2), ((0, 0),))) == ((4, 2), ((0,),))",
    ),
)
def spot(p: Picture) -> Value:
    """One cell of the main color at the picture's place."""
    (row, column), grid = plain(p)
    return picture(row, column, [[main_color(p)]] if grid else [])


@primitive(
    "Picture -> Picture",
    searched=Searched(after="collapse"),
    examples=(
        "middle(((1, 1), ((2, 0, 2), (0, 0, 0), (2, 0, 2)))) == ((2, 2), ((1,),))",
        "middle(((0, 0), ((5, 5, 5, 5),))) == ((0, 1), ((1, 1),))",
    ),
)
def middle(p: Picture) -> Value:
    """The middle of the frame in color 1: two rows if their number is even, columns likewise."""
    (row, column), grid = plain(p)
    if not grid:
        return EMPTY_PICTURE
    high, wide = 2 - n_rows(p) % 2, 2 - width(p) % 2
    return picture(row + (n_rows(p) - 1) // 2, column + (width(p) - 1) // 2, [[1] * wide] * high)


@primitive(
    "Picture, Code[0..3] -> Picture",
    searched=Searched(codes=(1, 0, 3, 2), plain="SLAB"),
    examples=(
        "slab(((4, 2), ((0, 3), (3, 1))), 0) == ((0, 0), ((3, 3), (3, 3)))",
        "slab(((4, 2), ((0, 3), (3, 1))), 3) == ((4, 2), ((0, 0), (0, 0)))",
    ),
    brief="a full rectangle of its size, by code 0 in the main color at the origin, 1 blank "
    "there, 2 and 3 the same in place",
)
def slab(p: Picture, code: int) -> Value:
    """A full rectangle of the picture's size, by a code from 0 to 3.

    At the origin 0 has the main color, 1 is blank; at the picture's place 2 has the main
    color, 3 is blank.
    """
    (row, column), grid = p
    color = main_color(p) if code in (0, 2) else 0
    if code < 2:
        row, column = 0, 0
    return picture(row, column, ([color] * width(p) for _ in grid))


# --- inside and outside ---


@primitive(
    "Picture -> Picture",
    searched=Searched(unchanged_if="HAS_NO_HOLE | IS_ONE_COLOR"),
    examples=(
        "solid(((0, 0), ((2, 2, 2), (2, 0, 3), (2, 2, 2)))) == "
        "((0, 0), ((2, 2, 2), (2, 2, 2), (2, 2, 2)))",
        "solid(((1, 0), ((0, 2), (3, 0)))) == ((1, 0), ((0, 2), (2, 0)))",
    ),
)
def solid(p: Picture) -> Value:
    """Shapes and what they enclose in the main color.

    Enclosed are the zeros from which no path over sides of zeros leads to the edge.
    """
    (row, column), grid = p
    free, color = outside(p, SIDES), main_color(p)
    return picture(
        row,
        column,
        ([0 if (i, j) in free else color for j in range(width(p))] for i in range(len(grid))),
    )


@primitive(
    "Picture -> Picture",
    searched=Searched(blank_if="HAS_NO_HOLE"),
    examples=(
        "holes(((0, 0), ((2, 2, 2), (2, 0, 3), (2, 2, 2)))) == "
        "((0, 0), ((0, 0, 0), (0, 2, 0), (0, 0, 0)))",
        "holes(((1, 0), ((0, 2), (3, 0)))) == ((1, 0), ((0, 0), (0, 0)))",
    ),
)
def holes(p: Picture) -> Value:
    """The enclosed zeros alone, in the main color.

    Enclosed are the zeros from which no path over sides of zeros leads to the edge.
    """
    (row, column), grid = p
    within, color = set[object]().union(*enclosed(p)), main_color(p)
    return picture(
        row,
        column,
        ([color if (i, j) in within else 0 for j in range(width(p))] for i in range(len(grid))),
    )


def _is_rim(p: Picture, free: set[tuple[int, int]], i: int, j: int) -> bool:
    """Return whether a cell is on the edge or touches the outside, also by a corner."""
    return on_edge(p, i, j) or any((i + di, j + dj) in free for di, dj in ALL_AROUND)


@primitive(
    "Picture -> Picture",
    searched=Searched(after="framed", unchanged_if="IS_ALL_RIM"),
    examples=(
        "rim(((0, 0), ((2, 2, 2), (2, 3, 2), (2, 2, 2)))) == "
        "((0, 0), ((2, 2, 2), (2, 0, 2), (2, 2, 2)))",
        "rim(((1, 0), ((0, 2), (3, 4)))) == ((1, 0), ((0, 2), (3, 4)))",
    ),
)
def rim(p: Picture) -> Value:
    """The cells on the edge and those that touch the outside, by a side or a corner.

    The outside are the zeros from which a path over sides and corners of zeros leads to the
    edge.
    """
    (row, column), grid = p
    free = outside(p, ALL_AROUND)
    return picture(
        row,
        column,
        (
            [cell if _is_rim(p, free, i, j) else 0 for j, cell in enumerate(line)]
            for i, line in enumerate(grid)
        ),
    )


@primitive(
    "Picture -> Picture",
    searched=Searched(blank_if="IS_ALL_RIM"),
    examples=(
        "core(((0, 0), ((2, 2, 2), (2, 3, 2), (2, 2, 2)))) == "
        "((0, 0), ((0, 0, 0), (0, 3, 0), (0, 0, 0)))",
        "core(((1, 0), ((0, 2), (3, 4)))) == ((1, 0), ((0, 0), (0, 0)))",
    ),
)
def core(p: Picture) -> Value:
    """The cells that are not of the rim: neither on the edge nor touching the outside.

    The outside is that of `rim`.
    """
    (row, column), grid = p
    free = outside(p, ALL_AROUND)
    return picture(
        row,
        column,
        (
            [0 if _is_rim(p, free, i, j) else cell for j, cell in enumerate(line)]
            for i, line in enumerate(grid)
        ),
    )


# --- counts ---


def _count(p: Picture, what: int) -> int:
    colors = set(cells(p)) - {0}
    match what:
        case 0:
            return n_shown(p)
        case 1:
            return len(colors)
        case 2:
            return len(parts_of(places_of(p, *colors), ALL_AROUND))
        case 3:
            return sum(len(parts_of(places_of(p, color), SIDES)) for color in colors)
        case _:
            return len(enclosed(p))


@primitive(
    "Picture, Code[0..4], Code[0..3] -> Picture",
    searched=Searched(
        after="turn",
        codes=(*product(range(4), range(3)), *product(range(4), [3])),
        plain=("COUNT_CELLS", "COUNT_CELLS", "COUNT_PARTS", "COUNT_PARTS"),
    ),
    examples=(
        "tally(((4, 2), ((1, 0, 3), (0, 0, 3))), 0, 1) == ((0, 0), ((3, 3, 3),))",
        "tally(((4, 2), ((1, 0, 3), (0, 0, 3))), 1, 0) == ((0, 0), ((3, 3), (3, 3)))",
        "tally(((0, 0), ((5, 0, 0, 5, 0, 5),)), 2, 3) == "
        "((0, 0), ((5, 5, 5), (0, 0, 0), (0, 0, 0)))",
        "tally(((4, 2), ((0, 0),)), 0, 2) == ((0, 0), ())",
    ),
    brief="a count in the main color; what: cells, colors, parts of any colors, parts of one "
    "color, holes; form: square, row, column, n of 3 by 3 cells",
)
def tally(p: Picture, what: int, form: int) -> Value:
    """A count drawn in the main color at the origin; what is counted and the form are codes.

    `what`: 0 cells other than 0, 1 colors, 2 parts of any colors, connected by sides and corners,
    3 parts of one color, connected by sides, 4 holes: parts of zeros, connected by sides, that do
    not reach the edge. `form` of a count of n: 0 a
    square of n rows, 1 a row of n cells, 2 a column of n cells, 3 the first n cells of 3 rows
    of 3, or all of them. A count of nothing is the empty picture.
    """
    n, color = _count(p, what), main_color(p)
    if n == 0:
        return EMPTY_PICTURE
    if form == 3:
        return picture(0, 0, ([color if 3 * i + j < n else 0 for j in range(3)] for i in range(3)))
    high, wide = (1 if form == 1 else n), (1 if form == 2 else n)
    require_cells(high, wide)
    return picture(0, 0, [[color] * wide] * high)
