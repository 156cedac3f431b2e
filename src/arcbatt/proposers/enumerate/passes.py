"""Passes of enumeration: each searches every task once, and there is always a next one.

A pass is a view of the task, a depth, and a bound on moves. The first passes are cheap. After them
each further pass of a view and depth has four times the moves of the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from arcbatt.proposers.views import (
    NoView,
    View,
    background_views,
    by_role,
    mirrored,
    nth,
    on_background,
    plain,
    turned_views,
    with_roles,
)
from arcbatt.tasks import Grid, Task

# The values of more moves would not fit into memory.
MAX_MOVES = 400_000_000


@dataclass(frozen=True)
class Pass:
    """One search of every task: a view, a depth, and which guess at the output's size.

    `gain` is the share of wrong tasks that it made right on training, less those that it made
    wrong. `cost_s` is the CPU time per task.
    """

    name: str
    view: Callable[[Task], View]
    depth: int
    max_applications: int
    gain: float
    cost_s: float
    size_guess: int = 0
    open_cells_first: bool = False

    @property
    def switch(self) -> str:
        """The name of its switch: without commas and spaces."""
        return self.name.replace(", ", "-").replace(" ", "-")

    @property
    def is_deepening(self) -> bool:
        """Whether it comes after the named passes."""
        return self not in FIRST_PASSES

    def is_redundant(self, done: Callable[[str], Mapping[str, Any] | None]) -> bool:
        """Return whether a smaller pass has searched the same view and depth completely.

        `done` returns the counts of a finished pass by its name.
        """
        for earlier in _smaller_passes(self):
            counts = done(earlier.name)
            if counts is not None and not counts["was_cut"]:
                return True
        return False


def _with_uncertain_size(task: Task) -> View:
    """Return the task by roles unless outputs have their inputs' size or all the same size."""
    sizes = [_size(demo.output) for demo in task.demos]
    if len(set(sizes)) == 1 or sizes == [_size(demo.input) for demo in task.demos]:
        raise NoView("there is no second guess at the output's size")
    return by_role(task)


def _size(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])


def _transposed_roles(task: Task) -> View:
    return mirrored(by_role(task), "dmirror")


@cache
def _background_roles(n: int) -> Callable[[Task], View]:
    """Return the view by roles on the n-th background."""
    return lambda task: with_roles(nth(background_views(plain(task)), n))


@cache
def _turned_roles(n: int) -> Callable[[Task], View]:
    """Return the view by roles with examples turned in the n-th distinct way."""
    return lambda task: with_roles(nth(turned_views(on_background(task)), n))


FIRST_PASSES = (
    Pass("roles", by_role, 2, 20_000_000, 0.41, 0.026),
    Pass("plain", plain, 2, 20_000_000, 0.012, 0.024),
    Pass("second size", _with_uncertain_size, 2, 20_000_000, 0.001, 0.004, size_guess=1),
    Pass("roles, deeper", by_role, 3, 100_000, 0.045, 0.072),
    Pass("roles, open cells", by_role, 3, 100_000, 0.014, 0.07, open_cells_first=True),
    Pass("plain, deeper", plain, 3, 100_000, 0.014, 0.052),
    Pass("roles, deepest", by_role, 3, 400_000, 0.024, 0.157),
    Pass("roles, transposed", _transposed_roles, 3, 100_000, 0.01, 0.062),
    Pass("ground", _background_roles(0), 2, 20_000_000, 0.0045, 0.011),
    Pass("ground, second", _background_roles(1), 2, 20_000_000, 0.0007, 0.007),
    Pass("ground, deeper", _background_roles(0), 3, 100_000, 0.005, 0.019),
    Pass("turned", _turned_roles(0), 2, 20_000_000, 0.084, 0.028),
    Pass("turned, second", _turned_roles(1), 2, 20_000_000, 0.002, 0.031),
)


# By depth, the moves, gain and cost of the first pass after the named ones. The most promising
# values four moves deep bring more than all values three moves deep.
_DEEPENING = ((3, 1_600_000, 0.006, 0.7), (4, 6_400_000, 0.04, 3.2), (5, 25_600_000, 0.02, 13.0))


def _deepening_passes() -> Iterator[Pass]:
    for depth, moves, gain, cost_s in _DEEPENING:
        while moves <= MAX_MOVES:
            for name, view in (("roles", by_role), ("plain", plain)):
                title = f"{name}, {depth} deep, {moves // 100_000 / 10:g} million"
                yield Pass(title, view, depth, moves, gain, cost_s)
            moves, gain, cost_s = 4 * moves, 0.7 * gain, 4 * cost_s


@cache
def all_passes() -> tuple[Pass, ...]:
    """Return all passes by descending gain per second."""
    passes = [*FIRST_PASSES, *_deepening_passes()]
    return tuple(sorted(passes, key=lambda each: -each.gain / each.cost_s))


@cache
def _smaller_passes(this: Pass) -> tuple[Pass, ...]:
    """Return the other passes of the same view, depth and size that take no more moves."""
    return tuple(
        each
        for each in all_passes()
        if (each.view, each.depth, each.size_guess) == (this.view, this.depth, this.size_guess)
        and each != this
        and each.max_applications <= this.max_applications
    )
