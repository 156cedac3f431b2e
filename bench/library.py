"""What the bundled library brings on tasks that it was not written for.

    python bench/library.py                              known programs and mutants of them
    python bench/library.py --whole --budget 900         all proposers, with and without it
    python bench/library.py --data arc-agi-1/training    while developing

Sets other than ARC-AGI-1 training are for measuring only. On training a tenth of the tasks is
solved at a time, without the programs that were written for them.
The budget is the CPU time of all threads. Of what mutation finds it says which programs of the
library were behind it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from fitting import Judge
from rich.console import Console
from rich.table import Table
from solve import Outcome, Setting, run, score, show

from arcbatt.library import library_programs
from arcbatt.pool import Pool
from arcbatt.pool.rows import LIBRARY
from arcbatt.scoring import is_right, load_answers
from arcbatt.solving import Loop
from arcbatt.tasks import Grid, Task, load
from arcbatt.tasks.program_names import program_name

N_PARTS = 10
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


def measure(
    parts: Sequence[Sequence[Task]],
    setting: Setting,
    judge: Judge,
    n_threads: int,
    budget_s: float,
) -> tuple[dict[str, Outcome], Counter[str]]:
    """Solve the parts one after the other; a row for all, one for each proposer; and parents."""
    rows = {setting.name: Outcome()}
    parents: Counter[str] = Counter()
    for tasks in parts:
        own = {program_name(task.id) for task in tasks}
        known = tuple(program for program in setting.programs if program.name not in own)
        given = replace(setting, programs=known)
        for loop, outcome in run(tasks, given, n_threads, 0, [budget_s / len(parts)]):
            by_proposer = score(loop, judge, outcome)
            parents += behind(loop, outcome.solved_ids)
            rows[setting.name].add(outcome)
            for name, each in by_proposer.items():
                rows.setdefault(f"first attempt by {name}", Outcome()).add(each)
    return rows, parents


def show_parents(console: Console, parents: Counter[str], n_shown: int) -> None:
    table = Table(title="programs of the library behind what was solved")
    table.add_column("program")
    table.add_column("tasks", justify="right")
    for name, n_tasks in parents.most_common(n_shown):
        table.add_row(name, str(n_tasks))
    console.print(table)
    console.print(f"{len(parents)} programs of the library are behind something")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="arc-agi-1/evaluation")
    parser.add_argument("--tasks", type=int, help="only so many, evenly chosen")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=600.0, metavar="SECONDS", help="of CPU")
    parser.add_argument("--parents", type=int, default=20, help="how many to show")
    parser.add_argument(
        "--whole", action="store_true", help="all proposers, with the library and without"
    )
    args = parser.parse_args()
    console = Console(width=130)
    tasks = list(load(args.data))
    if args.tasks:
        tasks = tasks[:: max(len(tasks) // args.tasks, 1)]
    answers = load_answers(args.data)

    def judge(task: Task, test: int, grid: Grid) -> bool:
        return is_right(answers, task.id, test, grid)

    named = {each.name for each in library_programs()}
    is_own = any(program_name(task.id) in named for task in tasks)
    parts = [tasks[k::N_PARTS] for k in range(N_PARTS)] if is_own else [tasks]
    programs = tuple(dict.fromkeys(each.program for each in library_programs()))
    with_it = Setting(name="with the library", programs=programs)
    settings = (
        (with_it, replace(with_it, name="without", programs=()))
        if args.whole
        else (replace(with_it, proposers=KNOWN_AND_MUTANTS),)
    )
    for setting in settings:
        rows, parents = measure(parts, setting, judge, args.threads, args.budget)
        title = f"{args.data}: {len(tasks)} tasks, {len(setting.programs)} programs known"
        show(console, f"{title}, {args.budget:.0f} CPU s, {args.threads} threads", rows)
        if setting.programs:
            show_parents(console, parents, args.parents)


if __name__ == "__main__":
    main()
