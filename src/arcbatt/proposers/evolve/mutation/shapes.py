"""Shapes: types as far as mutations tell them apart.

Two nodes may stand in for each other when their shapes are equal: their types less the roles of
numbers and pairs (a Color is an integer), all functions being of one shape. Whether a function fits
where it was put, typing the calls above it tells. A role that both have must agree.
"""

from __future__ import annotations

from functools import lru_cache

from arcbatt.language.types import Type

FUNCTION = Type("function")


@lru_cache(maxsize=2**14)
def shape_of(term: Type) -> Type:
    """The type without roles, functions all being one."""
    if term.kind in ("closure", "choice"):
        return FUNCTION
    return Type(term.kind, tuple([shape_of(arg) for arg in term.args]))


def roles_agree(wanted: str, given: str) -> bool:
    """Whether what has one role (or none) may stand where another (or any) is wanted."""
    return not wanted or not given or wanted == given
