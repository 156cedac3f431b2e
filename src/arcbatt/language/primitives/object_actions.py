"""What becomes of a grid's objects, learnt from the demos as a small tree over actions.

`learn_actions` gives the rules as numbers, which depend on the demos alone; `apply_actions` does to
a grid's objects what the rules say. `describe_actions` says in words what rules mean.

Rules are the segmentation, followed by nodes of four numbers each, the first of them the root. A
question is `feature, comparison, value, place of the node if not`; the node if so comes next. An
action is `-1, what, paint, copies`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ..budget import charge
from ..domains import AnyTuple, Demos, Grid, Number
from ..failure import empty, out_of_range, wrong_type
from ..registry import primitive
from ..values import Pair, Value, is_number
from .learning import AROUND, BESIDE, CORNERS, Pairs, check_colors, size_of

# --- objects ---

BY_COLOR_4, BY_COLOR_8, TOGETHER_8, BY_COLOR = range(4)
N_SEGMENTATIONS = 4  # from here on the same, with 0 as the background
MAX_OBJECTS = 64  # of a grid
MAX_OBJECTS_IN_ALL = 512

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
DIRECTIONS = (UP, DOWN, LEFT, RIGHT)


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
            if labels[i][j] >= 0 or color == background:
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
                    for di, dj in BESIDE if how == BY_COLOR_4 else AROUND:
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


# --- what is drawn ---

STAY, VANISH, BLOCKED, TO_EDGE, BY_SIZE, TURN = 0, 1, 2, 6, 10, 14
HOLES, BOX, RING, RAYS, DIAGONALS, THROUGH, JOIN, JOIN_OWN, TO_OTHER = (
    21,
    22,
    23,
    24,
    31,
    36,
    43,
    44,
    45,
)
(
    TOWARDS,
    AWAY,
    TOP,
    BOTTOM,
    LEFT_SIDE,
    RIGHT_SIDE,
    MIDDLE_ROW,
    MIDDLE_COLUMN,
    ONTO,
    CENTER,
    OVER_SIDEWAYS,
    OVER_UPRIGHT,
    OVER_BOTH,
    LINE,
) = range(14)
N_WAYS = 14
BY_CONSTANT = TO_OTHER + N_REFERENCES * N_WAYS
MAX_STEP = 15
N_WHATS = BY_CONSTANT + (2 * MAX_STEP + 1) ** 2

MAX_CROOKED_STEP = 4  # rows and columns at once


def _constant(down: int, along: int) -> int:
    return BY_CONSTANT + (down + MAX_STEP) * (2 * MAX_STEP + 1) + along + MAX_STEP


# What is tried, in this order.
TRIED = (
    *range(TO_OTHER),
    *(
        _constant(down, along)
        for down in range(-MAX_STEP, MAX_STEP + 1)
        for along in range(-MAX_STEP, MAX_STEP + 1)
        if (down == 0) != (along == 0) or 0 < max(abs(down), abs(along)) <= MAX_CROOKED_STEP
    ),
    *range(TO_OTHER, BY_CONSTANT),
)
# Sets of directions that rays are drawn in.
_RAY_SETS = ((UP,), (DOWN,), (LEFT,), (RIGHT,), (LEFT, RIGHT), (UP, DOWN), DIRECTIONS)
_DIAGONAL_SETS = (*((corner,) for corner in CORNERS), CORNERS)

OWN, OF_COLOR, OF_OTHER = 0, 1, 11
N_PAINTS = OF_OTHER + N_REFERENCES


def is_addition(what: int) -> bool:
    """Whether something is drawn beside the object, on the background, which stays."""
    if HOLES <= what < TO_OTHER:
        return True
    return TO_OTHER <= what < BY_CONSTANT and (what - TO_OTHER) % N_WAYS == LINE


def reference_of(what: int) -> int:
    return (what - TO_OTHER) // N_WAYS if TO_OTHER <= what < BY_CONSTANT else -1


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _heading(own: Thing, other: Thing) -> Pair:
    """The direction in which another lies, (0, 0) where boxes overlap."""
    down = 0 if own.has_rows_of(other) else _sign(other.top - own.top)
    along = 0 if own.has_columns_of(other) else _sign(other.left - own.left)
    return down, along


def _n_free(stage: Stage, own: Thing, direction: Pair) -> int:
    """How many steps an object can go until another or the edge is in its way."""
    n = 0
    while True:
        n += 1
        for i, j in own.cells:
            k, m = i + n * direction[0], j + n * direction[1]
            if not stage.has(k, m) or stage.labels[k][m] not in (-1, own.number):
                return n - 1


def _n_to(stage: Stage, own: Thing, other: Thing, direction: Pair) -> int:
    """How many steps an object can go until it would meet another; -1 if it never does."""
    n = 0
    while True:
        n += 1
        any_left = False
        for i, j in own.cells:
            k, m = i + n * direction[0], j + n * direction[1]
            if stage.has(k, m):
                any_left = True
                if stage.labels[k][m] == other.number:
                    return n - 1
        if not any_left:
            return -1


@dataclass(frozen=True)
class Motion:
    """How far an object goes, and how it is turned in its box before: 1 top to bottom, 2 left to
    right, 4 rows become columns; they add up."""

    down: int
    along: int
    turn: int = 0


def motion_of(stage: Stage, own: Thing, what: int) -> Motion | None:
    """How an object moves, where that can be told."""
    if what == STAY:
        return Motion(0, 0)
    if what < TO_EDGE:
        direction = DIRECTIONS[what - BLOCKED]
        n = _n_free(stage, own, direction)
        return Motion(n * direction[0], n * direction[1])
    if what < BY_SIZE:
        last_row, last_column = len(stage.grid) - 1, len(stage.grid[0]) - 1
        return (
            Motion(-own.top, 0),
            Motion(last_row - own.bottom, 0),
            Motion(0, -own.left),
            Motion(0, last_column - own.right),
        )[what - TO_EDGE]
    if what < TURN:
        down, along = DIRECTIONS[what - BY_SIZE]
        return Motion(down * own.height, along * own.width)
    if what < HOLES:
        turn = what - TURN + 1
        return None if turn >= 4 and own.height != own.width else Motion(0, 0, turn)
    if what >= BY_CONSTANT:
        down, along = divmod(what - BY_CONSTANT, 2 * MAX_STEP + 1)
        return Motion(down - MAX_STEP, along - MAX_STEP)
    if own.references[reference_of(what)] < 0:
        return None
    other = stage.things[own.references[reference_of(what)]]
    return _motion_to(stage, own, other, (what - TO_OTHER) % N_WAYS)


def _motion_to(stage: Stage, own: Thing, other: Thing, way: int) -> Motion | None:
    heading = _heading(own, other)
    if way == TOWARDS:
        n = -1 if heading == (0, 0) else _n_to(stage, own, other, heading)
        return None if n < 0 else Motion(n * heading[0], n * heading[1])
    if way == AWAY:
        if heading == (0, 0):
            return None
        rooms = (own.top, len(stage.grid) - 1 - own.bottom)
        sides = (own.left, len(stage.grid[0]) - 1 - own.right)
        n = min(
            rooms[heading[0] < 0] if heading[0] else MAX_SIDE,
            sides[heading[1] < 0] if heading[1] else MAX_SIDE,
        )
        return Motion(-n * heading[0], -n * heading[1])
    down = other.top + other.bottom - own.top - own.bottom
    along = other.left + other.right - own.left - own.right
    if way == TOP:
        return Motion(other.top - own.top, 0)
    if way == BOTTOM:
        return Motion(other.bottom - own.bottom, 0)
    if way == LEFT_SIDE:
        return Motion(0, other.left - own.left)
    if way == RIGHT_SIDE:
        return Motion(0, other.right - own.right)
    if way == MIDDLE_ROW:
        return None if down % 2 else Motion(down // 2, 0)
    if way == MIDDLE_COLUMN:
        return None if along % 2 else Motion(0, along // 2)
    if way == ONTO:
        return Motion(other.top - own.top, other.left - own.left)
    if way == CENTER:
        return None if down % 2 or along % 2 else Motion(down // 2, along // 2)
    if way == OVER_SIDEWAYS:
        return Motion(0, along, 2)
    if way == OVER_UPRIGHT:
        return Motion(down, 0, 1)
    return Motion(down, along, 3)


MAX_SIDE = 1 << 20


def _turned(own: Thing, i: int, j: int, turn: int) -> Pair:
    """Where a cell goes; a turn of 4 and more wants a square box."""
    i, j = i - own.top, j - own.left
    if turn & 1:
        i = own.height - 1 - i
    if turn & 2:
        j = own.width - 1 - j
    if turn & 4:
        i, j = j, i
    return own.top + i, own.left + j


def _holes(own: Thing) -> list[Pair]:
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


def _added(stage: Stage, own: Thing, what: int) -> Iterator[Pair]:
    """Where something is added, also beside the grid and on objects."""
    if what == HOLES:
        return iter(_holes(own))
    if what == BOX:
        return (
            (i, j) for i in range(own.top, own.bottom + 1) for j in range(own.left, own.right + 1)
        )
    if what == RING:
        return (
            (i, j)
            for i in range(own.top - 1, own.bottom + 2)
            for j in range(own.left - 1, own.right + 2)
            if i in (own.top - 1, own.bottom + 1) or j in (own.left - 1, own.right + 1)
        )
    if what in (JOIN, JOIN_OWN):
        return _joins(stage, own, what == JOIN_OWN)
    if what < TO_OTHER:
        through = what >= THROUGH
        if what < DIAGONALS:
            directions = _RAY_SETS[what - RAYS]
        elif through:
            directions = _RAY_SETS[what - THROUGH]
        else:
            directions = _DIAGONAL_SETS[what - DIAGONALS]
        return _rays(stage, own, directions, through)
    number = own.references[reference_of(what)]
    if number < 0 or not own.faces(stage.things[number]):
        return iter(())
    other = stage.things[number]
    if own.has_rows_of(other):
        rows = range(max(own.top, other.top), min(own.bottom, other.bottom) + 1)
        columns = range(min(own.right, other.right) + 1, max(own.left, other.left))
    else:
        rows = range(min(own.bottom, other.bottom) + 1, max(own.top, other.top))
        columns = range(max(own.left, other.left), min(own.right, other.right) + 1)
    return ((i, j) for i in rows for j in columns)


def _rays(stage: Stage, own: Thing, directions: Sequence[Pair], through: bool) -> Iterator[Pair]:
    for i, j in own.cells:
        for di, dj in directions:
            k, m = i + di, j + dj
            while stage.has(k, m) and (through or stage.labels[k][m] < 0):
                yield k, m
                k, m = k + di, m + dj


def _joins(stage: Stage, own: Thing, of_own_color: bool) -> Iterator[Pair]:
    """The rays that end at another object, or at one of the same colour."""
    for i, j in own.cells:
        for di, dj in DIRECTIONS:
            k, m = i + di, j + dj
            while stage.has(k, m) and stage.labels[k][m] < 0:
                k, m = k + di, m + dj
            if not stage.has(k, m) or stage.labels[k][m] == own.number:
                continue
            if of_own_color and stage.grid[k][m] != own.color:
                continue
            while (k - di, m - dj) != (i, j):
                k, m = k - di, m - dj
                yield k, m


def drawn(stage: Stage, own: Thing, what: int) -> list[tuple[int, int, int]] | None:
    """What an object draws in its own colours: cells of the grid; None where it cannot be told.

    Its own cells, wherever they go, some of them in the grid; or what is added on the background.
    """
    if what == VANISH:
        return []
    if is_addition(what):
        places = _added(stage, own, what)
        return [(i, j, own.color) for i, j in places if stage.has(i, j) and stage.labels[i][j] < 0]
    motion = motion_of(stage, own, what)
    if motion is None:
        return None
    cells = []
    for i, j in own.cells:
        k, m = _turned(own, i, j, motion.turn)
        k, m = k + motion.down, m + motion.along
        if stage.has(k, m):
            cells.append((k, m, stage.grid[i][j]))
    return cells or None


def paint_of(stage: Stage, own: Thing, paint: int) -> int:
    """The colour of a paint; -1 if it is the object's own, -2 if there is none."""
    if paint == OWN:
        return -1
    if paint < OF_OTHER:
        return paint - OF_COLOR
    number = own.references[paint - OF_OTHER]
    return -2 if number < 0 else stage.things[number].color


