"""Which programs are kept as parents, and which are drawn: quality and diversity, task by task.

Every task is a niche of its own. It keeps a few programs that are nearly right on it, the best by
partial credit, no two of one behaviour (the value on the first demo), and of one behaviour the
cheapest. Once one fits it keeps the cheapest solver, and what was nearly right goes. So no
program has to be good on all tasks, and none drives out the specialists of another task.

Drawing: a part of the parents are solvers, any of them with equal chance, for what they may solve
beside. The others come from tasks that nothing fits: a task with a weight of its best credit to
the power of `CREDIT_POWER`, halved each time that `DRAWS_TO_HALVE` draws of it have brought nothing
better; then one of its programs, each twice as likely as the next best.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Literal, NamedTuple

import numpy as np

from arcbatt.evaluation import FULL_CREDIT, Worth
from arcbatt.language import Program

SOLVER_SHARE = 0.5
CREDIT_POWER = 3
DRAWS_TO_HALVE = 270
DEFAULT_PER_TASK = 6

Verdict = Literal["fits", "cheaper", "improved", "kept", "refused"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A program with what it is worth on one task: full credit if it fits it."""

    program: Program
    steps: int
    worth: Worth

    @property
    def credit(self) -> int:
        return self.worth.credit

    @property
    def rank(self) -> tuple[int, int, bytes]:
        """Least for the best: by credit, then cost, then, so that runs repeat, identity."""
        return (-self.worth.credit, self.steps, self.program.result.digest)


@dataclass(slots=True)
class _Niche:
    """What one task keeps."""

    nearly_right: list[Entry] = field(default_factory=list)  # the best first
    solver: Entry | None = None
    former: list[Entry] = field(default_factory=list)  # solvers that cheaper ones replaced
    n_draws: int = 0  # since it last improved

    @property
    def best_credit(self) -> int:
        if self.solver is not None:
            return FULL_CREDIT
        return self.nearly_right[0].credit if self.nearly_right else 0

    def find(self, behaviour: int) -> Entry | None:
        """Return what is kept with this behaviour."""
        return next((c for c in self.nearly_right if c.worth.behaviour == behaviour), None)

    @property
    def weight(self) -> float:
        if self.solver is not None or not self.nearly_right:
            return 0.0
        promise = (self.best_credit / FULL_CREDIT) ** CREDIT_POWER
        return float(promise * 0.5 ** (self.n_draws / DRAWS_TO_HALVE))


class Draws(NamedTuple):
    """Programs to mutate, each once; and of each draw which it is, and the task it is meant for.

    A draw that is meant for whichever task has none.
    """

    programs: Sequence[Program]
    chosen: Sequence[int]
    tasks: Sequence[int | None]


