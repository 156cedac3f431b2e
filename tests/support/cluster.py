"""Workers in this process for tests of the cluster, which can be lost, late or wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from arcbatt.evaluation import TaskBoard
from arcbatt.pool import Pool
from arcbatt.proposers import make_proposers
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.solving import Loop, SearchOptions, Watcher
from arcbatt.solving.cluster import Cluster, open_cluster
from arcbatt.solving.cluster.messages import Hello, Result, Unit, kind_of
from arcbatt.solving.cluster.transport import Event
from arcbatt.solving.cluster.worker import Worker
from arcbatt.tasks import Task

from .search import FOREVER_S, kept_candidates

Script = Callable[["Inline", str, Unit, bytes], bool]
"""Called with each unit; returns True if it handled the unit instead of the worker."""


class Inline:
    """A `Transport` whose workers answer immediately, in this process."""

    def __init__(self, n_workers: int, do: Script = lambda *_: False) -> None:
        self.name = f"inline:{n_workers}"
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.hellos: dict[int, dict[str, Any]] = {}
        self.units: list[tuple[str, Unit]] = []
        self.is_closed = False
        self.workers: dict[str, Worker] = {}
        self.n_possible_now = n_workers
        self._do = do

    def n_possible(self) -> int:
        return self.n_possible_now

    def add(self) -> str:
        number = len(self.workers)
        name = f"inline-{number + 1}"
        self.workers[name] = Worker(number, 1, "cpu")
        self.greet(name, number)
        return name

    def greet(self, name: str, number: int) -> None:
        """Deliver a worker's Hello."""
        hello = Hello.from_bytes(self.workers[name].hello())
        changed = replace(hello, **self.hellos.get(number, {}))
        self.events.put(Event(name, changed.to_bytes()))

    def send(self, worker: str, message: bytes, *, is_shared: bool = False) -> None:
        if kind_of(message) == Unit.__name__:
            unit = Unit.from_bytes(message)
            self.units.append((worker, unit))
            if self._do(self, worker, unit, message):
                return
        self.answer(worker, message)

    def answer(self, worker: str, message: bytes) -> None:
        self.events.put(Event(worker, self.workers[worker].answer(message)))

    def lose(self, worker: str, why: str = "lost by the test") -> None:
        self.events.put(Event(worker, None, why))

    def end(self, worker: str) -> None:
        pass

    def close(self) -> None:
        self.is_closed = True


def failed(unit: Unit, error: str, *, is_memory: bool = False) -> bytes:
    """Return the result of a failed unit."""
    return Result(unit.id, [], 0.0, 0.0, error=error, is_memory=is_memory).to_bytes()


QUICK = SearchOptions(
    data="tests",
    proposers=("known", "learn", "enumerate"),
    library=False,
    device="cpu",
    n_threads=1,
    off=frozenset({"turned-rules", "grow_tree"}),
)


def solved_with(
    tasks: Sequence[Task],
    workers: str | Inline | None = None,
    *,
    options: SearchOptions = QUICK,
    budget_s: float = FOREVER_S,
    max_rounds: int | None = 2,
    watcher: Watcher | None = None,
    folder: Path | None = None,
    traced: Sequence[str] = (),
    survives_errors: bool = False,
) -> Loop:
    """Run a loop with a cluster, or without one in this process, and return it."""
    cluster: Cluster | None = None
    if isinstance(workers, str):
        cluster = open_cluster(workers, options, folder)
    elif workers is not None:
        cluster = Cluster(workers, options, folder)
    with Pool.in_memory() as pool:
        fill_pool(pool, library=options.library)
        loop = Loop(
            TaskBoard(tasks, device="cpu", n_threads=1),
            pool,
            make_proposers(options.proposers, options),
            workers=cluster,
            watcher=watcher,
            traced=traced,
            survives_errors=survives_errors,
        )
        loop.run(budget_s, max_rounds)
    return loop


def cluster_of(loop: Loop) -> Cluster:
    assert isinstance(loop.workers, Cluster)
    return loop.workers


def outcome(loop: Loop) -> Any:
    """Return everything that must not depend on which workers did the work."""
    kept = kept_candidates(loop)
    for rows in kept.values():
        for row in rows:
            del row["found_s"]
    attempts = [
        [[attempt.grid for attempt in test.attempts] for test in ranked.tests]
        for ranked in loop.rank()
    ]
    counts = {
        name: (count.n_tasks, count.n_rounds, count.n_proposed, count.n_kept, count.n_first)
        for name, count in loop.counts.items()
    }
    done = {
        f"{proposer.name} {item}": sorted(noted)
        for proposer in loop.proposers
        for item, noted in loop.done_of(proposer.name, [task.id for task in loop.tasks]).items()
    }
    return json.dumps([kept, attempts, counts, done], sort_keys=True)
