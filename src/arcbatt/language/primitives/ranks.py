"""Picking by rank: 0 is the first, -1 the last; a rank that is not there fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..calls import map_over
from ..failure import out_of_range
from ..registry import WIDE, Gpu, primitive
from ..values import Container, Element, Function, Value, ordered, sort, sort_key
from .geometry import colors


def _at(members: Sequence[Value], n: int, name: str) -> Value:
    if not -len(members) <= n < len(members):
        raise out_of_range(f"{name}: rank {n} of {len(members)}")
    return members[n]


def _by_key(container: Container, key: Value, descending: bool) -> list[Value]:
    members = ordered(container)
    keys = map_over(key, members)
    places = sorted(range(len(members)), key=lambda i: sort_key(keys[i]), reverse=descending)
    return [members[i] for i in places]


@primitive(
    "C[a], Rank -> a",
    peeks="all",
    examples=("get_nth((7, 8, 9), F1) == 8", "get_nth({7, 8, 9}, L1) == 9"),
    brief="the n-th member in order, from 0; -1 is the last",
)
def get_nth(container: Container, n: int) -> Value:
    """The n-th member in iteration order."""
    return _at(ordered(container), n, "get_nth")


@primitive(
    "C[a], Rank, (a -> b) -> a",
    ties="members with equal keys keep their order",
    examples=(
        "get_nth_by_key((7, 9, 8), F0, identity) == 7",
        "get_nth_by_key({(0, 2), (1, 1)}, F0, last) == (1, 1)",
    ),
    gpu=Gpu(calls="key"),
    brief="the n-th member, ascending by key, from 0",
)
def get_nth_by_key(container: Container, n: int, key: Function) -> Value:
    """The n-th member, ascending by key."""
    return _at(_by_key(container, key, descending=False), n, "get_nth_by_key")


@primitive(
    "C[a], Rank -> a",
    examples=("get_rank((7, 9, 8), F0) == 9", "get_rank({7, 9}, L1) == 7"),
    brief="the n-th greatest member, from 0",
)
def get_rank(ints: Container, n: int) -> Value:
    """The n-th greatest member; equal ones count separately."""
    return _at(sort(ints)[::-1], n, "get_rank")


@primitive(
    "C[a], (a -> b), Rank -> a",
    ties="members with equal keys keep their order",
    examples=(
        "get_arg_rank((7, 9, 8), identity, F0) == 9",
        "get_arg_rank({(0, 2), (1, 1)}, last, L1) == (1, 1)",
    ),
    gpu=Gpu(calls="key"),
    brief="the n-th member, descending by key, from 0",
)
def get_arg_rank(container: Container, key: Function, n: int) -> Value:
    """The n-th member, descending by key."""
    return _at(_by_key(container, key, descending=True), n, "get_arg_rank")


@primitive(
    "C[a], (a -> b), Rank -> b",
    examples=(
        "get_val_rank((7, 9, 8), identity, F0) == 7",
        "get_val_rank({(0, 2), (1, 1)}, last, L1) == 2",
    ),
    gpu=Gpu(calls="key"),
    brief="the n-th least key, from 0",
)
def get_val_rank(container: Container, key: Function, n: int) -> Value:
    """The n-th least key; equal ones count separately."""
    return _at(sort(map_over(key, ordered(container))), n, "get_val_rank")


@primitive(
    "C[a], Rank -> a",
    ties="of equally common ones, the lesser value first",
    examples=(
        "get_common_rank((3, 1, 3, 2), F0) == 1",
        "get_common_rank((3, 1, 3, 2), L1) == 3",
    ),
    brief="the n-th distinct member, ascending by how often it occurs, from 0",
)
def get_common_rank(container: Container, n: int) -> Value:
    """The n-th distinct member, ascending by how often it occurs."""
    counts = Counter(container)
    return _at(sorted(sort(counts), key=lambda member: counts[member]), n, "get_common_rank")


@primitive(
    "Element, Rank -> Color",
    ties="of equally common colors, the lower first",
    examples=(
        "get_color_rank(((1, 2), (2, 3)), F0) == 2",
        "get_color_rank(((1, 2), (2, 3)), L1) == 3",
    ),
    gpu=WIDE,
    brief="the n-th color, the most common first, from 0",
)
def get_color_rank(element: Element, n: int) -> Value:
    """The n-th color, the most common first."""
    counts = Counter(colors(element))
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    return _at(ranked, n, "get_color_rank")
