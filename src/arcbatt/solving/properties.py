"""Properties that all demos of a task share, and patterns that they show.

A property is a value of an (input, output) pair. If it is the same in every demo, the property is
shared, and a test output with another value breaks it. Parts are 8-connected, of one color, and not
of the background; a changed region is 8-connected cells that differ between input and output.

A pattern is a window of 2x2 cells. A test output with many windows that occur neither in a demo
output nor in its input looks unlike what the demos show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from math import log2
from operator import ne

from arcbatt.tasks import Grid, Task

# The value of a property that does not apply.
ABSENT = None

# The runs of equal cells in a part, from top to bottom: row, first column, column after the last,
# relative to the part's corner.
Shape = tuple[tuple[int, int, int], ...]
Changes = frozenset[tuple[int, int]]


class _GridFacts:
    """Facts about one grid; parts are separated by `ground`, by default its commonest color."""

    def __init__(self, grid: Grid, ground: int | None = None) -> None:
        self.grid = grid
        self._ground = ground

    @cached_property
    def counts(self) -> Counter[int]:
        return Counter(chain.from_iterable(self.grid))

    @cached_property
    def commonest(self) -> int:
        return min(self.counts, key=lambda color: (-self.counts[color], color))

    @cached_property
    def colors(self) -> frozenset[int]:
        return frozenset(self.counts)

    @cached_property
    def size(self) -> tuple[int, int]:
        return len(self.grid), len(self.grid[0])

    @cached_property
    def shapes(self) -> list[Shape]:
        """The shapes of all parts."""
        return shapes_of(self.grid, self.commonest if self._ground is None else self._ground)


class _Facts:
    """Facts about an (input, output) pair that several properties need."""

    def __init__(self, before: _GridFacts, after: Grid) -> None:
        self.before = before
        self.ground = before.commonest
        self.after = _GridFacts(after, self.ground)

    @cached_property
    def changes(self) -> Changes | None:
        """The old and new colors of changed cells; None if the sizes differ."""
        if self.before.size != self.after.size:
            return None
        pairs: set[tuple[int, int]] = set()
        for old, new in zip(self.before.grid, self.after.grid, strict=True):
            if old != new:
                pairs.update(zip(old, new, strict=True))
        return frozenset(pair for pair in pairs if pair[0] != pair[1])

    @cached_property
    def regions(self) -> list[Shape]:
        """The shapes of changed regions, for an output of the input's size."""
        unchanged = (False,) * self.before.size[1]
        changed = tuple(
            unchanged if old == new else tuple(map(ne, old, new))
            for old, new in zip(self.before.grid, self.after.grid, strict=True)
        )
        return shapes_of(changed, 0)


