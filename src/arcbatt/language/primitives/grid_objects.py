"""The objects of a grid, references between them, and their features; for `object_actions`.

`engine.table` writes the segmentations, references and features for the engine, by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

from ..values import Grid, Pair
from ..wording import COLOR_NAMES
from .color_grids import AROUND, BESIDE, size_of

# --- objects ---


class Segmentation(IntEnum):
    """Ways to cut a grid into objects; 4 and 8 are the numbers of neighbors of a cell."""

    ONE_COLOR_4 = 0
    ONE_COLOR_8 = 1
    ANY_COLORS_8 = 2
    WHOLE_COLOR = 3  # all cells of a color are one object
    EVERYTHING_4 = 4  # as ONE_COLOR_4, the background's parts too


N_SEGMENTATIONS = len(Segmentation)  # higher codes are the same, with 0 as the background


@dataclass(eq=False)
class GridObject:
    """An object of a grid."""

    number: int
    cells: list[Pair]  # row by row
    top: int
    left: int
    bottom: int
    right: int
    color: int  # its most common color, the lowest of several
    n_colors: int
    references: list[int] = field(default_factory=list)  # for each the number of an object, or -1

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

    def shares_rows(self, other: GridObject) -> bool:
        return self.top <= other.bottom and other.top <= self.bottom

    def shares_columns(self, other: GridObject) -> bool:
        return self.left <= other.right and other.left <= self.right

    def faces(self, other: GridObject) -> bool:
        """Return whether a straight line leads from one to the other."""
        return self.shares_rows(other) != self.shares_columns(other)

    def boxes(self, other: GridObject) -> bool:
        """Return whether the other's box lies in this one's."""
        return (
            self.top <= other.top
            and other.bottom <= self.bottom
            and self.left <= other.left
            and other.right <= self.right
        )

    def distance(self, other: GridObject) -> int:
        rows = max(0, other.top - self.bottom, self.top - other.bottom)
        columns = max(0, other.left - self.right, self.left - other.right)
        return rows + columns

    def has_shape_of(self, other: GridObject) -> bool:
        return self.shape == other.shape

    @property
    def shape(self) -> list[Pair]:
        return [(i - self.top, j - self.left) for i, j in self.cells]

    @cached_property
    def n_holes(self) -> int:
        """The number of its 4-connected holes."""
        left = set(holes_of(self))
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


@dataclass(eq=False)
class SegmentedGrid:
    """A grid, its background, and its objects in the order of their first cells."""

    grid: Grid
    background: int
    labels: list[list[int]]  # the number of each cell's object; -1 for the background
    objects: list[GridObject]

    def has(self, i: int, j: int) -> bool:
        return 0 <= i < len(self.grid) and 0 <= j < len(self.grid[0])


def background_of(grid: Grid, segmentation: int) -> int:
    """Return the most common color, the lowest of several; 0 for the higher segmentations."""
    if segmentation >= N_SEGMENTATIONS:
        return 0
    counts = Counter(cell for row in grid for cell in row)
    return min(counts, key=lambda color: (-counts[color], color))


def segment(grid: Grid, segmentation: int) -> SegmentedGrid:
    """Cut a grid into objects."""
    how = segmentation % N_SEGMENTATIONS
    background = background_of(grid, segmentation)
    n_rows, n_columns = size_of(grid)
    labels = [[-1] * n_columns for _ in grid]
    is_straight = how in (Segmentation.ONE_COLOR_4, Segmentation.EVERYTHING_4)
    steps = BESIDE if is_straight else AROUND
    n = 0
    for i in range(n_rows):
        for j in range(n_columns):
            color = grid[i][j]
            if labels[i][j] >= 0 or (color == background and how != Segmentation.EVERYTHING_4):
                continue
            if how == Segmentation.WHOLE_COLOR:
                for k in range(n_rows):
                    for m in range(n_columns):
                        if grid[k][m] == color:
                            labels[k][m] = n
            else:
                labels[i][j] = n
                new = [(i, j)]
                while new:
                    here = new.pop()
                    for di, dj in steps:
                        k, m = here[0] + di, here[1] + dj
                        if not (0 <= k < n_rows and 0 <= m < n_columns) or labels[k][m] >= 0:
                            continue
                        other = grid[k][m]
                        if (
                            other != background
                            if how == Segmentation.ANY_COLORS_8
                            else other == color
                        ):
                            labels[k][m] = n
                            new.append((k, m))
            n += 1
    cells: list[list[Pair]] = [[] for _ in range(n)]
    for i in range(n_rows):
        for j in range(n_columns):
            if labels[i][j] >= 0:
                cells[labels[i][j]].append((i, j))
    objects = []
    for number, own in enumerate(cells):
        counts = Counter(grid[i][j] for i, j in own)
        rows, columns = [i for i, _ in own], [j for _, j in own]
        objects.append(
            GridObject(
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
    return SegmentedGrid(grid, background, labels, objects)


# --- references ---

_Relation: TypeAlias = Callable[[GridObject, GridObject], bool]
_Order: TypeAlias = Callable[[GridObject], int]


@dataclass(frozen=True)
class Reference:
    """A name for another object: which may be meant, and the order that decides between them.

    The lowest number comes first, then the nearest object, then the first.
    """

    name: str
    phrase: str
    relation: _Relation
    order: _Order = lambda other: 0


REFERENCES = (
    Reference("LARGEST", "the largest other", lambda own, other: True, lambda o: -o.size),
    Reference("SMALLEST", "the smallest other", lambda own, other: True, lambda o: o.size),
    Reference("NEAREST", "the nearest", lambda own, other: True),
    Reference(
        "NEAREST_OF_COLOR", "the nearest of its color", lambda own, other: own.color == other.color
    ),
    Reference(
        "NEAREST_OF_OTHER_COLOR",
        "the nearest of another color",
        lambda own, other: own.color != other.color,
    ),
    Reference(
        "ABOVE",
        "the nearest above",
        lambda own, other: own.shares_columns(other) and other.bottom < own.top,
    ),
    Reference(
        "BELOW",
        "the nearest below",
        lambda own, other: own.shares_columns(other) and other.top > own.bottom,
    ),
    Reference(
        "TO_THE_LEFT",
        "the nearest to the left",
        lambda own, other: own.shares_rows(other) and other.right < own.left,
    ),
    Reference(
        "TO_THE_RIGHT",
        "the nearest to the right",
        lambda own, other: own.shares_rows(other) and other.left > own.right,
    ),
    Reference(
        "IN_LINE",
        "the nearest in its rows or columns",
        lambda own, other: own.shares_rows(other) or own.shares_columns(other),
    ),
    Reference(
        "AROUND_IT",
        "the smallest around it",
        lambda own, other: other.boxes(own),
        lambda o: o.area,
    ),
    Reference(
        "WITHIN_IT",
        "the largest within it",
        lambda own, other: own.boxes(other),
        lambda o: -o.area,
    ),
    Reference(
        "NEAREST_OF_SHAPE", "the nearest of its shape", lambda own, other: own.has_shape_of(other)
    ),
    Reference(
        "LARGEST_OF_COLOR",
        "the largest of its color",
        lambda own, other: own.color == other.color,
        lambda o: -o.size,
    ),
    *(
        Reference(
            f"NEAREST_COLOR_{color}",
            f"the nearest {COLOR_NAMES[color]} one",
            lambda own, other, c=color: other.color == c,  # type: ignore[misc]
        )
        for color in range(10)
    ),
)
N_REFERENCES = len(REFERENCES)
_NUMBERS = {reference.name: number for number, reference in enumerate(REFERENCES)}


def find_references(grid: SegmentedGrid) -> None:
    """Find the objects that each object's references stand for."""
    for own in grid.objects:
        own.references = []
        for kind in REFERENCES:
            candidates = [
                (kind.order(other), own.distance(other), other.number)
                for other in grid.objects
                if other is not own and kind.relation(own, other)
            ]
            own.references.append(min(candidates)[2] if candidates else -1)


