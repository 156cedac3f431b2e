"""Which programs are kept as parents, and which are drawn: quality and diversity, task by task.

Every task is a niche of its own. It keeps a few programs that are nearly right on it, the best by
partial credit, no two of one behaviour (the value on the first demo), and of one behaviour the
cheapest. Once it is solved it keeps the cheapest solver, and what was nearly right goes. So no
program has to be good on all tasks, and none drives out the specialists of another task.

Drawing: a part of the parents are solvers, any of them with equal chance, for what they may solve
beside. The others come from tasks that are not solved: a task with a weight of its best credit to
the power of `CREDIT_POWER`, halved each time that `DRAWS_TO_HALVE` draws of it have brought nothing
better; then one of its programs, each twice as likely as the next best.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from arcbatt.language import Program

SOLVER_SHARE = 0.5
CREDIT_POWER = 3
DRAWS_TO_HALVE = 200
DEFAULT_PER_TASK = 6
FULL_CREDIT = 1000

Offer = Literal["solved", "cheaper", "improved", "kept", "refused"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program with what it is worth on one task: credit 0 to 1000, the latter if it solves it.

    `look` is the score of the differ that takes the first look, 0 to 1000 too.
    """

    program: Program
    credit: int
    steps: int
    behaviour: int
    look: int = 0

    @property
    def rank(self) -> tuple[int, int, bytes]:
        """Least for the best: by credit, then cost, then, so that runs repeat, identity."""
        return (-self.credit, self.steps, self.program.result.digest)


@dataclass(slots=True)
class Niche:
    """What one task keeps."""

    nearly_right: list[Candidate] = field(default_factory=list)  # the best first
    solver: Candidate | None = None
    n_draws: int = 0  # since it last improved

    @property
    def best_credit(self) -> int:
        if self.solver is not None:
            return FULL_CREDIT
        return self.nearly_right[0].credit if self.nearly_right else 0

    def find(self, behaviour: int) -> Candidate | None:
        """What is kept with this behaviour."""
        return next((c for c in self.nearly_right if c.behaviour == behaviour), None)

    @property
    def weight(self) -> float:
        if self.solver is not None or not self.nearly_right:
            return 0.0
        promise = (self.best_credit / FULL_CREDIT) ** CREDIT_POWER
        return float(promise * 0.5 ** (self.n_draws / DRAWS_TO_HALVE))


@dataclass(frozen=True, slots=True)
class Parent:
    """A program to mutate, and the task it is meant for; None: whichever."""

    program: Program
    task: int | None


class Archive:
    """The niches of all tasks."""

    def __init__(self, n_tasks: int, per_task: int = DEFAULT_PER_TASK) -> None:
        if per_task < 1:
            raise ValueError("a task keeps at least one program")
        self.niches = [Niche() for _ in range(n_tasks)]
        self.per_task = per_task

    @property
    def n_solved(self) -> int:
        return sum(niche.solver is not None for niche in self.niches)

    @property
    def best_partial(self) -> int:
        """The highest credit on a task that is not solved."""
        return max((n.best_credit for n in self.niches if n.solver is None), default=0)

    def solvers(self) -> list[Program]:
        """The solvers, each once, in order of task."""
        found = (niche.solver.program for niche in self.niches if niche.solver is not None)
        return list(dict.fromkeys(found))

    def programs(self) -> list[Program]:
        """All programs that are kept, each once."""
        nearly = (c.program for niche in self.niches for c in niche.nearly_right)
        return list(dict.fromkeys([*self.solvers(), *nearly]))

    def least_look(self, task: int) -> int:
        """The least that a first look must give: the middle one of what a full task keeps."""
        kept = self.niches[task].nearly_right
        if len(kept) < self.per_task:
            return 0
        return sorted(candidate.look for candidate in kept)[len(kept) // 2]

    def offer(self, task: int, candidate: Candidate) -> Offer:
        """Keeps a candidate if its task has use for it; says which.

        "improved" is better than all that the task has kept; "cheaper" a solver for a solved task.
        """
        niche = self.niches[task]
        if candidate.credit >= FULL_CREDIT:
            return self._offer_solver(niche, candidate)
        if niche.solver is not None or candidate.credit <= 0:
            return "refused"
        before = niche.best_credit
        same = niche.find(candidate.behaviour)
        if same is not None:
            if same.rank <= candidate.rank:
                return "refused"
            niche.nearly_right.remove(same)
        elif len(niche.nearly_right) == self.per_task:
            if niche.nearly_right[-1].rank <= candidate.rank:
                return "refused"
            niche.nearly_right.pop()
        niche.nearly_right.append(candidate)
        niche.nearly_right.sort(key=lambda c: c.rank)
        if candidate.credit > before:
            niche.n_draws = 0
            return "improved"
        return "kept"

    def withdraw(self, task: int, candidate: Candidate) -> None:
        """Forgets a candidate that turned out to be none, if the task still keeps it."""
        niche = self.niches[task]
        if niche.solver is candidate:
            niche.solver = None
        niche.nearly_right = [kept for kept in niche.nearly_right if kept is not candidate]

    def _offer_solver(self, niche: Niche, candidate: Candidate) -> Offer:
        if niche.solver is None:
            niche.solver = candidate
            niche.nearly_right.clear()
            return "solved"
        if candidate.rank < niche.solver.rank:
            niche.solver = candidate
            return "cheaper"
        return "refused"

    def draw(self, n: int, rng: random.Random) -> list[Parent]:
        """Parents, with repetition; none where nothing is kept."""
        solvers = self.solvers()
        tasks, bounds = _cumulated(niche.weight for niche in self.niches)
        parents: list[Parent] = []
        if not solvers and not tasks:
            return parents
        while len(parents) < n:
            if solvers and (not tasks or rng.random() < SOLVER_SHARE):
                parents.append(Parent(rng.choice(solvers), None))
                continue
            task = tasks[min(bisect(bounds, rng.random() * bounds[-1]), len(tasks) - 1)]
            niche = self.niches[task]
            niche.n_draws += 1
            place = 0
            while place + 1 < len(niche.nearly_right) and rng.random() < 1 / 3:
                place += 1
            parents.append(Parent(niche.nearly_right[place].program, task))
        return parents


def _cumulated(weights: Iterable[float]) -> tuple[list[int], list[float]]:
    """The places with a weight, and the sums of weights up to each."""
    places = [(k, weight) for k, weight in enumerate(weights) if weight > 0]
    return [k for k, _ in places], list(accumulate(weight for _, weight in places))
