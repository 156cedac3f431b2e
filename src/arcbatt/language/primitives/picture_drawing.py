"""Drawing operations: turn, smear, frame, fill, resize and overlay pictures.

The frame of a picture is the rectangle that it covers. Reading order goes along the rows, from
the first to the last. Codes choose among variants of an operation; a number that is not one of
its codes fails with `out of range`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from itertools import pairwise, product

from ..budget import charge
from ..failure import out_of_range
from ..registry import WIDE, Searched, primitive
from ..values import Grid, Pair, Picture, Value
from .picture_tools import (
    EMPTY_PICTURE,
    Rows,
    cells,
    columns_of,
    main_color,
    n_rows,
    n_shown,
    picture,
    plain,
    require_cells,
    width,
)

RIGHT, LEFT, DOWN, UP = (0, 1), (0, -1), (1, 0), (-1, 0)
DOWN_RIGHT, UP_LEFT, UP_RIGHT, DOWN_LEFT = (1, 1), (-1, -1), (-1, 1), (1, -1)
STRAIGHT = (RIGHT, LEFT, DOWN, UP)
DIAGONAL = (DOWN_RIGHT, UP_LEFT, UP_RIGHT, DOWN_LEFT)


def inside(rows: Rows, i: int, j: int) -> bool:
    return 0 <= i < len(rows) and 0 <= j < len(rows[0])


def reversed_rows(rows: Rows) -> list[Sequence[int]]:
    """Return each row reversed."""
    return [line[::-1] for line in rows]


# --- turn ---


def further_off_sideways(given: Picture) -> bool:
    """Return whether the shown cells are at least as far off center horizontally as vertically."""
    high, wide = n_rows(given), width(given)
    shown = [(i, j) for i, line in enumerate(given[1]) for j, c in enumerate(line) if c]
    upright = sum(2 * i - (high - 1) for i, _ in shown)
    sideways = sum(2 * j - (wide - 1) for _, j in shown)
    return abs(sideways) >= abs(upright)


# By code; 8 is either 4 or 5.
_SYMMETRIC = (
    *(f"IS_SYMMETRIC << {code}" for code in range(8)),
    "IS_SYMMETRIC << 4 | IS_SYMMETRIC << 5",
)


@primitive(
    "Picture, Code[1..8] -> Picture",
    searched=Searched(unchanged_if=_SYMMETRIC),
    examples=(
        "turn(((0, 0), ((1, 2, 3),)), 1) == ((0, 0), ((3,), (2,), (1,)))",
        "turn(((2, 5), ((1, 2), (3, 4))), 4) == ((2, 5), ((2, 1), (4, 3)))",
        "turn(((0, 0), ((1, 0, 0), (0, 0, 0), (1, 0, 0))), 8)"
        " == ((0, 0), ((0, 0, 1), (0, 0, 0), (0, 0, 1)))",
    ),
    brief="by code 1 a quarter turn to the left, 2 half a turn, 3 a quarter turn to the right, "
    "4 left and right flipped, 5 top and bottom, 6 transposed, 7 over the other diagonal,"
    " 8 is 4 or 5 by where its cells lie",
)
def turn(p: Picture, code: int) -> Value:
    """The picture turned or flipped; the place of its upper left corner stays.

    Codes: 1 a quarter turn to the left, 2 a half turn, 3 a quarter turn to the right, 4 left
    and right flipped, 5 top and bottom flipped, 6 flipped over the diagonal from upper left
    to lower right, 7 over the other diagonal. 8 is 4 or 5: the flip along the axis on which
    the center of the cells that are not 0 lies further from the frame's center, counted in
    cells; 4 where it is equally far.
    """
    (row, column), grid = plain(p)
    if code == 8:
        code = 4 if further_off_sideways(p) else 5
    turned: Rows = grid
    if code == 1:
        turned = columns_of(grid)[::-1]
    elif code == 2:
        turned = reversed_rows(grid)[::-1]
    elif code == 3:
        turned = columns_of(grid[::-1])
    elif code == 4:
        turned = reversed_rows(grid)
    elif code == 5:
        turned = grid[::-1]
    elif code == 6:
        turned = columns_of(grid)
    else:
        turned = columns_of(reversed_rows(grid)[::-1])
    return picture(row, column, turned)


@primitive(
    "Picture, Code[0..3] -> Picture",
    searched=Searched(after="spread"),
    examples=(
        "half_of(((0, 0), ((1, 2, 3, 4),)), 1) == ((0, 2), ((3, 4),))",
        "half_of(((2, 0), ((1,), (2,), (3,))), 3) == ((4, 0), ((3,),))",
    ),
    brief="one half, in place: 0 left, 1 right, 2 upper, 3 lower",
)
def half_of(p: Picture, code: int) -> Value:
    """One half of the picture, where it lies: 0 left, 1 right, 2 upper, 3 lower.

    Of an odd number of lines the middle one is left out; half of a single line is the empty
    picture.
    """
    (row, column), grid = plain(p)
    high, wide = n_rows(p) // 2, width(p) // 2
    if code == 0:
        return picture(row, column, [line[:wide] for line in grid])
    if code == 1:
        start = width(p) - wide
        return picture(row, column + start, [line[start:] for line in grid])
    if code == 2:
        return picture(row, column, grid[:high])
    start = n_rows(p) - high
    return picture(row + start, column, grid[start:])


# --- smear and connect ---

SMEARS: tuple[tuple[Pair, ...], ...] = (
    (RIGHT,),
    (LEFT,),
    (DOWN,),
    (UP,),
    (RIGHT, LEFT),
    (DOWN, UP),
    STRAIGHT,
    (DOWN_RIGHT,),
    (UP_LEFT,),
    (UP_RIGHT,),
    (DOWN_LEFT,),
    (DOWN_RIGHT, UP_LEFT),
    (UP_RIGHT, DOWN_LEFT),
    DIAGONAL,
    STRAIGHT + DIAGONAL,
)
# By code, the features that leave nothing to smear; directions are numbered from 1.
_NOTHING_TO_SMEAR = tuple(
    " | ".join(
        f"HAS_NOTHING_TO_SMEAR << {(STRAIGHT + DIAGONAL).index(each) + 1}" for each in directions
    )
    for directions in SMEARS
)


@primitive(
    "Picture, Code[0..14] -> Picture",
    ties="where several colors arrive, the last of the code's directions",
    searched=Searched(unchanged_if=_NOTHING_TO_SMEAR),
    examples=(
        "smear(((0, 0), ((0, 1, 0, 0, 2, 0),)), 0) == ((0, 0), ((0, 1, 1, 1, 2, 2),))",
        "smear(((0, 0), ((0, 1, 0, 0, 2, 0),)), 4) == ((0, 0), ((1, 1, 2, 2, 2, 2),))",
        "smear(((1, 1), ((3, 0, 0), (0, 0, 0), (0, 0, 0))), 7)"
        " == ((1, 1), ((3, 0, 0), (0, 3, 0), (0, 0, 3)))",
    ),
    brief="each cell paints the zeros from it on, up to the next cell: 0 right, 1 left, 2 down,"
    " 3 up, 4 right and left, 5 down and up, 6 all of them, 7 to 10 one diagonal, 13 all "
    "diagonals, 14 all eight ways",
)
def smear(p: Picture, code: int) -> Value:
    """Each cell that is not 0 paints the cells that are 0 from it on, up to the next that is not.

    Codes: 0 to the right, 1 left, 2 down, 3 up; 4 right, left; 5 down, up; 6 right, left,
    down, up; 7 down-right, 8 up-left, 9 up-right, 10 down-left; 11 down-right, up-left;
    12 up-right, down-left; 13 the four of 7 to 10; 14 the four of 6, then those of 13.
    Colors spread in each direction regardless of the cells that other directions paint.
    """
    (row, column), grid = plain(p)
    painted = [list(line) for line in grid]
    for down, right in SMEARS[code]:
        for i, line in enumerate(grid):
            for j, color in enumerate(line):
                if color:
                    y, x = i + down, j + right
                    while inside(grid, y, x) and grid[y][x] == 0:
                        painted[y][x] = color
                        y, x = y + down, x + right
    return picture(row, column, painted)


def bridged(line: Sequence[int]) -> list[int]:
    """Return the cells between neighbors of one color on a line, without the neighbors."""
    spans = [0] * len(line)
    shown = [k for k, color in enumerate(line) if color]
    for start, end in pairwise(shown):
        if line[start] == line[end]:
            spans[start + 1 : end] = [line[start]] * (end - start - 1)
    return spans


@primitive(
    "Picture, Code[0..2] -> Picture",
    searched=Searched(
        after="rim",
        blank_if=(
            "ROWS_HAVE_NO_GAP",
            "COLUMNS_HAVE_NO_GAP",
            "ROWS_HAVE_NO_GAP | COLUMNS_HAVE_NO_GAP",
        ),
    ),
    examples=(
        "bridge(((0, 0), ((1, 0, 1, 0, 2),)), 0) == ((0, 0), ((0, 1, 0, 0, 0),))",
        "bridge(((0, 0), ((0, 2, 0), (1, 0, 1), (0, 2, 0))), 2)"
        " == ((0, 0), ((0, 0, 0), (0, 2, 0), (0, 0, 0)))",
    ),
    brief="only the gaps between two cells of one color, painted in it: 0 in rows, 1 in "
    "columns, 2 both",
)
def bridge(p: Picture, code: int) -> Value:
    """Only the gaps between two cells of one color, painted in it.

    Codes: 0 in rows, 1 in columns, 2 in both. A gap is a run of cells that are 0; the
    cells at its ends are left out. Columns are painted over rows.
    """
    (row, column), grid = plain(p)
    across: Rows = [bridged(line) for line in grid] if code != 1 else [[0] * width(p)] * n_rows(p)
    along: Rows = columns_of(map(bridged, columns_of(grid))) if code != 0 else across
    return picture(
        row,
        column,
        (
            [v or h for h, v in zip(*lines, strict=True)]
            for lines in zip(across, along, strict=True)
        ),
    )


@primitive(
    "Picture, Code[0..1] -> Picture",
    ties="of equally near cells, the first in reading order",
    searched=Searched(after="bridge", unchanged_if=("IS_BLANK_OR_FULL", "IS_ONE_COLOR_OR_FULL")),
    examples=(
        "spread(((0, 0), ((1, 0, 0, 0, 2),)), 0) == ((0, 0), ((1, 1, 1, 2, 2),))",
        "spread(((0, 0), ((3, 0, 1, 0, 1),)), 1) == ((0, 0), ((3, 3, 1, 0, 1),))",
    ),
    brief="zeros take the color of the nearest cell; with code 1 the most common color does not"
    " spread",
)
def spread(p: Picture, code: int) -> Value:
    """Cells that are 0 take the color of the nearest one that is not, along cells that are 0.

    Steps go to the right, left, down and up. With code 1 the most common color but 0 (the
    lowest of several) does not spread and stands in the way of the others, with code 0 all
    colors spread. Cells that no color reaches stay 0.
    """
    (row, column), grid = plain(p)
    wall = main_color(p) if code else 0
    painted = [list(line) for line in grid]
    waiting = deque(
        (i, j)
        for i, line in enumerate(grid)
        for j, color in enumerate(line)
        if color not in (0, wall)
    )
    while waiting:
        i, j = waiting.popleft()
        for down, right in STRAIGHT:
            y, x = i + down, j + right
            if inside(painted, y, x) and painted[y][x] == 0:
                painted[y][x] = painted[i][j]
                waiting.append((y, x))
    return picture(row, column, painted)


LINES = (
    ("row",),
    ("column",),
    ("row", "column"),
    ("falling", "rising"),
    ("row", "column", "falling", "rising"),
)


@primitive(
    "Picture, Code[0..4] -> Picture",
    ties="where lines cross, that of the cell that comes first in reading order",
    searched=Searched(
        after="fall",
        unchanged_if=(
            "ROWS_ARE_UNIFORM",
            "COLUMNS_ARE_UNIFORM",
            "ROWS_ARE_UNIFORM | COLUMNS_ARE_UNIFORM",
            "IS_BLANK_OR_FULL",
            "IS_BLANK_OR_FULL",
        ),
    ),
    examples=(
        "lines_through(((0, 0), ((0, 1, 0), (0, 0, 0))), 2) == ((0, 0), ((1, 1, 1), (0, 1, 0)))",
        "lines_through(((0, 0), ((0, 0, 0), (0, 2, 0), (0, 0, 3))), 3)"
        " == ((0, 0), ((2, 0, 2), (0, 2, 0), (2, 0, 3)))",
    ),
    brief="each cell paints whole lines through itself over zeros: 0 row, 1 column, 2 both, 3 "
    "diagonals, 4 all",
)
def lines_through(p: Picture, code: int) -> Value:
    """Each cell that is not 0 paints whole lines through itself, wherever cells are 0.

    Codes: 0 its row, 1 its column, 2 both, 3 both diagonals, 4 all four. Lines end at the
    frame only: they go on behind other cells. So a cell that is 0 takes the color of the
    first cell, in reading order, that is not 0 on any of its own lines.
    """
    (row, column), grid = plain(p)

    def lines_of(i: int, j: int) -> list[tuple[str, int]]:
        numbers = {"row": i, "column": j, "falling": j - i, "rising": j + i}
        return [(line, numbers[line]) for line in LINES[code]]

    first: dict[tuple[str, int], tuple[int, int, int]] = {}
    for i, cells_of_row in enumerate(grid):
        for j, color in enumerate(cells_of_row):
            if color:
                for line in lines_of(i, j):
                    first.setdefault(line, (i, j, color))

    def painted(i: int, j: int) -> int:
        reached = [first[line] for line in lines_of(i, j) if line in first]
        return grid[i][j] or min(reached, default=(0, 0, 0))[2]

    return picture(
        row, column, ([painted(i, j) for j in range(width(p))] for i in range(len(grid)))
    )


@primitive(
    "Picture, Code[0..3] -> Picture",
    searched=Searched(after="period_fill", unchanged_if=_NOTHING_TO_SMEAR[:4]),
    examples=(
        "fall(((0, 0), ((1, 0, 2, 0),)), 0) == ((0, 0), ((0, 0, 1, 2),))",
        "fall(((0, 0), ((1, 2), (0, 0), (3, 0))), 2) == ((0, 0), ((0, 0), (1, 0), (3, 2)))",
    ),
)
def fall(p: Picture, code: int) -> Value:
    """Every cell that is not 0 falls by itself: 0 to the right, 1 left, 2 down, 3 up.

    It comes to rest at the frame's edge or on those before it: on each line the cells keep
    their order.
    """
    (row, column), grid = plain(p)
    lines: Rows = grid if code < 2 else columns_of(grid)
    fallen: list[list[int]] = []
    for line in lines:
        shown = [color for color in line if color]
        gap = [0] * (len(line) - len(shown))
        fallen.append(gap + shown if code in (0, 2) else shown + gap)
    return picture(row, column, fallen if code < 2 else columns_of(fallen))


# --- frame ---


@primitive(
    "Picture -> Picture",
    searched=Searched(blank_if="IS_BLANK_OR_FULL"),
    examples=(
        "halo(((0, 0), ((0, 0, 0), (0, 5, 0), (0, 0, 0))))"
        " == ((0, 0), ((1, 1, 1), (1, 0, 1), (1, 1, 1)))",
        "halo(((3, 3), ((2, 0, 0),))) == ((3, 3), ((0, 1, 0),))",
    ),
)
def halo(p: Picture) -> Value:
    """Color 1 where a cell is 0 and touches one that is not, also diagonally; 0 elsewhere.

    The frame does not grow: what would lie beyond it is lost.
    """
    (row, column), grid = plain(p)

    def touches(i: int, j: int) -> bool:
        around = [(i + down, j + right) for down, right in STRAIGHT + DIAGONAL]
        return any(inside(grid, y, x) and grid[y][x] for y, x in around)

    return picture(
        row,
        column,
        (
            [int(color == 0 and touches(i, j)) for j, color in enumerate(line)]
            for i, line in enumerate(grid)
        ),
    )


@primitive(
    "Picture, Code[0..1] -> Picture",
    searched=Searched(),
    examples=(
        "framed(((0, 0), ((2,),)), 0) == ((-1, -1), ((1, 1, 1), (1, 2, 1), (1, 1, 1)))",
        "framed(((1, 1), ((0, 3),)), 1) == ((0, 0), ((3, 3, 3, 3), (3, 0, 3, 3), (3, 3, 3, 3)))",
    ),
    brief="with a ring around the frame: 0 in color 1, 1 in the main color",
)
def framed(p: Picture, code: int) -> Value:
    """The picture with a ring of cells around its frame, so one cell larger on each side.

    Codes: 0 a ring of color 1, 1 a ring of the most common color but 0 (the lowest of
    several; 0 where there is none).
    """
    (row, column), grid = plain(p)
    if not grid:
        return EMPTY_PICTURE
    wide = width(p) + 2
    require_cells(len(grid) + 2, wide)
    ring = main_color(p) if code else 1
    edge = [ring] * wide
    return picture(row - 1, column - 1, [edge, *([ring, *line, ring] for line in grid), edge])


@primitive(
    "Picture, Count[1..10] -> Picture",
    searched=Searched(after="lines_through", codes=(2, 3)),
    examples=(
        "grow(((2, 2), ((1, 2),)), 2) == ((2, 2), ((1, 1, 2, 2), (1, 1, 2, 2)))",
        "grow(((0, 0), ((0, 3),)), 1) == ((0, 0), ((0, 3),))",
    ),
    brief="each cell as a block of n by n",
)
def grow(p: Picture, n: int) -> Value:
    """Each cell becomes a block of n by n cells, n from 1 to 10; the place stays."""
    (row, column), grid = plain(p)
    require_cells(len(grid) * n, width(p) * n)
    wide = [[color for color in line for _ in range(n)] for line in grid]
    return picture(row, column, (line for line in wide for _ in range(n)))


# --- fill in ---


# The zeros are the same after a turn by codes of `turn`.
_UPRIGHT = "SHAPE_IS_SYMMETRIC << 2 | SHAPE_IS_SYMMETRIC << 4 | SHAPE_IS_SYMMETRIC << 5"
_MIRRORED = (
    "SHAPE_IS_SYMMETRIC << 4",
    "SHAPE_IS_SYMMETRIC << 5",
    _UPRIGHT,
    "SHAPE_IS_SYMMETRIC << 6",
    f"{_UPRIGHT} | SHAPE_IS_SYMMETRIC << 6",
)


@primitive(
    "Picture, Code[0..4] -> Picture",
    searched=Searched(unchanged_if=_MIRRORED),
    examples=(
        "mirror_fill(((0, 0), ((1, 0, 0), (0, 2, 3))), 0) == ((0, 0), ((1, 0, 1), (3, 2, 3)))",
        "mirror_fill(((0, 0), ((1, 2), (0, 0))), 3) == ((0, 0), ((1, 2), (2, 0)))",
    ),
    brief="zeros take the color of their mirror image: 0 left to right, 1 upside down, 2 both "
    "and half a turn, 3 transposed, 4 all",
)
def mirror_fill(p: Picture, code: int) -> Value:
    """Cells that are 0 take the color of their mirror image in the frame, where that is not 0.

    Codes: 0 left and right mirrored, 1 top and bottom; 2 of left-right, top-bottom and both
    at once, the first that is not 0; 3 mirrored over the diagonal from upper left to lower
    right, in square frames only, others stay as they are; 4 what 2 takes, otherwise what 3
    takes. Only cells of the given picture are taken.
    """
    (row, column), grid = plain(p)
    images: list[Rows] = []
    if code in (0, 2, 4):
        images.append(reversed_rows(grid))
    if code in (1, 2, 4):
        images.append(grid[::-1])
    if code in (2, 4):
        images.append(reversed_rows(grid)[::-1])
    if code in (3, 4) and n_rows(p) == width(p):
        images.append(columns_of(grid))
    filled: Rows = grid
    for image in images:
        filled = [
            [own or other for own, other in zip(*lines, strict=True)]
            for lines in zip(filled, image, strict=True)
        ]
    return picture(row, column, filled)


def pattern(grid: Grid, high: int, wide: int) -> dict[Pair, int] | None:
    """Return the colors of a tile of this size that repeats to the grid where it is not 0.

    Nothing where two colors would fall on one place, or none on some.
    """
    tile_colors: dict[Pair, int] = {}
    for i, line in enumerate(grid):
        for j, color in enumerate(line):
            if color and tile_colors.setdefault((i % high, j % wide), color) != color:
                return None
    return tile_colors if len(tile_colors) == high * wide else None


@primitive(
    "Picture -> Picture",
    ties="of periods of one area, that of fewer rows",
    searched=Searched(unchanged_if="IS_BLANK_OR_FULL"),
    examples=(
        "period_fill(((0, 0), ((1, 2, 1, 0, 1),))) == ((0, 0), ((1, 2, 1, 2, 1),))",
        "period_fill(((0, 0), ((1, 0), (0, 2)))) == ((0, 0), ((1, 2), (1, 2)))",
    ),
)
def period_fill(p: Picture) -> Value:
    """The picture with its zeros filled in by the smallest tile that it repeats elsewhere.

    Tiles of one size cover the frame from its upper left corner on. All non-zero cells at the
    same place of their tiles must have the same color, and each place of the tile must have such
    a cell. The smallest tile is that of least area. If none is smaller than the frame, the picture
    stays unchanged.
    """
    (row, column), grid = plain(p)
    high, wide = n_rows(p), width(p)
    area, shown = high * wide, n_shown(p)
    if shown in (0, area):
        return plain(p)
    charge(area * area)
    sizes = sorted(product(range(1, high + 1), range(1, wide + 1)), key=lambda s: (s[0] * s[1], s))
    for a, b in sizes:
        if a * b > shown or a * b == area:
            break
        colors = pattern(grid, a, b)
        if colors is not None:
            return picture(
                row, column, ([colors[i % a, j % b] for j in range(wide)] for i in range(high))
            )
    return plain(p)


# --- to a size ---


def require_size(name: str, size: Pair) -> None:
    """Fail unless both sides are positive and the budget allows the cells."""
    if min(size) < 1:
        raise out_of_range(f"{name}: no size: {size[0]} rows of {size[1]} cells")
    require_cells(*size)


def blank(size: Pair) -> list[list[int]]:
    return [[0] * size[1] for _ in range(size[0])]


@primitive(
    "Picture, Dims -> Picture",
    searched=Searched(unchanged_if="AT_ORIGIN"),
    examples=(
        "paste_on(((1, 1), ((5,),)), (2, 3)) == ((0, 0), ((0, 0, 0), (0, 5, 0)))",
        "paste_on(((-1, 0), ((1,), (2,))), (1, 1)) == ((0, 0), ((2,),))",
    ),
)
def paste_on(p: Picture, size: Pair) -> Value:
    """A blank picture of a size at (0, 0), with the picture on it at its place.

    Cells outside of it are lost. The size is rows and columns; less than 1 of either fails with
    `out of range`.
    """
    require_size("paste_on", size)
    (row, column), grid = plain(p)
    pasted = blank(size)
    for i, line in enumerate(grid):
        for j, color in enumerate(line):
            if inside(pasted, row + i, column + j):
                pasted[row + i][column + j] = color
    return picture(0, 0, pasted)


@primitive(
    "Picture, Dims -> Picture",
    searched=Searched(unchanged_if="AT_ORIGIN"),
    examples=(
        "wrap(((0, 0), ((1, 2, 3, 4, 5),)), (3, 2)) == ((0, 0), ((1, 2), (3, 4), (5, 0)))",
        "wrap(((0, 0), ((1,), (2,), (3,))), (2, 2)) == ((0, 0), ((1, 3), (2, 0)))",
    ),
)
def wrap(p: Picture, size: Pair) -> Value:
    """The picture folded as a strip into a size, at (0, 0).

    A picture wider than the size continues below itself, in bands of the picture's height; one
    that is only higher continues to the right, in bands of its width. Cells that still do not fit
    are lost. The empty picture gives a blank one. A size below 1 fails with `out of range`.
    """
    require_size("wrap", size)
    high, wide = size
    folded = blank(size)
    for i, line in enumerate(p[1]):
        for j, color in enumerate(line):
            if width(p) > wide:
                y, x = i + j // wide * n_rows(p), j % wide
            else:
                y, x = i % high, j + i // high * width(p)
            if inside(folded, y, x):
                folded[y][x] = color
    return picture(0, 0, folded)


def shares(n_from: int, n_to: int) -> list[list[Pair]]:
    """Return, for each of n_to equal parts of a line, its overlaps with n_from equal parts."""
    return [
        [
            (k, min((k + 1) * n_to, (t + 1) * n_from) - max(k * n_to, t * n_from))
            for k in range(t * n_from // n_to, -(-(t + 1) * n_from // n_to))
        ]
        for t in range(n_to)
    ]


@primitive(
    "Picture, Dims -> Picture",
    ties="of colors that cover the same area, the one commoner in the picture, then the lowest",
    searched=Searched(unchanged_if="AT_ORIGIN"),
    examples=(
        "resample(((3, 3), ((1, 2),)), (2, 4)) == ((0, 0), ((1, 1, 2, 2), (1, 1, 2, 2)))",
        "resample(((0, 0), ((1, 2, 2),)), (1, 2)) == ((0, 0), ((1, 2),))",
    ),
    brief="stretched or shrunk to a size, at (0, 0)",
)
def resample(p: Picture, size: Pair) -> Value:
    """The picture stretched or shrunk to a size, at (0, 0).

    Each cell takes the color, 0 among them, that covers most of its area when the picture
    is laid over the size. The empty picture gives a blank one. A size below 1 fails with
    `out of range`. Costs steps as many as cells that may be looked at: rows of both times
    columns of both.
    """
    require_size("resample", size)
    if not p[1]:
        return picture(0, 0, blank(size))
    charge((n_rows(p) + size[0]) * (width(p) + size[1]))
    whole = Counter(cells(p))

    def most_common(rows: list[Pair], columns_of_row: list[Pair]) -> int:
        covered: Counter[int] = Counter()
        for i, high in rows:
            for j, wide in columns_of_row:
                covered[p[1][i][j]] += high * wide
        return min(covered, key=lambda color: (-covered[color], -whole[color], color))

    down, across = shares(n_rows(p), size[0]), shares(width(p), size[1])
    return picture(0, 0, ([most_common(rows, part) for part in across] for rows in down))


def tiled(given: Picture, size: Pair, gap: int, mirrored: bool) -> Value:
    (row, column), grid = plain(given)
    if not grid:
        return picture(0, 0, blank(size))

    def line_at(offset: int, n_lines: int) -> int | None:
        """Return the line of a tile at an offset from its first one, None in a gap."""
        number, line = divmod(offset, n_lines + gap)
        if line >= n_lines:
            return None
        return n_lines - 1 - line if mirrored and number % 2 else line

    rows = [line_at(i - row, len(grid)) for i in range(size[0])]
    lines = [line_at(j - column, len(grid[0])) for j in range(size[1])]
    return picture(
        0, 0, ([0 if i is None or j is None else grid[i][j] for j in lines] for i in rows)
    )


@primitive(
    "Picture, Dims, Code[0..1] -> Picture",
    searched=Searched(unchanged_if="AT_ORIGIN"),
    examples=(
        "tile(((0, 0), ((1, 2),)), (2, 5), 0) == ((0, 0), ((1, 2, 1, 2, 1), (1, 2, 1, 2, 1)))",
        "tile(((0, 1), ((1, 2),)), (1, 5), 1) == ((0, 0), ((0, 1, 2, 0, 1),))",
    ),
    gpu=WIDE,
)
def tile(p: Picture, size: Pair, gap: int) -> Value:
    """A size at (0, 0) covered with copies of the picture, laid side by side from its place on.

    They go on in all directions; `gap` 1 leaves a line of 0 between them, `gap` 0 none. The
    empty picture gives a blank one. A size below 1, or another gap, fails with
    `out of range`.
    """
    require_size("tile", size)
    return tiled(p, size, gap, False)


@primitive(
    "Picture, Dims, Code[0..1] -> Picture",
    searched=Searched(unchanged_if="AT_ORIGIN"),
    examples=(
        "tile_mirrored(((0, 0), ((1, 2),)), (1, 6), 0) == ((0, 0), ((1, 2, 2, 1, 1, 2),))",
        "tile_mirrored(((0, 0), ((1,), (2,))), (5, 1), 1)"
        " == ((0, 0), ((1,), (2,), (0,), (2,), (1,)))",
    ),
)
def tile_mirrored(p: Picture, size: Pair, gap: int) -> Value:
    """As `tile`, with each second copy mirrored: left and right in rows, top and bottom in columns.

    The copy at the picture's own place is not mirrored.
    """
    require_size("tile_mirrored", size)
    return tiled(p, size, gap, True)


# --- layers ---


def color_at(given: Picture, row: int, column: int) -> int | None:
    """Return the color of a picture at a place, None outside its frame."""
    i, j = row - given[0][0], column - given[0][1]
    return given[1][i][j] if inside(given[1], i, j) else None


@primitive(
    "Picture, Picture -> Picture",
    examples=(
        "over(((0, 1), ((0, 5, 6),)), ((0, 0), ((1, 2, 3),))) == ((0, 0), ((1, 2, 5),))",
        "over(((7, 7), ((5,),)), ((0, 0), ((1,),))) == ((0, 0), ((1,),))",
    ),
    brief="`under` with those cells of `top` laid over it that are not 0, each at its place",
)
def over(top: Picture, under: Picture) -> Value:
    """One picture with the cells of another that are not 0 laid over it, each at its place.

    The frame is that of the picture below; what lies beyond it is lost.
    """
    (row, column), grid = plain(under)
    return picture(
        row,
        column,
        (
            [color_at(top, row + i, column + j) or color for j, color in enumerate(line)]
            for i, line in enumerate(grid)
        ),
    )


@primitive(
    "Picture, Picture -> Picture",
    examples=(
        "holes_over(((0, 1), ((0, 5, 0),)), ((0, 0), ((1, 2, 3),))) == ((0, 0), ((1, 0, 3),))",
        "holes_over(((7, 7), ((0,),)), ((0, 0), ((1,),))) == ((0, 0), ((1,),))",
    ),
    brief="`under`, made 0 wherever a cell of `top` is 0, each at its place",
)
def holes_over(top: Picture, under: Picture) -> Value:
    """One picture, made 0 wherever a cell of another is 0, each at its place.

    The frame is that of the picture below; beyond the frame of the other nothing changes.
    """
    (row, column), grid = plain(under)
    return picture(
        row,
        column,
        (
            [
                0 if color_at(top, row + i, column + j) == 0 else color
                for j, color in enumerate(line)
            ]
            for i, line in enumerate(grid)
        ),
    )
