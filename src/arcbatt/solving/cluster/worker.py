"""A worker answers the driver's messages. The driver relies on no state of a worker.

A unit that divides depends only on its message, so that any worker gives the same result. An island
is a proposer that continues from unit to unit, with a ledger in memory: losing its worker loses
the work since its last result.
"""

from __future__ import annotations

import os
import socket
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from time import perf_counter, process_time
from typing import Any

from arcbatt.engine.gpu.health import look_for_gpus
from arcbatt.engine.memory import bound_memory
from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program
from arcbatt.plugins import load_plugins
from arcbatt.pool import Pool, PoolProgram
from arcbatt.proposers import Allowance, Candidate, Offer, Proposal, Proposer, make_proposers
from arcbatt.tasks import Task

from ..candidates import TaskCandidates
from ..context import BaseContext
from ..options import SearchOptions
from ..ranking import rank_task
from .messages import (
    Hello,
    MessageError,
    Ready,
    Result,
    Setup,
    Unit,
    candidate_from_json,
    kind_of,
    program_from_json,
    task_from_json,
    trial_to_json,
    versions,
)

KNOWN = "known"


class Worker:
    """Answers the messages of a driver."""

    def __init__(
        self, number: int, n_threads: int, device: str, plugins: Sequence[str] = ()
    ) -> None:
        """`number` is unique to this worker: it determines the seeds of its islands.

        `plugins` are imported first: they are part of the version of the language.
        """
        load_plugins(plugins)
        self._number = number
        self._n_threads = n_threads
        self._device = device
        self._work: _Work | None = None

    def hello(self) -> bytes:
        """Return the first message to the driver."""
        gpus = () if self._device == "cpu" else look_for_gpus().gpus
        return Hello(
            versions=versions(),
            host=socket.gethostname(),
            pid=os.getpid(),
            n_threads=self._n_threads,
            device=self._device,
            gpus=[gpu.name for gpu in gpus],
        ).to_bytes()

    def answer(self, message: bytes) -> bytes:
        """Return the answer to a message; a failure of a unit is part of its result."""
        if kind_of(message) == Setup.__name__:
            setup = Setup.from_bytes(message)
            self._work = _Work(setup, self._number, self._n_threads, self._device)
            return Ready().to_bytes()
        if self._work is None:
            raise MessageError("a unit came before the setup")
        return self._work.do(Unit.from_bytes(message)).to_bytes()


class _Work:
    """The work of a worker after its setup."""

    def __init__(self, setup: Setup, number: int, n_threads: int, device: str) -> None:
        options = SearchOptions.from_json(setup.options)
        # Each island draws other random numbers.
        evolve = replace(options.evolve, seed=options.evolve.seed + number)
        self.options = replace(options, evolve=evolve)
        bound_memory(options.max_bytes)
        self.known = [program_from_json(each) for each in setup.known]
        tasks = [task_from_json(each) for each in setup.tasks]
        self.tasks = {task.id: task for task in tasks}
        self.board = TaskBoard(tasks, device=device, n_threads=n_threads)
        self.n_threads = n_threads
        self._proposers: dict[str, Proposer] = {}
        self._islands: dict[str, UnitContext] = {}

    @cached_property
    def pool(self) -> Pool:
        """The ledger of islands, in memory."""
        pool = Pool.in_memory()
        pool.add_programs([PoolProgram.of(program, KNOWN) for program in self.known])
        return pool

    def _proposer(self, name: str) -> Proposer:
        if name not in self._proposers:
            (self._proposers[name],) = make_proposers([name], self.options)
        return self._proposers[name]

    def do(self, unit: Unit) -> Result:
        began_s, began_cpu_s = perf_counter(), process_time()
        ran_before = dict(self.board.ran_on)
        context: UnitContext | None = None
        n_rounds, has_ended, error, is_memory = 1, False, None, False
        proposer = None
        try:
            proposer = self._proposer(unit.proposer)
            tasks = tuple(self.tasks[name] for name in unit.tasks)
            offer = Offer(unit.item, tasks, unit.gain, unit.cost_s)
            if unit.slice_s is None:
                context = UnitContext(self, proposer)
                context.begin(unit)
                proposer.work(offer, context)
            else:
                context = self._islands.get(unit.proposer)
                if context is None:
                    context = self._islands[unit.proposer] = UnitContext(self, proposer)
                context.begin(unit)
                n_rounds, has_ended = self._work_as_island(proposer, offer, context, unit)
        except MemoryError:
            error, is_memory = traceback.format_exc(), True
        except Exception:  # the driver raises it, or continues without the proposer
            error = traceback.format_exc()
        ran_on = self.board.ran_on
        return Result(
            unit=unit.id,
            calls=[] if context is None else context.take_calls(),
            wall_s=perf_counter() - began_s,
            cpu_s=process_time() - began_cpu_s,
            n_rounds=n_rounds,
            has_ended=has_ended,
            error=error,
            is_memory=is_memory,
            ran_on={name: n - ran_before.get(name, 0) for name, n in ran_on.items()},
        )

    def _work_as_island(
        self, proposer: Proposer, offer: Offer, context: UnitContext, unit: Unit
    ) -> tuple[int, bool]:
        """Work for several rounds; return how many, and whether the island has ended."""
        assert unit.slice_s is not None
        time_slice = Allowance(unit.slice_s)
        n_rounds = 0
        following: Offer | None = None if context.has_ended else offer
        while following is not None and n_rounds != unit.max_rounds:
            if n_rounds and time_slice.is_spent:
                break
            proposer.work(following, context)
            n_rounds += 1
            context.n_rounds += 1
            following = proposer.next_offer(context)
        if not context.has_ended and (following is None or n_rounds == unit.max_rounds):
            # End background work and propose what was held back.
            proposer.finish(context)
            context.has_ended = True
        return n_rounds, context.has_ended


