"""The driver sends offers of a loop to workers as units, and applies their results to the loop.

Only the first result of a unit counts, so that a unit can be sent twice if a worker is lost or too
slow. In step, an offer is finished before the next begins, and a run repeats exactly with any
number of workers. Otherwise an idle worker gets the next offer, for tasks that no worker has.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from queue import Empty
from time import perf_counter
from typing import Any

from arcbatt.measure import phase
from arcbatt.proposers import Offer, Proposer
from arcbatt.tasks import Task

from ..loop import Loop
from ..options import SearchOptions
from .division import divide
from .messages import (
    Hello,
    MessageError,
    Ready,
    Result,
    Setup,
    Unit,
    candidate_to_json,
    kind_of,
    program_to_json,
    task_to_json,
    trial_from_json,
    versions,
)
from .migration import Migration
from .transport import ClusterError, Event, Transport

# A unit that has lost this many workers is divided or, with one task, given up; an island is given
# up after it has run out of memory this many times.
MAX_TRIES = 3
# No more workers are started while this many in the last `FAILED_WITHIN_S` were lost before they
# were ready and none has become ready since. Older losses do not count: the cause may be gone.
MAX_FAILED_STARTS = 3
FAILED_WITHIN_S = 600.0
# Seconds to wait for the first worker.
JOIN_S = 120.0
# Seconds between two checks for free cores in the cluster, and for stragglers.
LOOK_EVERY_S = 2.0
# Seconds between two checks whether the search was interrupted.
POLL_S = 0.2
# A unit that takes at least this long, and this many times the mean of its item, is also sent to an
# idle worker.
STRAGGLER_S, STRAGGLER_TIMES = 30.0, 4.0
# Time before the end that a result needs to arrive.
LATENCY_S = 0.2
# Seconds after the end during which results are still accepted.
GRACE_S = 2.0
# Seconds between two reports of an island.
SLICE_S = 10.0
WORKERS = "workers"
STARTING, IDLE, WORKING = "starting", "idle", "working"
LOST, REFUSED, ENDED = "lost", "refused", "ended"


class WorkerError(ClusterError):
    """A proposer failed on a worker: a bug, with its traceback."""


@dataclass
class WorkerCount:
    """A worker and its work; `wall_s` and `cpu_s` are the times of its units."""

    name: str
    began_s: float
    host: str = ""
    pid: int = 0
    device: str = ""
    gpus: Sequence[str] = ()
    state: str = STARTING
    ended_s: float | None = None
    n_units: int = 0
    n_tasks: int = 0
    n_rounds: int = 0  # as an island
    wall_s: float = 0.0
    cpu_s: float = 0.0
    n_bytes_sent: int = 0
    n_bytes_received: int = 0
    ran_on: Counter[str] = field(default_factory=Counter)

    @property
    def is_living(self) -> bool:
        return self.state in (STARTING, IDLE, WORKING)

    def end(self, state: str) -> None:
        self.state, self.ended_s = state, perf_counter()

    def to_json(self) -> dict[str, Any]:
        """Return everything but the times of this process's clock."""
        content = {**vars(self), "ran_on": dict(self.ran_on)}
        del content["began_s"], content["ended_s"]
        return content


@dataclass
class _Pending:
    """A unit in progress, and since when each of its workers has it."""

    unit: Unit
    since_s: dict[str, float] = field(default_factory=dict)

    @property
    def is_island(self) -> bool:
        return self.unit.slice_s is not None


