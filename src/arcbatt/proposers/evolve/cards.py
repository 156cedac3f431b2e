"""Cards: parents in, one deal of new programs out, fused into a batt.

A card is reproducible: the same parents, weights and seed give the same card, in every process.
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
from arcbatt.pool import Pool, Scored

from .mutation import Mutant, Mutator

T = TypeVar("T")

DEFAULT_SIZE = 32
# So many draws for each program that a card wants; then it stays smaller.
DRAWS_A_PROGRAM = 25
# One that gives a program that was met before is followed by another, up to so many.
MUTATIONS_IN_A_ROW = 4
# Of a pool, so many of the best on each task are parents.
PARENTS_A_TASK = 8
# The calls of function values are of no family.
INVOKE = "invoke"


@dataclass(frozen=True, slots=True)
class Sharing:
    """Calls of a card's programs one by one, and those that are left of them in the batt."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class CardStatistics:
    """How much a batt shares: in all, by level, by family of primitives; mutants by kind.

    The level of a call is one more than the highest of the calls that it needs.
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
    """One deal: its seed, the parents that were drawn (each once), and their mutants."""

    seed: int
    parents: tuple[Program, ...]
    mutants: tuple[Mutant, ...]

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The mutants' programs: what the batt runs."""
        return tuple(mutant.program for mutant in self.mutants)

    @cached_property
    def batt(self) -> Batt:
        """The programs fused, when first asked for."""
        with phase("fuse"):
            return Batt(self.programs)

    @property
    def text(self) -> str:
        """The batt as straight-line text: each call once, then the programs' results."""
        return format_batt(self.programs)

    def statistics(self) -> CardStatistics:
        """Count the calls before and after sharing."""
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
    """A row for each name that occurs, in their order."""
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
    """Deal a card of so many new programs; of fewer if the parents have no more to give.

    For each a parent is drawn, with a chance in proportion to its weight (all alike without
    weights), and mutated; all parents give parts. A mutant is left out if it is a parent or another
    mutant of the card.
    """
    if size < 1:
        raise ValueError(f"a card has at least one program, not {size}")
    bounds = _bounds(parents, weights)
    rng = random.Random(seed)
    mutator = Mutator(parents, rng)
    met = {parent.result.digest for parent in parents}

    def draws() -> Iterator[tuple[Program, None]]:
        for _ in range(DRAWS_A_PROGRAM * size):
            yield parents[min(bisect(bounds, rng.random() * bounds[-1]), len(parents) - 1)], None

    mutants = [mutant for mutant, _ in islice(new_mutants(mutator, draws(), met), size)]
    drawn = dict.fromkeys(mutant.parents[0] for mutant in mutants)
    return Card(seed, tuple(drawn), tuple(mutants))


class _Met(Container[bytes], Protocol):
    """Digests of programs that were met."""

    def add(self, digest: bytes) -> None:
        """Add one."""


def new_mutants(
    mutator: Mutator, parents: Iterable[tuple[Program, T]], met: _Met
) -> Iterator[tuple[Mutant, T]]:
    """Mutate one parent after the other; what has been met before is left out.

    A mutant that is left out is itself mutated, a few times: a parent of few calls has soon given
    all that one mutation makes of it. Parents come with anything that belongs to them, which comes
    out with their mutants. The digests of the mutants are added to `met`.
    """
    for parent, belonging in parents:
        program = parent
        for _ in range(MUTATIONS_IN_A_ROW):
            mutant = mutator.mutate(program)
            if mutant is None:
                break
            digest = mutant.program.result.digest
            if digest not in met:
                met.add(digest)
                made_from = (parent, *mutant.parents[1:])
                yield Mutant(mutant.program, mutant.kind, made_from), belonging
                break
            program = mutant.program


def _bounds(parents: Sequence[Program], weights: Sequence[float] | None) -> list[float]:
    """The sums of weights up to each parent."""
    if not parents:
        raise ValueError("a card needs parents")
    if weights is None:
        weights = [1.0] * len(parents)
    if len(weights) != len(parents) or min(weights) < 0 or sum(weights) <= 0:
        raise ValueError("every parent needs a weight of 0 or more, and some must be above 0")
    return list(accumulate(weights))


def _weight_of(row: Scored) -> float:
    """A parent's weight by what it reached on a task: the square of its merit, 0 to 1.

    The merit is the part of the demos that it fits or its credit, whichever is more; so one that
    fits a task is drawn four times as often as one that is half right.
    """
    return float(max(row.n_fitted / row.n_demos, row.credit / FULL_CREDIT) ** 2)


def pool_parents(pool: Pool) -> tuple[list[Program], list[float]]:
    """The parents of a pool and their weights: the best programs of every task.

    One that is good at several tasks has the weight of the best. In a pool without scores all
    solvers are parents, and alike.
    """
    rows = pool.parents(per_task=PARENTS_A_TASK)
    if not rows:
        solvers = list(pool.solvers())
        return solvers, [1.0] * len(solvers)
    weights: dict[bytes, float] = {}
    programs: dict[bytes, Program] = {}
    for row, program in pool.readable(rows):
        weights[row.program] = max(weights.get(row.program, 0.0), _weight_of(row))
        programs[row.program] = program
    return list(programs.values()), list(weights.values())
