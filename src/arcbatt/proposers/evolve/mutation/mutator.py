"""The mutator: makes well-typed programs that differ from their parents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from arcbatt.language import Node, Program
from arcbatt.language.infer import type_of

from .anatomy import anatomy_of
from .donors import Donors
from .kinds import KINDS, MutationContext
from .vocabulary import is_grid

MAX_CALLS = 60
# The number of draws of a kind before it gives up.
_TRIES = 4


class Mutant(NamedTuple):
    """A program, the kind of mutation that made it, and its parents."""

    program: Program
    kind: str
    parents: tuple[Program, ...]


class Mutator:
    """Mutates programs. All randomness comes from `rng`, so a seed gives the same mutants anywhere.

    `donors` are solvers whose parts are used, also for crossover.
    """

    kinds: tuple[str, ...] = tuple(KINDS)

    def __init__(
        self,
        donors: Sequence[Program],
        rng: random.Random,
        *,
        max_calls: int = MAX_CALLS,
    ) -> None:
        if max_calls < 1:
            raise ValueError(f"a mutant has at least one call; max_calls is {max_calls}")
        self._context = MutationContext(
            rng, donors if isinstance(donors, Donors) else Donors(donors)
        )
        self.max_calls = max_calls

    def mutate(self, parent: Program) -> Mutant | None:
        """Return a mutant by a kind that is drawn evenly; None if that kind found none.

        It is well typed, differs from its parents, has at most `max_calls` calls, and returns a
        grid or a value of the parent's type.
        """
        return self.mutate_by(self._context.draw(self.kinds), parent)

    def mutate_by(self, kind: str, parent: Program) -> Mutant | None:
        """Return a mutant by one kind; None if it found none."""
        how = KINDS[kind]
        anatomy = anatomy_of(parent)
        if not how.spots(anatomy):
            return None
        for _ in range(_TRIES):
            draft = how.make(self._context, anatomy)
            if draft is not None and draft.result is not None:
                parents = (parent, *draft.mates)
                max_calls = None if draft.may_grow else len(anatomy.calls)
                if self._is_valid(draft.result, parents, max_calls):
                    return Mutant(named(draft.result), kind, parents)
        return None

    def _is_valid(self, result: Node, parents: tuple[Program, ...], max_calls: int | None) -> bool:
        """Return whether a result is new, has the right type and not too many calls.

        `max_calls` is an upper bound of its calls, if known.
        """
        for parent in parents:
            if parent.result is result:
                return False
        given = type_of(result)
        if given is None or not (given is type_of(parents[0].result) or is_grid(given)):
            return False
        if not result.args:
            return False
        if max_calls is not None and max_calls <= self.max_calls:
            return True
        return _n_calls(result, self.max_calls) <= self.max_calls


def named(result: Node) -> Program:
    """Return a mutant's program, named after its digest."""
    return Program(result, mutant_name(result.digest))


def mutant_name(digest: bytes) -> str:
    """Return the name of the mutant with a digest."""
    return f"mutant_{digest.hex()[:8]}"


def _n_calls(result: Node, limit: int) -> int:
    """Return the number of calls of a result that is a call, or a number above the limit."""
    calls = {result}
    stack = [result]
    while stack and len(calls) <= limit:
        for arg in stack.pop().args:
            if arg.args and arg not in calls:
                calls.add(arg)
                stack.append(arg)
    return len(calls)
