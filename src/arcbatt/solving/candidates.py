"""The candidates of a task: the `MAX_KEPT` best proposals, so that memory is bounded.

A candidate may fit only some demos, or none, as long as it gives a grid: ranking decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from arcbatt.evaluation import Trial
from arcbatt.language import Program, ProgramError
from arcbatt.pool import PoolProgram, PoolTrial
from arcbatt.pool.row_reader import read_program
from arcbatt.proposers import Candidate, Proposal
from arcbatt.tasks import Grid, Task

from .properties import Oddities, SharedProperties

if TYPE_CHECKING:
    from .ranking import Attempt, WeighedCandidate

MAX_KEPT = 96
# Outputs of a task are much alike: with equal rows shared they take a sixth of the memory.
MAX_SHARED_ROWS = 8 * MAX_KEPT

Rank = tuple[object, ...]


@dataclass(eq=False, slots=True)
class OfferedGrid:
    """A grid that candidates give for a test input."""

    grid: Grid
    oddities: Oddities | None = None
    candidates: list[KeptCandidate] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class KeptCandidate:
    """A candidate and the grids that it gives, one per test input.

    `weighed` caches its weight by the bits per count.
    """

    candidate: Candidate
    answer: tuple[OfferedGrid | None, ...]
    weighed: dict[tuple[float, ...], WeighedCandidate] = field(default_factory=dict)


class TaskCandidates:
    """The candidates of one task; `version` changes with them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._kept: dict[Program, KeptCandidate] = {}
        # By test input: the grids that kept candidates give.
        self._offered: tuple[dict[Grid, OfferedGrid], ...] = tuple({} for _ in task.test_inputs)
        # By the bits per count: the grids whose candidates are the same as when they were ranked.
        self._attempts: dict[tuple[float, ...], dict[OfferedGrid, Attempt]] = {}
        # The rank of the worst once the limit is reached: it refuses most later candidates at once.
        self._worst: Rank | None = None
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
        self._add(candidate)
        evicted = None
        if len(self._kept) > MAX_KEPT:
            evicted = max(self._candidates(), key=lambda each: each.rank)
            self._remove(evicted)
        if len(self._kept) == MAX_KEPT:
            self._worst = max(each.rank for each in self._candidates())
        self.fits |= candidate.fits
        self.version += 1
        return evicted

    def _candidates(self) -> Iterator[Candidate]:
        return (each.candidate for each in self._kept.values())

    def _add(self, candidate: Candidate) -> None:
        answer = tuple(
            None if grid is None else self._offer(test, grid)
            for test, grid in enumerate(candidate.trial.outputs)
        )
        # Equal outputs of candidates are one object.
        outputs = tuple(None if offered is None else offered.grid for offered in answer)
        candidate = replace(candidate, trial=replace(candidate.trial, outputs=outputs))
        kept = self._kept[candidate.program] = KeptCandidate(candidate, answer)
        for offered in answer:
            if offered is not None:
                offered.candidates.append(kept)
                self._forget_attempts(offered)

    def _remove(self, candidate: Candidate) -> None:
        kept = self._kept.pop(candidate.program)
        for test, offered in enumerate(kept.answer):
            if offered is not None:
                offered.candidates.remove(kept)
                self._forget_attempts(offered)
                if not offered.candidates:
                    del self._offered[test][offered.grid]

    def _forget_attempts(self, offered: OfferedGrid) -> None:
        for attempts in self._attempts.values():
            attempts.pop(offered, None)

    def _offer(self, test: int, grid: Grid) -> OfferedGrid:
        offered = self._offered[test].get(grid)
        if offered is None:
            if len(self._rows) > MAX_SHARED_ROWS:
                self._rows.clear()  # some are of evicted candidates
            share = self._rows.setdefault
            grid = tuple([share(row, row) for row in grid])
            offered = self._offered[test][grid] = OfferedGrid(grid)
        return offered

    @property
    def kept(self) -> list[Candidate]:
        """The candidates, the best first."""
        return sorted(self._candidates(), key=lambda each: each.rank)

    @cached_property
    def _properties(self) -> SharedProperties:
        return SharedProperties(self.task)

    def offered(self, test: int) -> list[OfferedGrid]:
        """Return the grids for a test input, in no particular order."""
        return list(self._offered[test].values())

    def attempts(self, per_count: tuple[float, ...]) -> dict[OfferedGrid, Attempt]:
        """Return a cache for attempts: grids leave it when their candidates change."""
        return self._attempts.setdefault(per_count, {})

    def complete(self) -> list[KeptCandidate]:
        """Return the candidates that give a grid for every test input, in no particular order."""
        return [each for each in self._kept.values() if None not in each.answer]

    def oddities(self, test: int, grid: Grid) -> Oddities:
        """Return how a test output of a candidate differs from what all demos show."""
        offered = self._offered[test][grid]
        if offered.oddities is None:
            offered.oddities = self._properties.oddities(test, grid)
        return offered.oddities

    @property
    def n_agreeing(self) -> int:
        """The size of the largest group of fitting candidates with the same test outputs."""
        counts: dict[Sequence[Grid | None], int] = {}
        for candidate in self._candidates():
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
