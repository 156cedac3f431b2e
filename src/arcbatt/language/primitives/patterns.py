"""Patterns that repeat, continued where a grid does not show them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from ..budget import charge
from ..domains import Demos, Grid, Number
from ..failure import empty
from ..registry import primitive, worded
from ..values import Pair, Value
from .observations import all_places, check_colors, size_of

MAX_SIDE, MAX_PERIOD = 30, 15
FORMS_IN_WORDS = (
    "after one step",
    "each row by itself",
    "each column by itself",
    "along rising diagonals",
    "along falling diagonals",
    "in rows and in columns",
)
BY_STEP, BY_ROW, BY_COLUMN, RISING, FALLING, BOTH_WAYS = range(len(FORMS_IN_WORDS))


def _size_to_fill(S: Demos, I: Grid) -> Pair:  # noqa: E741
    """The size of the output: the input's, as in all demos, or what all outputs have."""
    if all(size_of(given) == size_of(wanted) for given, wanted in S):
        return size_of(I)
    sizes = {size_of(wanted) for _, wanted in S}
    if len(sizes) > 1:
        raise empty("continue_pattern: outputs have neither their inputs' sizes nor one size")
    return sizes.pop()


def _by_class(
    known: dict[Pair, int], size: Pair, told: Callable[[int, int], Hashable]
) -> Grid | None:
    """Places that are told alike get one colour; None where known ones differ or all lack it."""
    colors: dict[Hashable, int] = {}
    for place, color in known.items():
        if colors.setdefault(told(*place), color) != color:
            return None
    n_rows, width = size
    if any(told(i, j) not in colors for i in range(n_rows) for j in range(width)):
        return None
    return tuple(tuple(colors[told(i, j)] for j in range(width)) for i in range(n_rows))


def _classes(form: int, size: Pair) -> Iterator[Callable[[int, int], Hashable]]:
    """How places may be told, the fewest kinds of them first."""
    if form == BOTH_WAYS:
        n_rows, width = size
        for n in range(1, n_rows * width + 1):
            for p in range(1, n_rows + 1):
                if n % p == 0 and n // p <= width:
                    yield lambda i, j, p=p, q=n // p: (i % p, j % q)  # type: ignore[misc]
        return
    for p in range(1, MAX_PERIOD + 1):
        sign = 1 if form == RISING else -1
        yield lambda i, j, p=p, sign=sign: (i + sign * j) % p  # type: ignore[misc]


def _steps(n_rows: int, width: int) -> list[Pair]:
    """All steps down, or to the right, the shortest first."""
    steps = [(di, dj) for di in range(n_rows) for dj in range(1 - width, width) if di > 0 or dj > 0]
    return sorted(steps, key=lambda s: (max(s[0], abs(s[1])), s[0] + abs(s[1]), s))


def _by_step(I: Grid, known: dict[Pair, int], size: Pair) -> Grid:  # noqa: E741
    n_shown = sum(color != 0 for color in known.values())
    for di, dj in _steps(*size_of(I)):
        n_equal = 0
        for (i, j), color in known.items():
            other = known.get((i + di, j + dj), color)
            if other != color:
                break
            n_equal += color != 0 and (i + di, j + dj) in known
        else:
            if 3 * n_equal >= n_shown and n_equal:
                return _stepped(known, size, di, dj)
    raise empty("continue_pattern: no step repeats what is known")


def _stepped(known: dict[Pair, int], size: Pair, di: int, dj: int) -> Grid:
    def color_at(i: int, j: int) -> int:
        for k in range(MAX_SIDE + 1):
            for n in (k, -k):
                if (i + n * di, j + n * dj) in known:
                    return known[i + n * di, j + n * dj]
        return 0

    return tuple(tuple(color_at(i, j) for j in range(size[1])) for i in range(size[0]))


def _continued(line: Sequence[int], length: int, hidden: bool) -> tuple[int, ...]:
    """A line with the shortest period that it has; hidden is what follows its last colour."""
    n = len(line)
    while hidden and n and line[n - 1] == 0:
        n -= 1
    for p in range(1, n + 1):
        if all(line[k] == line[k - p] for k in range(p, n)):
            return tuple(line[k % p] for k in range(length))
    return (0,) * length


@primitive(
    "Demos, Grid, Code[0..5], Code[0..1] -> Grid",
    ties="the shortest step, that with fewer rows, then columns, first; the fewest kinds of places",
    examples=(
        "continue_pattern((), ((1, 2, 1, 0, 0),), 1, 1) == ((1, 2, 1, 2, 1),)",
        "continue_pattern((), ((1, 2, 0), (2, 0, 0), (0, 0, 0)), 3, 1) == "
        "((1, 2, 1), (2, 1, 2), (1, 2, 1))",
    ),
)
def continue_pattern(S: Demos, I: Grid, form: Number, hidden: Number) -> Value:  # noqa: E741
    """A grid, of the outputs' size, in which what is known of a pattern goes on.

    The size is the grid's if all demos' outputs have their inputs' sizes, else that which all
    outputs have; it may be 30 at most, and not less than the grid's. Known is what the grid
    shows, with `hidden` 1 but for 0; there must be both known and unknown places.

    The forms: 0 the shortest step down or to the right such that all known places, taken by it
    to known ones, have the colours of these, and at least a third of those that are not 0 are;
    a place has the colour of the nearest known one to which such steps lead, forwards first, or
    0. 1 each row by itself with its shortest period, 2 each column likewise; there what follows
    the last colour is unknown with `hidden` 1, and the grid must have all rows, or columns. 3
    places are alike by row plus column modulo a number up to 15, 4 by row minus column, 5 by row
    modulo a number and column modulo another: the fewest kinds of places such that known ones of
    a kind have one colour, and all kinds are known.
    """
    check_colors("continue_pattern", S, I)
    n_rows, width = size = _size_to_fill(S, I)
    own_rows, own_width = size_of(I)
    if n_rows < own_rows or width < own_width or max(size) > MAX_SIDE:
        raise empty("continue_pattern: the output is smaller than the grid, or too large")
    known = {(i, j): I[i][j] for i, j in all_places(I) if I[i][j] or not hidden}
    if len(known) in (0, n_rows * width):
        raise empty("continue_pattern: nothing is known, or all is")
    charge(n_rows * width * (16 + n_rows * width // 32))
    if form == BY_STEP:
        return _by_step(I, known, size)
    if form in (BY_ROW, BY_COLUMN):
        lines, n_lines, length = (I, n_rows, width)
        if form == BY_COLUMN:
            lines, n_lines, length = tuple(zip(*I, strict=True)), width, n_rows
        if len(lines) < n_lines:
            raise empty("continue_pattern: the output has more lines than the grid")
        continued = tuple(_continued(line, length, bool(hidden)) for line in lines)
        return continued if form == BY_ROW else tuple(zip(*continued, strict=True))
    for told in _classes(form, size):
        filled = _by_class(known, size, told)
        if filled is not None:
            return filled
    raise empty("continue_pattern: nothing repeats")


@worded("continue_pattern")
def _(given: Value, S: Demos, I: Grid, form: int, hidden: int) -> list[str]:  # noqa: E741
    unknown = "where black is not known" if hidden else "beyond the grid"
    return [f"what the grid shows repeats itself {FORMS_IN_WORDS[form]}, {unknown}"]
