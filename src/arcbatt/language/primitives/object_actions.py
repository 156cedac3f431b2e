"""Actions of a grid's objects, chosen by a small tree of rules.

`learn_actions` learns rules as numbers from the demos; `apply_actions` applies them to the objects
of a grid; `describe_actions` puts them into words.

Rules are the segmentation, followed by nodes of four numbers each, the first of them the root. A
question is `feature, comparison, value, place`: if the answer is yes, the next node follows,
otherwise the node at that place. An action is `-1, effect, paint, copies`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..budget import charge
from ..failure import empty, out_of_range, wrong_type
from ..registry import primitive
from ..values import Grid, Value
from ..wording import COLOR_NAMES, name_rank
from .color_grids import check_colors
from .grid_objects import (
    FEATURES,
    N_FEATURES,
    N_SEGMENTATIONS,
    REFERENCES,
    SegmentedGrid,
    describe_objects,
    find_references,
    segment,
)
from .object_effects import (
    BY_CONSTANT,
    MAX_STEP,
    N_EFFECTS,
    N_PAINTS,
    N_WAYS,
    Effect,
    Paint,
    color_of_paint,
    draw,
    is_addition,
    reference_of,
)

MAX_OBJECTS = 64
NODE_SIZE = 4
ACTION = -1
EQUAL, AT_LEAST = 0, 1

Action: TypeAlias = tuple[int, int, int]  # effect, paint, copies


def _choose_action(rules: Sequence[int], features: Sequence[int]) -> Action:
    place = 1
    while rules[place] != ACTION:
        feature, comparison, value, otherwise = rules[place : place + NODE_SIZE]
        number = features[feature]
        holds = number >= value if comparison == AT_LEAST else number == value
        place = place + NODE_SIZE if holds else otherwise
    return rules[place + 1], rules[place + 2], rules[place + 3]


def _act(grid: SegmentedGrid, actions: Sequence[Action]) -> Grid | None:
    """Return the grid after all objects have acted; None if one cannot.

    Additions are drawn first, then objects that stay, then those that move.
    """
    rows = [
        [grid.background if label >= 0 else cell for cell, label in zip(row, line, strict=True)]
        for row, line in zip(grid.grid, grid.labels, strict=True)
    ]
    for layer in range(3):
        for own, (effect, paint, copies) in zip(grid.objects, actions, strict=True):
            adds = is_addition(effect)
            stays = adds or copies or (effect == Effect.STAY and paint == Paint.OWN)
            if layer == 1 and stays:
                for i, j in own.cells:
                    rows[i][j] = grid.grid[i][j]
            if layer != (0 if adds else 1 if effect == Effect.STAY else 2):
                continue
            color, cells = color_of_paint(grid, own, paint), draw(grid, own, effect)
            if color == -2 or cells is None:
                return None
            for i, j, own_color in cells:
                rows[i][j] = own_color if color < 0 else color
    return tuple(map(tuple, rows))


def _check_rules(rules: Sequence[int]) -> None:
    """Fail unless numbers are rules: all codes exist, and every node leads to later ones."""
    is_whole = len(rules) > NODE_SIZE and len(rules) % NODE_SIZE == 1
    if not is_whole or not 0 <= rules[0] < 2 * N_SEGMENTATIONS:
        raise out_of_range("apply_actions: not the numbers of rules")
    for place in range(1, len(rules), NODE_SIZE):
        feature, a, b, c = rules[place : place + NODE_SIZE]
        if feature == ACTION:
            fits = 0 <= a < N_EFFECTS and 0 <= b < N_PAINTS and 0 <= c <= 1
        else:
            fits = 0 <= feature < N_FEATURES and 0 <= a <= 1 and place + NODE_SIZE < len(rules)
            fits = fits and place < c < len(rules) and c % NODE_SIZE == 1
        if not fits:
            raise out_of_range(f"apply_actions: the numbers from {place} on are not a rule")


@primitive(
    "Tuple[Integer], Grid -> Grid",
    examples=(
        "apply_actions((0, -1, 5, 0, 0), ((1, 0, 0), (0, 0, 0))) == ((0, 0, 1), (0, 0, 0))",
        "apply_actions((0, 4, 0, 1, 9, -1, 1, 0, 0, -1, 0, 3, 0), ((1, 0, 0, 0, 3, 3),)) == "
        "((0, 0, 0, 0, 2, 2),)",
    ),
    is_host=True,
)
def apply_actions(rules: tuple[Value, ...], I: Grid) -> Value:  # noqa: E741
    """Apply rules to each object of a grid; see `learn_actions`.

    It fails as empty if there are more than 64 objects, or if one cannot act: because the object
    that its action refers to does not exist, or because nothing of it would be seen.
    """
    numbers = [int(number) for number in rules if isinstance(number, int)]
    if len(numbers) < len(rules):
        raise wrong_type("apply_actions: rules are not numbers")
    check_colors("apply_actions", (), I)
    _check_rules(numbers)
    grid = segment(I, numbers[0])
    if len(grid.objects) > MAX_OBJECTS:
        raise empty("apply_actions: too many objects")
    # A step per cell of a box and per pair of objects.
    charge(sum(own.area for own in grid.objects) + len(grid.objects) ** 2)
    find_references(grid)
    actions = [_choose_action(numbers, features) for features in describe_objects(grid)]
    output = _act(grid, actions)
    if output is None:
        raise empty("apply_actions: an object cannot act")
    return output


# --- words ---

_SEGMENTATION_WORDS = (
    "4-connected, of one color",
    "8-connected, of one color",
    "8-connected, of any colors",
    "all of one color",
    "4-connected, of one color, including those of the background",
)
_SIDES = ("up", "down", "left", "right")
_RAY_WORDS = (*_SIDES, "left and right", "up and down", "in 4 directions")
_CORNER_WORDS = ("up left", "up right", "down left", "down right", "in 4 diagonal directions")
_WAY_WORDS = (
    "moves towards {} until it touches",
    "moves away from {} to the edge",
    "moves to the upper row of {}",
    "moves to the lower row of {}",
    "moves to the left column of {}",
    "moves to the right column of {}",
    "moves to the middle row of {}",
    "moves to the middle column of {}",
    "moves onto the upper left of {}",
    "moves onto the middle of {}",
    "is mirrored over {}, left to right",
    "is mirrored over {}, top to bottom",
    "is turned around the middle of {}",
    "draws a line to {}",
)
# By code, up to those that refer to others.
_EFFECT_WORDS = (
    "stays",
    "vanishes",
    *(f"slides {side} until it is blocked" for side in _SIDES),
    *(f"moves {side} to the edge" for side in _SIDES),
    *(f"moves {side} by its own length" for side in _SIDES),
    "is mirrored top to bottom",
    "is mirrored left to right",
    "is turned by 180 degrees",
    "is mirrored at its diagonal",
    "is turned right",
    "is turned left",
    "is mirrored at its other diagonal",
    "fills its holes",
    "fills its box",
    "draws a ring around its box",
    *(f"shoots {word} until blocked" for word in (*_RAY_WORDS, *_CORNER_WORDS)),
    *(f"shoots {word} behind all others" for word in _RAY_WORDS),
    "is joined to others in its rows and columns",
    "is joined to others of its color in its rows and columns",
)


def _describe_action(effect: int, paint: int, copies: int) -> str:
    if effect < Effect.TO_OTHER:
        words = _EFFECT_WORDS[effect]
    elif effect < BY_CONSTANT:
        way = _WAY_WORDS[(effect - Effect.TO_OTHER) % N_WAYS]
        words = way.format(REFERENCES[reference_of(effect)].phrase)
    else:
        down, along = divmod(effect - BY_CONSTANT, 2 * MAX_STEP + 1)
        words = f"moves by {down - MAX_STEP} rows and {along - MAX_STEP} columns"
    if copies:
        words += " as a copy"
    if Paint.OF_COLOR <= paint < Paint.OF_OTHER:
        words += f", in {COLOR_NAMES[paint - Paint.OF_COLOR]}"
    elif paint >= Paint.OF_OTHER:
        words += f", in the color of {REFERENCES[paint - Paint.OF_OTHER].phrase}"
    return words


def _describe_question(feature: int, comparison: int, value: int) -> str:
    phrase = FEATURES[feature].phrase
    if comparison == AT_LEAST:
        return f"{phrase} is at least {value}"
    if "{}" in phrase:
        return name_rank(value, phrase)
    if _is_fact(phrase):
        return phrase
    if "color" in phrase and not phrase.startswith("the number"):
        return f"{phrase} is {COLOR_NAMES[value] if value >= 0 else 'missing'}"
    return f"{phrase} is {value}"


def _is_fact(phrase: str) -> bool:
    """Return whether a feature is true or false."""
    is_fact = phrase.startswith(("it ", "its box is", "there ", "its size is ", "its color is "))
    return is_fact and "{}" not in phrase


def describe_actions(rules: Sequence[int]) -> str:
    """Return rules in words, a line per segmentation, question and action."""
    _check_rules(rules)
    segmentation = rules[0]
    zero = ", on a black background" if segmentation >= N_SEGMENTATIONS else ""
    words = _SEGMENTATION_WORDS[segmentation % N_SEGMENTATIONS]
    lines = [f"for each object ({words}{zero}):"]

    def describe(place: int, indent: str) -> None:
        feature, a, b, c = rules[place : place + NODE_SIZE]
        if feature == ACTION:
            lines.append(f"{indent}it {_describe_action(a, b, c)}")
            return
        yes, no = place + NODE_SIZE, c
        if a != AT_LEAST and b == 0 and _is_fact(FEATURES[feature].phrase):
            yes, no = no, yes  # so that the question is not negated
        lines.append(f"{indent}if {_describe_question(feature, a, b)}:")
        describe(yes, indent + "  ")
        lines.append(f"{indent}otherwise:")
        describe(no, indent + "  ")

    describe(1, "")
    return "\n".join(lines)
