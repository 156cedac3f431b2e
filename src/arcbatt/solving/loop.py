"""The loop: proposers and a budget in, ranked attempts out; all that is known is in a pool.

Round after round every proposer says what it would do next, and the offer that gains most for its
cost is worked off. What is proposed is judged by the board and kept among its task's candidates.
The pool remembers candidates, finished work and where proposers stand: to resume is to open it.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program, ProgramError
from arcbatt.measure import phase, usable_cores
from arcbatt.pool import NewProgram, NewTrial, NewWork, Pool, PoolError, TrialRow, task_key
from arcbatt.pool.reading import read_program
from arcbatt.proposers import Allowance, Candidate, Context, Offer, Proposal, Proposer
from arcbatt.proposers.proposer import Clock
from arcbatt.tasks import Task

from .candidates import TaskCandidates
from .context import BaseContext, require_proposal
from .ranking import RankedTask, rank_task
from .tracing import describe_candidate

STATE = "loop"


@dataclass
class ProposerCount:
    """What a proposer has done so far.

    Of `n_proposed` programs with a trial `n_kept` were kept; `n_first` tasks were fitted by this
    proposer first.
    """

    n_tasks: int = 0
    n_rounds: int = 0
    n_proposed: int = 0
    n_kept: int = 0
    n_first: int = 0
    elapsed_s: float = 0.0


class Watcher:
    """Follows the progress of a loop; override the methods that you need."""

    def on_message(self, loop: Loop, message: str) -> None:
        """A proposer says what it does."""

    def on_progress(self, loop: Loop) -> None:
        """Something may have changed."""

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        """A part of the work is done, with these data."""

    def on_trace(self, task: Task, proposer: str, message: str) -> None:
        """Something was tried for a task that is traced."""


class Workers(Protocol):
    """Works off offers for a loop in other processes (`arcbatt.solving.cluster`).

    What comes back is given to the contexts of the loop, as if it had been done here.
    """

    @property
    def busy(self) -> Collection[str]:
        """The ids of tasks that are being worked on; no other offer may have them."""

    @property
    def trouble(self) -> str | None:
        """What is wrong with the engine of some worker."""

    def begin(self, loop: Loop, *, in_step: bool) -> None:
        """Get ready. `in_step`: an offer is to be worked off whole before the next one begins."""

    def work_off(self, proposer: Proposer, offer: Offer, max_rounds: int | None) -> int:
        """Work off an offer until somebody is idle, or, in step, all of it is done.

        Returns how many rounds to count for that. An offer that does not divide is worked off by
        islands, at most `max_rounds` of them together, which they count themselves.
        """

    def wait(self) -> bool:
        """Wait for something to come back; return False if there is nothing to wait for."""

    def end(self) -> None:
        """Take what still comes in time, and end all work."""


class Loop:
    """Spends a budget on proposers, and knows at any time the best attempts so far."""

    def __init__(
        self,
        board: TaskBoard,
        pool: Pool,
        proposers: Sequence[Proposer],
        *,
        watcher: Watcher | None = None,
        traced: Collection[str] = (),
        survives_errors: bool = False,
        workers: Workers | None = None,
        clock: Clock = time.perf_counter,
    ) -> None:
        """`traced` are the ids of tasks of which the watcher is told all.

        With `survives_errors`, an exception in a proposer ends that proposer and not the run:
        `failed` has its traceback. With `workers`, these work off what proposers offer;
        otherwise this process does. A pool that an earlier loop over the same tasks has saved is
        gone on with.
        """
        names = [proposer.name for proposer in proposers]
        if len(set(names)) != len(names):
            raise ValueError(f"two proposers have one name: {', '.join(names)}")
        self.board = board
        self.pool = pool
        self.proposers = tuple(proposers)
        self.counts = {name: ProposerCount() for name in names}
        self.n_rounds = 0
        self.current: str | None = None
        self.budget_s = 0.0
        # Seconds of each task: what was counted to it, and its part of what was done for all.
        self.spent_s = dict.fromkeys((task.id for task in board.tasks), 0.0)
        self.watcher = watcher or Watcher()
        self.failed: dict[str, str] = {}  # traceback by proposer
        self._survives_errors = survives_errors
        self._found = {task.id: TaskCandidates(task) for task in board.tasks}
        self._ranked: dict[str, tuple[int, RankedTask]] = {}  # with the candidates' version
        self.traced = frozenset(traced)
        self.workers = workers
        # By proposer, the tasks that it is not to work on any more.
        self._left_out: dict[str, set[str]] = {name: set() for name in names}
        self._given_up: set[str] = set()
        self._clock = clock
        self._allowance = Allowance(0.0, clock)
        self._elapsed_before_s = 0.0
        self._began_s: float | None = None
        self._done: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        self._states: dict[str, Any] = {}
        self.known: Sequence[Program] = ()
        self._began_at: float | None = None
        # What the pool does not know yet.
        self._new: dict[tuple[Program, str], Candidate] = {}
        self._gone: set[tuple[bytes, bytes]] = set()
        self._work: list[NewWork] = []
        self._contexts = {each.name: _Context(self, each) for each in proposers}
        self.is_resumed = self._restore()

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.board.tasks

    @phase("load")
    def load_known(self) -> None:
        """Read the programs of the pool that were there when this was first called, or `run`."""
        if self.is_resumed:
            self.known = list(self.pool.solvers(found_until=self._began_at))
        elif self._began_at is None:
            self.known = list(self.pool.solvers())
            self._began_at = time.time()

    # --- how far it is ---

    @property
    def elapsed_s(self) -> float:
        """Seconds spent, those of earlier runs that this one resumes included."""
        if self._began_s is None:
            return self._elapsed_before_s
        return self._elapsed_before_s + self._clock() - self._began_s

    @property
    def left_s(self) -> float:
        """Seconds left of the budget of this run."""
        return max(self._allowance.left_s, 0.0)

    @property
    def n_fitted(self) -> int:
        """Tasks of which some candidate gives the output of every demo."""
        return sum(found.fits for found in self._found.values())

    def parts(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return counts by proposer and part of it, of the proposers that have parts."""
        found = {each.name: each.counts() for each in self.proposers}
        return {
            name: {part: dict(counts) for part, counts in parts.items()}
            for name, parts in found.items()
            if parts
        }

    def candidates(self, task: Task) -> TaskCandidates:
        return self._found[task.id]

    def rank(self) -> list[RankedTask]:
        """Return the attempts at every test input of every task, from what is known now."""
        return [self._rank(found) for found in self._found.values()]

    def confidence(self, task: Task) -> float:
        """Return how sure it is by now that one of a task's attempts is right."""
        return self._rank(self._found[task.id]).confidence

    @phase("score")
    def _rank(self, found: TaskCandidates) -> RankedTask:
        """Rank a task, unless it was and nothing has changed."""
        version, ranked = self._ranked.get(found.task.id, (-1, None))
        if ranked is None or version != found.version:
            ranked = rank_task(found)
            self._ranked[found.task.id] = (found.version, ranked)
        return ranked

    # --- spending the budget ---

    def run(self, budget_s: float, max_rounds: int | None = None) -> None:
        """Spend a budget; an interrupt passes through, with all that was found kept.

        With `max_rounds` no proposer has more rounds than that, and a run that ends so, before its
        budget, repeats exactly.
        """
        self.budget_s = budget_s
        self._began_s = self._clock()
        self._allowance = Allowance(budget_s, self._clock)
        self.load_known()
        n_before = {name: count.n_rounds for name, count in self.counts.items()}

        def n_left(proposer: Proposer) -> int | None:
            if max_rounds is None:
                return None
            return max_rounds + n_before[proposer.name] - self.counts[proposer.name].n_rounds

        try:
            if self.workers is not None:
                self.workers.begin(self, in_step=max_rounds is not None)
            while not self._allowance.is_spent:
                chosen = self._choose(
                    [
                        each
                        for each in self.proposers
                        if n_left(each) != 0
                        and each.name not in self.failed
                        and each.name not in self._given_up
                    ]
                )
                if chosen is not None:
                    self._work_off(*chosen, n_left(chosen[0]))
                elif self.workers is None or not self.workers.wait():
                    break
        finally:
            with (
                ExitStack() as ending
            ):  # what goes wrong with one leaves none of the others running
                ending.callback(self._stop)
                for each in reversed(self.proposers):
                    ending.callback(self._finish, each)
                if self.workers is not None:
                    ending.callback(self.workers.end)

    def _finish(self, proposer: Proposer) -> None:
        try:
            proposer.finish(self._contexts[proposer.name])
        except Exception as error:  # as in its work
            self.fail(proposer.name, error, traceback.format_exc())

    def _stop(self) -> None:
        self._elapsed_before_s, self._began_s = self.elapsed_s, None
        self.budget_s = 0.0

    def _choose(self, proposers: Sequence[Proposer]) -> tuple[Proposer, Offer] | None:
        """The offer that gains most for its cost, of equal ones the first."""
        offers = [(each, self._ask(each)) for each in proposers]
        made = [(each, offer) for each, offer in offers if offer is not None]
        return max(made, key=lambda pair: pair[1].gain_a_second, default=None)

    def _ask(self, proposer: Proposer) -> Offer | None:
        """What a proposer would do next; nothing if it fails to say."""
        try:
            return self._next_offer(proposer)
        except Exception as error:  # as in its work
            self.fail(proposer.name, error, traceback.format_exc())
        return None

    def _next_offer(self, proposer: Proposer) -> Offer | None:
        """What a proposer would do next; if that divides, for tasks that nobody works on."""
        context = self._contexts[proposer.name]
        offer = _offer_of(proposer, context)
        taken = set(self._left_out[proposer.name])
        if self.workers is not None:
            taken.update(self.workers.busy)
        if offer is None or not offer.divides or not taken:
            return offer
        free = [task for task in self.tasks if task.id not in taken]
        offer = _offer_of(proposer, context.over(self.board.part(free))) if free else None
        return offer if offer is not None and offer.tasks else None

    def leave_out(self, proposer: str, task: Task) -> None:
        """Have a proposer leave a task alone for the rest of this run."""
        self._left_out[proposer].add(task.id)

    def give_up(self, proposer: str) -> None:
        """Ask a proposer for nothing more in this run: it has, or can do, nothing more."""
        self._given_up.add(proposer)

    def count_rounds(self, proposer: str, n_rounds: int) -> None:
        """Count rounds that a proposer has worked."""
        self.counts[proposer].n_rounds += n_rounds
        self.n_rounds += n_rounds

    def _work_off(self, proposer: Proposer, offer: Offer, max_rounds: int | None) -> None:
        context = self._contexts[proposer.name]
        count = self.counts[proposer.name]
        count.n_tasks = max(count.n_tasks, len(offer.tasks))
        for task in self.tasks:
            if task.id in self.traced:
                is_in = task in offer.tasks
                context.trace(task, f"{offer.item}: {'searched' if is_in else 'left out'}")
        self.current = proposer.name
        context.begin(offer.item)
        n_rounds = 1
        try:
            if self.workers is not None:
                n_rounds = self.workers.work_off(proposer, offer, max_rounds)
            else:
                self._work_here(proposer, offer, context, count)
        finally:
            self.count_rounds(proposer.name, n_rounds)
            self.current = None
        ended = {"item": offer.item, "ended": asdict(count), "ran_on": dict(self.board.ran_on)}
        self.watcher.on_log(self, proposer.name, ended)
        self.watcher.on_progress(self)

    def _work_here(
        self, proposer: Proposer, offer: Offer, context: _Context, count: ProposerCount
    ) -> None:
        before_s, began_s = count.elapsed_s, self._clock()
        try:
            proposer.work(offer, context)
        except Exception as error:  # whatever it is, the loop may be told to go on without
            self.fail(proposer.name, error, traceback.format_exc())
        finally:
            elapsed_s = self._clock() - began_s
            count.elapsed_s = before_s + elapsed_s
            self.share_time(offer.tasks, elapsed_s - context.counted_s)

    def fail(self, proposer: str, error: Exception, trace: str) -> None:
        """Take it that a proposer has failed: raise that, or go on without it.

        That it cannot write to the ledger, as on a full disk, is no bug: the others go on.
        """
        if isinstance(error, PoolError):
            self.give_up(proposer)
            self.watcher.on_message(self, f"{proposer} goes no further: {error}")
            return
        if not self._survives_errors:
            raise error
        self.failed.setdefault(proposer, trace)  # what came first says most
        self.watcher.on_message(self, f"{proposer} goes no further: {error!r}")

    def share_time(self, tasks: Sequence[Task], seconds: float) -> None:
        """Count time to several tasks alike."""
        for task in tasks:
            self.spent_s[task.id] += max(seconds, 0.0) / len(tasks)

    def context(self, proposer: str) -> _Context:
        """Return what does what a proposer asks for, also if it asked elsewhere."""
        return self._contexts[proposer]

    def take(
        self, proposer: Proposer, proposal: Proposal, trial: Trial, *, was_read: bool = False
    ) -> None:
        """Keep a proposal and its trial, if it is among the best of its task.

        `was_read`: its program comes from a text, so that it can be written.
        """
        require_proposal(proposal, proposer.name)
        found = self._found.get(trial.task.id)
        if found is None:
            raise ValueError(f"{proposer.name} proposes for {trial.task.id}, no task of this run")
        candidate = Candidate(proposal, trial, proposer.name, proposer.trust, self.elapsed_s)
        count = self.counts[proposer.name]
        self.count_proposed(proposer.name)
        is_kept = found.is_wanted(candidate) and (was_read or _can_be_written(candidate.program))
        if is_kept:
            count.n_kept += 1
            count.n_first += trial.fits and not found.fits
            gone = found.keep(candidate)
            self._new[candidate.program, trial.task.id] = candidate
            if gone is not None and self._new.pop((gone.program, trial.task.id), None) is None:
                self._gone.add((gone.program.result.digest, task_key(trial.task)))
        if trial.task.id in self.traced:
            became = "kept" if is_kept else "not kept: known, no grid, or worse than all that is"
            message = f"proposes {describe_candidate(candidate)}; {became}"
            self.watcher.on_trace(trial.task, proposer.name, message)

    def count_proposed(self, proposer: str) -> None:
        """Count a program that was proposed."""
        self.counts[proposer].n_proposed += 1

    # --- the ledger ---

    @phase("store")
    def save(self, states: Mapping[str, Any] | None = None) -> None:
        """Write all that is new to the pool, in one transaction; if that fails, it stays new.

        `states` are written with it, by their keys.
        """
        with self.pool.writing():
            new = list(self._new.values())
            self.pool.add_programs([NewProgram.of(each.program, each.proposer) for each in new])
            # First what went: some of it may have come back, worth more.
            self.pool.drop_outputs(self._gone)
            self.pool.record_trials([_to_row(each) for each in new])
            self.pool.note_work(self._work)
            self.pool.set_state(
                STATE,
                {
                    "tasks": {task.id: task.digest for task in self.tasks},
                    "began_at": self._began_at,
                    "elapsed_s": self.elapsed_s,
                    "n_rounds": self.n_rounds,
                    "counts": {name: asdict(count) for name, count in self.counts.items()},
                    "spent_s": self.spent_s,
                    "proposers": self._states,
                },
            )
            for key, state in (states or {}).items():
                self.pool.set_state(key, state)
        self._new, self._gone, self._work = {}, set(), []

    @phase("load")
    def _restore(self) -> bool:
        """Take up what an earlier loop has saved in the pool; return whether one had."""
        state = self.pool.state(STATE)
        if state is None:
            return False
        if state["tasks"] != {task.id: task.digest for task in self.tasks}:
            raise ValueError("its tasks are not those that it was begun with")
        self._began_at = state["began_at"]
        self._elapsed_before_s = state["elapsed_s"]
        self.n_rounds = state["n_rounds"]
        for name, count in self.counts.items():
            if name in state["counts"]:
                self.counts[name] = replace(count, **state["counts"][name])
        self.spent_s = {task.id: state["spent_s"][task.id] for task in self.tasks}
        self._states = state["proposers"]
        by_key: dict[bytes, list[Task]] = {}
        for task in self.tasks:
            by_key.setdefault(task_key(task), []).append(task)
        for work in self.pool.work():
            for task in by_key.get(work.task, ()):
                self._done.setdefault((work.proposer, work.item), {})[task.id] = work.counts
        trust = {each.name: each.trust for each in self.proposers}
        for row in self.pool.trials():
            for task in by_key.get(row.task, ()):
                candidate = candidate_from_row(row, task, trust.get(row.proposer, 1.0))
                if candidate is not None and self._found[task.id].is_wanted(candidate):
                    self._found[task.id].keep(candidate)
        return True

    def done(self, proposer: str, item: str) -> Mapping[str, Mapping[str, Any]]:
        return self._done.get((proposer, item), {})

    def done_of(self, proposer: str, tasks: Collection[str]) -> dict[str, dict[str, Any]]:
        """Return by item and task what a proposer has done of some tasks."""
        found = {
            item: {name: noted[name] for name in tasks if name in noted}
            for (each, item), noted in self._done.items()
            if each == proposer
        }
        return {item: noted for item, noted in found.items() if noted}

    def note_done(self, proposer: str, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        self._done.setdefault((proposer, item), {})[task.id] = counts
        self._work.append(NewWork.of(task, proposer, item, counts))


def _offer_of(proposer: Proposer, context: Context) -> Offer | None:
    """What a proposer says that it would do next, if it is an offer."""
    offer: object = proposer.next_offer(context)
    if offer is None or isinstance(offer, Offer):
        return offer
    raise TypeError(
        f"{proposer.name}: next_offer returned a {type(offer).__name__}, expected an Offer, or "
        f"None if there is nothing to do"
    )


def _can_be_written(program: Program) -> bool:
    """Whether the text of a program can be read back; what is too large for that cannot win."""
    try:
        NewProgram.of(program, "")
    except ProgramError:
        return False
    return True


def _to_row(candidate: Candidate) -> NewTrial:
    trial = candidate.trial
    return NewTrial.of(
        trial.program.result.digest,
        trial.task,
        trial.n_fitted,
        credit=trial.credit,
        steps=trial.steps,
        learns=trial.learns,
        n_held_out=trial.n_held_out,
        n_copies=trial.n_copies,
        proposer=candidate.proposer,
        family=candidate.proposal.family,
        bits=candidate.proposal.bits,
        found_s=candidate.found_s,
        outputs=trial.outputs,
    )


def candidate_from_row(row: TrialRow, task: Task, trust: float) -> Candidate | None:
    """The candidate that a row of the pool is; None if its program cannot be read."""
    try:
        program = read_program(row.program, row.name, row.text)
        trial = Trial(
            task,
            program,
            row.n_fitted,
            row.credit,
            row.steps,
            row.outputs,
            row.learns,
            row.n_held_out,
            row.n_copies,
        )
    except (ProgramError, ValueError):
        return None
    proposal = Proposal(program, task, row.family, row.bits)
    return Candidate(proposal, trial, row.proposer, trust, row.found_s)


class _Context(BaseContext):
    """What the loop does for one proposer (`arcbatt.proposers.proposer.Context`)."""

    def __init__(self, loop: Loop, proposer: Proposer) -> None:
        self._loop = loop
        self._proposer = proposer
        self.board = loop.board
        self.pool = loop.pool
        self.n_threads = loop.board.n_threads or usable_cores()
        self.counted_s = 0.0
        self._item = ""
        self._logged_s = 0.0

    def over(self, board: TaskBoard) -> _Context:
        """Return a context that knows the same, of the tasks of another board."""
        found = copy(self)
        found.board = board
        return found

    def begin(self, item: str) -> None:
        """Start on an offer."""
        self._item = item
        self.counted_s = 0.0
        self._logged_s = self._loop.elapsed_s

    @property
    def n_rounds(self) -> int:
        return self._loop.n_rounds

    @property
    def allowance(self) -> Allowance:
        return self._loop._allowance

    @property
    def known(self) -> Sequence[Program]:
        return self._loop.known

    def keep(self, proposal: Proposal, trial: Trial, *, was_read: bool = False) -> None:
        self._loop.take(self._proposer, proposal, trial, was_read=was_read)

    def candidates(self, task: Task) -> list[Candidate]:
        return self._loop.candidates(task).kept

    def n_agreeing(self, task: Task) -> int:
        return self._loop.candidates(task).n_agreeing

    def confidence(self, task: Task) -> float:
        return self._loop.confidence(task)

    def done(self, item: str) -> Mapping[str, Mapping[str, Any]]:
        return self._loop.done(self._proposer.name, item)

    def note_done(self, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        self._loop.note_done(self._proposer.name, item, task, counts)

    def state(self) -> Any:
        return self._loop._states.get(self._proposer.name)

    def save_state(self, state: Any) -> None:
        self._loop._states[self._proposer.name] = state

    def say(self, message: str) -> None:
        self._loop.watcher.on_message(self._loop, message)

    def log(self, record: dict[str, Any]) -> None:
        loop = self._loop
        wall_s, self._logged_s = loop.elapsed_s - self._logged_s, loop.elapsed_s
        whole = {"item": self._item, "wall_s": wall_s, **record}
        loop.watcher.on_log(loop, self._proposer.name, whole)
        loop.watcher.on_progress(loop)

    def spend(self, task: Task, seconds: float) -> None:
        self._loop.spent_s[task.id] += seconds
        self.counted_s += seconds

    def traces(self, task: Task) -> bool:
        return task.id in self._loop.traced

    def trace(self, task: Task, message: str) -> None:
        if self.traces(task):
            self._loop.watcher.on_trace(task, self._proposer.name, message)
