"""Replacements of constants by other values of the same role.

| role | values |
| --- | --- |
| Color | 0 to 9 |
| Rank | the first four and the last three, or a neighbor |
| a code | its range |
| Boolean | T and F |
| Count | 1 to 9, or one more or less |
| Direction | the eight directions and none, with the same reach |
| Dims | each side 1 to 10, one more or less, or swapped |
| unknown | a number: one more or less, or 0 to 10; a pair: as a direction or as sides |

In a longer tuple or a set of numbers, one number changes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from arcbatt.language import Node, ir
from arcbatt.language.types import PAIR_ROLES, parse_type
from arcbatt.language.values import Value, ordered

PAIR = "Pair"  # the role of a pair of which nothing else is known
_DIRECTIONS = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1))


def other_value(value: Value, role: str, rng: random.Random) -> Value | None:
    """Return another value of the role; None if there is none, or the draw gave the same one."""
    drawn = _draw(value, role, rng)
    return None if drawn is None or ir.constant(drawn) is ir.constant(value) else drawn


def some_constant(role: str, rng: random.Random) -> Node:
    """Return a constant of a role of numbers or pairs, or a small number."""
    if role == "Boolean":
        return ir.constant(rng.random() < 0.5)
    start: Value = (1, 1) if role in (*PAIR_ROLES, PAIR) else 0
    drawn = _draw(start, role, rng)
    return ir.constant(start if drawn is None else drawn)


def _draw(value: Value, role: str, rng: random.Random) -> Value | None:
    if isinstance(value, bool) or role == "Boolean":
        return not value
    if isinstance(value, int):
        return _number(value, role, rng)
    match value:
        case (int(i), int(j)):
            as_direction = role == "Direction" or (role != "Dims" and rng.random() < 0.5)
            return _direction((i, j), rng) if as_direction else _dims((i, j), rng)
    if isinstance(value, tuple | frozenset):
        return _with_other_member(value, rng)
    return None


def _small(number: int, rng: random.Random) -> int:
    return number + rng.choice((-1, 1)) if rng.random() < 0.6 else rng.randint(0, 10)


def _rank(number: int, rng: random.Random) -> int:
    if rng.random() < 0.5:
        return rng.choice((0, 1, 2, 3, -1, -2, -3))
    return number + rng.choice((-1, 1))


def _count(number: int, rng: random.Random) -> int:
    return rng.randint(1, 9) if rng.random() < 0.4 else number + rng.choice((-1, 1))


_NUMBERS: Mapping[str, Callable[[int, random.Random], int]] = {
    "Color": lambda _, rng: rng.randint(0, 9),
    "Rank": _rank,
    "Count": _count,
}


def _number(number: int, role: str, rng: random.Random) -> int:
    codes = parse_type(role).values if role else None
    return _NUMBERS.get(role, _small)(number, rng) if codes is None else rng.choice(codes)


def _direction(pair: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    reach = max(abs(pair[0]), abs(pair[1]), 1)
    i, j = rng.choice(_DIRECTIONS)
    return (reach * i, reach * j)


def _dims(pair: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    i, j = pair
    match rng.randrange(5):
        case 0:
            return (j, i)
        case 1:
            side = rng.randint(1, 10)
            return (side, side)
        case 2:
            return (rng.randint(1, 10), j)
        case 3:
            return (i, rng.randint(1, 10))
        case _:
            return (i + rng.choice((-1, 0, 1)), j + rng.choice((-1, 0, 1)))


def _with_other_member(container: Value, rng: random.Random) -> Value | None:
    assert isinstance(container, tuple | frozenset)
    members: list[Value] = list(ordered(container))
    if not members:
        return None
    k = rng.randrange(len(members))
    changed = other_value(members[k], "", rng)
    if changed is None:
        return None
    members[k] = changed
    return tuple(members) if isinstance(container, tuple) else frozenset(members)