# Grids offered for a test input differ in few rows, so what is computed per row is kept.
@lru_cache(4096)
def _runs_of(row: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """Return the runs of equal cells in a row: first column, column after the last, color."""
    starts = [0, *(k for k, (old, new) in enumerate(pairwise(row), 1) if old != new)]
    return tuple(zip(starts, [*starts[1:], len(row)], (row[k] for k in starts), strict=True))


def shapes_of(grid: Grid, ground: int) -> list[Shape]:
    """Return the shapes of the parts of a grid."""
    runs: list[tuple[int, int, int]] = []
    joined: list[int] = []  # a run of the same part further up, or the run itself
    above: list[tuple[int, int, int, int]] = []  # first column, column after the last, color, run
    for row, cells in enumerate(grid):
        here = []
        begin = 0  # runs above that end further left touch none of the runs to come
        for start, end, color in _runs_of(cells):
            if color == ground:
                continue
            number = first = len(runs)
            runs.append((row, start, end))
            joined.append(number)
            while begin < len(above) and above[begin][1] < start:
                begin += 1
            for k in range(begin, len(above)):
                other_start, _, other_color, other = above[k]
                if other_start > end:
                    break
                if other_color == color:
                    while joined[other] != other:
                        other = joined[other]
                    first, last = (first, other) if first < other else (other, first)
                    joined[last] = first
            here.append((start, end, color, number))
        above = here
    parts: dict[int, list[tuple[int, int, int]]] = {}
    for number, run in enumerate(runs):
        # A run joins one further up, whose own part is known by now.
        joined[number] = root = joined[joined[number]]
        parts.setdefault(root, []).append(run)
    return [_moved_to_corner(part) for part in parts.values()]


def _moved_to_corner(runs: list[tuple[int, int, int]]) -> Shape:
    top, left = runs[0][0], min(start for _, start, _ in runs)
    return tuple((row - top, start - left, end - left) for row, start, end in runs)


def n_cells(shape: Shape) -> int:
    """Return the number of cells of a shape."""
    return sum(end - start for _, start, end in shape)


def _is_rectangle(shape: Shape) -> bool:
    return len(shape) == shape[-1][0] + 1 and len({run[1:] for run in shape}) == 1


def _contains(whole: Grid, part: Grid) -> bool:
    """Return whether a grid occurs within a larger one."""
    height, width = len(part), len(part[0])
    return any(
        all(whole[top + row][left : left + width] == cells for row, cells in enumerate(part))
        for top in range(len(whole) - height + 1)
        for left in range(len(whole[0]) - width + 1)
    )


def _margins(grid: Grid) -> Iterator[tuple[int, ...]]:
    """Yield the outermost rows and columns."""
    yield grid[0]
    yield grid[-1]
    yield tuple(row[0] for row in grid)
    yield tuple(row[-1] for row in grid)


def _holds(fact: bool) -> bool | None:
    """Return a property that applies only where a fact is true."""
    return True if fact else ABSENT


def _ratio(facts: _Facts) -> Hashable:
    (height, width), (new_height, new_width) = facts.before.size, facts.after.size
    return new_height / height, new_width / width


def _is_larger_and_contains(facts: _Facts) -> Hashable:
    before, after = facts.before, facts.after
    is_larger = before.size != after.size and all(map(int.__le__, before.size, after.size))
    return _holds(is_larger and _contains(after.grid, before.grid))


def _of_changes(read: Callable[[_Facts, Changes], Hashable]) -> Callable[[_Facts], Hashable]:
    """Return a property of the changed colors, for input and output of one size."""
    return lambda facts: ABSENT if facts.changes is None else read(facts, facts.changes)


def _of_regions(read: Callable[[list[Shape]], Hashable]) -> Callable[[_Facts], Hashable]:
    """Return a property of the changed regions, for input and output of one size."""
    return lambda facts: ABSENT if facts.changes is None else read(facts.regions)


PROPERTIES: dict[str, Callable[[_Facts], Hashable]] = {
    "the same colors turn into the same": _of_changes(lambda _, changes: changes),
    "the same colors change": _of_changes(lambda _, changes: frozenset(old for old, _ in changes)),
    "cells change to the same colors": _of_changes(
        lambda _, changes: frozenset(new for _, new in changes)
    ),
    "as many colors turn into others": _of_changes(lambda _, changes: len(changes)),
    "only the background changes": _of_changes(
        lambda facts, changes: _holds(all(old == facts.ground for old, _ in changes))
    ),
    "cells change only to the background": _of_changes(
        lambda facts, changes: _holds(all(new == facts.ground for _, new in changes))
    ),
    "as many regions change": _of_regions(len),
    "every changed region is a rectangle": _of_regions(
        lambda regions: _holds(all(map(_is_rectangle, regions)))
    ),
    "changed regions have one size": _of_regions(
        lambda regions: _holds(len(set(map(n_cells, regions))) <= 1)
    ),
    "fewer cells are background than before": _of_changes(
        lambda facts, _: _holds(
            facts.after.counts[facts.ground] < facts.before.counts[facts.ground]
        )
    ),
    "the output is not the input": lambda facts: _holds(facts.before.grid != facts.after.grid),
    "the output has the input's size, or one multiple of it": _ratio,
    "outputs have one size": lambda facts: facts.after.size,
    "the output is larger and contains the input": _is_larger_and_contains,
    "no outermost row or column is all background": lambda facts: _holds(
        all(set(line) != {facts.ground} for line in _margins(facts.after.grid))
    ),
    "outputs have the same colors": lambda facts: facts.after.colors,
    "the same colors are new": lambda facts: facts.after.colors - facts.before.colors,
    "the same colors are lost": lambda facts: facts.before.colors - facts.after.colors,
    "as many colors are lost": lambda facts: len(facts.before.colors - facts.after.colors),
    "all colors of the input are there": lambda facts: _holds(
        facts.before.colors <= facts.after.colors
    ),
    "no color is new": lambda facts: _holds(facts.after.colors <= facts.before.colors),
    "as many cells of each color as before": lambda facts: _holds(
        facts.after.counts == facts.before.counts
    ),
    "outputs have as many colors": lambda facts: len(facts.after.counts),
    "the background is the input's": lambda facts: _holds(facts.after.commonest == facts.ground),
    "outputs have the same background": lambda facts: facts.after.commonest,
    "outputs are the same upside down": lambda facts: _holds(
        facts.after.grid == facts.after.grid[::-1]
    ),
    "outputs are the same left to right": lambda facts: _holds(
        all(row == row[::-1] for row in facts.after.grid)
    ),
    "outputs are the same turned around": lambda facts: _holds(
        facts.after.grid == tuple(row[::-1] for row in facts.after.grid[::-1])
    ),
    "outputs are the same transposed": lambda facts: _holds(
        facts.after.grid == tuple(zip(*facts.after.grid, strict=True))
    ),
    "outputs have as many parts": lambda facts: len(facts.after.shapes),
    "as many parts as in the input": lambda facts: _holds(
        len(facts.after.shapes) == len(facts.before.shapes)
    ),
    "no part is a single cell": lambda facts: _holds(
        all(n_cells(shape) > 1 for shape in facts.after.shapes)
    ),
    "no shape of a part is new": lambda facts: _holds(
        set(facts.after.shapes) <= set(facts.before.shapes)
    ),
    "parts have the shapes of the input's": lambda facts: _holds(
        Counter(facts.after.shapes) == Counter(facts.before.shapes)
    ),
}


def windows_of(grid: Grid) -> set[int]:
    """Return the distinct windows of 2x2 cells, each as the number that its colors write."""
    return set().union(*(_windows_of(*rows) for rows in pairwise(grid)))


@lru_cache(4096)
def _windows_of(above: tuple[int, ...], below: tuple[int, ...]) -> frozenset[int]:
    columns = [10 * upper + lower for upper, lower in zip(above, below, strict=True)]
    return frozenset(100 * left + right for left, right in pairwise(columns))


@dataclass(frozen=True, slots=True)
class Oddities:
    """The differences of a test output from what all demos show.

    `broken` names the shared properties that it lacks. `newness` counts its new patterns, in bits
    beyond the most that a demo has.
    """

    broken: tuple[str, ...] = ()
    newness: float = 0.0


NOTHING_ODD = Oddities()


class SharedProperties:
    """The properties that all demos of a task share, and the patterns that they show."""

    def __init__(self, task: Task) -> None:
        self._tests = [_GridFacts(grid) for grid in task.test_inputs]
        facts = [_Facts(_GridFacts(demo.input), demo.output) for demo in task.demos]
        self.values: dict[str, Hashable] = {}
        for name, read in PROPERTIES.items():
            first = read(facts[0])
            if first is not ABSENT and all(read(each) == first for each in facts[1:]):
                self.values[name] = first
        shown = [windows_of(demo.output) for demo in task.demos]
        self._known = [windows_of(grid).union(*shown) for grid in task.test_inputs]
        # The most that a demo output would have, if the other demos were all that is known.
        self._usual_newness = max(
            _bits(shown[k].difference(windows_of(demo.input), *shown[:k], *shown[k + 1 :]))
            for k, demo in enumerate(task.demos)
        )

    def oddities(self, test: int, grid: Grid) -> Oddities:
        """Return how a test output differs from what all demos show."""
        facts = _Facts(self._tests[test], grid)
        broken = tuple(
            name for name, value in self.values.items() if PROPERTIES[name](facts) != value
        )
        newness = _bits(windows_of(grid) - self._known[test])
        return Oddities(broken, max(0.0, newness - self._usual_newness))


def _bits(new: set[int]) -> float:
    return log2(1 + len(new))
