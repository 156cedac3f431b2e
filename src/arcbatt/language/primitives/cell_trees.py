"""Cell trees: rules that choose a color for each cell; `grow_tree` learns them from the demos.

A tree is a tuple of numbers, three per node: a feature of `cell_features`, a value, and another
node. If the feature of a cell is the value, or, for numbers, at most the value, the next node
follows; otherwise the other node. A leaf is -1, what the cell takes (0 to 9: that color; 10 + k:
the color of feature k) and 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..budget import charge, require
from ..failure import empty, out_of_range, wrong_type
from ..registry import primitive
from ..values import Grid, Value, is_number
from .cell_columns import COLOR_NAMES, IS_COLOR, IS_FACT, IS_TAKEN, MOST, NONE
from .cell_features import FEATURES, columns_of
from .color_grids import check_colors, size_of

STEPS_PER_CELL = 64
LEAF = -1
NODE_SIZE = 3
# The actions of leaves: a cell takes a color, or the color of a feature.
ACTIONS = frozenset(
    [*range(10), *(10 + k for k, feature in enumerate(FEATURES) if feature.traits & IS_TAKEN)]
)


def _passes(feature: int, value: int, number: int) -> bool:
    return number == value if FEATURES[feature].traits & IS_COLOR else number <= value


def _check_tree(tree: Sequence[Value]) -> list[tuple[int, int, int]]:
    if not tree or len(tree) % NODE_SIZE or not all(map(is_number, tree)):
        raise wrong_type("apply_tree: not a tree, which has three numbers per node")
    numbers = iter(tree)
    nodes: list[tuple[int, int, int]] = list(zip(numbers, numbers, numbers, strict=True))  # type: ignore[arg-type]
    for k, (feature, value, other) in enumerate(nodes):
        if feature == LEAF:
            good = value in ACTIONS and other == 0
        else:
            good = (
                0 <= feature < len(FEATURES) and 0 <= value <= MOST and k + 1 < other < len(nodes)
            )
        if not good:
            raise out_of_range(f"apply_tree: node {k} is neither a test nor a leaf")
    return nodes


@primitive(
    "Tuple[Integer], Grid -> Grid",
    examples=(
        "apply_tree((0, 1, 2, -1, 3, 0, -1, 10, 0), ((2, 1, 1),)) == ((2, 3, 3),)",
        "apply_tree((-1, 10, 0), ((4, 5),)) == ((4, 5),)",
    ),
    is_host=True,
)
def apply_tree(tree: tuple[Value, ...], I: Grid) -> Value:  # noqa: E741
    """Give each cell of a grid the color that a tree, as `grow_tree` returns it, chooses.

    It fails as empty if a cell is to take the color of something that is not there.
    """
    check_colors("apply_tree", (), I)
    nodes = _check_tree(tree)
    n_rows, width = size_of(I)
    require(STEPS_PER_CELL // 2 * n_rows * width)
    charge(STEPS_PER_CELL // 4 * n_rows * width)
    columns = columns_of(I)

    def become(cell: int) -> int:
        k = 0
        while nodes[k][0] != LEAF:
            feature, value, other = nodes[k]
            k = k + 1 if _passes(feature, value, columns[feature][cell]) else other
        action = nodes[k][1]
        color = action if action < 10 else columns[action - 10][cell]
        if color == NONE:
            raise empty("apply_tree: a cell is to take the color of something that is not there")
        return color

    cells = [become(cell) for cell in range(n_rows * width)]
    return tuple(tuple(cells[i * width : (i + 1) * width]) for i in range(n_rows))


# --- in words ---


# Sentences about a number, by patterns of the names of features.
_COUNTED = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (
        (r"how many ((?:\w+ )?steps)(?: it is)? from (.*?)(?: it is)?", "it is {n} {0} from {1}"),
        (r"how many (of its row and column) (.+)", "{0}, {n} {1}"),
        (r"how many (\w+) (its .+) (has|touches)", "{1} {2} {no} {0}"),
        (r"how many ((?:\w+ )?ways) (.+)", "{1} in {no} {0}"),
        (r"in how many (.+) directions (.+) is", "{1} is in {no} {0} directions"),
        (r"how many (.+ lines) (of .+) it is on", "it is on {no} {0} {1}"),
        (r"how many (.+) it is on", "it is on {no} {0}"),
        (r"how many (have .+)", "the number of those that {0} is {n}"),
        (r"how many (.+)", "{no} {0}"),
        (r"within how many (.+) it is", "it is within {no} {0}"),
        (r"how far off another color is (.+)", "the distance to another color {0} is {n}"),
        (r"how near another color is, (.+)", "the {0} distance to the nearest other color is {n}"),
        (r"how far another color is, (.+)", "the {0} distance to the farthest other color is {n}"),
        (r"how often (it is between .+)", "the number of times that {0} is {n}"),
        (r"(cells .+), the more", "the greater number of {0} is {n}"),
        (r"(cells .+), the fewer", "the smaller number of {0} is {n}"),
        (r"((?:rows|columns|cells|panels) .+)", "the number of {0} is {n}"),
    )
)


def describe_tree(tree: Sequence[Value]) -> list[str]:
    """Return a tree in words, a line per test and leaf, indented by level."""
    nodes = _check_tree(tree)
    return list(_describe(nodes, 0, 0))


def _describe(nodes: list[tuple[int, int, int]], k: int, level: int) -> Iterator[str]:
    feature, value, other = nodes[k]
    indent = "  " * level
    if feature == LEAF:
        name = COLOR_NAMES[value] if value < 10 else FEATURES[value - 10].name
        yield f"{indent}it {'stays' if name == 'its own color' else f'becomes {name}'}"
        return
    is_fact = FEATURES[feature].traits & IS_FACT and value == 0
    yield f"{indent}if {FEATURES[feature].name if is_fact else _condition(feature, value)}:"
    # A fact is 0 where it is false; the cells for which it is true come first in words.
    yield from _describe(nodes, other if is_fact else k + 1, level + 1)
    yield f"{indent}otherwise:"
    yield from _describe(nodes, k + 1 if is_fact else other, level + 1)


def _condition(feature: int, value: int) -> str:
    name = FEATURES[feature].name
    if FEATURES[feature].traits & IS_COLOR:
        return f"{name} is {[*COLOR_NAMES, 'none'][value] if value <= NONE else value}"
    for pattern, sentence in _COUNTED:
        if counted := pattern.fullmatch(name):
            amount = f"at most {value}" if value else "no" if "{no}" in sentence else "0"
            return sentence.format(*counted.groups(), no=amount, n=amount)
    if name.startswith("how "):
        return f"{name}: at most {value}"
    return f"{name}{',' * (', ' in name)} is at most {value}"
