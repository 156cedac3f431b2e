"""Predicates of a grid's objects, for `object_fates`: their features, by number, with their words.

`engine.table` writes the names and bits for the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from ..wording import COLOR_NAMES

# --- cutting ---

# The ways to cut a grid into objects, in the order of the rules' codes, with their bits.
CUTS = (
    ("BY_COLOR_4", "4-connected, of one color", 0.5),
    ("BY_COLOR_8", "8-connected, of one color", 0.5),
    ("TOGETHER_4", "4-connected, of any colors", 1.5),
    ("TOGETHER_8", "8-connected, of any colors", 1.0),
    ("ALL_4", "4-connected, of one color, including black ones", 1.5),
    ("ZEROS", "4-connected and black", 1.0),
    ("WHOLE_COLORS", "all cells of one color", 1.5),
)

# --- features ---


class Scale(IntEnum):
    """The comparisons of the values of a feature."""

    COUNT = 0  # equal, not equal, at most, at least
    RANK = 1  # equal, or not the first
    FLAG = 2  # true or false
    CATEGORY = 3  # equal, not equal


@dataclass(frozen=True)
class Feature:
    """A number that describes an object; `bits` is the cost of asking for it."""

    phrase: str
    scale: Scale
    bits: float


# Numbers by which objects are also ranked: name, phrase, words for the object with the greatest and
# for that with the least, bits. An ordinal takes the place of {}.
MEASURES = (
    ("SIZE", "its number of cells", "the {}largest", "the {}smallest", 0.0),
    ("HEIGHT", "its height", "the {}tallest", "the {}least tall", 1.0),
    ("WIDTH", "its width", "the {}widest", "the {}narrowest", 1.0),
    (
        "AREA",
        "the area of its box",
        "the one with the {}largest box",
        "the one with the {}smallest box",
        0.5,
    ),
    ("LONG_SIDE", "its longer side", "the {}longest", "the {}shortest", 0.5),
    (
        "HOLES",
        "its number of holes",
        "the one with the {}most holes",
        "the one with the {}fewest holes",
        0.5,
    ),
    (
        "N_COLORS",
        "its number of colors",
        "the one with the {}most colors",
        "the one with the {}fewest colors",
        1.0,
    ),
    (
        "MINOR_CELLS",
        "its number of cells of rarer colors",
        "the one with the {}most cells of rarer colors",
        "the one with the {}fewest cells of rarer colors",
        1.0,
    ),
    (
        "GAPS",
        "the number of places it leaves open in its box",
        "the one that leaves the {}most places of its box open",
        "the one that leaves the {}fewest places of its box open",
        1.5,
    ),
    ("TOP", "its first row", "the one whose top lies {}lowest", "the {}uppermost", 1.0),
    (
        "LEFT",
        "its first column",
        "the one whose left side lies {}furthest right",
        "the {}leftmost",
        1.0,
    ),
    ("BOTTOM", "its last row", "the {}lowermost", "the one whose bottom lies {}highest", 1.0),
    (
        "RIGHT",
        "its last column",
        "the {}rightmost",
        "the one whose right side lies {}furthest left",
        1.0,
    ),
    (
        "N_WITHIN",
        "the number of objects it encloses",
        "the one that encloses the {}most others",
        "the one that encloses the {}fewest others",
        1.5,
    ),
    (
        "OFF_CENTER",
        "its distance from the middle",
        "the one {}farthest from the middle",
        "the one {}nearest to the middle",
        1.5,
    ),
)
# Properties that objects may share.
KINSHIPS = (
    ("SHAPE", "shape", 1.0),
    ("TURNED_SHAPE", "shape up to turns", 0.5),
    ("COLOR", "color", 0.5),
    ("SIZE", "size", 1.5),
    ("PICTURE", "picture", 1.0),
)
FLAGS = (
    ("FILLS_BOX", "it fills its box", 1.0),
    ("IS_SQUARE", "it has a square box", 1.0),
    ("FILLS_SQUARE", "it is a full square", 1.0),
    ("IS_LINE", "it is a line", 1.0),
    ("IS_TALL", "it is higher than wide", 1.0),
    ("IS_WIDE", "it is wider than high", 1.0),
    ("IS_ONE_CELL", "it is one cell", 0.5),
    ("IS_ODD", "it has an odd number of cells", 3.0),
    ("MIRRORS_SIDEWAYS", "it is symmetric left to right", 1.0),
    ("MIRRORS_UPRIGHT", "it is symmetric top to bottom", 1.0),
    ("MIRRORS_DIAGONALLY", "it is symmetric about a diagonal", 2.0),
    ("IS_SYMMETRIC", "it is symmetric", 1.0),
    ("ON_EDGE", "it touches the edge", 0.5),
    ("AT_TOP", "it touches the upper edge", 2.0),
    ("AT_BOTTOM", "it touches the lower edge", 2.0),
    ("AT_LEFT", "it touches the left edge", 2.0),
    ("AT_RIGHT", "it touches the right edge", 2.0),
    ("IN_CORNER", "it lies in a corner", 1.5),
    ("ENCLOSES", "it encloses another", 0.5),
    ("IS_ENCLOSED", "it is enclosed by another", 0.5),
    ("IN_BOX", "it lies in the box of another", 1.0),
    ("TOUCHES_ANOTHER", "it touches another", 0.5),
    ("BETWEEN_SIDEWAYS", "it lies between others to its left and right", 1.5),
    ("BETWEEN_UPRIGHT", "it lies between others above and below", 1.5),
    ("IS_BETWEEN", "it lies between two others", 1.0),
    ("BETWEEN_LARGER", "it lies between two larger ones", 1.5),
    ("BETWEEN_TWINS", "it lies between two of one color", 1.5),
    ("IN_LINE", "it shares rows or columns with another", 1.5),
    ("IN_LINE_WITH_TWIN", "it shares rows or columns with another of its shape", 2.0),
    ("IN_LINE_WITH_COLOR", "it shares rows or columns with another of its color", 1.5),
    ("HAS_ABOVE", "it has another above it in its columns", 2.0),
    ("HAS_BELOW", "it has another below it in its columns", 2.0),
    ("HAS_LEFT", "it has another on its left in its rows", 2.0),
    ("HAS_RIGHT", "it has another on its right in its rows", 2.0),
    ("TOUCHES_TWIN_COLOR", "it touches another of its color", 2.0),
)
CATEGORIES = (
    ("MAIN_COLOR", "its color", 0.5),
    ("COLOR_SET", "its set of colors", 1.5),
    ("SHAPE_CODE", "its shape", 2.0),
    ("TURNED_SHAPE_CODE", "its shape up to turns", 1.5),
    ("BOX_SIZE", "the size of its box", 2.0),
    ("COLOR_AROUND", "the color of the one that encloses it", 1.5),
    ("COLOR_WITHIN", "the color of the one that it encloses", 1.5),
    ("COLOR_TOUCHED", "the only color that it touches", 1.5),
    ("COLOR_OF_NEAREST", "the color of the nearest", 2.5),
)
# Single objects of a grid that others are compared with; a grid may lack them.
REFERENCES = (
    ("THE_LARGEST", "the largest", 1.5),
    ("THE_SMALLEST", "the smallest", 2.5),
    ("THE_LONGEST", "the longest", 2.0),
    ("THE_ODD_COLOR", "the only one of its color", 2.0),
    ("THE_ODD_SHAPE", "the only one of its shape", 2.5),
    *((f"THE_{c}", f"the only {name} one", 2.5) for c, name in enumerate(COLOR_NAMES) if c),
)
RELATIONS = (
    ("IS_ABOVE", "it lies above {}", 0.5),
    ("IS_BELOW", "it lies below {}", 0.5),
    ("IS_LEFT", "it lies to the left of {}", 0.5),
    ("IS_RIGHT", "it lies to the right of {}", 0.5),
    ("IS_INSIDE", "it lies in the box of {}", 0.0),
    ("TOUCHES", "it touches {}", 0.0),
    ("HAS_COLOR", "it has the color of {}", 0.5),
    ("HAS_SHAPE", "it has the shape of {}, up to turns", 0.5),
    ("HAS_SIZE", "it has the size of {}", 1.0),
    ("SHARES_ROWS", "it shares rows with {}", 1.0),
    ("SHARES_COLUMNS", "it shares columns with {}", 1.0),
)


def _features() -> list[Feature]:
    features = []
    for _, phrase, most, least, bits in MEASURES:
        features += [
            Feature(phrase, Scale.COUNT, bits + 1.0),
            Feature(most, Scale.RANK, bits + 0.5),
            Feature(least, Scale.RANK, bits + 0.5),
        ]
    for _, noun, bits in KINSHIPS:
        features += [
            Feature(f"the number of objects of its {noun}", Scale.COUNT, bits + 0.5),
            Feature(f"of the {{}}most common {noun}", Scale.RANK, bits + 0.5),
            Feature(f"it is the odd one out by {noun}", Scale.FLAG, bits),
        ]
    features += [Feature(phrase, Scale.FLAG, bits + 1.0) for _, phrase, bits in FLAGS]
    features += [Feature(f"it touches {name}", Scale.FLAG, 2.0) for name in COLOR_NAMES]
    features += [Feature(f"it has {name} cells", Scale.FLAG, 2.5) for name in COLOR_NAMES]
    features += [Feature(phrase, Scale.CATEGORY, bits + 0.5) for _, phrase, bits in CATEGORIES]
    features += [
        Feature(phrase.format(name), Scale.FLAG, cost + bits + 1.0)
        for (_, name, cost), (_, phrase, bits) in product(REFERENCES, RELATIONS)
    ]
    return features


FEATURES = _features()


# --- places ---

MAX_STEP = 8
# New places of an object along an axis: name, words for its rows and for its columns, bits.
_SIMPLE_PLACES = (
    ("HERE", "unchanged", "unchanged", 0.5),
    ("AT_START", "at the upper edge", "at the left edge", 1.5),
    ("AT_END", "at the lower edge", "at the right edge", 1.5),
    ("IN_MIDDLE", "in the middle", "in the middle", 2.0),
    ("MIRRORED", "mirrored top to bottom", "mirrored left to right", 2.0),
    ("SLIDE_BACK", "upwards until blocked", "to the left until blocked", 1.0),
    ("SLIDE_ON", "downwards until blocked", "to the right until blocked", 1.0),
    ("LENGTH_BACK", "up by its height", "left by its width", 2.5),
    ("LENGTH_ON", "down by its height", "right by its width", 2.5),
)
SIDES = (
    ("SAME_START", "from the start of {} on", 1.0),
    ("SAME_END", "up to the end of {}", 1.0),
    ("BEFORE", "before {}", 0.5),
    ("AFTER", "after {}", 0.5),
    ("SAME_MIDDLE", "at the middle of {}", 1.0),
    ("MIRRORED_OVER", "mirrored over {}", 1.0),
)


@dataclass(frozen=True)
class NewPlace:
    """Where the rows or the columns of an object go; `bits` is the cost of saying so."""

    name: str
    rows: str
    columns: str
    bits: float


def _places() -> list[NewPlace]:
    places = [NewPlace(*each) for each in _SIMPLE_PLACES]
    for name, rows, columns in (("BACK", "up", "left"), ("ON", "down", "right")):
        places += [
            NewPlace(
                name * (step == 1), f"{rows} by {step}", f"{columns} by {step}", 1.5 + step / 4
            )
            for step in range(1, MAX_STEP + 1)
        ]
    references = [(phrase, bits) for _, phrase, bits in REFERENCES]
    for phrase, bits in (*references, ("the nearest", 1.5)):
        places += [
            NewPlace("", words.format(phrase), words.format(phrase), bits + cost)
            for _, words, cost in SIDES
        ]
    return places


PLACES = _places()
