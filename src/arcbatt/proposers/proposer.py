"""The interface of proposers: they offer work, and propose programs when it is accepted.

The loop (`arcbatt.solving.loop`) asks every proposer for its next offer, has the most promising one
done, and asks again. A proposer gets everything through its `Context`: the board that tries
programs, the candidates of each task, and its own finished work. It keeps no state that it could
not restore from there.
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
# The longer a program, the more programs of its length it was chosen from.
BITS_PER_CALL = 0.1
# Penalty for a program that predicts no held-out demo: it may have memorized the demos.
MEMORIZED_BITS = 2.6
# Tasks with this confidence get no more work: on training, more work rarely makes such a task
# right and sometimes makes it wrong.
CONFIDENT = 0.9


@dataclass(frozen=True, slots=True)
class Proposal:
    """A program for a task.

    Agreement counts less among programs of one `family`. `bits` measures the choice that went into
    the program: it is one of 2^bits that could have been tried. `credit` is how near its outputs
    come, if that is known already.
    """

    program: Program
    task: Task
    family: str
    bits: float
    credit: int | None = None


def make_proposal(program: Program, task: Task, credit: int | None = None) -> Proposal:
    """Return a proposal whose family is the program's last primitive, and bits its length."""
    result = program.result
    family = result.name if result.kind == "call" else result.kind
    return Proposal(program, task, family, program.n_calls * BITS_PER_CALL, credit)


def penalize_memorized(proposal: Proposal, trial: Trial) -> Proposal:
    """Return a proposal, with more bits if its program may have memorized demos."""
    if trial.predicts_held_out:
        return proposal
    return replace(proposal, bits=proposal.bits + MEMORIZED_BITS)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal with its trial, its proposer, the proposer's trust, and when it was found."""

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
        """A sort key, lowest for the best; the digest makes the order the same on every run."""
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
    """Work that a proposer could do next, and what it is worth.

    `item` names the work in the log, in the ledger and in switches. `gain` is the expected number
    of tasks that become right, `cost_s` the seconds of one core it takes; both were measured on
    training, so that the order of offers does not depend on the machine.

    An offer that `divides` can be done task by task, on any machine and in any order; any other is
    done by islands (`arcbatt.solving.cluster`). With `reads_candidates` the work asks its context
    for candidates.
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
    def gain_per_s(self) -> float:
        """The gain per second; the offer with the highest is done first."""
        return self.gain / self.cost_s


class StopSignal(Protocol):
    """A flag that is set to ask for an early end."""

    @property
    def is_set(self) -> bool: ...


@dataclass
class Allowance:
    """The time that a proposer may spend; none is left once `interrupt` is set."""

    budget_s: float
    clock: Clock = time.perf_counter
    interrupt: StopSignal | None = None
    began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.began_s = self.clock()

    @property
    def is_interrupted(self) -> bool:
        return self.interrupt is not None and self.interrupt.is_set

    @property
    def left_s(self) -> float:
        if self.is_interrupted:
            return 0.0
        return self.budget_s - (self.clock() - self.began_s)

    @property
    def is_spent(self) -> bool:
        return self.left_s <= 0


class Context(Protocol):
    """The services of the loop for one proposer."""

    @property
    def board(self) -> TaskBoard:
        """The tasks, and trials of programs on them."""

    @property
    def pool(self) -> Pool:
        """The ledger."""

    @property
    def n_threads(self) -> int:
        """The number of threads that may work."""

    @property
    def n_rounds(self) -> int:
        """The number of offers, of all proposers, done before this one."""

    @property
    def allowance(self) -> Allowance:
        """The time that is left."""

    @property
    def known(self) -> Sequence[Program]:
        """The programs known at the start of the search."""

    def judge(self, proposals: Sequence[Proposal], n_threads: int | None = None) -> list[Trial]:
        """Return the trials of proposals for one task, in order; any thread may call this."""

    def keep(self, proposal: Proposal, trial: Trial) -> None:
        """Keep a proposal with its trial as a candidate, if it is among the best of its task."""

    def propose(self, proposals: Sequence[Proposal]) -> list[Trial]:
        """Judge and keep proposals for one task."""

    def candidates(self, task: Task) -> Sequence[Candidate]:
        """Return the candidates of a task, from all proposers, the best first."""

    def n_agreeing(self, task: Task) -> int:
        """Return the size of the largest group of fitting candidates with the same outputs."""

    def confidence(self, task: Task) -> float:
        """Return the estimated probability that one of a task's attempts is right."""

    def done(self, item: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the counts of an item's finished work by task id."""

    def note_done(self, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        """Mark an item as finished for a task."""

    def state(self) -> Any:
        """Return the last saved state, of this run or the one it resumes; None without one."""

    def save_state(self, state: Any) -> None:
        """Save plain data to resume from."""

    def say(self, message: str) -> None:
        """Show a message about the work in progress."""

    def log(self, record: dict[str, Any]) -> None:
        """Log a part of the work as plain data; charts show `n_pairs` and `engine_s`.

        Results are saved at such points, and displays updated.
        """

    def spend(self, task: Task, seconds: float) -> None:
        """Attribute time to a task. Unattributed time is split evenly across an offer's tasks."""

    def is_traced(self, task: Task) -> bool:
        """Return whether `trace` shows messages about a task; ask before making a long one."""

    def trace(self, task: Task, message: str) -> None:
        """Show what was tried for a task and with what result, if the task is traced."""


def uncertain_tasks(tasks: Iterable[Task], context: Context) -> tuple[tuple[Task, ...], float]:
    """Return the tasks below the confidence limit, and how many of them are expected wrong."""
    confidences = [(task, context.confidence(task)) for task in tasks]
    uncertain = [(task, value) for task, value in confidences if value < CONFIDENT]
    return tuple(task for task, _ in uncertain), sum(1 - value for _, value in uncertain)


def smallest_programs(programs: Sequence[Program], n: int) -> Sequence[Program]:
    """Return the `n` programs with the fewest calls, in their original order."""
    if len(programs) <= n:
        return programs
    by_size = sorted(range(len(programs)), key=lambda index: programs[index].n_calls)
    return [programs[index] for index in sorted(by_size[:n])]


class Proposer(Protocol):
    """A way to search for programs; `trust` weighs its candidates in ranking.

    Subclass it to write your own: it needs only a `name`, `next_offer` and `work`. A class may
    have `count_columns`, headings by key for tables of its `counts`.
    """

    name: str
    trust: float = 1.0

    @abstractmethod
    def next_offer(self, context: Context) -> Offer | None:
        """Return the work to do next, or None if there is none, or none yet."""

    @abstractmethod
    def work(self, offer: Offer, context: Context) -> None:
        """Do the offered work until it is done or the allowance is spent.

        Look at the allowance often: an interrupt spends it. Keep candidates as they are found, so
        that an exception loses none.
        """

    def finish(self, context: Context) -> None:
        """End background work and propose what was held back; called once at the end of a run."""
        return

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        """Return counts by part of the proposer, as plain data; empty without parts."""
        return {}
