"""What can be observed of grids: cells, what they see, parts and what they are like, colours.

What a cell sees, or what an object is like, is a key; demos teach a table from keys to what
becomes of such a cell or object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

from ..budget import charge
from ..failure import empty, wrong_type
from ..values import Grid, Pair

Pairs: TypeAlias = Sequence[tuple[Grid, Grid]]

OUTSIDE = 10  # the colour of places outside the grid

BESIDE = ((-1, 0), (0, -1), (0, 1), (1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def check_colors(name: str, S: Pairs, *grids: Grid) -> None:
    """Fail unless all grids are rectangles, not empty, of colours 0 to 9."""
    for grid in [*(side for pair in S for side in pair), *grids]:
        widths = {len(row) for row in grid}
        if len(widths) != 1 or 0 in widths:
            raise wrong_type(f"{name}: a grid is empty, or no rectangle")
        if not all(0 <= cell <= 9 for row in grid for cell in row):
            raise wrong_type(f"{name}: a grid has a number that is no colour")


def size_of(grid: Grid) -> Pair:
    return len(grid), len(grid[0])


def pairs_of_one_size(name: str, S: Pairs) -> Pairs:
    """The demos whose output has the input's size; there must be one."""
    pairs = [(given, wanted) for given, wanted in S if size_of(given) == size_of(wanted)]
    if not pairs:
        raise empty(f"{name}: no demo has an output of its input's size")
    return pairs


def at(grid: Grid, i: int, j: int) -> int:
    """The colour at a place, also outside the grid."""
    return grid[i][j] if 0 <= i < len(grid) and 0 <= j < len(grid[0]) else OUTSIDE


def all_places(grid: Grid) -> Iterator[Pair]:
    """All places, row by row."""
    return ((i, j) for i in range(len(grid)) for j in range(len(grid[0])))


def commonest(cells: Iterable[int]) -> int:
    """The commonest colour but 0, the lowest of several; 0 where there is none."""
    counts = Counter(cell for cell in cells if cell)
    return min(counts, key=lambda color: (-counts[color], color), default=0)


def ranks(numbers: Sequence[int], falling: bool) -> list[int]:
    """For each number, how many distinct ones are less, or, falling, greater."""
    place = {number: rank for rank, number in enumerate(sorted(set(numbers), reverse=falling))}
    return [place[number] for number in numbers]


# --- parts of a grid ---


@dataclass(frozen=True, eq=False)
class Part:
    """Connected places of a grid."""

    grid: Grid
    places: frozenset[Pair]

    @cached_property
    def top(self) -> int:
        return min(i for i, _ in self.places)

    @cached_property
    def left(self) -> int:
        return min(j for _, j in self.places)

    @cached_property
    def height(self) -> int:
        return max(i for i, _ in self.places) + 1 - self.top

    @cached_property
    def width(self) -> int:
        return max(j for _, j in self.places) + 1 - self.left

    @property
    def size(self) -> int:
        return len(self.places)

    @cached_property
    def counts(self) -> Counter[int]:
        """How often it has each colour."""
        return Counter(self.grid[i][j] for i, j in self.places)

    @property
    def colors(self) -> frozenset[int]:
        return frozenset(self.counts)

    @cached_property
    def shape(self) -> frozenset[Pair]:
        return frozenset((i - self.top, j - self.left) for i, j in self.places)

    @cached_property
    def form(self) -> frozenset[tuple[int, Pair]]:
        """The shape with its colours."""
        return frozenset((self.grid[i][j], (i - self.top, j - self.left)) for i, j in self.places)

    @cached_property
    def turned_shape(self) -> tuple[Pair, ...]:
        """One shape for all eight that mirrors and turns make of this one."""
        across = frozenset((j, i) for i, j in self.shape)
        turns = []
        for shape, last_row, last_column in (
            (self.shape, self.height - 1, self.width - 1),
            (across, self.width - 1, self.height - 1),
        ):
            turns.append(sorted(shape))
            turns.append(sorted((last_row - i, j) for i, j in shape))
            turns.append(sorted((i, last_column - j) for i, j in shape))
            turns.append(sorted((last_row - i, last_column - j) for i, j in shape))
        return tuple(min(turns))

    @cached_property
    def box(self) -> Grid:
        """What the grid shows where the part reaches."""
        rows = self.grid[self.top : self.top + self.height]
        return tuple(row[self.left : self.left + self.width] for row in rows)

    @cached_property
    def on_edge(self) -> bool:
        last_row, last_column = len(self.grid) - 1, len(self.grid[0]) - 1
        return any(i in (0, last_row) or j in (0, last_column) for i, j in self.places)

    @cached_property
    def n_holes(self) -> int:
        """How many 4-connected parts of its box it encloses."""
        mask = tuple(
            tuple(int((i, j) in self.shape) for j in range(self.width)) for i in range(self.height)
        )
        return sum(not hole.on_edge for hole in cut(mask, ZEROS))

    @cached_property
    def touching(self) -> frozenset[int]:
        """The colours but 0 around it."""
        around = {(i + di, j + dj) for i, j in self.places for di, dj in AROUND} - self.places
        return frozenset(at(self.grid, i, j) for i, j in around) - {0, OUTSIDE}

    @cached_property
    def mirrors(self) -> tuple[bool, bool]:
        """Whether it is its own mirror image, left to right and top to bottom."""
        sideways = {(c, (i, self.width - 1 - j)) for c, (i, j) in self.form}
        upright = {(c, (self.height - 1 - i, j)) for c, (i, j) in self.form}
        return self.form == sideways, self.form == upright


