"""Numbers, pairs of numbers and truth values.

Where a primitive takes a number or a pair, it works on a pair element by element.
"""

from __future__ import annotations

from collections.abc import Callable

from ..failure import out_of_range
from ..registry import SINGLE_THREAD, Gpu, primitive
from ..values import Pair, Value, compare

_EACH = ("Integer -> Integer", "Pair -> Pair")
_BOTH = (
    "Integer, Integer -> Integer",
    "Pair, Pair -> Pair",
    "Integer, Pair -> Pair",
    "Pair, Integer -> Pair",
)


def _on_each(operation: Callable[[int], int], x: int | Pair) -> int | Pair:
    return (operation(x[0]), operation(x[1])) if isinstance(x, tuple) else operation(x)


def _on_both(operation: Callable[[int, int], int], a: int | Pair, b: int | Pair) -> int | Pair:
    if not isinstance(a, tuple) and not isinstance(b, tuple):
        return operation(a, b)
    a0, a1 = a if isinstance(a, tuple) else (a, a)
    b0, b1 = b if isinstance(b, tuple) else (b, b)
    return operation(a0, b0), operation(a1, b1)


@primitive(
    *_BOTH,
    examples=("add(2, 3) == 5", "add((1, 2), (3, 4)) == (4, 6)", "add(1, UP) == (0, 1)"),
    gpu=SINGLE_THREAD,
    brief="a + b",
)
def add(a: int | Pair, b: int | Pair) -> Value:
    """Sum of two numbers or pairs."""
    return _on_both(lambda x, y: x + y, a, b)


@primitive(
    *_BOTH,
    examples=("subtract(2, 3) == -1", "subtract((4, 6), (3, 4)) == (1, 2)"),
    gpu=SINGLE_THREAD,
    brief="a - b",
)
def subtract(a: int | Pair, b: int | Pair) -> Value:
    """The first less the second, of two numbers or pairs."""
    return _on_both(lambda x, y: x - y, a, b)


@primitive(
    *_BOTH,
    examples=("multiply(2, 3) == 6", "multiply(3, RIGHT) == (0, 3)", "multiply(T, 4) == 4"),
    gpu=SINGLE_THREAD,
    brief="a * b",
)
def multiply(a: int | Pair, b: int | Pair) -> Value:
    """Product of two numbers or pairs."""
    return _on_both(lambda x, y: x * y, a, b)


def _floor_divide(x: int, y: int) -> int:
    if y == 0:
        raise out_of_range("divide: division by zero")
    return x // y


@primitive(
    *_BOTH,
    examples=("divide(7, 2) == 3", "divide(-7, 2) == -4", "divide((9, 4), 2) == (4, 2)"),
    gpu=SINGLE_THREAD,
    brief="a // b, rounded down",
)
def divide(a: int | Pair, b: int | Pair) -> Value:
    """Whole quotient, rounded down; by zero it fails."""
    return _on_both(_floor_divide, a, b)


@primitive(
    *_EACH,
    examples=("invert(3) == -3", "invert(DOWN) == (-1, 0)"),
    gpu=SINGLE_THREAD,
    brief="-n",
)
def invert(n: int | Pair) -> Value:
    """Negative of a number or pair."""
    return _on_each(lambda x: -x, n)


@primitive(
    "Integer -> Boolean",
    examples=("even(4) == T", "even(-3) == F"),
    gpu=SINGLE_THREAD,
    brief="n % 2 == 0",
)
def even(n: int) -> Value:
    """Whether a number is even."""
    return n % 2 == 0


@primitive(
    *_EACH,
    examples=("double(4) == 8", "double((1, -2)) == (2, -4)"),
    gpu=SINGLE_THREAD,
    brief="n * 2",
)
def double(n: int | Pair) -> Value:
    """Twice a number or pair."""
    return _on_each(lambda x: x * 2, n)


