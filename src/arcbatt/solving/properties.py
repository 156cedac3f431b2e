"""Properties that all demos of a task share, and patterns that they show.

A property is a value of an (input, output) pair. If it is the same in every demo, the property is
shared, and a test output with another value breaks it. Parts are 8-connected, of one color, and not
of the background; a changed region is 8-connected cells that differ between input and output.

A pattern is a window of 2x2 cells. A test output with many windows that occur neither in a demo
output nor in its input looks unlike what the demos show.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from math import log2
from operator import or_

from arcbatt.engine import _engine
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.validation import MAX_COLOR

# The value of a property that does not apply.
ABSENT = None

# Marks the bytes that are not 0.
MARK = bytes([0] + [1] * 255)
# Old and new color, by 10 times the old one and the new one.
PAIRS = [divmod(number, 10) for number in range(100)]
SAME = frozenset((color, color) for color in range(MAX_COLOR + 1))

# The width of a part's box, then for each cell of the box whether it is of the part.
Shape = bytes
SINGLE_CELL: Shape = bytes([1, 1])
Changes = frozenset[tuple[int, int]]


class _GridFacts:
    """Facts about one grid; parts are separated by `ground`, by default its commonest color."""

    def __init__(self, grid: Grid, ground: int | None = None) -> None:
        self.grid = grid
        self.size = len(grid), len(grid[0])
        self.cells = b"".join(map(bytes, grid))
        self.number = int.from_bytes(self.cells, "big")
        self.counts = [self.cells.count(color) for color in range(MAX_COLOR + 1)]
        self.colors = frozenset([color for color, count in enumerate(self.counts) if count])
        self.commonest = self.counts.index(max(self.counts))
        # The distinct windows of 2x2 cells, each as the bit that its colors write as a number.
        self.windows = int.from_bytes(_engine.windows_of(self.cells, self.size[1]), "little")
        self._ground = self.commonest if ground is None else ground

    @cached_property
    def shapes(self) -> list[Shape]:
        """The shapes of all parts, sorted."""
        return sorted(_engine.shapes_of(self.cells, self.size[1], self._ground))


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
        # Both colors of a cell as one byte: no digit carries.
        both = 10 * self.before.number + self.after.number
        return (
            frozenset([PAIRS[byte] for byte in set(both.to_bytes(len(self.before.cells), "big"))])
            - SAME
        )

    @cached_property
    def regions(self) -> list[Shape]:
        """The shapes of changed regions, for an output of the input's size."""
        differences = self.before.number ^ self.after.number
        changed = differences.to_bytes(len(self.before.cells), "big").translate(MARK)
        return _engine.shapes_of(changed, self.before.size[1], 0)


def n_cells(shape: Shape) -> int:
    """Return the number of cells of a shape."""
    return shape.count(1, 1)


def _is_rectangle(shape: Shape) -> bool:
    return 0 not in shape


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
    "outputs have as many colors": lambda facts: len(facts.after.colors),
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
    "no part is a single cell": lambda facts: _holds(SINGLE_CELL not in facts.after.shapes),
    "no shape of a part is new": lambda facts: _holds(
        set(facts.after.shapes) <= set(facts.before.shapes)
    ),
    "parts have the shapes of the input's": lambda facts: _holds(
        facts.after.shapes == facts.before.shapes
    ),
}


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
        shown = [each.after.windows for each in facts]
        self._known = [reduce(or_, shown, each.windows) for each in self._tests]
        # The most that a demo output would have, if the other demos were all that is known.
        self._usual_newness = max(
            _newness(each.after, reduce(or_, shown[:k] + shown[k + 1 :], each.before.windows))
            for k, each in enumerate(facts)
        )

    def oddities(self, test: int, grid: Grid) -> Oddities:
        """Return how a test output differs from what all demos show."""
        facts = _Facts(self._tests[test], grid)
        broken = tuple(
            [name for name, value in self.values.items() if PROPERTIES[name](facts) != value]
        )
        newness = _newness(facts.after, self._known[test])
        return Oddities(broken, max(0.0, newness - self._usual_newness))


def _newness(grid: _GridFacts, known: int) -> float:
    return log2(1 + (grid.windows & ~known).bit_count())
