"""The objects of a grid, other objects by name, and what objects are like; for `object_actions`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from ..values import Grid, Pair
from .observations import AROUND, BESIDE, size_of

# --- objects ---

BY_COLOR_4, BY_COLOR_8, TOGETHER_8, BY_COLOR, ALL_4 = range(5)
N_SEGMENTATIONS = 5  # from here on the same, with 0 as the background


@dataclass(eq=False)
class Thing:
    """An object of a grid."""

    number: int
    cells: list[Pair]  # row by row
    top: int
    left: int
    bottom: int
    right: int
    color: int  # the commonest of its colours, the lowest of several
    n_colors: int
    references: list[int] = field(default_factory=list)  # for each name a number, or -1

    @property
    def size(self) -> int:
        return len(self.cells)

    @property
    def height(self) -> int:
        return self.bottom - self.top + 1

    @property
    def width(self) -> int:
        return self.right - self.left + 1

    @property
    def area(self) -> int:
        return self.height * self.width

    def has_rows_of(self, other: Thing) -> bool:
        return self.top <= other.bottom and other.top <= self.bottom

    def has_columns_of(self, other: Thing) -> bool:
        return self.left <= other.right and other.left <= self.right

    def faces(self, other: Thing) -> bool:
        """Whether a straight line leads from one to the other."""
        return self.has_rows_of(other) != self.has_columns_of(other)

    def boxes(self, other: Thing) -> bool:
        """Whether the other's box lies in this one's."""
        return (
            self.top <= other.top
            and other.bottom <= self.bottom
            and self.left <= other.left
            and other.right <= self.right
        )

    def distance(self, other: Thing) -> int:
        rows = max(0, other.top - self.bottom, self.top - other.bottom)
        columns = max(0, other.left - self.right, self.left - other.right)
        return rows + columns

    def is_twin(self, other: Thing) -> bool:
        return self.shape == other.shape

    @property
    def shape(self) -> list[Pair]:
        return [(i - self.top, j - self.left) for i, j in self.cells]


@dataclass(eq=False)
class Stage:
    """A grid, its background, and its objects in the order of their first cells."""

    grid: Grid
    background: int
    labels: list[list[int]]  # whose number each cell has; -1 is the background
    things: list[Thing]

    def has(self, i: int, j: int) -> bool:
        return 0 <= i < len(self.grid) and 0 <= j < len(self.grid[0])


def background_of(grid: Grid, segments: int) -> int:
    """The commonest colour, the lowest of several; or 0."""
    if segments >= N_SEGMENTATIONS:
        return 0
    counts = Counter(cell for row in grid for cell in row)
    return min(counts, key=lambda color: (-counts[color], color))


def stage_of(grid: Grid, segments: int) -> Stage:
    how = segments % N_SEGMENTATIONS
    background = background_of(grid, segments)
    n_rows, n_columns = size_of(grid)
    labels = [[-1] * n_columns for _ in grid]
    n = 0
    for i in range(n_rows):
        for j in range(n_columns):
            color = grid[i][j]
            if labels[i][j] >= 0 or (color == background and how != ALL_4):
                continue
            if how == BY_COLOR:
                for k in range(n_rows):
                    for m in range(n_columns):
                        if grid[k][m] == color:
                            labels[k][m] = n
            else:
                labels[i][j] = n
                new = [(i, j)]
                while new:
                    here = new.pop()
                    for di, dj in BESIDE if how in (BY_COLOR_4, ALL_4) else AROUND:
                        k, m = here[0] + di, here[1] + dj
                        if not (0 <= k < n_rows and 0 <= m < n_columns) or labels[k][m] >= 0:
                            continue
                        other = grid[k][m]
                        if other != background if how == TOGETHER_8 else other == color:
                            labels[k][m] = n
                            new.append((k, m))
            n += 1
    cells: list[list[Pair]] = [[] for _ in range(n)]
    for i in range(n_rows):
        for j in range(n_columns):
            if labels[i][j] >= 0:
                cells[labels[i][j]].append((i, j))
    things = []
    for number, own in enumerate(cells):
        counts = Counter(grid[i][j] for i, j in own)
        rows, columns = [i for i, _ in own], [j for _, j in own]
        things.append(
            Thing(
                number,
                own,
                min(rows),
                min(columns),
                max(rows),
                max(columns),
                min(counts, key=lambda color: (-counts[color], color)),
                len(counts),
            )
        )
    return Stage(grid, background, labels, things)


# --- other objects by name ---

_Relation: TypeAlias = Callable[[Thing, Thing], bool]
_Order: TypeAlias = Callable[[Thing], int]

# For each name: which others it may be, and what comes first among them; then the nearest, then
# the first.
REFERENCES: tuple[tuple[str, _Relation, _Order], ...] = (
    ("the largest other", lambda own, other: True, lambda other: -other.size),
    ("the smallest other", lambda own, other: True, lambda other: other.size),
    ("the nearest", lambda own, other: True, lambda other: 0),
    ("the nearest of its colour", lambda own, other: own.color == other.color, lambda other: 0),
    ("the nearest of another colour", lambda own, other: own.color != other.color, lambda o: 0),
    (
        "the nearest above",
        lambda own, other: own.has_columns_of(other) and other.bottom < own.top,
        lambda other: 0,
    ),
    (
        "the nearest below",
        lambda own, other: own.has_columns_of(other) and other.top > own.bottom,
        lambda other: 0,
    ),
    (
        "the nearest to the left",
        lambda own, other: own.has_rows_of(other) and other.right < own.left,
        lambda other: 0,
    ),
    (
        "the nearest to the right",
        lambda own, other: own.has_rows_of(other) and other.left > own.right,
        lambda other: 0,
    ),
    (
        "the nearest in its rows or columns",
        lambda own, other: own.has_rows_of(other) or own.has_columns_of(other),
        lambda other: 0,
    ),
    ("the smallest around it", lambda own, other: other.boxes(own), lambda other: other.area),
    ("the largest within it", lambda own, other: own.boxes(other), lambda other: -other.area),
    ("the nearest of its shape", lambda own, other: own.is_twin(other), lambda other: 0),
    (
        "the largest of its colour",
        lambda own, other: own.color == other.color,
        lambda other: -other.size,
    ),
    *(
        (
            f"the nearest of colour {color}",
            lambda own, other, c=color: other.color == c,
            lambda o: 0,
        )
        for color in range(10)
    ),
)
LARGEST, NEAREST, UPWARD, AROUND_IT, WITHIN_IT = 0, 2, 5, 10, 11
N_REFERENCES = len(REFERENCES)


def refer(stage: Stage) -> None:
    """Find the others that names stand for."""
    for own in stage.things:
        own.references = []
        for _, relation, order in REFERENCES:
            found = [
                (order(other), own.distance(other), other.number)
                for other in stage.things
                if other is not own and relation(own, other)
            ]
            own.references.append(min(found)[2] if found else -1)


# --- what objects are like ---


def turned(own: Thing, i: int, j: int, turn: int) -> Pair:
    """Where a cell goes; a turn of 4 and more wants a square box."""
    i, j = i - own.top, j - own.left
    if turn & 1:
        i = own.height - 1 - i
    if turn & 2:
        j = own.width - 1 - j
    if turn & 4:
        i, j = j, i
    return own.top + i, own.left + j


def holes_of(own: Thing) -> list[Pair]:
    """The places of its box that the box's edge does not reach past the object."""
    mine = set(own.cells)
    seen: set[Pair] = set()
    box = [(i, j) for i in range(own.top, own.bottom + 1) for j in range(own.left, own.right + 1)]
    new = [
        (i, j)
        for i, j in box
        if (i in (own.top, own.bottom) or j in (own.left, own.right)) and (i, j) not in mine
    ]
    seen.update(new)
    while new:
        i, j = new.pop()
        for di, dj in BESIDE:
            place = (i + di, j + dj)
            inside = own.top <= place[0] <= own.bottom and own.left <= place[1] <= own.right
            if inside and place not in mine and place not in seen:
                seen.add(place)
                new.append(place)
    return [place for place in box if place not in mine and place not in seen]


