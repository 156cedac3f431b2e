"""Words for colors, ranks and tables, shared by primitives that explain what they learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

COLOR_NAMES = "black blue red green yellow grey pink orange cyan brown".split()
DIRECTION_NAMES = (
    "up-left",
    "up",
    "up-right",
    "left",
    "right",
    "down-left",
    "down",
    "down-right",
)
# The same places, seen from a cell.
PLACE_NAMES = (
    "above left",
    "above",
    "above right",
    "to the left",
    "to the right",
    "below left",
    "below",
    "below right",
)
OUTSIDE = 10  # the color of places outside the grid
# A table may have a row for every cell of the demos: the first rows are shown, the others counted.
MAX_LINES = 12

# The words for one value of a feature.
Phrase: TypeAlias = Callable[[Any], str]


def name_color(color: int) -> str:
    """Return a color's name; `OUTSIDE` stands for cells beyond the edge."""
    return "the outside" if color == OUTSIDE else COLOR_NAMES[color]


def name_cell(color: int) -> str:
    """Return "a red cell", "an orange cell" and so on."""
    return f"{_name_with_article(color)} cell"


def name_object(color: int) -> str:
    """Return "a red object", "an orange object" and so on."""
    return f"{_name_with_article(color)} object"


def _name_with_article(color: int) -> str:
    name = name_color(color)
    return f"{'an' if name.startswith('o') else 'a'} {name}"


def name_colors(colors: Iterable[int]) -> str:
    """Return the names of colors, in their order."""
    return " and ".join(map(name_color, sorted(colors))) or "nothing"


def colors_in(bits: int) -> list[int]:
    """Return the numbers of the bits that are set, which stand for colors."""
    return [color for color in range(OUTSIDE + 1) if bits >> color & 1]


def name_rank(rank: int, most: str) -> str:
    """Return "the largest", "the 2nd largest" and so on.

    `most` is "largest", or has a place for the ordinal: "one with the {}most holes".
    """
    ordinals = {0: "", 1: "2nd ", 2: "3rd "}
    return (most if "{}" in most else "the {}" + most).format(ordinals.get(rank, f"{rank + 1}th "))


def join_words(words: Sequence[str]) -> str:
    """Return "one", "one and two", "one, two and three"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


# Verbs of the sentences that say something about an object, with their negations.
_NEGATIONS = {
    "is": "is not",
    "has": "does not have",
    "lies": "does not lie",
    "touches": "does not touch",
    "shares": "does not share",
    "fills": "does not fill",
    "encloses": "does not enclose",
}


def negate(sentence: str) -> str:
    """Return the negation of a sentence such as "it touches the edge"."""
    subject, verb, rest = sentence.split(" ", 2)
    return f"{subject} {_NEGATIONS[verb]} {rest}"


def draw_mask(rows: Iterable[Sequence[int]]) -> str:
    """Return the rows of a mask in one line, `#` where it is set."""
    return "/".join("".join("#" if cell else "." for cell in row) for row in rows)


def shorten(lines: Sequence[str]) -> list[str]:
    """Return the first lines and the number of those left out."""
    if len(lines) <= MAX_LINES:
        return list(lines)
    return [*lines[:MAX_LINES], f"and {len(lines) - MAX_LINES} more"]