class Cluster:
    """Does the offered work of one run of a loop (`arcbatt.solving.loop.Workers`)."""

    def __init__(
        self, transport: Transport, options: SearchOptions, folder: Path | None = None
    ) -> None:
        """Each worker is logged to a file in `folder`, if one is given."""
        self.transport = transport
        self.workers: dict[str, WorkerCount] = {}
        self.n_retries = 0
        self.n_late = 0  # results of units that already had one
        self.given_up: list[str] = []
        self._options = options
        self._folder = None if folder is None else folder / WORKERS
        self._in_step = True
        self._setup = b""
        self._tasks: dict[str, Task] = {}
        self._idle: deque[str] = deque()
        self._queue: deque[Unit] = deque()
        self._pending: dict[str, _Pending] = {}
        self._tries: Counter[str] = Counter()
        self._numbers = count(1)
        self._unit_s: dict[tuple[str, str], list[float]] = {}
        self._refusals: list[str] = []
        self._failed_starts: list[tuple[float, str]] = []  # with their times
        self._looked_s = 0.0
        self._seen_s = 0.0  # of the last message from any worker
        self._migration = Migration()
        self._ended_islands: set[tuple[str, str]] = set()

    # --- interface of the loop ---

    @property
    def busy(self) -> set[str]:
        units = [*self._queue, *(out.unit for out in self._pending.values())]
        return {name for unit in units if unit.slice_s is None for name in unit.tasks}

    def begin(self, loop: Loop, *, in_step: bool) -> None:
        self._loop = loop
        self._in_step = in_step
        self._tasks = {task.id: task for task in loop.tasks}
        if self._folder is not None:
            self._folder.mkdir(exist_ok=True)
        with phase("load"):
            self._setup = Setup(
                options=self._options.to_json(),
                tasks=[task_to_json(task) for task in loop.tasks],
                known=[program_to_json(program) for program in loop.known],
            ).to_bytes()
        self._seen_s = perf_counter()
        self._say(f"starting workers: {self.transport.name}")
        self._manage_workers()
        while not self._idle and loop.left_s > 0:
            self._receive()

    def work_on(self, proposer: Proposer, offer: Offer, max_rounds: int | None) -> int:
        if not offer.divides:
            self._send_to_islands(proposer, offer, max_rounds)
            self._exchange()
            return 0  # islands report their rounds
        n_workers = max(sum(worker.is_living for worker in self.workers.values()), 1)
        units = [
            self._make_unit(proposer, offer, tasks)
            for tasks in divide(offer, self._loop.spent_s, n_workers)
        ]
        n_tasks = len(offer.tasks)
        self._say(f"{offer.item}: {n_tasks} task{'s' * (n_tasks != 1)} to {n_workers} workers")
        self._queue.extend(units)
        self._exchange()
        return 1

    def _wait_for_all(self) -> None:
        """Wait a while for starting workers: rounds are divided among all islands."""
        until_s = perf_counter() + JOIN_S
        while perf_counter() < until_s and self._loop.left_s > 0:
            if all(worker.state != STARTING for worker in self.workers.values()):
                return
            self._receive()

    def wait(self) -> bool:
        n_pending = len(self._pending)
        while n_pending and len(self._pending) == n_pending and self._loop.left_s > 0:
            self._receive()
        return bool(n_pending)

    def end(self) -> None:
        until_s = perf_counter() + GRACE_S
        self._queue.clear()
        try:
            # Results of units that ran out of time are about to arrive; after an interrupt, the
            # driver does not wait for them.
            while self._pending and self._loop.is_out_of_time and perf_counter() < until_s:
                self._receive()
        finally:
            self.transport.close()
            for worker in self.workers.values():
                if worker.is_living:
                    worker.end(ENDED)
                self._log(worker.name, "ended", **worker.to_json())

    # --- sending and receiving ---

    def _exchange(self) -> None:
        """Send units until a worker is idle or, in step, until all are done."""
        self._feed()
        while self._loop.left_s > 0:
            is_done = not self._queue and (not self._pending if self._in_step else self._idle)
            # Near the end nothing more is started; returning would only cause another offer.
            if is_done and self._loop.left_s > LATENCY_S:
                return
            self._receive()
            self._feed()

    def _feed(self) -> None:
        if self._loop.left_s <= LATENCY_S:
            self._queue.clear()
        while self._idle and self._queue:
            self._send(self._idle.popleft(), self._queue.popleft())

    def _make_unit(self, proposer: Proposer, offer: Offer, tasks: Sequence[Task]) -> Unit:
        loop, names = self._loop, [task.id for task in tasks]
        part = len(tasks) / len(offer.tasks)
        candidates = None
        if offer.reads_candidates:
            candidates = [
                candidate_to_json(each) for task in tasks for each in loop.candidates(task).kept
            ]
        return Unit(
            id=str(next(self._numbers)),
            proposer=proposer.name,
            item=offer.item,
            tasks=names,
            gain=offer.gain * part,
            cost_s=offer.cost_s * part,
            allowance_s=0.0,  # known when it is sent
            n_rounds=loop.n_rounds,
            done=loop.done_of(proposer.name, names),
            state=loop.context(proposer.name).state(),
            candidates=candidates,
            traced=sorted(loop.traced.intersection(names)),
        )

    def _send_to_islands(self, proposer: Proposer, offer: Offer, max_rounds: int | None) -> None:
        """Have each idle worker continue its island, with candidates of the others."""
        if max_rounds is not None:
            self._wait_for_all()
        islands = [each for each in self._idle if (each, proposer.name) not in self._ended_islands]
        living = [each.name for each in self.workers.values() if each.is_living]
        if all((each, proposer.name) in self._ended_islands for each in living):
            self._loop.give_up(proposer.name)
        elif not islands:
            self._receive()  # otherwise the loop would make the same offer at once
        for place, worker in enumerate(islands):
            # All islands share the rounds.
            n_rounds = None if max_rounds is None else -(-(max_rounds - place) // len(islands))
            if n_rounds == 0:
                continue
            unit = self._make_unit(proposer, replace(offer, reads_candidates=False), offer.tasks)
            migrants = None
            if offer.reads_candidates:
                migrants = self._migration.deal(worker, self._loop, offer.tasks, proposer.name)
            self._idle.remove(worker)
            self._send(
                worker,
                replace(
                    unit, candidates=migrants, state=None, slice_s=SLICE_S, max_rounds=n_rounds
                ),
            )

    def _send(self, name: str, unit: Unit) -> None:
        left_s = max(self._loop.left_s - LATENCY_S, 0.0)
        with phase("store"):
            message = replace(unit, allowance_s=left_s).to_bytes()
        self._pending.setdefault(unit.id, _Pending(unit)).since_s[name] = perf_counter()
        worker = self.workers[name]
        worker.state = WORKING
        worker.n_bytes_sent += len(message)
        self._log(name, "sent", unit=unit.id, work=_describe(unit), n_bytes=len(message))
        self.transport.send(name, message)

    def _receive(self) -> None:
        """Handle the next event, if one comes soon, and look after the workers."""
        try:
            # The workers run meanwhile.
            with phase("run"):
                event = self.transport.events.get(timeout=min(POLL_S, self._patience_s))
        except Empty:
            pass
        else:
            self._take(event)
        if perf_counter() - self._looked_s > LOOK_EVERY_S:
            self._manage_workers()

    @property
    def _patience_s(self) -> float:
        return max(self._loop.left_s, 0.05)

    def _take(self, event: Event) -> None:
        worker = self.workers[event.worker]
        if not worker.is_living:
            return
        self._seen_s = perf_counter()
        if event.message is None:
            self._lose(worker, event.why)
            return
        worker.n_bytes_received += len(event.message)
        try:
            kind = kind_of(event.message)
            if kind == Hello.__name__:
                self._welcome(worker, Hello.from_bytes(event.message))
            elif kind == Ready.__name__:
                worker.state = IDLE
                self._idle.append(worker.name)
                self._failed_starts.clear()
            else:
                self._take_result(worker, Result.from_bytes(event.message), len(event.message))
        except MessageError as error:
            self.transport.end(worker.name)
            self._lose(worker, f"it sent an invalid message: {error}")

    def _take_result(self, worker: WorkerCount, result: Result, n_bytes: int) -> None:
        out = self._pending.get(result.unit)
        calls = [] if out is None else [self._read_call(call) for call in result.calls]
        worker.state = IDLE
        self._idle.append(worker.name)
        self._log(
            worker.name,
            "result",
            unit=result.unit,
            wall_s=result.wall_s,
            cpu_s=result.cpu_s,
            n_bytes=n_bytes,
            error=result.error,
        )
        if out is None:
            self.n_late += 1
            return
        unit = out.unit
        if result.is_memory and not out.is_island:
            self._take_back(out, worker.name, "out of memory")
            return
        del self._pending[unit.id]
        if result.error is None:
            self._unit_s.setdefault((unit.proposer, unit.item), []).append(result.wall_s)
        # Results from before an error count: the work is not repeated.
        self._count(worker, out, result)
        self._apply(worker, unit, calls, result)
        if result.is_memory:
            self._note_island_out_of_memory(worker, unit)
        elif result.error is not None:
            self._fail(worker, unit, result.error)

    def _note_island_out_of_memory(self, worker: WorkerCount, unit: Unit) -> None:
        """Count a lack of memory on an island, and end the island after several."""
        island = f"{unit.proposer} on worker {worker.name}"
        self._tries[island] += 1
        if self._tries[island] == MAX_TRIES:
            self._ended_islands.add((worker.name, unit.proposer))
            self.given_up.append(f"{island} was given up: out of memory {MAX_TRIES} times")
            self._say(self.given_up[-1])

    def _fail(self, worker: WorkerCount, unit: Unit, trace: str) -> None:
        """Report a proposer's error to the loop, and drop its other units."""
        error = WorkerError(
            f"worker {worker.name} on {worker.host} failed on {_describe(unit)}:\n{trace}"
        )
        self._loop.fail(unit.proposer, error, trace)
        self._queue = deque(each for each in self._queue if each.proposer != unit.proposer)

    def _count(self, worker: WorkerCount, out: _Pending, result: Result) -> None:
        loop, unit = self._loop, out.unit
        worker.n_units += 1
        worker.wall_s += result.wall_s
        worker.cpu_s += result.cpu_s
        worker.ran_on.update(result.ran_on)
        n_living = max(sum(each.is_living for each in self.workers.values()), 1)
        loop.counts[unit.proposer].elapsed_s += result.wall_s / n_living
        if not out.is_island:
            worker.n_tasks += len(unit.tasks)
            return
        worker.n_rounds += result.n_rounds
        loop.count_rounds(unit.proposer, result.n_rounds)
        if result.has_ended:
            self._ended_islands.add((worker.name, unit.proposer))

    def _read_call(self, call: Sequence[Any]) -> tuple[str, Sequence[Any]]:
        """Return the name and arguments of a recorded call.

        A program that was too large for a message is only counted.
        """
        try:
            name, *arguments = call
            if name == "keep":
                (content,) = arguments
                if content["program"] is not None:
                    return name, trial_from_json(content, self._tasks)
                return "count_proposed", ()
            if name == "note_done":
                item, task_id, counts = arguments
                return name, (item, self._tasks[task_id], counts)
            if name in ("spend", "trace"):
                task_id, value = arguments
                return name, (self._tasks[task_id], value)
            if name in ("log", "save_state") and len(arguments) == 1:
                return name, arguments
        except (KeyError, TypeError, ValueError) as error:
            raise MessageError(f"a call cannot be read: {error!r}") from None
        raise MessageError(f"not a call of a context: {name}")

    def _apply(
        self,
        worker: WorkerCount,
        unit: Unit,
        calls: Sequence[tuple[str, Sequence[Any]]],
        result: Result,
    ) -> None:
        """Repeat the recorded calls on the loop's own context."""
        loop = self._loop
        context = loop.context(unit.proposer)
        counted_s = 0.0
        for name, arguments in calls:
            if name == "count_proposed":
                loop.count_proposed(unit.proposer)
            elif name == "keep":
                proposal, trial = arguments
                context.keep(proposal, trial, was_read=True)
                if unit.slice_s is not None:
                    self._migration.note(worker.name, trial)
            elif name == "log":
                context.log({**arguments[0], "worker": worker.name})
            else:
                getattr(context, name)(*arguments)
            if name == "spend":
                counted_s += arguments[1]
        loop.share_time([self._tasks[name] for name in unit.tasks], result.wall_s - counted_s)
        loop.watcher.on_progress(loop)

    # --- workers ---

    def _welcome(self, worker: WorkerCount, hello: Hello) -> None:
        worker.host, worker.pid = hello.host, hello.pid
        worker.device, worker.gpus = hello.device, hello.gpus
        here = versions()
        others = [name for name in here if hello.versions.get(name) != here[name]]
        if others:
            worker.end(REFUSED)
            why = ", ".join(
                f"{name} {hello.versions.get(name)}, not {here[name]}" for name in others
            )
            self._refusals.append(f"worker {worker.name} on {worker.host} has {why}")
            self._say(f"{self._refusals[-1]}: left out; install there what is installed here")
            self._log(worker.name, "refused", why=why)
            self.transport.end(worker.name)
            return
        self._log(worker.name, "joined", **asdict(hello))
        self.transport.send(worker.name, self._setup, is_shared=True)
        worker.n_bytes_sent += len(self._setup)

    def _lose(self, worker: WorkerCount, why: str) -> None:
        if worker.state == STARTING:
            message = f"worker {worker.name} did not start: {why}"
            self._failed_starts.append((perf_counter(), message))
        worker.end(LOST)
        if worker.name in self._idle:
            self._idle.remove(worker.name)
        self._say(f"worker {worker.name} is lost: {why}")
        self._log(worker.name, "lost", why=why)
        self._migration.forget(worker.name)
        for out in list(self._pending.values()):
            if worker.name in out.since_s:
                self._take_back(out, worker.name, why)
        self._manage_workers()

    def _take_back(self, out: _Pending, worker: str, why: str) -> None:
        """Requeue a unit that a worker did not finish, unless another worker has it, too."""
        del out.since_s[worker]
        if out.since_s:
            return
        unit = out.unit
        del self._pending[unit.id]
        if out.is_island:
            return
        self.n_retries += 1
        self._tries[unit.id] += 1
        if self._tries[unit.id] < MAX_TRIES:
            self._queue.appendleft(unit)
        elif len(unit.tasks) > 1:
            # One task may be the cause, and should not affect the others.
            for name in unit.tasks:
                part = replace(
                    unit,
                    id=f"{unit.id}/{name}",
                    tasks=[name],
                    done={item: _only(noted, name) for item, noted in unit.done.items()},
                )
                self._queue.appendleft(part)
        else:
            (name,) = unit.tasks
            self._loop.leave_out(unit.proposer, self._tasks[name])
            self.given_up.append(
                f"{_describe(unit)} was given up after {MAX_TRIES} tries, the last one: {why}"
            )
            self._say(self.given_up[-1])

    def _manage_workers(self) -> None:
        """Start workers where there is room, and copy stragglers' work."""
        self._looked_s = perf_counter()
        living = [worker for worker in self.workers.values() if worker.is_living]
        n_refused = sum(worker.state == REFUSED for worker in self.workers.values())
        since_s = self._looked_s - FAILED_WITHIN_S
        self._failed_starts = [each for each in self._failed_starts if each[0] > since_s]
        can_start = len(self._failed_starts) < MAX_FAILED_STARTS
        n_new = self.transport.n_possible() - len(living) - n_refused if can_start else 0
        for _ in range(n_new):
            name = self.transport.add()
            self.workers[name] = WorkerCount(name, perf_counter())
        failures = [*self._refusals, *(message for _, message in self._failed_starts)]
        if n_new <= 0 and not living and failures:
            raise ClusterError(
                f"{self.transport.name}: no worker can be used\n" + "\n".join(failures)
            )
        if all(worker.state == STARTING for worker in living):
            waited_s = self._looked_s - self._seen_s
            if waited_s > JOIN_S:
                raise ClusterError(
                    f"{self.transport.name}: no worker has joined for {waited_s:.0f} s: are there "
                    f"free cores, and is arcbatt installed on every machine?"
                )
        self._copy_stragglers()

    def _copy_stragglers(self) -> None:
        for out in self._pending.values():
            if not self._idle or self._queue:
                return
            if out.is_island or len(out.since_s) > 1:
                continue
            times = self._unit_s.get((out.unit.proposer, out.unit.item), [0.0])
            limit_s = max(STRAGGLER_S, STRAGGLER_TIMES * sum(times) / len(times))
            (since_s,) = out.since_s.values()
            if perf_counter() - since_s > limit_s:
                self.n_retries += 1
                self._send(self._idle.popleft(), out.unit)

    # --- messages and logs ---

    def _say(self, message: str) -> None:
        self._loop.watcher.on_message(self._loop, message)

    def _log(self, worker: str, event: str, **details: Any) -> None:
        """Add a line to the log of a worker."""
        if self._folder is None:
            return
        record = {"elapsed_s": round(self._loop.elapsed_s, 3), "event": event, **details}
        try:
            with (self._folder / f"{worker}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        except OSError as error:
            self._folder = None
            self._say(
                f"the logs of workers cannot be written ({error.strerror}); continuing without"
            )


def _describe(unit: Unit) -> str:
    tasks = unit.tasks[0] if len(unit.tasks) == 1 else f"{len(unit.tasks)} tasks"
    return f"{unit.proposer}, {unit.item}, {tasks}"


def _only(noted: Mapping[str, Any], task: str) -> dict[str, Any]:
    return {task: noted[task]} if task in noted else {}
