"""The kinds of mutations. Each takes a program apart at one spot and puts it together again.

A kind says at which spots of a parent it can do something, and makes a draft at one of them, given
a context (the source of chance, and donors) and the parent's anatomy. The draft's result is None
where what came about is ill typed; there is no draft where the draw found nothing to put there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import NamedTuple, TypeVar

from arcbatt.language import Node, Program, ir
from arcbatt.language.infer import type_of
from arcbatt.language.registry import Primitive, of_registry
from arcbatt.language.types import ANY, GRID, INTEGER, PAIR_ROLES, Type

from .anatomy import Anatomy, Place, anatomy_of, remade
from .donors import Donors
from .filling import argument_for, recent
from .macros import Instance, macros
from .numbers import other_value, some_constant
from .roles import FUNCTION, role_of_type, roles_agree, shape_of
from .vocabulary import alternatives, like, measures, step_forms, unary_steps, views

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MutationContext:
    """What mutations draw on."""

    rng: random.Random
    donors: Donors

    def draw(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.random() * len(choices))]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share


class _Draft(NamedTuple):
    """The result node of a mutant, None if it is ill typed; and the parents beside the first.

    `may_grow`: whether it may have more calls than its parent.
    """

    result: Node | None
    mates: tuple[Program, ...] = ()
    may_grow: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mutation; where a parent has no spots for it, none need be drawn."""

    spots: Callable[[Anatomy], Sequence[object]]
    make: Callable[[MutationContext, Anatomy], _Draft | None]


