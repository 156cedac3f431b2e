"""What a proposer is: it says what it would do next, and, given a budget, proposes programs.

The loop (`arcbatt.solving.loop`) asks every proposer for its next offer, has the most promising one
worked off, and asks again. A proposer gets all it needs through its `Context`: the board that
judges, what is known of each task, what of its own work is done. It keeps no books of its own
beyond what it could make anew from there.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any, Protocol

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program
from arcbatt.pool import Pool
from arcbatt.tasks import Task

Clock = Callable[[], float]
# A program is one of so many, more of them the longer it is.
BITS_A_CALL = 0.1
# What has found no demo that it was not made for may have learnt them by heart.
BITS_BY_HEART = 2.6
# A task whose attempts are as sure as this is left alone: on training nearly nothing that is tried
# after it makes such a task right, and some of it makes one wrong.
SURE = 0.9


@dataclass(frozen=True, slots=True)
class Proposal:
    """A program for a task.

    `family` names the kind of thing it is, so that agreement of unlike programs counts more than
    that of kin; `bits` says how much choice went into it: one of 2^bits that could have been tried.
    `credit` is how near it comes, where that was judged before.
    """

    program: Program
    task: Task
    family: str
    bits: float
    credit: int | None = None


def propose_plainly(program: Program, task: Task, credit: int | None = None) -> Proposal:
    """Return a proposal by the form of a program: its last primitive, its length.

    Programs that end alike are often kin.
    """
    result = program.result
    family = result.name if result.kind == "call" else result.kind
    return Proposal(program, task, family, program.n_calls * BITS_A_CALL, credit)


def doubt(proposal: Proposal, trial: Trial) -> Proposal:
    """Return a proposal of what was learnt, dearer unless all that it fits is found unseen."""
    if trial.holds_unseen:
        return proposal
    return replace(proposal, bits=proposal.bits + BITS_BY_HEART)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal with its trial, who proposed it, how far that is trusted, and when it was."""

    proposal: Proposal
    trial: Trial
    proposer: str
    trust: float
    found_s: float

    @property
    def program(self) -> Program:
        return self.proposal.program

    @property
    def fits(self) -> bool:
        return self.trial.fits

    @property
    def rank(self) -> tuple[object, ...]:
        """Least for the best; the program's digest makes it the same on every run."""
        trial, program = self.trial, self.program
        return (
            -trial.n_fitted,
            -trial.credit,
            program.n_calls,
            trial.steps,
            program.result.digest,
            -self.trust,
            self.proposer,
        )


@dataclass(frozen=True, slots=True)
class Offer:
    """What a proposer would do next, for which tasks, and what that would be worth.

    `item` names it in the log, in the ledger and in switches. `gain` is the number of tasks that
    are expected to become right by it, `cost_s` the seconds of one core that it takes: both as
    measured on training, so that the order of offers does not depend on the machine.

    An offer that `divides` can be worked off task by task, each on another machine and in any
    order; any other is worked off by islands (`arcbatt.solving.cluster`). One that
    `reads_candidates` asks its context for them while it works.
    """

    item: str
    tasks: tuple[Task, ...]
    gain: float
    cost_s: float
    divides: bool = True
    reads_candidates: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.gain) and 0 < self.cost_s < inf):
            raise ValueError(
                f"offer {self.item}: gain is {self.gain!r}, cost_s {self.cost_s!r}; "
                f"expected numbers, and a cost above 0"
            )

    @property
    def gain_a_second(self) -> float:
        """What offers are ordered by."""
        return self.gain / self.cost_s


@dataclass
class Allowance:
    """The time that a proposer may spend."""

    budget_s: float
    clock: Clock = time.perf_counter
    began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.began_s = self.clock()

    @property
    def left_s(self) -> float:
        return self.budget_s - (self.clock() - self.began_s)

    @property
    def is_spent(self) -> bool:
        return self.left_s <= 0


