"""Domains: what a primitive accepts, as annotations of its definition's parameters.

A definition's parameters are annotated with the names below; before it runs, each
argument is checked against its domain, left to right, and a value outside it is a
failure of reason `wrong type`. So definitions start from arguments that fit, and every
implementation has the same short list of checks to make.

A *patch* is any container, tuple or set, whose members are all locations or all cells:
tuples of locations and cells come out of `totuple`, `order`, `mapply` over tuples and
the like, and the dialect takes them wherever it takes a set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from . import values
from .failure import wrong_type
from .values import Container, Function, Table, Value, format_value


@dataclass(frozen=True, slots=True)
class Domain:
    """A named check: returns whether a value belongs to the domain."""

    name: str
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

Anything: TypeAlias = Annotated[Value, Domain("anything", lambda value: True)]
Number: TypeAlias = Annotated[int, Domain("a number", values.is_number)]
Location: TypeAlias = Annotated[values.Pair, Domain("a pair of numbers", is_pair)]
Numerical: TypeAlias = Annotated[
    int | values.Pair,
    Domain("a number or a pair of numbers", lambda v: values.is_number(v) or is_pair(v)),
]
AnyTuple: TypeAlias = Annotated[
    tuple[Value, ...], Domain("a tuple", lambda value: type(value) is tuple)
]
AnySet: TypeAlias = Annotated[
    frozenset[Value], Domain("a set", lambda value: type(value) is frozenset)
]
AnyContainer: TypeAlias = Annotated[Container, Domain("a tuple or set", _is_container)]
Containers: TypeAlias = Annotated[
    "tuple[Container, ...] | frozenset[Container]",
    Domain(
        "a tuple or set of tuples or sets",
        lambda value: _is_container(value) and all(map(_is_container, value)),
    ),
]
AnyFunction: TypeAlias = Annotated[
    Function, Domain("a function", lambda value: isinstance(value, Function))
]
Functions: TypeAlias = Annotated[
    "tuple[Function, ...] | frozenset[Function]",
    Domain(
        "a tuple or set of functions",
        lambda value: _is_container(value) and all(isinstance(v, Function) for v in value),
    ),
]
Patch: TypeAlias = Annotated[Container, Domain("indices or an object", _is_patch)]
Cells: TypeAlias = Annotated[
    "tuple[values.Cell, ...] | frozenset[values.Cell]", Domain("an object", _is_cells)
]
Objects: TypeAlias = Annotated[
    "tuple[frozenset[values.Cell], ...] | frozenset[frozenset[values.Cell]]",
    Domain(
        "a tuple or set of objects",
        lambda value: _is_container(value) and all(map(_is_cells, value)),
    ),
]
Rows: TypeAlias = Annotated[Table, Domain("a tuple of tuples", _is_table)]
Grid: TypeAlias = Annotated[values.Grid, Domain("a grid", _is_grid)]
# Tuples are taken for grids, whatever they hold; sets must be patches.
Piece: TypeAlias = Annotated[Container, Domain("a grid, indices or an object", _is_piece)]
# Tuples must be grids, sets objects.
Element: TypeAlias = Annotated[Container, Domain("a grid or an object", _is_element)]
Demos: TypeAlias = Annotated[
    "tuple[tuple[values.Grid, values.Grid], ...]",
    Domain(
        "demo pairs",
        lambda value: type(value) is tuple and all(map(_is_demo, value)),
    ),
]
Picture: TypeAlias = Annotated[
    "tuple[values.Pair, values.Grid]",
    Domain("a picture: a place and a grid of colours 0 to 9", _is_picture),
]
Pictures: TypeAlias = Annotated[
    "frozenset[tuple[values.Pair, values.Grid]]",
    Domain(
        "a set of pictures",
        lambda value: type(value) is frozenset and all(map(_is_picture, value)),
    ),
]


def check_argument(domain: Domain, primitive: str, parameter: str, value: Value) -> None:
    """Fail unless the argument belongs to the parameter's domain."""
    if not domain.holds(value):
        raise wrong_type(f"{primitive}: {parameter} is {tell(value)}, expected {domain.name}")


def tell(value: Value) -> str:
    """Return the value as a message has it: its text where that is short, else what it is."""
    return format_value(value) if _shows_short(value) else f"a {type(value).__name__}"


def _shows_short(value: Value) -> bool:
    return not isinstance(value, tuple | frozenset | Function) or (
        isinstance(value, tuple | frozenset)
        and len(value) <= 4
        and not any(isinstance(v, tuple | frozenset | Function) for v in value)
    )
