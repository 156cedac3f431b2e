"""Convert Python values to values of the language.

Lists and NumPy arrays of integers become tuples. Anything else that is not a value is refused here,
so that running, which never raises, deals with values only.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection
from itertools import chain
from typing import Any

from .registry import applied_definition, find_primitive
from .values import MAX_DEPTH, MAX_NUMBER, Function, Value

# The most elements of a value, at all levels together: those that the default budget allows.
MAX_ELEMENTS = 2**25

_NUMBERS = frozenset({int, bool})
_CONTAINERS = frozenset({tuple, frozenset})
_DATA = _NUMBERS | _CONTAINERS | {type(None)}
_INTEGER_KINDS = frozenset("iu")  # of an array's dtype


def to_value(given: object, what: str) -> Value:
    """Return `given` as a value of the language; a value of the language is returned unchanged.

    Lists and arrays of integers become tuples, at all levels. Raise a `ValueError` for
    anything else: it starts with `what` and gives the place, the expected and the actual kind.
    """
    try:
        return given if _is_data(given) else _convert(given, 0)  # type: ignore[return-value]
    except _NoValueError as error:
        where = "".join(f"[{place}]" for place in reversed(error.path))
        raise ValueError(f"{what}{where}: {error}") from None


def _is_data(value: Any) -> bool:
    """Return whether this is already a value, without functions; refuse one that is too large.

    It goes by levels, which is fast, and counts members of lists and functions too: members that
    are shared may be far more than there is memory for.
    """
    level: list[Any] = [value]
    n_elements = 0
    is_data = True
    for _ in range(MAX_DEPTH + 1):
        kinds = set(map(type, level))
        if kinds <= _NUMBERS:
            return is_data and _fit(level)
        inner = level
        if not kinds <= _CONTAINERS:
            is_data = is_data and kinds <= _DATA
            is_data = is_data and _fit([v for v in level if type(v) in _NUMBERS])
            inner = [v for v in level if type(v) in _CONTAINERS or type(v) is list]
            inner += [v.args for v in level if type(v) is Function]
        n_elements += sum(map(len, inner))
        if n_elements > MAX_ELEMENTS:
            raise _NoValueError(f"more than {MAX_ELEMENTS} elements")
        level = list(chain.from_iterable(inner))
    return False


def _fit(numbers: Collection[int]) -> bool:
    return not numbers or (max(numbers) <= MAX_NUMBER and min(numbers) >= -MAX_NUMBER)


class _NoValueError(Exception):
    """A value that cannot be converted; `path` has the indices to it, the innermost first."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.path: list[int] = []


def _convert(given: Any, depth: int) -> Value:
    if given is None:
        return None
    if isinstance(given, int):
        return _number(given if type(given) in _NUMBERS else int(given))
    if isinstance(given, Function):
        return _function(given, depth)
    if isinstance(given, list | tuple):
        return _members(given, depth)
    if isinstance(given, frozenset):
        return frozenset(_members(given, depth))
    if hasattr(given, "dtype") and hasattr(given, "tolist"):
        if given.dtype.kind not in _INTEGER_KINDS:
            raise _NoValueError(f"an array of {given.dtype}, expected one of integers")
        return _convert(given.tolist(), depth)
    raise _NoValueError(
        f"{_show(given)} is a {type(given).__name__}; expected a number, a tuple, a list, "
        "an array of integers, a frozenset, a function of the language or None"
    )


def _number(given: int) -> int:
    if abs(given) > MAX_NUMBER:
        raise _NoValueError(
            f"{_show(given)} is outside the numbers of the language, -{MAX_NUMBER} to {MAX_NUMBER}"
        )
    return given


def _members(given: Any, depth: int) -> tuple[Value, ...]:
    if depth == MAX_DEPTH:
        raise _NoValueError(f"nested deeper than {MAX_DEPTH} levels")
    if set(map(type, given)) <= _NUMBERS and _fit(given):
        return tuple(given)
    members = []
    for place, member in enumerate(given):
        try:
            members.append(_convert(member, depth + 1))
        except _NoValueError as error:
            error.path.append(place)
            raise
    return tuple(members)


def _function(given: Function, depth: int) -> Function:
    """Return a function that a call of its primitive could have given."""
    primitive = find_primitive(given.name)
    if primitive is None or primitive.name != given.name:
        raise _NoValueError(f"no primitive is named {_show(given.name)}")
    args = _members(given.args, depth)
    if args:
        captures = applied_definition(given.name) is not None and len(args) == primitive.arity
        if not captures or not all(
            domain.holds(arg) for domain, arg in zip(primitive.domains, args, strict=True)
        ):
            raise _NoValueError(f"{given.name} makes no function of such arguments")
    return Function(given.name, args)


def _show(given: object) -> str:
    if isinstance(given, int) and given.bit_length() > 64:
        # Python refuses to print integers of thousands of digits.
        return f"an integer of {given.bit_length()} bits"
    return reprlib.repr(given)