class UnitContext(BaseContext):
    """The context of a proposer that works on a unit; it records calls for the driver."""

    allowance: Allowance
    _unit: Unit

    def __init__(self, work: _Work, proposer: Proposer) -> None:
        self._work = work
        self._proposer = proposer
        self.board = work.board
        self.n_threads = work.n_threads
        self.n_rounds = 0
        self._state: Any = None
        self._logged_s = 0.0
        self._calls: list[list[Any]] = []
        self._candidates_by_id: dict[str, TaskCandidates] = {}
        self.has_ended = False

    def begin(self, unit: Unit) -> None:
        """Start a unit; an island adds its candidates to those it has."""
        if unit.slice_s is None:
            self.n_rounds, self._state = unit.n_rounds, unit.state
        self._unit = unit
        self.allowance = Allowance(unit.allowance_s)
        self._logged_s = perf_counter()
        news = unit.candidates or ()
        for content in news:
            candidate = candidate_from_json(content, self._work.tasks)
            self._remember(candidate)
        # New candidates count as a round: other proposers have worked meanwhile.
        self.n_rounds += bool(news)

    def take_calls(self) -> list[list[Any]]:
        """Return and forget the recorded calls."""
        calls, self._calls = self._calls, []
        return calls

    @property
    def pool(self) -> Pool:
        return self._work.pool

    @property
    def known(self) -> Sequence[Program]:
        return self._work.known

    def _remember(self, candidate: Candidate) -> None:
        task = candidate.trial.task
        candidates = self._candidates_by_id.setdefault(task.id, TaskCandidates(task))
        if candidates.is_wanted(candidate):
            candidates.keep(candidate)

    def keep(self, proposal: Proposal, trial: Trial) -> None:
        self._calls.append(["keep", trial_to_json(proposal, trial)])
        if self._unit.candidates is not None:
            name, trust = self._proposer.name, self._proposer.trust
            self._remember(Candidate(proposal, trial, name, trust, 0.0))

    def _candidates(self, task: Task) -> TaskCandidates:
        if self._unit.candidates is None:
            raise ValueError(
                f"{self._proposer.name} reads candidates while working on {self._unit.item}: "
                f"its offer must set `reads_candidates`"
            )
        return self._candidates_by_id.get(task.id) or TaskCandidates(task)

    def candidates(self, task: Task) -> list[Candidate]:
        return self._candidates(task).kept

    def n_agreeing(self, task: Task) -> int:
        return self._candidates(task).n_agreeing

    def confidence(self, task: Task) -> float:
        return rank_task(self._candidates(task)).confidence

    def done(self, item: str) -> Mapping[str, Mapping[str, Any]]:
        return self._unit.done.get(item, {})

    def note_done(self, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        self._calls.append(["note_done", item, task.id, dict(counts)])

    def state(self) -> Any:
        return self._state

    def save_state(self, state: Any) -> None:
        self._state = state
        # Only the last one counts.
        self._calls = [call for call in self._calls if call[0] != "save_state"]
        self._calls.append(["save_state", state])

    def say(self, message: str) -> None:
        """Ignore messages: the driver describes the units it sends."""

    def warn(self, message: str) -> None:
        """Ignore warnings, as messages."""

    def source_programs(self, task: Task) -> list[Program]:
        return []

    def log(self, record: dict[str, Any]) -> None:
        now_s = perf_counter()
        whole = {"item": self._unit.item, "wall_s": now_s - self._logged_s, **record}
        self._logged_s = now_s
        self._calls.append(["log", whole])

    def start(self, work: Callable[..., Any], *args: Any) -> None:
        raise ValueError(f"{self._proposer.name} starts work beside the search: set `runs_here`")

    def results(self) -> list[Any]:
        return []

    @property
    def n_running(self) -> int:
        return 0

    @property
    def has_results(self) -> bool:
        return False

    def spend(self, task: Task, seconds: float) -> None:
        self._calls.append(["spend", task.id, seconds])

    def is_traced(self, task: Task) -> bool:
        return task.id in self._unit.traced

    def trace(self, task: Task, message: str) -> None:
        if self.is_traced(task):
            self._calls.append(["trace", task.id, message])
