"""Tables of primitives by type, for mutations; each is built when first needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from arcbatt.language.infer import fitting_primitives, infer_call, infer_invocation
from arcbatt.language.registry import (
    Primitive,
    all_primitives,
    applied_definition,
    get_primitive,
    of_registry,
)
from arcbatt.language.types import ANY, GRID, Bindings, Type, fits, substitute

from .roles import shape_of


@of_registry
@lru_cache(maxsize=2**14)
def _primitives_for(args: tuple[Type, ...]) -> tuple[tuple[Primitive, Type], ...]:
    """Return the primitives that accept these arguments, with the types of their results."""
    return tuple(fitting_primitives(args))


@of_registry
@lru_cache(maxsize=2**14)
def alternatives(name: str, args: tuple[Type, ...]) -> tuple[Primitive, ...]:
    """Return the other primitives that accept these arguments with a result of the same shape.

    `identity` is left out: deleting the call is the same and shorter.
    """
    given = infer_call(get_primitive(name), args)
    if given is None:
        return ()
    shape = shape_of(given)
    return tuple(
        primitive
        for primitive, result in _primitives_for(args)
        if shape_of(result) is shape and primitive.name not in (name, "identity")
    )


@of_registry
@cache
def value_replacements(name: str) -> tuple[Primitive, ...]:
    """Return the primitives that may replace a primitive used as a value.

    They accept the parameters of one of its overloads and return its result, where variables and
    functions fit anything.
    """
    own = get_primitive(name)
    similar = []
    for other in all_primitives().values():
        if other.name == name or other.arity != own.arity:
            continue
        for signature in own.signatures:
            args = tuple(map(_opened, signature.parameters))
            given = infer_call(other, args)
            wanted = _opened(signature.result)
            if given is not None and fits(wanted, given, {}, infer_invocation):
                similar.append(other)
                break
    return tuple(similar)


def _opened(pattern: Type) -> Type:
    """Return a type with ANY for variables, functions and containers; a union's first member."""
    if pattern.kind in ("variable", "function", "container"):
        return ANY
    if pattern.kind == "union":
        return pattern.args[0]
    return Type(pattern.kind, tuple(map(_opened, pattern.args)), pattern.label)


# These return one of their arguments, except for booleans and sets.
_IDLE = ("identity", "both", "either", "totuple")


@dataclass(frozen=True, slots=True)
class _StepForm:
    """A primitive that takes a value of some shape in one place and returns one of that shape."""

    primitive: Primitive
    place: int
    parameters: tuple[Type, ...]
    bindings: tuple[tuple[str, Type], ...]


@of_registry
@lru_cache(maxsize=2**12)
def step_forms(term: Type) -> tuple[_StepForm, ...]:
    """Return the calls that can be inserted after a value of a type, so that its users still fit.

    There is one for each primitive and place, without those that return an argument unchanged.
    """
    idle = _IDLE if term.kind != "boolean" else ("identity",)
    shape = shape_of(term)
    forms: dict[tuple[str, int], _StepForm] = {}
    for primitive in all_primitives().values():
        if _makes_functions(primitive) or primitive.name in idle:
            continue
        for signature in primitive.signatures:
            for place, wanted in enumerate(signature.parameters):
                bindings: Bindings = {}
                if wanted.kind == "function" or wanted is ANY:
                    continue
                if not fits(wanted, term, bindings, infer_invocation, strict=True):
                    continue
                # A union such as Patch as a result keeps the argument's type.
                result = (
                    term if signature.result is wanted else substitute(signature.result, bindings)
                )
                if shape_of(result) is shape:
                    forms.setdefault(
                        (primitive.name, place),
                        _StepForm(primitive, place, signature.parameters, tuple(bindings.items())),
                    )
    return tuple(forms.values())


@of_registry
@cache
def unary_steps() -> tuple[Primitive, ...]:
    """Return the primitives of one argument with a result of the same type."""
    return tuple(
        primitive
        for primitive in all_primitives().values()
        if primitive.arity == 1
        and primitive.name != "identity"
        and any(signature.parameters[0] is signature.result for signature in primitive.signatures)
    )


@of_registry
@lru_cache(maxsize=2**12)
def functions_for(args: tuple[Type, ...], wanted: Type) -> tuple[Primitive, ...]:
    """Return the primitives that may be used as a function of these arguments."""
    return tuple(
        primitive
        for primitive, given in _primitives_for(args)
        if not _makes_functions(primitive) and fits(wanted, given, {}, infer_invocation)
    )


def _makes_functions(primitive: Primitive) -> bool:
    return applied_definition(primitive.name) is not None


@lru_cache(maxsize=2**14)
def is_grid(term: Type) -> bool:
    """Return whether every value of this type is a grid."""
    return fits(GRID, term, {}, infer_invocation, strict=True)
