"""The archive: which programs are kept as parents, and how parents are drawn.

Every task is a niche. It keeps a few programs that are nearly right on it: the best by credit, no
two with the same behavior (the value on the first demo), and of one behavior the cheapest. Once a
program fits, the niche keeps only the cheapest solver. So no program has to be good on all tasks,
and none displaces the specialists of another task.

Half of the parents (`SOLVER_SHARE`) are solvers, drawn evenly: they may solve other tasks too. The
others come from tasks that nothing fits. A task's weight is its best credit to the power of
`CREDIT_POWER`, halved after every `DRAWS_TO_HALVE` draws without an improvement; within a task,
each program is three times as likely as the next best.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Literal, NamedTuple

import numpy as np

from arcbatt.evaluation import FULL_CREDIT, Credit, Trial
from arcbatt.language import Program

SOLVER_SHARE = 0.5
CREDIT_POWER = 3
DRAWS_TO_HALVE = 270
DEFAULT_PER_TASK = 6

Verdict = Literal["fits", "cheaper", "improved", "kept", "refused"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A trial in the archive, with its behavior and the score of the differs' first look."""

    trial: Trial
    behavior: int
    first_look: int

    @property
    def program(self) -> Program:
        return self.trial.program

    @property
    def credit(self) -> Credit:
        return Credit(self.trial.credit, self.behavior, self.first_look)

    @property
    def rank(self) -> tuple[int, int, bytes]:
        """The sort key, least for the best: credit, cost, then identity, so that runs repeat."""
        return (-self.trial.credit, self.trial.steps, self.program.result.digest)


@dataclass(slots=True)
class _Niche:
    """The entries that one task keeps."""

    nearly_right: list[Entry] = field(default_factory=list)  # the best first
    solver: Entry | None = None
    n_draws: int = 0  # since the last improvement

    @property
    def entries(self) -> list[Entry]:
        """Its solver, if there is one, and the programs that are nearly right."""
        return [*([] if self.solver is None else [self.solver]), *self.nearly_right]

    @property
    def best_credit(self) -> int:
        if self.solver is not None:
            return FULL_CREDIT
        return self.nearly_right[0].trial.credit if self.nearly_right else 0

    def find(self, behavior: int) -> Entry | None:
        """Return the entry with this behavior."""
        return next((entry for entry in self.nearly_right if entry.behavior == behavior), None)

    @property
    def weight(self) -> float:
        if self.solver is not None or not self.nearly_right:
            return 0.0
        promise = (self.best_credit / FULL_CREDIT) ** CREDIT_POWER
        return float(promise * 0.5 ** (self.n_draws / DRAWS_TO_HALVE))


