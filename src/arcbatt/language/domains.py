"""Domains: the values that a primitive accepts as an argument.

Before a definition runs, each argument is checked against its domain, left to right, and a value
outside it is a failure of reason `wrong type`. So definitions start from arguments that fit, and
every implementation has the same short list of checks to make. The domain of an argument follows
from its types in the signatures (`domain_of`).

A *patch* is any container, tuple or set, whose members are all locations or all cells: tuples of
locations and cells come out of `totuple`, `order`, `mapply` over tuples and the like, and arc-dsl
accepts them wherever it accepts a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from . import types
from .failure import wrong_type
from .types import NAMED, Type
from .values import Function, Value, format_value, is_number


@dataclass(frozen=True, slots=True)
class Domain:
    """A named check; `name` is the engine's name, `description` completes "expected ..."."""

    name: str
    description: str
    holds: Callable[[Any], bool]


def is_pair(value: Any) -> bool:
    return (
        type(value) is tuple
        and len(value) == 2
        and type(value[0]) in _NUMBERS
        and type(value[1]) in _NUMBERS
    )


def _is_cell(value: Any) -> bool:
    return (
        type(value) is tuple
        and len(value) == 2
        and type(value[0]) in _NUMBERS
        and is_pair(value[1])
    )


def _is_container(value: Any) -> bool:
    return type(value) in (tuple, frozenset)


def _is_function(value: Any) -> bool:
    return isinstance(value, Function)


