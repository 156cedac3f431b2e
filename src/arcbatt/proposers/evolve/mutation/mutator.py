"""The mutator: well-typed programs that differ from their parents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from arcbatt.language import Node, Program
from arcbatt.language.infer import type_of

from .anatomy import anatomy_of
from .bandit import Rates
from .donors import Donors
from .kinds import KINDS, MutationContext
from .vocabulary import is_grid

MAX_CALLS = 60
# A kind that draws badly gets further chances.
_TRIES = 4


class Mutant(NamedTuple):
    """A program, the kind of mutation that made it, and what it was made from."""

    program: Program
    kind: str
    parents: tuple[Program, ...]


class Mutator:
    """Mutates programs. All chance comes from `rng`, so a seed gives the same mutants everywhere.

    `donors` are the solvers that give parts, or the other half of a crossover; `rates` says which
    kinds are drawn how often, and is shared with whoever records what became of the mutants.
    """

    kinds: tuple[str, ...] = tuple(KINDS)

    def __init__(
        self,
        donors: Sequence[Program],
        rng: random.Random,
        *,
        max_calls: int = MAX_CALLS,
        rates: Rates | None = None,
    ) -> None:
        if max_calls < 1:
            raise ValueError(f"a mutant has at least one call; max_calls is {max_calls}")
        if rates is not None and not set(rates.kinds) <= set(self.kinds):
            raise ValueError(f"the rates must be of the kinds {', '.join(self.kinds)}, or of some")
        self._context = MutationContext(
            rng, donors if isinstance(donors, Donors) else Donors(donors)
        )
        self.max_calls = max_calls
        self.rates = rates or Rates(self.kinds)

    def mutate(self, parent: Program) -> Mutant | None:
        """A mutant by a kind drawn from the rates; None if that kind found nothing to do.

        It is well typed, is no program that it was made from, has at most `max_calls` calls, and
        gives a grid, or a value of the very type that the parent gives.
        """
        return self.mutate_by(self.rates.draw(self._context.rng), parent)

    def mutate_by(self, kind: str, parent: Program) -> Mutant | None:
        """A mutant by one kind."""
        how = KINDS[kind]
        anatomy = anatomy_of(parent)
        if not how.spots(anatomy):
            return None
        for _ in range(_TRIES):
            draft = how.make(self._context, anatomy)
            if draft is not None and draft.result is not None:
                parents = (parent, *draft.mates)
                n_at_most = None if draft.may_grow else len(anatomy.calls)
                if self._is_wanted(draft.result, parents, n_at_most):
                    return Mutant(named(draft.result), kind, parents)
        return None

    def _is_wanted(self, result: Node, parents: tuple[Program, ...], n_at_most: int | None) -> bool:
        """Whether it is new, of a type that is wanted, and of few calls: so many, if known."""
        for parent in parents:
            if parent.result is result:
                return False
        given = type_of(result)
        if given is None or not (given is type_of(parents[0].result) or is_grid(given)):
            return False
        if not result.args:
            return False
        if n_at_most is not None and n_at_most <= self.max_calls:
            return True
        return _n_calls(result, self.max_calls) <= self.max_calls


def named(result: Node) -> Program:
    """Return a mutant's program, named by what it is."""
    return Program(result, mutant_name(result.digest))


def mutant_name(digest: bytes) -> str:
    """Return the name of a mutant by what it is."""
    return f"mutant_{digest.hex()[:8]}"


def _n_calls(result: Node, at_most: int) -> int:
    """How many calls there are, counted no further than one beyond a limit."""
    found: set[Node] = set()
    todo = [result]
    while todo and len(found) <= at_most:
        node = todo.pop()
        if node.args and node not in found:
            found.add(node)
            todo.extend(node.args)
    return len(found)