def _mirrors(stage: Stage, own: Thing, turn: int) -> int:
    for i, j in own.cells:
        k, m = turned(own, i, j, turn)
        if stage.labels[k][m] != own.number or stage.grid[k][m] != stage.grid[i][j]:
            return 0
    return 1


def _n_holes(own: Thing) -> int:
    """How many 4-connected holes it has."""
    left = set(holes_of(own))
    n = 0
    while left:
        n += 1
        new = [left.pop()]
        while new:
            i, j = new.pop()
            for di, dj in BESIDE:
                if (i + di, j + dj) in left:
                    left.remove((i + di, j + dj))
                    new.append((i + di, j + dj))
    return n


def _touches(stage: Stage, own: Thing) -> int:
    for i, j in own.cells:
        for di, dj in AROUND:
            if stage.has(i + di, j + dj) and stage.labels[i + di][j + dj] not in (-1, own.number):
                return 1
    return 0


def _rank(stage: Stage, number: int, measure: Callable[[Thing], int], falling: bool) -> int:
    """How many distinct numbers are less, or, falling, greater."""
    numbers = {measure(thing) for thing in stage.things}
    return sum(other > number if falling else other < number for other in numbers)


# Names of features; what is counted is also compared by "at least".
FEATURES: tuple[tuple[str, bool], ...] = (
    ("its colour", False),
    ("its size", True),
    ("its rank by size, the largest 0", False),
    ("its rank by size, the smallest 0", False),
    ("it is a single cell", False),
    ("it touches the edge", False),
    ("how many holes it has", True),
    ("there is a larger one of its colour", False),
    ("how many others have its shape", True),
    ("how many others have its colour", True),
    ("something lies around it", False),
    ("something lies within it", False),
    ("it touches another", False),
    ("how many colours it has", True),
    ("its height", True),
    ("its width", True),
    ("it fills its box", False),
    ("it is higher than wide", False),
    ("its box is a square", False),
    ("it is its own mirror image, left to right", False),
    ("it is its own mirror image, top to bottom", False),
    ("it shares rows with the largest other", False),
    ("it shares columns with the largest other", False),
    ("there is another above it", False),
    ("there is another below it", False),
    ("there is another to its left", False),
    ("there is another to its right", False),
    ("it touches the upper edge", False),
    ("it touches the lower edge", False),
    ("it touches the left edge", False),
    ("it touches the right edge", False),
    ("its rank by height, the highest 0", False),
    ("its rank by width, the widest 0", False),
    ("its rank by holes, the most 0", False),
    ("its rank from the top", False),
    ("its rank from the bottom", False),
    ("its rank from the left", False),
    ("its rank from the right", False),
    ("its size is odd", False),
    ("its colour is that of the largest other", False),
    ("it lies in line with the largest other", False),
    ("the colour of the nearest", False),
    ("the colour of what lies around it", False),
    ("the colour of what lies within it", False),
)
N_FEATURES = len(FEATURES)


