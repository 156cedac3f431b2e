"""Outputs that consist of equal blocks, one for each cell of a map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value
from ..wording import name_color

MAPS = (
    "the grid",
    "the box of the colored cells",
    "the grid without repeated rows and columns",
    "the grid without blank rows and columns",
)
_YES_NO = ("no", "yes")
# Features of a map's cell, by code, with words for their values where these are not numbers.
FEATURES: Sequence[tuple[str, Sequence[str] | None]] = (
    ("any", ("any",)),
    ("whether it is black", _YES_NO),
    ("whether it has the most common color", _YES_NO),
    ("whether it has the most common color other than black", _YES_NO),
    ("whether it has the rarest color", _YES_NO),
    ("its color", tuple(map(name_color, range(10)))),
    ("the rank of its color, the most common first", None),
    ("its place on a checkerboard", ("as the upper left cell", "next to such a cell")),
    (
        "whether its row and column are even",
        ("both even", "the row even", "the column even", "both odd"),
    ),
)
_STAMPS = ("the grid", "its box", "the grid without repeated rows and columns")
_TURNS = (
    "",
    "transposed",
    "upside down",
    "transposed, then upside down",
    "mirrored",
    "transposed, then mirrored",
    "turned around",
    "transposed, then turned around",
)
_USES = (
    "{}",
    "{}, with all colors but the cell's erased",
    "{}, with the cell's color erased",
    "the shape of {} in the cell's color",
    "the gaps of {} in the cell's color",
)
_OWN, _FIRST_OF_STAMP = 10, 11


@primitive(
    "Demos, Grid, Code[0..3] -> Grid",
    rule=Rule(),
    is_learner=True,
    ties="the first feature, then the first kind of block, in the order given",
    examples=(
        "learn_blocks(((((0, 3),), ((0, 0, 0, 3),)),), ((5, 0),), 0) == ((5, 0, 0, 0),)",
        "learn_blocks(((((1, 2),), ((1, 1, 2, 2),)),), ((3, 4, 3),), 0) == "
        "((3, 3, 3, 4, 4, 4, 3, 3, 3),)",
    ),
)
def learn_blocks(S: Demos, I: Grid, code: int) -> Value:  # noqa: E741
    """Replace each cell of a map by a block, as the demos do.

    The map is, by code, 0 the grid, 1 the box of its cells other than 0, 2 the grid without rows
    and columns that equal the one before, 3 without rows and columns of 0. Blocks have the size of
    a stamp, or as many rows and columns as the grid has colors other than 0, or in all demos the
    same size. Stamps are the grid, its box, and the grid without repeated rows and columns, also
    turned and mirrored.

    A block is full, in a color or in that of the map's cell; or it is a stamp, or a stamp's cells
    of that color, or all others, or the stamp's shape or its gaps in that color. Which one depends
    on a feature of the map's cell: on none, whether it is 0, whether its color is the only most
    common one, that of those other than 0, or the only rarest one, its color, the rank of its
    color, whether row and column add up to an even number, which of them are even.
    """


@worded("learn_blocks")
def _(given: Value, *args: Any) -> list[str]:
    rule: Any = find_rule("learn_blocks", args)
    feature, *rows = rule
    name, words = FEATURES[feature]
    cells = f"each cell of {MAPS[args[-1]]} becomes a block"
    if len(rows) == 1:
        return [f"{cells}: {_say_kind(rows[0][1])}"]
    return [
        f"{cells} that depends on {name}:",
        *(f"{words[key] if words else key}: {_say_kind(kind)}" for key, kind in rows),
    ]


def _say_kind(kind: int) -> str:
    if kind == _OWN:
        return "full of the cell's color"
    if kind < _OWN:
        return f"full of {name_color(kind)}"
    number, use = divmod(kind - _FIRST_OF_STAMP, len(_USES))
    stamp, turn = divmod(number, len(_TURNS))
    what = f"{_STAMPS[stamp]}, {_TURNS[turn]}" if turn else _STAMPS[stamp]
    return _USES[use].format(what)