# How a grid is cut into objects, and more ways that only cells, or templates, ask for.
BY_COLOR_4, BY_COLOR_8, TOGETHER_8, ZEROS, ALL_4, ALL_8, TOGETHER_4 = range(7)


def cut(grid: Grid, how: int) -> list[Part]:
    """The parts of a grid, in the order of their first places."""
    directions = AROUND if how in (BY_COLOR_8, TOGETHER_8, ALL_8) else BESIDE
    parts: list[Part] = []
    seen: set[Pair] = set()
    for start in all_places(grid):
        color = grid[start[0]][start[1]]
        if start in seen or not (how in (ALL_4, ALL_8) or (color == 0) == (how == ZEROS)):
            continue
        found = {start}
        new = [start]
        while new:
            i, j = new.pop()
            for di, dj in directions:
                place = (i + di, j + dj)
                other = at(grid, *place)
                together = how in (TOGETHER_4, TOGETHER_8)
                belongs = 0 < other < OUTSIDE if together else other == color
                if belongs and place not in found:
                    found.add(place)
                    new.append(place)
        seen |= found
        parts.append(Part(grid, frozenset(found)))
    return parts


def cut_all(grids: Iterable[Grid], how: int) -> list[list[Part]]:
    """The parts of each grid; their boxes are charged for, which may overlap."""
    cuts = [cut(grid, how) for grid in grids]
    charge(sum(part.height * part.width for parts in cuts for part in parts))
    return cuts


# --- what a cell sees ---

# What a cell at a place sees, besides its own colour.
View: TypeAlias = Callable[[int, int], Hashable]
ColorView: TypeAlias = Callable[[int, int], tuple[int, ...]]


def colors_at(grid: Grid, directions: Sequence[Pair]) -> ColorView:
    return lambda i, j: tuple(at(grid, i + di, j + dj) for di, dj in directions)


def _look(grid: Grid, direction: Pair, others: bool) -> list[list[int]]:
    """For each cell the first colour in a direction but 0, or, with `others`, but its own."""
    (n_rows, width), (di, dj) = size_of(grid), direction
    found = [[OUTSIDE] * width for _ in grid]
    for i in range(n_rows) if di < 0 else reversed(range(n_rows)):
        for j in range(width) if dj < 0 else reversed(range(width)):
            next_color = at(grid, i + di, j + dj)
            passed = next_color == (grid[i][j] if others else 0)
            found[i][j] = found[i + di][j + dj] if passed else next_color
    return found


def looks(grid: Grid, directions: Sequence[Pair], others: bool = False) -> ColorView:
    """The first colours in some directions but 0, or but the cell's own."""
    found = [_look(grid, direction, others) for direction in directions]
    return lambda i, j: tuple(colors[i][j] for colors in found)


