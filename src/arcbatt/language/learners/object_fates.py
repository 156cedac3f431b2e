"""Fates of a grid's objects, selected by predicates that relate them to each other."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from ..native import find_rule
from ..registry import primitive, worded
from ..values import Demos, Grid, Value
from ..wording import COLOR_NAMES, colors_in, name_colors, name_rank, negate, shorten
from .object_predicates import CUTS, FEATURES, MEASURES, PLACES, Scale

# --- codes of rules ---


class Fate(IntEnum):
    """Fates of an object. Those with an ink follow in its order, others in that of a code.

    An ink below 10 is a color, from 10 on a `Like`. From END on, objects move: twice the number of
    a pair of `PLACES`, for rows and columns, and one more if a copy does.
    """

    KEEP = 0
    VANISH = 1
    SWAP = 2  # exchange its two colors
    SYMMETRY = 3  # and a group of mirrors and turns
    TURN = 9  # and a turn from 1 to 7, in its box
    PAINT = 20  # and an ink
    FILL_HOLES = 40
    FILL_BOX = 60
    RING = 80  # around its box
    HALO = 100  # around its cells
    RIM = 120  # its cells beside or at the corner of others
    CORE = 140  # the others
    END = 160


class Like(IntEnum):
    """Whose color an ink is."""

    OWN = 0
    MINOR = 1  # its second color
    NEAREST = 2
    LARGEST = 3
    SMALLEST = 4
    AROUND = 5
    WITHIN = 6
    TOUCHED = 7
    TWIN = 8  # the others of its shape
    BESIDE = 9  # the nearest in its rows or columns


class FateKind(IntEnum):
    """Kinds of rules, by what they make; the comments list the parameters after the tests."""

    PAINT_BY_TEST = 0  # fate if all tests hold, fate otherwise
    PAINT_BY_TABLE = 1  # feature, then values and their fates
    CROP_ONE = 2  # a Crop of the selected object
    DRAW_COUNT = 3  # a Count, color (10: its own), size (32 * height + width), whether of cells
    DRAW_LIST = 4  # a Listing, an Order, of those selected
    SORT = 5  # a Measure, whether the greatest comes first


class Crop(IntEnum):
    BOX = 0
    ALONE = 1
    INSIDE = 2
    ONE_CELL = 3
    TURNED = 4  # by 1 to 7, in order
    N_CROPS = 11


class Count(IntEnum):
    IN_ROW = 0
    IN_COLUMN = 1
    SQUARE = 2
    DIAGONAL = 3
    FILLED = 4  # as many cells of a constant size
    N_COUNTS = 5


class Listing(IntEnum):
    CELLS_ALONG = 0
    CELLS_DOWN = 1
    CROPS_ALONG = 2
    CROPS_ALONG_APART = 3
    CROPS_DOWN = 4
    CROPS_DOWN_APART = 5
    BARS_RIGHT = 6
    BARS_LEFT = 7
    BARS_DOWN = 8
    BARS_UP = 9
    CELL_TABLE = 10
    MINOR_TABLE = 11  # in their second colors
    CELLS_ON_AXIS = 12  # along the direction in which they lie
    CROPS_ON_AXIS = 13
    CROPS_ON_AXIS_APART = 14
    N_LISTINGS = 15


class Order(IntEnum):
    FROM_LEFT = 0
    FROM_TOP = 1
    LARGEST_FIRST = 2
    SMALLEST_FIRST = 3
    N_ORDERS = 4


_LIKE_BITS = (1.5, 2.0, 3.0, 2.5, 3.0, 2.0, 2.0, 2.0, 2.5, 3.0)


def _ink_bits(bits: float, has_black: bool = False) -> list[float]:
    """Return the bits of a fate with each ink; black is none for what is drawn on black."""
    return [bits + 2.0 if has_black else 0.0, *([bits + 2.0] * 9), *(bits + k for k in _LIKE_BITS)]


# The cost of each fate; 0 where there is none of this number.
FATE_BITS = (
    *(0.5, 0.5, 2.5),
    *([3.0] * 6),
    *([0.0] + [3.0] * 7 + [0.0] * 3),
    *_ink_bits(0.0),
    *_ink_bits(0.5),
    *_ink_bits(0.5),
    *_ink_bits(1.5),
    *_ink_bits(2.0),
    *_ink_bits(1.5, has_black=True),
    *_ink_bits(1.5, has_black=True),
)
assert len(FATE_BITS) == Fate.END
COPY_BITS = 1.0  # of what moves


MAX_PLACES = 3


@primitive(
    "Demos -> Tuple[Integer]",
    is_learner=True,
    ties="rules of equal bits in the order of their numbers",
    examples=(
        "first(learn_fates(((((1, 0, 2, 2),), ((0, 0, 2, 2),)),))) == 9",
        "apply_fates(learn_fates(((((1, 0, 2, 2),), ((0, 0, 2, 2),)),)), ((3, 0, 3, 3),), 0) == "
        "((0, 0, 3, 3),)",
    ),
)
def learn_fates(S: Demos) -> Value:
    """Learn the fates of the objects of the demos, as a set of rules for `apply_fates`.

    Grids are cut into objects in seven ways (`CUTS`), with 0 as the background; a grid may have 64
    objects. If all outputs have their inputs' sizes, each object has a fate: to stay, to vanish, to
    become a color or that of a related object, to get its holes, its box, its rim, its core or the
    ring around it painted, to become symmetric, to be turned in its box, to have its two colors
    swapped, to move or be copied to another place (`PLACES`, chosen for rows and columns
    separately; only moves that show cells which no other fate shows). Or all objects are sorted.
    Otherwise the output is a crop of the selected object, or a drawing of how many are selected, or
    a list of those selected.

    All fates and pairs of fates that agree with all outputs are found, then all tests that tell
    the two apart. A test compares one of 278 features (`FEATURES`) with a number. Two tests
    are joined only where no cheap test does it alone. Tables give the objects with each value of a
    feature the simplest fate. Every rule reproduces all outputs.

    A rule costs bits for the way of cutting, its fates and its tests; the 160 cheapest are
    returned, the cheapest first. Each is its length, then its bits times 16, the number of the
    cut, its kind (`FateKind`), the number of tests, for each of them feature, comparison and
    value, and the parameters of the kind.
    """


@primitive(
    f"Tuple[Integer], Grid, Code[0..{MAX_PLACES - 1}] -> Grid",
    is_learner=True,
    ties="the smaller grid, then the first in the order of grids",
    examples=(
        "apply_fates((6, 16, 0, 0, 0, 1, 1), ((1, 0, 2, 2),), 0) == ((0, 0, 0, 0),)",
        "apply_fates((5, 16, 0, 2, 0, 0), ((0, 2, 2),), 0) == ((2, 2),)",
    ),
)
def apply_fates(rules: tuple[Value, ...], I: Grid, place: int) -> Value:  # noqa: E741
    """Return the grid that rules about objects vote for, or their second or third choice.

    If there are fewer choices, the last one is returned: on the demos all rules agree.

    A rule of n bits counts 2 to the power of -n for the grid that it makes, each further rule for
    the same grid half of that, then a quarter. Rules come in the order of their bits. A rule that
    does not apply to the grid makes none: it has more than 64 objects, a table lacks a value, the
    object that a feature refers to does not exist.
    """


# --- words ---

_SYMMETRY_WORDS = (
    "left to right",
    "top to bottom",
    "both ways",
    "about its middle, in four turns",
    "in all turns and mirrors",
    "about its middle, in a half turn",
)
_TURN_WORDS = (
    "",
    "mirrored top to bottom",
    "mirrored left to right",
    "turned by 180 degrees",
    "mirrored at its diagonal",
    "turned",
    "turned the other way",
    "mirrored at its other diagonal",
)
_LIKE_WORDS = (
    "its own color",
    "its second color",
    "the color of the nearest",
    "the color of the largest",
    "the color of the smallest",
    "the color of the one that encloses it",
    "the color of the one that it encloses",
    "the color that it touches",
    "the color of the others of its shape",
    "the color of the nearest in its rows or columns",
)
_INK_WORDS = {
    Fate.PAINT: "becomes {}",
    Fate.FILL_HOLES: "has its holes filled with {}",
    Fate.FILL_BOX: "has its box filled with {}",
    Fate.RING: "gets a ring in {} around its box",
    Fate.HALO: "gets a border in {} around its cells",
    Fate.RIM: "has its outer cells painted in {}",
    Fate.CORE: "has its inner cells painted in {}",
}
_N_INKS = 20


def describe_fate(fate: int) -> str:
    """Return what becomes of an object, in words."""
    if fate == Fate.KEEP:
        return "stays"
    if fate == Fate.VANISH:
        return "vanishes"
    if fate == Fate.SWAP:
        return "has its two colors swapped"
    if fate < Fate.TURN:
        return f"is made symmetric {_SYMMETRY_WORDS[fate - Fate.SYMMETRY]}"
    if fate < Fate.PAINT:
        return f"is {_TURN_WORDS[fate - Fate.TURN]} in its box"
    if fate >= Fate.END:
        places, copies = divmod(fate - Fate.END, 2)
        rows, columns = divmod(places, len(PLACES))
        words = f"rows {PLACES[rows].rows}, columns {PLACES[columns].columns}"
        return f"{'is copied' if copies else 'moves'} ({words})"
    ink = (fate - Fate.PAINT) % _N_INKS
    name = COLOR_NAMES[ink] if ink < 10 else _LIKE_WORDS[ink - 10]
    return _INK_WORDS[Fate(fate - ink)].format(name)


def _describe_test(feature: int, comparison: int, value: int) -> str:
    each = FEATURES[feature]
    if each.scale == Scale.FLAG:
        return each.phrase if value else negate(each.phrase)
    if each.scale == Scale.RANK:
        return f"it is {'not ' * (comparison == 1)}{name_rank(value, each.phrase)}"
    how = ("is", "is not", "is at most", "is at least")[comparison]
    return f"{each.phrase} {how} {_name_value(value, each.phrase)}"


def _name_value(value: int, phrase: str) -> str:
    if "set of colors" in phrase:
        return name_colors(colors_in(value))
    if "color" in phrase and "number" not in phrase:
        return COLOR_NAMES[value] if value >= 0 else "missing"
    if "shape" in phrase and "number" not in phrase:
        return "one seen in the demos"
    return f"{value // 100} x {value % 100}" if "size of its box" in phrase else str(value)


_CROP_WORDS = (
    "the box of {}",
    "the box of {}, with all else in it erased",
    "the inside of the box of {}",
    "one cell in the color of {}",
)
_COUNT_WORDS = (
    "a row in {ink} with one cell per",
    "a column in {ink} with one cell per",
    "a square in {ink} with one row per",
    "a diagonal in {ink} with one cell per",
    "{height} x {width} cells, the first of them in {ink}, one per",
)
_LISTING_WORDS = (
    "cells in a row",
    "cells in a column",
    "pictures side by side",
    "pictures side by side with gaps",
    "pictures one below the other",
    "pictures one below the other with gaps",
    "bars to the right",
    "bars to the left",
    "bars downwards",
    "bars upwards",
    "cells of a table by their rows and columns",
    "cells of a table by their rows and columns, in their second colors",
    "cells in the direction in which they lie",
    "pictures in the direction in which they lie",
    "pictures in the direction in which they lie, with gaps",
)
_ORDER_WORDS = ("from the left", "from the top", "the largest first", "the smallest first")


def _relative(test: str) -> str:
    """Return a test as a relative clause: "that touches red" for "it touches red"."""
    if test.startswith("it "):
        return f"that {test[3:]}"
    return f"whose {test[4:]}" if test.startswith("its ") else f"for which {test}"


def _name_selected(article: str, tests: Sequence[str]) -> str:
    """Return "the largest", "the object that touches red" and so on."""
    if len(tests) == 1 and tests[0].startswith("it is the "):
        return tests[0].removeprefix("it is ")
    return " ".join([f"{article} object", " and ".join(map(_relative, tests))]).rstrip()


def describe_rule(numbers: Sequence[int]) -> str:
    """Return one rule in words; `numbers` follow its length."""
    _, cut, kind, n_tests, *rest = numbers
    tests = [_describe_test(*rest[3 * k : 3 * k + 3]) for k in range(n_tests)]
    objects = f"objects ({CUTS[cut][1]})"
    return f"{objects}: {_say_rule(FateKind(kind), tests, rest[3 * n_tests :])}"


def _say_rule(kind: FateKind, tests: Sequence[str], parameters: Sequence[int]) -> str:
    if kind == FateKind.PAINT_BY_TEST:
        yes, no = map(describe_fate, parameters)
        if not tests:
            return f"every object {yes}"
        return f"{_name_selected('an', tests)} {yes}, every other one {no}"
    if kind == FateKind.PAINT_BY_TABLE:
        feature, *table = parameters
        each = FEATURES[feature]
        is_rank = each.scale == Scale.RANK
        say = name_rank if is_rank else _name_value
        entries = [
            f"{say(value, each.phrase)}: {describe_fate(fate)}"
            for value, fate in zip(table[::2], table[1::2], strict=True)
        ]
        name = "its rank" if is_rank else each.phrase
        return f"what happens to an object depends on {name}: {'; '.join(entries)}"
    if kind == FateKind.SORT:
        measure, falling = parameters
        order = "the greatest first" if falling else "the least first"
        return f"they are sorted, each by {MEASURES[measure][1]}, {order}"
    if kind == FateKind.CROP_ONE:
        (how,) = parameters
        selected = _name_selected("the", tests) if tests else "the only object"
        crop = _CROP_WORDS[how if how < Crop.TURNED else Crop.BOX].format(selected)
        turn = f", {_TURN_WORDS[how - Crop.TURNED + 1]}" if how >= Crop.TURNED else ""
        return f"the output is {crop}{turn}"
    if kind == FateKind.DRAW_COUNT:
        how, color, size, is_of_cells = parameters
        height, width = divmod(size, 32)
        ink = "their color" if color == 10 else COLOR_NAMES[color]
        drawing = _COUNT_WORDS[how].format(ink=ink, height=height, width=width)
        counted = " ".join(["object", " and ".join(map(_relative, tests))]).rstrip()
        return f"the output is {drawing} {'cell of an ' * is_of_cells}{counted}"
    listing, order_code = parameters
    which = _name_selected("every", tests)
    return f"the output lists {which}, {_ORDER_WORDS[order_code]}, as {_LISTING_WORDS[listing]}"


def split_rules(numbers: Sequence[int]) -> list[Sequence[int]]:
    """Return the numbers of each rule without its length; the first of them are its bits * 16."""
    rules, at = [], 0
    while at < len(numbers):
        rules.append(numbers[at + 1 : at + 1 + numbers[at]])
        at += 1 + numbers[at]
    return rules


@worded("learn_fates")
def _(given: Sequence[int], *args: Value) -> list[str]:
    rules = [describe_rule(rule) for rule in split_rules(given)]
    return ["rules about objects, the simplest first:", *shorten(rules)]


@worded("apply_fates")
def _(given: Value, *args: Any) -> list[str]:
    rules: Any = find_rule("apply_fates", args)
    voters, n_rules = split_rules(rules), len(split_rules(args[0]))
    if len(voters) == n_rules:
        subject = "all rules about objects give" if n_rules > 1 else "the rule about objects gives"
        return [f"{subject} this output"]
    verb = "gives" if len(voters) == 1 else "give"
    return [
        f"{len(voters)} of the {n_rules} rules about objects {verb} this output:",
        *shorten([describe_rule(rule) for rule in voters]),
    ]
