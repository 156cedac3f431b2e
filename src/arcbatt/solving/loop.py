"""The loop: spends a budget on proposers, round after round.

In a round every proposer makes an offer, and the one with the best ratio of gain to cost is done.
Proposals are tried by the board, and the best become candidates of their task. The pool is the
ledger: it has candidates, finished work and the states of proposers, so opening it resumes the
loop.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.interrupts import Interrupt
from arcbatt.language import Program
from arcbatt.measure import phase
from arcbatt.pool import Pool, PoolError, PoolProgram, PoolWork, task_key
from arcbatt.proposers import Allowance, Candidate, Context, Offer, Proposal, Proposer
from arcbatt.proposers.proposer import Clock
from arcbatt.tasks import Task

from .background import Background
from .candidates import TaskCandidates, candidate_from_row, candidate_to_row, is_storable
from .context import LoopContext, require_proposal
from .descriptions import describe_candidate
from .ranking import RankedTask, rank_task
from .store import Store

STATE = "loop"


@dataclass
class ProposerCount:
    """Counts of a proposer's work; `n_first` is how many tasks it was the first to fit."""

    n_tasks: int = 0
    n_rounds: int = 0
    n_proposed: int = 0
    n_kept: int = 0
    n_first: int = 0
    elapsed_s: float = 0.0


class Watcher:
    """Follows the progress of a loop; override the methods you need."""

    def on_message(self, loop: Loop, message: str) -> None:
        """A proposer describes its work."""

    def on_progress(self, loop: Loop) -> None:
        """Something may have changed."""

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        """A part of the work was logged."""

    def on_trace(self, task: Task, proposer: str, message: str) -> None:
        """Something was tried for a traced task."""


class Workers(Protocol):
    """Does offered work in other processes (`arcbatt.solving.cluster`).

    Results go to the contexts of the loop, as if the work had been done here.
    """

    @property
    def busy(self) -> Collection[str]:
        """The ids of tasks being worked on; no other offer may include them."""

    def begin(self, loop: Loop, *, in_step: bool) -> None:
        """Get ready. With `in_step`, an offer is finished before the next one begins."""

    def work_on(self, proposer: Proposer, offer: Offer, max_rounds: int | None) -> int:
        """Work on an offer until a worker is idle or, in step, until all of it is done.

        Return the number of rounds to count. An offer that does not divide is done by islands, at
        most `max_rounds` of them together, which count their own rounds.
        """

    def wait(self) -> bool:
        """Wait for a result; return False if there is nothing to wait for."""

    def end(self) -> None:
        """Take the results that still arrive in time, and end all work."""