def features_of(stage: Stage) -> list[list[int]]:
    """For each object a number for each feature."""
    things = stage.things
    holes = {thing.number: _n_holes(thing) for thing in things}
    last_row, last_column = len(stage.grid) - 1, len(stage.grid[0]) - 1

    def describe(own: Thing) -> list[int]:
        others = [other for other in things if other is not own]
        largest = things[own.references[LARGEST]] if others else None
        edges = [
            int(own.top == 0),
            int(own.bottom == last_row),
            int(own.left == 0),
            int(own.right == last_column),
        ]
        return [
            own.color,
            own.size,
            _rank(stage, own.size, lambda thing: thing.size, True),
            _rank(stage, own.size, lambda thing: thing.size, False),
            int(own.size == 1),
            max(edges),
            holes[own.number],
            int(any(other.color == own.color and other.size > own.size for other in others)),
            sum(own.is_twin(other) for other in others),
            sum(other.color == own.color for other in others),
            int(own.references[AROUND_IT] >= 0),
            int(own.references[WITHIN_IT] >= 0),
            _touches(stage, own),
            own.n_colors,
            own.height,
            own.width,
            int(own.size == own.area),
            int(own.height > own.width),
            int(own.height == own.width),
            _mirrors(stage, own, 2),
            _mirrors(stage, own, 1),
            int(largest is not None and own.has_rows_of(largest)),
            int(largest is not None and own.has_columns_of(largest)),
            *(int(own.references[UPWARD + k] >= 0) for k in range(4)),
            *edges,
            _rank(stage, own.height, lambda thing: thing.height, True),
            _rank(stage, own.width, lambda thing: thing.width, True),
            _rank(stage, holes[own.number], lambda thing: holes[thing.number], True),
            _rank(stage, own.top, lambda thing: thing.top, False),
            _rank(stage, own.bottom, lambda thing: thing.bottom, True),
            _rank(stage, own.left, lambda thing: thing.left, False),
            _rank(stage, own.right, lambda thing: thing.right, True),
            own.size % 2,
            int(largest is not None and own.color == largest.color),
            int(largest is not None and own.faces(largest)),
            *(
                things[own.references[name]].color if own.references[name] >= 0 else -1
                for name in (NEAREST, AROUND_IT, WITHIN_IT)
            ),
        ]

    return [describe(own) for own in things]
