"""Effects of objects, for `object_actions`: moves, turns, additions and paints.

`engine.table` writes the codes for the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from ..values import Pair
from .color_grids import CORNERS
from .grid_objects import N_REFERENCES, GridObject, SegmentedGrid, turned

UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
DIRECTIONS = (UP, DOWN, LEFT, RIGHT)


class Effect(IntEnum):
    """Codes of effects, or the first codes of ranges of them.

    Codes from `TO_OTHER` on combine a reference with a way; those from `BY_CONSTANT` on move an
    object by a constant number of rows and columns.
    """

    STAY = 0
    VANISH = 1
    SLIDE = 2
    TO_EDGE = 6
    BY_SIZE = 10
    TURN = 14
    HOLES = 21
    BOX = 22
    RING = 23
    RAYS = 24
    DIAGONALS = 31
    THROUGH = 36
    JOIN = 43
    JOIN_OWN = 44
    TO_OTHER = 45


class Way(IntEnum):
    """Ways to move an object relative to another, or to draw a line to it."""

    TOWARDS = 0
    AWAY = 1
    TOP = 2
    BOTTOM = 3
    LEFT_SIDE = 4
    RIGHT_SIDE = 5
    MIDDLE_ROW = 6
    MIDDLE_COLUMN = 7
    ONTO = 8
    CENTER = 9
    OVER_SIDEWAYS = 10
    OVER_UPRIGHT = 11
    OVER_BOTH = 12
    LINE = 13


class Paint(IntEnum):
    """The color in which an object is drawn: its own, a constant one, or a reference's."""

    OWN = 0
    OF_COLOR = 1
    OF_OTHER = 11


N_WAYS = len(Way)
BY_CONSTANT = Effect.TO_OTHER + N_REFERENCES * N_WAYS
MAX_STEP = 15
MAX_OBLIQUE_STEP = 4  # the longest step that learning tries along both rows and columns
N_EFFECTS = BY_CONSTANT + (2 * MAX_STEP + 1) ** 2
N_PAINTS = Paint.OF_OTHER + N_REFERENCES

_MAX_SIDE = 1 << 20
# The directions of each set of rays.
_RAY_SETS = ((UP,), (DOWN,), (LEFT,), (RIGHT,), (LEFT, RIGHT), (UP, DOWN), DIRECTIONS)
_DIAGONAL_SETS = (*((corner,) for corner in CORNERS), CORNERS)


def is_addition(effect: int) -> bool:
    """Return whether the object stays and something is added on the background."""
    if Effect.HOLES <= effect < Effect.TO_OTHER:
        return True
    return (
        Effect.TO_OTHER <= effect < BY_CONSTANT and (effect - Effect.TO_OTHER) % N_WAYS == Way.LINE
    )


def reference_of(effect: int) -> int:
    """Return the number of the reference that an effect is about, or -1."""
    return (effect - Effect.TO_OTHER) // N_WAYS if Effect.TO_OTHER <= effect < BY_CONSTANT else -1


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _heading(own: GridObject, other: GridObject) -> Pair:
    """Return the direction to another object, (0, 0) if the boxes overlap."""
    down = 0 if own.shares_rows(other) else _sign(other.top - own.top)
    along = 0 if own.shares_columns(other) else _sign(other.left - own.left)
    return down, along


def _n_free_steps(grid: SegmentedGrid, own: GridObject, direction: Pair) -> int:
    """Return the steps that an object can go until another or the edge is in its way."""
    n = 0
    while True:
        n += 1
        for i, j in own.cells:
            k, m = i + n * direction[0], j + n * direction[1]
            if not grid.has(k, m) or grid.labels[k][m] not in (-1, own.number):
                return n - 1


def _n_steps_to(grid: SegmentedGrid, own: GridObject, other: GridObject, direction: Pair) -> int:
    """Return the steps that an object can go until it would hit another; -1 if it never does."""
    n = 0
    while True:
        n += 1
        is_inside = False
        for i, j in own.cells:
            k, m = i + n * direction[0], j + n * direction[1]
            if grid.has(k, m):
                is_inside = True
                if grid.labels[k][m] == other.number:
                    return n - 1
        if not is_inside:
            return -1