class Archive:
    """The niches of all tasks."""

    def __init__(self, n_tasks: int, per_task: int = DEFAULT_PER_TASK) -> None:
        if per_task < 1:
            raise ValueError("a task keeps at least one program")
        self.niches = [_Niche() for _ in range(n_tasks)]
        self.per_task = per_task

    @property
    def n_fitted(self) -> int:
        return sum(niche.solver is not None for niche in self.niches)

    @property
    def best_credit(self) -> int:
        """Return the highest credit on a task that nothing fits."""
        return max((n.best_credit for n in self.niches if n.solver is None), default=0)

    def solvers(self) -> list[Program]:
        """Return the solvers, each once, in order of task."""
        found = (niche.solver.program for niche in self.niches if niche.solver is not None)
        return list(dict.fromkeys(found))

    def programs(self) -> list[Program]:
        """Return all programs that are kept, each once."""
        nearly = (c.program for niche in self.niches for c in niche.nearly_right)
        return list(dict.fromkeys([*self.solvers(), *nearly]))

    def is_open(self, task: int) -> bool:
        """Whether nothing fits a task yet."""
        return self.niches[task].solver is None

    def worth_of(self, task: int, behaviour: int) -> Worth | None:
        """Return what that is worth which is kept with this behaviour."""
        kept = self.niches[task].find(behaviour)
        return None if kept is None else kept.worth

    def least_look(self, task: int) -> int:
        """Return the least that a first look must give: the middle of what a full task keeps."""
        kept = self.niches[task].nearly_right
        if len(kept) < self.per_task:
            return 0
        return sorted(entry.worth.look for entry in kept)[len(kept) // 2]

    def refuses(self, task: int, steps: int, worth: Worth) -> bool:
        """Whether an entry would be refused whatever its program is."""
        niche = self.niches[task]
        if worth.credit < FULL_CREDIT and (niche.solver is not None or worth.credit <= 0):
            return True
        rival = self._rival(niche, worth)
        return rival is not None and rival.rank[:2] < (-worth.credit, steps)

    def offer(self, task: int, entry: Entry) -> Verdict:
        """Keep an entry if its task has use for it; say which.

        "improved" is better than all that the task has kept; "cheaper" a solver for a task that
        has one.
        """
        niche = self.niches[task]
        rival = self._rival(niche, entry.worth)
        is_beaten = rival is not None and rival.rank <= entry.rank
        if is_beaten or self.refuses(task, entry.steps, entry.worth):
            return "refused"
        if entry.credit >= FULL_CREDIT:
            return self._take_solver(niche, entry)
        before = niche.best_credit
        if rival is not None:
            niche.nearly_right.remove(rival)
        niche.nearly_right.append(entry)
        niche.nearly_right.sort(key=lambda c: c.rank)
        if entry.credit > before:
            niche.n_draws = 0
            return "improved"
        return "kept"

    def _rival(self, niche: _Niche, worth: Worth) -> Entry | None:
        """Return the entry that another one must surpass to take its place, if it must any."""
        if worth.credit >= FULL_CREDIT:
            return niche.solver
        same = niche.find(worth.behaviour)
        if same is None and len(niche.nearly_right) == self.per_task:
            return niche.nearly_right[-1]
        return same

    def withdraw(self, task: int, entry: Entry) -> None:
        """Forget an entry that turned out to be none; the solver that it replaced is back."""
        niche = self.niches[task]
        niche.former = [kept for kept in niche.former if kept is not entry]
        if niche.solver is entry:
            niche.solver = niche.former.pop() if niche.former else None
        niche.nearly_right = [kept for kept in niche.nearly_right if kept is not entry]

    def _take_solver(self, niche: _Niche, entry: Entry) -> Verdict:
        if niche.solver is None:
            niche.solver = entry
            niche.nearly_right.clear()
            return "fits"
        niche.former.append(niche.solver)
        niche.solver = entry
        return "cheaper"

    def draw(self, n: int, rng: random.Random) -> Draws:
        """Draw parents, with repetition; none where nothing is kept."""
        programs = self.solvers()
        n_solvers = len(programs)
        weights = np.array([niche.weight for niche in self.niches])
        tasks = np.flatnonzero(weights)
        if not n_solvers and not tasks.size:
            return Draws(programs, [], [])
        # The same numbers come of a seed with every version of numpy.
        source = np.random.RandomState(rng.getrandbits(32))
        which, whose, how_far = source.random_sample((3, n))
        share = SOLVER_SHARE if n_solvers and tasks.size else float(n_solvers > 0)
        chosen = (whose * n_solvers).astype(np.intp)
        meant_for: list[int | None] = [None] * n
        drawn = np.flatnonzero(which >= share)
        if not drawn.size:
            return Draws(programs, chosen.tolist(), meant_for)
        bounds = np.cumsum(weights[tasks])
        at = np.searchsorted(bounds, whose[drawn] * bounds[-1], side="right")
        of_draws = tasks[np.minimum(at, len(tasks) - 1)]
        # How many of its best are passed over, each with a chance of a third.
        passed = np.floor(np.log1p(-how_far[drawn]) / -log(3)).astype(np.intp)
        sizes = np.array([len(niche.nearly_right) for niche in self.niches])
        entries = [entry for niche in self.niches for entry in niche.nearly_right]
        places = (np.cumsum(sizes) - sizes)[of_draws] + np.minimum(passed, sizes[of_draws] - 1)
        # Programs stand in the order in which they are drawn first.
        distinct, firsts, which_distinct = np.unique(places, return_index=True, return_inverse=True)
        numbers = {program.result: k for k, program in enumerate(programs)}
        number_of = np.empty(len(distinct), np.intp)
        for k in np.argsort(firsts).tolist():
            program = entries[distinct[k]].program
            number_of[k] = numbers.setdefault(program.result, len(programs))
            if number_of[k] == len(programs):
                programs.append(program)
        chosen[drawn] = number_of[which_distinct]
        for k, task in zip(drawn.tolist(), of_draws.tolist(), strict=True):
            meant_for[k] = task
        for task, n_draws in enumerate(np.bincount(of_draws).tolist()):
            self.niches[task].n_draws += n_draws
        return Draws(programs, chosen.tolist(), meant_for)
