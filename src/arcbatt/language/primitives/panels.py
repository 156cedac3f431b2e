"""Grids as panels of one size, and what demos teach about them.

A layout cuts panels out of a grid. As everywhere in `learned`, grids must be rectangles of
colours 0 to 9, and what demos contradict or do not show fails as empty.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..domains import Demos, Grid, Number
from ..failure import empty
from ..registry import primitive
from ..values import Pair, Value
from .classes import cells_of, charge_for, described
from .observations import all_places, check_colors, commonest, marks_of, pick_marked, size_of

# --- layouts ---

MAX_PANELS = 64
MAX_FOLDED = 9
LAYOUTS_IN_WORDS = (
    "between lines of a colour but 0",
    "between empty rows and columns",
    "left and right half",
    "upper and lower half",
    "four quarters",
    "squares in a row or column",
)
BY_LINES, BY_GAPS, SIDEWAYS, UPRIGHT, QUARTERS, SQUARES = range(len(LAYOUTS_IN_WORDS))


@dataclass(frozen=True)
class Panels:
    """The panels of a grid, row by row: where they begin, and what colour the lines have."""

    rows: list[int]
    columns: list[int]
    grids: tuple[Grid, ...]
    line_color: int

    @property
    def shape(self) -> Pair:
        """How many rows and columns of panels there are."""
        return len(self.rows), len(self.columns)


def _runs(lines: Sequence[bool]) -> tuple[list[int], int]:
    """Where what lies between lines begins, all of one length, and that; none where it is not."""
    starts = [k for k, line in enumerate(lines) if not line and (k == 0 or lines[k - 1])]
    ends = [k for k, line in enumerate([*lines, True]) if line and k > 0 and not lines[k - 1]]
    lengths = {end - start for start, end in zip(starts, ends, strict=True)}
    return (starts, lengths.pop()) if len(lengths) == 1 else ([], 0)


def _between_lines(grid: Grid, color: int) -> tuple[list[int], list[int], int, int]:
    rows, height = _runs([set(row) == {color} for row in grid])
    columns, width = _runs([set(column) == {color} for column in zip(*grid, strict=True)])
    return rows, columns, height, width


def _squares(n_rows: int, width: int) -> tuple[list[int], list[int], int, int]:
    side = min(n_rows, width)
    if max(n_rows, width) % side:
        return [], [], 0, 0
    return list(range(0, n_rows, side)), list(range(0, width, side)), side, side


def panels_of(name: str, grid: Grid, layout: int) -> Panels:
    n_rows, n_columns = size_of(grid)
    down, across = n_rows // 2, n_columns // 2
    found: list[tuple[list[int], list[int], int, int]]
    if layout == BY_LINES:
        found = [_between_lines(grid, color) for color in range(1, 10)]
    elif layout == BY_GAPS:
        found = [_between_lines(grid, 0)]
    elif layout == SQUARES:
        found = [_squares(n_rows, n_columns)]
    else:
        rows, height = ([0], n_rows) if layout == SIDEWAYS else ([0, n_rows - down], down)
        columns, width = (
            ([0], n_columns) if layout == UPRIGHT else ([0, n_columns - across], across)
        )
        found = [(rows, columns, height, width)] if height and width else []
    for number, (rows, columns, height, width) in enumerate(found, 1):
        if 2 <= len(rows) * len(columns) <= MAX_PANELS:
            grids = tuple(
                tuple(line[column : column + width] for line in grid[row : row + height])
                for row in rows
                for column in columns
            )
            return Panels(rows, columns, grids, number if layout == BY_LINES else 0)
    raise empty(f"{name}: a grid has no such panels")


def all_panels(name: str, S: Demos, I: Grid, layout: int) -> list[Panels]:  # noqa: E741
    """The panels of the demos' inputs, then those of the grid."""
    return [panels_of(name, grid, layout) for grid in (*(given for given, _ in S), I)]


# --- what is learnt ---


# How many panels there are, and what is told of what they show at a place.
FoldKey: TypeAlias = tuple[int, Any]

FOLDS_IN_WORDS = ("what they show", "which of them show something", "how many show something")


def _fold_key(colors: Sequence[int], how: int) -> FoldKey:
    shown = tuple(color != 0 for color in colors)
    return len(colors), (tuple(colors), shown, sum(shown))[how]


