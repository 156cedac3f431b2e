"""Learn the new colors of cells from what they see, such as their surroundings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value
from ..wording import (
    DIRECTION_NAMES,
    OUTSIDE,
    PLACE_NAMES,
    Phrase,
    colors_in,
    join_words,
    name_cell,
    name_color,
    name_colors,
    name_object,
    name_rank,
    shorten,
)


@dataclass(frozen=True)
class _Seen:
    """Words for the colors that are seen at some places: "red is above and below".

    `absent` is said of places without a color; by default they are "the outside".
    """

    places: Sequence[str]
    words: str = "{color} is {places}"
    absent: str = ""

    def say(self, seen: Sequence[int], name: Callable[[int], str] = name_color) -> str:
        places_of: dict[int, list[str]] = {}
        for place, color in zip(self.places, seen, strict=True):
            places_of.setdefault(color, []).append(place)
        # Absent colors come last.
        items = sorted(places_of.items(), key=lambda item: item[0] == OUTSIDE)
        *most, last = (
            (self.absent if color == OUTSIDE and self.absent else self.words).format(
                color=name(color), places=join_words(places)
            )
            for color, places in items
        )
        return f"{', '.join(most)}, and {last}" if most else last


_LINES = ("its row", "its column")
_BESIDE = _Seen([PLACE_NAMES[k] for k in (1, 3, 4, 6)])
_AROUND = _Seen(PLACE_NAMES)
_FIRST = "{color} is the first color {places}"
_NO_FIRST = "there is none {places}"
_FIRST_BESIDE = _Seen([DIRECTION_NAMES[k] for k in (1, 3, 4, 6)], _FIRST, _NO_FIRST)
_FIRST_AROUND = _Seen(DIRECTION_NAMES, _FIRST, _NO_FIRST)
_IMAGE = "{color} is at {places}"
_MIRRORED = _Seen(("its mirror image left to right", "its mirror image top to bottom"), _IMAGE)
_IN_BETWEEN = (
    "it lies between two {color} cells in {places}",
    "it lies between no two cells of one color in {places}",
)
_BETWEEN = _Seen(_LINES, *_IN_BETWEEN)
_BETWEEN_ALL = _Seen((*_LINES, "its falling diagonal", "its rising diagonal"), *_IN_BETWEEN)


def _counted(colors: Sequence[int]) -> str:
    counts = Counter(colors)
    return ", ".join(f"{n} {name_color(color)}" for color, n in sorted(counts.items()))


def _say_evenness(seen: Sequence[int]) -> str:
    row, column = seen
    if row == column:
        return f"{'both are' if row else 'neither is'} of one color"
    return f"its {'row' if row else 'column'} is of one color, its {'column' if row else 'row'} not"


def _say_gap(seen: Sequence[int]) -> str:
    (size,) = seen
    return (
        f"its gap has {size}{' or more' * (size == 9)} {'cells' if size > 1 else 'cell'}"
        if size
        else "it lies in no gap"
    )


def _say_distance(seen: Sequence[int]) -> str:
    (distance,) = seen
    cells = "cell" if distance == 1 else "cells"
    return f"it lies {distance}{' or more' * (distance == 5)} {cells} from the edge"


def _say_rank(seen: Sequence[int]) -> str:
    (rank,) = seen
    return f"its part is {name_rank(rank, 'largest')} of its color" if rank < 4 else "it is smaller"


def _say_lines(seen: Sequence[int]) -> str:
    # The colors of each line come as two numbers of 5 bits.
    row, column = (colors_in(low | high << 5) for low, high in (seen[:2], seen[2:]))
    return f"its row has {name_colors(row)}, its column {name_colors(column)}"


def _say_modulo(seen: Sequence[int]) -> str:
    return f"the remainder is {seen[0]} for its row and {seen[1]} for its column"


# By code: what a cell sees besides its own color, and the words for the numbers that it sees.
SIGHTS: tuple[tuple[str, Phrase], ...] = (
    ("its color only", lambda seen: ""),
    ("the 4 colors beside it", _BESIDE.say),
    ("the 8 colors around it", _AROUND.say),
    ("the 8 colors around it in any order", lambda seen: f"around it are {_counted(seen)}"),
    ("its mirror images", _MIRRORED.say),
    ("the first colors other than black in 4 directions", _FIRST_BESIDE.say),
    ("the enclosed gap in which it lies", _say_gap),
    ("its row and column, counted from 0, divided by 2", _say_modulo),
    ("its row and column, counted from 0, divided by 3", _say_modulo),
    (
        "its distance from the edge",
        _say_distance,
    ),
    (
        "the most common colors other than black of its row and column",
        _Seen(_LINES, "{color} is the most common in {places}", "there is none in {places}").say,
    ),
    (
        "the 8 colors around it up to mirrors and turns",
        lambda seen: f"around it, in some turn, are {', '.join(map(name_color, seen))}",
    ),
    (
        "whether its row and column are of one color",
        _say_evenness,
    ),
    ("the rank of its 4-connected part by size", _say_rank),
    (
        "how many cells near it are not black",
        lambda seen: (
            f"{seen[0]} of the 4 beside it and {seen[1]} of the 4 at its corners are not black"
        ),
    ),
    ("what it lies between, in its row and column", _BETWEEN.say),
    ("the rank of its 8-connected part by size", _say_rank),
    (
        "whether its part touches the edge",
        lambda seen: f"its part {'touches' if seen[0] else 'does not touch'} the edge",
    ),
    ("the first colors other than its own in 4 directions", _FIRST_BESIDE.say),
    ("which colors are around it", lambda seen: f"around it are {name_colors(seen)}"),
    (
        "the object in whose box it lies",
        lambda seen: (
            "it lies in no box"
            if seen[0] == OUTSIDE
            else f"it lies in the box of {name_object(seen[0])}"
        ),
    ),
    ("which colors its row and column have", _say_lines),
)
# By code less those above: the sight of a cell, and the words for colors that are compared.
RELATIVE_SIGHTS: tuple[tuple[str, _Seen], ...] = (
    ("the 4 colors beside it up to mirrors and turns", _BESIDE),
    ("the 8 colors around it up to mirrors and turns", _AROUND),
    ("the first colors other than black in 4 directions", _FIRST_BESIDE),
    (
        "the first colors other than black in 4 directions up to mirrors and turns",
        _FIRST_BESIDE,
    ),
    ("the first colors other than black in 8 directions", _FIRST_AROUND),
    (
        "the first colors other than its own in 4 directions up to mirrors and turns",
        _FIRST_BESIDE,
    ),
    ("what it lies between, in its row and column", _BETWEEN),
    ("what it lies between, in all 4 lines", _BETWEEN_ALL),
    ("its mirror images", _MIRRORED),
    ("its image at the diagonal", _Seen(("its image at the diagonal",), _IMAGE)),
    ("its image turned by 180 degrees", _Seen(("its image turned by 180 degrees",), _IMAGE)),
    (
        "the first colors other than black of its row and column",
        _Seen(_LINES, "{color} is the first color of {places}", "there is none in {places}"),
    ),
)


@primitive(
    "Demos, Grid, Code[0..33] -> Grid",
    rule=Rule(on_bases=True),
    is_learner=True,
    examples=(
        "learn_cells(((((1, 2),), ((3, 2),)),), ((2, 1, 1),), 0) == ((2, 3, 3),)",
        "learn_cells(((((1, 0, 1),), ((1, 1, 1),)),), ((2, 0, 2),), 28) == ((2, 2, 2),)",
    ),
)
def learn_cells(S: Demos, I: Grid, code: int) -> Value:  # noqa: E741
    """Change each cell of a grid as the demos change cells of its color that see the same.

    Only demos whose output has the input's size count; there must be one. Cells of one color that
    see the same must become the same color in all of them, and each cell of the grid must see
    something that occurs there. But a cell of a color that the demos have and never change stays.

    What a cell sees besides its own color, 10 standing for what lies outside: 0 nothing, 1 the 4
    colors beside it, 2 the 8 around it, 3 the same in any order, 4 its mirror images left to right
    and top to bottom, 5 the first colors other than 0 in the 4 directions, 6 the size (at most 9)
    of the enclosed 4-connected zeros in which it lies, or 0, 7 its row and column modulo 2, 8
    modulo 3, 9 its distance from the edge (at most 5), 10 the most common colors other than 0 of
    its row and its column, 11 the 8 colors around it up to mirrors and turns, 12 whether its row,
    its column is of one color, 13 the rank by size (at most 4) of its 4-connected part among the
    parts of its color, the largest having 0, 14 how many cells beside it, how many at its corners
    are not 0, 15 the colors that are the first other than 0 on both sides, in its row and in its
    column, 16 as 13 for 8-connected parts, 17 whether its 4-connected part of one color touches the
    edge, 18 the first colors other than its own in the 4 directions, 19 which colors are around it,
    20 the color of the largest 8-connected part of one color other than 0, the last of several, in
    whose box it lies, 21 which colors its row has, and its column.

    From 22 on cells compare colors without knowing them: the colors that a cell sees, its own
    first, are numbered in order of appearance. Cells that see the same numbers become the color of
    one number, or else all the same color. A cell of a color that the demos do not change stays if
    it sees something unknown. 22 the colors beside it, up to
    mirrors and turns, 23 those around it, likewise, 24 the first other than 0 in the 4 directions,
    25 the same up to mirrors and turns, 26 the first other than 0 in the 8 directions, 27 the first
    other than its own in the 4 directions, up to mirrors and turns, 28 those that are the first
    other than 0 on both sides, in its row and in its column, 29 also in its diagonals, 30 its
    mirror images left to right and top to bottom, 31 that at the diagonal, 32 its image turned by
    180 degrees, 33 the first colors other than 0 of its row and its column.
    """


@worded("learn_cells")
def _(given: Value, *args: Any) -> list[str]:
    code = args[-1]
    rule: Any = find_rule("learn_cells", args)
    if code < len(SIGHTS):
        title, phrase = SIGHTS[code]
        lines = [
            f"{name_cell(own)} becomes {name_color(new)}"
            + (f" where {phrase(seen)}" if seen else "")
            for (own, *seen), new in rule
            if new != own
        ]
        return [f"the new color of a cell depends on {title}:", *shorten(sorted(lines))]
    title, sight = RELATIVE_SIGHTS[code - len(SIGHTS)]
    lines = []
    for (own, *seen), source in rule:
        new = name_color(source - 10) if source >= 10 else _letter(source + 1)
        if new == _letter(own):
            continue
        cell = f"a cell of color {_letter(own)}" if own else name_cell(own)
        lines.append(f"{cell} becomes {new} where {sight.say(seen, _letter)}")
    return [
        f"the new color of a cell depends on {title} (A, B: any colors):",
        *shorten(sorted(lines)),
    ]


def _letter(number: int) -> str:
    """Name a color by its number in the order in which colors are seen: A is the first."""
    if number in (0, OUTSIDE):
        return name_color(number)
    return chr(ord("A") + number - 1)