# --- what objects are like ---


def _mirrors(stage: Stage, own: Thing, turn: int) -> int:
    for i, j in own.cells:
        k, m = _turned(own, i, j, turn)
        if stage.labels[k][m] != own.number or stage.grid[k][m] != stage.grid[i][j]:
            return 0
    return 1


def _n_holes(own: Thing) -> int:
    """How many 4-connected holes it has."""
    left = set(_holes(own))
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


# --- rules ---

NODE = 4
ACTION = -1
EQUAL, AT_LEAST = 0, 1

Action: TypeAlias = tuple[int, int, int]  # what, paint, copies


def _choose(rules: Sequence[int], described: Sequence[int]) -> Action:
    place = 1
    while rules[place] != ACTION:
        feature, comparison, value, otherwise = rules[place : place + NODE]
        number = described[feature]
        holds = number >= value if comparison == AT_LEAST else number == value
        place = place + NODE if holds else otherwise
    return rules[place + 1], rules[place + 2], rules[place + 3]


def _act(stage: Stage, actions: Sequence[Action]) -> Grid | None:
    """The grid after all objects have acted; None where one cannot.

    What is added is drawn first, then what stays, then what moves, each in the objects' order.
    """
    rows = [
        [stage.background if label >= 0 else cell for cell, label in zip(row, line, strict=True)]
        for row, line in zip(stage.grid, stage.labels, strict=True)
    ]
    for layer in range(3):
        for own, (what, paint, copies) in zip(stage.things, actions, strict=True):
            adds = is_addition(what)
            stays = adds or copies or (what == STAY and paint == OWN)
            if layer == 1 and stays:
                for i, j in own.cells:
                    rows[i][j] = stage.grid[i][j]
            if layer != (0 if adds else 1 if what == STAY else 2):
                continue
            color, cells = paint_of(stage, own, paint), drawn(stage, own, what)
            if color == -2 or cells is None:
                return None
            for i, j, own_color in cells:
                rows[i][j] = own_color if color < 0 else color
    return tuple(map(tuple, rows))