def _change_variable(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts an earlier variable of the same shape for another, recent ones preferred."""
    user, place = context.draw(anatomy.variable_places)
    old = anatomy.args[user][place]
    others = anatomy.variables_of(anatomy.shapes[old], user)
    chosen = recent(others, context.rng)
    agree = roles_agree(role_of_type(anatomy.types[old]), role_of_type(anatomy.types[chosen]))
    if chosen == old or not agree:
        return None
    made = anatomy.with_places({(user, place): anatomy.nodes[chosen]})
    return _Draft(made, may_grow=False)


def _change_primitive(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts a primitive with a compatible signature for another, in a call or as a value."""
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
    others = like(anatomy.nodes[anatomy.args[user][place]].name)
    if not others:
        return None
    made = anatomy.with_places({(user, place): ir.primitive_node(context.draw(others).name)})
    return _Draft(made, may_grow=False)


def _change_constant(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts another constant of the same role."""
    user, place, role = context.draw(anatomy.constant_places)
    value = anatomy.nodes[anatomy.args[user][place]].value
    other = other_value(value, role, context.rng)
    return (
        None if other is None else _put(context, anatomy, (user, place, role), ir.constant(other))
    )


def _take_color_from_demos(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts for a colour an expression that computes one from the demos: what leaves or arrives."""
    return _put(context, anatomy, context.draw(anatomy.color_places), context.draw(demo_colors()))


def _splice(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts a part of another program for one of the same shape.

    Now and then the part is made to work on a grid of the parent rather than on the input.
    """
    k = context.draw(anatomy.calls)
    parts = context.donors.parts(anatomy.shapes[k])
    if not parts:
        return None
    part, donor = context.draw(parts)
    if context.chance(0.3):
        part = ir.replace_input(part, "I", anatomy.nodes[recent(_grids(anatomy, k), context.rng)])
    if part is anatomy.nodes[k]:
        return None
    return _Draft(_put_node(context, anatomy, k, part), (context.donors[donor],))


def _insert(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts a further step after a call or an input: a call that gives what it takes, by type.

    A donor that only gave one of the step's other arguments is not counted as a parent.
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
    """Puts one of a call's arguments, of the same shape, for the call."""
    k, place = context.draw(anatomy.deletable)
    return _Draft(anatomy.with_node(k, anatomy.nodes[k].args[place]), may_grow=False)


def _swap(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Lets two arguments of the same shape change places."""
    k, i, j = context.draw(anatomy.swappable)
    args = list(anatomy.nodes[k].args)
    args[i], args[j] = args[j], args[i]
    swapped = remade(anatomy.nodes[k], tuple(args))
    made = None if swapped is None else anatomy.with_node(k, swapped)
    return _Draft(made, may_grow=False)


def _generalize(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts for a constant a measure of the input, of the demos, or of an earlier variable."""
    user, place, role = context.draw(anatomy.constant_places)
    shape = anatomy.shapes[anatomy.args[user][place]]
    source, term = _source(context, anatomy, user, role)
    found = _measures(term, shape, role)
    if not found:
        return None
    made = ir.call_node(context.draw(found), source)
    if made.name in ("mostcolor", "leastcolor") and context.chance(0.3):
        made = ir.call_node("get_color_rank", source, some_constant("Rank", context.rng))
    elif shape is INTEGER and role in _SIZES and context.chance(0.2):
        made = ir.call_node(context.draw(("halve", "increment", "decrement", "double")), made)
    return _put(context, anatomy, (user, place, role), made)


def _cross(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts a part of the parent for one of the same shape in another program.

    So the one's beginning meets the other's end; where the other's input is replaced, one follows
    the other.
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


def _put_macro(context: MutationContext, anatomy: Anatomy) -> _Draft | None:
    """Puts an instance of what recurs in the library where something of that shape stands.

    Its holes are filled from the parent, so that it may be a step around what stood there.
    """
    k = context.draw(anatomy.calls)
    macro = context.draw(macros())
    if not macro.may_give(anatomy.shapes[k]):
        return None
    parts = Instance(anatomy, k, context.donors, context.rng).fill(macro)
    if parts is None:
        return None
    made = ir.call_node(macro.primitive, *parts)
    given = type_of(made)
    if given is None or shape_of(given) is not anatomy.shapes[k]:
        return None
    return _Draft(_put_node(context, anatomy, k, made))


# The kind that draws on the library rather than on the parents alone.
MACRO = "macro"
KINDS: Mapping[str, Kind] = {
    "variable": Kind(attrgetter("variable_places"), _change_variable),
    "primitive": Kind(attrgetter("primitive_calls"), _change_primitive),
    "constant": Kind(attrgetter("constant_places"), _change_constant),
    "demo_color": Kind(attrgetter("color_places"), _take_color_from_demos),
    "splice": Kind(attrgetter("calls"), _splice),
    "insert": Kind(attrgetter("variables"), _insert),
    "delete": Kind(attrgetter("deletable"), _delete),
    "swap": Kind(attrgetter("swappable"), _swap),
    "generalize": Kind(attrgetter("constant_places"), _generalize),
    "crossover": Kind(attrgetter("calls"), _cross),
    MACRO: Kind(attrgetter("calls"), _put_macro),
}


# --- what several kinds need ---


def _put(context: MutationContext, anatomy: Anatomy, at: tuple[int, int, str], new: Node) -> _Draft:
    """Puts a node for a constant: in its place, or wherever it has the same role."""
    user, place, role = at
    news: dict[Place, Node] = {(user, place): new}
    if context.chance(0.5):
        old = anatomy.args[user][place]
        for k, i, other_role in anatomy.constant_places:
            if other_role == role and anatomy.args[k][i] == old:
                news[k, i] = new
    return _Draft(anatomy.with_places(news), may_grow=new.kind != "constant")


def _put_node(context: MutationContext, anatomy: Anatomy, number: int, new: Node) -> Node | None:
    """Puts a node for another, in all its places or in one of them."""
    uses = anatomy.uses[number]
    if len(uses) > 1 and number != anatomy.result and context.chance(0.5):
        return anatomy.with_places({context.draw(uses): new})
    return anatomy.with_node(number, new)


def _grids(anatomy: Anatomy, before: int) -> Sequence[int]:
    return anatomy.variables_of(GRID, before)


@cache
def demo_colors() -> tuple[Node, ...]:
    """Return expressions that take a colour from the demos: one that leaves or one that arrives."""
    demos, colors = ir.input_node("S"), ir.primitive_node("p_g")
    picks = [ir.primitive_node(name) for name in ("first", "last", "mostcommon", "leastcommon")]
    picks.append(ir.call_node("rbind", ir.primitive_node("get_nth"), ir.constant(1)))
    return tuple(
        ir.call_node(name, demos, colors, pick) for name in ("c_zo_n", "c_iz_n") for pick in picks
    )


@cache
def _demo_grids() -> tuple[Node, ...]:
    """Inputs and outputs of the first and the last demo."""
    demos = ir.input_node("S")
    pairs = [ir.call_node(which, demos) for which in ("first", "last")]
    return tuple(ir.call_node(which, pair) for which in ("first", "last") for pair in pairs)


def _source(
    context: MutationContext, anatomy: Anatomy, before: int, role: str
) -> tuple[Node, Type]:
    """What to measure for a constant of a role: mostly the input, or a view of it.

    Otherwise a grid of the demos, or an earlier variable. How outputs are turned, only all demos
    tell.
    """
    draw = context.rng.random()
    if role == "MirrorCode":
        node: Node = ir.input_node("S")
    elif draw < 0.5:
        node = ir.input_node("I")
    elif draw < 0.65:
        node = context.draw(_demo_grids())
    else:
        node = anatomy.nodes[recent(anatomy.variables_before(before), context.rng)]
    term = type_of(node) or ANY
    parts = views(term)
    if parts and role != "MirrorCode" and context.chance(0.3):
        node = ir.call_node(context.draw(parts), node)
        term = type_of(node) or ANY
    return node, term


@of_registry
@lru_cache(maxsize=2**12)
def _measures(term: Type, shape: Type, role: str) -> tuple[Primitive, ...]:
    """What makes of a value of a type one of a shape that may have a role."""
    return tuple(
        primitive
        for primitive, given in measures(term, shape)
        if _may_be(role, role_of_type(given))
    )


# What may be the size of something.
_SIZES = ("", "Count", "Rank")


def _may_be(wanted: str, given: str) -> bool:
    """Whether a measure of one role may be what a constant of another stood for.

    A colour or a code must be one; a count or a rank may be any number but these, and what is
    known of neither may be anything.
    """
    if wanted in _SIZES:
        return given in _SIZES or not wanted
    if wanted in PAIR_ROLES or wanted == "Boolean":
        return True
    return wanted == given
