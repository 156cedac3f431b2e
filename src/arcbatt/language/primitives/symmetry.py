"""Symmetry that a grid has: hidden cells get what it says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from ..budget import charge
from ..domains import Grid, Number
from ..failure import empty
from ..registry import primitive
from ..values import Pair, Value
from .observations import all_places, check_colors, size_of

# Where a map takes a place: (row, column) to (a * x + b, c * y + d), x being the row and y the
# column, or, if it is across, the other way round.
Map: TypeAlias = tuple[bool, int, int, int, int]

ONE_WRONG_IN = 20  # of pairs of known cells, where there is noise

NOISE_IN_WORDS = ("as all known cells say", "as all but one known cell in twenty say")


def _maps(n_rows: int, width: int) -> Iterator[Map]:
    """Reflections, then transposes, shifts, half turns and quarter turns, about any axis."""
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
    """How many of the numbers below n, with that sign and shifted, lie in a range."""
    first, last = (shift, n - 1 + shift) if sign > 0 else (shift - n + 1, shift)
    return max(min(last, n_there - 1) - max(first, 0) + 1, 0)


def _images(grid: Grid, taken: Map) -> list[tuple[Pair, Pair]]:
    """The places that a map takes to places of the grid, with those."""
    n_rows, width = size_of(grid)
    across, a, b, c, d = taken
    found = []
    for i, j in all_places(grid):
        x, y = (j, i) if across else (i, j)
        image = (a * x + b, c * y + d)
        if 0 <= image[0] < n_rows and 0 <= image[1] < width:
            found.append(((i, j), image))
    return found


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
        if n_wrong and (not noise or ONE_WRONG_IN * n_wrong > n_inside):
            return False
    return 4 * n_pairs >= n_rows * width and ONE_WRONG_IN * n_wrong <= n_pairs


def symmetries_of(grid: Grid, hidden: int, noise: bool) -> Iterator[Map]:
    """Yield the maps that known cells obey."""
    return (taken for taken in _maps(*size_of(grid)) if _holds(grid, taken, hidden, noise))


@primitive(
    "Grid, Color, Code[0..1] -> Grid",
    ties="of equally common colours the lowest",
    examples=(
        "close_symmetry(((1, 2, 2, 1), (3, 4, 4, 3), (5, 6, 9, 9)), 9, 0) == "
        "((1, 2, 2, 1), (3, 4, 4, 3), (5, 6, 6, 5))",
        "close_symmetry(((1, 2, 3, 1, 2, 3, 1, 0),), 0, 0) == ((1, 2, 3, 1, 2, 3, 1, 2),)",
    ),
)
def close_symmetry(grid: Grid, hidden: Number, noise: Number) -> Value:
    """A grid whose cells of a colour, which are hidden, get what the symmetry of the others says.

    The grid must be a rectangle of colours 0 to 9, not empty. Its symmetries are all reflections,
    transposes, half and quarter turns about any axis, and shifts, that keep at least half of its
    cells within it, and that known cells obey: of pairs of a known cell and another to which it
    is taken there must be at least a fourth as many as cells, and both of a pair of one colour.
    With noise 1, one in 20 pairs may differ.

    Cells that symmetries take to each other, directly or through others, get the colour that
    known ones of them have most often: those that are hidden, and with noise all of them. Fails
    where nothing is hidden, there is no symmetry, or none of such cells is known.
    """
    check_colors("close_symmetry", (), grid)
    places = list(all_places(grid))
    n_hidden = sum(grid[i][j] == hidden for i, j in places)
    if n_hidden in (0, len(places)):
        raise empty("close_symmetry: nothing is hidden, or all is")
    # There are some times as many maps as cells; most are refused at their first few pairs.
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
            raise empty("close_symmetry: nothing is known of a hidden cell")
        rows[i][j] = color
    return tuple(map(tuple, rows))
