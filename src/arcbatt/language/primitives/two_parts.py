"""Two parts of a grid combined: one of them masks, scales or repeats the other."""

from __future__ import annotations

from collections.abc import Sequence

from ..budget import require
from ..domains import Grid, Number
from ..failure import empty
from ..registry import primitive
from ..values import Value
from .learning import TOGETHER_8, Part, check_colors, cut_all, size_of
from .panels import SQUARES, panels_of

PARTS_IN_WORDS = (
    "two squares, the one of fewer colours first",
    "two objects, the larger first",
    "the largest place between lines, and what lies neither above, below nor beside it",
)
WAYS_IN_WORDS = (
    "the first for each cell of the second, in its colour",
    "the second for each cell of the first",
    "the second, made as large as the first, where the first is not 0",
    "the second where the first, made as small, is not 0",
    "the second, made as large as the inside of the first, in it",
)


def _two_squares(grid: Grid) -> tuple[Grid, Grid]:
    panels = panels_of("combine_two", grid, SQUARES).grids
    if len(panels) != 2:
        raise empty("combine_two: not two squares")
    first, second = sorted(panels, key=lambda panel: len({cell for row in panel for cell in row}))
    return first, second


def _alone(part: Part) -> Grid:
    """What an object shows in its box, 0 for all else."""
    shown = {place: color for color, place in part.form}
    return tuple(tuple(shown.get((i, j), 0) for j in range(part.width)) for i in range(part.height))


def _two_objects(grid: Grid) -> tuple[Grid, Grid]:
    (parts,) = cut_all([grid], TOGETHER_8)
    if len(parts) != 2:
        raise empty("combine_two: not two objects")
    first, second = sorted(parts, key=lambda part: -part.height * part.width)
    return _alone(first), _alone(second)


def _between_lines(grid: Grid) -> tuple[Grid, Grid]:
    """Of lines of the first colour that leave such parts."""
    columns = tuple(zip(*grid, strict=True))
    for color in range(1, 10):
        found = []
        for lines in (grid, columns):
            free = [k for k, line in enumerate(lines) if set(line) != {color}]
            # The longest run without a line, the first of several.
            runs: list[list[int]] = []
            for k in free:
                if runs and runs[-1][-1] == k - 1:
                    runs[-1].append(k)
                else:
                    runs.append([k])
            longest = max(runs, key=len, default=[])
            found.append((longest, [k for k in free if k not in longest]))
        (rows, other_rows), (own_columns, other_columns) = found
        if other_rows and other_columns and rows and own_columns:
            return _taken(grid, rows, own_columns), _taken(grid, other_rows, other_columns)
    raise empty("combine_two: no lines with something on both sides")


def _taken(grid: Grid, rows: Sequence[int], columns: Sequence[int]) -> Grid:
    return tuple(tuple(grid[i][j] for j in columns) for i in rows)


def _times(grid: Grid, n_rows: int, width: int) -> Grid:
    """A grid made so large, each cell as a block."""
    down, along = n_rows // len(grid), width // len(grid[0])
    if down * len(grid) != n_rows or along * len(grid[0]) != width or not down or not along:
        raise empty("combine_two: one is no multiple of the other")
    return tuple(tuple(grid[i // down][j // along] for j in range(width)) for i in range(n_rows))


def _masked(shown: Grid, mask: Grid) -> Grid:
    return tuple(
        tuple(color if is_shown else 0 for color, is_shown in zip(row, line, strict=True))
        for row, line in zip(shown, mask, strict=True)
    )


def _combined(first: Grid, second: Grid, way: int) -> Grid:
    (n_rows, width), (other_rows, other_width) = size_of(first), size_of(second)
    if way < 2:
        coarse, fine = (second, first) if way == 0 else (first, second)
        require(n_rows * width * other_rows * other_width)
        return tuple(
            tuple(
                (color if way == 0 else cell) if cell and color else 0
                for color in row
                for cell in line
            )
            for row in coarse
            for line in fine
        )
    if way == 2:
        return _masked(_times(second, n_rows, width), first)
    if way == 3:
        down, along = max(n_rows // other_rows, 1), max(width // other_width, 1)
        small = tuple(row[::along] for row in first[::down])
        if _times(small, n_rows, width) != first or size_of(small) != size_of(second):
            raise empty("combine_two: the first is not the second's size when made smaller")
        return _masked(second, small)
    if n_rows < 3 or width < 3:
        raise empty("combine_two: the first has no inside")
    inside = _times(second, n_rows - 2, width - 2)
    middle = ((row[0], *line, row[-1]) for row, line in zip(first[1:-1], inside, strict=True))
    return (first[0], *middle, first[-1])


@primitive(
    "Grid, Code[0..2], Code[0..4] -> Grid",
    ties="of parts that are equal in that the first, row by row; of lines those of the lowest "
    "colour",
    examples=(
        "combine_two(((8, 8, 1, 2), (8, 0, 0, 3)), 0, 0) == "
        "((1, 1, 2, 2), (1, 0, 2, 0), (0, 0, 3, 3), (0, 0, 3, 0))",
        "combine_two(((8, 8, 8, 8, 0, 1, 2),), 1, 3) == ((1, 2),)",
    ),
)
def combine_two(grid: Grid, parts: Number, way: Number) -> Value:
    """Two parts of a grid combined.

    The parts: 0 the two squares that a grid twice as long as wide has, that of fewer colours (0
    is one) first; 1 the two 8-connected objects of any colours but 0, if there are just two,
    each alone in its box, the larger box first; 2 by rows and columns that are wholly of one
    colour but 0:
    the longest run of other rows and columns, and what all the remaining ones show; there must be
    remaining rows and columns.

    The ways: 0 each cell of the second as the first, in that cell's colour where the first is
    not 0; 1 each cell of the first that is not 0 as the second, others as 0; 2 the second made as
    large as the first, each cell as a block, and 0 where the first is; 3 the second, 0 where the
    first is when it is made as small as the second, each of its blocks being of one colour; 4
    the second made as large as the inside of the first, one cell from its edge, in its place.
    Sides must be multiples of each other.
    """
    check_colors("combine_two", (), grid)
    cut = (_two_squares, _two_objects, _between_lines)[parts]
    return _combined(*cut(grid), way)
