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
from functools import cached_property
from math import inf, isfinite
from typing import Any, Protocol

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import ParsedProgram, Program, to_program
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
# Expensive work is done only for tasks below this confidence. On training, the deepest pass made
# none of 52 tasks between the two right, and `finish` one of 56, by a base without a rule.
DOUBTFUL = 0.6


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "program", to_program(self.program))

    @classmethod
    def from_program(
        cls, program: Program | ParsedProgram, task: Task, credit: int | None = None
    ) -> Proposal:
        """Return a proposal whose family is the program's last primitive, and bits its length."""
        program = to_program(program)
        result = program.result
        family = result.name if result.kind == "call" else result.kind
        return cls(program, task, family, program.n_calls * BITS_PER_CALL, credit)


def penalize_memorized(proposal: Proposal, trial: Trial) -> Proposal:
    """Return a proposal, with more bits if its program may have memorized demos."""
    if trial.predicts_held_out:
        return proposal
    return replace(proposal, bits=proposal.bits + MEMORIZED_BITS)


@dataclass(frozen=True)
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

    # Candidates are sorted again and again, and counting calls walks the whole program.
    @cached_property
    def n_calls(self) -> int:
        return self.program.n_calls

    @cached_property
    def rank(self) -> tuple[object, ...]:
        """A sort key, lowest for the best; the digest makes the order the same on every run."""
        trial, program = self.trial, self.program
        return (
            -trial.n_fitted,
            -trial.credit,
            self.n_calls,
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

    def judge_learned(
        self, proposals: Sequence[Proposal], min_share: float = 0.0
    ) -> list[tuple[Proposal, Trial]]:
        """Return the proposals for one task that predict held-out demos, with their trials.

        A program that learns must predict at least one held-out demo, and at least `min_share` of
        them, unless there is only one demo. Programs that do not are not run any further.
        """

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

    def warn(self, message: str) -> None:
        """Report a problem that does not end the search, also at its end."""

    def source_programs(self, task: Task) -> Sequence[Program]:
        """Return programs that come near, of proposers that hand theirs on (`hands_on`)."""

    def log(self, record: dict[str, Any]) -> None:
        """Log a part of the work as plain data; charts show `n_pairs` and `engine_s`.

        Results are saved at such points, and displays updated.
        """

    def start(self, work: Callable[..., Any], *args: Any) -> None:
        """Call a function in a thread beside the search, such as one that waits for a network.

        `results` gives what it returns, or yields if it is a generator. It may `judge`, and must
        use nothing else of this context.
        """

    def results(self) -> list[Any]:
        """Return what started functions gave since the last call; raise what they raised."""

    @property
    def n_running(self) -> int:
        """The number of started functions that have not ended."""

    @property
    def has_results(self) -> bool:
        """Whether `results` has something to return or raise."""

    def spend(self, task: Task, seconds: float) -> None:
        """Attribute time to a task. Unattributed time is split evenly across an offer's tasks."""

    def is_traced(self, task: Task) -> bool:
        """Return whether `trace` shows messages about a task; ask before making a long one."""

    def trace(self, task: Task, message: str) -> None:
        """Show what was tried for a task and with what result, if the task is traced."""


def uncertain_tasks(
    tasks: Iterable[Task], context: Context, *, only_doubtful: bool = False
) -> tuple[tuple[Task, ...], float]:
    """Return the tasks below the confidence limit, and how many of them are expected wrong."""
    limit = DOUBTFUL if only_doubtful else CONFIDENT
    confidences = [(task, context.confidence(task)) for task in tasks]
    uncertain = [(task, value) for task, value in confidences if value < limit]
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
    runs_here: bool = False
    """Whether its work is done in the process of the loop even if a cluster does the rest."""
    hands_on: bool = False
    """Whether `enumerate` starts from the values of its programs that come near."""

    @abstractmethod
    def next_offer(self, context: Context) -> Offer | None:
        """Return the work to do next, or None if there is none, or none yet.

        While functions that it has started run, the loop asks again after each result.
        """

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
