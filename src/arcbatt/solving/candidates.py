"""The candidates of a task: the `MAX_KEPT` best proposals, so that memory is bounded.

A candidate may fit only some demos, or none, as long as it gives a grid: ranking decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from arcbatt.evaluation import Trial
from arcbatt.language import Program, ProgramError
from arcbatt.pool import PoolProgram, PoolTrial
from arcbatt.pool.row_reader import read_program
from arcbatt.proposers import Candidate, Proposal
from arcbatt.tasks import Grid, Task

from .properties import Oddities, SharedProperties

MAX_KEPT = 96
# Outputs of a task are much alike: with equal rows shared they take a sixth of the memory.
MAX_SHARED_ROWS = 8 * MAX_KEPT

Rank = tuple[object, ...]


class TaskCandidates:
    """The candidates of one task; `version` changes with them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._kept: dict[Program, Candidate] = {}
        # The rank of the worst once the limit is reached: it refuses most later candidates at once.
        self._worst: Rank | None = None
        # Cached by test input and grid.
        self._oddities: dict[tuple[int, Grid], Oddities] = {}
        self._rows: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.fits = False
        """Whether some candidate fits all demos; such a candidate is never evicted."""
        self.version = 0

    def __len__(self) -> int:
        return len(self._kept)

    def is_wanted(self, candidate: Candidate) -> bool:
        """Return whether a candidate is new, gives a grid, and is better than the worst."""
        if candidate.trial.task != self.task:
            raise ValueError(f"a candidate for {candidate.trial.task.id}, not {self.task.id}")
        return (
            candidate.program not in self._kept
            and (self._worst is None or candidate.rank < self._worst)
            and any(grid is not None for grid in candidate.trial.outputs)
        )

    def keep(self, candidate: Candidate) -> Candidate | None:
        """Keep a wanted candidate; return the one that was evicted, if any."""
        self._kept[candidate.program] = self._with_shared_rows(candidate)
        evicted = None
        if len(self._kept) > MAX_KEPT:
            evicted = max(self._kept.values(), key=lambda each: each.rank)
            del self._kept[evicted.program]
            for test, grid in enumerate(evicted.trial.outputs):
                if grid is not None:
                    self._oddities.pop((test, grid), None)
        if len(self._kept) == MAX_KEPT:
            self._worst = max(each.rank for each in self._kept.values())
        self.fits |= candidate.fits
        self.version += 1
        return evicted

    def _with_shared_rows(self, candidate: Candidate) -> Candidate:
        """Return a candidate whose outputs consist of the row objects of earlier ones."""
        if len(self._rows) > MAX_SHARED_ROWS:
            self._rows.clear()  # some are of evicted candidates
        share = self._rows.setdefault
        outputs = tuple(
            None if grid is None else tuple([share(row, row) for row in grid])
            for grid in candidate.trial.outputs
        )
        return replace(candidate, trial=replace(candidate.trial, outputs=outputs))

    @property
    def kept(self) -> list[Candidate]:
        """The candidates, the best first."""
        return sorted(self._kept.values(), key=lambda each: each.rank)

    @cached_property
    def _properties(self) -> SharedProperties:
        return SharedProperties(self.task)

    def oddities(self, test: int, grid: Grid) -> Oddities:
        """Return how a test output differs from what all demos show."""
        if (test, grid) not in self._oddities:
            self._oddities[test, grid] = self._properties.oddities(test, grid)
        return self._oddities[test, grid]

    @property
    def n_agreeing(self) -> int:
        """The size of the largest group of fitting candidates with the same test outputs."""
        counts: dict[Sequence[Grid | None], int] = {}
        for candidate in self._kept.values():
            outputs = candidate.trial.outputs
            if candidate.fits and None not in outputs:
                counts[outputs] = counts.get(outputs, 0) + 1
        return max(counts.values(), default=0)


def is_storable(program: Program) -> bool:
    """Return whether a program's text can be parsed again, as it cannot if it is too large."""
    try:
        PoolProgram.of(program, "")
    except ProgramError:
        return False
    return True


def candidate_to_row(candidate: Candidate) -> PoolTrial:
    """Return a candidate as the pool stores it."""
    proposal = candidate.proposal
    return candidate.trial.to_row(
        proposer=candidate.proposer,
        family=proposal.family,
        bits=proposal.bits,
        found_s=candidate.found_s,
    )


def candidate_from_row(row: PoolTrial, task: Task, trust: float) -> Candidate | None:
    """Return the candidate of a pool's row; None if its program cannot be read."""
    try:
        program = read_program(row.program, row.name, row.text)
        trial = Trial.from_row(row, task, program)
    except (ProgramError, ValueError):
        return None
    proposal = Proposal(program, task, row.family, row.bits)
    return Candidate(proposal, trial, row.proposer, trust, row.found_s)
