"""Cell trees: a rule for what becomes of each cell, learnt from the demos as a tree of tests.

A tree is a tuple of numbers, three for each node: a feature of `cell_features`, a value, and where
to go on. A cell for which the feature is the value, or, of a number, at most the value, goes on
with the next node; others with the node of the third number. A leaf has -1, what the cell takes (0
to 9: that colour; 10 + k: the colour that feature k is there) and 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..budget import charge, require
from ..domains import AnyTuple, Demos, Grid, Number
from ..failure import empty, out_of_range, wrong_type
from ..registry import primitive, worded
from ..values import Value, is_number
from .cell_columns import (
    COLOR_NAMES,
    IS_COLOR,
    IS_FACT,
    IS_TAKEN,
    MOST,
    NAMES,
    NONE,
    TURNS,
    Column,
)
from .cell_features import FEATURES, columns_of
from .observations import check_colors, size_of

N_WAYS, N_PARTS = 4, 13
MAX_ACTIONS = 8
MAX_LEVELS = 9
MAX_LEAVES = 12
STEPS_A_CELL = 64
LEAF = -1
NODE_SIZE = 3

# What a cell may take: its own colour, a colour, or what a feature is; the simplest first.
TAKEN = [k for k, feature in enumerate(FEATURES) if feature.traits & IS_TAKEN]
ACTIONS = (10 + TAKEN[0], *range(10), *(10 + k for k in TAKEN[1:]))
# Features that all parts have.
N_ALWAYS = 2


def _mix(number: int) -> int:
    """Scatter the bits of a number, the same everywhere."""
    mask = 2**64 - 1
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & mask
    number = (number ^ number >> 27) * 0x94D049BB133111EB & mask
    return number ^ number >> 31


def _left_out(way: int) -> int:
    """The traits that features must not have."""
    return (TURNS if way & 1 else 0) | (NAMES if way & 2 else 0)


def _is_tested(k: int, way: int, part: int) -> bool:
    if FEATURES[k].traits & _left_out(way):
        return False
    return part == 0 or k < N_ALWAYS or _mix(64 * k + part) % 2 == 0


def _is_taken(action: int, way: int) -> bool:
    return action < 10 or not FEATURES[action - 10].traits & _left_out(way) & TURNS


# log2 in parts of 1024.
_LOG_BITS = 10


def _log2(number: int) -> int:
    """The logarithm of a number from 1 to 2^30, in 1024ths, by squaring: the same everywhere."""
    whole = number.bit_length() - 1
    mantissa = number << 30 - whole  # from 1 to 2, in 2^30ths
    result = whole
    for _ in range(_LOG_BITS):
        mantissa = mantissa * mantissa >> 30
        bit = mantissa >> 31
        mantissa >>= bit
        result = 2 * result + bit
    return result


def _disorder(counts: Sequence[int], logs: Sequence[int]) -> int:
    """How many bits, in 1024ths, tell which of some classes each of their cells has."""
    return sum(counts) * logs[sum(counts)] - sum(number * logs[number] for number in counts)


@dataclass(frozen=True)
class _Split:
    feature: int
    value: int
    score: int


class _Grower:
    """Grows a tree from all cells of the demos.

    `columns` has for each feature what it is in each cell, or nothing where it is not tested;
    `right` for each cell which of `actions` give its colour, as bits.
    """

    def __init__(self, columns: list[Column], actions: list[int], right: list[int]) -> None:
        self.columns = columns
        self.actions = actions
        self.right = right
        self.logs = [0, *map(_log2, range(1, len(right) + 1))]
        self.nodes: list[list[int]] = []
        self.n_leaves = 0

    def grow(self, cells: list[int], level: int) -> None:
        fitting = 2**MAX_ACTIONS - 1
        for cell in cells:
            fitting &= self.right[cell]
        if fitting:
            self.n_leaves += 1
            if self.n_leaves > MAX_LEAVES:
                raise empty(f"grow_tree: more than {MAX_LEAVES} leaves")
            first = (fitting & -fitting).bit_length() - 1
            self.nodes.append([LEAF, self.actions[first], 0])
            return
        if level == MAX_LEVELS:
            raise empty(f"grow_tree: more than {MAX_LEVELS} tests on the way to a leaf")
        split = self._best_split(cells)
        if split is None:
            raise empty("grow_tree: cells that are alike become different colours")
        node = [split.feature, split.value, 0]
        self.nodes.append(node)
        column = self.columns[split.feature]
        passes = _test(split.feature, split.value)
        self.grow([cell for cell in cells if passes(column[cell])], level + 1)
        node[2] = len(self.nodes)
        self.grow([cell for cell in cells if not passes(column[cell])], level + 1)

    def _classes(self, cells: list[int]) -> list[int]:
        """For each set of right actions the one that most of these cells may share."""
        counts = Counter(self.right[cell] for cell in cells)
        classes = [0] * 2**MAX_ACTIONS
        while counts:
            shared = [
                sum(number for right, number in counts.items() if right >> action & 1)
                for action in range(len(self.actions))
            ]
            best = shared.index(max(shared))
            for right in [right for right in counts if right >> best & 1]:
                classes[right] = best
                del counts[right]
        return classes

    def _best_split(self, cells: list[int]) -> _Split | None:
        class_of = self._classes(cells)
        classes = [class_of[self.right[cell]] for cell in cells]
        n_classes = len(self.actions)
        totals = [classes.count(action) for action in range(n_classes)]
        before = _disorder(totals, self.logs)
        best: _Split | None = None
        for k, column in enumerate(self.columns):
            if not column:
                continue
            found = Counter(zip([column[cell] for cell in cells], classes, strict=True))
            values = sorted({value for value, _ in found})
            is_color = FEATURES[k].traits & IS_COLOR
            inside = [0] * n_classes
            for place, value in enumerate(values):
                counts = [found[value, action] for action in range(n_classes)]
                if is_color:
                    inside = counts
                else:
                    if value == values[-1]:
                        break
                    inside = [a + b for a, b in zip(inside, counts, strict=True)]
                outside = [a - b for a, b in zip(totals, inside, strict=True)]
                gain = before - _disorder(inside, self.logs) - _disorder(outside, self.logs)
                score = gain * FEATURES[k].simplicity
                if score > (best.score if best else 0):
                    bound = value if is_color else (value + values[place + 1]) // 2
                    best = _Split(k, bound, score)
        return best


def _test(feature: int, value: int):  # type: ignore[no-untyped-def]
    if FEATURES[feature].traits & IS_COLOR:
        return lambda number: number == value
    return lambda number: number <= value


def _choose_actions(right: list[int], way: int) -> list[int]:
    """Which actions, as places in ACTIONS, explain all cells: time and again the one that explains
    most of those that are left, the first of several; the own colour before all others."""
    allowed = [place for place, action in enumerate(ACTIONS) if _is_taken(action, way)]
    left = Counter(right)
    chosen: list[int] = []
    while left:
        counts = [sum(n for bits, n in left.items() if bits >> place & 1) for place in allowed]
        best = 0 if not chosen and counts[0] else counts.index(max(counts))
        if counts[best] == 0 or len(chosen) == MAX_ACTIONS:
            raise empty("grow_tree: no few actions explain all cells")
        chosen.append(allowed[best])
        left = Counter({bits: n for bits, n in left.items() if not bits >> allowed[best] & 1})
    return chosen


@primitive(
    "Demos, Code[0..3], Code[0..12] -> Tuple[Integer]",
    examples=(
        "grow_tree(((((1, 2),), ((3, 2),)),), 0, 0) == (0, 1, 2, -1, 3, 0, -1, 10, 0)",
        "grow_tree(((((1, 2),), ((1, 2),)),), 1, 0) == (-1, 10, 0)",
    ),
    ties="the first feature, then the least value; the first action",
)
def grow_tree(S: Demos, way: Number, part: Number) -> Value:
    """A tree that tells what becomes of each cell, as the demos teach: for `apply_tree`.

    All outputs must have their inputs' size. The tree gives the colour of each of their cells:
    its own where that is right, else one of at most 8 actions (to take a colour, or that which a
    feature is there) that explain all cells, chosen one by one, each for most of the cells that
    the ones before leave. Its tests are chosen one by one, too: the one that gains most
    information on which action is right, times the feature's simplicity; a cell for which several
    are right counts for the one that most cells there may share. A leaf takes the first action
    that is right for all its cells. It fails with more than 9 tests on the way to a leaf, 12
    leaves, or where no test tells cells apart that become different.

    The way says what is tested: 0 all features, 1 those that do not change when the grid is turned
    or mirrored, 2 those that name no colour, 3 neither. A part from 1 on tests half of them, each
    another half.
    """
    check_colors("grow_tree", S)
    if not S:
        raise empty("grow_tree: no demos")
    if any(size_of(given) != size_of(wanted) for given, wanted in S):
        raise empty("grow_tree: an output has not its input's size")
    wanted = [color for _, grid in S for row in grid for color in row]
    require(STEPS_A_CELL // 2 * len(wanted))
    charge(STEPS_A_CELL * len(wanted))
    of_demos = [columns_of(given) for given, _ in S]
    columns = [
        [number for column in parts for number in column] for parts in zip(*of_demos, strict=True)
    ]
    right = [0] * len(wanted)
    for place, action in enumerate(ACTIONS):
        taken = columns[action - 10] if action >= 10 else [action] * len(wanted)
        for cell, (a, b) in enumerate(zip(taken, wanted, strict=True)):
            right[cell] |= (a == b) << place
    chosen = _choose_actions(right, way)
    few = [sum((bits >> place & 1) << n for n, place in enumerate(chosen)) for bits in right]
    tested = [
        column if _is_tested(k, way, part) and len(set(column)) > 1 else []
        for k, column in enumerate(columns)
    ]
    grower = _Grower(tested, [ACTIONS[place] for place in chosen], few)
    grower.grow(list(range(len(wanted))), 0)
    return tuple(number for node in grower.nodes for number in node)


def _check_tree(tree: Sequence[Value]) -> list[tuple[int, int, int]]:
    if not tree or len(tree) % NODE_SIZE or not all(map(is_number, tree)):
        raise wrong_type("apply_tree: no tree: three numbers for each node")
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
            raise out_of_range(f"apply_tree: node {k} is no test and no leaf")
    return nodes


@primitive(
    "Tuple[Integer], Grid -> Grid",
    examples=(
        "apply_tree((0, 1, 2, -1, 3, 0, -1, 10, 0), ((2, 1, 1),)) == ((2, 3, 3),)",
        "apply_tree((-1, 10, 0), ((4, 5),)) == ((4, 5),)",
    ),
)
def apply_tree(tree: AnyTuple, I: Grid) -> Value:  # noqa: E741
    """A grid whose cells become what a tree says, as `grow_tree` makes them.

    It fails as empty where a cell is to take the colour of what is not there.
    """
    check_colors("apply_tree", (), I)
    nodes = _check_tree(tree)
    n_rows, width = size_of(I)
    require(STEPS_A_CELL // 2 * n_rows * width)
    charge(STEPS_A_CELL // 4 * n_rows * width)
    columns = columns_of(I)

    def become(cell: int) -> int:
        k = 0
        while nodes[k][0] != LEAF:
            feature, value, other = nodes[k]
            k = k + 1 if _test(feature, value)(columns[feature][cell]) else other
        action = nodes[k][1]
        color = action if action < 10 else columns[action - 10][cell]
        if color == NONE:
            raise empty("apply_tree: a cell is to take the colour of what is not there")
        return color

    cells = [become(cell) for cell in range(n_rows * width)]
    return tuple(tuple(cells[i * width : (i + 1) * width]) for i in range(n_rows))


# --- in words ---


def describe_tree(tree: Sequence[Value]) -> list[str]:
    """Return what a tree says, a line for each test and leaf, indented by level."""
    nodes = _check_tree(tree)
    return list(_describe(nodes, 0, 0))


@worded("grow_tree")
def _(given: Sequence[Value], S: Demos, way: Number, part: Number) -> list[str]:
    return ["for each cell:", *describe_tree(given)]


def _describe(nodes: list[tuple[int, int, int]], k: int, level: int) -> Iterator[str]:
    feature, value, other = nodes[k]
    indent = "  " * level
    if feature == LEAF:
        yield f"{indent}it takes {COLOR_NAMES[value] if value < 10 else FEATURES[value - 10].name}"
        return
    is_fact = FEATURES[feature].traits & IS_FACT and value == 0
    yield f"{indent}if {FEATURES[feature].name if is_fact else _condition(feature, value)}:"
    # A fact is 0 where it does not hold, so that the others are told first.
    yield from _describe(nodes, other if is_fact else k + 1, level + 1)
    yield f"{indent}otherwise:"
    yield from _describe(nodes, k + 1 if is_fact else other, level + 1)


def _condition(feature: int, value: int) -> str:
    name = FEATURES[feature].name
    if FEATURES[feature].traits & IS_COLOR:
        return f"{name} is {[*COLOR_NAMES, 'none'][value] if value <= NONE else value}"
    return f"{name}: at most {value}"
