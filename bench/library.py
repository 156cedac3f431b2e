"""Measure the benefit of the bundled library on tasks that it was not written for.

    python bench/library.py                              known programs and mutants of them
    python bench/library.py --whole --budget 900         all proposers, with and without it
    python bench/library.py --data arc-agi-1/training    while developing
    python bench/library.py --off variants               without a part (`arcbatt solve --off`)

Sets other than ARC-AGI-1 training are for measuring only. On training, a tenth of the tasks is
solved at a time, without the programs written for them; --jobs solves several parts in parallel.
The budget is the CPU time of all threads. The output names, for each solution, the kind of mutation
and the library programs it derives from.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from rich.console import Console
from rich.table import Table
from solve import Outcome, Setting, run, score, show

from arcbatt.library import library_programs
from arcbatt.pool import Pool
from arcbatt.pool.rows import LIBRARY
from arcbatt.proposers.registry import check_switches
from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import Loop
from arcbatt.tasks import Grid, Task, load
from arcbatt.tasks.program_names import program_name

KNOWN_AND_MUTANTS = frozenset({"known", "evolve"})


def ancestors(pool: Pool, digest: bytes) -> set[str]:
    """Return the names of the library programs that a program derives from, or equals."""
    names: set[str] = set()
    seen = {digest}
    open_digests = [digest]
    while open_digests:
        row = pool.get(open_digests.pop())
        if row is None:
            continue
        if row.origin == LIBRARY:
            names.add(row.name)
            continue
        open_digests += [parent for parent in row.parents if parent not in seen]
        seen.update(row.parents)
    return names


def count_ancestors(loop: Loop, solved: Collection[str]) -> Counter[str]:
    """Count, per library program, the solved tasks whose best program derives from it."""
    counts: Counter[str] = Counter()
    for task in loop.tasks:
        if task.id in solved:
            counts.update(ancestors(loop.pool, loop.candidates(task).kept[0].program.result.digest))
    return counts


@dataclass
class Part:
    """The results of a part of the tasks: rows for all and per proposer; parents; mutations."""

    rows: dict[str, Outcome]
    parents: Counter[str]
    mutations: Counter[tuple[str, str, str]]


def solve_part(
    tasks: Sequence[Task],
    *,
    setting: Setting,
    data: str,
    n_threads: int,
    seed: int,
    budget_s: float,
) -> Part:
    """Solve tasks without the programs written for them."""
    answers = load_answers(data)

    def judge(task: Task, test: int, grid: Grid) -> bool:
        return is_right(answers, task.id, test, grid)

    own = {program_name(task.id) for task in tasks}
    known = tuple(program for program in setting.programs if program.name not in own)
    part = Part({}, Counter(), Counter())
    for loop, outcome in run(tasks, replace(setting, programs=known), n_threads, seed, [budget_s]):
        by_proposer = score(loop, judge, outcome)
        part.rows[setting.name] = outcome
        for name, each in by_proposer.items():
            part.rows[f"first attempt by {name}"] = each
        part.parents.update(count_ancestors(loop, outcome.solved_ids))
        for proposer in sorted(KNOWN_AND_MUTANTS):
            for kind, counts in loop.parts().get(proposer, {}).items():
                if "tried" in counts:
                    for name in ("tried", "fitted"):
                        part.mutations[proposer, kind, name] += counts[name]
    return part


def sum_up(parts: Iterable[Part]) -> Part:
    """Return the combined results of all parts."""
    total = Part({}, Counter(), Counter())
    for part in parts:
        for name, outcome in part.rows.items():
            total.rows.setdefault(name, Outcome()).add(outcome)
        total.parents += part.parents
        total.mutations.update(part.mutations)
    return total


def show_parents(console: Console, parents: Counter[str], n_shown: int) -> None:
    table = Table(title="library programs that solutions derive from")
    table.add_column("program")
    table.add_column("tasks", justify="right")
    for name, n_tasks in parents.most_common(n_shown):
        table.add_row(name, str(n_tasks))
    console.print(table)
    console.print(f"{len(parents)} library programs have a solution derived from them")


def show_mutations(console: Console, counts: Counter[tuple[str, str, str]]) -> None:
    table = Table(title="mutants by kind: variants of known programs, and those that evolve drew")
    for heading in ("proposer", "kind", "tried", "tasks fitted"):
        table.add_column(heading, justify="right" if "t" in heading[:2] else "left")
    kinds = dict.fromkeys((proposer, kind) for proposer, kind, _ in counts)
    for proposer, kind in sorted(kinds, key=lambda each: -counts[*each, "fitted"]):
        numbers = (counts[proposer, kind, name] for name in ("tried", "fitted"))
        table.add_row(proposer, kind, *(f"{number:,}" for number in numbers))
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="arc-agi-1/evaluation")
    parser.add_argument("--tasks", type=int, help="only this many, evenly spaced")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=600.0, metavar="SECONDS", help="of CPU")
    parser.add_argument("--parts", type=int, default=10, help="parts that training is split into")
    parser.add_argument("--jobs", type=int, default=1, help="parts solved at the same time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parents", type=int, default=20, help="rows of the table of ancestors")
    parser.add_argument("--off", default="", metavar="NAMES", help="switches to turn off")
    parser.add_argument(
        "--whole", action="store_true", help="all proposers, with the library and without"
    )
    args = parser.parse_args()
    console = Console(width=130)
    tasks = list(load(args.data))
    if args.tasks:
        tasks = tasks[:: max(len(tasks) // args.tasks, 1)]
    named = {each.name for each in library_programs()}
    is_own = any(program_name(task.id) in named for task in tasks)
    parts = [tasks[k :: args.parts] for k in range(args.parts)] if is_own else [tasks]
    programs = tuple(dict.fromkeys(each.program for each in library_programs()))
    off = check_switches(name for name in args.off.split(",") if name)
    with_it = Setting(name="with the library", programs=programs, off=off)
    settings = (
        (with_it, replace(with_it, name="without", programs=()))
        if args.whole
        else (replace(with_it, proposers=KNOWN_AND_MUTANTS),)
    )
    for setting in settings:
        solve = partial(
            solve_part,
            setting=setting,
            data=args.data,
            n_threads=args.threads,
            seed=args.seed,
            budget_s=args.budget / len(parts),
        )
        if args.jobs == 1:
            total = sum_up(map(solve, parts))
        else:
            with ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn")) as processes:
                total = sum_up(processes.map(solve, parts))
        title = f"{args.data}: {len(tasks)} tasks, {len(setting.programs)} programs known"
        show(console, f"{title}, {args.budget:.0f} CPU s, {args.threads} threads", total.rows)
        show_mutations(console, total.mutations)
        if setting.programs:
            show_parents(console, total.parents, args.parents)


if __name__ == "__main__":
    main()
