"""What can be said of a cell: numbered features that cell trees test and copy.

`columns_of` gives for each feature what it is in each cell of a grid, row by row: colours, 10
standing for none, or numbers from 0 to 63, greater ones counting as 63. The features, their order
and their names are the same for all grids: `FEATURES`. Nowhere is 0 the background unasked: the
background is the commonest colour of the grid, the lowest of several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..budget import Meter, charge, use_meter
from ..values import Grid
from .learning import AROUND, BESIDE, CORNERS, ranks

NONE = 10  # the colour where there is none
MOST = 63  # greater numbers count as this

# What a feature is: a colour, which tests compare, or else a number, which they bound; a colour
# that a cell may take; something that changes when the grid is turned or mirrored; something that
# tells which colour it is.
IS_COLOR, IS_TAKEN, TURNS, NAMES = 1, 2, 4, 8
IS_FACT = 16  # a number that is 1 where the name is true, else 0
SHADE = IS_COLOR | NAMES
PAINT = SHADE | IS_TAKEN

Column: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class CellFeature:
    """One feature: what it is in words, its traits, and how simple it is, 16 most."""

    name: str
    traits: int
    simplicity: int


COLOR_NAMES = "black blue red green yellow grey pink orange cyan brown".split()
DIRECTION_NAMES = (
    "up-left",
    "up",
    "up-right",
    "left",
    "right",
    "down-left",
    "down",
    "down-right",
)
# Opposite directions, as places in AROUND: the row, the column, both diagonals.
LINES = ((3, 4, "row"), (1, 6, "column"), (0, 7, "falling diagonal"), (2, 5, "rising diagonal"))


@dataclass(eq=False)
class _Object:
    """Connected places of a grid, in reading order."""

    places: list[int]
    width: int  # of the grid
    color: int  # its commonest

    @property
    def size(self) -> int:
        return len(self.places)

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Its first and last row, its first and last column."""
        rows = [k // self.width for k in self.places]
        columns = [k % self.width for k in self.places]
        return min(rows), max(rows), min(columns), max(columns)

    @property
    def height(self) -> int:
        return self.box[1] - self.box[0] + 1

    @property
    def breadth(self) -> int:
        return self.box[3] - self.box[2] + 1

    @cached_property
    def shape(self) -> tuple[tuple[int, int], ...]:
        top, _, left, _ = self.box
        return tuple((k // self.width - top, k % self.width - left) for k in self.places)

    @cached_property
    def mirrors(self) -> tuple[bool, bool]:
        """Whether its shape is its own mirror image, left to right and top to bottom."""
        there = set(self.shape)
        last_row, last_column = self.height - 1, self.breadth - 1
        return (
            all((i, last_column - j) in there for i, j in there),
            all((last_row - i, j) in there for i, j in there),
        )

    @cached_property
    def n_holes(self) -> int:
        """How many 4-connected parts of its box are not its own and do not reach its sides."""
        left = {(i, j) for i in range(self.height) for j in range(self.breadth)} - set(self.shape)
        n_holes = 0
        while left:
            new = [left.pop()]
            is_hole = True
            while new:
                i, j = new.pop()
                is_hole &= 0 < i < self.height - 1 and 0 < j < self.breadth - 1
                for di, dj in BESIDE:
                    if (i + di, j + dj) in left:
                        left.remove((i + di, j + dj))
                        new.append((i + di, j + dj))
            n_holes += is_hole
        return n_holes


def _commonest(counts: Sequence[int], apart: Iterable[int] = ()) -> int:
    """The colour that is counted most, the lowest of several; none if all are 0."""
    best = NONE
    for color in range(10):
        if color not in apart and counts[color] > (0 if best == NONE else counts[best]):
            best = color
    return best


def _rarest(counts: Sequence[int], apart: Iterable[int] = ()) -> int:
    """The colour that is counted least, but not 0 times, the lowest of several."""
    best = NONE
    for color in range(10):
        if color not in apart and counts[color]:
            if best == NONE or counts[color] < counts[best]:
                best = color
    return best


def _count(colors: Iterable[int]) -> list[int]:
    """How often each colour, and none, is there."""
    counts = [0] * (NONE + 1)
    for color in colors:
        counts[color] += 1
    return counts


class _Columns:
    """The features of one grid."""

    def __init__(self, grid: Grid) -> None:
        self.n_rows, self.width = len(grid), len(grid[0])
        self.cells = [color for row in grid for color in row]
        self.counts = _count(self.cells)
        self.ground = _commonest(self.counts)
        self.features: list[CellFeature] = []
        self.columns: list[Column] = []
        self._own()
        self._around()
        self._looks()
        self._sights()
        self._mirrored()
        self._position()
        self._lines()
        self._counts()
        self._distances()
        self._boxes()
        for cut, words in enumerate(("one-colour part", "one-colour object", "object")):
            self._objects(cut, words)
        self._whole()

    def add(self, name: str, traits: int, simplicity: int, column: Column) -> None:
        if not traits & IS_COLOR:
            column = [min(int(number), MOST) for number in column]
        self.features.append(CellFeature(name, traits, simplicity))
        self.columns.append(column)

    def each(self, name: str, traits: int, simplicity: int, f: Callable[[int, int], int]) -> None:
        """Add what a function gives for each row and column."""
        column = [f(i, j) for i in range(self.n_rows) for j in range(self.width)]
        self.add(name, traits, simplicity, column)

    def at(self, i: int, j: int) -> int:
        inside = 0 <= i < self.n_rows and 0 <= j < self.width
        return self.cells[i * self.width + j] if inside else NONE

    def beside(self, k: int, directions: Sequence[tuple[int, int]]) -> list[int]:
        i, j = divmod(k, self.width)
        return [self.at(i + di, j + dj) for di, dj in directions]

    def _own(self) -> None:
        self.add("its own colour", PAINT, 16, self.cells)
        self.add("it is background", IS_FACT, 16, [color == self.ground for color in self.cells])

    def _around(self) -> None:
        for di in range(-2, 3):
            for dj in range(-2, 3):
                if (di, dj) == (0, 0):
                    continue
                near = (di, dj) in AROUND
                where = (
                    DIRECTION_NAMES[AROUND.index((di, dj))] + " of it"
                    if near
                    else f"{di:+d} rows, {dj:+d} columns from it"
                )
                seen = [
                    self.at(i + di, j + dj) for i in range(self.n_rows) for j in range(self.width)
                ]
                traits = (PAINT if near else SHADE) | TURNS
                self.add(f"the colour {where}", traits, 14 if near else 10, seen)
                if near:
                    same = [int(a == b) for a, b in zip(seen, self.cells, strict=True)]
                    self.add(f"its own colour is {where}", TURNS | IS_FACT, 12, same)
                    ground = [int(color == self.ground) for color in seen]
                    self.add(f"background is {where}", TURNS | IS_FACT, 12, ground)

    def _looks(self) -> None:
        """What is seen first in each direction but the own colour, and how far off."""
        n = len(self.cells)
        colors: list[Column] = []
        distances: list[Column] = []
        for (di, dj), name in zip(AROUND, DIRECTION_NAMES, strict=True):
            color, distance = [NONE] * n, [1] * n
            rows = range(self.n_rows) if di < 0 else range(self.n_rows - 1, -1, -1)
            places = range(self.width) if dj < 0 else range(self.width - 1, -1, -1)
            for i in rows:
                for j in places:
                    k = i * self.width + j
                    following = self.at(i + di, j + dj)
                    if following == self.cells[k]:
                        ahead = (i + di) * self.width + j + dj
                        color[k], distance[k] = color[ahead], distance[ahead] + 1
                    else:
                        color[k] = following
            colors.append(color)
            distances.append(distance)
            self.add(f"the first other colour {name} of it", SHADE | TURNS, 14, color)
            self.add(f"how far off another colour is {name} of it", TURNS, 10, distance)
            odd = [number % 2 for number in distance]
            self.add(f"another colour is an odd way {name} of it", TURNS | IS_FACT, 8, odd)
            edge = [int(number == NONE) for number in color]
            self.add(f"only its own colour is {name} of it", TURNS | IS_FACT, 12, edge)
        straight = [AROUND.index(step) for step in BESIDE]
        oblique = [AROUND.index(step) for step in CORNERS]
        for ways, words in ((straight, "straight"), (oblique, "oblique")):
            seen = [_count(colors[d][k] for d in ways) for k in range(n)]
            for c, name in enumerate(COLOR_NAMES):
                column = [counts[c] for counts in seen]
                self.add(f"how many {words} ways {name} is seen first", NAMES, 11, column)
            nothing = [counts[NONE] for counts in seen]
            self.add(f"how many {words} ways only its own colour is seen", 0, 11, nothing)
            far = [[distances[d][k] for d in ways] for k in range(n)]
            self.add(f"how near another colour is, {words}", 0, 9, [min(f) for f in far])
            self.add(f"how far another colour is, {words}", 0, 8, [max(f) for f in far])
        between = []
        for one, other, line in LINES:
            found = [a if a == b else NONE for a, b in zip(colors[one], colors[other], strict=True)]
            between.append(found)
            traits = (PAINT if len(between) <= 2 else SHADE) | TURNS
            self.add(f"the colour on both sides of it in its {line}", traits, 14, found)
            is_between = [int(color != NONE) for color in found]
            self.add(
                f"it is between two of a colour in its {line}", TURNS | IS_FACT, 12, is_between
            )
        for pair, words in ((between[:2], "row or column"), (between[2:], "diagonals")):
            found = [min(colors) for colors in zip(*pair, strict=True)]
            self.add(f"the colour on both sides of it in its {words}", PAINT, 13, found)
            number = [sum(c != NONE for c in colors) for colors in zip(*pair, strict=True)]
            self.add(f"how often it is between two of a colour in its {words}", 0, 11, number)

    def _sights(self) -> None:
        """What is seen first in each direction but background and the own colour."""
        self.sights: list[Column] = []
        for (di, dj), name in zip(AROUND, DIRECTION_NAMES, strict=True):
            found = []
            for k, own in enumerate(self.cells):
                i, j = divmod(k, self.width)
                color = own
                while color in (own, self.ground):
                    i, j = i + di, j + dj
                    color = self.at(i, j)
                found.append(color)
            self.sights.append(found)
            self.add(f"the colour seen {name} of it", PAINT | TURNS, 13, found)

    def _mirrored(self) -> None:
        last_row, last_column = self.n_rows - 1, self.width - 1
        images: tuple[tuple[str, int, Callable[[int, int], int]], ...] = (
            ("mirrored left to right", TURNS, lambda i, j: self.at(i, last_column - j)),
            ("mirrored top to bottom", TURNS, lambda i, j: self.at(last_row - i, j)),
            ("turned by half", 0, lambda i, j: self.at(last_row - i, last_column - j)),
            ("mirrored at the falling diagonal", TURNS, lambda i, j: self.at(j, i)),
            (
                "mirrored at the rising diagonal",
                TURNS,
                lambda i, j: self.at(last_column - j, last_row - i),
            ),
        )
        for words, turns, image in images:
            self.each(f"the colour there when the grid is {words}", PAINT | turns, 11, image)
            same = [int(a == b) for a, b in zip(self.columns[-1], self.cells, strict=True)]
            self.add(f"it is the same when the grid is {words}", turns | IS_FACT, 10, same)

    def _position(self) -> None:
        last_row, last_column = self.n_rows - 1, self.width - 1
        self.each("rows above it", TURNS, 10, lambda i, j: i)
        self.each("rows below it", TURNS, 10, lambda i, j: last_row - i)
        self.each("columns left of it", TURNS, 10, lambda i, j: j)
        self.each("columns right of it", TURNS, 10, lambda i, j: last_column - j)
        above = [i for i in range(self.n_rows) for _ in range(self.width)]
        left = [j for _ in range(self.n_rows) for j in range(self.width)]
        below, right = above[::-1], left[::-1]
        both = [i + j for i, j in zip(above, left, strict=True)]
        for m in (2, 3):
            for words, simplicity, numbers in (
                ("rows above it", 10, above),
                ("rows below it", 8, below),
                ("columns left of it", 10, left),
                ("columns right of it", 8, right),
                ("rows and columns", 10, both),
            ):
                column = [number % m for number in numbers]
                self.add(f"{words} modulo {m}", TURNS, simplicity, column)
        self.each("rows less columns modulo 3", TURNS, 9, lambda i, j: (i - j + 3 * self.width) % 3)
        edge: Callable[[int, int], int] = lambda i, j: min(i, j, last_row - i, last_column - j)  # noqa: E731
        self.each("its distance from the edge", 0, 12, edge)
        self.each("its distance from the edge is odd", IS_FACT, 10, lambda i, j: edge(i, j) % 2)
        self.each("its distance from top or bottom", TURNS, 9, lambda i, j: min(i, last_row - i))
        self.each("its distance from left or right", TURNS, 9, lambda i, j: min(j, last_column - j))
        self.each("it is on the falling diagonal", TURNS | IS_FACT, 10, lambda i, j: i == j)
        self.each(
            "it is on the rising diagonal", TURNS | IS_FACT, 10, lambda i, j: i + j == last_column
        )
        self.each("it is in the middle row", TURNS | IS_FACT, 9, lambda i, j: 2 * i == last_row)
        self.each(
            "it is in the middle column", TURNS | IS_FACT, 9, lambda i, j: 2 * j == last_column
        )
        is_square = last_row == last_column
        self.each(
            "how many diagonals of the square it is on",
            0,
            9,
            lambda i, j: is_square * ((i == j) + (i + j == last_column)),
        )
        self.each(
            "how many middle lines it is on",
            0,
            9,
            lambda i, j: (2 * i == last_row) + (2 * j == last_column),
        )

    def _lines(self) -> None:
        rows = [self.cells[i * self.width : (i + 1) * self.width] for i in range(self.n_rows)]
        lines = (rows, [list(column) for column in zip(*rows, strict=True)])
        counts = tuple([_count(line) for line in kind] for kind in lines)
        uniform = tuple(
            [int(max(found) == len(line)) for line, found in zip(*both, strict=True)]
            for both in zip(lines, counts, strict=True)
        )
        shown = tuple(
            [len(line) - found[self.ground] for line, found in zip(*both, strict=True)]
            for both in zip(lines, counts, strict=True)
        )

        def add(kind: int, name: str, traits: int, simplicity: int, of: Sequence[int]) -> None:
            words = f"its {('row', 'column')[kind]}"
            self.each(name.format(words), traits | TURNS, simplicity, lambda i, j: of[(i, j)[kind]])

        for kind in range(2):
            shown_in = [[c for c in line if c != self.ground] for line in lines[kind]]
            main = [_commonest(found, (self.ground,)) for found in counts[kind]]
            add(kind, "{} is of one colour", IS_FACT, 12, uniform[kind])
            add(kind, "the main colour of {} but background", PAINT, 11, main)
            add(
                kind,
                "the first colour in {} but background",
                PAINT,
                11,
                [line[0] if line else NONE for line in shown_in],
            )
            add(
                kind,
                "the last colour in {} but background",
                PAINT,
                11,
                [line[-1] if line else NONE for line in shown_in],
            )
            add(kind, "the colour where {} begins", SHADE, 11, [line[0] for line in lines[kind]])
            add(kind, "the colour where {} ends", SHADE, 11, [line[-1] for line in lines[kind]])
            add(kind, "how many cells of {} are not background", 0, 9, shown[kind])
            for c, name in enumerate(COLOR_NAMES):
                has = [int(found[c] > 0) for found in counts[kind]]
                add(kind, f"{{}} has {name}", NAMES | IS_FACT, 11, has)
        likeness = [sum(max(found) for found in kind) for kind in counts]
        kind = int(likeness[1] > likeness[0])
        alike = [_commonest(found) for found in counts[kind]]
        if likeness[0] == likeness[1]:
            alike = [NONE] * len(alike)
        name = "the main colour of its row, or of its column, whichever are more alike"
        self.each(name, PAINT, 9, lambda i, j: alike[(i, j)[kind]])
        of_rows, of_columns = uniform
        self.each(
            "how many of its row and column are of one colour",
            0,
            12,
            lambda i, j: of_rows[i] + of_columns[j],
        )
        in_rows, in_columns = counts
        for c, name in enumerate(COLOR_NAMES):
            column = [(a[c] > 0) + (b[c] > 0) for a in in_rows for b in in_columns]
            self.add(f"how many of its row and column have {name}", NAMES, 11, column)
        self.each(
            "cells but background in its row or column, the more",
            0,
            8,
            lambda i, j: max(shown[0][i], shown[1][j]),
        )
        self.each(
            "cells but background in its row or column, the fewer",
            0,
            8,
            lambda i, j: min(shown[0][i], shown[1][j]),
        )

    def _counts(self) -> None:
        for directions, words, simplicity in (
            (BESIDE, "beside it", 13),
            (CORNERS, "at its corners", 11),
            (AROUND, "around it", 12),
        ):
            found = [_count(self.beside(k, directions)) for k in range(len(self.cells))]
            for c, name in enumerate(COLOR_NAMES):
                column = [counts[c] for counts in found]
                self.add(f"how many {name} cells are {words}", NAMES, simplicity, column)
            own = list(zip(found, self.cells, strict=True))
            self.add(
                f"how many cells of its colour are {words}",
                0,
                12,
                [counts[color] for counts, color in own],
            )
            self.add(
                f"how many cells but background are {words}",
                0,
                12,
                [sum(counts[:NONE]) - counts[self.ground] for counts in found],
            )
            self.add(
                f"how many colours are {words}",
                0,
                9,
                [sum(number > 0 for number in counts[:NONE]) for counts in found],
            )
            traits = SHADE if directions is CORNERS else PAINT
            self.add(
                f"the commonest other colour {words} but background",
                traits,
                12,
                [_commonest(counts, (self.ground, color)) for counts, color in own],
            )

    def _spread(self, color: int, oblique: bool) -> Column:
        """How far the nearest cell of a colour is, straight or also obliquely."""
        far = self.n_rows + self.width  # more than any distance
        found = [0 if cell == color else far for cell in self.cells]
        before = AROUND[:4] if oblique else BESIDE[:2]
        for backward in (False, True):
            sign = -1 if backward else 1
            for k in range(len(found))[::sign]:
                i, j = divmod(k, self.width)
                for di, dj in before:
                    i2, j2 = i + sign * di, j + sign * dj
                    if 0 <= i2 < self.n_rows and 0 <= j2 < self.width:
                        found[k] = min(found[k], found[i2 * self.width + j2] + 1)
        return found

    def _distances(self) -> None:
        far = self.n_rows + self.width
        for oblique, words in ((False, "straight steps"), (True, "steps")):
            spread = [self._spread(color, oblique) for color in range(10)]
            for c, name in enumerate(COLOR_NAMES):
                column = [MOST if number == far else number for number in spread[c]]
                self.add(f"how many {words} from {name} it is", NAMES, 9, column)
            nearest, distance = [], []
            for k, own in enumerate(self.cells):
                others = [c for c in range(10) if c not in (self.ground, own)]
                number, color = min(((spread[c][k], c) for c in others), default=(far, NONE))
                nearest.append(NONE if number == far else color)
                distance.append(MOST if number == far else number)
            self.add(f"the nearest other colour but background by {words}", PAINT, 11, nearest)
            self.add(f"how many {words} it is from another colour but background", 0, 9, distance)
            odd = [number % 2 for number in distance]
            self.add(
                f"it is an odd number of {words} from another colour but background",
                IS_FACT,
                8,
                odd,
            )

    def _boxes(self) -> None:
        number = [0] * len(self.cells)
        for c, name in enumerate(COLOR_NAMES):
            places = [k for k, color in enumerate(self.cells) if color == c]
            inside = [0] * len(self.cells)
            if places:
                top, bottom, left, right = _Object(places, self.width, c).box
                for i in range(top, bottom + 1):
                    for j in range(left, right + 1):
                        inside[i * self.width + j] = 1
                        number[i * self.width + j] += c != self.ground
            self.add(f"it is within the box of {name}", NAMES | IS_FACT, 11, inside)
        self.add("within how many boxes of colours but background it is", 0, 8, number)

    def _cut(self, cut: int) -> list[_Object]:
        """The parts of the grid: 4-connected of one colour; 8-connected of one colour, or of
        all but background together, and of background 4-connected."""
        objects = []
        seen = [False] * len(self.cells)
        for start, color in enumerate(self.cells):
            if seen[start]:
                continue
            is_ground = color == self.ground
            directions = BESIDE if cut == 0 or is_ground else AROUND
            seen[start] = True
            found = [start]
            for k in found:
                i, j = divmod(k, self.width)
                for di, dj in directions:
                    other = self.at(i + di, j + dj)
                    if other == NONE:
                        continue
                    alike = other == color if cut < 2 or is_ground else other != self.ground
                    at = (i + di) * self.width + j + dj
                    if alike and not seen[at]:
                        seen[at] = True
                        found.append(at)
            main = _commonest(_count(self.cells[k] for k in found))
            objects.append(_Object(sorted(found), self.width, main))
        charge(sum(each.height * each.breadth for each in objects))
        return objects

    def _objects(self, cut: int, words: str) -> None:
        objects = self._cut(cut)
        of = [0] * len(self.cells)
        for number, each in enumerate(objects):
            for k in each.places:
                of[k] = number
        is_ground = [each.color == self.ground for each in objects]
        its = f"its {words}"

        def add(name: str, traits: int, simplicity: int, values: Sequence[int]) -> None:
            self.add(name, traits, simplicity, [values[number] for number in of])

        def among(keys: Sequence[object], give: Callable[[list[int]], Sequence[int]]) -> list[int]:
            """What is given for the parts that share a key, for each of them."""
            found = [0] * len(objects)
            for key in dict.fromkeys(keys):
                same = [n for n, other in enumerate(keys) if other == key]
                for n, value in zip(same, give(same), strict=True):
                    found[n] = value
            return found

        def rank(numbers: Sequence[int], falling: bool) -> Callable[[list[int]], list[int]]:
            return lambda same: ranks([numbers[n] for n in same], falling)

        def count(same: list[int]) -> list[int]:
            return [len(same)] * len(same)

        sizes = [each.size for each in objects]
        boxes = [each.box for each in objects]
        colors = [each.color for each in objects]
        heights = [each.height for each in objects]
        breadths = [each.breadth for each in objects]
        add(f"the size of {its}", 0, 10, sizes)
        add(f"the size of {its} is odd", IS_FACT, 7, [size % 2 for size in sizes])
        add(
            f"the rank by size of {its}, from the largest",
            0,
            12,
            among(is_ground, rank(sizes, True)),
        )
        add(
            f"the rank by size of {its}, from the smallest",
            0,
            12,
            among(is_ground, rank(sizes, False)),
        )
        add(
            f"the rank by size of {its} in its colour, from the largest",
            0,
            9,
            among(colors, rank(sizes, True)),
        )
        add(
            f"how many have the size of {its}",
            0,
            9,
            among(list(zip(is_ground, sizes, strict=True)), count),
        )
        shapes = [(ground, each.shape) for ground, each in zip(is_ground, objects, strict=True)]
        add(f"how many have the shape of {its}", 0, 10, among(shapes, count))
        add(f"how many have the colour of {its}", 0, 8, among(colors, count))
        add(f"the height of {its}", TURNS, 9, heights)
        add(f"the width of {its}", TURNS, 9, breadths)
        sides = list(zip(heights, breadths, strict=True))
        add(f"the longer side of {its}", 0, 9, [max(side) for side in sides])
        add(f"the shorter side of {its}", 0, 9, [min(side) for side in sides])
        add(
            f"{its} fills its box",
            IS_FACT,
            10,
            [int(h * w == size) for (h, w), size in zip(sides, sizes, strict=True)],
        )
        add(f"the box of {its} is a square", IS_FACT, 9, [int(h == w) for h, w in sides])
        add(f"how many holes {its} has", 0, 11, [each.n_holes for each in objects])
        on_edge = [
            int(top == 0 or left == 0 or bottom == self.n_rows - 1 or right == self.width - 1)
            for top, bottom, left, right in boxes
        ]
        add(f"{its} touches the edge", IS_FACT, 12, on_edge)
        ends = (0, self.n_rows - 1, 0, self.width - 1)
        for side, name in enumerate(("top", "bottom", "left edge", "right edge")):
            add(
                f"{its} touches the {name}",
                TURNS | IS_FACT,
                9,
                [int(b[side] == ends[side]) for b in boxes],
            )
        mirrors = [each.mirrors for each in objects]
        add(f"{its} is symmetric left to right", TURNS | IS_FACT, 8, [int(m[0]) for m in mirrors])
        add(f"{its} is symmetric top to bottom", TURNS | IS_FACT, 8, [int(m[1]) for m in mirrors])
        add(f"how many ways {its} is symmetric", 0, 8, [sum(m) for m in mirrors])
        for side, name, falling in (
            (0, "top", False),
            (1, "bottom", True),
            (2, "left", False),
            (3, "right", True),
        ):
            add(
                f"the rank of {its} from the {name}",
                TURNS,
                9,
                among(is_ground, rank([box[side] for box in boxes], falling)),
            )
        touched = [
            _count(
                self.at(k // self.width + di, k % self.width + dj)
                for k in each.places
                for di, dj in (AROUND if cut else BESIDE)
                if 0 <= k // self.width + di < self.n_rows
                and 0 <= k % self.width + dj < self.width
                and of[k + di * self.width + dj] != number
            )
            for number, each in enumerate(objects)
        ]
        for c, name in enumerate(COLOR_NAMES):
            add(
                f"{its} touches {name}",
                NAMES | IS_FACT,
                11,
                [int(counts[c] > 0) for counts in touched],
            )
        # Of what together is all but background that would be no other colour.
        traits = SHADE if cut == 2 else PAINT
        add(
            f"the colour but background that {its} touches most",
            traits,
            11,
            [_commonest(counts, (self.ground,)) for counts in touched],
        )
        add(
            f"how many colours {its} touches",
            0,
            8,
            [sum(number > 0 for number in counts[:NONE]) for counts in touched],
        )
        if cut == 2:
            inside = [_count(self.cells[k] for k in each.places) for each in objects]
            add(
                f"how many colours {its} has",
                0,
                10,
                [sum(number > 0 for number in counts) for counts in inside],
            )
            add(f"the commonest colour of {its}", PAINT, 11, [_commonest(c) for c in inside])
            add(f"the rarest colour of {its}", PAINT, 11, [_rarest(c) for c in inside])
        self._places(its, [boxes[number] for number in of], of, cut)
        if cut == 1:
            self._sighted(words, objects, of)
        if cut:
            self._enclosing(words, cut, [each for each in objects if each.color != self.ground])

    def _places(
        self, its: str, boxes: list[tuple[int, int, int, int]], of: list[int], cut: int
    ) -> None:
        """Where cells lie in their parts."""
        places = [divmod(k, self.width) for k in range(len(self.cells))]
        sides = [
            (i - top, bottom - i, j - left, right - j)
            for (i, j), (top, bottom, left, right) in zip(places, boxes, strict=True)
        ]
        for side, name in enumerate(("top", "bottom", "left side", "right side")):
            self.add(f"its distance from the {name} of {its}", TURNS, 9, [s[side] for s in sides])
        self.add(f"its distance from the box of {its}", 0, 10, [min(s) for s in sides])
        self.add(
            f"its distance from the box of {its} is odd", IS_FACT, 8, [min(s) % 2 for s in sides]
        )
        self.add(f"its row in {its} is odd", TURNS | IS_FACT, 7, [s[0] % 2 for s in sides])
        self.add(f"its column in {its} is odd", TURNS | IS_FACT, 7, [s[2] % 2 for s in sides])
        self.add(
            f"its row plus its column in {its} is odd",
            TURNS | IS_FACT,
            8,
            [(s[0] + s[2]) % 2 for s in sides],
        )
        self.add(
            f"how many middle lines of {its} it is on",
            0,
            8,
            [(s[0] == s[1]) + (s[2] == s[3]) for s in sides],
        )
        self.add(
            f"how many diagonals of {its} it is on",
            0,
            8,
            [
                (s[0] + s[1] == s[2] + s[3]) * ((s[0] == s[2]) + (s[0] == s[3]))  # of squares
                for s in sides
            ],
        )
        for directions, words in ((BESIDE, "beside"), (AROUND, "around")):
            number = []
            for k, (i, j) in enumerate(places):
                number.append(
                    sum(
                        self.at(i + di, j + dj) == NONE or of[k + di * self.width + dj] != of[k]
                        for di, dj in directions
                    )
                )
            self.add(f"how many places {words} it are not of {its}", 0, 10, number)
        if cut == 2:
            boxed = list(zip(places, boxes, strict=True))
            self.add(
                f"the colour there when {its} is mirrored left to right",
                PAINT | TURNS,
                9,
                [self.at(i, left + right - j) for (i, j), (_, _, left, right) in boxed],
            )
            self.add(
                f"the colour there when {its} is mirrored top to bottom",
                PAINT | TURNS,
                9,
                [self.at(top + bottom - i, j) for (i, j), (top, bottom, _, _) in boxed],
            )
            self.add(
                f"the colour there when {its} is turned by half",
                PAINT,
                9,
                [
                    self.at(top + bottom - i, left + right - j)
                    for (i, j), (top, bottom, left, right) in boxed
                ],
            )

    def _sighted(self, words: str, objects: list[_Object], of: list[int]) -> None:
        """What a cell sees of objects but background, and what its own object sees."""
        sizes = [0 if each.color == self.ground else each.size for each in objects]
        seen: list[Column] = []  # by direction: the object seen, or -1
        for (di, dj), sight in zip(AROUND, self.sights, strict=True):
            column = []
            for k, color in enumerate(sight):
                i, j = divmod(k, self.width)
                while color != NONE and self.at(i, j) != color:
                    i, j = i + di, j + dj
                column.append(-1 if color == NONE else of[i * self.width + j])
            seen.append(column)
        around = [
            [
                sizes[of[k + di * self.width + dj]]
                for (di, dj), color in zip(AROUND, self.beside(k, AROUND), strict=True)
                if color not in (NONE, self.ground) and of[k + di * self.width + dj] != of[k]
            ]
            for k in range(len(self.cells))
        ]
        self.add(
            f"the size of the largest other {words} around it",
            0,
            11,
            [max(found, default=0) for found in around],
        )
        self.add(
            f"the size of the smallest other {words} around it",
            0,
            10,
            [min(found, default=0) for found in around],
        )
        for step in BESIDE:
            d = AROUND.index(step)
            self.add(
                f"the size of the {words} seen {DIRECTION_NAMES[d]} of it",
                TURNS,
                9,
                [sizes[number] if number >= 0 else 0 for number in seen[d]],
            )
        less, more = [], []
        for k in range(len(self.cells)):
            ends = [(seen[one][k], seen[other][k]) for one, other, _ in LINES[:2]]
            pairs = [pair for pair in ends if min(pair) >= 0]
            found = min(
                (sorted((sizes[n], objects[n].color) for n in pair) for pair in pairs), default=[]
            )
            less.append(found[0][1] if found else NONE)
            more.append(found[1][1] if found else NONE)
        self.add(f"the colour of the smaller {words} that it is between", PAINT, 12, less)
        self.add(f"the colour of the larger {words} that it is between", PAINT, 12, more)
        for step in BESIDE:
            d = AROUND.index(step)
            main = [_commonest(_count(self.sights[d][k] for k in each.places)) for each in objects]
            self.add(
                f"the main colour that its {words} sees {DIRECTION_NAMES[d]} of it",
                PAINT | TURNS,
                10,
                [main[number] for number in of],
            )

    def _enclosing(self, words: str, cut: int, objects: list[_Object]) -> None:
        """The object of two cells or more with the smallest box, the first of several, around."""
        n = len(self.cells)
        color, ring, size, area = [NONE] * n, [MOST] * n, [0] * n, [n + 1] * n
        for each in objects:
            if each.size < 2:
                continue
            top, bottom, left, right = each.box
            for i in range(top, bottom + 1):
                for j in range(left, right + 1):
                    k = i * self.width + j
                    if each.height * each.breadth < area[k]:
                        area[k] = each.height * each.breadth
                        color[k], size[k] = each.color, each.size
                        ring[k] = min(i - top, bottom - i, j - left, right - j)
        box = f"{words} with the smallest box around it"
        self.add(f"it is within the box of a {words}", IS_FACT, 11, [int(c != NONE) for c in color])
        self.add(f"the colour of the {box}", PAINT if cut == 2 else SHADE, 10, color)
        self.add(f"its distance from the box of the {box}", 0, 9, ring)
        self.add(f"the size of the {box}", 0, 8, size)

    def _whole(self) -> None:
        n = len(self.cells)
        main, rare = _commonest(self.counts, (self.ground,)), _rarest(self.counts, (self.ground,))
        self.add("the background", PAINT, 9, [self.ground] * n)
        self.add("the main colour but background", PAINT, 8, [main] * n)
        self.add("the rarest colour but background", PAINT, 8, [rare] * n)
        self.add(
            "its colour is the main one but background", IS_FACT, 9, [c == main for c in self.cells]
        )
        self.add(
            "its colour is the rarest but background", IS_FACT, 9, [c == rare for c in self.cells]
        )


def columns_of(grid: Grid) -> list[Column]:
    """What each feature is in each cell of a grid of colours."""
    return _Columns(grid).columns


def _features() -> tuple[CellFeature, ...]:
    use_meter(Meter())
    return tuple(_Columns(((0,),)).features)


# In a context of its own: what is charged for here is nobody's.
FEATURES = copy_context().run(_features)