def fold_table(S: Demos, lessons: Sequence[Panels], how: int) -> dict[FoldKey, set[int]]:
    """By what places are told the ways that are right: panels by number, and 10 + a colour."""
    table: dict[FoldKey, set[int]] = {}
    for panels, (_, wanted) in zip(lessons, S, strict=True):
        if size_of(wanted) != size_of(panels.grids[0]):
            raise empty("learn_panels: an output has not the size of a panel")
        for i, row in enumerate(wanted):
            for j, color in enumerate(row):
                colors = [panel[i][j] for panel in panels.grids]
                ways = {k for k, shown in enumerate(colors) if shown == color} | {10 + color}
                key = _fold_key(colors, how)
                table[key] = table.get(key, ways) & ways
                if not table[key]:
                    raise empty("learn_panels: places that are alike come out different")
    return table


@primitive(
    "Demos, Grid, Code[0..5], Code[0..2] -> Grid",
    examples=(
        "learn_panels(((((1, 1, 0, 1),), ((4, 1),)),), ((0, 2, 2, 2),), 2, 2) == ((4, 2),)",
        "learn_panels(((((1, 0, 5, 2, 0),), ((3, 0),)),), ((0, 1, 5, 0, 2),), 0, 1) == ((0, 3),)",
    ),
    ties="of several ways in which a place comes out right: the first panel, then a colour",
)
def learn_panels(S: Demos, I: Grid, layout: Number, how: Number) -> Value:  # noqa: E741
    """What the panels of a grid come to, laid one over the other, as demos teach.

    Each output must have the size of its input's panels, of which there may be 9. Places that
    are alike, by how many panels there are and what these show there, must come out alike: as
    one of the panels shows them, or of some colour. They are alike by 0 the colours of all
    panels, in order, 1 which of them are not 0, 2 how many of them are not 0.

    Layouts: 0 between rows and columns that are wholly of one colour but 0, the first that
    leaves panels of one size, 1 between those of 0, 2 the left and the right half, without a
    column in the middle, 3 the upper and the lower half, 4 both, 5 squares beside each other. A
    grid has 2 to 64 panels.
    """
    check_colors("learn_panels", S, I)
    *lessons, own = all_panels("learn_panels", S, I, layout)
    if any(len(panels.grids) > MAX_FOLDED for panels in (*lessons, own)):
        raise empty("learn_panels: too many panels")
    table = fold_table(S, lessons, how)

    def fold(i: int, j: int) -> int:
        colors = [panel[i][j] for panel in own.grids]
        key = _fold_key(colors, how)
        if key not in table:
            raise empty("learn_panels: a place like none in the demos")
        way = min(table[key])
        return colors[way] if way < 10 else way - 10

    n_rows, width = size_of(own.grids[0])
    return tuple(tuple(fold(i, j) for j in range(width)) for i in range(n_rows))


@primitive(
    "Demos, Grid, Code[0..5], Code[0..28] -> Grid",
    examples=(
        "pick_panel(((((1, 0, 2, 2),), ((2, 2),)),), ((3, 4, 0, 4),), 2, 12) == ((3, 4),)",
        "pick_panel(((((1, 0, 2, 2),), ((2, 2),)),), ((3, 4, 0, 4),), 2, 19) == ((0, 4),)",
    ),
)
def pick_panel(S: Demos, I: Grid, layout: Number, feature: Number) -> Value:  # noqa: E741
    """The one panel of a grid that is like those which the demos pick.

    Each demo's output must be a panel of its input which alone is like that; such a likeness
    must be the same in all demos, and one panel of the grid alone have it.

    Layouts are those of `learn_panels`; panels are told by what tells grids in `learn_class`, 0
    to 11, and by their ranks in the grid, which count distinct numbers: 12 by cells that are not
    0, from the most, 13 the same from the fewest, 14 by colours, from the most, 17 by
    8-connected objects, 18 by cells that have neither 0 nor their commonest colour, 20 to 28 by
    cells of colour 1 to 9; 15 by how many panels are equal, 16 by how many are 0 at the same
    places, 19 by which it is, row by row.
    """
    check_colors("pick_panel", S, I)
    if not S:
        raise empty("pick_panel: no demos")
    *lessons, own = all_panels("pick_panel", S, I, layout)
    charge_for([panels.grids for panels in (*lessons, own)])
    marks = panel_marks(S, lessons, feature)
    return pick_marked("pick_panel", _shown(own, feature), marks)


def _shown(panels: Panels, feature: int) -> list[tuple[Grid, Hashable]]:
    return list(zip(panels.grids, described(panels.grids, feature), strict=True))