def _check_rules(rules: Sequence[int]) -> None:
    """Fail unless numbers are rules: all codes known, and no node before one that leads to it."""
    if len(rules) <= NODE or len(rules) % NODE != 1 or not 0 <= rules[0] < 2 * N_SEGMENTATIONS:
        raise out_of_range("apply_actions: no rules")
    for place in range(1, len(rules), NODE):
        feature, a, b, c = rules[place : place + NODE]
        if feature == ACTION:
            fits = 0 <= a < N_WHATS and 0 <= b < N_PAINTS and 0 <= c <= 1
        else:
            fits = 0 <= feature < N_FEATURES and 0 <= a <= 1 and place + NODE < len(rules)
            fits = fits and place < c < len(rules) and c % NODE == 1
        if not fits:
            raise out_of_range(f"apply_actions: no rule at {place}")


@primitive(
    "Tuple[Integer], Grid -> Grid",
    examples=(
        "apply_actions((0, -1, 5, 0, 0), ((1, 0, 0), (0, 0, 0))) == ((0, 0, 1), (0, 0, 0))",
        "apply_actions((0, 4, 0, 1, 9, -1, 1, 0, 0, -1, 0, 3, 0), ((1, 0, 3, 3),)) == "
        "((0, 0, 2, 2),)",
    ),
)
def apply_actions(rules: AnyTuple, I: Grid) -> Value:  # noqa: E741
    """A grid after each of its objects has done what rules say; see `learn_actions`.

    It fails as empty where there are more than 64 objects, or one cannot do what it should: it has
    no other object of that name, or nothing of it would be seen.
    """
    if not all(map(is_number, rules)):
        raise wrong_type("apply_actions: rules are numbers")
    numbers = [int(number) for number in rules]  # type: ignore[call-overload]
    check_colors("apply_actions", (), I)
    _check_rules(numbers)
    stage = stage_of(I, numbers[0])
    if len(stage.things) > MAX_OBJECTS:
        raise empty("apply_actions: too many objects")
    _charge_for([stage])
    refer(stage)
    actions = [_choose(numbers, described) for described in features_of(stage)]
    grid = _act(stage, actions)
    if grid is None:
        raise empty("apply_actions: an object cannot do what it should")
    return grid


