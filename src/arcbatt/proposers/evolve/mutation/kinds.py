"""The kinds of mutations, each of which changes one spot of a program.

A kind knows the spots of a parent where it applies, and makes a draft at one of them, given a
context (random numbers and donors) and the parent's anatomy. A draft's result is None if it is ill
typed; there is no draft if no fitting replacement was drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import NamedTuple, TypeVar

from arcbatt.language import Node, Program, ir
from arcbatt.language.types import GRID

from .anatomy import Anatomy, Place, anatomy_of
from .arguments import argument_for, pick_recent
from .constants import other_value
from .donors import Donors
from .roles import FUNCTION, role_of_type, roles_agree
from .vocabulary import alternatives, step_forms, unary_steps, value_replacements

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MutationContext:
    """The random numbers and donors of mutations."""

    rng: random.Random
    donors: Donors

    def draw(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.random() * len(choices))]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share


class _Draft(NamedTuple):
    """The result node of a mutant, or None if it is ill typed, and its further parents.

    `may_grow` tells whether it may have more calls than its parent.
    """

    result: Node | None
    mates: tuple[Program, ...] = ()
    may_grow: bool = True


@dataclass(frozen=True, slots=True)
class MutationKind:
    """A kind of mutation; it is not tried if a parent has no spots for it."""

    spots: Callable[[Anatomy], Sequence[object]]
    make: Callable[[MutationContext, Anatomy], _Draft | None]


def _change_variable(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Replace a variable by an earlier one of the same shape, preferably a recent one."""
    user, place = context.draw(anatomy.variable_places)
    old = anatomy.args[user][place]
    others = anatomy.variables_of(anatomy.shapes[old], user)
    chosen = pick_recent(others, context.rng)
    agree = roles_agree(role_of_type(anatomy.types[old]), role_of_type(anatomy.types[chosen]))
    if chosen == old or not agree:
        return None
    made = anatomy.with_places({(user, place): anatomy.nodes[chosen]})
    return _Draft(made, may_grow=False)