@dataclass(frozen=True)
class Motion:
    """Return how far an object moves after it is turned in its box.

    A turn is a sum: 1 mirrors top to bottom, 2 left to right, 4 makes rows columns.
    """

    down: int
    along: int
    turn: int = 0


def find_motion(grid: SegmentedGrid, own: GridObject, effect: int) -> Motion | None:
    """Return how an object moves; None if it cannot."""
    if effect == Effect.STAY:
        return Motion(0, 0)
    if effect < Effect.TO_EDGE:
        direction = DIRECTIONS[effect - Effect.SLIDE]
        n = _n_free_steps(grid, own, direction)
        return Motion(n * direction[0], n * direction[1])
    if effect < Effect.BY_SIZE:
        last_row, last_column = len(grid.grid) - 1, len(grid.grid[0]) - 1
        return (
            Motion(-own.top, 0),
            Motion(last_row - own.bottom, 0),
            Motion(0, -own.left),
            Motion(0, last_column - own.right),
        )[effect - Effect.TO_EDGE]
    if effect < Effect.TURN:
        down, along = DIRECTIONS[effect - Effect.BY_SIZE]
        return Motion(down * own.height, along * own.width)
    if effect < Effect.HOLES:
        turn = effect - Effect.TURN + 1
        return None if turn >= 4 and own.height != own.width else Motion(0, 0, turn)
    if effect >= BY_CONSTANT:
        down, along = divmod(effect - BY_CONSTANT, 2 * MAX_STEP + 1)
        return Motion(down - MAX_STEP, along - MAX_STEP)
    if own.references[reference_of(effect)] < 0:
        return None
    other = grid.objects[own.references[reference_of(effect)]]
    return _motion_to(grid, own, other, (effect - Effect.TO_OTHER) % N_WAYS)


