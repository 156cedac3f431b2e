"""What is proposed for a task, and what of it is kept: candidates in, the best of them out.

A candidate is kept even if it fits only some demos, or none, as long as it gives some grid: ranking
decides. A task keeps the `MAX_KEPT` best, so that its memory is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from arcbatt.language import Program
from arcbatt.proposers import Candidate
from arcbatt.tasks import Grid, Task

from .properties import SharedProperties

MAX_KEPT = 96

Rank = tuple[object, ...]


class TaskCandidates:
    """The candidates of one task. `version` is another number whenever what is kept has changed."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._kept: dict[Program, Candidate] = {}
        # The rank of the worst, once as many are kept as may be: most come after that, and most of
        # them are refused by it at once.
        self._worst: Rank | None = None
        # By test input and grid, so that ranking looks at a grid once.
        self._broken: dict[tuple[int, Grid], tuple[str, ...]] = {}
        self.fits = False
        """Whether some candidate gives the output of every demo; such a one is never given up."""
        self.version = 0

    def __len__(self) -> int:
        return len(self._kept)

    def is_wanted(self, candidate: Candidate) -> bool:
        """Whether a candidate would be kept: it gives a grid, is new, and better than the worst."""
        if candidate.trial.task != self.task:
            raise ValueError(f"a candidate for {candidate.trial.task.id}, not {self.task.id}")
        return (
            candidate.program not in self._kept
            and (self._worst is None or candidate.rank < self._worst)
            and any(grid is not None for grid in candidate.trial.outputs)
        )

    def keep(self, candidate: Candidate) -> Candidate | None:
        """Keep a candidate that is wanted; return the one that had to go for it, if one had."""
        self._kept[candidate.program] = candidate
        gone = None
        if len(self._kept) > MAX_KEPT:
            gone = max(self._kept.values(), key=lambda each: each.rank)
            del self._kept[gone.program]
            for test, grid in enumerate(gone.trial.outputs):
                if grid is not None:
                    self._broken.pop((test, grid), None)
        if len(self._kept) == MAX_KEPT:
            self._worst = max(each.rank for each in self._kept.values())
        self.fits |= candidate.fits
        self.version += 1
        return gone

    @property
    def kept(self) -> list[Candidate]:
        """The candidates, the best first."""
        return sorted(self._kept.values(), key=lambda each: each.rank)

    @cached_property
    def _properties(self) -> SharedProperties:
        return SharedProperties(self.task)

    def broken(self, test: int, grid: Grid) -> tuple[str, ...]:
        """Return the properties that all demos share and a grid for a test input lacks."""
        found = self._broken.get((test, grid))
        if found is None:
            found = self._broken[test, grid] = self._properties.broken(test, grid)
        return found

    @property
    def n_agreeing(self) -> int:
        """The most candidates that fit all demos and give the same grid for each test input."""
        counts: dict[Sequence[Grid | None], int] = {}
        for candidate in self._kept.values():
            outputs = candidate.trial.outputs
            if candidate.fits and None not in outputs:
                counts[outputs] = counts.get(outputs, 0) + 1
        return max(counts.values(), default=0)
