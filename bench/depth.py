"""How fast enumeration goes deep: moves a second, the cover, memory, and cores side by side.

    python bench/depth.py                        40 training tasks, all of depth three, by role
    python bench/depth.py --views roles,plain --tasks 400 --share 2      all, both views, two cores
    python bench/depth.py --moves 400000         cut off as a pass of `solve` is
    python bench/depth.py --memory 1024          in as much memory as `solve` gives a task
    python bench/depth.py --processes 16         alone, then so many side by side, all the same

A move is one application of a primitive to the value of one example, whether it had to be run or
its result was known; those that are not run are told by features of the value. The walk has the
look-ups in tables and the making of pieces in it. Seconds are those of one core, of the searches
alone; the largest task is the one that took most memory, which is counted by the search itself,
its cover included.
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

from arcbatt.proposers.enumerate.stacks import EnumerateOptions, enumerate_view
from arcbatt.proposers.enumerate.views import by_role, plain
from arcbatt.tasks import Task, load

VIEWS = {"roles": by_role, "plain": plain}
# Enough for all of depth three of any task.
ALL_MOVES = 10**9
MAX_MIB = 8192
# Tasks are shared out in so many parts, since some take far longer than others.
N_PARTS = 100


@dataclass
class Row:
    """What the searches of one view came to."""

    n_tasks: int = 0
    n_fitted: int = 0
    n_cut: int = 0
    n_moves: int = 0
    n_told: int = 0
    n_pieces: int = 0
    walk_s: float = 0.0
    cover_s: float = 0.0
    n_bytes: int = 0  # the most of one task
    largest: str = ""  # that task

    @property
    def moves_a_second(self) -> float:
        return self.n_moves / self.walk_s if self.walk_s else 0.0

    def __add__(self, other: Row) -> Row:
        """What both came to."""
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
    """Search tasks of a set, evenly chosen, one after the other; of parts of them only one."""
    row = Row()
    for task in chosen(list(load(data)), n_tasks)[part::n_parts]:
        found = enumerate_view(VIEWS[view](task), options)
        counts = found.counts
        row.n_tasks += 1
        row.n_fitted += any(stack.n_right == len(task.demos) for stack in found.stacks)
        row.n_cut += counts["was_cut"]
        row.n_moves += counts["n_applications"]
        row.n_told += counts["n_told"]
        row.n_pieces += counts["n_pieces"]
        row.walk_s += counts["size_s"] + counts["walk_s"] + counts["pieces_s"]
        row.cover_s += counts["cover_s"]
        if counts["n_bytes"] > row.n_bytes:
            row.n_bytes, row.largest = counts["n_bytes"], task.id
    return row


def search_shared(n: int, data: str, n_tasks: int, view: str, options: EnumerateOptions) -> Row:
    """Search tasks as `search` does, shared out to so many processes."""
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
        "not run",
        "pieces",
        "walk",
        "moves a second",
        "cover",
        "largest task",
    ):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in rows.items():
        table.add_row(
            name,
            *map(str, (row.n_tasks, row.n_cut, row.n_fitted)),
            f"{row.n_moves / 1e6:.1f} million",
            f"{row.n_told / max(row.n_moves, 1):.0%}",
            f"{row.n_pieces / 1e6:.2f} million",
            f"{row.walk_s:.1f} s",
            f"{row.moves_a_second / 1e6:.2f} million",
            f"{row.cover_s:.1f} s",
            f"{row.n_bytes / 2**20:.0f} MiB, {row.largest}",
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="arc-agi-1/training")
    parser.add_argument("--tasks", type=int, default=40, help="so many, evenly chosen")
    parser.add_argument("--views", default="roles", help=f"of {', '.join(VIEWS)}")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--moves", type=int, default=ALL_MOVES, help="of a task, at most")
    parser.add_argument("--memory", type=int, default=MAX_MIB, help="MiB of a task, at most")
    parser.add_argument("--processes", type=int, help="side by side, after one alone")
    parser.add_argument("--share", type=int, default=1, help="tasks out to so many processes")
    args = parser.parse_args()
    if args.share < 1 or (args.share > 1 and args.processes):
        parser.error("--share is at least 1, and is no use with --processes")
    views = args.views.split(",")
    if unknown := set(views).difference(VIEWS):
        parser.error(f"no such view: {', '.join(sorted(unknown))}; there are {', '.join(VIEWS)}")
    console = Console(width=130)
    options = EnumerateOptions(
        depth=args.depth,
        max_applications=args.moves,
        max_bytes=args.memory * 2**20,
        max_s=1e6,
        max_stacks=10,
    )
    given = [(args.data, args.tasks, view, options) for view in views]
    rows = {view: search_shared(args.share, *each) for view, each in zip(views, given, strict=True)}
    title = f"{args.data}, {args.depth} moves deep, one core"
    if not args.processes:
        show(console, title, rows)
        return
    with ProcessPoolExecutor(args.processes, get_context("spawn")) as processes:
        for view, each in zip(views, given, strict=True):
            beside = [
                future.result()
                for future in [processes.submit(search, *each) for _ in range(args.processes)]
            ]
            slowest = min(beside, key=lambda row: row.moves_a_second)
            rows[f"{view}, slowest of {args.processes}"] = slowest
            part = median(row.moves_a_second for row in beside) / rows[view].moves_a_second
            console.print(
                f"{view}: {args.processes} side by side have each, in the middle, "
                f"{part:.0%} of the moves a second of one alone"
            )
    show(console, title, rows)


if __name__ == "__main__":
    main()
