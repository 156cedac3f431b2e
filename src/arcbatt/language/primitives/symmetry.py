"""Symmetries of a grid, which fill its hidden cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from ..budget import charge
from ..failure import empty
from ..registry import WIDE, Rule, primitive, worded
from ..values import Grid, Pair, Value
from ..wording import name_color, shorten
from .color_grids import all_places, check_colors, size_of

# A map of places, (across, a, b, c, d): a place goes to (a * x + b, c * y + d), where x is its row
# and y its column, or, if `across`, the other way round.
Map: TypeAlias = tuple[bool, int, int, int, int]

PAIRS_PER_ERROR = 20  # of known cells, if there is noise

NOISE_IN_WORDS = ("as all known cells show", "as all but one known cell in twenty show")


def _maps(n_rows: int, width: int) -> Iterator[Map]:
    """Yield reflections, then transposes, shifts, half turns and quarter turns, about any axis."""
    rows, columns = range(2 * n_rows - 1), range(2 * width - 1)
    yield from ((False, 1, 0, -1, d) for d in columns)
    yield from ((False, -1, b, 1, 0) for b in rows)
    yield from ((True, 1, k, 1, -k) for k in range(1 - n_rows, n_rows))
    yield from ((True, -1, k, -1, k) for k in range(n_rows + width - 1))
    yield from ((False, 1, 0, 1, d) for d in range(1, width))
    yield from ((False, 1, b, 1, d) for b in range(1, n_rows) for d in range(1 - width, width))
    yield from ((False, -1, b, -1, d) for b in rows for d in columns)
    if 2 * min(n_rows, width) >= max(n_rows, width):
        turns = range(n_rows + width - 1)
        yield from ((True, -1, b, 1, d + 1 - n_rows) for b in turns for d in turns)


def _n_inside(n: int, sign: int, shift: int, n_there: int) -> int:
    """Return how many of the numbers below n, signed and shifted, lie below another."""
    first, last = (shift, n - 1 + shift) if sign > 0 else (shift - n + 1, shift)
    return max(min(last, n_there - 1) - max(first, 0) + 1, 0)


def _images(grid: Grid, taken: Map) -> list[tuple[Pair, Pair]]:
    """Return the places that a map takes to places of the grid, with their images."""
    n_rows, width = size_of(grid)
    across, a, b, c, d = taken
    images = []
    for i, j in all_places(grid):
        x, y = (j, i) if across else (i, j)
        image = (a * x + b, c * y + d)
        if 0 <= image[0] < n_rows and 0 <= image[1] < width:
            images.append(((i, j), image))
    return images


def _holds(grid: Grid, taken: Map, hidden: int, noise: bool) -> bool:
    n_rows, width = size_of(grid)
    across, a, b, c, d = taken
    n_inside = _n_inside(width if across else n_rows, a, b, n_rows)
    n_inside *= _n_inside(n_rows if across else width, c, d, width)
    if 2 * n_inside < n_rows * width:
        return False
    n_pairs = n_wrong = 0
    for (i, j), (k, m) in _images(grid, taken):
        if hidden in (grid[i][j], grid[k][m]) or (i, j) == (k, m):
            continue
        n_pairs += 1
        n_wrong += grid[i][j] != grid[k][m]
        if n_wrong and (not noise or PAIRS_PER_ERROR * n_wrong > n_inside):
            return False
    return 4 * n_pairs >= n_rows * width and PAIRS_PER_ERROR * n_wrong <= n_pairs


def symmetries_of(grid: Grid, hidden: int, noise: bool) -> Iterator[Map]:
    """Yield the maps that known cells obey."""
    return (taken for taken in _maps(*size_of(grid)) if _holds(grid, taken, hidden, noise))


@primitive(
    "Grid, Color, Code[0..1] -> Grid",
    rule=Rule(crops=True),
    ties="of equally common colors the lowest",
    examples=(
        "close_symmetry(((1, 2, 2, 1), (3, 4, 4, 3), (5, 6, 9, 9)), 9, 0) == "
        "((1, 2, 2, 1), (3, 4, 4, 3), (5, 6, 6, 5))",
        "close_symmetry(((1, 2, 3, 1, 2, 3, 1, 0),), 0, 0) == ((1, 2, 3, 1, 2, 3, 1, 2),)",
    ),
    gpu=WIDE,
)
def close_symmetry(grid: Grid, hidden: int, noise: int) -> Value:
    """Fill the hidden cells of a grid, those of one color, by the symmetry of the others.

    The grid must be a rectangle of colors 0 to 9, not empty. Its symmetries are all reflections,
    transposes, half and quarter turns about any axis, and shifts that keep at least half of its
    cells within it and that known cells obey: there must be at least a fourth as many pairs of a
    known cell and its known image as cells, and both of a pair must have the same color. With
    noise 1, one in 20 pairs may differ.

    Cells that symmetries map to each other, directly or through others, form a group. Hidden cells,
    and with noise all cells, get the most common color of the known cells of their group. It fails
    if no cell is hidden, there is no symmetry, or a group has no known cell.
    """
    check_colors("close_symmetry", (), grid)
    places = list(all_places(grid))
    n_hidden = sum(grid[i][j] == hidden for i, j in places)
    if n_hidden in (0, len(places)):
        raise empty("close_symmetry: no cell is hidden, or all are")
    # There are several times as many maps as cells; most fail at their first few pairs.
    charge(len(places) * (16 + len(places) // 32))
    orbits = {place: {place} for place in places}
    for taken in symmetries_of(grid, hidden, bool(noise)):
        charge(len(places))
        for place, image in _images(grid, taken):
            small, large = sorted((orbits[place], orbits[image]), key=len)
            if small is not large:
                large |= small
                orbits.update((each, large) for each in small)
    colors: dict[int, int | None] = {}
    rows = [list(row) for row in grid]
    for i, j in places:
        if grid[i][j] != hidden and not noise:
            continue
        orbit = orbits[i, j]
        if id(orbit) not in colors:
            counts = Counter(grid[k][m] for k, m in orbit if grid[k][m] != hidden)
            colors[id(orbit)] = min(counts, key=lambda c: (-counts[c], c), default=None)
        color = colors[id(orbit)]
        if color is None:
            raise empty("close_symmetry: no cell is known that a hidden one could copy")
        rows[i][j] = color
    return tuple(map(tuple, rows))


def _describe_map(taken: Map) -> str:
    is_across, a, b, c, d = taken
    if is_across:
        if a != c:
            return "turned by a quarter"
        return "mirrored at a falling diagonal" if a > 0 else "mirrored at a rising diagonal"
    if a > 0 and c > 0:
        return f"shifted by {b} rows and {d} columns"
    if a < 0 and c < 0:
        return f"turned by a half around row {b / 2:g}, column {d / 2:g}"
    return (
        f"mirrored top to bottom at row {b / 2:g}"
        if a < 0
        else f"mirrored left to right at column {d / 2:g}"
    )


@worded("close_symmetry")
def _(given: Value, grid: Grid, hidden: int, noise: int) -> list[str]:
    maps = [_describe_map(each) for each in symmetries_of(grid, hidden, bool(noise))]
    return [
        f"{name_color(hidden)} cells are filled by symmetry, {NOISE_IN_WORDS[noise]}:",
        *shorten(list(dict.fromkeys(maps))),
    ]
