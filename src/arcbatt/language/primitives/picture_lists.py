"""Cut pictures into lists, pick from lists, and put lists together again.

A list is a set of pictures: its order is that of values, by place first, and no two of its
pictures are equal. Primitives that put pictures together leave out those without cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from ..budget import charge, require
from ..registry import SLOW_TO_COMPILE, Searched, primitive
from ..values import Pair, Picture, Pictures, Value
from .picture_tools import (
    ALL_AROUND,
    EMPTY_PICTURE,
    SIDES,
    cells,
    columns_of,
    enclosed,
    n_rows,
    n_shown,
    on_edge,
    parts_of,
    picture,
    places_of,
    plain,
    require_cells,
    width,
)

# --- cut ---


@primitive(
    "Picture -> Pictures",
    searched=Searched(),
    examples=(
        "split_colors(((0, 0), ((1, 2),))) == {((0, 0), ((1, 0),)), ((0, 0), ((0, 2),))}",
        "split_colors(((2, 2), ((0, 0),))) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_colors(p: Picture) -> Value:
    """A picture for each color but 0, of the same size and place, with that color alone."""
    (row, column), grid = p
    colors = sorted(set(cells(p)) - {0})
    return frozenset(
        picture(row, column, ([c if c == color else 0 for c in line] for line in grid))
        for color in colors
    )


def _require_list(total: int, high: int, wide: int) -> int:
    """Return the weight of a list with one more picture of a size; fail if over budget."""
    total += 5 + high * (1 + wide)
    require(total)
    return total


def _cropped(p: Picture, parts: Iterable[set[Pair]]) -> frozenset[Picture]:
    """Return parts of a picture as pictures of their own, each cropped and in place."""
    (row, column), grid = p
    total = 0
    boxes = []
    for part in parts:
        rows, columns = {i for i, _ in part}, {j for _, j in part}
        box = range(min(rows), max(rows) + 1), range(min(columns), max(columns) + 1)
        total = _require_list(total, *map(len, box))
        boxes.append((part, *box))
    return frozenset(
        picture(
            row + rows[0],
            column + columns[0],
            ([grid[i][j] if (i, j) in part else 0 for j in columns] for i in rows),
        )
        for part, rows, columns in boxes
    )


def _all_parts(p: Picture) -> frozenset[Picture]:
    colors = set(cells(p)) - {0}
    return _cropped(p, (part for c in colors for part in parts_of(places_of(p, c), SIDES)))


@primitive(
    "Picture -> Pictures",
    searched=Searched(),
    examples=(
        "split_parts(((0, 0), ((1, 2), (0, 2)))) == {((0, 0), ((1,),)), ((0, 1), ((2,), (2,)))}",
        "split_parts(((5, 5), ((3, 0), (0, 3)))) == {((5, 5), ((3,),)), ((6, 6), ((3,),))}",
        "split_parts(((5, 5), ((0, 0),))) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_parts(p: Picture) -> Value:
    """Cells of one color that touch by their sides, each such part a picture, 0 left out."""
    return _all_parts(p)


@primitive(
    "Picture -> Pictures",
    searched=Searched(),
    examples=(
        "split_shapes(((0, 0), ((1, 0), (0, 2)))) == {((0, 0), ((1, 0), (0, 2)))}",
        "split_shapes(((1, 1), ((1, 0, 2),))) == {((1, 1), ((1,),)), ((1, 3), ((2,),))}",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_shapes(p: Picture) -> Value:
    """Cells other than 0 that touch by sides or corners, each such part a picture.

    Other parts that reach into its rectangle are 0 there.
    """
    return _cropped(p, parts_of(places_of(p, *range(1, 10)), ALL_AROUND))


def _around(part: set[Pair]) -> set[Pair]:
    return {(i + di, j + dj) for i, j in part for di, dj in ALL_AROUND}


def _least_remainder(p: Picture, color: int) -> int:
    """Return the size of the smallest part between cells of a color; 0 if there is one part."""
    walls = places_of(p, color)
    rows, columns = {i for i, _ in walls}, {j for _, j in walls}
    if not ({0, n_rows(p) - 1} <= rows or {0, width(p) - 1} <= columns):
        return 0
    outer: set[Pair] = set()
    for wall in parts_of(walls, ALL_AROUND):
        if any(on_edge(p, i, j) for i, j in wall):
            outer |= wall
    left = parts_of(places_of(p, *set(range(10)) - {color}), ALL_AROUND)
    if len(left) < 2 or any(outer.isdisjoint(_around(part)) for part in left):
        return 0
    return min(map(len, left))


@primitive(
    "Picture -> Pictures",
    ties="of colors that separate equally well, and of equally common ones, the lowest",
    searched=Searched(before="split_colors"),
    examples=(
        "cut(((0, 0), ((1, 5, 2), (0, 5, 3)))) == {((0, 0), ((1,), (0,))), ((0, 2), ((2,), (3,)))}",
        "cut(((1, 1), ((0, 0, 0), (0, 4, 0)))) == {((2, 2), ((4,),))}",
        "cut(((1, 1), ((3, 3),))) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def cut(p: Picture) -> Value:
    """The parts that one color separates, connected by sides or corners.

    A color, 0 too, separates if it has cells on two opposite edges and leaves two or more
    parts, each of which touches, by a side or corner, cells of it that are connected, in the
    same way, with the edge. Of these, it is the color whose smallest part is largest; if there
    is none, it is the most common color. The zeros of a part belong to it, so they count for its
    size; what lies within its rectangle but belongs to others is 0.
    """
    counts = Counter(cells(p))
    best = min(counts, key=lambda color: (-counts[color], color), default=0)
    most = 0
    for color in sorted(counts):
        least = _least_remainder(p, color)
        if least > most:
            best, most = color, least
    return _cropped(p, parts_of(places_of(p, *set(range(10)) - {best}), ALL_AROUND))


@primitive(
    "Picture -> Pictures",
    searched=Searched(),
    examples=(
        "split_columns(((5, 5), ((1, 2), (3, 4)))) == "
        "{((0, 0), ((1,), (3,))), ((0, 1), ((2,), (4,)))}",
        "split_columns(((0, 0), ())) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_columns(p: Picture) -> Value:
    """Each column as a picture, at row 0 and the column that it has in the picture.

    The place of the picture does not matter.
    """
    return frozenset(picture(0, j, ([c] for c in line)) for j, line in enumerate(columns_of(p[1])))


@primitive(
    "Picture -> Pictures",
    searched=Searched(),
    examples=(
        "split_rows(((5, 5), ((1, 2), (3, 4)))) == {((0, 0), ((1, 2),)), ((1, 0), ((3, 4),))}",
        "split_rows(((0, 0), ())) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_rows(p: Picture) -> Value:
    """Each row as a picture, at column 0 and the row that it has in the picture.

    The place of the picture does not matter.
    """
    return frozenset(picture(i, 0, [line]) for i, line in enumerate(p[1]))


@primitive(
    "Picture -> Pictures",
    searched=Searched(after="split_blocks"),
    examples=(
        "split_halves(((0, 0), ((1, 2, 3),))) == {((0, 0), ((1,),)), ((0, 2), ((3,),))}",
        "split_halves(((4, 0), ((1,), (2,)))) == {((4, 0), ((1,),)), ((5, 0), ((2,),))}",
        "split_halves(((0, 0), ((1,),))) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_halves(p: Picture) -> Value:
    """The left and right halves, or, of a picture that is higher than wide, top and bottom.

    A line in the middle belongs to neither. A single cell has no halves.
    """
    (row, column), grid = p
    if width(p) >= n_rows(p):
        half, rest = width(p) // 2, (width(p) + 1) // 2
        halves = {
            picture(row, column, (line[:half] for line in grid)),
            picture(row, column + rest, (line[rest:] for line in grid)),
        }
    else:
        half, rest = n_rows(p) // 2, (n_rows(p) + 1) // 2
        halves = {picture(row, column, grid[:half]), picture(row + rest, column, grid[rest:])}
    return frozenset(halves - {EMPTY_PICTURE})


def _runs(n: int, lines: set[int]) -> list[range]:
    """Return runs of consecutive numbers below n that are not excluded."""
    rest = (list(run) for bare, run in groupby(range(n), lambda k: k not in lines) if bare)
    return [range(run[0], run[-1] + 1) for run in rest]


@primitive(
    "Picture -> Pictures",
    ties="of several colors that do, one whose panels are all of one size, then the one with the "
    "most panels, then the lowest",
    searched=Searched(),
    examples=(
        "split_blocks(((0, 0), ((1, 5, 2), (3, 5, 4)))) == "
        "{((0, 0), ((1,), (3,))), ((0, 2), ((2,), (4,)))}",
        "size(split_blocks(((0, 0), ((1, 0, 1), (0, 0, 0), (1, 0, 1))))) == 4",
        "split_blocks(((0, 0), ((1, 2), (3, 4)))) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def split_blocks(p: Picture) -> Value:
    """The panels between full rows and full columns of one color, which may be 0.

    Lines may be several cells thick, and lie on the edge. With fewer than two panels there are
    none.
    """
    (row, column), grid = p
    best: tuple[list[range], list[range]] = [], []
    best_rank = (False, 1)
    for color in sorted(set(cells(p))):
        line_rows = {i for i, line in enumerate(grid) if set(line) == {color}}
        line_columns = {j for j, line in enumerate(columns_of(p[1])) if set(line) == {color}}
        rows, columns = _runs(n_rows(p), line_rows), _runs(width(p), line_columns)
        even = len(set(map(len, rows))) == 1 == len(set(map(len, columns)))
        rank = (even, len(rows) * len(columns))
        if rank[1] > 1 and rank > best_rank:
            best, best_rank = (rows, columns), rank
    return frozenset(
        picture(row + rows[0], column + columns[0], ([grid[i][j] for j in columns] for i in rows))
        for rows in best[0]
        for columns in best[1]
    )


@primitive(
    "Picture, Code[0..3] -> Pictures",
    ties="of equally advanced parts the first in order moves first",
    searched=Searched(),
    examples=(
        "settle(((0, 0), ((1, 0, 0),)), 0) == {((0, 2), ((1,),))}",
        "settle(((0, 0), ((1,), (0,), (2,), (0,))), 2) == {((2, 0), ((1,),)), ((3, 0), ((2,),))}",
    ),
    gpu=SLOW_TO_COMPILE,
    brief="the parts of `split_parts`, each moved until it meets another or the edge: right, "
    "left, down or up by code",
)
def settle(p: Picture, code: int) -> Value:
    """The parts of `split_parts`, each moved as far as possible: right, left, down or up by code.

    The part whose rectangle begins furthest that way moves first, cell by cell, until its next
    cell is outside the picture or taken by a part that has moved. So parts may move through
    others that have yet to move.
    """
    row, column = p[0]
    di, dj = ((0, 1), (0, -1), (1, 0), (-1, 0))[code]
    inside = {(row + i, column + j) for i in range(n_rows(p)) for j in range(width(p))}
    taken: set[Pair] = set()
    settled = set()
    in_order = sorted(_all_parts(p))
    for part in sorted(in_order, key=lambda part: -di * part[0][0] - dj * part[0][1]):
        (i, j), shape = part
        here = {(i + a, j + b) for a, b in places_of(part, *range(1, 10))}
        while True:
            charge(len(here))
            there = {(a + di, b + dj) for a, b in here}
            if not there <= inside or there & taken:
                break
            here = there
            i, j = i + di, j + dj
        taken |= here
        settled.add(picture(i, j, shape))
    return frozenset(settled)


# --- pick ---

Criterion: TypeAlias = Callable[[Sequence[Picture], Picture], int]


def _mask(p: Picture) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(cell != 0 for cell in line) for line in p[1])


def n_colors(p: Picture) -> int:
    return len(set(cells(p)) - {0})


def _n_zeros(p: Picture) -> int:
    """Return how many cells are 0 in the bounding box of the others."""
    shown = places_of(p, *range(1, 10))
    if not shown:
        return 0
    rows, columns = [i for i, _ in shown], [j for _, j in shown]
    return (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) - len(shown)


def _n_symmetries(p: Picture) -> int:
    grid = p[1]
    left_right = tuple(line[::-1] for line in grid)
    images = (left_right, grid[::-1], columns_of(p[1]), left_right[::-1])
    return sum(image == grid for image in images)


_CRITERIA: tuple[Criterion, ...] = (
    lambda items, p: n_shown(p),
    lambda items, p: -n_shown(p),
    lambda items, p: n_rows(p) * width(p),
    lambda items, p: -n_rows(p) * width(p),
    lambda items, p: n_colors(p),
    lambda items, p: -p[0][0],
    lambda items, p: p[0][0],
    lambda items, p: len(parts_of(places_of(p, *range(1, 10)), ALL_AROUND)),
    lambda items, p: _n_zeros(p),
    lambda items, p: -_n_zeros(p),
    lambda items, p: sum(map(len, enclosed(p))),
    lambda items, p: -sum(map(len, enclosed(p))),
    lambda items, p: -p[0][1],
    lambda items, p: p[0][1],
    lambda items, p: sum(other[1] == p[1] for other in items),
    lambda items, p: -sum(other[1] == p[1] for other in items),
    lambda items, p: sum(_mask(other) == _mask(p) for other in items),
    lambda items, p: -sum(_mask(other) == _mask(p) for other in items),
    lambda items, p: _n_symmetries(p),
    lambda items, p: -n_colors(p),
    lambda items, p: -_n_symmetries(p),
)


def in_order(pictures: Pictures) -> list[Picture]:
    return sorted(set(map(plain, pictures)))


def _ranked(pictures: Pictures, code: int) -> list[tuple[int, Picture]]:
    """Return the pictures in order, each with its value of the criterion."""
    items = in_order(pictures)
    return [(_CRITERIA[code](items, p), p) for p in items]


@primitive(
    "Pictures, Code[0..20] -> Picture",
    ties="the first in order",
    searched=Searched(),
    examples=(
        "pick({((0, 0), ((1,),)), ((0, 2), ((2, 2),))}, 0) == ((0, 2), ((2, 2),))",
        "pick({((0, 0), ((1,),)), ((0, 2), ((2, 2),))}, 12) == ((0, 0), ((1,),))",
        "pick(EMPTY, 0) == ((0, 0), ())",
    ),
    gpu=SLOW_TO_COMPILE,
    brief="the first by a criterion: 0 most cells, 1 fewest, 2 largest area, 3 smallest, 4 most"
    " colors, 5 topmost, 6 bottommost, 7 most shapes, 8 most zeros in its box, 9 fewest, "
    "10 most zeros shut in, 11 fewest, 12 leftmost, 13 rightmost, 14 commonest cells, 15 "
    "rarest, 16 commonest shape, 17 rarest, 18 most symmetric, 19 fewest colors, 20 least"
    " symmetric",
)
def pick(pictures: Pictures, code: int) -> Value:
    """The picture that is first by a criterion; the empty picture where there is none.

    The codes: 0 most cells that are not 0, 1 fewest; 2 largest, 3 smallest area; 4 most colors
    but 0; 5 topmost, 6 bottommost by its first row; 7 most shapes, as in `split_shapes`; 8 most
    zeros in the rectangle of the other cells, 9 fewest; 10 most zeros that are shut off from its
    edge, 11 fewest; 12 leftmost, 13 rightmost by its first column; 14 most common, 15 rarest cells,
    wherever they lie; 16 most common, 17 rarest shape: cells that are not 0; 18 most symmetric, by
    the number of these that leave its cells as they are: left for right, upside down, rows for
    columns, turned by half; 19 fewest colors but 0; 20 least symmetric.
    """
    ranked = _ranked(pictures, code)
    return max(ranked, key=lambda entry: entry[0], default=(0, EMPTY_PICTURE))[1]


@primitive(
    "Pictures, Code[0..20] -> Pictures",
    searched=Searched(),
    examples=(
        "best_of({((0, 0), ((1,),)), ((0, 2), ((2, 2),))}, 3) == {((0, 0), ((1,),))}",
        "size(best_of({((0, 0), ((1,),)), ((0, 2), ((2,),))}, 0)) == 2",
    ),
    gpu=SLOW_TO_COMPILE,
)
def best_of(pictures: Pictures, code: int) -> Value:
    """All pictures that are first by a criterion of `pick`."""
    ranked = _ranked(pictures, code)
    best = max((value for value, _ in ranked), default=0)
    return frozenset(p for value, p in ranked if value == best)


@primitive(
    "Pictures, Code[0..20] -> Pictures",
    searched=Searched(),
    examples=(
        "rest_of({((0, 0), ((1,),)), ((0, 2), ((2, 2),))}, 3) == {((0, 2), ((2, 2),))}",
        "rest_of({((0, 0), ((1,),)), ((0, 2), ((2,),))}, 0) == EMPTY",
    ),
    gpu=SLOW_TO_COMPILE,
)
def rest_of(pictures: Pictures, code: int) -> Value:
    """All pictures that are not first by a criterion of `pick`."""
    ranked = _ranked(pictures, code)
    best = max((value for value, _ in ranked), default=0)
    return frozenset(p for value, p in ranked if value != best)


# --- put together ---


def _with_cells(pictures: Pictures) -> list[Picture]:
    """Return the non-empty pictures in order."""
    return [p for p in in_order(pictures) if p[1]]


def _pasted(items: Sequence[Picture]) -> Picture:
    """Return all pictures in one, in place, later ones over earlier ones."""
    if not items:
        return EMPTY_PICTURE
    top, left = min(p[0][0] for p in items), min(p[0][1] for p in items)
    high = max(p[0][0] + n_rows(p) for p in items) - top
    wide = max(p[0][1] + width(p) for p in items) - left
    require_cells(high, wide)
    joint = [[0] * wide for _ in range(high)]
    for (row, column), grid in items:
        for i, line in enumerate(grid, row - top):
            for j, cell in enumerate(line, column - left):
                joint[i][j] = cell or joint[i][j]
    return picture(top, left, joint)


@primitive(
    "Pictures -> Picture",
    ties="of pictures with equally many, the first in order lies on top",
    searched=Searched(ends_lists=True),
    examples=(
        "heap_up({((0, 0), ((1, 1),)), ((0, 1), ((2,),))}) == ((0, 0), ((1, 2),))",
        "heap_up({((0, 0), ((1,),)), ((1, 2), ((2,),))}) == ((0, 0), ((1, 0, 0), (0, 0, 2)))",
    ),
)
def heap_up(pictures: Pictures) -> Value:
    """All pictures in place, on their joint rectangle, those with the fewest cells on top.

    Only cells that are not 0 count, and cover.
    """
    return _pasted(sorted(_with_cells(pictures), key=n_shown)[::-1])


_Layers: TypeAlias = tuple[int, ...]
_OVERLAYS: tuple[Callable[[_Layers], int], ...] = (
    lambda layers: next(filter(None, layers), 0),
    lambda layers: layers[0] if all(layers) else 0,
    lambda layers: sum(layers) if len(list(filter(None, layers))) == 1 else 0,
    lambda layers: int(not any(layers)),
    lambda layers: 0 if any(layers[1:]) else layers[0],
)


@primitive(
    "Pictures, Code[0..4] -> Picture",
    searched=Searched(),
    examples=(
        "overlay({((0, 0), ((1, 0, 0),)), ((0, 4), ((2, 2, 0),))}, 0) == ((0, 0), ((1, 2, 0),))",
        "overlay({((0, 0), ((1, 0, 0),)), ((0, 4), ((2, 2, 0),))}, 1) == ((0, 0), ((1, 0, 0),))",
        "overlay({((0, 0), ((1, 0, 0),)), ((0, 4), ((2, 2, 0),))}, 3) == ((0, 0), ((0, 0, 1),))",
    ),
    brief="those of the first one's size laid over each other: 0 first cell that is not 0, 1 "
    "the first where none is 0, 2 the only one that is not 0, 3 color 1 where all are 0, "
    "4 the first where all others are 0",
)
def overlay(pictures: Pictures, code: int) -> Value:
    """All pictures of the first one's size over each other, wherever they lie, as one at (0, 0).

    By code, a cell is: 0 the first that is not 0; 1 that of the first picture where no picture
    has 0; 2 that of the only picture that is not 0 there; 3 color 1 where all have
    0, else 0; 4 that of the first picture where all others have 0.
    """
    items = _with_cells(pictures)
    grids = [p[1] for p in items if (n_rows(p), width(p)) == (n_rows(items[0]), width(items[0]))]
    rows = (map(_OVERLAYS[code], zip(*lines, strict=True)) for lines in zip(*grids, strict=True))
    return picture(0, 0, rows)
