"""Macros: what recurs in the library, with holes, in; instances of it that fit a program out.

`macros.json` is made by `python bench/mine.py --write`. A macro is a nested list, a call with its
arguments: a name stands for an input or a primitive, `{"value": 3}` for a constant (a list in it
for a tuple), a number for a hole, which is filled with something of the type that is wanted there.
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
from .donors import Donors
from .filling import argument_for
from .roles import FUNCTION, shape_of

FILE = "macros.json"


class Hole(NamedTuple):
    """What is to be filled; holes of one number alike."""

    number: int


class Argument(NamedTuple):
    """An argument of a call: its place, the parameter's type, and what stands there."""

    place: int
    wanted: Type
    part: Part


@dataclass(frozen=True, slots=True)
class Macro:
    """A call with holes: its arguments for each overload, in the order in which they are made."""

    primitive: Primitive
    overloads: tuple[tuple[Argument, ...], ...]
    makes_function: bool
    shapes: frozenset[Type] | None  # of its results; None where they depend on its arguments

    def may_give(self, shape: Type) -> bool:
        """Whether it can make something of that shape."""
        return self.shapes is None or shape in self.shapes


Part = Node | Hole | Macro


@of_registry
@cache
def macros() -> tuple[Macro, ...]:
    """Return all macros whose primitives there are."""
    text = (files(__package__) / FILE).read_text("utf-8")
    return tuple(map(parse_macro, json.loads(text)["macros"]))


def parse_macro(content: Any) -> Macro:
    """Return the macro that a list of the file stands for."""
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
    """What a function is to take is known when the other arguments are, so it comes last."""
    found = map(Argument, count(), signature.parameters, parts)
    return tuple(sorted(found, key=lambda argument: argument.wanted.kind == "function"))


def _value(content: Any) -> Value:
    return tuple(map(_value, content)) if isinstance(content, list) else content


def _rejection(content: Any) -> ValueError:
    return ValueError(
        f"{FILE}: {content!r} is no macro; python bench/mine.py --write makes it anew"
    )


@dataclass
class Instance:
    """Fills the holes of one macro for a place in a program, what was filled once everywhere."""

    anatomy: Anatomy
    before: int  # the node that it may stand for: of the program, this and earlier ones may be used
    donors: Donors
    rng: random.Random

    def __post_init__(self) -> None:
        self._filled: dict[int, Node] = {}

    def make(self, macro: Macro) -> Node | None:
        """Return the macro with its holes filled; None where the draw found nothing."""
        parts = self.fill(macro)
        return None if parts is None else ir.call_node(macro.primitive, *parts)

    def fill(self, macro: Macro) -> list[Node] | None:
        """Return the arguments of the macro's call, holes filled."""
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
        found = self._filled.get(hole)
        if found is None:
            if wanted is FUNCTION:
                parts = self.donors.parts(FUNCTION)
                found = self.rng.choice(parts)[0] if parts else None
            else:
                found = argument_for(
                    wanted, bindings, self.anatomy, self.before, self.donors, self.rng
                )
            if found is not None:
                self._filled[hole] = found
        return found