def _is_container_of(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: _is_container(value) and all(map(holds, value))


def _is_cells(value: Any) -> bool:
    return _is_container(value) and all(map(_is_cell, value))


def _is_patch(value: Any) -> bool:
    return _is_container(value) and (all(map(is_pair, value)) or all(map(_is_cell, value)))


def _is_table(value: Any) -> bool:
    return type(value) is tuple and set(map(type, value)) <= {tuple}


def _is_grid(value: Any) -> bool:
    return _is_table(value) and all(set(map(type, row)) <= _NUMBERS for row in value)


def _is_piece(value: Any) -> bool:
    return type(value) is tuple or _is_patch(value)


def _is_element(value: Any) -> bool:
    return _is_grid(value) if type(value) is tuple else _is_cells(value)


def _is_demo(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(map(_is_grid, value))


def _is_picture(value: Any) -> bool:
    if type(value) is not tuple or len(value) != 2 or not is_pair(value[0]):
        return False
    grid = value[1]
    if not _is_grid(grid):
        return False
    widths = {len(row) for row in grid}
    return not grid or (
        len(widths) == 1 and 0 not in widths and all(0 <= cell <= 9 for row in grid for cell in row)
    )


_NUMBERS = frozenset({int, bool})

ANYTHING = Domain("ANYTHING", "anything", lambda value: True)
NUMBER = Domain("NUMBER", "a number", is_number)
LOCATION = Domain("LOCATION", "a pair of numbers", is_pair)
NUMERICAL = Domain(
    "NUMERICAL", "a number or a pair of numbers", lambda v: is_number(v) or is_pair(v)
)
ANY_TUPLE = Domain("ANY_TUPLE", "a tuple", lambda value: type(value) is tuple)
ANY_SET = Domain("ANY_SET", "a set", lambda value: type(value) is frozenset)
ANY_CONTAINER = Domain("ANY_CONTAINER", "a tuple or set", _is_container)
CONTAINERS = Domain(
    "CONTAINERS", "a tuple or set of tuples or sets", _is_container_of(_is_container)
)
ANY_FUNCTION = Domain("ANY_FUNCTION", "a function", _is_function)
FUNCTIONS = Domain("FUNCTIONS", "a tuple or set of functions", _is_container_of(_is_function))
PATCH = Domain("PATCH", "indices or an object", _is_patch)
CELLS = Domain("CELLS", "an object", _is_cells)
OBJECTS = Domain("OBJECTS", "a tuple or set of objects", _is_container_of(_is_cells))
ROWS = Domain("ROWS", "a tuple of tuples", _is_table)
GRID = Domain("A_GRID", "a grid", _is_grid)
# Any tuple is taken for a grid; a set must be a patch.
PIECE = Domain("PIECE", "a grid, indices or an object", _is_piece)
# A tuple must be a grid, a set an object.
ELEMENT = Domain("ELEMENT", "a grid or an object", _is_element)
DEMOS = Domain("DEMOS", "demo pairs", lambda v: type(v) is tuple and all(map(_is_demo, v)))
PICTURE = Domain("PICTURE", "a picture: a place and a grid of colors 0 to 9", _is_picture)
PICTURES = Domain(
    "PICTURES", "a set of pictures", lambda v: type(v) is frozenset and all(map(_is_picture, v))
)

_OF_TYPE = {
    types.GRID: GRID,
    types.INDICES: PATCH,
    types.PATCH: PATCH,
    types.OBJECT: CELLS,
    NAMED["Cells"]: CELLS,
    NAMED["Objects"]: OBJECTS,
    types.DEMOS: DEMOS,
    types.PICTURE: PICTURE,
    NAMED["Pictures"]: PICTURES,
}
_OF_KIND = {
    "integer": NUMBER,
    "boolean": NUMBER,
    "tuple": ANY_TUPLE,
    "product": ANY_TUPLE,
    "set": ANY_SET,
    "container": ANY_CONTAINER,
    "function": ANY_FUNCTION,
}
_OF_CONTAINER_OF = {CELLS: OBJECTS, ANY_CONTAINER: CONTAINERS, ANY_FUNCTION: FUNCTIONS}
# The domain that takes values of several others, the narrowest first.
_JOINED = (
    (NUMERICAL, {NUMBER, LOCATION}),
    (ELEMENT, {GRID, CELLS}),
    (PATCH, {PATCH, CELLS}),
    (ROWS, {GRID, ROWS}),
    (ANY_TUPLE, {GRID, ROWS, ANY_TUPLE}),
    (PIECE, {GRID, ROWS, ANY_TUPLE, PATCH, CELLS}),
)


def domain_of(overloads: Iterable[Type]) -> Domain:
    """Return the domain of an argument that has these types, one per overload."""
    domains = {_domain_of_type(each) for term in overloads for each in _alternatives(term)}
    if len(domains) == 1:
        return domains.pop()
    return next((wider for wider, narrower in _JOINED if domains <= narrower), ANYTHING)


def _alternatives(term: Type) -> Iterator[Type]:
    if term.kind == "union" and term not in _OF_TYPE:
        for alternative in term.args:
            yield from _alternatives(alternative)
    else:
        yield term


def _domain_of_type(term: Type) -> Domain:
    if term in _OF_TYPE:
        return _OF_TYPE[term]
    if term.kind == "product" and all(arg.kind == "integer" for arg in term.args):
        return LOCATION
    if term.kind == "tuple" and term.args[0].kind == "tuple":
        return ROWS
    general = _OF_KIND.get(term.kind, ANYTHING)
    if general is ANY_CONTAINER:
        return _OF_CONTAINER_OF.get(_domain_of_type(term.args[0]), ANY_CONTAINER)
    return general


def check_argument(domain: Domain, primitive: str, parameter: str, value: Value) -> None:
    """Fail unless the argument belongs to the parameter's domain."""
    if not domain.holds(value):
        raise wrong_type(
            f"{primitive}: {parameter} is {tell(value)}, expected {domain.description}"
        )


def tell(value: Value) -> str:
    """Return the text of a short value, else the name of its type, for an error message."""
    return format_value(value) if _shows_short(value) else f"a {type(value).__name__}"


def _shows_short(value: Value) -> bool:
    return not isinstance(value, tuple | frozenset | Function) or (
        isinstance(value, tuple | frozenset)
        and len(value) <= 4
        and not any(isinstance(v, tuple | frozenset | Function) for v in value)
    )