def panel_marks(S: Demos, lessons: Sequence[Panels], feature: int) -> set[Hashable]:
    """What the one panel is like that each demo picks."""
    wanted = [each for _, each in S]
    return marks_of([_shown(panels, feature) for panels in lessons], wanted)


def cell_table(S: Demos, lessons: Sequence[Panels], feature: int) -> dict[Hashable, set[int]]:
    """By what panels are told the colours that are right; -1 stands for the panel's own."""
    table: dict[Hashable, set[int]] = {}
    for panels, (_, wanted) in zip(lessons, S, strict=True):
        if size_of(wanted) != panels.shape:
            raise empty("panel_cells: an output has not a cell for each panel")
        keys = described(panels.grids, feature)
        for panel, key, color in zip(panels.grids, keys, cells_of(wanted), strict=True):
            ways = {color, -1} if color == commonest(cells_of(panel)) else {color}
            table[key] = table.get(key, ways) & ways
            if not table[key]:
                raise empty("panel_cells: panels that are alike become different colours")
    return table


@primitive(
    "Demos, Grid, Code[0..5], Code[0..28] -> Grid",
    examples=(
        "panel_cells(((((1, 0, 5, 2, 2),), ((3, 4),)),), ((6, 6, 5, 0, 6),), 0, 0) == ((4, 3),)",
        "panel_cells(((((1, 0, 5, 2, 2),), ((1, 2),)),), ((6, 6, 5, 0, 7),), 0, 12) == ((6, 7),)",
    ),
    ties="a panel's own commonest colour before another",
)
def panel_cells(S: Demos, I: Grid, layout: Number, feature: Number) -> Value:  # noqa: E741
    """A cell for each panel of a grid, of the colour that demos give to panels like it.

    Each output must have a cell for each panel of its input. Panels that are alike must all
    become their own commonest colours (but 0, the lowest of several; 0 where there is none), or
    all become some colour. Layouts are those of `learn_panels`; panels are told by what tells
    them in `pick_panel`.
    """
    check_colors("panel_cells", S, I)
    *lessons, own = all_panels("panel_cells", S, I, layout)
    charge_for([panels.grids for panels in (*lessons, own)])
    table = cell_table(S, lessons, feature)
    colors = []
    for panel, key in zip(own.grids, described(own.grids, feature), strict=True):
        if key not in table:
            raise empty("panel_cells: a panel like none in the demos")
        color = min(table[key])
        colors.append(commonest(cells_of(panel)) if color < 0 else color)
    n_columns = own.shape[1]
    return tuple(tuple(colors[k : k + n_columns]) for k in range(0, len(colors), n_columns))


# --- panels beside each other ---


def _laid_over(panels: Sequence[Grid]) -> Grid:
    """What the first panel that is not 0 shows, everywhere."""
    n_rows, width = size_of(panels[0])
    return tuple(
        tuple(next(filter(None, (each[i][j] for each in panels)), 0) for j in range(width))
        for i in range(n_rows)
    )


def _number(place: int) -> Callable[[Sequence[Grid]], Grid | None]:
    return lambda panels: panels[place]


def _one_of(feature: int, value: int) -> Callable[[Sequence[Grid]], Grid | None]:
    """The panel of which a feature says so; none where all are, or they differ."""

    def choose(panels: Sequence[Grid]) -> Grid | None:
        found = [
            panel
            for panel, key in zip(panels, described(panels, feature), strict=True)
            if key == value
        ]
        return found[0] if 0 < len(found) < len(panels) and len(set(found)) == 1 else None

    return choose


_MOST, _FEWEST, _MOST_COLORS, _EQUAL = 12, 13, 14, 15  # features

# Which panel is the key to the others; and whether its cells stand for places within each panel,
# or for the panels.
KEYS: tuple[tuple[str, Callable[[Sequence[Grid]], Grid | None], bool], ...] = (
    ("the first panel", _number(0), False),
    ("the last panel", _number(-1), False),
    ("all panels, laid over each other", _laid_over, False),
    ("the panel that shows most", _one_of(_MOST, 0), False),
    ("the panel that shows least", _one_of(_FEWEST, 0), False),
    ("the panel of most colours", _one_of(_MOST_COLORS, 0), False),
    ("the panel that is like no other", _one_of(_EQUAL, 1), False),
    ("the panel that shows most, as a map", _one_of(_MOST, 0), True),
    ("the panel that shows least, as a map", _one_of(_FEWEST, 0), True),
    ("the panel of most colours, as a map", _one_of(_MOST_COLORS, 0), True),
    ("the panel that is like no other, as a map", _one_of(_EQUAL, 1), True),
)


