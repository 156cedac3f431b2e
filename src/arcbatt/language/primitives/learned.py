"""What the demos teach: primitives that learn from `S` and apply it to a grid.

All grids, those of the demos too, must be rectangles of colours 0 to 9, not empty: others are
of the wrong type. Nothing is guessed: what the demos contradict, or do not show, fails as empty.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from ..domains import Demos, Grid, Number
from ..failure import empty, out_of_range
from ..registry import primitive
from ..values import Value
from .observations import (
    CUT_FOR_SIGHT,
    FEATURES,
    N_MEASURES,
    SIGHTS,
    Pairs,
    Part,
    View,
    all_places,
    check_colors,
    cut_all,
    margin,
    marks_of,
    measure_color,
    pairs_of_one_size,
    pick_marked,
    relative_view,
)

# --- the roles of colours ---


def _colors(grid: Grid) -> set[int]:
    return {cell for row in grid for cell in row}


def fixed_colors(S: Pairs) -> list[int]:
    inputs = [_colors(given) for given, _ in S]
    outputs = [_colors(wanted) for _, wanted in S]
    fixed = {0}
    if S:
        fixed |= set().union(*outputs) - set().union(*inputs)
        fixed |= set.intersection(*inputs) - set().union(*outputs)
        if all(colors == outputs[0] for colors in outputs):
            fixed |= outputs[0]
    return sorted(fixed)


def _take(measure: int, measured: dict[int, list[int]]) -> int:
    """The colour for which a measure is greatest, the lowest of several."""
    return min(measured, key=lambda color: (-measured[color][measure], color))


def learn_measures(S: Pairs, fixed: list[int]) -> list[int]:
    left = [
        {color: measure_color(given, color) for color in sorted(_colors(given) - set(fixed))}
        for given, _ in S
    ]
    learned: list[int] = []
    while True:
        left = [measured for measured in left if measured]
        if not left:
            return learned

        def worst_margin(measure: int, left: list[dict[int, list[int]]] = left) -> Fraction:
            return min(
                Fraction(*margin([numbers[measure] for numbers in measured.values()]))
                for measured in left
            )

        best = max(range(N_MEASURES), key=lambda measure: (worst_margin(measure), -measure))
        if worst_margin(best) == 0:
            return learned
        learned.append(best)
        for measured in left:
            del measured[_take(best, measured)]


def _roles(fixed: list[int], learned: list[int], grid: Grid) -> list[int]:
    """For each number, the colour of a grid that has it as its role."""
    there = sorted(_colors(grid) - set(fixed))
    left = {color: measure_color(grid, color) for color in there}
    numbers: list[int | None] = [*fixed]
    for measure in learned:
        color = None
        if 6 <= measure < 15:
            if measure - 5 not in numbers:
                color = measure - 5
        elif left:
            color = _take(measure, left)
        left.pop(color, None)  # type: ignore[arg-type]
        numbers.append(color)
    rest = iter([*left, *(c for c in range(10) if c not in numbers and c not in left)])
    numbers += [None] * (10 - len(numbers))
    return [next(rest) if color is None else color for color in numbers]


def _renamed(grid: Grid, names: list[int]) -> Grid:
    return tuple(tuple(names[cell] for cell in row) for row in grid)


def _to_roles(roles: list[int], grid: Grid) -> Grid:
    return _renamed(grid, [roles.index(color) for color in range(10)])


@primitive(
    "Demos -> Demos",
    examples=(
        "role_demos(((((3, 3, 5),), ((3,),)), (((5, 4, 4),), ((4,),)))) == "
        "((((2, 2, 1),), ((2,),)), (((1, 2, 2),), ((2,),)))",
        "role_demos(()) == ()",
    ),
)
def role_demos(S: Demos) -> Value:
    """The demos with each pair's colours replaced by their roles in its input (see `to_roles`)."""
    check_colors("role_demos", S)
    fixed = fixed_colors(S)
    learned = learn_measures(S, fixed)
    pairs = []
    for given, wanted in S:
        roles = _roles(fixed, learned, given)
        pairs.append((_to_roles(roles, given), _to_roles(roles, wanted)))
    return tuple(pairs)