class Draws(NamedTuple):
    """Distinct programs to mutate, and for each draw the index of its program and its task.

    A draw that is not for a particular task has the task None.
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
        """The number of tasks with a solver."""
        return sum(niche.solver is not None for niche in self.niches)

    @property
    def best_credit(self) -> int:
        """The highest credit on a task that nothing fits."""
        return max((n.best_credit for n in self.niches if n.solver is None), default=0)

    def solvers(self) -> list[Program]:
        """Return the distinct solvers, in the order of tasks."""
        solvers = (niche.solver.program for niche in self.niches if niche.solver is not None)
        return list(dict.fromkeys(solvers))

    def programs(self) -> list[Program]:
        """Return all distinct programs."""
        nearly = (entry.program for niche in self.niches for entry in niche.nearly_right)
        return list(dict.fromkeys([*self.solvers(), *nearly]))

    def is_open(self, task: int) -> bool:
        """Return whether nothing fits a task yet."""
        return self.niches[task].solver is None

    def credit_of(self, task: int, behavior: int) -> Credit | None:
        """Return the credit of the entry with this behavior."""
        kept = self.niches[task].find(behavior)
        return None if kept is None else kept.credit

    def min_first_look(self, task: int) -> int:
        """Return the score that a first look must reach: the median of a full task's entries."""
        kept = self.niches[task].nearly_right
        if len(kept) < self.per_task:
            return 0
        return sorted(entry.first_look for entry in kept)[len(kept) // 2]

    def refuses(self, task: int, steps: int, credit: Credit) -> bool:
        """Return whether an entry would be refused regardless of its program."""
        niche = self.niches[task]
        if credit.score < FULL_CREDIT and (niche.solver is not None or credit.score <= 0):
            return True
        rival = self._rival(niche, credit)
        return rival is not None and rival.rank[:2] < (-credit.score, steps)

    def offer(self, task: int, entry: Entry) -> Verdict:
        """Keep an entry if it is good enough for its task, and return the verdict.

        "improved" is better than everything the task has kept; "cheaper" is a cheaper solver than
        the one it has.
        """
        niche = self.niches[task]
        rival = self._rival(niche, entry.credit)
        is_beaten = rival is not None and rival.rank <= entry.rank
        if is_beaten or self.refuses(task, entry.trial.steps, entry.credit):
            return "refused"
        if entry.trial.credit >= FULL_CREDIT:
            is_first = niche.solver is None
            niche.solver = entry
            niche.nearly_right.clear()
            return "fits" if is_first else "cheaper"
        before = niche.best_credit
        if rival is not None:
            niche.nearly_right.remove(rival)
        niche.nearly_right.append(entry)
        niche.nearly_right.sort(key=lambda each: each.rank)
        if entry.trial.credit > before:
            niche.n_draws = 0
            return "improved"
        return "kept"

    def _rival(self, niche: _Niche, credit: Credit) -> Entry | None:
        """Return the entry that a new one would replace, if any."""
        if credit.score >= FULL_CREDIT:
            return niche.solver
        same = niche.find(credit.behavior)
        if same is None and len(niche.nearly_right) == self.per_task:
            return niche.nearly_right[-1]
        return same

    def draw(self, n: int, rng: random.Random) -> Draws:
        """Draw parents with repetition; none if the archive is empty."""
        programs = self.solvers()
        n_solvers = len(programs)
        weights = np.array([niche.weight for niche in self.niches])
        tasks = np.flatnonzero(weights)
        if not n_solvers and not tasks.size:
            return Draws(programs, [], [])
        # RandomState gives the same numbers with every version of numpy.
        source = np.random.RandomState(rng.getrandbits(32))
        which, whose, how_far = source.random_sample((3, n))
        share = SOLVER_SHARE if n_solvers and tasks.size else float(n_solvers > 0)
        chosen = (whose * n_solvers).astype(np.intp)
        draw_tasks: list[int | None] = [None] * n
        for_tasks = np.flatnonzero(which >= share)
        if not for_tasks.size:
            return Draws(programs, chosen.tolist(), draw_tasks)
        bounds = np.cumsum(weights[tasks])
        at = np.searchsorted(bounds, whose[for_tasks] * bounds[-1], side="right")
        drawn_tasks = tasks[np.minimum(at, len(tasks) - 1)]
        # Each of the best entries is passed over with a chance of a third.
        n_passed = np.floor(np.log1p(-how_far[for_tasks]) / -log(3)).astype(np.intp)
        sizes = np.array([len(niche.nearly_right) for niche in self.niches])
        entries = [entry for niche in self.niches for entry in niche.nearly_right]
        first_entries = (np.cumsum(sizes) - sizes)[drawn_tasks]
        places = first_entries + np.minimum(n_passed, sizes[drawn_tasks] - 1)
        # Number the programs in the order in which they are first drawn.
        distinct, firsts, which_distinct = np.unique(places, return_index=True, return_inverse=True)
        numbers = {program.result: k for k, program in enumerate(programs)}
        number_of = np.empty(len(distinct), np.intp)
        for k in np.argsort(firsts).tolist():
            program = entries[distinct[k]].program
            number_of[k] = numbers.setdefault(program.result, len(programs))
            if number_of[k] == len(programs):
                programs.append(program)
        chosen[for_tasks] = number_of[which_distinct]
        for k, task in zip(for_tasks.tolist(), drawn_tasks.tolist(), strict=True):
            draw_tasks[k] = task
        for task, n_draws in enumerate(np.bincount(drawn_tasks).tolist()):
            self.niches[task].n_draws += n_draws
        return Draws(programs, chosen.tolist(), draw_tasks)
