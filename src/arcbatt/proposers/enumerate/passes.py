"""Passes: the ways in which every task is enumerated, from the cheapest on, without an end.

A pass is a view of the task, how deep it is searched, and the moves that it may take. The first few
are cheap; after them passes go on with four times the moves of the last, in turn by view, three
moves deep until that is searched whole, and deeper from the most promising values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from arcbatt.tasks import Grid, Task

from .stacks import View
from .views import NoView, by_role, grounded, grounds, mirrored, nth, plain, turns, with_roles

# Moves that no memory would hold.
MOST_MOVES = 400_000_000


@dataclass(frozen=True)
class Pass:
    """One way to search every task: a view, how deep, and which guess at the output's size.

    `gain` is the part of tasks that were wrong and became right by it on training, less those that
    became wrong; `cost_s` the seconds of a core that a task took.
    """

    name: str
    view: Callable[[Task], View]
    depth: int
    max_applications: int
    gain: float
    cost_s: float
    size_guess: int = 0
    by_open: bool = False

    @property
    def switch(self) -> str:
        """The name that it is switched off by, without commas and blanks."""
        return self.name.replace(", ", "-").replace(" ", "-")

    @property
    def is_deepening(self) -> bool:
        """Whether it goes on beyond the passes that have a name."""
        return self not in FIRST_PASSES

    def is_needless(self, done: Callable[[str], Mapping[str, Any] | None]) -> bool:
        """Whether a pass before it has searched as deep a view whole; `done` has their counts."""
        for earlier in _passes_before(self):
            counts = done(earlier.name)
            if counts is not None and not counts["was_cut"]:
                return True
        return False


def _sizes_in_doubt(task: Task) -> View:
    """The task by roles, unless its outputs all have their inputs' size, or one size."""
    sizes = [_size(demo.output) for demo in task.demos]
    if len(set(sizes)) == 1 or sizes == [_size(demo.input) for demo in task.demos]:
        raise NoView("there is no second guess at the output's size")
    return by_role(task)


def _size(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])


def _mirrored_roles(task: Task) -> View:
    return mirrored(by_role(task), "dmirror")


@cache
def _grounded(n: int) -> Callable[[Task], View]:
    """The roles of the task on its background: of those that it may have, the n-th."""
    return lambda task: with_roles(nth(grounds(plain(task)), n))


@cache
def _turned(n: int) -> Callable[[Task], View]:
    """The roles of the task with its examples turned: of the ways that differ, the n-th."""
    return lambda task: with_roles(nth(turns(grounded(task)), n))


FIRST_PASSES = (
    Pass("roles", by_role, 2, 20_000_000, 0.41, 0.026),
    Pass("plain", plain, 2, 20_000_000, 0.012, 0.024),
    Pass("second size", _sizes_in_doubt, 2, 20_000_000, 0.001, 0.004, size_guess=1),
    Pass("roles, deeper", by_role, 3, 100_000, 0.045, 0.072),
    Pass("roles, open cells", by_role, 3, 100_000, 0.014, 0.07, by_open=True),
    Pass("plain, deeper", plain, 3, 100_000, 0.014, 0.052),
    Pass("roles, deepest", by_role, 3, 400_000, 0.024, 0.157),
    Pass("roles, transposed", _mirrored_roles, 3, 100_000, 0.01, 0.062),
    Pass("ground", _grounded(0), 2, 20_000_000, 0.0045, 0.011),
    Pass("ground, second", _grounded(1), 2, 20_000_000, 0.0007, 0.007),
    Pass("ground, deeper", _grounded(0), 3, 100_000, 0.005, 0.019),
    Pass("turned", _turned(0), 2, 20_000_000, 0.084, 0.028),
    Pass("turned, second", _turned(1), 2, 20_000_000, 0.002, 0.031),
)


# How passes of a depth go on beyond the named ones: the moves that they begin with, and of these
# passes the gain and the cost. The most promising values four moves deep bring more than all that
# are three moves deep.
_FURTHER = ((3, 1_600_000, 0.006, 0.7), (4, 6_400_000, 0.04, 3.2), (5, 25_600_000, 0.02, 13.0))


def _deepening() -> Iterator[Pass]:
    for depth, moves, gain, cost_s in _FURTHER:
        while moves <= MOST_MOVES:
            for name, view in (("roles", by_role), ("plain", plain)):
                title = f"{name}, {depth} deep, {moves // 100_000 / 10:g} million"
                yield Pass(title, view, depth, moves, gain, cost_s)
            moves, gain, cost_s = 4 * moves, 0.7 * gain, 4 * cost_s


@cache
def all_passes() -> tuple[Pass, ...]:
    """Return all passes in the order of what they gain for their cost."""
    found = [*FIRST_PASSES, *_deepening()]
    return tuple(sorted(found, key=lambda each: -each.gain / each.cost_s))


@cache
def _passes_before(this: Pass) -> tuple[Pass, ...]:
    """The other passes of the same view, depth and size that take no more moves."""
    return tuple(
        each
        for each in all_passes()
        if (each.view, each.depth, each.size_guess) == (this.view, this.depth, this.size_guess)
        and each != this
        and each.max_applications <= this.max_applications
    )