@primitive(
    "Demos, Grid -> Grid",
    examples=(
        "to_roles(((((3, 3, 5),), ((3,),)), (((5, 4, 4),), ((4,),))), ((7, 5, 7, 7),)) == "
        "((2, 1, 2, 2),)",
        "to_roles((), ((0, 1, 2),)) == ((0, 1, 2),)",
    ),
)
def to_roles(S: Demos, I: Grid) -> Value:  # noqa: E741
    """A grid with its colours replaced by their roles, as the demos' inputs teach them.

    The first numbers go to the fixed colours, ascending: 0, those that outputs have and no
    input has, those that all inputs have and no output has, and all colours of the outputs if
    all of them have the same. Each further number goes to the colour for which a measure is
    greatest, the lowest of several. The measures are learnt: time and again the one that best
    singles out a colour among those left in each input, by the least margin over the inputs
    which still have any (the difference of the two greatest numbers over the sum of their
    amounts; 1 for a colour alone, 0 if the measure is 0 there), the first of several; it ends
    where nothing is left, or the best margin is 0. The measures: the number of cells, of
    8-connected parts, of cells enclosed (4-connected), each followed by its negative; being
    colour 1, ..., 9; how far it reaches right, left, down, up, down-right, up-left,
    down-left, up-right. A measure of being a colour always stands for that colour, also where
    the grid lacks it, but not twice. Numbers that are left go to the grid's other colours,
    ascending, then to those that it lacks.
    """
    check_colors("to_roles", S, I)
    fixed = fixed_colors(S)
    return _to_roles(_roles(fixed, learn_measures(S, fixed), I), I)


@primitive(
    "Demos, Grid, Grid -> Grid",
    examples=(
        "from_roles(((((3, 3, 5),), ((3,),)), (((5, 4, 4),), ((4,),))), ((7, 5, 7, 7),), "
        "((1, 2),)) == ((5, 7),)",
        "from_roles((), ((0, 1, 2),), ((2, 1),)) == ((2, 1),)",
    ),
)
def from_roles(S: Demos, I: Grid, grid: Grid) -> Value:  # noqa: E741
    """A grid with roles replaced by the colours that have them in `I`; undoes `to_roles`."""
    check_colors("from_roles", S, I, grid)
    fixed = fixed_colors(S)
    return _renamed(grid, _roles(fixed, learn_measures(S, fixed), I))


# --- outputs ---


@primitive(
    "Demos, Count, Grid -> Grid",
    examples=(
        "other_output(((((1,),), ((2, 3),)),), 0, ((4,),)) == ((2, 3),)",
        "other_output(((((1,),), ((2, 3),)),), 0, ((1,),)) == ((0, 0),)",
    ),
)
def other_output(S: Demos, k: Number, I: Grid) -> Value:  # noqa: E741
    """The output of a demo, counted from 0; all 0 where its input is the grid itself."""
    if not 0 <= k < len(S):
        raise out_of_range(f"other_output: demo {k} of {len(S)}")
    check_colors("other_output", S, I)
    given, wanted = S[k]
    return tuple((0,) * len(row) for row in wanted) if given == I else wanted


# --- cells ---


@primitive(
    "Demos, Grid, Code[0..33] -> Grid",
    examples=(
        "learn_cells(((((1, 2),), ((3, 2),)),), ((2, 1, 1),), 0) == ((2, 3, 3),)",
        "learn_cells(((((1, 0, 1),), ((1, 1, 1),)),), ((2, 0, 2),), 28) == ((2, 2, 2),)",
    ),
)
def learn_cells(S: Demos, I: Grid, code: Number) -> Value:  # noqa: E741
    """What becomes of each cell of a grid, by its colour and what it sees, as demos teach.

    They teach whose output has the input's size; there must be one. Cells that see the same
    must become the same in all of them, and what a cell of the grid sees must be known; but a
    cell of a colour that the demos have and never change is kept in any case.

    What a cell sees besides its own colour, 10 standing for what lies outside: 0 nothing, 1 the
    4 colours beside it, 2 the 8 around it, 3 the same in any order, 4 its mirror images left to
    right and top to bottom, 5 the first colours but 0 in the 4 directions, 6 the size (at most
    9) of the enclosed 4-connected zeros in which it lies, or 0, 7 its row and column modulo 2,
    8 modulo 3, 9 its distance from the edge (at most 5), 10 the commonest colours but 0 of its
    row and its column, 11 the 8 colours around it up to mirrors and turns, 12 whether its row,
    its column is of one colour, 13 the rank by size (at most 4) of its 4-connected part among
    the parts of its colour, the largest having 0, 14 how many cells beside it, how many at its
    corners are not 0, 15 the colours that are first but for 0 on both sides, in its row and in
    its column, 16 as 13 for 8-connected parts, 17 whether its 4-connected part of one colour
    touches the edge, 18 the first colours but its own in the 4 directions, 19 which colours are
    around it, 20 the colour of the largest 8-connected part of one colour but 0, the last of
    several, in whose box it lies, 21 which colours its row has, and its column.

    From 22 on colours are told apart but not known: those that are seen, its own first, are
    numbered as they come, and a cell becomes one of them, or else some colour, in the same way.
    A colour that the demos do not change is kept where what is seen is unknown. 22 the colours
    beside it, up to mirrors and turns, 23 those around it, likewise, 24 the first but 0 in the
    4 directions, 25 the same up to mirrors and turns, 26 the first but 0 in the 8 directions,
    27 the first but its own in the 4 directions, up to mirrors and turns, 28 those that are
    first but for 0 on both sides, in its row and in its column, 29 also in its diagonals, 30
    its mirror images left to right and top to bottom, 31 that at the diagonal, 32 its image
    turned by 180 degrees, 33 the first colours but 0 of its row and its column.
    """
    check_colors("learn_cells", S, I)
    demos = pairs_of_one_size("learn_cells", S)
    known: set[int] = set()
    changing: set[int] = set()
    for given, wanted in demos:
        known |= _colors(given)
        changing |= {given[i][j] for i, j in all_places(given) if given[i][j] != wanted[i][j]}
    if code < len(SIGHTS):
        return _learn_plain(demos, I, code, known - changing)
    return _learn_relative(demos, I, code, set(range(10)) - changing)


