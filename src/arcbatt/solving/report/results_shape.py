"""The shapes of JSON files in a run folder, to refuse odd ones and those of other versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from arcbatt.tasks.validation import parse_grid


class Filled(list[Any]):
    """The shape of a list with at least one member."""


@dataclass(frozen=True)
class Values:
    """The shape of all values of an object, whatever its keys."""

    shape: Any


@dataclass(frozen=True)
class Maybe:
    """The shape of a value whose key may be missing."""

    shape: Any


class Grid:
    """The shape of a grid."""


class _NotAGrid(ValueError):
    """A value is not a grid; the message says why."""


NUMBER = (int, float)
COUNTS = Values(NUMBER)
CHOSEN = (None, [str])
CONFIG: Mapping[str, Any] = {
    "command": str,
    "seed": int,
    # Those that are read although another version may have written them.
    "options": {
        "data": str,
        "tasks": Maybe(CHOSEN),
        "proposers": Maybe([str]),
        "off": Maybe([str]),
        "plugins": Maybe([str]),
    },
    "versions": {"language": str},
}
LOG_ENTRY: Mapping[str, Any] = {
    "number": int,
    "proposer": str,
    "item": str,
    "elapsed_s": NUMBER,
    "wall_s": NUMBER,
    "engine_s": NUMBER,
    "n_fitted": int,
    "n_pairs": int,
    "mutations": dict,
    "details": dict,
}
MUTATION = {"tried": NUMBER, "improved": NUMBER}
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
    "grid": Grid(),
    "evidence": NUMBER,
    "reasons": COUNTS,
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
PROPOSER = {
    "n_tasks": int,
    "n_rounds": int,
    "n_proposed": int,
    "n_kept": int,
    "n_first": int,
    "elapsed_s": NUMBER,
}
WHOLE: Mapping[str, Any] = {
    "tasks": int,
    "fits": int,
    "elapsed_s": NUMBER,
    "proposers": Values(PROPOSER),
    "parts": Values(Values(COUNTS)),
    "by_task": [TASK],
    "not_valid": Values([str]),
}


def is_encodable(text: str) -> bool:
    """Return whether text can be written as UTF-8, as lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def find_fault(content: object, shape: Any = WHOLE, place: str = "it") -> str | None:
    """Return the first place where content does not have a shape, or None.

    A shape is a type, a tuple of types, a list with the shape of all members, a mapping of keys to
    shapes, which are `Maybe` where the key may be missing, `Values` with the shape of all values, a
    `Grid`, or (None, shape) for an optional value.
    Text must be of Unicode characters: JSON can escape halves of some.
    """
    if isinstance(shape, tuple) and shape[0] is None:
        return None if content is None else find_fault(content, shape[1], place)
    if isinstance(shape, Maybe):
        return find_fault(content, shape.shape, place)
    if isinstance(shape, list):
        if not isinstance(content, list):
            return f"{place}: expected a list"
        if isinstance(shape, Filled) and not content:
            return f"{place}: it is empty"
        faults = (find_fault(each, shape[0], f"{place}[{k}]") for k, each in enumerate(content))
        return next(filter(None, faults), None)
    if isinstance(shape, Grid):
        try:
            parse_grid(content, place, _NotAGrid)
        except _NotAGrid as error:
            return str(error)
        return None
    if isinstance(shape, Values) and isinstance(content, dict):
        keys = (find_fault(key, str, place) for key in content)
        values = (find_fault(each, shape.shape, f"{place}.{key}") for key, each in content.items())
        return next(filter(None, chain(keys, values)), None)
    if isinstance(shape, Values):
        return f"{place}: expected an object"
    if isinstance(shape, Mapping):
        if not isinstance(content, dict):
            return f"{place}: expected an object"
        expected = {key for key, each in shape.items() if not isinstance(each, Maybe)}
        if missing := expected - content.keys():
            return f"{place}: {min(missing)!r} is missing"
        faults = (
            find_fault(content[key], each, f"{place}.{key}")
            for key, each in shape.items()
            if key in content
        )
        return next(filter(None, faults), None)
    is_text = not isinstance(content, str) or is_encodable(content)
    if isinstance(content, shape) and not (isinstance(content, bool) and shape is not bool):
        if is_text:
            return None
    return f"{place}: unexpected {content!r:.40}"