def _charge_for(stages: Sequence[Stage]) -> None:
    """What is to be done with each cell of an object's box, and for each two objects."""
    charge(
        sum(sum(thing.area for thing in stage.things) + len(stage.things) ** 2 for stage in stages)
    )


# --- learning ---

MAX_ACTIONS = 3  # in rules
MAX_ROWS = 1000
MAX_TRIED = 4000
MAX_COVERS = 64
MAX_DEPTH = 3
MAX_NEW = 64  # cells of a demo that have to be drawn
# For each object, and each thing that it may do: the colours that agree with the output, and
# whether its own colours do.
ALL_COLORS, OWN_AGREES = (1 << 10) - 1, 1 << 10


@dataclass(eq=False)
class _Lesson:
    """The demos' objects, numbered through, and what they may have done. Sets are bits."""

    stages: list[Stage]
    wanted: list[Grid]
    owners: list[tuple[int, Thing]]  # for each object its demo
    agreeing: dict[int, list[int]]  # for each thing to do, for each object
    drawing: dict[int, list[int]]  # likewise which of its demo's new cells are drawn
    n_new: list[int]  # of each demo
    described: list[list[int]]


def _agree(
    stage: Stage, wanted: Grid, own: Thing, what: int, new: list[list[int]], shown: list[list[bool]]
) -> tuple[int, int]:
    """How something done agrees with the output, and which new cells it draws."""
    if what == VANISH:
        gone = all(wanted[i][j] == stage.background for i, j in own.cells)
        return (OWN_AGREES, 0) if gone else (0, 0)
    if is_addition(what) and any(wanted[i][j] != stage.grid[i][j] for i, j in own.cells):
        return 0, 0
    cells = drawn(stage, own, what)
    if cells is None:
        return 0, 0
    agreeing, drawing, any_new = (ALL_COLORS | OWN_AGREES) & ~(1 << stage.background), 0, False
    for i, j, own_color in cells:
        color = wanted[i][j]
        agreeing &= 1 << color | (OWN_AGREES if color == own_color else 0)
        if not agreeing:
            return 0, 0
        if new[i][j] >= 0:
            any_new = True
            if new[i][j] < MAX_NEW:
                drawing |= 1 << new[i][j]
    if any_new:
        for i, j, _ in cells:
            shown[i][j] = True
    return agreeing, drawing


