"""What objects draw, by number: moves, turns, additions, and paints; for `object_actions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..values import Pair
from .object_stages import N_REFERENCES, Stage, Thing, holes_of, turned
from .observations import CORNERS

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
DIRECTIONS = (UP, DOWN, LEFT, RIGHT)

# What objects may do: numbers, or where ranges of them begin.
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

MAX_SIDE = 1 << 20
MAX_CROOKED_STEP = 4  # rows and columns at once


def _constant(down: int, along: int) -> int:
    return BY_CONSTANT + (down + MAX_STEP) * (2 * MAX_STEP + 1) + along + MAX_STEP


# What is tried, in this order.
TRIED = (
    *range(JOIN),
    *(
        _constant(down, along)
        for down in range(-MAX_STEP, MAX_STEP + 1)
        for along in range(-MAX_STEP, MAX_STEP + 1)
        if (down == 0) != (along == 0) or 0 < max(abs(down), abs(along)) <= MAX_CROOKED_STEP
    ),
    *range(TO_OTHER, BY_CONSTANT),
    JOIN,
    JOIN_OWN,
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


def _added(stage: Stage, own: Thing, what: int) -> Iterator[Pair]:
    """Where something is added, also beside the grid and on objects."""
    if what == HOLES:
        return iter(holes_of(own))
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
        directions: Sequence[Pair]
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
        k, m = turned(own, i, j, motion.turn)
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
