"""Describe a value of the DSL by its kind and a short caption such as "grid 3x3".

Values are plain data, and some are ambiguous: a tuple of int tuples counts as a grid, two ints as a
pair. A known type decides, for example whether an empty set is a list of pictures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import repeat
from typing import Any

from arcbatt.language.primitives.picture_tools import EMPTY_PICTURE
from arcbatt.language.types import ANY, GRID, PAIR, Type
from arcbatt.plurals import count

MAX_TEXT = 100
MAX_NUMBERS = 16


class Kind(Enum):
    """The kinds of values that are drawn differently."""

    NOTHING = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    PAIR = auto()
    CELL = auto()
    NUMBERS = auto()
    GRID = auto()
    INDICES = auto()
    OBJECT = auto()
    PATCHES = auto()
    GRIDS = auto()
    PICTURE = auto()
    PICTURES = auto()
    CONTAINER = auto()
    EMPTY = auto()
    FUNCTION = auto()
    FAILURE = auto()


@dataclass(frozen=True)
class Description:
    """The kind of a value and a caption of one short line."""

    kind: Kind
    caption: str


def describe(value: object, known: Type = ANY) -> Description:
    """Return the kind and caption of a value; `known` is its type, if known."""
    if value is None:
        return Description(Kind.NOTHING, "nothing")
    if isinstance(value, bool):
        return Description(Kind.BOOLEAN, f"boolean {value}")
    if isinstance(value, int):
        return Description(Kind.NUMBER, f"number {number_text(value)}")
    if isinstance(value, tuple | frozenset):
        return _describe_container(value, known)
    if hasattr(value, "reason") and hasattr(value, "detail"):
        return Description(Kind.FAILURE, f"failure: {one_line(value)}")
    return Description(Kind.FUNCTION, f"function {one_line(value)}")


def number_text(number: int) -> str:
    """Return the digits of a number, or its size in bits if there are too many."""
    if number.bit_length() > 64:
        return f"of {number.bit_length()} bits"
    return str(number)


def one_line(value: object) -> str:
    """Return `str(value)` on one line of printable characters, cut to `MAX_TEXT`."""
    text = str(value)
    text = "".join(c if c.isprintable() else " " for c in text[: MAX_TEXT + 1]).strip()
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."


def is_number(value: object) -> bool:
    """Return whether the value is an int and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(is_number, value))


def _is_cell(value: object) -> bool:
    """Return whether the value is a cell of an object: (color, (row, column))."""
    return (
        isinstance(value, tuple) and len(value) == 2 and is_number(value[0]) and _is_pair(value[1])
    )


def _is_row(value: object) -> bool:
    return isinstance(value, tuple) and all(map(is_number, value))


def _is_picture(value: object, known: Type) -> bool:
    """Return whether the value is a picture: ((row, column), grid)."""
    if not (isinstance(value, tuple) and len(value) == 2 and _is_pair(value[0])):
        return False
    if not (isinstance(value[1], tuple) and all(map(_is_row, value[1]))):
        return False
    return bool(value[1]) or _is_picture_type(known) or (known is ANY and value == EMPTY_PICTURE)


def _is_picture_type(known: Type) -> bool:
    return known.kind == "product" and known.args == (PAIR, GRID)


def member_types(known: Type) -> Iterable[Type]:
    """Return the types of a container's members in order, ANY where unknown."""
    if known.kind == "product":
        return known.args
    return repeat(known.args[0] if known.kind in ("tuple", "set") else ANY)


def _describe_container(value: tuple[Any, ...] | frozenset[Any], known: Type) -> Description:
    word = "tuple" if isinstance(value, tuple) else "set"
    if not value:
        if known.kind in ("tuple", "set") and _is_picture_type(known.args[0]):
            return Description(Kind.EMPTY, "empty list of pictures")
        return Description(Kind.EMPTY, f"empty {word}")
    if isinstance(value, tuple):
        if _is_picture(value, known):
            return Description(Kind.PICTURE, _picture_caption(value))
        if _is_pair(value):
            return Description(
                Kind.PAIR, f"pair ({number_text(value[0])}, {number_text(value[1])})"
            )
        if _is_cell(value):
            color, (row, column) = value
            return Description(
                Kind.CELL,
                f"cell color {number_text(color)} at ({number_text(row)}, {number_text(column)})",
            )
        if all(map(_is_row, value)):
            return Description(Kind.GRID, _grid_caption(value))
    else:
        if all(map(_is_pair, value)):
            return Description(Kind.INDICES, f"indices {len(value)}")
        if all(map(_is_cell, value)):
            return Description(Kind.OBJECT, f"object {count(len(value), 'cell')}")
    if all(map(is_number, value)):
        return Description(Kind.NUMBERS, _numbers_caption(value))
    return _describe_elements(value, word, known)


def _describe_elements(
    value: tuple[Any, ...] | frozenset[Any], word: str, known: Type
) -> Description:
    types = member_types(known)
    kinds = {describe(element, each).kind for element, each in zip(value, types, strict=False)}
    if kinds == {Kind.PICTURE}:
        return Description(Kind.PICTURES, "list of " + count(len(value), "picture"))
    if kinds == {Kind.GRID}:
        return Description(Kind.GRIDS, count(len(value), "grid"))
    # An empty set among patches is a patch without cells.
    if kinds & {Kind.OBJECT, Kind.INDICES} and kinds <= {Kind.OBJECT, Kind.INDICES, Kind.EMPTY}:
        if all(isinstance(element, frozenset) for element in value):
            if Kind.INDICES not in kinds:
                return Description(Kind.PATCHES, count(len(value), "object"))
            if Kind.OBJECT not in kinds:
                return Description(Kind.PATCHES, count(len(value), "set") + " of indices")
            return Description(Kind.PATCHES, count(len(value), "patch", "patches"))
    return Description(Kind.CONTAINER, f"{word} of {len(value)}")


def _picture_caption(picture: tuple[tuple[int, int], tuple[tuple[int, ...], ...]]) -> str:
    (row, column), grid = picture
    if not grid:
        return "empty picture"
    size = _grid_caption(grid).replace("grid", "picture")
    return f"{size} at ({number_text(row)}, {number_text(column)})"


def _grid_caption(grid: tuple[tuple[int, ...], ...]) -> str:
    widths = {len(row) for row in grid}
    if len(widths) == 1:
        return f"grid {len(grid)}x{widths.pop()}"
    return f"ragged grid {len(grid)}x{min(widths)}-{max(widths)}"


def _numbers_caption(numbers: tuple[int, ...] | frozenset[int]) -> str:
    ordered = numbers if isinstance(numbers, tuple) else sorted(numbers)
    texts = [number_text(number) for number in ordered[:MAX_NUMBERS]]
    if len(numbers) > MAX_NUMBERS:
        texts.append(f"... {len(numbers) - MAX_NUMBERS} more")
    inside = ", ".join(texts)
    if isinstance(numbers, tuple):
        return f"numbers ({inside})"
    return f"numbers {{{inside}}}"
