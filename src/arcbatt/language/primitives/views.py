"""Other views of a task: the background as 0, or every example turned one way.

A program undoes its view at the end, so that it is a program for the task itself. All grids,
those of the demos too, must be rectangles of colors 0 to 9, not empty: others are of the wrong
type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..registry import primitive, worded
from ..values import Demos, Grid, Pair, Value
from .cell_columns import COLOR_NAMES
from .color_grids import Pairs, all_places, check_colors

# --- the background ---

# The codes of `swap_ground` in words.
GROUNDS = (
    "the most common color of all demos' inputs",
    "the most common color of each input",
    "the most common color on the border of each input",
)


def _most_common(cells: Iterable[int]) -> int:
    """Return the most common color, the lowest on ties; 0 if there is none."""
    counts = Counter(cells)
    return min(counts, key=lambda color: (-counts[color], color), default=0)


def _ground(S: Pairs, grid: Grid, code: int) -> int:
    if code == 0:
        return _most_common(cell for given, _ in S for row in given for cell in row)
    last_row, last_column = len(grid) - 1, len(grid[0]) - 1
    return _most_common(
        grid[i][j]
        for i, j in all_places(grid)
        if code == 1 or i in (0, last_row) or j in (0, last_column)
    )


def _swapped(grid: Grid, color: int) -> Grid:
    swap = {0: color, color: 0}
    return tuple(tuple(swap.get(cell, cell) for cell in row) for row in grid)


@primitive(
    "Demos, Code[0..2] -> Demos",
    ties="of equally common colors, the lowest is the background",
    examples=(
        "ground_demos(((((3, 3, 0),), ((0,),)), (((4, 5, 5),), ((4,),))), 0) == "
        "((((0, 0, 3),), ((3,),)), (((4, 5, 5),), ((4,),)))",
        "ground_demos(((((3, 3, 0),), ((0,),)), (((4, 5, 5),), ((5,),))), 1) == "
        "((((0, 0, 3),), ((3,),)), (((4, 0, 0),), ((0,),)))",
    ),
)
def ground_demos(S: Demos, code: int) -> Value:
    """The demos with 0 and the background of each pair's input swapped (see `swap_ground`)."""
    check_colors("ground_demos", S)
    pairs = []
    for given, wanted in S:
        color = _ground(S, given, code)
        pairs.append((_swapped(given, color), _swapped(wanted, color)))
    return tuple(pairs)


@primitive(
    "Demos, Grid, Grid, Code[0..2] -> Grid",
    ties="of equally common colors, the lowest is the background",
    examples=(
        "swap_ground((), ((3, 3, 0),), ((3, 0, 1),), 1) == ((0, 3, 1),)",
        "swap_ground(((((5, 5),), ((5,),)),), ((3, 3, 3),), ((3, 0, 5),), 0) == ((3, 5, 0),)",
        "swap_ground((), ((3, 3, 3), (3, 4, 3), (3, 3, 3)), ((3, 4),), 2) == ((0, 4),)",
    ),
    brief="0 and the background exchanged, which is by code the most common color of 0 all inputs "
    "of S, 1 I, 2 the border of I",
)
def swap_ground(S: Demos, I: Grid, grid: Grid, code: int) -> Value:  # noqa: E741
    """A grid with 0 and the background of `I` swapped; twice, it is the grid again.

    The background is the most common color of: 0 all demos' inputs, whatever `I` is (0 without
    demos), 1 `I`, 2 the border of `I`.
    """
    check_colors("swap_ground", S, I, grid)
    return _swapped(grid, _ground(S, I, code))


@worded("ground_demos")
def _(given: Value, S: Demos, code: int) -> list[str]:
    return [f"the background is {GROUNDS[code]}: it and black are swapped"]


@worded("swap_ground")
def _(given: Value, S: Demos, I: Grid, grid: Grid, code: int) -> list[str]:  # noqa: E741
    color = _ground(S, I, code)
    done = f"{COLOR_NAMES[color]} and black are swapped" if color else "it is black already"
    return [f"the background is {GROUNDS[code]}: {done}"]


# --- turns ---

# The codes of `to_turn` in words: by way, then by object.
_THINGS = (
    "the rarest color but black lies {} the center of all cells but black ones",
    "the most common color but black lies {} the middle",
)
_WAYS = ("above or at the upper left of", "below", "above or left of")
TURNS = tuple(thing.format(way) for way in _WAYS for thing in _THINGS)


def _arrow(grid: Grid, thing: int) -> Pair:
    """Return the sum over an object's cells of how far down and right they lie."""
    shown = [(i, j) for i, j in all_places(grid) if grid[i][j]]
    counts = Counter(grid[i][j] for i, j in shown)
    sign = 1 if thing == 0 else -1
    color = min(counts, key=lambda each: (sign * counts[each], each), default=0)
    places = [(i, j) for i, j in shown if grid[i][j] == color]

    def offset(axis: int, n_lines: int) -> int:
        own = sum(place[axis] for place in places)
        if thing == 0:
            return len(shown) * own - len(places) * sum(place[axis] for place in shown)
        return 2 * own - len(places) * (n_lines - 1)

    return offset(0, len(grid)), offset(1, len(grid[0]))


