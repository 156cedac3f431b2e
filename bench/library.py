"""What the bundled library brings on tasks that it was not written for.

    python bench/library.py                              known programs and mutants of them
    python bench/library.py --whole --budget 900         all proposers, with and without it
    python bench/library.py --data arc-agi-1/training    while developing
    python bench/library.py --off variants               without a part (`arcbatt solve --off`)

Sets other than ARC-AGI-1 training are for measuring only. On training a part of the tasks, a
tenth, is solved at a time, without the programs that were written for them; with --jobs several
parts at a time, which is sooner done. The budget is the CPU time of all threads. Of what is found
it says which kind of mutation made it, and which programs of the library were behind it.
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
from arcbatt.proposers.switches import check_switches
from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import Loop
from arcbatt.tasks import Grid, Task, load
from arcbatt.tasks.program_names import program_name

KNOWN_AND_MUTANTS = frozenset({"known", "evolve"})


def ancestors(pool: Pool, digest: bytes) -> set[str]:
    """Return the names of the library's programs that a program was made from, or that it is."""
    found: set[str] = set()
    met = {digest}
    open_digests = [digest]
    while open_digests:
        row = pool.get(open_digests.pop())
        if row is None:
            continue
        if row.origin == LIBRARY:
            found.add(row.name)
            continue
        open_digests += [parent for parent in row.parents if parent not in met]
        met.update(row.parents)
    return found


def behind(loop: Loop, solved: Collection[str]) -> Counter[str]:
    """Count by program of the library the solved tasks whose best program it is behind."""
    found: Counter[str] = Counter()
    for task in loop.tasks:
        if task.id in solved:
            found.update(ancestors(loop.pool, loop.candidates(task).kept[0].program.result.digest))
    return found


@dataclass
class Part:
    """What came of some of the tasks: a row for all, one for each proposer; parents; mutations."""

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
    """Solve tasks without the programs that were written for them."""
    answers = load_answers(data)

    def judge(task: Task, test: int, grid: Grid) -> bool:
        return is_right(answers, task.id, test, grid)

    own = {program_name(task.id) for task in tasks}
    known = tuple(program for program in setting.programs if program.name not in own)
    found = Part({}, Counter(), Counter())
    for loop, outcome in run(tasks, replace(setting, programs=known), n_threads, seed, [budget_s]):
        by_proposer = score(loop, judge, outcome)
        found.rows[setting.name] = outcome
        for name, each in by_proposer.items():
            found.rows[f"first attempt by {name}"] = each
        found.parents.update(behind(loop, outcome.solved_ids))
        for proposer in sorted(KNOWN_AND_MUTANTS):
            for kind, counts in loop.parts().get(proposer, {}).items():
                if "tried" in counts:
                    for name in ("tried", "fitted"):
                        found.mutations[proposer, kind, name] += counts[name]
    return found


def sum_up(parts: Iterable[Part]) -> Part:
    """Return what came of all parts."""
    found = Part({}, Counter(), Counter())
    for part in parts:
        for name, outcome in part.rows.items():
            found.rows.setdefault(name, Outcome()).add(outcome)
        found.parents += part.parents
        found.mutations.update(part.mutations)
    return found


def show_parents(console: Console, parents: Counter[str], n_shown: int) -> None:
    table = Table(title="programs of the library behind what was solved")
    table.add_column("program")
    table.add_column("tasks", justify="right")
    for name, n_tasks in parents.most_common(n_shown):
        table.add_row(name, str(n_tasks))
    console.print(table)
    console.print(f"{len(parents)} programs of the library are behind something")


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
    parser.add_argument("--tasks", type=int, help="only so many, evenly chosen")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=600.0, metavar="SECONDS", help="of CPU")
    parser.add_argument("--parts", type=int, default=10, help="of training, one after the other")
    parser.add_argument("--jobs", type=int, default=1, help="so many parts at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parents", type=int, default=20, help="how many to show")
    parser.add_argument("--off", default="", metavar="NAMES", help="what is off, by commas")
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
            found = sum_up(map(solve, parts))
        else:
            with ProcessPoolExecutor(args.jobs, multiprocessing.get_context("spawn")) as processes:
                found = sum_up(processes.map(solve, parts))
        title = f"{args.data}: {len(tasks)} tasks, {len(setting.programs)} programs known"
        show(console, f"{title}, {args.budget:.0f} CPU s, {args.threads} threads", found.rows)
        show_mutations(console, found.mutations)
        if setting.programs:
            show_parents(console, found.parents, args.parents)


if __name__ == "__main__":
    main()