# --- features ---


def turned(own: GridObject, i: int, j: int, turn: int) -> Pair:
    """Return where a cell goes; a turn of 4 or more needs a square box."""
    i, j = i - own.top, j - own.left
    if turn & 1:
        i = own.height - 1 - i
    if turn & 2:
        j = own.width - 1 - j
    if turn & 4:
        i, j = j, i
    return own.top + i, own.left + j


def holes_of(own: GridObject) -> list[Pair]:
    """Return the places of its box that cannot be reached from the edge of the box."""
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


def _is_symmetric(grid: SegmentedGrid, own: GridObject, turn: int) -> bool:
    for i, j in own.cells:
        k, m = turned(own, i, j, turn)
        if grid.labels[k][m] != own.number or grid.grid[k][m] != grid.grid[i][j]:
            return False
    return True


def _touches_another(grid: SegmentedGrid, own: GridObject) -> int:
    for i, j in own.cells:
        for di, dj in AROUND:
            if grid.has(i + di, j + dj) and grid.labels[i + di][j + dj] not in (-1, own.number):
                return 1
    return 0


def _at_edges(grid: SegmentedGrid, own: GridObject) -> tuple[bool, bool, bool, bool]:
    """Return whether it touches the top, the bottom, the left and the right of the grid."""
    last_row, last_column = len(grid.grid) - 1, len(grid.grid[0]) - 1
    return own.top == 0, own.bottom == last_row, own.left == 0, own.right == last_column


