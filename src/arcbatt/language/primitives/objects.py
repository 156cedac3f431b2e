"""Objects: connected parts of a grid, and its cells by color."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import cast

from ..budget import require
from ..failure import empty
from ..registry import WIDE, primitive
from ..values import Cell, Element, Grid, Pair, Patch, Table, Value, sort
from .geometry import background, cell_at, colors, dimensions, places

_SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@primitive(
    "Grid, Boolean, Boolean, Boolean -> Objects",
    ties="of equally common colors, the lowest is the background",
    examples=(
        "objects(((1, 0), (0, 2)), T, F, T) == {{(1, (0, 0))}, {(2, (1, 1))}}",
        "objects(((1, 0), (0, 2)), F, T, T) == {{(1, (0, 0)), (2, (1, 1))}}",
        "size(objects(((1, 0), (0, 2)), T, F, F)) == 4",
    ),
    gpu=WIDE,
    brief="connected parts: of one color if univalued; by corners too if diagonal; without "
    "mostcolor(grid) if without_bg",
)
def objects(grid: Grid, univalued: int, diagonal: int, without_bg: int) -> Value:
    """The connected parts of the grid.

    Cells are joined by sides, and by corners if `diagonal`; only cells of equal color if
    `univalued`. `without_bg` leaves out the most common color.
    """
    return find_objects(grid, bool(univalued), bool(diagonal), bool(without_bg))


def find_objects(
    grid: Grid, univalued: bool, diagonal: bool, without_bg: bool
) -> frozenset[frozenset[Cell]]:
    dimensions(grid, "objects")
    bare = background(grid, "objects") if without_bg else None
    return _parts(grid, univalued, diagonal, partial(operator.ne, bare), "objects")


def _parts(
    grid: Grid, univalued: bool, diagonal: bool, keeps: Callable[[int], bool], name: str
) -> frozenset[frozenset[Cell]]:
    """Return the connected parts of the cells whose colors are kept."""
    high, wide = dimensions(grid, name)
    cells: dict[Pair, int] = {}
    for i in range(high):
        for j in range(wide):
            value = cell_at(grid, i, j, name)
            assert isinstance(value, int)
            if keeps(value):
                cells[i, j] = value
    return _connected(cells, univalued, diagonal)


def _connected(
    cells: dict[Pair, int], univalued: bool, diagonal: bool
) -> frozenset[frozenset[Cell]]:
    """Return the connected parts of cells, and empty `cells`."""
    steps = _SIDES + _CORNERS if diagonal else _SIDES
    parts: set[frozenset[Cell]] = set()
    while cells:
        start, value = cells.popitem()
        part: list[Cell] = [(value, start)]
        for value, (i, j) in part:  # grows while it is walked
            for di, dj in steps:
                near = (i + di, j + dj)
                if near in cells and (not univalued or cells[near] == value):
                    part.append((cells.pop(near), near))
        parts.add(frozenset(part))
    return frozenset(parts)


@primitive(
    "Grid, Boolean, Boolean, Boolean -> Tuple[Object]",
    examples=(
        "objects_t(((1, 0), (0, 2)), T, F, T) == ({(1, (0, 0))}, {(2, (1, 1))})",
        "size(objects_t(((1, 0), (0, 2)), T, F, F)) == 4",
    ),
    in_arc_dsl=False,
)
def objects_t(grid: Grid, univalued: int, diagonal: int, without_bg: int) -> Value:
    """`objects`, as a tuple in ascending order."""
    return tuple(sort(find_objects(grid, bool(univalued), bool(diagonal), bool(without_bg))))


@primitive(
    "Grid, Boolean, Boolean, Color -> Objects",
    examples=(
        "objects_on(((1, 1), (1, 2)), T, F, 1) == {{(2, (1, 1))}}",
        "objects_on(((1, 0), (0, 2)), F, T, 0) == {{(1, (0, 0)), (2, (1, 1))}}",
    ),
    gpu=WIDE,
    in_arc_dsl=False,
    brief="as `objects`, without the color `ground`",
)
def objects_on(grid: Grid, univalued: int, diagonal: int, ground: int) -> Value:
    """The connected parts of the grid without a given color.

    `objects`, for grids whose background is not their most common color.
    """
    keeps = partial(operator.ne, ground)
    return _parts(grid, bool(univalued), bool(diagonal), keeps, "objects_on")


@primitive(
    "Grid, Color, Boolean -> Objects",
    examples=(
        "parts_of(((3, 0, 3), (3, 0, 0)), 3, F) == {{(3, (0, 0)), (3, (1, 0))}, {(3, (0, 2))}}",
        "parts_of(((3, 0), (0, 3)), 3, T) == {{(3, (0, 0)), (3, (1, 1))}}",
        "parts_of(((3, 0), (0, 3)), 5, T) == EMPTY",
    ),
    in_arc_dsl=False,
    brief="the connected parts of one color, by corners too if `diagonal`",
)
def parts_of(grid: Grid, value: int, diagonal: int) -> Value:
    """The connected parts of one color.

    Cells are joined by sides, and by corners if `diagonal`.
    """
    return _parts(grid, True, bool(diagonal), partial(operator.eq, value), "parts_of")


@primitive(
    "Grid, Color -> Indices",
    examples=(
        "enclosed_cells(((3, 3, 3), (3, 0, 3), (3, 3, 3)), 0) == {(1, 1)}",
        "enclosed_cells(((3, 3, 3), (3, 0, 0), (3, 3, 3)), 0) == EMPTY",
    ),
    in_arc_dsl=False,
)
def enclosed_cells(grid: Grid, value: int) -> Value:
    """The locations of a color from which no way leads to the grid's edge.

    A way goes over sides of cells, through that color.
    """
    high, wide = dimensions(grid, "enclosed_cells")
    parts = _parts(grid, True, False, partial(operator.eq, value), "enclosed_cells")
    return frozenset(
        place
        for part in parts
        if all(0 < i < high - 1 and 0 < j < wide - 1 for _, (i, j) in part)
        for _, place in part
    )


@primitive(
    "Grid, Patch -> Set[Indices]",
    "Tuple[Tuple[a]], Patch -> Set[Indices]",
    peeks="grid",
    examples=(
        "areas_between(((1, 2, 3),), {(0, 1)}) == {{(0, 0)}, {(0, 2)}}",
        "areas_between(((1, 2), (3, 4)), {(0, 0)}) == {{(0, 1), (1, 0), (1, 1)}}",
    ),
    in_arc_dsl=False,
)
def areas_between(grid: Table, walls: Patch) -> Value:
    """The areas that the grid falls into when some of its cells are walls.

    Locations are joined by sides, whatever their colors. Walls outside the grid do no harm.
    """
    high, wide = dimensions(grid, "areas_between")
    require(3 * high * wide)
    open_cells = dict.fromkeys(((i, j) for i in range(high) for j in range(wide)), 0)
    for place in places(walls):
        open_cells.pop(place, None)
    areas = _connected(open_cells, True, False)
    return frozenset(frozenset(place for _, place in area) for area in areas)


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
    brief="per color all its cells",
)
def partition(grid: Grid) -> Value:
    """For each color the object of all its cells."""
    return frozenset(map(frozenset, _by_color(grid).values()))


@primitive(
    "Grid -> Objects",
    ties="of equally common colors, the lowest is left out",
    examples=(
        "fgpartition(((1, 2), (2, 2))) == {{(1, (0, 0))}}",
        "fgpartition(((1, 1),)) == EMPTY",
    ),
    brief="partition without mostcolor(grid)",
)
def fgpartition(grid: Grid) -> Value:
    """`partition` without the most common color."""
    bare = background(grid, "fgpartition")
    return frozenset(frozenset(part) for value, part in _by_color(grid).items() if value != bare)


@primitive(
    "Grid -> Object",
    ties="of equally common colors, the lowest is left out",
    examples=(
        "foreground(((1, 2, 0), (2, 2, 2))) == {(0, (0, 2)), (1, (0, 0))}",
        "foreground(((1, 1),)) == EMPTY",
    ),
    gpu=WIDE,
    in_arc_dsl=False,
)
def foreground(grid: Grid) -> Value:
    """All cells but those of the most common color."""
    return _without(_cells(grid), background(grid, "foreground"))


@primitive(
    "Grid, Color -> Object",
    "Object, Color -> Object",
    examples=(
        "not_of_color(((1, 2), (3, 2)), 2) == {(1, (0, 0)), (3, (1, 0))}",
        "not_of_color({(1, (0, 0)), (2, (0, 1))}, 1) == {(2, (0, 1))}",
    ),
    in_arc_dsl=False,
)
def not_of_color(element: Element, value: int) -> Value:
    """All cells of a grid or object but those of one color."""
    if isinstance(element, tuple):
        return _without(_cells(cast(Grid, element)), value)
    return _without(cast(Iterable[Cell], element), value)


def _cells(grid: Grid) -> Iterable[Cell]:
    return ((value, (i, j)) for i, row in enumerate(grid) for j, value in enumerate(row))


def _without(cells: Iterable[Cell], bare: int) -> frozenset[Cell]:
    return frozenset(cell for cell in cells if cell[0] != bare)


@primitive(
    "Grid -> Color",
    ties="the color of more cells, then the lower",
    examples=(
        "groundcolor(((0, 0, 0), (0, 5, 5), (0, 5, 5))) == 0",
        "groundcolor(((5, 5, 5, 0), (5, 5, 5, 0), (0, 0, 0, 0))) == 0",
        "groundcolor(((1, 2), (3, 2))) == 2",
    ),
    in_arc_dsl=False,
)
def groundcolor(grid: Grid) -> Value:
    """The color that most rows and columns show.

    It is the background also where large shapes have more cells than it. Lines from edge to edge
    both ways show in every row and column too: there `mostcolor` is the better guess.
    """
    in_rows = {(0, i, value) for i, row in enumerate(grid) for value in row}
    in_columns = {(1, j, value) for row in grid for j, value in enumerate(row)}
    n_lines = Counter(value for _, _, value in in_rows | in_columns)
    n_cells = Counter(colors(grid))
    if not n_cells:
        raise empty("groundcolor: there are no cells")
    return max(sorted(n_cells), key=lambda value: (n_lines[value], n_cells[value]))