def _learn_plain(demos: Pairs, I: Grid, code: int, kept: set[int]) -> Grid:  # noqa: E741
    grids = [*(given for given, _ in demos), I]
    cuts: list[list[Part]] = [[]] * len(grids)
    if code in CUT_FOR_SIGHT:
        cuts = cut_all(grids, CUT_FOR_SIGHT[code])
    *views, own = [SIGHTS[code](grid, parts) for grid, parts in zip(grids, cuts, strict=True)]
    table = plain_table(demos, views)

    def become(i: int, j: int) -> int:
        if I[i][j] in kept:
            return I[i][j]
        key = (I[i][j], own(i, j))
        if key not in table:
            raise empty("learn_cells: a cell sees what no demo shows")
        return table[key]

    return tuple(tuple(become(i, j) for j in range(len(row))) for i, row in enumerate(I))


def plain_table(demos: Pairs, views: Sequence[View]) -> dict[tuple[int, Hashable], int]:
    """What becomes of a cell by its colour and what it sees; `views` has what that is."""
    table: dict[tuple[int, Hashable], int] = {}
    for (given, wanted), view in zip(demos, views, strict=True):
        for i, j in all_places(given):
            key = (given[i][j], view(i, j))
            if table.setdefault(key, wanted[i][j]) != wanted[i][j]:
                raise empty("learn_cells: cells that see the same become different colours")
    return table


def _learn_relative(demos: Pairs, I: Grid, code: int, kept: set[int]) -> Grid:  # noqa: E741
    table = relative_table(demos, code)
    own = relative_view(I, code)

    def become(i: int, j: int) -> int:
        key, order = own(i, j)
        if key in table:
            return order[table[key]] if table[key] < 10 else table[key] - 10
        if I[i][j] not in kept:
            raise empty("learn_cells: a cell sees what no demo shows")
        return I[i][j]

    return tuple(tuple(become(i, j) for j in range(len(row))) for i, row in enumerate(I))


def relative_table(demos: Pairs, code: int) -> dict[tuple[int, ...], int]:
    """What becomes of a cell by the colours it sees, numbered as they come.

    One of those seen, by its place among them; or, from 10 on, some colour.
    """
    table: dict[tuple[int, ...], int] = {}
    for given, wanted in demos:
        view = relative_view(given, code)
        for i, j in all_places(given):
            key, order = view(i, j)
            color = wanted[i][j]
            source = order.index(color) if color in order else 10 + color
            if table.setdefault(key, source) != source:
                raise empty("learn_cells: cells that see the same become different colours")
    return table


# --- objects ---


def _described(parts: list[Part], feature: int) -> list[tuple[Part, Hashable]]:
    return list(zip(parts, FEATURES[feature](parts), strict=True))


