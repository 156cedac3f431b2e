"""Tuples and sets: making, joining, filtering, picking.

Sets are iterated in ascending order of value (see `values`), tuples as they stand. A
primitive that gives back a container of its argument's kind says C[...] in its types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from ..budget import current_meter, require
from ..calls import map_over, try_calls
from ..domains import ANY_CONTAINER
from ..failure import CallFailed, empty, out_of_range, wrong_type
from ..registry import SINGLE_THREAD, WIDE, Gpu, primitive
from ..values import Container, Containers, Function, Value, compare, ordered, sort, sort_key

FIRST_IN_ORDER = "of several, the first in iteration order"


def like(container: Container, members: Iterable[Value]) -> Container:
    """Return a container of the same kind."""
    return tuple(members) if isinstance(container, tuple) else frozenset(members)


# --- size, membership, set operations ---------------------------------------------------


@primitive(
    "C[a] -> Count",
    peeks="all",
    examples=("size((5, 5, 7)) == 3", "size(EMPTY) == 0"),
    gpu=SINGLE_THREAD,
    brief="number of members",
)
def size(container: Container) -> Value:
    """Number of members."""
    return len(container)


@primitive(
    "a, C[a] -> Boolean",
    examples=("contained(1, {1, 2}) == T", "contained(3, (1, 2)) == F"),
    gpu=SINGLE_THREAD,
    brief="value in container",
)
def contained(value: Value, container: Container) -> Value:
    """Whether a value is a member."""
    return value in container


@primitive(
    "C[a], D[a] -> C[a]",
    examples=("combine((1, 2), (2, 3)) == (1, 2, 2, 3)", "combine({1, 2}, {2, 3}) == {1, 2, 3}"),
    gpu=Gpu(single_thread=True, wide=True),
    brief="members of both, in a container of a's kind",
)
def combine(a: Container, b: Container) -> Value:
    """All members of both, in a container of the first one's kind."""
    return like(a, (*ordered(a), *ordered(b)))


@primitive(
    "Set[a], Set[a] -> Set[a]",
    examples=("intersection({1, 2}, {2, 3}) == {2}", "intersection({1}, {2}) == EMPTY"),
    gpu=Gpu(single_thread=True, wide=True),
    brief="members of both",
)
def intersection(a: frozenset[Value], b: frozenset[Value]) -> Value:
    """Members of both sets."""
    return a & b


@primitive(
    "C[a], D[a] -> C[a]",
    aliases=("difference_tuple",),
    examples=("difference({1, 2}, {2, 3}) == {1}", "difference((1, 2, 1), (2,)) == (1, 1)"),
    gpu=Gpu(single_thread=True, wide=True),
    brief="members of a that are not in b",
)
def difference(a: Container, b: Container) -> Value:
    """Members of the first that are not in the second."""
    taken = frozenset(b)
    return like(a, (member for member in a if member not in taken))


@primitive(
    "Tuple[a] -> Tuple[a]",
    examples=("dedupe((1, 2, 1, 3)) == (1, 2, 3)", "dedupe(()) == ()"),
    gpu=WIDE,
    brief="without repeated members",
)
def dedupe(tup: tuple[Value, ...]) -> Value:
    """Each distinct member once, at its first place."""
    return tuple(dict.fromkeys(tup))


@primitive(
    "a, Set[a] -> Set[a]",
    examples=("insert(3, {1, 2}) == {1, 2, 3}", "insert(1, {1}) == {1}"),
    gpu=SINGLE_THREAD,
    brief="container with value",
)
def insert(value: Value, container: frozenset[Value]) -> Value:
    """The set with one more member."""
    return container | {value}


@primitive(
    "a, C[a] -> C[a]",
    examples=("remove(1, (1, 2, 1)) == (2,)", "remove(3, {1, 2}) == {1, 2}"),
    gpu=SINGLE_THREAD,
    brief="all members but value",
)
def remove(value: Value, container: Container) -> Value:
    """The container without a value."""
    return like(container, (member for member in container if member != value))


