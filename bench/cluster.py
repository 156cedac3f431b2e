"""Measure the overhead of a cluster, and how many workers one driver can serve.

    python bench/cluster.py                  40 tasks of ARC-AGI-1 training, known, learn, enumerate
    python bench/cluster.py --ray            also with Ray on this machine
    python bench/cluster.py --tasks 400      all of them

Prints three tables: throughput compared with the threads of one process, in CPU time, which does
not depend on other load; messages by proposer and item; and a simulation that replays the units of
the run, with their measured times, on up to thousands of workers of one driver.
"""

from __future__ import annotations

import argparse
import heapq
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.table import Table

from arcbatt.evaluation import TaskBoard
from arcbatt.pool import Pool
from arcbatt.proposers import make_proposers
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.solving import Loop, SearchOptions
from arcbatt.solving.cluster import Cluster, open_cluster
from arcbatt.solving.cluster.messages import Result, Unit
from arcbatt.solving.cluster.transport import Event
from arcbatt.tasks import Task, load

FOREVER_S = 1e6
N_SIMULATED = (10, 30, 100, 300, 1000, 3000)
# A driver that is busy for a larger fraction of the time keeps workers waiting.
SATURATED = 0.95


@dataclass
class UnitCost:
    """The measurements of one unit."""

    proposer: str
    item: str
    n_tasks: int
    n_bytes_sent: int
    n_bytes_received: int = 0
    unit_s: float = 0.0  # CPU time of the worker
    driver_s: float = 0.0  # CPU time of the driver


@dataclass
class Run:
    name: str
    wall_s: float
    driver_s: float
    workers_s: float
    start_s: float
    n_fitted: int
    sent: list[UnitCost] = field(default_factory=list)

    @property
    def cpu_s(self) -> float:
        return self.driver_s + self.workers_s


class MeasuredCluster(Cluster):
    """A cluster that records the time of every unit."""

    sent: dict[str, UnitCost]

    def _send(self, name: str, unit: Unit) -> None:
        began_s = time.thread_time()
        before = self.workers[name].n_bytes_sent
        super()._send(name, unit)
        n_bytes = self.workers[name].n_bytes_sent - before
        self.sent[unit.id] = UnitCost(unit.proposer, unit.item, len(unit.tasks), n_bytes)
        self.sent[unit.id].driver_s = time.thread_time() - began_s

    def _take(self, event: Event) -> None:
        began_s = time.thread_time()
        super()._take(event)
        elapsed_s = time.thread_time() - began_s
        if event.message is not None and self.last is not None:
            sent = self.sent[self.last.unit]
            sent.n_bytes_received, sent.unit_s = len(event.message), self.last.cpu_s
            sent.driver_s += elapsed_s
            self.last = None

    last: Result | None = None

    def _take_result(self, worker: object, result: Result, n_bytes: int) -> None:
        super()._take_result(worker, result, n_bytes)  # type: ignore[arg-type]
        self.last = result


def run(name: str, tasks: Sequence[Task], options: SearchOptions, rounds: int) -> Run:
    """Solve tasks with the threads of this process, or with the named cluster."""
    cluster = None
    if name.startswith("threads:"):
        options = replace(options, n_threads=int(name.partition(":")[2]))
    else:
        cluster = open_cluster(name, options)
        cluster.__class__ = MeasuredCluster
        assert isinstance(cluster, MeasuredCluster)
        cluster.sent = {}
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Pool.in_memory() as pool:
        fill_pool(pool, library=options.library)
        board = TaskBoard(tasks, device="cpu", n_threads=options.n_threads)
        made = make_proposers(options.proposers, options)
        loop = Loop(board, pool, made, workers=cluster)
        loop.run(FOREVER_S, rounds)
    measured = Run(
        name,
        wall_s=time.perf_counter() - began_s,
        driver_s=time.process_time() - began_cpu_s,
        workers_s=0.0,
        start_s=0.0,
        n_fitted=loop.n_fitted,
    )
    if isinstance(cluster, MeasuredCluster):
        measured.sent = list(cluster.sent.values())
        measured.workers_s = sum(worker.cpu_s for worker in cluster.workers.values())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        all_s = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
        # Ray's workers are not child processes, so their startup time is unknown.
        measured.start_s = max(all_s - measured.workers_s, 0.0) if name.startswith("local") else 0.0
    return measured


def overhead(console: Console, runs: Sequence[Run]) -> None:
    table = Table(title="the same work on threads and on workers (CPU seconds)")
    for heading in ("workers", "fitted", "work", "driver", "total", "relative to threads"):
        table.add_column(heading, justify="right" if heading != "workers" else "left")
    table.add_column("worker startup", justify="right")
    table.add_column("wall", justify="right")
    for each in runs:
        alone = each.name.startswith("threads")
        table.add_row(
            each.name,
            str(each.n_fitted),
            f"{each.cpu_s if alone else each.workers_s:.1f}",
            "" if alone else f"{each.driver_s:.2f}",
            f"{each.cpu_s:.1f}",
            f"{each.cpu_s / runs[0].cpu_s - 1:+.1%}",
            f"{each.start_s:.1f}" if each.start_s else "",
            f"{each.wall_s:.1f}",
        )
    console.print(table)


