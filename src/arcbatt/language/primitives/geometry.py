"""Geometry: plain functions on grids and patches that many definitions use.

They take values that fit their domains and are no primitives: calling one costs nothing
beyond what it charges itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

from ..budget import charge
from ..failure import empty, out_of_range, wrong_type
from ..values import Cell, Container, Pair, Table, Value, ordered

# --- patches ---


def is_cells(patch: Container) -> bool:
    """Return whether the members of a non-empty patch are cells, not locations."""
    for member in patch:
        return isinstance(member, tuple) and isinstance(member[1], tuple)
    return False


def places(patch: Container) -> Sequence[Pair]:
    """Return the distinct locations of an object or of indices, in iteration order."""
    return cast(Sequence[Pair], ordered(locations(patch)))


def locations(patch: Container) -> Container:
    """Return an object's locations; return locations as they are."""
    if not patch:
        return frozenset()
    return (
        frozenset(place for _, place in cast(Sequence[Cell], patch)) if is_cells(patch) else patch
    )


def rows_of(patch: Container, name: str) -> list[int]:
    if not patch:
        raise empty(f"{name}: the patch is empty")
    return [i for i, _ in places(patch)]


def columns_of(patch: Container, name: str) -> list[int]:
    if not patch:
        raise empty(f"{name}: the patch is empty")
    return [j for _, j in places(patch)]


def bounds(patch: Container, name: str) -> tuple[int, int, int, int]:
    """Return first row, first column, last row, last column."""
    rows, columns = rows_of(patch, name), columns_of(patch, name)
    return min(rows), min(columns), max(rows), max(columns)


def center_of(patch: Container, name: str) -> Pair:
    top, left, _, _ = bounds(patch, name)
    return top + height_of(patch) // 2, left + width_of(patch, name) // 2


def distance(a: Container, b: Container, name: str) -> int:
    if not a or not b:
        raise empty(f"{name}: a patch is empty")
    charge(len(a) * len(b))
    here, there = places(a), places(b)
    return min(abs(ai - bi) + abs(aj - bj) for ai, aj in here for bi, bj in there)


# --- grids and patches ---


def height_of(piece: Container) -> int:
    if not piece or isinstance(piece, tuple):
        return len(piece)
    rows = rows_of(piece, "height")
    return max(rows) - min(rows) + 1


def width_of(piece: Container, name: str) -> int:
    if not piece:
        return 0
    if isinstance(piece, tuple):
        if not isinstance(piece[0], tuple | frozenset):
            raise wrong_type(f"{name}: the first member has no width")
        return len(piece[0])
    columns = columns_of(piece, name)
    return max(columns) - min(columns) + 1


# --- grids ---


def dimensions(grid: Table, name: str) -> Pair:
    """Return the height and the width of the first row, which must exist."""
    if not grid:
        raise empty(f"{name}: the grid is empty")
    return len(grid), len(grid[0])


def cell_at(grid: Table, i: int, j: int, name: str) -> Value:
    """Return a cell within the grid's dimensions; fail if its row is too short."""
    row = grid[i]
    if j >= len(row):
        raise out_of_range(f"{name}: row {i} has no column {j}")
    return row[j]


def is_colored(grid: Table, i: int, j: int, value: int, high: int, wide: int) -> bool:
    return 0 <= i < high and 0 <= j < wide and cell_at(grid, i, j, "occurrences") == value


def as_rows(value: Container, name: str) -> Table:
    """Return the value, which must be a tuple of tuples."""
    if not isinstance(value, tuple) or not all(isinstance(row, tuple) for row in value):
        raise wrong_type(f"{name}: a member of the tuple is not a row")
    return cast(Table, value)


def transpose(rows: Table) -> Table:
    return tuple(zip(*rows, strict=False))


def colors(element: Container) -> list[int]:
    """Return the color of each cell of a grid or object."""
    if isinstance(element, tuple):
        return [cell for row in cast(Table, element) for cell in row]  # type: ignore[misc]
    return [value for value, _ in cast(Sequence[Cell], element)]


def background(element: Container, name: str, sign: int = 1) -> int:
    """Return the most (sign 1) or least (-1) common color, the lowest on ties."""
    counts = Counter(colors(element))
    if not counts:
        raise empty(f"{name}: there are no cells")
    return max(sorted(counts), key=lambda value: sign * counts[value])