def _look_at(S: Pairs, segments: int) -> _Lesson:
    stages = [stage_of(given, segments) for given, _ in S]
    counts = [len(stage.things) for stage in stages]
    if max(counts) > MAX_OBJECTS or sum(counts) > MAX_OBJECTS_IN_ALL or not sum(counts):
        raise empty("learn_actions: no objects, or too many")
    _charge_for(stages)
    charge(sum(counts) * len(TRIED))
    agreeing: dict[int, list[int]] = {what: [] for what in TRIED}
    drawing: dict[int, list[int]] = {what: [] for what in TRIED}
    n_new = []
    for stage, (given, wanted) in zip(stages, S, strict=True):
        refer(stage)
        n, new = 0, [[-1] * len(row) for row in given]
        for i, row in enumerate(wanted):
            for j, color in enumerate(row):
                if color not in (given[i][j], stage.background):
                    new[i][j] = n
                    n += 1
        n_new.append(min(n, MAX_NEW))
        shown = [[False] * len(row) for row in given]
        for own in stage.things:
            can_act = False
            for what in TRIED:
                agrees, draws = _agree(stage, wanted, own, what, new, shown)
                agreeing[what].append(agrees)
                drawing[what].append(draws)
                can_act = can_act or agrees != 0
            if not can_act:
                raise empty("learn_actions: an object does what no action does")
        for line, shown_line in zip(new, shown, strict=True):
            for number, is_shown in zip(line, shown_line, strict=True):
                if number >= 0 and not is_shown:
                    raise empty("learn_actions: something is drawn by no action")
    owners = [(d, thing) for d, stage in enumerate(stages) for thing in stage.things]
    described = [row for stage in stages for row in features_of(stage)]
    wanted_grids = [wanted for _, wanted in S]
    return _Lesson(stages, wanted_grids, owners, agreeing, drawing, n_new, described)


