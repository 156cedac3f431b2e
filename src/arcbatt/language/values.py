"""Values of the language: numbers, None, tuples, sets and functions.

A grid is a tuple of tuples of numbers, a location or vector a pair of numbers, a cell a
pair (color, location), indices a set of locations, an object a set of cells. Booleans
are the numbers 0 and 1, as in Python: `T` equals `ONE` everywhere.

Two things about values are decided here, for every implementation:

- *Order.* There is one total order: None, then numbers ascending, then tuples element by
  element (the shorter first where one is a prefix), then sets (as the tuples of their
  sorted elements), then functions (by name, then by captured arguments). Sets are always
  iterated in ascending order, so equal values give equal results.
- *Weight.* The elements of a value at all levels: 0 for a number, None or a bare
  primitive; for a tuple or set the number of its members plus their weights; for a
  function that captured arguments, the same over those. Budgets are counted in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import chain
from typing import TypeAlias

from arcbatt.display import Displayed

from .failure import out_of_range, over_budget

# Numbers range from -MAX_NUMBER to MAX_NUMBER. With 21 bits each for color, row and column, a cell
# fits a 64-bit key.
MAX_NUMBER = 2**20 - 1
# The deepest nesting of a value (a set of objects has 4 levels).
MAX_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Function(Displayed):
    """A primitive with the arguments it has captured; none for a bare primitive."""

    name: str
    args: tuple[Value, ...] = ()

    def __call__(self, *args: object) -> Value:
        """Call it from the definition of a user-defined primitive, on convertible values.

        The call costs and fails like any other call of the running program.
        """
        from .calls import call_given  # here, since `calls` imports this module

        return call_given(self, args)

    def __str__(self) -> str:
        return _format_function(self, 0)


Value: TypeAlias = "int | tuple[Value, ...] | frozenset[Value] | Function | None"
Pair: TypeAlias = tuple[int, int]
Cell: TypeAlias = tuple[int, Pair]
Grid: TypeAlias = tuple[tuple[int, ...], ...]
Table: TypeAlias = tuple[tuple[Value, ...], ...]
Container: TypeAlias = "tuple[Value, ...] | frozenset[Value]"
Containers: TypeAlias = "tuple[Container, ...] | frozenset[Container]"
Functions: TypeAlias = "tuple[Function, ...] | frozenset[Function]"
Cells: TypeAlias = "tuple[Cell, ...] | frozenset[Cell]"
Objects: TypeAlias = "tuple[frozenset[Cell], ...] | frozenset[frozenset[Cell]]"
Patch: TypeAlias = Container  # indices or an object
Element: TypeAlias = Container  # a grid or an object
Piece: TypeAlias = Container  # a grid, indices or an object
Demos: TypeAlias = tuple[tuple[Grid, Grid], ...]
Picture: TypeAlias = tuple[Pair, Grid]
Pictures: TypeAlias = frozenset[Picture]

_NUMBERS = frozenset({int, bool})


def is_number(value: object) -> bool:
    return type(value) in _NUMBERS


def _only_numbers_and_tuples(values: Iterable[Value]) -> bool:
    """Return whether values hold only numbers and tuples, which Python orders as we do."""
    level: Iterable[Value] = values
    while True:
        level = list(level)
        kinds = set(map(type, level))
        if kinds <= _NUMBERS:
            return True
        if not kinds <= _NUMBERS | {tuple}:
            return False
        level = chain.from_iterable(v for v in level if type(v) is tuple)


def ordered(container: Container) -> Sequence[Value]:
    """Return the members in iteration order: that of a tuple, ascending for a set."""
    if type(container) is tuple:
        return container
    return sort(container)


def sort(values: Iterable[Value]) -> list[Value]:
    """Return values in ascending order; the sort is stable."""
    values = list(values)
    try:
        if _only_numbers_and_tuples(values):
            return sorted(values)  # type: ignore[type-var]
        if set(map(type, values)) == {frozenset} and all(map(_only_numbers_and_tuples, values)):  # type: ignore[arg-type]
            return sorted(values, key=sorted)  # type: ignore[arg-type]
    except TypeError:
        pass  # a mix of numbers and tuples needs the full comparison
    return sorted(values, key=cmp_to_key(compare))


def _rank(value: Value) -> int:
    if value is None:
        return 0
    if is_number(value):
        return 1
    return 2 if type(value) is tuple else 3 if type(value) is frozenset else 4


def compare(a: Value, b: Value) -> int:
    """Return a negative number, 0 or a positive one if a comes before, equals or comes after b."""
    if a is b:
        return 0
    if _rank(a) != _rank(b):
        return _rank(a) - _rank(b)
    if isinstance(a, int) and isinstance(b, int):
        return (a > b) - (a < b)
    if isinstance(a, Function) and isinstance(b, Function):
        if a.name != b.name:
            return -1 if a.name < b.name else 1
        return _compare_members(a.args, b.args)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return _compare_members(ordered(a), ordered(b))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _compare_members(a, b)
    return 0


def _compare_members(a: Sequence[Value], b: Sequence[Value]) -> int:
    for x, y in zip(a, b, strict=False):
        if difference := compare(x, y):
            return difference
    return len(a) - len(b)


sort_key = cmp_to_key(compare)


def _members(value: Value) -> Iterable[Value]:
    return value.args if isinstance(value, Function) else value  # type: ignore[return-value]


def weigh(value: Value, limit: int) -> int:
    """Return the value's weight; fail beyond `limit` or the bounds of numbers and nesting.

    A value that is both too large and has numbers out of range is over budget.
    """
    if value is None:
        return 0
    if type(value) in _NUMBERS:
        _check_numbers((value,))  # type: ignore[arg-type]
        return 0
    level: list[Value] = [value]
    numbers: list[int] = []
    total = 0
    for _ in range(MAX_DEPTH):
        if Function in set(map(type, level)):
            members = list(chain.from_iterable(map(_members, level)))
        else:
            members = list(chain.from_iterable(level))  # type: ignore[arg-type]
        total += len(members)
        if total > limit:
            raise over_budget(f"a value of more than {limit} elements")
        kinds = set(map(type, members))
        if kinds <= _NUMBERS:
            _check_numbers(numbers + members)  # type: ignore[operator]
            return total
        numbers += [v for v in members if type(v) in _NUMBERS]  # type: ignore[misc]
        level = [v for v in members if type(v) not in _NUMBERS and v is not None]
        if not level:
            _check_numbers(numbers)
            return total
    raise over_budget(f"a value nested deeper than {MAX_DEPTH} levels")


def _check_numbers(numbers: Sequence[int]) -> None:
    if numbers and (max(numbers) > MAX_NUMBER or min(numbers) < -MAX_NUMBER):
        raise out_of_range(f"a number beyond {MAX_NUMBER}")


def is_data(value: object) -> bool:
    """Return whether a value holds no function, as constants must."""
    stack: list[object] = [value]
    for _ in range(1_000_000):
        if not stack:
            return True
        top = stack.pop()
        if isinstance(top, tuple | frozenset):
            stack.extend(top)
        elif top is not None and not is_number(top):
            return False
    return False


def _format_function(function: Function, depth: int) -> str:
    """Return text like `compose(size, first)`, cut at a depth: captured parts are shared."""
    if not function.args:
        return function.name
    if depth == 4:
        return f"{function.name}(...)"
    args = (
        _format_function(arg, depth + 1) if isinstance(arg, Function) else format_value(arg)
        for arg in function.args
    )
    return f"{function.name}({', '.join(args)})"


def format_value(value: Value) -> str:
    """Return the value as program text, which `parse` reads back as a constant."""
    if value is True:
        return "T"
    if value is False:
        return "F"
    if isinstance(value, tuple):
        inner = ", ".join(map(format_value, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(format_value, ordered(value))) + "}" if value else "EMPTY"
    return str(value)


# --- content hash -----------------------------------------------------------------------

_WORD = 2**64 - 1


def _mix(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & _WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & _WORD
    return x ^ x >> 31


def _multiplier(k: int) -> int:
    return _mix((k + 1) * 0x9E3779B97F4A7C15 & _WORD) | 1


def _close(kind: int, n: int, total: int) -> int:
    return _mix((total + kind * 0xD1B54A32D192ED03 + n * 0x8CB92BA72F3D8DD7) & _WORD)


def hash_name(name: str) -> int:
    """Return a 64-bit hash of a primitive's name (FNV-1a, mixed)."""
    result = 0xCBF29CE484222325
    for byte in name.encode():
        result = (result ^ byte) * 0x100000001B3 & _WORD
    return _mix(result)


def content_hash(value: Value) -> int:
    """Return the 64-bit hash of a value that every implementation computes."""
    if value is None:
        return _close(1, 0, 0)
    if isinstance(value, int):
        return _mix((value * 0x9E3779B97F4A7C15 + 2) & _WORD)
    if isinstance(value, frozenset):
        return _close(4, len(value), sum(_mix(content_hash(member)) for member in value))
    members = value.args if isinstance(value, Function) else value
    total = sum(content_hash(member) * _multiplier(k) for k, member in enumerate(members))
    if isinstance(value, Function):
        return _close(5, len(members), total + hash_name(value.name))
    return _close(3, len(members), total)