def _motion_to(grid: SegmentedGrid, own: GridObject, other: GridObject, way: int) -> Motion | None:
    heading = _heading(own, other)
    if way == Way.TOWARDS:
        n = -1 if heading == (0, 0) else _n_steps_to(grid, own, other, heading)
        return None if n < 0 else Motion(n * heading[0], n * heading[1])
    if way == Way.AWAY:
        if heading == (0, 0):
            return None
        rooms = (own.top, len(grid.grid) - 1 - own.bottom)
        sides = (own.left, len(grid.grid[0]) - 1 - own.right)
        n = min(
            rooms[heading[0] < 0] if heading[0] else _MAX_SIDE,
            sides[heading[1] < 0] if heading[1] else _MAX_SIDE,
        )
        return Motion(-n * heading[0], -n * heading[1])
    down = other.top + other.bottom - own.top - own.bottom
    along = other.left + other.right - own.left - own.right
    if way == Way.TOP:
        return Motion(other.top - own.top, 0)
    if way == Way.BOTTOM:
        return Motion(other.bottom - own.bottom, 0)
    if way == Way.LEFT_SIDE:
        return Motion(0, other.left - own.left)
    if way == Way.RIGHT_SIDE:
        return Motion(0, other.right - own.right)
    if way == Way.MIDDLE_ROW:
        return None if down % 2 else Motion(down // 2, 0)
    if way == Way.MIDDLE_COLUMN:
        return None if along % 2 else Motion(0, along // 2)
    if way == Way.ONTO:
        return Motion(other.top - own.top, other.left - own.left)
    if way == Way.CENTER:
        return None if down % 2 or along % 2 else Motion(down // 2, along // 2)
    if way == Way.OVER_SIDEWAYS:
        return Motion(0, along, 2)
    if way == Way.OVER_UPRIGHT:
        return Motion(down, 0, 1)
    return Motion(down, along, 3)


def _added(grid: SegmentedGrid, own: GridObject, effect: int) -> Iterator[Pair]:
    """Yield where something is added, including places outside the grid and on objects."""
    if effect == Effect.HOLES:
        return iter(set().union(*own.holes))
    if effect == Effect.BOX:
        return (
            (i, j) for i in range(own.top, own.bottom + 1) for j in range(own.left, own.right + 1)
        )
    if effect == Effect.RING:
        return (
            (i, j)
            for i in range(own.top - 1, own.bottom + 2)
            for j in range(own.left - 1, own.right + 2)
            if i in (own.top - 1, own.bottom + 1) or j in (own.left - 1, own.right + 1)
        )
    if effect in (Effect.JOIN, Effect.JOIN_OWN):
        return _joins(grid, own, effect == Effect.JOIN_OWN)
    if effect < Effect.TO_OTHER:
        through = effect >= Effect.THROUGH
        directions: Sequence[Pair]
        if effect < Effect.DIAGONALS:
            directions = _RAY_SETS[effect - Effect.RAYS]
        elif through:
            directions = _RAY_SETS[effect - Effect.THROUGH]
        else:
            directions = _DIAGONAL_SETS[effect - Effect.DIAGONALS]
        return _rays(grid, own, directions, through)
    number = own.references[reference_of(effect)]
    if number < 0 or not own.faces(grid.objects[number]):
        return iter(())
    other = grid.objects[number]
    if own.shares_rows(other):
        rows = range(max(own.top, other.top), min(own.bottom, other.bottom) + 1)
        columns = range(min(own.right, other.right) + 1, max(own.left, other.left))
    else:
        rows = range(min(own.bottom, other.bottom) + 1, max(own.top, other.top))
        columns = range(max(own.left, other.left), min(own.right, other.right) + 1)
    return ((i, j) for i in rows for j in columns)


def _rays(
    grid: SegmentedGrid, own: GridObject, directions: Sequence[Pair], through: bool
) -> Iterator[Pair]:
    for i, j in own.cells:
        for di, dj in directions:
            k, m = i + di, j + dj
            while grid.has(k, m) and (through or grid.labels[k][m] < 0):
                yield k, m
                k, m = k + di, m + dj


def _joins(grid: SegmentedGrid, own: GridObject, of_own_color: bool) -> Iterator[Pair]:
    """Yield the rays that end at another object, or at one of the same color."""
    for i, j in own.cells:
        for di, dj in DIRECTIONS:
            k, m = i + di, j + dj
            while grid.has(k, m) and grid.labels[k][m] < 0:
                k, m = k + di, m + dj
            if not grid.has(k, m) or grid.labels[k][m] == own.number:
                continue
            if of_own_color and grid.grid[k][m] != own.color:
                continue
            while (k - di, m - dj) != (i, j):
                k, m = k - di, m - dj
                yield k, m


def draw(grid: SegmentedGrid, own: GridObject, effect: int) -> list[tuple[int, int, int]] | None:
    """Return the cells of the grid that an object draws in its own colors; None if it cannot.

    They are its own cells after its motion, or those that it adds on the background.
    """
    if effect == Effect.VANISH:
        return []
    if is_addition(effect):
        places = _added(grid, own, effect)
        return [(i, j, own.color) for i, j in places if grid.has(i, j) and grid.labels[i][j] < 0]
    motion = find_motion(grid, own, effect)
    if motion is None:
        return None
    cells = []
    for i, j in own.cells:
        k, m = turned(own, i, j, motion.turn)
        k, m = k + motion.down, m + motion.along
        if grid.has(k, m):
            cells.append((k, m, grid.grid[i][j]))
    return cells or None


def color_of_paint(grid: SegmentedGrid, own: GridObject, paint: int) -> int:
    """Return the color of a paint; -1 if it is the object's own, -2 if there is none."""
    if paint == Paint.OWN:
        return -1
    if paint < Paint.OF_OTHER:
        return paint - Paint.OF_COLOR
    number = own.references[paint - Paint.OF_OTHER]
    return -2 if number < 0 else grid.objects[number].color
