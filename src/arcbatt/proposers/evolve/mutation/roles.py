"""The types that mutations distinguish: shapes of values, and roles of numbers and pairs.

Two nodes may replace each other if their shapes are equal: their types without the roles of numbers
and pairs (a Color is an integer), with one shape for all functions. Typing the calls above decides
whether a function fits. If both nodes have roles, these must be the same.

Roles are those of `language.types` (Color, Rank, Count, ...), "Boolean", and "" if unknown. A code
without a name is identified by its range: "Code[0..3]". The role of a constant is that of the
parameter to which it is passed.
"""

from __future__ import annotations

from functools import lru_cache

from arcbatt.language import Node
from arcbatt.language.infer import infer_invocation, type_of
from arcbatt.language.registry import get_primitive
from arcbatt.language.types import Bindings, Signature, Type, fits

FUNCTION = Type("function")


@lru_cache(maxsize=2**14)
def shape_of(term: Type) -> Type:
    """Return the type without roles, and with one shape for all functions."""
    if term.kind in ("closure", "choice"):
        return FUNCTION
    return Type(term.kind, tuple([shape_of(arg) for arg in term.args]))


def roles_agree(wanted: str, given: str) -> bool:
    """Return whether a value of one role (or none) may be used where another (or any) is wanted."""
    return not wanted or not given or wanted == given


@lru_cache(maxsize=2**14)
def role_of_type(term: Type) -> str:
    """Return the role of a type."""
    if term.kind in ("integer", "product"):
        return str(term) if term.label == "Code" else term.label
    return "Boolean" if term.kind == "boolean" else ""


def role_of_place(user: Node, place: int) -> str:
    """Return the role of an argument of a call."""
    if user.kind == "invoke":
        return _parameter_role(user.args[0], place - 1)
    match user.name, place:
        case "rbind", 1:
            return _parameter_role(user.args[0], -1)
        case "lbind", 1:
            return _parameter_role(user.args[0], 0)
        case "matcher", 1:
            return _result_role(user.args[0])
    types = [type_of(arg) for arg in user.args]
    for signature in get_primitive(user.name).signatures:
        role = _role_by_signature(signature, types, place)
        if role is not None:
            return role
    return ""


def _role_by_signature(signature: Signature, types: list[Type | None], place: int) -> str | None:
    """Return the role by one overload; None if the arguments do not fit it.

    The other arguments determine the role of a type variable, as in `equality(a, a)`.
    """
    bindings: Bindings = {}
    wanted = signature.parameters[place]
    for i in signature.order:
        given = types[i]
        if i == place and wanted.kind == "variable":
            continue
        if given is None or not fits(signature.parameters[i], given, bindings, infer_invocation):
            return None
    if wanted.kind == "variable":
        bound = bindings.get(wanted.label)
        return "" if bound is None else role_of_type(bound)
    return role_of_type(wanted)


def _parameter_role(function: Node, place: int) -> str:
    """Return the role of a function's parameter; -1 is the last, -2 the one before."""
    if function.kind == "primitive":
        parameters = get_primitive(function.name).signatures[0].parameters
        return (
            role_of_type(parameters[place]) if -len(parameters) <= place < len(parameters) else ""
        )
    if function.kind == "call" and function.name == "rbind":
        # The last parameter is bound, so the last of the result is the last but one.
        return _parameter_role(function.args[0], place - 1 if place < 0 else place)
    if function.kind == "call" and function.name == "lbind":
        return _parameter_role(function.args[0], place if place < 0 else place + 1)
    return ""


def _result_role(function: Node) -> str:
    """Return the role of a function's result."""
    if function.kind == "primitive":
        return role_of_type(get_primitive(function.name).signatures[0].result)
    if function.kind == "call" and function.name in ("rbind", "lbind", "compose", "chain", "fork"):
        return _result_role(function.args[0])
    return ""