class Loop:
    """Spends a budget on proposers, and knows the best attempts at any time."""

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
        store: Store | None = None,
        interrupt: Interrupt | None = None,
        clock: Clock = time.perf_counter,
    ) -> None:
        """Resume the loop that was saved in the pool, if one was, over the same tasks.

        The watcher's `on_trace` is called for the tasks in `traced`. With `survives_errors`, an
        exception in a proposer ends only that proposer: `failed` has its traceback. Work is done
        by `workers`, or in this process. The `store` logs and saves it.
        """
        names = [proposer.name for proposer in proposers]
        if len(set(names)) != len(names):
            raise ValueError(f"two proposers have the same name: {', '.join(names)}")
        self.board = board
        self.pool = pool
        self.proposers = tuple(proposers)
        self.counts = {name: ProposerCount() for name in names}
        self.n_rounds = 0
        self.current: str | None = None
        self.budget_s = 0.0
        self.spent_s = dict.fromkeys((task.id for task in board.tasks), 0.0)
        self.watcher = watcher or Watcher()
        self.store = store or Store(pool)
        self.interrupt = interrupt or Interrupt()
        self.failed: dict[str, str] = {}  # traceback by proposer
        self.background = Background()
        self.warnings: list[str] = []
        self._survives_errors = survives_errors
        self._candidates = {task.id: TaskCandidates(task) for task in board.tasks}
        self._ranked: dict[str, tuple[int, RankedTask]] = {}  # with the candidates' version
        self.traced = frozenset(traced)
        self.workers = workers
        # Tasks that a proposer must not work on any more.
        self._left_out: dict[str, set[str]] = {name: set() for name in names}
        self._given_up: set[str] = set()
        self._clock = clock
        self.allowance = Allowance(0.0, clock)
        self._elapsed_before_s = 0.0
        self._began_s: float | None = None
        self._done: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        self.proposer_states: dict[str, Any] = {}
        self.known: Sequence[Program] = ()
        self._began_at: float | None = None
        # Not yet in the pool.
        self._new: dict[tuple[Program, str], Candidate] = {}
        self._evicted: set[tuple[bytes, bytes]] = set()
        self._work: list[PoolWork] = []
        self._contexts = {each.name: LoopContext(self, each) for each in proposers}
        self.is_resumed = self._restore()

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.board.tasks

    @phase("load")
    def load_known(self, parsed: Iterable[Program] = ()) -> None:
        """Read the programs that the pool had when this, or `run`, was first called.

        Those in `parsed` need not be parsed again.
        """
        if self.is_resumed:
            self.known = list(self.pool.solvers(found_until=self._began_at))
        elif self._began_at is None:
            self.known = list(self.pool.solvers(parsed=parsed))
            self._began_at = time.time()

    @property
    def is_loaded(self) -> bool:
        """Whether the set of programs known at the start is fixed."""
        return self._began_at is not None

    # --- progress ---

    @property
    def elapsed_s(self) -> float:
        """Seconds spent, including those of the runs that this one resumes."""
        if self._began_s is None:
            return self._elapsed_before_s
        return self._elapsed_before_s + self._clock() - self._began_s

    @property
    def left_s(self) -> float:
        """Seconds left of the budget of this run."""
        return max(self.allowance.left_s, 0.0)

    @property
    def is_out_of_time(self) -> bool:
        """Whether the budget was spent, and not cut short by an interrupt."""
        return not self.left_s and not self.interrupt.is_set

    @property
    def n_fitted(self) -> int:
        """The number of tasks that some candidate fits."""
        return sum(each.fits for each in self._candidates.values())

    def parts(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the counts of proposers that have parts, by proposer and part."""
        counted = {each.name: each.counts() for each in self.proposers}
        return {
            name: {part: dict(counts) for part, counts in parts.items()}
            for name, parts in counted.items()
            if parts
        }

    def candidates(self, task: Task) -> TaskCandidates:
        return self._candidates[task.id]

    def rank(self) -> list[RankedTask]:
        """Return the best attempts so far at every test input of every task."""
        return [self._rank(each) for each in self._candidates.values()]

    def confidence(self, task: Task) -> float:
        """Return the estimated probability that one of a task's attempts is right."""
        return self._rank(self._candidates[task.id]).confidence

    def _rank(self, candidates: TaskCandidates) -> RankedTask:
        """Rank a task, unless its candidates are unchanged since the last time."""
        version, ranked = self._ranked.get(candidates.task.id, (-1, None))
        if ranked is None or version != candidates.version:
            ranked = self._rank_anew(candidates)
            self._ranked[candidates.task.id] = (candidates.version, ranked)
        return ranked

    @phase("score")
    def _rank_anew(self, candidates: TaskCandidates) -> RankedTask:
        return rank_task(candidates)

    # --- spending the budget ---

    def run(self, budget_s: float, max_rounds: int | None = None) -> None:
        """Spend a budget, or less if the loop is interrupted.

        With `max_rounds`, each proposer has at most that many rounds. A run that ends for lack of
        rounds, with budget left, repeats exactly.
        """
        self.budget_s = budget_s
        self._began_s = self._clock()
        self.allowance = Allowance(budget_s, self._clock, self.interrupt)
        self.load_known()
        n_before = {name: count.n_rounds for name, count in self.counts.items()}

        def n_left(proposer: Proposer) -> int | None:
            if max_rounds is None:
                return None
            return max_rounds + n_before[proposer.name] - self.counts[proposer.name].n_rounds

        try:
            if self.workers is not None:
                self.workers.begin(self, in_step=max_rounds is not None)
            while not self.allowance.is_spent:
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
                    self._accept(*chosen, n_left(chosen[0]))
                elif not self._wait():
                    break
        finally:
            # Proposers finish within the time that is left, also after an interrupt.
            self.allowance.interrupt = None
            with ExitStack() as ending:  # a failure in one step skips none of the others
                ending.callback(self._stop)
                ending.callback(self.background.close)
                for each in reversed(self.proposers):
                    ending.callback(self._finish, each)
                if self.workers is not None:
                    ending.callback(self.workers.end)

    def _finish(self, proposer: Proposer) -> None:
        try:
            proposer.finish(self._contexts[proposer.name])
        except Exception as error:
            self.fail(proposer.name, error, traceback.format_exc())

    def _wait(self) -> bool:
        """Wait for workers or background work; return False if there is nothing to wait for."""
        if self.workers is not None and self.workers.wait():
            return True
        return self.background.wait(self.allowance)

    def _stop(self) -> None:
        self._elapsed_before_s, self._began_s = self.elapsed_s, None
        self.budget_s = 0.0

    def _choose(self, proposers: Sequence[Proposer]) -> tuple[Proposer, Offer] | None:
        """Return the offer with the best ratio of gain to cost, the first of equal ones."""
        offers = [(each, self._ask(each)) for each in proposers]
        made = [(each, offer) for each, offer in offers if offer is not None]
        return max(made, key=lambda pair: pair[1].gain_per_s, default=None)

    def _ask(self, proposer: Proposer) -> Offer | None:
        """Return a proposer's next offer, or None if it fails."""
        try:
            return self._next_offer(proposer)
        except Exception as error:
            self.fail(proposer.name, error, traceback.format_exc())
        return None

    def _next_offer(self, proposer: Proposer) -> Offer | None:
        """Return a proposer's next offer; one that divides is for tasks that no worker has."""
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
        """Exclude a task from a proposer's work for the rest of this run."""
        self._left_out[proposer].add(task.id)

    def give_up(self, proposer: str) -> None:
        """Ask a proposer for no more offers in this run."""
        self._given_up.add(proposer)

    def count_rounds(self, proposer: str, n_rounds: int) -> None:
        """Add rounds of a proposer."""
        self.counts[proposer].n_rounds += n_rounds
        self.n_rounds += n_rounds

    def _accept(self, proposer: Proposer, offer: Offer, max_rounds: int | None) -> None:
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
            if self.workers is not None and not getattr(proposer, "runs_here", False):
                n_rounds = self.workers.work_on(proposer, offer, max_rounds)
            else:
                self._work_here(proposer, offer, context, count)
        finally:
            self.count_rounds(proposer.name, n_rounds)
            self.current = None
        ended = {"item": offer.item, "ended": asdict(count), "ran_on": dict(self.board.ran_on)}
        self.log(proposer.name, ended)

    def log(self, proposer: str, record: dict[str, Any]) -> None:
        """Log a part of the work, and save what was found if that is due."""
        self.store.log(self, proposer, record)
        self.watcher.on_log(self, proposer, record)
        self.store.checkpoint(self)
        self.watcher.on_progress(self)

    def _work_here(
        self, proposer: Proposer, offer: Offer, context: LoopContext, count: ProposerCount
    ) -> None:
        before_s, began_s = count.elapsed_s, self._clock()
        try:
            proposer.work(offer, context)
        except Exception as error:
            self.fail(proposer.name, error, traceback.format_exc())
        finally:
            elapsed_s = self._clock() - began_s
            count.elapsed_s = before_s + elapsed_s
            self.share_time(offer.tasks, elapsed_s - context.counted_s)

    def fail(self, proposer: str, error: Exception, trace: str) -> None:
        """Handle a proposer's failure: raise the error, or continue without the proposer.

        A ledger that cannot be written, as on a full disk, is not a bug and never raised.
        """
        if isinstance(error, PoolError):
            self.give_up(proposer)
            self.watcher.on_message(self, f"{proposer} has stopped: {error}")
            return
        if not self._survives_errors:
            raise error
        self.failed.setdefault(proposer, trace)  # the first failure explains most
        self.watcher.on_message(self, f"{proposer} has stopped: {error!r}")

    def share_time(self, tasks: Sequence[Task], seconds: float) -> None:
        """Attribute time to several tasks evenly."""
        for task in tasks:
            self.spent_s[task.id] += max(seconds, 0.0) / len(tasks)

    def context(self, proposer: str) -> LoopContext:
        """Return the context of a proposer."""
        return self._contexts[proposer]

    def take(
        self, proposer: Proposer, proposal: Proposal, trial: Trial, *, was_read: bool = False
    ) -> None:
        """Keep a proposal with its trial, if it is among the best of its task.

        With `was_read` its program was parsed, so its text need not be checked.
        """
        require_proposal(proposal, proposer.name)
        candidates = self._candidates.get(trial.task.id)
        if candidates is None:
            raise ValueError(
                f"{proposer.name} proposes for {trial.task.id}, which is not a task of this search"
            )
        candidate = Candidate(proposal, trial, proposer.name, proposer.trust, self.elapsed_s)
        count = self.counts[proposer.name]
        self.count_proposed(proposer.name)
        is_kept = candidates.is_wanted(candidate) and (was_read or is_storable(candidate.program))
        if is_kept:
            count.n_kept += 1
            count.n_first += trial.fits and not candidates.fits
            evicted = candidates.keep(candidate)
            self._new[candidate.program, trial.task.id] = candidate
            if evicted is not None and not self._new.pop((evicted.program, trial.task.id), None):
                self._evicted.add((evicted.program.result.digest, task_key(trial.task)))
        if trial.task.id in self.traced:
            result = (
                "kept" if is_kept else "not kept: known, without a grid, or worse than all kept"
            )
            message = f"proposes {describe_candidate(candidate)}; {result}"
            self.watcher.on_trace(trial.task, proposer.name, message)

    def count_proposed(self, proposer: str) -> None:
        """Count a proposed program."""
        self.counts[proposer].n_proposed += 1

    # --- the ledger ---

    @phase("store")
    def save(self, states: Mapping[str, Any] | None = None) -> None:
        """Write everything new, and `states` by key, to the pool in one transaction.

        If that fails, the next call writes it.
        """
        with self.pool.writing():
            new = list(self._new.values())
            self.pool.add_programs([PoolProgram.of(each.program, each.proposer) for each in new])
            # Evictions first: an evicted program may have come back with more credit.
            self.pool.drop_outputs(self._evicted)
            self.pool.record_trials([candidate_to_row(each) for each in new])
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
                    "proposers": self.proposer_states,
                },
            )
            for key, state in (states or {}).items():
                self.pool.set_state(key, state)
        self._new, self._evicted, self._work = {}, set(), []

    @phase("load")
    def _restore(self) -> bool:
        """Restore what an earlier loop saved in the pool; return whether one did."""
        state = self.pool.state(STATE)
        if state is None:
            return False
        if state["tasks"] != {task.id: task.digest for task in self.tasks}:
            raise ValueError("its tasks are not those it was started with")
        self._began_at = state["began_at"]
        self._elapsed_before_s = state["elapsed_s"]
        self.n_rounds = state["n_rounds"]
        for name, count in self.counts.items():
            if name in state["counts"]:
                self.counts[name] = replace(count, **state["counts"][name])
        self.spent_s = {task.id: state["spent_s"][task.id] for task in self.tasks}
        self.proposer_states = state["proposers"]
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
                if candidate is not None and self._candidates[task.id].is_wanted(candidate):
                    self._candidates[task.id].keep(candidate)
        return True

    def done(self, proposer: str, item: str) -> Mapping[str, Mapping[str, Any]]:
        return self._done.get((proposer, item), {})

    def done_of(self, proposer: str, tasks: Collection[str]) -> dict[str, dict[str, Any]]:
        """Return a proposer's finished work on some tasks, by item and task."""
        done = {
            item: {name: counts[name] for name in tasks if name in counts}
            for (each, item), counts in self._done.items()
            if each == proposer
        }
        return {item: counts for item, counts in done.items() if counts}

    def note_done(self, proposer: str, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        self._done.setdefault((proposer, item), {})[task.id] = counts
        self._work.append(PoolWork.of(task, proposer, item, counts))


def _offer_of(proposer: Proposer, context: Context) -> Offer | None:
    """Return a proposer's next offer, checked."""
    offer: object = proposer.next_offer(context)
    if offer is None or isinstance(offer, Offer):
        return offer
    raise TypeError(
        f"{proposer.name}: next_offer returned a {type(offer).__name__}, expected an Offer or None"
    )
