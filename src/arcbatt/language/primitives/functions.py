"""Functions as values: making them, and applying them to containers.

A primitive here that makes a function is followed by what a call of that function does
(`applied`). Such a call costs what the calls inside it cost.
"""

from __future__ import annotations

from ..budget import charge, require
from ..calls import call, make_calls, map_over
from ..failure import out_of_range
from ..registry import CPU_ONLY, Gpu, applied, primitive
from ..values import Container, Function, Functions, Value, ordered
from .containers import like, merge_members


@primitive(
    "(b -> c), (a -> b) -> (a -> c)",
    peeks="all",
    examples=(
        "apply(compose(double, increment), (1, 2)) == (4, 6)",
        "apply(compose(first, last), (((0, 1), (2, 3)),)) == (2,)",
    ),
    gpu=Gpu(combines="outer inner", single_thread=True),
    brief="x -> outer(inner(x))",
)
def compose(outer: Function, inner: Function) -> Value:
    """The function that applies the second, then the first."""
    return Function("compose", (outer, inner))


@applied("compose")
def _(outer: Value, inner: Value, x: Value) -> Value:
    return call(outer, call(inner, x))


@primitive(
    "(c -> d), (b -> c), (a -> b) -> (a -> d)",
    peeks="all",
    examples=(
        "apply(chain(double, increment, invert), (1, 2)) == (0, -2)",
        "apply(chain(size, first, first), ((((1, 2),),),)) == (2,)",
    ),
    gpu=Gpu(combines="h g f", single_thread=True),
    brief="x -> h(g(f(x)))",
)
def chain(h: Function, g: Function, f: Function) -> Value:
    """The function that applies the third, then the second, then the first."""
    return Function("chain", (h, g, f))


@applied("chain")
def _(h: Value, g: Value, f: Value, x: Value) -> Value:
    return call(h, call(g, call(f, x)))


@primitive(
    "(a -> b), b -> (a -> Boolean)",
    peeks="all",
    examples=(
        "apply(matcher(even, T), (1, 2)) == (F, T)",
        "sfilter({(0, 1), (1, 1)}, matcher(first, 0)) == {(0, 1)}",
    ),
    gpu=Gpu(combines="function", single_thread=True),
    brief="x -> function(x) == target",
)
def matcher(function: Function, target: Value) -> Value:
    """The condition that a function's value equals a target.

    A call costs one step more than the function's.
    """
    return Function("matcher", (function, target))


@applied("matcher")
def _(function: Value, target: Value, x: Value) -> Value:
    charge(1)
    return call(function, x) == target


@primitive(
    "(a, b -> c), b -> (a -> c)",
    "(a, b, c -> d), c -> (a, b -> d)",
    peeks="all",
    examples=(
        "apply(rbind(subtract, 1), (5, 6)) == (4, 5)",
        "apply(rbind(contained, {1, 2}), (1, 3)) == (T, F)",
    ),
    gpu=Gpu(combines="function", single_thread=True),
    brief="last argument fixed",
)
def rbind(function: Function, fixed: Value) -> Value:
    """The function with its last argument fixed."""
    return Function("rbind", (function, fixed))


@applied("rbind")
def _(function: Value, fixed: Value, *args: Value) -> Value:
    return call(function, *args, fixed)


@primitive(
    "(a, b -> c), a -> (b -> c)",
    "(a, b, c -> d), a -> (b, c -> d)",
    peeks="all",
    examples=(
        "apply(lbind(subtract, 1), (5, 6)) == (-4, -5)",
        "apply(lbind(contained, 1), ({1, 2}, {3})) == (T, F)",
    ),
    gpu=Gpu(combines="function", single_thread=True),
    brief="first argument fixed",
)
def lbind(function: Function, fixed: Value) -> Value:
    """The function with its first argument fixed."""
    return Function("lbind", (function, fixed))


@applied("lbind")
def _(function: Value, fixed: Value, *args: Value) -> Value:
    return call(function, fixed, *args)


@primitive(
    "(a -> a), Count -> (a -> a)",
    peeks="all",
    examples=("apply(power(double, 3), (1, 2)) == (8, 16)", "power(double, 1) == double"),
    gpu=Gpu(combines="function"),
    brief="x -> function applied n times, n > 0",
)
def power(function: Function, n: int) -> Value:
    """The function applied n times in a row; n below 1 fails."""
    if n < 1:
        raise out_of_range(f"power: {n} times")
    return function if n == 1 else Function("power", (function, int(n)))