def _paints(what: int) -> Iterator[int]:
    yield OWN
    if what == VANISH:
        return
    yield from range(OF_COLOR, OF_OTHER)
    if what == STAY:
        yield from range(OF_OTHER, N_PAINTS)
    elif reference_of(what) >= 0:
        yield OF_OTHER + reference_of(what)


@dataclass(frozen=True)
class _Row:
    """An action, the objects that may have done it, and which new cells of all demos they draw."""

    action: Action
    objects: int
    cells: int
    drawing: int  # those objects that draw new cells


def _rows(lesson: _Lesson) -> list[_Row]:
    """The actions; of those with the same objects and cells the first."""
    staying = lesson.agreeing[STAY]
    rows: list[_Row] = []
    known: set[tuple[int, int, int]] = set()
    for copies in (0, 1):
        for what in TRIED:
            if copies and (what in (STAY, VANISH) or is_addition(what)):
                continue
            agreeing, drawing = lesson.agreeing[what], lesson.drawing[what]
            for paint in _paints(what):
                objects = cells = busy = 0
                for k, (d, own) in enumerate(lesson.owners):
                    if copies and not staying[k] & OWN_AGREES:
                        continue
                    color = paint_of(lesson.stages[d], own, paint)
                    bit = OWN_AGREES if color == -1 else 0 if color == -2 else 1 << color
                    if agreeing[k] & bit:
                        objects |= 1 << k
                        cells |= drawing[k] << MAX_NEW * d
                        busy |= (drawing[k] != 0) << k
                key = (objects, cells, min(what, 2))
                if objects and key not in known:
                    known.add(key)
                    rows.append(_Row((what, paint, copies), objects, cells, busy))
                    if len(rows) == MAX_ROWS:
                        return rows
    return rows


def _covers(lesson: _Lesson, rows: list[_Row], n_actions: int) -> Iterator[list[int]]:
    """Choices of so many rows that have all objects and all new cells.

    One of the rows that have the object or cell which the fewest rows have is chosen, then so on
    with what is left.
    """
    n = len(lesson.owners)
    places = [
        *range(n),
        *(n + MAX_NEW * d + k for d, m in enumerate(lesson.n_new) for k in range(m)),
    ]
    sets = [row.objects | row.cells << n for row in rows]
    counts = {k: sum(members >> k & 1 for members in sets) for k in places}
    n_tried = 0

    def choose(left: int, chosen: list[int]) -> Iterator[list[int]]:
        nonlocal n_tried
        rarest = min((k for k in places if left >> k & 1), key=lambda k: (counts[k], k))
        is_last = len(chosen) + 1 == n_actions
        for r, members in enumerate(sets):
            if not members >> rarest & 1:
                continue
            n_tried += 1
            if n_tried > MAX_TRIED:
                return
            rest = left & ~members
            if is_last:
                if not rest:
                    yield [*chosen, r]
            elif rest:
                yield from choose(rest, [*chosen, r])

    return choose(sum(1 << k for k in places), [])


Question: TypeAlias = tuple[int, int, int, int]  # feature, comparison, value, who says yes


def _questions(lesson: _Lesson) -> list[Question]:
    questions = []
    for feature, (_, is_counted) in enumerate(FEATURES):
        numbers = [described[feature] for described in lesson.described]
        for comparison in (EQUAL, AT_LEAST) if is_counted else (EQUAL,):
            for value in sorted(set(numbers)):
                holding = sum(
                    1 << k
                    for k, number in enumerate(numbers)
                    if (number >= value if comparison == AT_LEAST else number == value)
                )
                if holding != (1 << len(numbers)) - 1:
                    questions.append((feature, comparison, value, holding))
    return questions


def _n_wrong(members: int, rows: list[int]) -> int:
    """How many objects are not right if all do the same."""
    return members.bit_count() - max((members & row).bit_count() for row in rows)


