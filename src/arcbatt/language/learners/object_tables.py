"""Objects by a feature: demos give objects with the same feature the same color, or pick one."""

from __future__ import annotations

from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value
from ..wording import Phrase, colors_in, draw_mask, name_color, name_colors, name_rank, shorten

SEGMENTS = (
    "4-connected of one color",
    "8-connected of one color",
    "8-connected of any colors",
    "4-connected and black",
)


def _ranked(most: str) -> Phrase:
    return lambda rank: name_rank(rank, most)


def _is(condition: object) -> str:
    return "is" if condition else "is not"


_FULLNESS = ("one that does not fill its box", "a square", "a line", "a rectangle")
_EXTREMES = ("one of the largest", "one of the smallest", "neither largest nor smallest")
# By code: the feature, and the words for one of its values, as the native rules give it.
FEATURES: tuple[tuple[str, Phrase], ...] = (
    ("its colors", lambda bits: f"one that has {name_colors(colors_in(bits))}"),
    ("its size", lambda size: f"one of {size} cell{'s' * (size != 1)}"),
    ("the rank of its size, from the largest", _ranked("largest")),
    ("the rank of its size, from the smallest", _ranked("smallest")),
    ("its height and width", lambda sides: f"one of {sides[0]} x {sides[1]}"),
    ("its holes", lambda n: f"one with {n} hole{'s' * (n != 1)}"),
    ("its shape up to turns", lambda mask: f"one like {draw_mask(mask)} in some turn"),
    ("its shape", lambda mask: f"one like {draw_mask(mask)}"),
    ("whether it touches the edge", lambda yes: f"one {'' if yes else 'not '}at the edge"),
    ("the colors around it", lambda bits: f"one that touches {name_colors(colors_in(bits))}"),
    ("how many have its shape", lambda n: f"one of {n} of its shape"),
    (
        "its mirror symmetry",
        lambda bits: (
            f"one that {_is(bits & 2)} symmetric left to right and {_is(bits & 1)} top to bottom"
        ),
    ),
    ("the rank of its first column", _ranked("leftmost")),
    ("the rank of its first row", _ranked("uppermost")),
    ("whether it fills a square, a line, a rectangle", lambda k: _FULLNESS[k]),
    ("whether it is largest or smallest", lambda k: _EXTREMES[k]),
    ("how many have its colors", lambda n: f"one of {n} of its colors"),
    ("the rank of its number of holes", _ranked("richest in holes")),
    ("the rank of its box's area", _ranked("largest by its box")),
    ("the rank of its width", _ranked("widest")),
    ("the rank of its height", _ranked("highest")),
    ("whether it is one cell", lambda yes: f"one of {'a single cell' if yes else 'more cells'}"),
    ("whether it is symmetric", lambda yes: f"one that {_is(yes)} symmetric"),
    ("the rank of its cells of rarer colors", _ranked("richest in cells of rarer colors")),
)


@primitive(
    "Demos, Grid, Code[0..3], Code[0..23] -> Grid",
    rule=Rule(on_bases=True),
    is_learner=True,
    examples=(
        "learn_objects(((((5, 0, 5, 5),), ((1, 0, 2, 2),)),), ((5, 5, 0, 5),), 0, 1) == "
        "((2, 2, 0, 1),)",
        "learn_objects(((((5, 0, 5, 5),), ((5, 0, 2, 2),)),), ((6, 6, 6, 0, 7),), 0, 15) == "
        "((2, 2, 2, 0, 7),)",
    ),
    ties="an object stays before it becomes a color",
)
def learn_objects(S: Demos, I: Grid, segments: int, feature: int) -> Value:  # noqa: E741
    """Give the objects of a grid the colors that demos give to objects like them.

    Only demos whose output has the input's size count; there must be one. In each of them every
    object must stay as it is or become one color all over, and nothing else may change. Objects
    that are alike must all stay, or all become one color; objects of the grid follow them.

    Objects: 0 4-connected of one color other than 0, 1 8-connected likewise, 2 8-connected of any
    colors other than 0, 3 4-connected zeros.

    Objects are alike by: 0 their colors, 1 their size (number of cells), 2 the rank of their size
    in the grid, the largest having 0, 3 the same from the smallest, 4 height and width, 5 how many
    4-connected holes they enclose, 6 their shape up to mirrors and turns, 7 their shape, 8 whether
    they touch the edge, 9 the colors other than 0 around them, 10 how many objects of the grid have
    their shape, 11 whether they are their own mirror images left to right, and top to bottom, with
    their colors, 12 the rank of their first column, 13 of their first row, 14 whether they fill a
    square, else a line, else a rectangle, 15 whether they are of the largest size, else of the
    smallest, 16 how many objects of the grid have their colors. Ranks from the greatest: 17 by
    holes, 18 by the area of their box, 19 by width, 20 by height. 21 whether they are a single
    cell, 22 whether they are a mirror image of themselves either way, 23 the rank, from the
    greatest, by the number of cells that do not have their most common color. Ranks count distinct
    numbers.
    """


def _say_objects(segments: int, feature: int) -> str:
    return f"an object, {SEGMENTS[segments]}, is described by {FEATURES[feature][0]}"


@worded("learn_objects")
def _(given: Value, *args: Any) -> list[str]:
    _, _, segments, feature = args
    rule: Any = find_rule("learn_objects", args)
    lines = []
    for key, color in rule:
        becomes = "stays" if color < 0 else f"becomes {name_color(color)}"
        lines.append(f"{FEATURES[feature][1](key)} {becomes}")
    return [f"{_say_objects(segments, feature)}:", *shorten(sorted(lines))]


@primitive(
    "Demos, Grid, Code[0..2], Code[0..23] -> Grid",
    rule=Rule(),
    is_learner=True,
    examples=(
        "pick_object(((((1, 0, 2, 2),), ((2, 2),)),), ((3, 3, 3, 0, 2),), 0, 2) == ((3, 3, 3),)",
        "pick_object(((((1, 0, 2, 2),), ((2, 2),)),), ((3, 3, 3, 0, 2),), 0, 0) == ((2,),)",
    ),
)
def pick_object(S: Demos, I: Grid, segments: int, feature: int) -> Value:  # noqa: E741
    """Return the box of the one object of a grid that has the feature of those the demos pick.

    Each demo's output must be what the input shows in the box of an object which is the only one
    with its value of the feature; that value must be the same in all demos, and exactly one object
    of the grid has it. Codes are those of `learn_objects`; but zeros, code 3, are not picked.
    """


@worded("pick_object")
def _(given: Value, *args: Any) -> list[str]:
    _, _, segments, feature = args
    rule: Any = find_rule("pick_object", args)
    marks = sorted(FEATURES[feature][1](mark) for mark in rule)
    return [f"{_say_objects(segments, feature)}: picked is {' or '.join(marks)}"]