@primitive(
    "C[a], a -> a",
    ties=FIRST_IN_ORDER,
    examples=("other({1, 2}, 1) == 2", "other((7, 8, 9), 7) == 8"),
    brief="first member that is not value",
)
def other(container: Container, value: Value) -> Value:
    """The first member that is not the value."""
    for member in ordered(container):
        if member != value:
            return member
    raise empty("other: there is no other member")


@primitive(
    "C[D[a]] -> C[a]",
    examples=("merge(((1, 2), (3,))) == (1, 2, 3)", "merge({{1, 2}, {2, 3}}) == {1, 2, 3}"),
    gpu=WIDE,
    brief="members of the members, in the outer kind",
)
def merge(containers: Containers) -> Value:
    """The members of all members, in a container of the outer kind."""
    require(sum(map(len, containers)))
    inners = cast(Sequence[Container], ordered(containers))
    return like(containers, (member for inner in inners for member in ordered(inner)))


# --- making ---


@primitive(
    "a -> Set[a]",
    peeks="all",
    examples=("initset(3) == {3}", "initset(UP) == {(-1, 0)}"),
    gpu=SINGLE_THREAD,
    brief="{value}",
)
def initset(value: Value) -> Value:
    """The set with this one member."""
    return frozenset({value})


@primitive(
    "C[a] -> Tuple[a]",
    examples=("totuple({3, 1, 2}) == (1, 2, 3)", "totuple((2, 1)) == (2, 1)"),
    brief="the members in order",
)
def totuple(container: Container) -> Value:
    """The members as a tuple, in iteration order."""
    return tuple(ordered(container))


@primitive(
    "a, Count -> Tuple[a]",
    peeks="all",
    examples=("repeat(7, 3) == (7, 7, 7)", "repeat(7, -1) == ()"),
    brief="item, num times",
)
def repeat(item: Value, num: int) -> Value:
    """The item `num` times; an empty tuple for a negative number."""
    require(num * (1 + current_meter().weight(item)))
    return (item,) * num


@primitive(
    "Integer, Integer, Integer -> Tuple[Integer]",
    examples=("interval(0, 5, 2) == (0, 2, 4)", "interval(3, 0, -1) == (3, 2, 1)"),
    brief="start, start + step, ... before stop",
)
def interval(start: int, stop: int, step: int) -> Value:
    """Numbers from start up to, not including, stop; a step of zero fails."""
    if step == 0:
        raise out_of_range("interval: the step is zero")
    numbers = range(start, stop, step)
    require(len(numbers))
    return tuple(numbers)


@primitive(
    "C[a], D[b] -> Set[(a, b)]",
    examples=("product({1, 2}, {3}) == {(1, 3), (2, 3)}", "product((1, 2), ()) == EMPTY"),
    gpu=WIDE,
    brief="all (x of a, y of b)",
)
def product(a: Container, b: Container) -> Value:
    """All pairs of a member of the first and one of the second."""
    require(3 * len(a) * len(b))
    return frozenset((x, y) for x in a for y in b)


@primitive(
    "C[a], D[b] -> Tuple[(a, b)]",
    examples=("pair((1, 2), (3, 4)) == ((1, 3), (2, 4))", "pair((1, 2), {9}) == ((1, 9),)"),
    gpu=WIDE,
    brief="(x of a, y of b) place by place, to the end of the shorter",
)
def pair(a: Container, b: Container) -> Value:
    """Pairs of members at the same place, up to the end of the shorter container."""
    return tuple(zip(ordered(a), ordered(b), strict=False))


# --- picking ---


@primitive(
    "C[a] -> a",
    peeks="all",
    examples=("first((4, 5)) == 4", "first({3, 1}) == 1"),
    gpu=SINGLE_THREAD,
)
def first(container: Container) -> Value:
    """The first member in iteration order."""
    if not container:
        raise empty("first: the container is empty")
    return ordered(container)[0]


