"""Arguments for a step that is put in: constants, earlier variables, functions, donated parts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from arcbatt.language import Node, ir
from arcbatt.language.infer import infer_invocation
from arcbatt.language.types import Bindings, Type, fits, substitute

from .anatomy import Anatomy
from .donors import Donors
from .numbers import PAIR, some_constant
from .roles import role_of_type, roles_agree, shape_of
from .vocabulary import functions_for

_TRIES = 8


def recent(numbers: Sequence[int], rng: random.Random) -> int:
    """One of them; the later, the likelier."""
    return numbers[-1 - int(len(numbers) * rng.random() ** 2)]


def argument_for(
    wanted: Type,
    bindings: Bindings,
    anatomy: Anatomy,
    before: int,
    donors: Donors,
    rng: random.Random,
) -> Node | None:
    """Something of a type for a call that is put in after a node; None if the draw found none.

    Binds the type's variables.
    """
    if wanted.kind == "function":
        args = tuple([substitute(parameter, bindings) for parameter in wanted.args[:-1]])
        fitting = functions_for(args, wanted.args[-1])
        return ir.primitive_node(rng.choice(fitting).name) if fitting else None
    if wanted.kind == "variable":
        wanted = bindings.get(wanted.label, wanted)
    role = role_of_type(wanted)
    if wanted.kind in ("integer", "boolean") and rng.random() < 0.6:
        return some_constant(role, rng)
    if shape_of(wanted) is _PAIR_SHAPE and rng.random() < 0.5:
        return some_constant(role or PAIR, rng)
    if rng.random() < 0.7:
        return _variable(wanted, bindings, anatomy, before, rng) or _part(wanted, donors, rng)
    return _part(wanted, donors, rng) or _variable(wanted, bindings, anatomy, before, rng)


_PAIR_SHAPE = shape_of(Type("product", (Type("integer"), Type("integer"))))


def _variable(
    wanted: Type, bindings: Bindings, anatomy: Anatomy, before: int, rng: random.Random
) -> Node | None:
    """The step's own node is among those that may be taken, as is what comes before it."""
    earlier = anatomy.variables_before(before + 1)
    for _ in range(_TRIES):
        k = recent(earlier, rng)
        given = anatomy.types[k]
        if wanted.is_closed:
            if _may_stand(wanted, given):
                return anatomy.nodes[k]
            continue
        attempt = dict(bindings)
        if _fits_as(wanted, given, attempt):
            bindings.update(attempt)
            return anatomy.nodes[k]
    return None


def _fits_as(wanted: Type, given: Type, bindings: Bindings) -> bool:
    """Whether something of a type and its role may stand where another is wanted."""
    return fits(wanted, given, bindings, infer_invocation, strict=True) and roles_agree(
        role_of_type(wanted), role_of_type(given)
    )


@lru_cache(maxsize=2**14)
def _may_stand(wanted: Type, given: Type) -> bool:
    """The same where nothing is bound."""
    return _fits_as(wanted, given, {})


def _part(wanted: Type, donors: Donors, rng: random.Random) -> Node | None:
    alternative = rng.choice(wanted.args) if wanted.kind == "union" else wanted
    parts = donors.parts(shape_of(alternative))
    return rng.choice(parts)[0] if parts else None
