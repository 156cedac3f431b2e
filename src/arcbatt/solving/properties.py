"""Properties that all demos of a task share, and those that a test output breaks.

A property is a value of an (input, output) pair. If it is the same in every demo, the property is
shared, and a test output with another value breaks it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from itertools import chain, groupby

from arcbatt.tasks import Grid, Task

# The value of a property that does not apply.
ABSENT = None


class _Facts:
    """Facts about an (input, output) pair that several properties need."""

    def __init__(self, before: Grid, after: Grid) -> None:
        self.before, self.after = before, after
        self.counts = Counter(chain.from_iterable(after))
        self.counts_before = Counter(chain.from_iterable(before))
        self.ground = _commonest(self.counts_before)
        self.has_size = (len(before), len(before[0])) == (len(after), len(after[0]))
        self.changes: frozenset[tuple[int, int]] | None = None
        if self.has_size:
            pairs = set(zip(chain.from_iterable(before), chain.from_iterable(after), strict=True))
            self.changes = frozenset((old, new) for old, new in pairs if old != new)
        self.parts = sorted(_part_sizes(after, self.ground))
        self.parts_before = sorted(_part_sizes(before, self.ground))


def _commonest(counts: Counter[int]) -> int:
    return min(counts, key=lambda color: (-counts[color], color))


def _part_sizes(grid: Grid, ground: int) -> Iterator[int]:
    """Return the sizes of 8-connected parts of one color, without the background."""
    sizes: list[int] = []
    joined: list[int] = []  # the representative of each run's part

    def root(run: int) -> int:
        while joined[run] != run:
            run = joined[run]
        return run

    above: list[tuple[int, int, int, int]] = []  # start, end, color, number
    for row in grid:
        here = []
        start = 0
        for color, cells in groupby(row):
            end = start + len(list(cells))
            if color != ground:
                number = len(joined)
                joined.append(number)
                sizes.append(end - start)
                for other_start, other_end, other_color, other in above:
                    if other_color == color and other_start <= end and start <= other_end:
                        mine, its = root(number), root(other)
                        if mine != its:
                            joined[mine] = its
                            sizes[its] += sizes[mine]
                here.append((start, end, color, number))
            start = end
        above = here
    return (size for run, size in enumerate(sizes) if joined[run] == run)


def _holds(fact: bool) -> bool | None:
    """Return a property that applies only where a fact is true."""
    return True if fact else ABSENT


def _ratio(facts: _Facts) -> Hashable:
    before, after = facts.before, facts.after
    return len(after) / len(before), len(after[0]) / len(before[0])


def _of_changes(
    read: Callable[[_Facts, frozenset[tuple[int, int]]], Hashable],
) -> Callable[[_Facts], Hashable]:
    """Return a property of the changed colors, for input and output of one size."""
    return lambda facts: ABSENT if facts.changes is None else read(facts, facts.changes)


PROPERTIES: dict[str, Callable[[_Facts], Hashable]] = {
    "the same colors turn into the same": _of_changes(lambda _, changes: changes),
    "the same colors change": _of_changes(lambda _, changes: frozenset(old for old, _ in changes)),
    "cells change to the same colors": _of_changes(
        lambda _, changes: frozenset(new for _, new in changes)
    ),
    "only the background changes": _of_changes(
        lambda facts, changes: _holds(all(old == facts.ground for old, _ in changes))
    ),
    "cells change only to the background": _of_changes(
        lambda facts, changes: _holds(all(new == facts.ground for _, new in changes))
    ),
    "the output is not the input": lambda facts: _holds(facts.before != facts.after),
    "the output has the input's size, or one multiple of it": _ratio,
    "outputs have the same colors": lambda facts: frozenset(facts.counts),
    "the same colors are new": lambda facts: frozenset(facts.counts) - set(facts.counts_before),
    "all colors of the input are there": lambda facts: _holds(
        set(facts.counts_before) <= set(facts.counts)
    ),
    "no color is new": lambda facts: _holds(set(facts.counts) <= set(facts.counts_before)),
    "as many cells of each color as before": lambda facts: _holds(
        facts.counts == facts.counts_before
    ),
    "outputs have as many colors": lambda facts: len(facts.counts),
    "the background is the input's": lambda facts: _holds(_commonest(facts.counts) == facts.ground),
    "outputs have the same background": lambda facts: _commonest(facts.counts),
    "outputs are the same upside down": lambda facts: _holds(facts.after == facts.after[::-1]),
    "outputs are the same left to right": lambda facts: _holds(
        all(row == row[::-1] for row in facts.after)
    ),
    "outputs are the same turned around": lambda facts: _holds(
        facts.after == tuple(row[::-1] for row in facts.after[::-1])
    ),
    "outputs are the same transposed": lambda facts: _holds(
        facts.after == tuple(zip(*facts.after, strict=True))
    ),
    "outputs have as many parts": lambda facts: len(facts.parts),
    "as many parts as in the input": lambda facts: _holds(
        len(facts.parts) == len(facts.parts_before)
    ),
    "no part is a single cell": lambda facts: _holds(1 not in facts.parts),
}


class SharedProperties:
    """The properties that all demos of a task share."""

    def __init__(self, task: Task) -> None:
        self._task = task
        facts = [_Facts(demo.input, demo.output) for demo in task.demos]
        self.values: dict[str, Hashable] = {}
        for name, read in PROPERTIES.items():
            first, *others = (read(each) for each in facts)
            if first is not ABSENT and all(value == first for value in others):
                self.values[name] = first

    def broken(self, test: int, grid: Grid) -> tuple[str, ...]:
        """Return the shared properties that a test output breaks."""
        facts = _Facts(self._task.test_inputs[test], grid)
        return tuple(
            name for name, value in self.values.items() if PROPERTIES[name](facts) != value
        )