@primitive(
    "C[a] -> a",
    peeks="all",
    examples=("second((4, 5)) == 5", "second({3, 1}) == 3"),
    gpu=SINGLE_THREAD,
    in_arc_dsl=False,
)
def second(container: Container) -> Value:
    """The second member in iteration order."""
    if len(container) < 2:
        raise empty("second: the container has no second member")
    return ordered(container)[1]


@primitive(
    "C[a] -> a", peeks="all", examples=("last((4, 5)) == 5", "last({3, 1}) == 3"), gpu=SINGLE_THREAD
)
def last(container: Container) -> Value:
    """The last member in iteration order."""
    if not container:
        raise empty("last: the container is empty")
    return ordered(container)[-1]


@primitive(
    "C[a] -> a",
    examples=("maximum((3, 7, 5)) == 7", "maximum(EMPTY) == 0"),
    brief="greatest member; 0 if empty",
)
def maximum(container: Container) -> Value:
    """The greatest member; 0 if there is none.

    Members of any kinds can be compared: see the order of values.
    """
    return max(container, key=sort_key, default=0)


@primitive(
    "C[a] -> a",
    examples=("minimum((3, 7, 5)) == 3", "minimum(()) == 0"),
    brief="least member; 0 if empty",
)
def minimum(container: Container) -> Value:
    """The least member; 0 if there is none.

    Members of any kinds can be compared: see the order of values.
    """
    return min(container, key=sort_key, default=0)


@primitive(
    "C[a], (a -> b) -> b",
    examples=("valmax({(1, 2), (3, 0)}, first) == 3", "valmax(EMPTY, identity) == 0"),
    gpu=Gpu(calls="compfunc"),
    brief="greatest compfunc(member)",
)
def valmax(container: Container, compfunc: Function) -> Value:
    """The greatest value of a function over the members.

    Of an empty container it is the function's value of 0.
    """
    return max(map_over(compfunc, ordered(container) or (0,)), key=sort_key)


@primitive(
    "C[a], (a -> b) -> b",
    examples=("valmin({(1, 2), (3, 0)}, last) == 0", "valmin((), identity) == 0"),
    gpu=Gpu(calls="compfunc"),
    brief="least compfunc(member)",
)
def valmin(container: Container, compfunc: Function) -> Value:
    """The least value of a function over the members.

    Of an empty container it is the function's value of 0.
    """
    return min(map_over(compfunc, ordered(container) or (0,)), key=sort_key)


def pick_extreme(container: Container, compfunc: Value, name: str, sign: int) -> Value:
    if not container:
        raise empty(f"{name}: the container is empty")
    members = ordered(container)
    keys = map_over(compfunc, members)
    best = 0
    for i in range(1, len(keys)):
        if sign * compare(keys[i], keys[best]) > 0:
            best = i
    return members[best]


@primitive(
    "C[a], (a -> b) -> a",
    ties=FIRST_IN_ORDER,
    examples=("argmax(((1, 2), (3, 0)), first) == (3, 0)", "argmax({4, 6}, even) == 4"),
    gpu=Gpu(calls="compfunc"),
    brief="member of greatest compfunc",
)
def argmax(container: Container, compfunc: Function) -> Value:
    """The member for which a function is greatest."""
    return pick_extreme(container, compfunc, "argmax", 1)


@primitive(
    "C[a], (a -> b) -> a",
    ties=FIRST_IN_ORDER,
    examples=("argmin(((1, 2), (3, 0)), last) == (3, 0)", "argmin({4, 6}, even) == 4"),
    gpu=Gpu(calls="compfunc"),
    brief="member of least compfunc",
)
def argmin(container: Container, compfunc: Function) -> Value:
    """The member for which a function is least."""
    return pick_extreme(container, compfunc, "argmin", -1)


@primitive(
    "C[a] -> a",
    ties="of equally common ones, the least value",
    examples=("mostcommon((3, 1, 3)) == 3", "mostcommon((2, 1)) == 1"),
    brief="most frequent; ties: the least",
)
def mostcommon(container: Container) -> Value:
    """The member that occurs most often.

    In a set every member occurs once, so it is the least.
    """
    return _most_common(container, "mostcommon", 1)


