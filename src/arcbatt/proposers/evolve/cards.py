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
from typing import Any, Protocol, TypeVar

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import FULL_CREDIT
from arcbatt.language import Node, Program, all_primitives
from arcbatt.language.ir import walk
from arcbatt.language.registry import get_primitive
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
# Calls of function values belong to no family of primitives.
INVOKE = "invoke"


@dataclass(frozen=True, slots=True)
class Sharing:
    """The number of calls in separate programs (`before`) and in the batt (`after`)."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class CardStatistics:
    """How much a batt shares: in total, by level and by family; and its mutants by kind.

    The level of a call is one more than the highest level of the calls that it needs.
    """

    total: Sharing
    by_level: tuple[Sharing, ...]
    by_family: tuple[Sharing, ...]
    by_mutation: tuple[tuple[str, int], ...]

    def to_json(self) -> dict[str, Any]:
        def shared(rows: Iterable[Sharing]) -> dict[str, dict[str, int]]:
            return {row.name: {"before": row.before, "after": row.after} for row in rows}

        return {
            "calls_before": self.total.before,
            "calls": self.total.after,
            "by_level": shared(self.by_level),
            "by_family": shared(self.by_family),
            "by_mutation": dict(self.by_mutation),
        }


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

    def statistics(self) -> CardStatistics:
        """Return the numbers of calls before and after sharing."""
        levels: dict[Node, int] = {}
        for node in walk(*[program.result for program in self.programs]):
            below = max((levels[arg] for arg in node.args), default=0)
            levels[node] = below + 1 if node.args else 0
        after = [node for node in levels if node.args]
        before = [node for program in self.programs for node in program.nodes() if node.args]
        families = dict.fromkeys([p.family for p in all_primitives().values()] + [INVOKE])
        kinds = [mutant.kind for mutant in self.mutants]
        return CardStatistics(
            total=Sharing("all", len(before), len(after)),
            by_level=_share(
                [levels[node] for node in before],
                [levels[node] for node in after],
                range(1, max(levels.values(), default=0) + 1),
            ),
            by_family=_share(map(_family, before), map(_family, after), families),
            by_mutation=tuple((kind, kinds.count(kind)) for kind in Mutator.kinds if kind in kinds),
        )


def _family(node: Node) -> str:
    return get_primitive(node.name).family if node.kind == "call" else INVOKE


def _share(
    before: Iterable[object], after: Iterable[object], names: Iterable[object]
) -> tuple[Sharing, ...]:
    """Return a row for each name that occurs, in the order of `names`."""
    all_before, all_after = list(before), list(after)
    rows = (Sharing(str(name), all_before.count(name), all_after.count(name)) for name in names)
    return tuple(row for row in rows if row.before)


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