class Context(Protocol):
    """What the loop does for one proposer."""

    @property
    def board(self) -> TaskBoard:
        """The tasks, and what judges programs on them."""

    @property
    def pool(self) -> Pool:
        """The ledger."""

    @property
    def n_threads(self) -> int:
        """How many threads may work."""

    @property
    def n_rounds(self) -> int:
        """How many offers of all proposers were worked off before this one."""

    @property
    def allowance(self) -> Allowance:
        """What is left to spend."""

    @property
    def known(self) -> Sequence[Program]:
        """The programs that were known at the start."""

    def judge(self, proposals: Sequence[Proposal], n_threads: int | None = None) -> list[Trial]:
        """Return the trials of proposals for one task, in their order; any thread may ask."""

    def keep(self, proposal: Proposal, trial: Trial) -> None:
        """Take a proposal and its trial: a candidate, if it is among the best of its task."""

    def propose(self, proposals: Sequence[Proposal]) -> list[Trial]:
        """Judge and keep proposals for one task."""

    def candidates(self, task: Task) -> Sequence[Candidate]:
        """Return what is kept for a task by now, by whichever proposer, the best first."""

    def n_agreeing(self, task: Task) -> int:
        """Return the most candidates for a task that fit it and give the same outputs."""

    def confidence(self, task: Task) -> float:
        """Return how sure it is by now, 0 to 1, that one of a task's attempts is right."""

    def done(self, item: str) -> Mapping[str, Mapping[str, Any]]:
        """Return by task id what of an item is done, with its counts."""

    def note_done(self, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        """Note that a task needs no more of an item."""

    def state(self) -> Any:
        """Return what `save_state` was last given, in this run or the one it resumes."""

    def save_state(self, state: Any) -> None:
        """Keep plain data to resume from."""

    def say(self, message: str) -> None:
        """Tell whoever watches what is being done."""

    def log(self, record: dict[str, Any]) -> None:
        """Note a part of the work: plain data, of which charts show `n_pairs` and `engine_s`.

        After it whoever watches looks at what there is, and what was found is saved now and then.
        """

    def spend(self, task: Task, seconds: float) -> None:
        """Count time to one task alone. What of the time nobody counts is shared by all."""

    def traces(self, task: Task) -> bool:
        """Whether somebody wants to know all about a task; asked before making a long message."""

    def trace(self, task: Task, message: str) -> None:
        """Tell what was tried for a task and what became of it, to whoever traces it."""


def unsure(tasks: Iterable[Task], context: Context) -> tuple[tuple[Task, ...], float]:
    """Return the tasks whose attempts are not sure yet, and how many of them are likely wrong."""
    sure = [(task, context.confidence(task)) for task in tasks]
    left = [(task, confidence) for task, confidence in sure if confidence < SURE]
    return tuple(task for task, _ in left), sum(1 - confidence for _, confidence in left)


def smallest(programs: Sequence[Program], n: int) -> Sequence[Program]:
    """Return the programs of the fewest calls, so many at most, in their order."""
    if len(programs) <= n:
        return programs
    places = sorted(range(len(programs)), key=lambda place: programs[place].n_calls)
    return [programs[place] for place in sorted(places[:n])]


class Proposer(Protocol):
    """One way to look for programs. `trust` is what its candidates count in ranking.

    Subclass it to write your own: it needs only a `name`, `next_offer` and `work`.
    """

    name: str
    trust: float = 1.0

    @abstractmethod
    def next_offer(self, context: Context) -> Offer | None:
        """Return what it would do next; None if there is nothing left, or nothing yet."""

    @abstractmethod
    def work(self, offer: Offer, context: Context) -> None:
        """Do what was offered, until it is done or the allowance is spent.

        What was found must be kept also if an exception, an interrupt above all, ends it.
        """

    def finish(self, context: Context) -> None:
        """End what still runs, and keep what was held back; called once at the end of a run."""
        return

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        """Return counts by part of the proposer, as plain data; nothing if it has no parts."""
        return {}