@primitive(
    "C[a] -> a",
    ties="of equally rare ones, the least value",
    examples=("leastcommon((3, 1, 3)) == 1", "leastcommon((2, 1)) == 1"),
    brief="least frequent; ties: the least",
)
def leastcommon(container: Container) -> Value:
    """The member that occurs least often.

    In a set every member occurs once, so it is the least.
    """
    return _most_common(container, "leastcommon", -1)


def _most_common(container: Container, name: str, sign: int) -> Value:
    if not container:
        raise empty(f"{name}: the container is empty")
    counts = Counter(container)
    return max(sort(counts), key=lambda member: sign * counts[member])


@primitive(
    "C[a], (a -> b) -> Tuple[a]",
    ties="members with equal keys keep their order",
    examples=(
        "order({1, 2, 3}, invert) == (3, 2, 1)",
        "order(((1, 9), (0, 8)), first) == ((0, 8), (1, 9))",
    ),
    gpu=Gpu(calls="compfunc", wide=True),
    brief="sorted by compfunc, ties in order",
)
def order(container: Container, compfunc: Function) -> Value:
    """The members as a tuple, ascending by a function."""
    members = ordered(container)
    keys = map_over(compfunc, members)
    places = sorted(range(len(members)), key=lambda i: sort_key(keys[i]))
    return tuple(members[i] for i in places)


# --- filtering ---


@primitive(
    "C[a], (a -> Any) -> C[a]",
    examples=("sfilter((1, 2, 4), even) == (2, 4)", "sfilter({-1, 1}, positive) == {1}"),
    gpu=Gpu(calls="condition", wide=True),
    brief="members for which condition is true",
)
def sfilter(container: Container, condition: Function) -> Value:
    """The members for which a condition is true."""
    members = ordered(container)
    kept = zip(members, map_over(condition, members), strict=True)
    return like(container, (member for member, keep in kept if keep))


@primitive(
    "C[D[a]], (D[a] -> Any) -> C[a]",
    examples=(
        "mfilter({{1}, {2, 3}}, matcher(size, 2)) == {2, 3}",
        "mfilter(((1,), (2, 3)), matcher(size, 1)) == (1,)",
    ),
    domains={"container": ANY_CONTAINER},
    gpu=Gpu(calls="function", wide=True),
    brief="merge(sfilter(container, function))",
)
def mfilter(container: Container, function: Function) -> Value:
    """The members of all members for which a condition is true."""
    return merge_members(sfilter(container, function), "mfilter")


@primitive(
    "C[a], (a -> Any) -> a",
    ties=FIRST_IN_ORDER,
    examples=("extract((1, 2, 4), even) == 2", "extract({-1, 5}, positive) == 5"),
    gpu=Gpu(calls="condition"),
    brief="first member for which condition is true",
)
def extract(container: Container, condition: Function) -> Value:
    """The first member for which a condition is true.

    The condition is called on every member; its failure counts only before the first
    that is true.
    """
    members = ordered(container)
    for member, result in zip(members, try_calls((condition, m) for m in members), strict=True):
        if isinstance(result, CallFailed):
            raise result
        if result:
            return member
    raise empty("extract: no member fits the condition")


@primitive(
    "C[D[a]], Count -> Set[D[a]]",
    examples=("sizefilter({{1}, {2, 3}}, 2) == {{2, 3}}", "sizefilter(((1, 2),), 1) == EMPTY"),
    brief="members of size n, as a set",
)
def sizefilter(container: Containers, n: int) -> Value:
    """The members with `n` members, as a set."""
    return frozenset(member for member in container if len(member) == n)


def merge_members(containers: Value, name: str) -> Container:
    """Merge the results of a function, which may not be containers."""
    assert isinstance(containers, tuple | frozenset)
    if not all(isinstance(inner, tuple | frozenset) for inner in containers):
        raise wrong_type(f"{name}: the function gives values that are no tuples or sets")
    return merge(containers)  # type: ignore[arg-type, return-value]