def _grow(
    members: int,
    actions: list[Action],
    rows: list[int],
    questions: list[Question],
    place: int,
    depth: int,
) -> list[int] | None:
    """The nodes from a place on that tell objects' actions; None where that takes too many."""
    for action, row in zip(actions, rows, strict=True):
        if not members & ~row:
            return [ACTION, *action]
    if depth == MAX_DEPTH:
        return None
    best, fewest = None, _n_wrong(members, rows)
    for question in questions:
        yes = members & question[3]
        if not yes or yes == members:
            continue
        n_wrong = _n_wrong(yes, rows) + _n_wrong(members & ~yes, rows)
        if n_wrong < fewest:
            best, fewest = question, n_wrong
    if best is None:
        return None
    feature, comparison, value, holding = best
    yes_nodes = _grow(members & holding, actions, rows, questions, place + NODE, depth + 1)
    if yes_nodes is None:
        return None
    otherwise = place + NODE + len(yes_nodes)
    no_nodes = _grow(members & ~holding, actions, rows, questions, otherwise, depth + 1)
    if no_nodes is None:
        return None
    return [feature, comparison, value, otherwise, *yes_nodes, *no_nodes]


def _is_exact(lesson: _Lesson, rules: list[int]) -> bool:
    first = 0
    for stage, wanted in zip(lesson.stages, lesson.wanted, strict=True):
        described = lesson.described[first : first + len(stage.things)]
        first += len(stage.things)
        if _act(stage, [_choose(rules, each) for each in described]) != wanted:
            return False
    return True


def _cost(rules: list[int]) -> tuple[int, int]:
    """How many nodes, and how late in their lists questions are."""
    asked = sum(max(0, rules[place]) for place in range(1, len(rules), NODE))
    return len(rules), asked


@primitive(
    "Demos, Code[0..7] -> Tuple[Integer]",
    examples=(
        "learn_actions(((((1, 0, 0), (0, 0, 0)), ((0, 0, 1), (0, 0, 0))),), 0) == (0, -1, 5, 0, 0)",
        "learn_actions(((((1, 0, 3, 3),), ((0, 0, 2, 2),)),), 0) == "
        "(0, 0, 0, 1, 9, -1, 1, 0, 0, -1, 0, 3, 0)",
    ),
    ties="the first in the order of actions and of features",
)
def learn_actions(S: Demos, segments: Number) -> Value:
    """Rules that say what the objects of the demos do, for `apply_actions`."""
    check_colors("learn_actions", S)
    if not S or any(size_of(given) != size_of(wanted) for given, wanted in S):
        raise empty("learn_actions: no demos, or an output is of another size than its input")
    if all(given == wanted for given, wanted in S):
        raise empty("learn_actions: nothing changes")
    if segments >= N_SEGMENTATIONS and all(background_of(given, 0) == 0 for given, _ in S):
        raise empty("learn_actions: the commonest colour is 0 in any case")
    lesson = _look_at(S, segments)
    rows = _rows(lesson)
    questions = _questions(lesson)
    everyone = (1 << len(lesson.owners)) - 1
    for n_actions in range(1, MAX_ACTIONS + 1):
        best: list[int] | None = None
        for n_covers, cover in enumerate(_covers(lesson, rows, n_actions)):
            if n_covers == MAX_COVERS:
                break
            chosen = [rows[r] for r in sorted(cover)]
            actions = [row.action for row in chosen]
            busy = 0
            for row in chosen:
                busy |= row.drawing
            # Who may draw something new does not merely stay or vanish, if that explains all.
            for idle in (~busy, everyone):
                may = [row.objects & (idle if row.action in QUIET else everyone) for row in chosen]
                nodes = _grow(everyone, actions, may, questions, 1, 0)
                if nodes is None:
                    continue
                rules = [segments, *nodes]
                if (best is None or _cost(rules) < _cost(best)) and _is_exact(lesson, rules):
                    best = rules
                    break
        if best is not None:
            return tuple(best)
    raise empty("learn_actions: no few actions explain all objects")


QUIET = ((STAY, OWN, 0), (VANISH, OWN, 0))