@primitive(
    "Demos, Grid, Code[0..3], Code[0..23] -> Grid",
    examples=(
        "learn_objects(((((5, 0, 5, 5),), ((1, 0, 2, 2),)),), ((5, 5, 0, 5),), 0, 1) == "
        "((2, 2, 0, 1),)",
        "learn_objects(((((5, 0, 5, 5),), ((5, 0, 2, 2),)),), ((6, 6, 6, 0, 7),), 0, 15) == "
        "((2, 2, 2, 0, 7),)",
    ),
)
def learn_objects(S: Demos, I: Grid, segments: Number, feature: Number) -> Value:  # noqa: E741
    """A grid whose objects get the colours that demos give to objects like them.

    They teach whose output has the input's size; there must be one. In each of them every
    object must stay as it is or become of one colour all over, and nothing else may change.
    Objects that are alike must all stay, or all become of one colour; then so do those of the
    grid.

    How objects are cut: 0 4-connected, of one colour but 0, 1 8-connected, likewise, 2
    8-connected of any colours but 0, 3 4-connected zeros.

    What they are told by: 0 their colours, 1 their size (number of cells), 2 the rank of their
    size in the grid, the largest having 0, 3 the same from the smallest, 4 height and width, 5
    how many 4-connected holes they enclose, 6 their shape up to mirrors and turns, 7 their
    shape, 8 whether they touch the edge, 9 the colours but 0 around them, 10 how many objects of
    the grid have their shape, 11 whether they are their own mirror images left to right, and
    top to bottom, with their colours, 12 the rank of their first column, 13 of their first row,
    14 whether they fill a square, else a line, else a rectangle, 15 whether they are of the
    largest size, else of the smallest, 16 how many objects of the grid have their colours. Ranks
    from the greatest: 17 by holes, 18 by the area of their box, 19 by width, 20 by height. 21
    whether they are a single cell, 22 whether they are a mirror image of themselves either way,
    23 the rank, from the greatest, by the number of cells that have not their commonest colour.
    Ranks count distinct numbers.
    """
    check_colors("learn_objects", S, I)
    demos = pairs_of_one_size("learn_objects", S)
    *cuts, own = cut_all([*(given for given, _ in demos), I], segments)
    table = object_table(demos, cuts, feature)
    rows = [list(row) for row in I]
    for part, key in _described(own, feature):
        if key not in table:
            raise empty("learn_objects: an object like none in the demos")
        color = min(table[key])
        for i, j in part.places if color >= 0 else ():
            rows[i][j] = color
    return tuple(map(tuple, rows))


def object_table(
    demos: Pairs, cuts: Sequence[list[Part]], feature: int
) -> dict[Hashable, set[int]]:
    """All colours that objects may become, by what they are like; -1 stands for staying."""
    table: dict[Hashable, set[int]] = {}
    for (given, wanted), parts in zip(demos, cuts, strict=True):
        left = set(all_places(given))
        for part, key in _described(parts, feature):
            left -= part.places
            new = {wanted[i][j] for i, j in part.places}
            options = new if len(new) == 1 else set()
            if all(given[i][j] == wanted[i][j] for i, j in part.places):
                options.add(-1)
            table[key] = table.get(key, options) & options
            if not table[key]:
                raise empty("learn_objects: objects that are alike become different")
        if any(given[i][j] != wanted[i][j] for i, j in left):
            raise empty("learn_objects: something changes beside the objects")
    return table


@primitive(
    "Demos, Grid, Code[0..2], Code[0..23] -> Grid",
    examples=(
        "pick_object(((((1, 0, 2, 2),), ((2, 2),)),), ((3, 3, 3, 0, 2),), 0, 2) == ((3, 3, 3),)",
        "pick_object(((((1, 0, 2, 2),), ((2, 2),)),), ((3, 3, 3, 0, 2),), 0, 0) == ((2,),)",
    ),
)
def pick_object(S: Demos, I: Grid, segments: Number, feature: Number) -> Value:  # noqa: E741
    """The box of the one object of a grid that is like those which the demos pick.

    Each demo's output must be what the input shows in the box of an object which alone is
    like that; such a likeness must be the same in all demos, and one object of the grid alone
    have it.

    Codes are those of `learn_objects`; but zeros, code 3, are not picked.
    """
    check_colors("pick_object", S, I)
    if not S:
        raise empty("pick_object: no demos")
    *cuts, own = cut_all([*(given for given, _ in S), I], segments)
    marks = object_marks(S, cuts, feature)
    return pick_marked("pick_object", _shown(own, feature), marks)


def _shown(parts: list[Part], feature: int) -> list[tuple[Grid, Hashable]]:
    return [(part.box, key) for part, key in _described(parts, feature)]


def object_marks(S: Pairs, cuts: Sequence[list[Part]], feature: int) -> set[Hashable]:
    """What the one object is like that each demo picks."""
    wanted = [each for _, each in S]
    return marks_of([_shown(parts, feature) for parts in cuts], wanted)