_Measure: TypeAlias = Callable[[SegmentedGrid, GridObject], int]


def _of(measure: Callable[[GridObject], int]) -> _Measure:
    return lambda grid, own: measure(own)


def _has(reference: str) -> _Measure:
    return lambda grid, own: own.references[_NUMBERS[reference]] >= 0


def _color_of(reference: str) -> _Measure:
    """Return the measure of a referenced object's color, -1 if there is none."""

    def measure(grid: SegmentedGrid, own: GridObject) -> int:
        number = own.references[_NUMBERS[reference]]
        return grid.objects[number].color if number >= 0 else -1

    return measure


def _by_largest(relation: _Relation) -> _Measure:
    """Return the measure of whether a relation with the largest other holds."""

    def measure(grid: SegmentedGrid, own: GridObject) -> int:
        number = own.references[_NUMBERS["LARGEST"]]
        return number >= 0 and relation(own, grid.objects[number])

    return measure


def _count(relation: _Relation) -> _Measure:
    """Return the measure of the number of others with which a relation holds."""
    return lambda grid, own: sum(relation(own, other) for other in grid.objects if other is not own)


def _any(relation: _Relation) -> _Measure:
    return lambda grid, own: _count(relation)(grid, own) > 0


def _rank(of: Callable[[GridObject], int], falling: bool = False) -> _Measure:
    """Return the measure of the number of distinct lower values, higher ones if falling."""

    def measure(grid: SegmentedGrid, own: GridObject) -> int:
        values = {of(each) for each in grid.objects}
        return sum(value > of(own) if falling else value < of(own) for value in values)

    return measure


@dataclass(frozen=True)
class Feature:
    """A number that describes an object; a counted one is also compared by "at least"."""

    name: str
    phrase: str
    measure: _Measure
    is_counted: bool = False