def between(grid: Grid, lines: Sequence[Pair]) -> ColorView:
    """The colours that are first but for 0 on both sides, in some lines; else 10."""
    one_way = looks(grid, lines)
    other_way = looks(grid, [(-di, -dj) for di, dj in lines])
    return lambda i, j: tuple(
        a if a == b else OUTSIDE for a, b in zip(one_way(i, j), other_way(i, j), strict=True)
    )


ROW_AND_COLUMN = ((0, 1), (1, 0))
ALL_LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


def mirrored(grid: Grid) -> ColorView:
    return lambda i, j: (grid[i][-1 - j], grid[-1 - i][j])


def of_lines(grid: Grid, see: Callable[[Sequence[int]], Hashable]) -> View:
    """Something of a cell's row and of its column."""
    rows = [see(row) for row in grid]
    columns = [see(column) for column in zip(*grid, strict=True)]
    return lambda i, j: (rows[i], columns[j])


def first_of_lines(grid: Grid) -> ColorView:
    """The first colours but 0 of the row and of the column."""
    rows = [next(filter(None, row), 0) for row in grid]
    columns = [next(filter(None, column), 0) for column in zip(*grid, strict=True)]
    return lambda i, j: (rows[i], columns[j])


def _of_part(grid: Grid, parts: list[Part], keys: Sequence[int]) -> View:
    """The key of a cell's part; 0 where it belongs to none."""
    found = [[0] * len(row) for row in grid]
    for part, key in zip(parts, keys, strict=True):
        for i, j in part.places:
            found[i][j] = key
    return lambda i, j: found[i][j]


def _ranks_in_color(parts: list[Part]) -> list[int]:
    """Which size, from the largest, a part has among those of its colour; at most 4."""
    rank: dict[Part, int] = {}
    for color in range(10):
        same = [part for part in parts if color in part.colors]
        rank |= dict(zip(same, ranks([part.size for part in same], falling=True), strict=True))
    return [min(rank[part], 4) for part in parts]


def _boxed(grid: Grid, parts: list[Part]) -> View:
    """The colour of the largest part, of several the last, in whose box a cell lies."""
    found = [[OUTSIDE] * len(row) for row in grid]
    for part in sorted(parts, key=lambda part: part.size):
        for i in range(part.top, part.top + part.height):
            for j in range(part.left, part.left + part.width):
                found[i][j] = min(part.colors)
    return lambda i, j: found[i][j]


def _is_one(line: Iterable[int]) -> bool:
    return len(set(line)) == 1


def _n_shown(grid: Grid) -> View:
    beside, corners = colors_at(grid, BESIDE), colors_at(grid, CORNERS)
    return lambda i, j: tuple(
        sum(0 < color < OUTSIDE for color in view(i, j)) for view in (beside, corners)
    )


def _turn(place: Pair, a: int, b: int, flip: int) -> Pair:
    i, j = place
    return a * i + flip * b * j, b * i - flip * a * j


_TURNS = [(a, b, flip) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)) for flip in (1, -1)]


def turned(colors: Sequence[int], directions: Sequence[Pair]) -> list[tuple[int, ...]]:
    """What is seen in some directions, as the eight mirrors and turns show it."""
    seen = dict(zip(directions, colors, strict=True))
    return [tuple(seen[_turn(place, *turn)] for place in directions) for turn in _TURNS]


def _sorted_around(grid: Grid) -> View:
    view = colors_at(grid, AROUND)
    return lambda i, j: tuple(sorted(view(i, j)))


def _set_around(grid: Grid) -> View:
    view = colors_at(grid, AROUND)
    return lambda i, j: frozenset(view(i, j))


def _turned_around(grid: Grid) -> View:
    view = colors_at(grid, AROUND)
    return lambda i, j: min(turned(view(i, j), AROUND))


def _edge_distance(grid: Grid) -> View:
    last_row, last_column = len(grid) - 1, len(grid[0]) - 1
    return lambda i, j: min(i, j, last_row - i, last_column - j, 5)


Sight: TypeAlias = Callable[[Grid, list[Part]], View]

