"""The shape of `results.json`, to refuse files of other versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Filled(list[Any]):
    """The shape of a list with at least one member."""


NUMBER = (int, float)
CANDIDATE = {
    "proposer": str,
    "found_s": NUMBER,
    "program": str,
    "family": str,
    "bits": NUMBER,
    "fitted": int,
    "learns": bool,
    "held_out": (int, type(None)),
    "copies": (int, type(None)),
    "credit": int,
    "size": int,
    "steps": int,
}
ATTEMPT = {
    "grid": Filled([Filled([int])]),
    "evidence": NUMBER,
    "weight": (*NUMBER, type(None)),
    "taken": dict,
    "broken": [str],
    "candidates": int,
    "families": [str],
    "best": (None, CANDIDATE),
}
TEST = {"confidence": NUMBER, "grids": int, "attempts": Filled([ATTEMPT]), "lost": [ATTEMPT]}
TASK = {
    "task": str,
    "demos": int,
    "fits": bool,
    "candidates": int,
    "agreeing": int,
    "confidence": NUMBER,
    "proposer": (str, type(None)),
    "found_s": (*NUMBER, type(None)),
    "spent_s": NUMBER,
    "tests": Filled([TEST]),
    "rules": [str],
}
WHOLE: Mapping[str, Any] = {
    "tasks": int,
    "fits": int,
    "elapsed_s": NUMBER,
    "proposers": dict,
    "parts": dict,
    "by_task": [TASK],
    "not_valid": dict,
}


def find_fault(content: object, shape: Any = WHOLE, place: str = "it") -> str | None:
    """Return the first place where content does not have a shape, or None.

    A shape is a type, a tuple of types, a list with the shape of all members, a mapping of keys to
    shapes, or (None, shape) for an optional value.
    """
    if isinstance(shape, tuple) and shape[0] is None:
        return None if content is None else find_fault(content, shape[1], place)
    if isinstance(shape, list):
        if not isinstance(content, list):
            return f"{place}: expected a list"
        if isinstance(shape, Filled) and not content:
            return f"{place}: it is empty"
        faults = (find_fault(each, shape[0], f"{place}[{k}]") for k, each in enumerate(content))
        return next(filter(None, faults), None)
    if isinstance(shape, Mapping):
        if not isinstance(content, dict):
            return f"{place}: expected an object"
        if missing := shape.keys() - content.keys():
            return f"{place}: {min(missing)!r} is missing"
        faults = (find_fault(content[key], each, f"{place}.{key}") for key, each in shape.items())
        return next(filter(None, faults), None)
    if isinstance(content, shape) and not (isinstance(content, bool) and shape is not bool):
        return None
    return f"{place}: unexpected {content!r:.40}"
