"""Classes of grids: what whole grids, or panels of them, are told by; what demos teach of them.

Demos teach a table from what a feature says of a grid to what comes of it. As everywhere in
`learned`, grids must be rectangles of colours 0 to 9, and what demos contradict or do not show
fails as empty.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from ..budget import charge
from ..domains import Demos, Grid, Number
from ..failure import empty
from ..registry import primitive
from ..values import Value
from .observations import (
    BY_COLOR_4,
    BY_COLOR_8,
    ZEROS,
    FeatureOf,
    check_colors,
    commonest,
    counted,
    cut,
    each,
    ranked,
)

# --- what grids are told by ---


def cells_of(grid: Grid) -> Iterator[int]:
    return (cell for row in grid for cell in row)


def _n_shown(grid: Grid) -> int:
    return sum(cell != 0 for cell in cells_of(grid))


def _colors(grid: Grid) -> frozenset[int]:
    return frozenset(cells_of(grid)) - {0}


def _n_minor(grid: Grid) -> int:
    """How many cells have another colour than 0 and the commonest but 0."""
    return sum(cell not in (0, commonest(cells_of(grid))) for cell in cells_of(grid))


def _mask(grid: Grid) -> Grid:
    return tuple(tuple(int(cell != 0) for cell in row) for row in grid)


def _turned_mask(grid: Grid) -> Grid:
    """One mask for all eight that mirrors and turns make of a grid's."""
    mask = _mask(grid)
    turns = []
    for shown in (mask, tuple(zip(*mask, strict=True))):
        turns += [shown, shown[::-1]]
        turns += [tuple(row[::-1] for row in shown), tuple(row[::-1] for row in shown[::-1])]
    return min(turns)


def _mirrors(grid: Grid) -> tuple[bool, bool]:
    return grid == tuple(row[::-1] for row in grid), grid == grid[::-1]


def _n_parts(how: int) -> Callable[[Grid], int]:
    return lambda grid: len(cut(grid, how))


def _n_enclosed(grid: Grid) -> int:
    return sum(not part.on_edge for part in cut(grid, ZEROS))


def _n_of(color: int) -> Callable[[Grid], int]:
    return lambda grid: sum(cell == color for cell in cells_of(grid))


# What a grid is like by itself, which tells classes of whole grids too.
OWN_FEATURES: tuple[tuple[str, FeatureOf[Grid]], ...] = (
    ("how many cells are not 0", each(_n_shown)),
    ("how many colours but 0 it has", each(lambda grid: len(_colors(grid)))),
    ("which colours but 0 it has", each(_colors)),
    ("its commonest colour but 0", each(lambda grid: commonest(cells_of(grid)))),
    ("which cells are not 0", each(_mask)),
    ("which cells are not 0, up to mirrors and turns", each(_turned_mask)),
    ("whether it is its mirror image, left to right and top to bottom", each(_mirrors)),
    (
        "whether it is its transpose",
        each(lambda grid: grid == tuple(zip(*grid, strict=True))),
    ),
    ("how many 8-connected objects of one colour it has", each(_n_parts(BY_COLOR_8))),
    ("how many 4-connected objects of one colour it has", each(_n_parts(BY_COLOR_4))),
    ("how many parts of 0 it encloses", each(_n_enclosed)),
    ("how many cells have not its commonest colour", each(_n_minor)),
)
FEATURES: tuple[tuple[str, FeatureOf[Grid]], ...] = (
    *OWN_FEATURES,
    ("its rank by cells that are not 0, from the most", ranked(_n_shown)),
    ("its rank by cells that are not 0, from the fewest", ranked(_n_shown, falling=False)),
    ("its rank by colours, from the most", ranked(lambda grid: len(_colors(grid)))),
    ("how many are equal to it", counted(lambda grid: grid)),
    ("how many are not 0 where it is not", counted(_mask)),
    ("its rank by 8-connected objects, from the most", ranked(_n_parts(BY_COLOR_8))),
    ("its rank by cells of other colours than its commonest", ranked(_n_minor)),
    ("which of all it is", lambda grids: list(range(len(grids)))),
    *(
        (f"its rank by cells of {color}, from the most", ranked(_n_of(color)))
        for color in range(1, 10)
    ),
)


def described(grids: Sequence[Grid], feature: int) -> Sequence[Hashable]:
    return FEATURES[feature][1](grids)


def charge_for(all_grids: Sequence[Sequence[Grid]]) -> None:
    """Features look at each cell some times."""
    charge(8 * sum(len(grid) * len(grid[0]) for each in all_grids for grid in each))


# --- what is learnt ---


@primitive(
    "Demos, Grid, Code[0..11] -> Grid",
    examples=(
        "learn_class(((((1, 0),), ((5,),)), (((1, 1),), ((6, 6),))), ((0, 3),), 0) == ((5,),)",
        "learn_class(((((1, 0),), ((5,),)), (((2, 2),), ((6, 6),))), ((2, 0),), 3) == ((6, 6),)",
    ),
)
def learn_class(S: Demos, I: Grid, feature: Number) -> Value:  # noqa: E741
    """The output of the demos whose inputs are like a grid.

    Demos whose inputs are alike must have one output, and not all of them the same. Inputs are
    told by: 0 how many cells are not 0, 1 how many colours but 0 they have, 2 which, 3 the
    commonest of them, the lowest of several, 4 which cells are not 0, 5 the same up to mirrors
    and turns, 6 whether they are their own mirror images left to right, and top to bottom, 7
    whether they are their transposes, 8 how many 8-connected objects of one colour but 0 they
    have, 9 how many 4-connected, 10 how many 4-connected parts of 0 do not reach their edges, 11
    how many cells have neither 0 nor their commonest colour.
    """
    check_colors("learn_class", S, I)
    if len({wanted for _, wanted in S}) < 2:
        raise empty("learn_class: fewer than two outputs to choose from")
    grids = [(given,) for given, _ in S] + [(I,)]
    charge_for(grids)
    *keys, own = [described(each, feature)[0] for each in grids]
    table: dict[Hashable, Grid] = {}
    for key, (_, wanted) in zip(keys, S, strict=True):
        if table.setdefault(key, wanted) != wanted:
            raise empty("learn_class: inputs that are alike have different outputs")
    if own not in table:
        raise empty("learn_class: no demo's input is like the grid")
    return table[own]
