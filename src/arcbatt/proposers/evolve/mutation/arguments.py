"""Arguments for inserted calls: constants, earlier variables, functions, parts of donors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from arcbatt.language import Node, ir
from arcbatt.language.infer import infer_invocation
from arcbatt.language.types import Bindings, Type, fits, substitute

from .anatomy import Anatomy
from .constants import PAIR, some_constant
from .donors import Donors
from .roles import role_of_type, roles_agree, shape_of
from .vocabulary import functions_for

_TRIES = 8


def pick_recent(numbers: Sequence[int], rng: random.Random) -> int:
    """Return one of the numbers; later ones are likelier."""
    return numbers[-1 - int(len(numbers) * rng.random() ** 2)]


def argument_for(
    wanted: Type,
    bindings: Bindings,
    anatomy: Anatomy,
    before: int,
    donors: Donors,
    rng: random.Random,
) -> Node | None:
    """Return a node of a type for a call inserted after a node; None if the draw failed.

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
    """Return a variable of a type: the node itself or one before it; None if the draw failed."""
    earlier = anatomy.variables_before(before + 1)
    for _ in range(_TRIES):
        k = pick_recent(earlier, rng)
        given = anatomy.types[k]
        if wanted.is_closed:
            if _fits_closed(wanted, given):
                return anatomy.nodes[k]
            continue
        attempt = dict(bindings)
        if _fits_as(wanted, given, attempt):
            bindings.update(attempt)
            return anatomy.nodes[k]
    return None


def _fits_as(wanted: Type, given: Type, bindings: Bindings) -> bool:
    """Return whether a type, with its role, may be used where another is wanted."""
    return fits(wanted, given, bindings, infer_invocation, strict=True) and roles_agree(
        role_of_type(wanted), role_of_type(given)
    )


@lru_cache(maxsize=2**14)
def _fits_closed(wanted: Type, given: Type) -> bool:
    """Return the cached result of `_fits_as` for types without variables."""
    return _fits_as(wanted, given, {})


def _part(wanted: Type, donors: Donors, rng: random.Random) -> Node | None:
    alternative = rng.choice(wanted.args) if wanted.kind == "union" else wanted
    parts = donors.parts(shape_of(alternative))
    return rng.choice(parts)[0] if parts else None
