"""Objects: connected parts of a grid, and its cells by colour."""

from __future__ import annotations

from ..domains import Grid, Number
from ..registry import primitive
from ..values import Cell, Pair, Value, sort
from .geometry import background, cell_at, dimensions

_SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@primitive(
    "Grid, Boolean, Boolean, Boolean -> Objects",
    ties="of equally common colours, the lowest is the background",
    examples=(
        "objects(((1, 0), (0, 2)), T, F, T) == {{(1, (0, 0))}, {(2, (1, 1))}}",
        "objects(((1, 0), (0, 2)), F, T, T) == {{(1, (0, 0)), (2, (1, 1))}}",
        "size(objects(((1, 0), (0, 2)), T, F, F)) == 4",
    ),
)
def objects(grid: Grid, univalued: Number, diagonal: Number, without_bg: Number) -> Value:
    """The connected parts of the grid.

    Cells are joined by sides, and by corners if `diagonal`; only cells of equal colour if
    `univalued`. `without_bg` leaves out the commonest colour.
    """
    return find_objects(grid, bool(univalued), bool(diagonal), bool(without_bg))


def find_objects(
    grid: Grid, univalued: bool, diagonal: bool, without_bg: bool
) -> frozenset[frozenset[Cell]]:
    high, wide = dimensions(grid, "objects")
    bare = background(grid, "objects") if without_bg else None
    cells: dict[Pair, int] = {}
    for i in range(high):
        for j in range(wide):
            value = cell_at(grid, i, j, "objects")
            assert isinstance(value, int)
            if value != bare:
                cells[i, j] = value
    steps = _SIDES + _CORNERS if diagonal else _SIDES
    found: set[frozenset[Cell]] = set()
    while cells:
        start, value = cells.popitem()
        part: list[Cell] = [(value, start)]
        for value, (i, j) in part:  # grows while it is walked
            for di, dj in steps:
                near = (i + di, j + dj)
                if near in cells and (not univalued or cells[near] == value):
                    part.append((cells.pop(near), near))
        found.add(frozenset(part))
    return frozenset(found)


@primitive(
    "Grid, Boolean, Boolean, Boolean -> Tuple[Object]",
    examples=(
        "objects_t(((1, 0), (0, 2)), T, F, T) == ({(1, (0, 0))}, {(2, (1, 1))})",
        "size(objects_t(((1, 0), (0, 2)), T, F, F)) == 4",
    ),
)
def objects_t(grid: Grid, univalued: Number, diagonal: Number, without_bg: Number) -> Value:
    """`objects`, as a tuple in ascending order."""
    return tuple(sort(find_objects(grid, bool(univalued), bool(diagonal), bool(without_bg))))


def _by_color(grid: Grid) -> dict[int, set[Cell]]:
    parts: dict[int, set[Cell]] = {}
    for i, row in enumerate(grid):
        for j, value in enumerate(row):
            parts.setdefault(value, set()).add((value, (i, j)))
    return parts


@primitive(
    "Grid -> Objects",
    examples=(
        "partition(((1, 2), (2, 2))) == {{(1, (0, 0))}, {(2, (0, 1)), (2, (1, 0)), (2, (1, 1))}}",
        "partition(()) == EMPTY",
    ),
)
def partition(grid: Grid) -> Value:
    """For each colour the object of all its cells."""
    return frozenset(map(frozenset, _by_color(grid).values()))


@primitive(
    "Grid -> Objects",
    ties="of equally common colours, the lowest is left out",
    examples=(
        "fgpartition(((1, 2), (2, 2))) == {{(1, (0, 0))}}",
        "fgpartition(((1, 1),)) == EMPTY",
    ),
)
def fgpartition(grid: Grid) -> Value:
    """`partition` without the commonest colour."""
    bare = background(grid, "fgpartition")
    return frozenset(frozenset(part) for value, part in _by_color(grid).items() if value != bare)