WAYS_IN_WORDS = (
    "stays",
    "becomes what the key shows",
    "becomes its panel's commonest colour",
    "becomes the lines' colour",
)


def _places(
    panels: Panels, key: int, is_most_told: bool
) -> Iterator[tuple[Pair, tuple[bool, bool, bool], tuple[int, ...]]]:
    """Each place in a panel, what it is told by, and the colours that it may become."""
    _, choose, is_map = KEYS[key]
    shown = choose(panels.grids)
    if shown is None or (is_map and size_of(shown) != panels.shape):
        raise empty("fill_panels: no panel is the key to the others")
    most = described(panels.grids, _MOST)
    n_columns = len(panels.columns)
    for k, panel in enumerate(panels.grids):
        row, column = divmod(k, n_columns)
        is_most = is_most_told and most[k] == 0
        main = commonest(cells_of(panel))
        for i, line in enumerate(panel):
            for j, own in enumerate(line):
                other = shown[row][column] if is_map else shown[i][j]
                place = (panels.rows[row] + i, panels.columns[column] + j)
                told = (own != 0, other != 0, is_most)
                yield place, told, (own, other, main, panels.line_color)


def fill_table(
    S: Demos, lessons: Sequence[Panels], key: int, is_most_told: bool
) -> dict[tuple[bool, bool, bool], set[int]]:
    """By what places are told the ways that are right: places of `WAYS_IN_WORDS`, 10 + a colour."""
    table: dict[tuple[bool, bool, bool], set[int]] = {}
    for panels, (given, wanted) in zip(lessons, S, strict=True):
        if size_of(given) != size_of(wanted):
            raise empty("fill_panels: an output has not its input's size")
        left = set(all_places(given))
        for (i, j), told, colors in _places(panels, key, is_most_told):
            left.remove((i, j))
            color = wanted[i][j]
            ways = {k for k, each in enumerate(colors) if each == color} | {10 + color}
            table[told] = table.get(told, ways) & ways
            if not table[told]:
                raise empty("fill_panels: places that are alike become different")
        if any(given[i][j] != wanted[i][j] for i, j in left):
            raise empty("fill_panels: something changes beside the panels")
    return table


@primitive(
    "Demos, Grid, Code[0..10], Code[0..1] -> Grid",
    examples=(
        "fill_panels(((((3, 0, 1, 0, 3),), ((3, 3, 1, 3, 3),)),), ((0, 2, 1, 2, 0),), 2, 0) == "
        "((2, 2, 1, 2, 2),)",
        "fill_panels(((((3, 3, 1, 0, 3),), ((3, 3, 1, 0, 0),)),), ((0, 2, 1, 2, 2),), 2, 1) == "
        "((0, 0, 1, 2, 2),)",
    ),
    ties="a place becomes what it was before what the key shows, then the commonest colour of the "
    "panel, that of the lines, and a colour",
)
def fill_panels(S: Demos, I: Grid, key: Number, most: Number) -> Value:  # noqa: E741
    """A grid whose panels, between lines, become what demos make of theirs, place by place.

    Outputs must have their inputs' sizes, and nothing beside panels may change. Places that are
    alike must become alike: what they were, what the key shows for them, the commonest colour but
    0 of their panel, the colour of the lines, or some colour. They are alike by whether they are
    0, whether the key shows 0, and, with `most` 1, whether no panel shows more than theirs.

    The key: 0 the first panel, 1 the last, 2 what the first panel that is not 0 shows at each
    place, 3 the panel that shows most cells but 0, 4 fewest, 5 most colours, 6 the one that is
    equal to no other; several that are equal will do, but not all. It shows a place of each
    panel at the same place within it. 7 to 10 are 3 to 6 as a map: a panel must have as many
    rows and columns as there are rows and columns of panels, and shows one cell for each of them.

    Panels lie between rows and columns that are wholly of one colour but 0, as in layout 0 of
    `learn_panels`.
    """
    check_colors("fill_panels", S, I)
    *lessons, own = all_panels("fill_panels", S, I, BY_LINES)
    charge_for([panels.grids for panels in (*lessons, own)])
    table = fill_table(S, lessons, key, bool(most))
    rows = [list(row) for row in I]
    for (i, j), told, colors in _places(own, key, bool(most)):
        if told not in table:
            raise empty("fill_panels: a place like none in the demos")
        way = min(table[told])
        rows[i][j] = colors[way] if way < 10 else way - 10
    return tuple(map(tuple, rows))