def _change_primitive(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Replace a primitive, in a call or as a value, by one with a compatible signature."""
    calls, values = anatomy.primitive_calls, anatomy.primitive_places
    k = int(context.rng.random() * (len(calls) + len(values)))
    if k < len(calls):
        node = anatomy.nodes[calls[k]]
        types = tuple([anatomy.types[arg] for arg in anatomy.args[calls[k]]])
        others = alternatives(node.name, types)
        if not others:
            return None
        made = anatomy.with_node(calls[k], ir.call_node(context.draw(others), *node.args))
        return _Draft(made, may_grow=False)
    user, place = values[k - len(calls)]
    others = value_replacements(anatomy.nodes[anatomy.args[user][place]].name)
    if not others:
        return None
    made = anatomy.with_places({(user, place): ir.primitive_node(context.draw(others).name)})
    return _Draft(made, may_grow=False)


def _change_constant(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Replace a constant by another one of the same role."""
    user, place, role = context.draw(anatomy.constant_places)
    value = anatomy.nodes[anatomy.args[user][place]].value
    other = other_value(value, role, context.rng)
    return (
        None if other is None else _put(context, anatomy, (user, place, role), ir.constant(other))
    )


def _take_color_from_demos(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Replace a color by an expression that takes one from the demos."""
    return _put(context, anatomy, context.draw(anatomy.color_places), context.draw(demo_colors()))


def _splice(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Replace a call by a part of a donor with the same shape.

    Sometimes the part is applied to a grid of the parent instead of the input.
    """
    k = context.draw(anatomy.calls)
    parts = context.donors.parts(anatomy.shapes[k])
    if not parts:
        return None
    part, donor = context.draw(parts)
    if context.chance(0.3):
        part = ir.replace_input(
            part, "I", anatomy.nodes[pick_recent(_grids(anatomy, k), context.rng)]
        )
    if part is anatomy.nodes[k]:
        return None
    return _Draft(_put_node(context, anatomy, k, part), (context.donors[donor],))


def _insert(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Insert a call after a call or an input, with a result of the same type.

    A donor of one of the call's other arguments does not count as a parent.
    """
    k = context.draw(anatomy.variables)
    node, term = anatomy.nodes[k], anatomy.types[k]
    if anatomy.shapes[k] is FUNCTION:
        step = ir.primitive_node(context.draw(unary_steps()).name)
        pair = (step, node) if context.chance(0.5) else (node, step)
        return _Draft(_put_node(context, anatomy, k, ir.call_node("compose", *pair)))
    forms = step_forms(term)
    if not forms or not (anatomy.uses[k] or k == anatomy.result):
        return None
    form = context.draw(forms)
    bindings = dict(form.bindings)
    args = []
    for place, wanted in enumerate(form.parameters):
        arg = (
            node
            if place == form.place
            else argument_for(wanted, bindings, anatomy, k, context.donors, context.rng)
        )
        if arg is None:
            return None
        args.append(arg)
    return _Draft(_put_node(context, anatomy, k, ir.call_node(form.primitive, *args)))


def _delete(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Replace a call by one of its arguments with the same shape."""
    k, place = context.draw(anatomy.deletable)
    return _Draft(anatomy.with_node(k, anatomy.nodes[k].args[place]), may_grow=False)


def _cross(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Put a part of the parent into a donor, in place of a variable of the same shape.

    The mutant begins like the parent and ends like the donor; if the donor's input is replaced,
    the two run in sequence.
    """
    if not context.donors:
        return None
    mate = context.draw(context.donors)
    k = context.draw(anatomy.calls)
    other = anatomy_of(mate)
    sites = other.inner_variables_of(anatomy.shapes[k])
    if not sites or mate.result is anatomy.nodes[anatomy.result]:
        return None
    return _Draft(_put_node(context, other, context.draw(sites), anatomy.nodes[k]), (mate,))


KINDS: Mapping[str, MutationKind] = {
    "variable": MutationKind(attrgetter("variable_places"), _change_variable),
    "primitive": MutationKind(attrgetter("primitive_calls"), _change_primitive),
    "constant": MutationKind(attrgetter("constant_places"), _change_constant),
    "demo_color": MutationKind(attrgetter("color_places"), _take_color_from_demos),
    "splice": MutationKind(attrgetter("calls"), _splice),
    "insert": MutationKind(attrgetter("variables"), _insert),
    "delete": MutationKind(attrgetter("deletable"), _delete),
    "crossover": MutationKind(attrgetter("calls"), _cross),
}


# --- helpers ---


def _put(context: MutationContext, anatomy: Anatomy, at: tuple[int, int, str], new: Node) -> _Draft:
    """Replace a constant by a node: in one place, or wherever it has the same role."""
    user, place, role = at
    news: dict[Place, Node] = {(user, place): new}
    if context.chance(0.5):
        old = anatomy.args[user][place]
        for k, i, other_role in anatomy.constant_places:
            if other_role == role and anatomy.args[k][i] == old:
                news[k, i] = new
    return _Draft(anatomy.with_places(news), may_grow=new.kind != "constant")


def _put_node(context: MutationContext, anatomy: Anatomy, number: int, new: Node) -> Node | None:
    """Replace a node by another, in all its places or in one of them."""
    uses = anatomy.uses[number]
    if len(uses) > 1 and number != anatomy.result and context.chance(0.5):
        return anatomy.with_places({context.draw(uses): new})
    return anatomy.with_node(number, new)


def _grids(anatomy: Anatomy, before: int) -> Sequence[int]:
    return anatomy.variables_of(GRID, before)


@cache
def demo_colors() -> tuple[Node, ...]:
    """Return expressions that take a color from the demos: one that disappears or appears."""
    demos, colors = ir.input_node("S"), ir.primitive_node("p_g")
    picks = [ir.primitive_node(name) for name in ("first", "last", "mostcommon", "leastcommon")]
    picks.append(ir.call_node("rbind", ir.primitive_node("get_nth"), ir.constant(1)))
    return tuple(
        ir.call_node(name, demos, colors, pick) for name in ("c_zo_n", "c_iz_n") for pick in picks
    )
