"""Cards: mutants of parents, fused into a batt.

The same parents, weights and seed give the same card in every process.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import Protocol, TypeVar

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import FULL_CREDIT
from arcbatt.language import Program
from arcbatt.language.text import format_batt
from arcbatt.measure import phase
from arcbatt.pool import Pool, PoolTrial

from .mutation import Mutant, Mutator

T = TypeVar("T")

DEFAULT_SIZE = 32
# A card stays smaller if this many draws per program do not fill it.
DRAWS_PER_PROGRAM = 25
# A mutant that was seen before is mutated again, up to this many times in all.
MUTATIONS_IN_A_ROW = 4
# The number of a pool's best programs per task that become parents.
PARENTS_PER_TASK = 8


@dataclass(frozen=True)
class Card:
    """One deal: its seed, the distinct parents that were drawn, and their mutants."""

    seed: int
    parents: tuple[Program, ...]
    mutants: tuple[Mutant, ...]

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The mutants' programs."""
        return tuple(mutant.program for mutant in self.mutants)

    @cached_property
    def batt(self) -> Batt:
        """The fused programs."""
        with phase("fuse"):
            return Batt(self.programs)

    @property
    def text(self) -> str:
        """The batt as straight-line text: each call once, then the results."""
        return format_batt(self.programs)


@phase("deal")
def deal(
    parents: Sequence[Program],
    size: int = DEFAULT_SIZE,
    seed: int = 0,
    *,
    weights: Sequence[float] | None = None,
) -> Card:
    """Return a card of `size` distinct new programs, or fewer if the parents yield no more.

    Parents are drawn in proportion to their weights (by default evenly) and mutated; all parents
    are donors. Mutants that equal a parent are left out.
    """
    if size < 1:
        raise ValueError(f"a card has at least one program, not {size}")
    bounds = _bounds(parents, weights)
    rng = random.Random(seed)
    mutator = Mutator(parents, rng)
    seen = {parent.result.digest for parent in parents}

    def draws() -> Iterator[tuple[Program, None]]:
        for _ in range(DRAWS_PER_PROGRAM * size):
            yield parents[min(bisect(bounds, rng.random() * bounds[-1]), len(parents) - 1)], None

    mutants = [mutant for mutant, _ in islice(new_mutants(mutator, draws(), seen), size)]
    drawn = dict.fromkeys(mutant.parents[0] for mutant in mutants)
    return Card(seed, tuple(drawn), tuple(mutants))


class _Seen(Container[bytes], Protocol):
    """Digests of programs that were seen."""

    def add(self, digest: bytes) -> None:
        """Add a digest."""


def new_mutants(
    mutator: Mutator, parents: Iterable[tuple[Program, T]], seen: _Seen
) -> Iterator[tuple[Mutant, T]]:
    """Yield a new mutant of each parent, and add its digest to `seen`.

    A mutant that was seen before is itself mutated, a few times: a parent of few calls has soon
    yielded all mutants that are one step away. Each parent comes with a value that is yielded with
    its mutant.
    """
    for parent, value in parents:
        program = parent
        for _ in range(MUTATIONS_IN_A_ROW):
            mutant = mutator.mutate(program)
            if mutant is None:
                break
            digest = mutant.program.result.digest
            if digest not in seen:
                seen.add(digest)
                made_from = (parent, *mutant.parents[1:])
                yield Mutant(mutant.program, mutant.kind, made_from), value
                break
            program = mutant.program


def _bounds(parents: Sequence[Program], weights: Sequence[float] | None) -> list[float]:
    """Return the cumulative weights of parents."""
    if not parents:
        raise ValueError("a card needs parents")
    if weights is None:
        weights = [1.0] * len(parents)
    if len(weights) != len(parents) or min(weights) < 0 or sum(weights) <= 0:
        raise ValueError("every parent needs a weight of 0 or more, and one must be above 0")
    return list(accumulate(weights))


def _weight_of(trial: PoolTrial) -> float:
    """Return a parent's weight: the square of its credit or its share of fitted demos.

    So a program that fits a task is drawn four times as often as one that is half right.
    """
    return float(max(trial.n_fitted / trial.n_demos, trial.credit / FULL_CREDIT) ** 2)


def pool_parents(pool: Pool) -> tuple[list[Program], list[float]]:
    """Return a pool's best programs of every task, with their weights on their best task.

    In a pool without trials, all solvers are parents with the same weight.
    """
    trials = pool.parents(per_task=PARENTS_PER_TASK)
    if not trials:
        solvers = list(pool.solvers())
        return solvers, [1.0] * len(solvers)
    weights: dict[bytes, float] = {}
    programs: dict[bytes, Program] = {}
    for trial, program in pool.readable(trials):
        weights[trial.program] = max(weights.get(trial.program, 0.0), _weight_of(trial))
        programs[trial.program] = program
    return list(programs.values()), list(weights.values())