@primitive(
    *_EACH,
    examples=("halve(5) == 2", "halve(-5) == -3", "halve((5, 4)) == (2, 2)"),
    gpu=SINGLE_THREAD,
    brief="n // 2",
)
def halve(n: int | Pair) -> Value:
    """Half of a number or pair, rounded down."""
    return _on_each(lambda x: x // 2, n)


@primitive(
    *_EACH,
    examples=("increment(0) == 1", "increment((0, 4)) == (1, 5)"),
    gpu=SINGLE_THREAD,
    brief="x + 1",
)
def increment(x: int | Pair) -> Value:
    """One more than a number, or than each of a pair."""
    return _on_each(lambda n: n + 1, x)


@primitive(
    *_EACH,
    examples=("decrement(0) == -1", "decrement((1, 5)) == (0, 4)"),
    gpu=SINGLE_THREAD,
    brief="x - 1",
)
def decrement(x: int | Pair) -> Value:
    """One less than a number, or than each of a pair."""
    return _on_each(lambda n: n - 1, x)


@primitive(
    *_EACH,
    examples=("crement(3) == 4", "crement((-2, 0)) == (-3, 0)"),
    gpu=SINGLE_THREAD,
    brief="one further from 0; 0 stays 0",
)
def crement(x: int | Pair) -> Value:
    """The number one step further from zero; zero stays zero."""
    return _on_each(lambda n: n + (n > 0) - (n < 0), x)


@primitive(
    *_EACH,
    examples=("sign(-7) == -1", "sign((0, 5)) == (0, 1)"),
    gpu=SINGLE_THREAD,
    brief="its sign: -1, 0 or 1",
)
def sign(x: int | Pair) -> Value:
    """-1, 0 or 1, as a number is negative, zero or positive."""
    return _on_each(lambda n: (n > 0) - (n < 0), x)


@primitive(
    "Integer -> Boolean",
    examples=("positive(2) == T", "positive(0) == F"),
    gpu=SINGLE_THREAD,
    brief="x > 0",
)
def positive(x: int) -> Value:
    """Whether a number is greater than zero."""
    return x > 0


@primitive(
    "Integer, Integer -> Boolean",
    "Numerical, Numerical -> Boolean",
    examples=("greater(3, 2) == T", "greater(2, 2) == F", "greater((3, 1), (2, 5)) == T"),
    gpu=SINGLE_THREAD,
    brief="a > b; pairs as tuples in Python",
)
def greater(a: int | Pair, b: int | Pair) -> Value:
    """Whether the first number or pair comes after the second in the order of values."""
    return compare(a, b) > 0


@primitive(
    "Integer -> Direction",
    examples=("toivec(2) == (2, 0)", "toivec(-1) == UP"),
    gpu=SINGLE_THREAD,
    brief="(i, 0)",
)
def toivec(i: int) -> Value:
    """Vector pointing i rows down."""
    return i, 0


@primitive(
    "Integer -> Direction",
    examples=("tojvec(2) == (0, 2)", "tojvec(-1) == LEFT"),
    gpu=SINGLE_THREAD,
    brief="(0, j)",
)
def tojvec(j: int) -> Value:
    """Vector pointing j columns right."""
    return 0, j


@primitive(
    "Any -> Boolean",
    peeks="all",
    examples=("flip(T) == F", "flip(EMPTY) == T"),
    gpu=SINGLE_THREAD,
    brief="not b",
)
def flip(b: Value) -> Value:
    """Logical not.

    Zero, None and empty containers are false, all else is true.
    """
    return not b


@primitive(
    "a, a -> a",
    peeks="all",
    examples=("both(T, F) == F", "both(T, T) == T"),
    gpu=SINGLE_THREAD,
    brief="a and b",
)
def both(a: Value, b: Value) -> Value:
    """Logical and.

    Gives one of its arguments: the first where it is false, otherwise the second.
    """
    return a and b


@primitive(
    "a, a -> a",
    peeks="all",
    examples=("either(T, F) == T", "either(F, F) == F"),
    gpu=SINGLE_THREAD,
    brief="a or b",
)
def either(a: Value, b: Value) -> Value:
    """Logical or.

    Gives one of its arguments: the first where it is true, otherwise the second.
    """
    return a or b


@primitive(
    "a, a -> Boolean",
    examples=("equality(1, T) == T", "equality((0, 1), (1, 0)) == F"),
    gpu=SINGLE_THREAD,
    brief="a == b",
)
def equality(a: Value, b: Value) -> Value:
    """Whether two values are equal.

    Functions are equal when they are the same primitive with equal captured arguments.
    """
    return a == b


@primitive(
    "a -> a",
    peeks="all",
    examples=("identity(3) == 3", "identity(UP) == (-1, 0)"),
    gpu=SINGLE_THREAD,
    brief="x",
)
def identity(x: Value) -> Value:
    """The value itself."""
    return x


@primitive(
    "Any, a, a -> a",
    peeks="all",
    examples=("branch(T, 1, 2) == 1", "branch(equality(1, 2), UP, DOWN) == (1, 0)"),
    gpu=Gpu(combines="a b", single_thread=True),
    brief="a if condition else b",
)
def branch(condition: Value, a: Value, b: Value) -> Value:
    """The second argument where the first is true, otherwise the third.

    All arguments are evaluated before the choice, so a failure in either of them is the
    call's.
    """
    return a if condition else b


@primitive(
    "a, b -> (a, b)",
    peeks="all",
    examples=("astuple(1, 2) == (1, 2)", "astuple(3, UP) == (3, (-1, 0))"),
    gpu=SINGLE_THREAD,
    brief="(a, b)",
)
def astuple(a: Value, b: Value) -> Value:
    """The two values as a pair."""
    return a, b


@primitive(
    "Pair -> Indices",
    examples=(
        "dneighbors((1, 1)) == {(0, 1), (1, 0), (1, 2), (2, 1)}",
        "size(dneighbors(ORIGIN)) == 4",
    ),
    gpu=SINGLE_THREAD,
    brief="the 4 locations beside it",
)
def dneighbors(loc: Pair) -> Value:
    """The four locations that touch a location by a side."""
    i, j = loc
    return frozenset({(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)})


@primitive(
    "Pair -> Indices",
    examples=(
        "ineighbors((1, 1)) == {(0, 0), (0, 2), (2, 0), (2, 2)}",
        "size(ineighbors(ORIGIN)) == 4",
    ),
    gpu=SINGLE_THREAD,
    brief="the 4 diagonal ones",
)
def ineighbors(loc: Pair) -> Value:
    """The four locations that touch a location by a corner."""
    i, j = loc
    return frozenset({(i - 1, j - 1), (i - 1, j + 1), (i + 1, j - 1), (i + 1, j + 1)})


@primitive(
    "Pair -> Indices",
    examples=("size(neighbors((1, 1))) == 8", "contained((1, 1), neighbors((1, 1))) == F"),
    gpu=SINGLE_THREAD,
    brief="the 8 around it",
)
def neighbors(loc: Pair) -> Value:
    """The eight locations around a location."""
    i, j = loc
    around = ((i + di, j + dj) for di in (-1, 0, 1) for dj in (-1, 0, 1))
    return frozenset(place for place in around if place != loc)