FEATURES = (
    Feature("COLOR", "its color", _of(lambda own: own.color)),
    Feature("SIZE", "its size", _of(lambda own: own.size), is_counted=True),
    Feature(
        "SIZE_RANK_FROM_LARGEST",
        "it is the {}largest",
        _rank(lambda own: own.size, falling=True),
    ),
    Feature("SIZE_RANK_FROM_SMALLEST", "it is the {}smallest", _rank(lambda own: own.size)),
    Feature("IS_ONE_CELL", "it is a single cell", _of(lambda own: own.size == 1)),
    Feature("TOUCHES_EDGE", "it touches the edge", lambda grid, own: any(_at_edges(grid, own))),
    Feature("N_HOLES", "the number of its holes", _of(lambda own: own.n_holes), is_counted=True),
    Feature(
        "HAS_LARGER_OF_COLOR",
        "there is a larger one of its color",
        _any(lambda own, other: own.color == other.color and own.size < other.size),
    ),
    Feature(
        "N_OF_SHAPE",
        "the number of others of its shape",
        _count(lambda own, other: own.has_shape_of(other)),
        is_counted=True,
    ),
    Feature(
        "N_OF_COLOR",
        "the number of others of its color",
        _count(lambda own, other: own.color == other.color),
        is_counted=True,
    ),
    Feature("HAS_AROUND", "there is another around it", _has("AROUND_IT")),
    Feature("HAS_WITHIN", "there is another within it", _has("WITHIN_IT")),
    Feature("TOUCHES_ANOTHER", "it touches another", _touches_another),
    Feature("N_COLORS", "the number of its colors", _of(lambda own: own.n_colors), is_counted=True),
    Feature("HEIGHT", "its height", _of(lambda own: own.height), is_counted=True),
    Feature("WIDTH", "its width", _of(lambda own: own.width), is_counted=True),
    Feature("FILLS_BOX", "it fills its box", _of(lambda own: own.size == own.area)),
    Feature("IS_TALL", "it is taller than wide", _of(lambda own: own.height > own.width)),
    Feature("IS_SQUARE", "its box is a square", _of(lambda own: own.height == own.width)),
    Feature(
        "IS_SYMMETRIC_SIDEWAYS",
        "it is its own mirror image, left to right",
        lambda grid, own: _is_symmetric(grid, own, 2),
    ),
    Feature(
        "IS_SYMMETRIC_UPRIGHT",
        "it is its own mirror image, top to bottom",
        lambda grid, own: _is_symmetric(grid, own, 1),
    ),
    Feature(
        "SHARES_ROWS_WITH_LARGEST",
        "it shares rows with the largest other",
        _by_largest(lambda own, other: own.shares_rows(other)),
    ),
    Feature(
        "SHARES_COLUMNS_WITH_LARGEST",
        "it shares columns with the largest other",
        _by_largest(lambda own, other: own.shares_columns(other)),
    ),
    Feature("HAS_ABOVE", "there is another above it", _has("ABOVE")),
    Feature("HAS_BELOW", "there is another below it", _has("BELOW")),
    Feature("HAS_LEFT", "there is another to its left", _has("TO_THE_LEFT")),
    Feature("HAS_RIGHT", "there is another to its right", _has("TO_THE_RIGHT")),
    Feature("AT_TOP", "it touches the upper edge", lambda grid, own: _at_edges(grid, own)[0]),
    Feature("AT_BOTTOM", "it touches the lower edge", lambda grid, own: _at_edges(grid, own)[1]),
    Feature("AT_LEFT", "it touches the left edge", lambda grid, own: _at_edges(grid, own)[2]),
    Feature("AT_RIGHT", "it touches the right edge", lambda grid, own: _at_edges(grid, own)[3]),
    Feature(
        "HEIGHT_RANK",
        "it is the {}tallest",
        _rank(lambda own: own.height, falling=True),
    ),
    Feature("WIDTH_RANK", "it is the {}widest", _rank(lambda own: own.width, falling=True)),
    Feature("HOLES_RANK", "it has the {}most holes", _rank(lambda own: own.n_holes, falling=True)),
    Feature("RANK_FROM_TOP", "its top is the {}highest", _rank(lambda own: own.top)),
    Feature(
        "RANK_FROM_BOTTOM",
        "its bottom is the {}lowest",
        _rank(lambda own: own.bottom, falling=True),
    ),
    Feature("RANK_FROM_LEFT", "its left side is the {}leftmost", _rank(lambda own: own.left)),
    Feature(
        "RANK_FROM_RIGHT",
        "its right side is the {}rightmost",
        _rank(lambda own: own.right, falling=True),
    ),
    Feature("SIZE_IS_ODD", "its size is odd", _of(lambda own: own.size % 2)),
    Feature(
        "HAS_COLOR_OF_LARGEST",
        "its color is that of the largest other",
        _by_largest(lambda own, other: own.color == other.color),
    ),
    Feature(
        "FACES_LARGEST",
        "it lies in line with the largest other",
        _by_largest(lambda own, other: own.faces(other)),
    ),
    Feature("COLOR_OF_NEAREST", "the color of the nearest", _color_of("NEAREST")),
    Feature("COLOR_AROUND", "the color of the object around it", _color_of("AROUND_IT")),
    Feature("COLOR_WITHIN", "the color of the object within it", _color_of("WITHIN_IT")),
)
N_FEATURES = len(FEATURES)


def describe_objects(grid: SegmentedGrid) -> list[list[int]]:
    """Return for each object the number of each feature."""
    return [[int(feature.measure(grid, own)) for feature in FEATURES] for own in grid.objects]
