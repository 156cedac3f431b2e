"""Macros: subprograms with holes that recur in the library, and their instances.

`python bench/mine.py --write` makes `macros.json`. A macro is a nested list, a call with its
arguments: a name is an input or a primitive, `{"value": 3}` is a constant (with a list for a
tuple), and a number is a hole, which is filled with a node of the right type.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any, NamedTuple

from arcbatt.language import Node, ir
from arcbatt.language.infer import infer_invocation, type_of
from arcbatt.language.registry import Primitive, applied_definition, get_primitive, of_registry
from arcbatt.language.types import ANY, Bindings, Signature, Type, fits
from arcbatt.language.values import Value

from .anatomy import Anatomy
from .arguments import argument_for
from .donors import Donors
from .roles import FUNCTION, shape_of

FILE = "macros.json"


class Hole(NamedTuple):
    """A hole; all holes with the same number get the same node."""

    number: int


class Argument(NamedTuple):
    """An argument of a call: its place, the parameter's type, and its content."""

    place: int
    wanted: Type
    part: Part


@dataclass(frozen=True, slots=True)
class Macro:
    """A call with holes: for each overload its arguments, in the order in which to make them."""

    primitive: Primitive
    overloads: tuple[tuple[Argument, ...], ...]
    makes_function: bool
    shapes: frozenset[Type] | None  # of its results; None if they depend on its arguments

    def may_give(self, shape: Type) -> bool:
        """Return whether it may have a result of a shape."""
        return self.shapes is None or shape in self.shapes


Part = Node | Hole | Macro


@of_registry
@cache
def macros() -> tuple[Macro, ...]:
    """Return all macros of the file."""
    text = (files(__package__) / FILE).read_text("utf-8")
    return tuple(map(parse_macro, json.loads(text)["macros"]))


def parse_macro(content: Any) -> Macro:
    """Return the macro of a list in the file."""
    match content:
        case [str(name), *args]:
            primitive = get_primitive(name)
            parts = [_part(arg) for arg in args]
            makes_function = applied_definition(name) is not None
            results = [signature.result for signature in primitive.signatures]
            is_known = all(result.is_ground for result in results) and not makes_function
            return Macro(
                primitive,
                tuple(_arguments(signature, parts) for signature in primitive.signatures),
                makes_function,
                frozenset(map(shape_of, results)) if is_known else None,
            )
    raise _rejection(content)


def _part(content: Any) -> Part:
    match content:
        case int():
            return Hole(content)
        case str():
            return ir.input_node(content) if content in ("I", "S") else ir.primitive_node(content)
        case {"value": value}:
            return ir.constant(_value(value))
        case list():
            return parse_macro(content)
    raise _rejection(content)


def _arguments(signature: Signature, parts: Sequence[Part]) -> tuple[Argument, ...]:
    """Return the arguments with functions last: the others determine their parameters."""
    arguments = map(Argument, count(), signature.parameters, parts)
    return tuple(sorted(arguments, key=lambda argument: argument.wanted.kind == "function"))


def _value(content: Any) -> Value:
    return tuple(map(_value, content)) if isinstance(content, list) else content


def _rejection(content: Any) -> ValueError:
    return ValueError(
        f"{FILE}: {content!r} is not a macro; python bench/mine.py --write makes the file again"
    )


@dataclass
class Instance:
    """Fills the holes of a macro with nodes of a program and of donors."""

    anatomy: Anatomy
    before: int  # the node to replace: it and earlier ones may be used
    donors: Donors
    rng: random.Random

    def __post_init__(self) -> None:
        self._filled: dict[int, Node] = {}

    def make(self, macro: Macro) -> Node | None:
        """Return the macro with its holes filled; None if the draw failed."""
        parts = self.fill(macro)
        return None if parts is None else ir.call_node(macro.primitive, *parts)

    def fill(self, macro: Macro) -> list[Node] | None:
        """Return the arguments of the macro's call with holes filled; None if the draw failed."""
        arguments = self.rng.choice(macro.overloads)
        bindings: Bindings = {}
        made: list[Any] = [None] * len(arguments)
        for place, wanted, part in arguments:
            node: Node | None
            if isinstance(part, Hole):
                if not macro.makes_function:
                    node = self._fill_hole(part.number, wanted, bindings)
                else:
                    any_such = FUNCTION if wanted.kind == "function" else ANY
                    node = self._fill_hole(part.number, any_such, {})
            else:
                node = self.make(part) if isinstance(part, Macro) else part
            if node is None:
                return None
            if not wanted.is_ground:
                fits(wanted, type_of(node) or ANY, bindings, infer_invocation)
            made[place] = node
        return made

    def _fill_hole(self, hole: int, wanted: Type, bindings: Bindings) -> Node | None:
        node = self._filled.get(hole)
        if node is None:
            if wanted is FUNCTION:
                parts = self.donors.parts(FUNCTION)
                node = self.rng.choice(parts)[0] if parts else None
            else:
                node = argument_for(
                    wanted, bindings, self.anatomy, self.before, self.donors, self.rng
                )
            if node is not None:
                self._filled[hole] = node
        return node