# For each code what is seen in a grid, which may have been cut into parts.
SIGHTS: tuple[Sight, ...] = (
    lambda grid, parts: lambda i, j: 0,
    lambda grid, parts: colors_at(grid, BESIDE),
    lambda grid, parts: colors_at(grid, AROUND),
    lambda grid, parts: _sorted_around(grid),
    lambda grid, parts: mirrored(grid),
    lambda grid, parts: looks(grid, BESIDE),
    lambda grid, parts: _of_part(
        grid, parts, [0 if part.on_edge else min(part.size, 9) for part in parts]
    ),
    lambda grid, parts: lambda i, j: (i % 2, j % 2),
    lambda grid, parts: lambda i, j: (i % 3, j % 3),
    lambda grid, parts: _edge_distance(grid),
    lambda grid, parts: of_lines(grid, commonest),
    lambda grid, parts: _turned_around(grid),
    lambda grid, parts: of_lines(grid, _is_one),
    lambda grid, parts: _of_part(grid, parts, _ranks_in_color(parts)),
    lambda grid, parts: _n_shown(grid),
    lambda grid, parts: between(grid, ROW_AND_COLUMN),
    lambda grid, parts: _of_part(grid, parts, _ranks_in_color(parts)),
    lambda grid, parts: _of_part(grid, parts, [part.on_edge for part in parts]),
    lambda grid, parts: looks(grid, BESIDE, others=True),
    lambda grid, parts: _set_around(grid),
    lambda grid, parts: _boxed(grid, parts),
    lambda grid, parts: of_lines(grid, frozenset),
)
# How a grid is cut for the codes which ask for its parts.
CUT_FOR_SIGHT = {6: ZEROS, 13: ALL_4, 16: ALL_8, 17: ALL_4, 20: BY_COLOR_8}

# For each further code: the colours that are seen, and their directions if mirrors and turns
# of them are the same.
RELATIVE_SIGHTS: tuple[tuple[Callable[[Grid], ColorView], Sequence[Pair] | None], ...] = (
    (lambda grid: colors_at(grid, BESIDE), BESIDE),
    (lambda grid: colors_at(grid, AROUND), AROUND),
    (lambda grid: looks(grid, BESIDE), None),
    (lambda grid: looks(grid, BESIDE), BESIDE),
    (lambda grid: looks(grid, AROUND), None),
    (lambda grid: looks(grid, BESIDE, others=True), BESIDE),
    (lambda grid: between(grid, ROW_AND_COLUMN), None),
    (lambda grid: between(grid, ALL_LINES), None),
    (mirrored, None),
    (lambda grid: lambda i, j: (at(grid, j, i),), None),
    (lambda grid: lambda i, j: (grid[-1 - i][-1 - j],), None),
    (first_of_lines, None),
)

# Colours numbered, and which colour has each number.
Numbered: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


def _number(colors: Sequence[int]) -> Numbered:
    """Colours numbered from 1 in the order they come; 0 and 10 stay."""
    order = tuple(dict.fromkeys(color for color in colors if color not in (0, OUTSIDE)))
    number = {0: 0, OUTSIDE: OUTSIDE} | {color: 1 + k for k, color in enumerate(order)}
    return tuple(number[color] for color in colors), order


def relative_view(grid: Grid, code: int) -> Callable[[int, int], Numbered]:
    """What a cell and those it sees are, numbered; of all turns the least, the first of several."""
    sight, directions = RELATIVE_SIGHTS[code - len(SIGHTS)]
    view = sight(grid)

    def see(i: int, j: int) -> Numbered:
        seen = view(i, j)
        turns = turned(seen, directions) if directions else [seen]
        return min((_number((grid[i][j], *turn)) for turn in turns), key=lambda seen: seen[0])

    return see


# --- what an object is like ---

T = TypeVar("T")
# What each of some things, objects or panels of a grid, is like.
FeatureOf: TypeAlias = Callable[[Sequence[T]], Sequence[Hashable]]
Feature: TypeAlias = FeatureOf[Part]


def each(describe: Callable[[T], Hashable]) -> FeatureOf[T]:
    return lambda things: [describe(thing) for thing in things]


def ranked(measure: Callable[[T], int], falling: bool = True) -> FeatureOf[T]:
    return lambda things: ranks([measure(thing) for thing in things], falling)