@applied("power")
def _(function: Value, n: int, x: Value) -> Value:
    for _ in range(n):
        x = call(function, x)
    return x


@primitive(
    "(b, c -> d), (a -> b), (a -> c) -> (a -> d)",
    peeks="all",
    examples=(
        "apply(fork(add, identity, double), (1, 2)) == (3, 6)",
        "apply(fork(astuple, last, first), ((0, 1), (2, 3))) == ((1, 0), (3, 2))",
    ),
    gpu=Gpu(combines="outer a b", single_thread=True),
    brief="x -> outer(a(x), b(x))",
)
def fork(outer: Function, a: Function, b: Function) -> Value:
    """The function that applies both inner ones and joins their values by the outer."""
    return Function("fork", (outer, a, b))


@applied("fork")
def _(outer: Value, a: Value, b: Value, x: Value) -> Value:
    return call(outer, call(a, x), call(b, x))


# --- over containers ---


@primitive(
    "(a -> b), C[a] -> C[b]",
    examples=("apply(double, (1, 2)) == (2, 4)", "apply(sign, {5, 7, -1}) == {-1, 1}"),
    gpu=Gpu(calls="function", wide=True),
    brief="function(x) for each member",
)
def apply(function: Function, container: Container) -> Value:
    """The function's values over the members."""
    return like(container, map_over(function, ordered(container)))


@primitive(
    "C[(a -> b)], a -> C[b]",
    examples=(
        "rapply(astuple(double, invert), 3) == (6, -3)",
        "rapply(insert(first, initset(last)), (1, 2)) == {1, 2}",
    ),
    gpu=CPU_ONLY,
    brief="f(value) for each f",
)
def rapply(functions: Functions, value: Value) -> Value:
    """Each function's value of one argument."""
    return like(functions, make_calls((function, value) for function in ordered(functions)))


@primitive(
    "(a -> D[b]), C[a] -> C[b]",
    examples=(
        "mapply(dneighbors, {(0, 0)}) == dneighbors(ORIGIN)",
        "mapply(lbind(repeat, 1), (1, 2)) == (1, 1, 1)",
    ),
    gpu=Gpu(calls="function", wide=True),
    brief="merge(apply(function, container))",
)
def mapply(function: Function, container: Container) -> Value:
    """The function's values over the members, merged."""
    return merge_members(apply(function, container), "mapply")


@primitive(
    "(a, b -> c), C[a], D[b] -> Tuple[c]",
    examples=(
        "papply(add, (1, 2), (3, 4)) == (4, 6)",
        "papply(astuple, (1, 2), (3,)) == ((1, 3),)",
    ),
    gpu=Gpu(calls="function", columns=2, wide=True),
    brief="function(x, y) for pair(a, b)",
)
def papply(function: Function, a: Container, b: Container) -> Value:
    """The function's values on members at the same place, up to the shorter container's end."""
    return tuple(make_calls((function, x, y) for x, y in zip(ordered(a), ordered(b), strict=False)))


@primitive(
    "(a, b -> E[c]), C[a], D[b] -> Tuple[c]",
    examples=(
        "mpapply(repeat, (7, 8), (1, 2)) == (7, 8, 8)",
        "mpapply(combine, ((1,), (2,)), ((3,), (4,))) == (1, 3, 2, 4)",
    ),
    gpu=Gpu(calls="function", columns=2, wide=True),
    brief="merge(papply(function, a, b))",
)
def mpapply(function: Function, a: Container, b: Container) -> Value:
    """`papply`, merged."""
    return merge_members(papply(function, a, b), "mpapply")


@primitive(
    "(a, b -> c), C[a], D[b] -> Set[c]",
    examples=(
        "prapply(add, {1, 2}, {10, 20}) == {11, 12, 21, 22}",
        "prapply(astuple, (1,), {2}) == {(1, 2)}",
    ),
    gpu=Gpu(calls="function", columns=2, wide=True),
    brief="function(x, y) for product(a, b)",
)
def prapply(function: Function, a: Container, b: Container) -> Value:
    """The function's values over all pairs of members, as a set."""
    require(len(a) * len(b))
    return frozenset(make_calls((function, x, y) for y in ordered(b) for x in ordered(a)))