def messages(console: Console, sent: Sequence[UnitCost]) -> None:
    table = Table(title="messages per task, and the driver's work")
    for heading in ("item", "units", "tasks per unit", "bytes out", "bytes back", "worker CPU"):
        table.add_column(heading, justify="right" if heading != "item" else "left")
    table.add_column("driver CPU per result", justify="right")
    by_item: dict[str, list[UnitCost]] = {}
    for each in sent:
        by_item.setdefault(f"{each.proposer}, {each.item}", []).append(each)
    for item, those in [*by_item.items(), ("all", list(sent))]:
        n_tasks = sum(each.n_tasks for each in those)
        table.add_row(
            item,
            str(len(those)),
            f"{n_tasks / len(those):.1f}",
            f"{sum(each.n_bytes_sent for each in those) / n_tasks:,.0f}",
            f"{sum(each.n_bytes_received for each in those) / n_tasks:,.0f}",
            f"{1e3 * sum(each.unit_s for each in those) / n_tasks:,.0f} ms",
            f"{1e3 * statistics.mean(each.driver_s for each in those):.2f} ms",
        )
    console.print(table)


def simulate(
    units: Sequence[UnitCost], n_workers: int, units_per_worker: int
) -> tuple[float, float]:
    """Return the fractions of time in which the driver and the workers are busy.

    Each worker has one unit. Its result waits until the driver, which handles one result at a time,
    has taken it and sent the next unit. Units are replayed in order, repeatedly.
    """

    def replayed() -> Iterator[UnitCost]:
        while True:
            yield from units

    queue = replayed()
    at_work = [(each.unit_s, k) for k, each in zip(range(n_workers), queue, strict=False)]
    heapq.heapify(at_work)
    now_s = driver_s = workers_s = 0.0
    for _ in range(n_workers * units_per_worker):
        back_s, worker = heapq.heappop(at_work)
        unit = next(queue)
        now_s = max(now_s, back_s) + unit.driver_s
        driver_s += unit.driver_s
        workers_s += unit.unit_s
        heapq.heappush(at_work, (now_s + unit.unit_s, worker))
    return driver_s / now_s, min(workers_s / (now_s * n_workers), 1.0)


def simulation(console: Console, sent: Sequence[UnitCost]) -> None:
    table = Table(title="busy workers by their number, one core each, one driver; units replayed")
    for heading in ("units of", "worker per unit", "driver per unit"):
        table.add_column(heading, justify="right" if heading != "units of" else "left")
    for n_workers in N_SIMULATED:
        table.add_column(f"{n_workers:,}", justify="right")
    table.add_column("saturated at", justify="right")
    by_item: dict[str, list[UnitCost]] = {"all": list(sent)}
    for each in sent:
        by_item.setdefault(f"{each.proposer}, {each.item}", []).append(each)
    for item, those in by_item.items():
        unit_s = statistics.mean(each.unit_s for each in those)
        driver_s = statistics.mean(each.driver_s for each in those)
        busy = [simulate(those, n_workers, 20) for n_workers in N_SIMULATED]
        table.add_row(
            item,
            f"{1e3 * unit_s:,.0f} ms",
            f"{1e3 * driver_s:.2f} ms",
            *(f"{workers:.0%}" for _, workers in busy),
            f"{saturation(those):,}",
        )
    table.caption = "saturated: the smallest number of workers that keeps the driver busy"
    console.print(table)


def saturation(units: Sequence[UnitCost]) -> int:
    """Return the smallest number of workers that saturates the driver."""
    low, high = 1, 2
    while simulate(units, high, 20)[0] < SATURATED and high < 1_000_000:
        low, high = high, 2 * high
    while high - low > max(low // 50, 1):
        middle = (low + high) // 2
        if simulate(units, middle, 20)[0] < SATURATED:
            low = middle
        else:
            high = middle
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument(
        "--tasks", type=int, default=40, help="number of training tasks, evenly spaced"
    )
    parser.add_argument("--rounds", type=int, default=4, help="rounds of each proposer")
    parser.add_argument("--ray", action="store_true", help="also measure Ray on this machine")
    args = parser.parse_args()
    tasks = list(load("arc-agi-1/training"))[:: max(400 // args.tasks, 1)]
    options = SearchOptions(
        data="arc-agi-1/training",
        proposers=("known", "learn", "enumerate"),
        library=False,
        device="cpu",
        n_threads=1,
    )
    names = ["threads:2", "local:1", "local:2", *(["auto"] if args.ray else [])]
    runs = [run(name, tasks, options, args.rounds) for name in names]
    console = Console(width=140)
    overhead(console, runs)
    messages(console, runs[2].sent)
    simulation(console, runs[2].sent)


if __name__ == "__main__":
    main()