def counted(describe: Callable[[T], Hashable]) -> FeatureOf[T]:
    """How many of them are alike."""

    def count(things: Sequence[T]) -> list[int]:
        counts = Counter(map(describe, things))
        return [counts[describe(thing)] for thing in things]

    return count


def _fullness(part: Part) -> int:
    if part.size < part.height * part.width:
        return 0
    if part.height == part.width:
        return 1
    return 2 if 1 in (part.height, part.width) else 3


def _extreme(parts: Sequence[Part]) -> list[int]:
    sizes = {part.size for part in parts}
    first, last = max(sizes, default=0), min(sizes, default=0)
    return [0 if part.size == first else 1 if part.size == last else 2 for part in parts]


FEATURES: tuple[Feature, ...] = (
    each(lambda part: part.colors),
    each(lambda part: part.size),
    ranked(lambda part: part.size, falling=True),
    ranked(lambda part: part.size, falling=False),
    each(lambda part: (part.height, part.width)),
    each(lambda part: part.n_holes),
    each(lambda part: part.turned_shape),
    each(lambda part: part.shape),
    each(lambda part: part.on_edge),
    each(lambda part: part.touching),
    counted(lambda part: part.shape),
    each(lambda part: part.mirrors),
    ranked(lambda part: part.left, falling=False),
    ranked(lambda part: part.top, falling=False),
    each(_fullness),
    _extreme,
    counted(lambda part: part.colors),
    ranked(lambda part: part.n_holes, falling=True),
    ranked(lambda part: part.height * part.width, falling=True),
    ranked(lambda part: part.width, falling=True),
    ranked(lambda part: part.height, falling=True),
    each(lambda part: part.size == 1),
    each(lambda part: any(part.mirrors)),
    ranked(lambda part: part.size - max(part.counts.values()), falling=True),
)


# What something shows, and what it is told by.
Marked: TypeAlias = tuple[Grid, Hashable]


def marks_of(picking: Iterable[Sequence[Marked]], wanted: Iterable[Grid]) -> set[Hashable]:
    """What those are told by that demos pick, each of which alone is told so in its demo."""
    marks: set[Hashable] | None = None
    for things, picked in zip(picking, wanted, strict=True):
        counts = Counter(key for _, key in things)
        new = {key for shown, key in things if counts[key] == 1 and shown == picked}
        marks = new if marks is None else marks & new
    return marks or set()


def pick_marked(name: str, things: Sequence[Marked], marks: set[Hashable]) -> Grid:
    """The one of some things that is told by a mark."""
    picked = [shown for shown, key in things if key in marks]
    if len(picked) != 1:
        raise empty(f"{name}: {len(picked)} are like those that the demos pick")
    return picked[0]


# --- the roles of colours ---

# Directions in which a colour reaches: its furthest cell there.
_REACHES = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
N_MEASURES = 6 + 9 + len(_REACHES)


def measure_color(grid: Grid, color: int) -> list[int]:
    """What roles are told by, of a colour in a grid; not of a colour that it lacks."""
    found = [place for place in all_places(grid) if grid[place[0]][place[1]] == color]
    mask = tuple(tuple(int(cell == color) for cell in row) for row in grid)
    n_parts = len(cut(mask, BY_COLOR_8))
    n_enclosed = sum(part.size for part in cut(mask, ZEROS) if not part.on_edge)
    n_rows, width = size_of(grid)
    reaches = [
        max(
            di * i + dj * j + (n_rows - 1 if di < 0 else 0) + (width - 1 if dj < 0 else 0) + 1
            for i, j in found
        )
        for di, dj in _REACHES
    ]
    plain = [len(found), n_parts, n_enclosed]
    return [
        *(number for measure in plain for number in (measure, -measure)),
        *(int(color == c) for c in range(1, 10)),
        *reaches,
    ]


def margin(numbers: Sequence[int]) -> tuple[int, int]:
    """How clearly the greatest of some numbers, all of one sign, stands out: a fraction.

    The difference of the two greatest over the sum of their amounts; 0/1 where they are
    equal. Beside a single number there is 0, or, if it is negative, much less.
    """
    first, *others = sorted(numbers, reverse=True)
    if not others:
        return (0, 1) if first == 0 else (1, 1)
    second = others[0]
    return (first - second, abs(first) + abs(second)) if first > second else (0, 1)
