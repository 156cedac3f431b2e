"""Values from outside: what Python has for them in, values of the language out.

Lists, and arrays of integers as NumPy has them, are taken for tuples. All else that is no value is
refused here, so that running, which never raises, meets values alone.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection
from itertools import chain
from typing import Any

from .registry import applied_definition, find_primitive
from .values import MAX_DEPTH, MAX_NUMBER, Function, Value

# A value of more elements, at all levels together, is refused: no budget has room for it.
MAX_ELEMENTS = 2**26

_NUMBERS = frozenset({int, bool})
_CONTAINERS = frozenset({tuple, frozenset})
_DATA = _NUMBERS | _CONTAINERS | {type(None)}
_INTEGER_KINDS = frozenset("iu")  # of an array's type


def to_value(given: object, what: str) -> Value:
    """Return `given` as a value of the language; what is one already is returned as it is.

    Lists and arrays of integers become tuples, at all levels. Raise a `ValueError` for all else:
    it starts with `what` and says where in it, what was expected and what came.
    """
    if _is_data(given):
        return given  # type: ignore[return-value]
    try:
        return _Converter().convert(given, 0)
    except _NoValueError as error:
        where = "".join(f"[{place}]" for place in reversed(error.path))
        raise ValueError(f"{what}{where}: {error}") from None


def _is_data(value: Any) -> bool:
    """Whether this is a value as it stands, without functions; goes by levels, which is fast."""
    level: list[Any] = [value]
    n_elements = 0
    for _ in range(MAX_DEPTH + 1):
        kinds = set(map(type, level))
        if not kinds <= _DATA:
            return False
        if kinds <= _NUMBERS:
            return _fit(level)
        inner = level
        if not kinds <= _CONTAINERS:
            if not _fit([v for v in level if type(v) in _NUMBERS]):
                return False
            inner = [v for v in level if type(v) in _CONTAINERS]
        n_elements += sum(map(len, inner))
        if n_elements > MAX_ELEMENTS:
            return False
        level = list(chain.from_iterable(inner))
    return False


def _fit(numbers: Collection[int]) -> bool:
    return not numbers or (max(numbers) <= MAX_NUMBER and min(numbers) >= -MAX_NUMBER)


class _NoValueError(Exception):
    """What is wrong with a member; `path` has the places on the way to it, the innermost first."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.path: list[int] = []


class _Converter:
    """Converts one value."""

    def __init__(self) -> None:
        self._n_elements = 0

    def convert(self, given: Any, depth: int) -> Value:
        if given is None:
            return None
        if isinstance(given, int):
            return self._number(given if type(given) in _NUMBERS else int(given))
        if isinstance(given, Function):
            return self._function(given, depth)
        if isinstance(given, list | tuple):
            return self._members(given, depth)
        if isinstance(given, frozenset):
            return frozenset(self._members(given, depth))
        if hasattr(given, "dtype") and hasattr(given, "tolist"):
            if given.dtype.kind not in _INTEGER_KINDS:
                raise _NoValueError(f"an array of {given.dtype}, expected one of integers")
            return self.convert(given.tolist(), depth)
        raise _NoValueError(
            f"{_show(given)} is a {type(given).__name__}; expected a number, a tuple, a list, "
            "an array of integers, a frozenset, a function of the language or None"
        )

    def _number(self, given: int) -> int:
        if abs(given) > MAX_NUMBER:
            raise _NoValueError(
                f"{_show(given)} is no number of the language, -{MAX_NUMBER} to {MAX_NUMBER}"
            )
        return given

    def _members(self, given: Any, depth: int) -> tuple[Value, ...]:
        if depth == MAX_DEPTH:
            raise _NoValueError(f"nested deeper than {MAX_DEPTH} levels")
        self._n_elements += len(given)
        if self._n_elements > MAX_ELEMENTS:
            raise _NoValueError(f"more than {MAX_ELEMENTS} elements")
        if set(map(type, given)) <= _NUMBERS and _fit(given):
            return tuple(given)
        members = []
        for place, member in enumerate(given):
            try:
                members.append(self.convert(member, depth + 1))
            except _NoValueError as error:
                error.path.append(place)
                raise
        return tuple(members)

    def _function(self, given: Function, depth: int) -> Function:
        """Return a function that a call of its primitive could have given."""
        primitive = find_primitive(given.name)
        if primitive is None or primitive.name != given.name:
            raise _NoValueError(f"no primitive is named {_show(given.name)}")
        args = self._members(given.args, depth)
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