def _turn_of(grid: Grid, code: int) -> tuple[bool, bool, bool]:
    """Return whether to flip top to bottom, to flip left to right, and then to transpose."""
    way, thing = divmod(code, len(_THINGS))
    down, right = _arrow(grid, thing)
    is_steep = abs(down) >= abs(right)
    if way == 0:
        return down > 0, right > 0, not is_steep
    if way == 2:
        return down > 0, right > 0, False
    # A turn is an even number of flips and transpositions.
    if is_steep:
        return down < 0, down < 0, False
    return right > 0, right < 0, True


def _turned(grid: Grid, turn: tuple[bool, bool, bool]) -> Grid:
    is_flipped_down, is_flipped_right, is_transposed = turn
    rows = grid[::-1] if is_flipped_down else grid
    rows = tuple(row[::-1] for row in rows) if is_flipped_right else rows
    return tuple(zip(*rows, strict=True)) if is_transposed else rows


def _turned_back(grid: Grid, turn: tuple[bool, bool, bool]) -> Grid:
    is_flipped_down, is_flipped_right, is_transposed = turn
    rows = tuple(zip(*grid, strict=True)) if is_transposed else grid
    return _turned(rows, (is_flipped_down, is_flipped_right, False))


@primitive(
    "Demos, Code[0..5] -> Demos",
    ties="of equally common colors, the lowest is chosen",
    examples=(
        "turn_demos(((((0, 3),), ((4, 5, 6),)),), 5) == ((((3, 0),), ((6, 5, 4),)),)",
        "turn_demos(((((0, 3),), ((4, 5, 6),)),), 3) == ((((0,), (3,)), ((4,), (5,), (6,))),)",
    ),
)
def turn_demos(S: Demos, code: int) -> Value:
    """The demos, both grids of each turned as its input is by `to_turn`."""
    check_colors("turn_demos", S)
    pairs = []
    for given, wanted in S:
        turn = _turn_of(given, code)
        pairs.append((_turned(given, turn), _turned(wanted, turn)))
    return tuple(pairs)


@primitive(
    "Grid, Code[0..5] -> Grid",
    ties="of equally common colors, the lowest is chosen",
    examples=(
        "to_turn(((0, 0), (0, 3)), 1) == ((3, 0), (0, 0))",
        "to_turn(((0, 5, 0), (0, 5, 3)), 2) == ((0, 0), (5, 5), (3, 0))",
    ),
)
def to_turn(I: Grid, code: int) -> Value:  # noqa: E741
    """A grid turned or mirrored so that a thing in it lies one way.

    The thing is, for even codes, the rarest color but 0, and it lies where its center is, seen
    from that of all cells but 0; for odd ones the most common color but 0, seen from the grid's
    middle. The ways: 0 and 1 flip and transpose the grid, so that the thing lies not below and
    not right, and at least as far up as left; 2 and 3 turn it, so that the thing lies below, and
    at least as far down as to a side; 4 and 5 flip it, so that the thing lies not below and not
    right. A grid whose thing lies so, or that has none, is unchanged.
    """
    check_colors("to_turn", (), I)
    return _turned(I, _turn_of(I, code))


@primitive(
    "Grid, Grid, Code[0..5] -> Grid",
    ties="of equally common colors, the lowest is chosen",
    examples=(
        "from_turn(((0, 0), (0, 3)), ((3, 0), (0, 0)), 1) == ((0, 0), (0, 3))",
        "from_turn(((0, 3),), ((4,), (5,), (6,)), 3) == ((4, 5, 6),)",
    ),
)
def from_turn(I: Grid, grid: Grid, code: int) -> Value:  # noqa: E741
    """A grid turned back by what `to_turn` does to `I`; undoes it."""
    check_colors("from_turn", (), I, grid)
    return _turned_back(grid, _turn_of(I, code))


@worded("turn_demos")
def _(given: Value, S: Demos, code: int) -> list[str]:
    return [f"each demo is turned so that, in its input, {TURNS[code]}"]


@worded("to_turn")
def _(given: Value, I: Grid, code: int) -> list[str]:  # noqa: E741
    return [f"the grid is turned so that {TURNS[code]}: it is {_say_turn(_turn_of(I, code))}"]


@worded("from_turn")
def _(given: Value, I: Grid, grid: Grid, code: int) -> list[str]:  # noqa: E741
    return [f"the output is turned back; the input was {_say_turn(_turn_of(I, code))}"]


def _say_turn(turn: tuple[bool, bool, bool]) -> str:
    words = ("flipped top to bottom", "flipped left to right", "transposed")
    done = [word for word, is_done in zip(words, turn, strict=True) if is_done]
    return ", then ".join(done) or "left as it is"
