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
    View,
    background_views,
    by_role,
    first_of,
    on_background,
    plain,
    turned_views,
    with_roles,
)
from arcbatt.tasks import Task

# The values of more moves would not fit into memory.
MAX_MOVES = 400_000_000


@dataclass(frozen=True)
class Pass:
    """One search of every uncertain task: a view and a depth.

    It stacks pieces, or grows trees over them (`grow_trees`). With `only_doubtful` it is
    for tasks below the confidence `DOUBTFUL`.

    `gain` is the share of wrong tasks that it made right on training, less those that it made
    wrong. `cost_s` is the CPU time per task.
    """

    name: str
    view: Callable[[Task], View]
    depth: int
    max_applications: int
    gain: float
    cost_s: float
    open_cells_first: bool = False
    grow_trees: bool = False
    only_doubtful: bool = False

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


def _background_roles(task: Task) -> View:
    """Return the view by roles on the task's first background."""
    return with_roles(first_of(background_views(plain(task))))


def _turned_roles(task: Task) -> View:
    """Return the view by roles with examples turned."""
    return with_roles(first_of(turned_views(on_background(task))))


FIRST_PASSES = (
    Pass("roles", by_role, 2, 20_000_000, 0.41, 0.026),
    Pass("plain", plain, 2, 20_000_000, 0.012, 0.024),
    Pass("roles, deeper", by_role, 3, 100_000, 0.045, 0.072),
    Pass("roles, open cells", by_role, 3, 100_000, 0.014, 0.07, open_cells_first=True),
    Pass("plain, deeper", plain, 3, 100_000, 0.014, 0.052),
    Pass("roles, deepest", by_role, 3, 200_000, 0.007, 0.1, only_doubtful=True),
    Pass("ground, deeper", _background_roles, 3, 100_000, 0.005, 0.019),
    Pass("turned", _turned_roles, 2, 20_000_000, 0.084, 0.028),
    # Trees win most on ConceptARC. On training their false fits can displace what stacks find, so
    # their gain places them after most passes of stacks, when fewer tasks are uncertain.
    Pass("roles, trees", by_role, 2, 20_000_000, 0.012, 0.05, grow_trees=True),
    Pass("plain, trees", plain, 2, 20_000_000, 0.011, 0.05, grow_trees=True),
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
    """Return the other passes of the same kind, view and depth that take no more moves."""

    def searched(by: Pass) -> tuple[object, ...]:
        return by.view, by.depth, by.grow_trees

    return tuple(
        each
        for each in all_passes()
        if searched(each) == searched(this)
        and each != this
        and each.max_applications <= this.max_applications
    )
