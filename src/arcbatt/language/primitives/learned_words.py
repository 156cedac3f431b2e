"""What the demos teach, in words: the tables of `learned` and of the views as lines to read.

Each primitive that learns and does not give its rule as data is told here, from the arguments of a
call: `words_of_call` of the registry has the lines. What gives its rule as data is told beside its
definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from ..registry import worded
from ..values import Grid, Value
from .cell_columns import COLOR_NAMES
from .cell_surroundings import DIRECTION_NAMES
from .learned import (
    fixed_colors,
    learn_measures,
    object_marks,
    object_table,
    plain_table,
    relative_table,
)
from .observations import (
    CUT_FOR_SIGHT,
    OUTSIDE,
    SIGHTS,
    Pairs,
    cut,
    pairs_of_one_size,
)
from .symmetry import NOISE_IN_WORDS, Map, symmetries_of

# A table may have a line for every cell of the demos: these are shown, the others counted.
MAX_LINES = 12

Phrase: TypeAlias = Callable[[Any], str]


def name_color(color: int) -> str:
    """Return a colour's name, or that it lies outside."""
    return "the outside" if color == OUTSIDE else COLOR_NAMES[color]


def shortened(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many there are more."""
    if len(lines) <= MAX_LINES:
        return list(lines)
    return [*lines[:MAX_LINES], f"and {len(lines) - MAX_LINES} more"]


def _nth(rank: int, most: str) -> str:
    """ "the largest", "the 2nd largest" and so on."""
    endings = {1: "2nd", 2: "3rd"}
    return f"the {most}" if rank == 0 else f"the {endings.get(rank, f'{rank + 1}th')} {most}"


def color_names(colors: Iterable[int]) -> str:
    """Return the names of colours, in their order."""
    return " and ".join(map(name_color, sorted(colors))) or "nothing"


# --- cells ---

NOTHING = "none"
_SIDES = ("above it", "left of it", "right of it", "below it")
_LINES = ("its row", "its column")
_ALL_LINES = (*_LINES, "its falling diagonal", "its rising diagonal")


def _each(places: Sequence[str], outside: str = "the outside") -> Phrase:
    """A phrase for colours of which each is seen at a place."""
    return lambda seen: ", ".join(
        f"{place} is {outside if color == OUTSIDE else name_color(color)}"
        for place, color in zip(places, seen, strict=True)
    )


def _counted(colors: Sequence[int]) -> str:
    counts = Counter(colors)
    return ", ".join(f"{n} {name_color(color)}" for color, n in sorted(counts.items()))


def _first(directions: Sequence[str]) -> list[str]:
    return [f"the first colour {direction}" for direction in directions]


def _holds(so: object) -> str:
    return "is" if so else "is not"


_AROUND = [f"{name} of it" for name in DIRECTION_NAMES]
_FIRST_BESIDE = _first([DIRECTION_NAMES[k] for k in (1, 3, 4, 6)])
_MIRRORS = ("its mirror image left to right", "its mirror image top to bottom")
_PART_RANK: Phrase = lambda rank: (  # noqa: E731
    f"its part is {_nth(rank, 'largest')} of its colour" if rank < 4 else "its part is smaller"
)
_MODULO: Phrase = lambda seen: f"its row is {seen[0]} and its column {seen[1]} so"  # noqa: E731
_BETWEEN = [f"the colour on both sides in {line}" for line in _ALL_LINES]

# By code, what a cell sees besides its own colour: in general, and a phrase for what it is.
SIGHT_WORDS: tuple[tuple[str, Phrase], ...] = (
    ("its colour alone", lambda seen: ""),
    ("the 4 colours beside it", _each(_SIDES)),
    ("the 8 colours around it", _each(_AROUND)),
    ("the 8 colours around it in any order", lambda seen: f"around it are {_counted(seen)}"),
    ("its mirror images", _each(_MIRRORS)),
    ("the first colours but black in 4 directions", _each(_FIRST_BESIDE, NOTHING)),
    (
        "the enclosed gap in which it lies",
        lambda size: (
            f"its gap has {size}{' or more' * (size == 9)} cells" if size else "it lies in no gap"
        ),
    ),
    ("its row and column modulo 2", _MODULO),
    ("its row and column modulo 3", _MODULO),
    (
        "its distance from the edge",
        lambda seen: f"it lies {seen}{' or more' * (seen == 5)} cells from the edge",
    ),
    (
        "the commonest colours but black of its row and column",
        _each([f"the commonest colour of {line}" for line in _LINES]),
    ),
    (
        "the 8 colours around it, however mirrored or turned",
        lambda seen: f"around it, in some turn, are {', '.join(map(name_color, seen))}",
    ),
    (
        "whether its row and column are of one colour",
        lambda seen: f"its row {_holds(seen[0])} of one colour, its column {_holds(seen[1])}",
    ),
    ("the rank of its 4-connected part by size", _PART_RANK),
    (
        "how many cells near it are not black",
        lambda seen: f"{seen[0]} beside it and {seen[1]} at its corners are not black",
    ),
    ("what it lies between, in its row and column", _each(_BETWEEN[:2], NOTHING)),
    ("the rank of its 8-connected part by size", _PART_RANK),
    (
        "whether its part touches the edge",
        lambda seen: f"its part {'touches' if seen else 'does not touch'} the edge",
    ),
    ("the first colours but its own in 4 directions", _each(_FIRST_BESIDE, NOTHING)),
    ("which colours are around it", lambda seen: f"around it are {color_names(seen)}"),
    (
        "the object in whose box it lies",
        lambda seen: (
            f"it lies in {'no box' if seen == OUTSIDE else f'the box of {name_color(seen)}'}"
        ),
    ),
    (
        "which colours its row and column have",
        lambda seen: f"its row has {color_names(seen[0])}, its column {color_names(seen[1])}",
    ),
)
# By code less those above, the places whose colours are told apart but not known.
RELATIVE_SIGHT_WORDS: tuple[tuple[str, Sequence[str]], ...] = (
    ("the 4 colours beside it, however mirrored or turned", _SIDES),
    ("the 8 colours around it, however mirrored or turned", _AROUND),
    ("the first colours but black in 4 directions", _FIRST_BESIDE),
    (
        "the first colours but black in 4 directions, however mirrored or turned",
        _FIRST_BESIDE,
    ),
    ("the first colours but black in 8 directions", _first(DIRECTION_NAMES)),
    (
        "the first colours but its own in 4 directions, however mirrored or turned",
        _FIRST_BESIDE,
    ),
    ("what it lies between, in its row and column", _BETWEEN[:2]),
    ("what it lies between, in all 4 lines", _BETWEEN),
    ("its mirror images", _MIRRORS),
    ("its image at the diagonal", ("its image at the diagonal",)),
    ("its image turned by 180 degrees", ("its image turned by 180 degrees",)),
    (
        "the first colours but black of its row and column",
        [f"the first colour of {line}" for line in _LINES],
    ),
)


def _letter(number: int) -> str:
    """A colour that is told apart but not known: A is the first that is seen."""
    if number in (0, OUTSIDE):
        return name_color(number)
    return chr(ord("A") + number - 1)


@worded("learn_cells")
def _(given: Value, S: Pairs, I: Grid, code: int) -> list[str]:  # noqa: E741
    demos = pairs_of_one_size("learn_cells", S)
    if code >= len(SIGHTS):
        return _say_relative(demos, code)
    title, phrase = SIGHT_WORDS[code]
    how = CUT_FOR_SIGHT.get(code)
    views = [SIGHTS[code](grid, [] if how is None else cut(grid, how)) for grid, _ in demos]
    changes = {key: new for key, new in plain_table(demos, views).items() if new != key[0]}
    lines = []
    for (own, seen), new in changes.items():
        where = phrase(seen)
        lines.append(
            f"a {name_color(own)} cell becomes {name_color(new)}{f' where {where}' * bool(where)}"
        )
    return [f"what a cell becomes is told by {title}:", *shortened(sorted(lines))]


def _say_relative(demos: Pairs, code: int) -> list[str]:
    title, places = RELATIVE_SIGHT_WORDS[code - len(SIGHTS)]
    lines = []
    for (own, *seen), source in relative_table(demos, code).items():
        new = name_color(source - 10) if source >= 10 else _letter(source + 1)
        if new == _letter(own):
            continue
        looks = ", ".join(
            f"{place} is {_letter(number) if number != OUTSIDE else NOTHING}"
            for place, number in zip(places, seen, strict=True)
        )
        lines.append(f"a cell of {_letter(own)} becomes {new} where {looks}")
    return [
        f"what a cell becomes is told by {title} (A, B: any colours):",
        *shortened(sorted(lines)),
    ]


# --- objects ---

SEGMENT_WORDS = (
    "4-connected of one colour",
    "8-connected of one colour",
    "8-connected of any colours",
    "4-connected and black",
)


def _ranked(most: str) -> Phrase:
    return lambda rank: _nth(rank, most)


def _shape(places: Iterable[tuple[int, int]]) -> str:
    """Rows of a shape, `#` where it is."""
    there = set(places)
    n_rows, width = (1 + max(place[axis] for place in there) for axis in (0, 1))
    rows = ("".join("#" if (i, j) in there else "." for j in range(width)) for i in range(n_rows))
    return "/".join(rows)


_FULLNESS = ("one that does not fill its box", "a square", "a line", "a rectangle")
_EXTREMES = ("one of the largest", "one of the smallest", "neither largest nor smallest")
# By code, what an object is told by: in general, and a phrase for what it is.
FEATURE_WORDS: tuple[tuple[str, Phrase], ...] = (
    ("its colours", lambda colors: f"one that has {color_names(colors)}"),
    ("its size", lambda size: f"one of {size} cell{'s' * (size != 1)}"),
    ("the rank of its size", _ranked("largest")),
    ("the rank of its size", _ranked("smallest")),
    ("its height and width", lambda sides: f"one of {sides[0]} x {sides[1]}"),
    ("its holes", lambda n: f"one with {n} hole{'s' * (n != 1)}"),
    ("its shape, however turned", lambda places: f"one like {_shape(places)} in some turn"),
    ("its shape", lambda places: f"one like {_shape(places)}"),
    ("whether it touches the edge", lambda so: f"one {'' if so else 'not '}at the edge"),
    ("the colours around it", lambda colors: f"one that touches {color_names(colors)}"),
    ("how many have its shape", lambda n: f"one of {n} of its shape"),
    (
        "its mirror symmetry",
        lambda so: (
            f"one that {_holds(so[0])} symmetric left to right and {_holds(so[1])} top to bottom"
        ),
    ),
    ("the rank of its first column", _ranked("leftmost")),
    ("the rank of its first row", _ranked("uppermost")),
    ("whether it fills a square, a line, a rectangle", lambda k: _FULLNESS[k]),
    ("whether it is largest or smallest", lambda k: _EXTREMES[k]),
    ("how many have its colours", lambda n: f"one of {n} of its colours"),
    ("the rank of its number of holes", _ranked("richest in holes")),
    ("the rank of its box's area", _ranked("largest by its box")),
    ("the rank of its width", _ranked("widest")),
    ("the rank of its height", _ranked("highest")),
    ("whether it is a single cell", lambda so: f"one of {'a single cell' if so else 'more cells'}"),
    ("whether it is symmetric", lambda so: f"one that {_holds(so)} symmetric"),
    ("the rank of its cells of rarer colours", _ranked("richest in cells of rarer colours")),
)


def _say_objects(segments: int, feature: int) -> str:
    """What objects are, and what they are told by."""
    return f"an object, {SEGMENT_WORDS[segments]}, is told by {FEATURE_WORDS[feature][0]}"


@worded("learn_objects")
def _(given: Value, S: Pairs, I: Grid, segments: int, feature: int) -> list[str]:  # noqa: E741
    demos = pairs_of_one_size("learn_objects", S)
    table = object_table(demos, [cut(grid, segments) for grid, _ in demos], feature)
    phrase = FEATURE_WORDS[feature][1]
    lines = []
    for key, options in table.items():
        color = min(options)
        becomes = "stays" if color < 0 else f"becomes {name_color(color)}"
        lines.append(f"{phrase(key)} {becomes}")
    return [f"{_say_objects(segments, feature)}:", *shortened(sorted(lines))]


@worded("pick_object")
def _(given: Value, S: Pairs, I: Grid, segments: int, feature: int) -> list[str]:  # noqa: E741
    marks = object_marks(S, [cut(grid, segments) for grid, _ in S], feature)
    phrases = sorted(FEATURE_WORDS[feature][1](mark) for mark in marks)
    return [f"{_say_objects(segments, feature)}: picked is {' or '.join(phrases)}"]


# --- symmetry ---


def _say_map(taken: Map) -> str:
    is_across, a, b, c, d = taken
    if is_across:
        if a != c:
            return "turned by a quarter"
        return "mirrored at a falling diagonal" if a > 0 else "mirrored at a rising diagonal"
    if a > 0 and c > 0:
        return f"shifted by {b} rows and {d} columns"
    if a < 0 and c < 0:
        return f"turned by a half around row {b / 2:g}, column {d / 2:g}"
    return (
        f"mirrored top to bottom at row {b / 2:g}"
        if a < 0
        else f"mirrored left to right at column {d / 2:g}"
    )


@worded("close_symmetry")
def _(given: Value, grid: Grid, hidden: int, noise: int) -> list[str]:
    found = [_say_map(taken) for taken in symmetries_of(grid, hidden, bool(noise))]
    return [
        f"{name_color(hidden)} cells hide what symmetry says, {NOISE_IN_WORDS[noise]}:",
        *shortened(list(dict.fromkeys(found))),
    ]


# --- views ---

# By number, what singles a colour out; see `measure_color`.
MEASURE_WORDS = (
    *(
        f"the colour with the {most} {of}"
        for of in ("cells", "8-connected parts", "enclosed cells")
        for most in ("most", "fewest")
    ),
    *COLOR_NAMES[1:],
    *(
        f"the colour that reaches furthest {where}"
        for where in (
            "right",
            "left",
            "down",
            "up",
            "down and right",
            "up and left",
            "down and left",
            "up and right",
        )
    ),
)


def _say_roles(S: Pairs) -> list[str]:
    """Which colour each number stands for; numbers are told by the colours that they have."""
    fixed = fixed_colors(S)
    told = [*map(name_color, fixed), *(MEASURE_WORDS[k] for k in learn_measures(S, fixed))]
    return [
        f"{name_color(number)} stands for {words}"
        for number, words in enumerate(told)
        if words != name_color(number)
    ] or ["every colour stands for itself"]


@worded("role_demos")
def _(given: Value, S: Pairs) -> list[str]:
    return _say_roles(S)


@worded("to_roles")
def _(given: Value, S: Pairs, I: Grid) -> list[str]:  # noqa: E741
    return _say_roles(S)


@worded("from_roles")
def _(given: Value, S: Pairs, I: Grid, grid: Grid) -> list[str]:  # noqa: E741
    return ["colours that stand for others become those again"]
