"""Tables and notices about the workers of a cluster."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any

from rich import box
from rich.table import Table

from arcbatt.solving import Loop
from arcbatt.solving.cluster import Cluster, WorkerCount
from arcbatt.solving.cluster.driver import LOST, REFUSED

from .console import print_notice
from .units import format_duration

# At most this many workers are shown, the busiest first.
MAX_SHOWN = 16


def worker_tables(loop: Loop) -> list[Table]:
    """Return a table of the workers and their work, if there are any."""
    cluster = loop.workers
    if not isinstance(cluster, Cluster) or not cluster.workers:
        return []
    # Copied, since another thread may add workers meanwhile.
    workers = list(cluster.workers.values())
    workers.sort(key=lambda each: -each.wall_s)
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("worker", "on", "now"):
        table.add_column(heading)
    for heading in ("units", "tasks", "rounds", "units per minute", "busy", "time"):
        table.add_column(heading, justify="right")
    for worker in workers[:MAX_SHOWN]:
        table.add_row(*_cells(worker))
    n_lost = sum(worker.state in (LOST, REFUSED) for worker in workers)
    notes = [f"lost or left out: {n_lost}", f"units sent again: {cluster.n_retries}"]
    if len(workers) > MAX_SHOWN:
        notes.append(f"the {MAX_SHOWN} busiest are shown")
    table.caption, table.caption_justify = "; ".join(notes), "left"
    return [table]


def _cells(worker: WorkerCount) -> tuple[str, ...]:
    lived_s = max((worker.ended_s or perf_counter()) - worker.began_s, 1e-9)
    where = ", ".join([worker.host, *worker.gpus]) if worker.host else ""
    return (
        worker.name,
        where,
        worker.state,
        f"{worker.n_units:,}",
        f"{worker.n_tasks:,}",
        f"{worker.n_rounds:,}",
        f"{worker.n_units / lived_s * 60:,.0f}",
        f"{min(worker.wall_s / lived_s, 1):.0%}",
        format_duration(worker.wall_s),
    )


def print_worker_notices(loop: Loop) -> None:
    """Print the work that was given up because it lost workers."""
    if isinstance(loop.workers, Cluster):
        for message in loop.workers.given_up:
            print_notice(message)


def workers_to_json(loop: Loop) -> dict[str, Any]:
    """Return the workers as plain data, if there are any."""
    cluster = loop.workers
    if not isinstance(cluster, Cluster):
        return {}
    ran_on: Counter[str] = Counter()
    for worker in cluster.workers.values():
        ran_on.update(worker.ran_on)
    return {
        "cluster": {
            "name": cluster.transport.name,
            "retries": cluster.n_retries,
            "given_up": cluster.given_up,
            "ran_on": dict(ran_on),
            "workers": [worker.to_json() for worker in cluster.workers.values()],
        }
    }
