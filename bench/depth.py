"""Measure deep enumeration: moves per second, the cover, memory, and contention of cores.

    python bench/depth.py                        40 training tasks, all of depth three, by role
    python bench/depth.py --views roles,plain --tasks 400 --processes 2    all tasks, two views
    python bench/depth.py --moves 400000         cut off as a pass of `solve` is
    python bench/depth.py --memory 1024          with the memory that `solve` gives a task
    python bench/depth.py --copies 16            one process alone, then 16 equal ones at once

A move is one application of a primitive to the value of one example, run or predicted from features
of the value. The walk includes look-ups and the making of pieces. Times are CPU times of the
searches. The largest task is the one with the highest memory, as the search counts it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from multiprocessing import get_context
from statistics import median

from rich.console import Console
from rich.table import Table

from arcbatt.proposers.enumerate import EnumerateOptions
from arcbatt.proposers.enumerate.search import search_view
from arcbatt.proposers.views import by_role, plain
from arcbatt.tasks import Task, load

VIEWS = {"roles": by_role, "plain": plain}
# Enough for all of depth three of any task.
ALL_MOVES = 10**9
MAX_MIB = 6144
# Processes take small parts of the tasks, since some tasks take far longer than others.
N_PARTS = 100


@dataclass
class Row:
    """The summed counts of the searches of one view."""

    n_tasks: int = 0
    n_fitted: int = 0
    n_cut: int = 0
    n_moves: int = 0
    n_predicted: int = 0
    n_pieces: int = 0
    walk_s: float = 0.0
    cover_s: float = 0.0
    n_bytes: int = 0  # the maximum over tasks
    largest: str = ""  # the task with that maximum

    @property
    def moves_per_s(self) -> float:
        return self.n_moves / self.walk_s if self.walk_s else 0.0

    def __add__(self, other: Row) -> Row:
        """Return the sum of both."""
        summed = {
            each.name: getattr(self, each.name) + getattr(other, each.name)
            for each in fields(self)
            if each.name not in ("n_bytes", "largest")
        }
        more = max(self, other, key=lambda row: row.n_bytes)
        return Row(**summed, n_bytes=more.n_bytes, largest=more.largest)


def search(
    data: str, n_tasks: int, view: str, options: EnumerateOptions, part: int = 0, n_parts: int = 1
) -> Row:
    """Search one part of the evenly spaced tasks of a set."""
    row = Row()
    for task in chosen(list(load(data)), n_tasks)[part::n_parts]:
        result = search_view(VIEWS[view](task), options)
        counts = result.counts
        row.n_tasks += 1
        row.n_fitted += any(stack.n_right == len(task.demos) for stack in result.stacks)
        row.n_cut += counts["was_cut"]
        row.n_moves += counts["n_applications"]
        row.n_predicted += counts["n_predicted"]
        row.n_pieces += counts["n_pieces"]
        row.walk_s += counts["size_s"] + counts["walk_s"]
        row.cover_s += counts["cover_s"]
        if counts["n_bytes"] > row.n_bytes:
            row.n_bytes, row.largest = counts["n_bytes"], task.id
    return row


def search_shared(n: int, data: str, n_tasks: int, view: str, options: EnumerateOptions) -> Row:
    """Search tasks in n processes."""
    n_parts = N_PARTS if n > 1 else 1
    with ProcessPoolExecutor(n, get_context("spawn")) as processes:
        parts = [
            processes.submit(search, data, n_tasks, view, options, part, n_parts)
            for part in range(n_parts)
        ]
        return sum((part.result() for part in parts), Row())


def chosen(tasks: Sequence[Task], n: int) -> Sequence[Task]:
    return tasks[:: max(len(tasks) // n, 1)]


def show(console: Console, title: str, rows: dict[str, Row]) -> None:
    table = Table(title=title)
    for heading in (
        "",
        "tasks",
        "cut off",
        "fit all demos",
        "moves",
        "predicted",
        "pieces",
        "walk",
        "moves per second",
        "cover",
        "largest task",
    ):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in rows.items():
        table.add_row(
            name,
            *map(str, (row.n_tasks, row.n_cut, row.n_fitted)),
            f"{row.n_moves / 1e6:.1f} million",
            f"{row.n_predicted / max(row.n_moves, 1):.0%}",
            f"{row.n_pieces / 1e6:.2f} million",
            f"{row.walk_s:.1f} s",
            f"{row.moves_per_s / 1e6:.2f} million",
            f"{row.cover_s:.1f} s",
            f"{row.n_bytes / 2**20:.0f} MiB, {row.largest}",
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="arc-agi-1/training")
    parser.add_argument("--tasks", type=int, default=40, help="this many, evenly spaced")
    parser.add_argument("--views", default="roles", help=f"of {', '.join(VIEWS)}")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--moves", type=int, default=ALL_MOVES, help="the maximum per task")
    parser.add_argument("--memory", type=int, default=MAX_MIB, help="MiB per task")
    parser.add_argument("--copies", type=int, help="of the search at once, after one alone")
    parser.add_argument("--processes", type=int, default=1, help="that share the tasks")
    args = parser.parse_args()
    if args.processes < 1 or (args.processes > 1 and args.copies):
        parser.error("--processes must be at least 1, and 1 with --copies")
    views = args.views.split(",")
    if unknown := set(views).difference(VIEWS):
        parser.error(f"unknown view: {', '.join(sorted(unknown))}; known: {', '.join(VIEWS)}")
    console = Console(width=130)
    options = EnumerateOptions(
        depth=args.depth,
        max_applications=args.moves,
        max_bytes=args.memory * 2**20,
        max_s=1e6,
        max_stacks=10,
    )
    given = [(args.data, args.tasks, view, options) for view in views]
    rows = {
        view: search_shared(args.processes, *each) for view, each in zip(views, given, strict=True)
    }
    title = f"{args.data}, {args.depth} moves deep, one core"
    if not args.copies:
        show(console, title, rows)
        return
    with ProcessPoolExecutor(args.copies, get_context("spawn")) as processes:
        for view, each in zip(views, given, strict=True):
            copies = [
                future.result()
                for future in [processes.submit(search, *each) for _ in range(args.copies)]
            ]
            slowest = min(copies, key=lambda row: row.moves_per_s)
            rows[f"{view}, slowest of {args.copies}"] = slowest
            part = median(row.moves_per_s for row in copies) / rows[view].moves_per_s
            console.print(
                f"{view}: the median of {args.copies} at once has {part:.0%} of the moves per "
                f"second of one alone"
            )
    show(console, title, rows)


if __name__ == "__main__":
    main()
