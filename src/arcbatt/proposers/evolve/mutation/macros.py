"""Macros: what recurs in the library, with holes, in; instances of it that fit a program out.

`macros.json` is made by `python bench/mine.py --write`. A macro is a nested list, a call with its
arguments: a name stands for an input or a primitive, `{"value": 3}` for a constant (a list in it
for a tuple), a number for a hole, which is filled with something of the type that is wanted there.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from arcbatt.language import Node, ir
from arcbatt.language.infer import infer_invocation, type_of
from arcbatt.language.registry import applied_definition, get_primitive, of_registry
from arcbatt.language.types import ANY, Bindings, Type, fits
from arcbatt.language.values import Value

from .anatomy import Anatomy
from .donors import Donors
from .filling import argument_for
from .roles import FUNCTION

FILE = "macros.json"


@of_registry
@cache
def macros() -> tuple[Any, ...]:
    """Return all macros whose primitives there are."""
    text = (files(__package__) / FILE).read_text("utf-8")
    return tuple(json.loads(text)["macros"])


@dataclass
class Instance:
    """Fills the holes of one macro for a place in a program, what was filled once everywhere."""

    anatomy: Anatomy
    before: int  # the node that it may stand for: of the program, this and earlier ones may be used
    donors: Donors
    rng: random.Random

    def __post_init__(self) -> None:
        self._filled: dict[int, Node] = {}

    def make(self, macro: Any) -> Node | None:
        """Return the macro with its holes filled; None where the draw found nothing."""
        match macro:
            case str():
                return ir.input_node(macro) if macro in ("I", "S") else ir.primitive_node(macro)
            case {"value": value}:
                return ir.constant(_value(value))
            case [name, *args]:
                return self._call(name, args)
        raise ValueError(
            f"{FILE}: {macro!r} is no macro; python bench/mine.py --write makes it anew"
        )

    def _call(self, name: str, args: list[Any]) -> Node | None:
        primitive = get_primitive(name)
        signature = self.rng.choice(primitive.signatures)
        makes_function = applied_definition(name) is not None
        bindings: Bindings = {}
        made: dict[int, Node] = {}

        def is_function(place: int) -> bool:
            return signature.parameters[place].kind == "function"

        # What a function is to take is known when the other arguments are.
        for place in sorted(range(len(args)), key=is_function):
            wanted, arg = signature.parameters[place], args[place]
            if not isinstance(arg, int):
                node = self.make(arg)
            elif makes_function:
                node = self._fill(arg, FUNCTION if is_function(place) else ANY, {})
            else:
                node = self._fill(arg, wanted, bindings)
            if node is None:
                return None
            fits(wanted, type_of(node) or ANY, bindings, infer_invocation)
            made[place] = node
        return ir.call_node(primitive, *(made[place] for place in range(len(args))))

    def _fill(self, hole: int, wanted: Type, bindings: Bindings) -> Node | None:
        if hole not in self._filled:
            if wanted is FUNCTION:
                parts = self.donors.parts(FUNCTION)
                node = self.rng.choice(parts)[0] if parts else None
            else:
                node = argument_for(
                    wanted, bindings, self.anatomy, self.before, self.donors, self.rng
                )
            if node is None:
                return None
            self._filled[hole] = node
        return self._filled[hole]


def _value(content: Any) -> Value:
    return tuple(map(_value, content)) if isinstance(content, list) else content
