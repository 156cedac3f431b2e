"""Count the ARC-AGI-1 training tasks that variants of library programs solve, by kind of variant.

    python bench/variants.py                         all kinds
    python bench/variants.py --kinds delete,finish   only these

Each row has the number of programs of a kind, the CPU time to make and to run them on all tasks,
and the tasks that they solve: in total, and beyond the rows above. A program does not count on the
task that it, or its parent, was written for. A task is solved if one of the three cheapest programs
that fit its demos is right on its test inputs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator

import numpy as np
from rich.console import Console
from rich.table import Table

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.library import library_programs
from arcbatt.proposers.evolve.mutation import VARIANTS, Mutant
from arcbatt.proposers.first_programs import first_programs
from arcbatt.proposers.known import VARIED, batches, new_variants
from arcbatt.scoring import is_right, load_answers
from arcbatt.tasks import load
from arcbatt.tasks.program_names import program_name

DATA = "arc-agi-1/training"
N_TRIED = 3
UNCHANGED = "unchanged"


class Judge:
    """Finds the tasks that programs solve without having been written for them."""

    def __init__(self, n_threads: int) -> None:
        self.board = TaskBoard(load(DATA), device="cpu", n_threads=n_threads)
        self._answers = load_answers(DATA)
        self._written_for: dict[Program, set[str]] = {}
        for parsed in library_programs():
            self._written_for.setdefault(parsed.program, set()).add(parsed.name)

    def fitting(self, mutants: list[Mutant]) -> Iterator[tuple[int, int, Program]]:
        """Yield the index of a task, the steps, and a program that fits its demos."""
        result = self.board.screen(
            Batt([mutant.program for mutant in mutants]), held_out=True, skip_expensive=True
        )
        for p, t in np.argwhere(result.solved).tolist():
            written_for = set[str]().union(
                *(self._written_for.get(parent, ()) for parent in mutants[p].parents)
            )
            if program_name(self.board.tasks[t].id) not in written_for:
                yield t, int(result.steps[p, t]), mutants[p].program

    def solved(self, fitting: Iterable[tuple[int, int, Program]]) -> set[int]:
        """Return the indices of tasks that one of the cheapest fitting programs solves."""
        by_task: dict[int, list[tuple[int, Program]]] = {}
        for t, steps, program in fitting:
            by_task.setdefault(t, []).append((steps, program))
        return {t for t, each in by_task.items() if self._is_solved(t, each)}

    def _is_solved(self, t: int, fitting: list[tuple[int, Program]]) -> bool:
        task = self.board.tasks[t]
        cheapest = sorted(fitting, key=lambda each: each[0])[:N_TRIED]
        return any(
            all(
                grid is not None and is_right(self._answers, task.id, k, grid)
                for k, grid in enumerate(trial.outputs)
            )
            for trial in self.board.trials(task, [program for _, program in cheapest])
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default=",".join(VARIED), help="kinds of variants")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    kinds = args.kinds.split(",")
    if unknown := set(kinds).difference(VARIANTS):
        parser.error(f"unknown kind: {', '.join(sorted(unknown))}; known: {', '.join(VARIANTS)}")
    judge = Judge(args.threads)
    programs = list(dict.fromkeys(each.program for each in library_programs()))
    known = [*programs, *first_programs()]
    table = Table(title=f"variants of {len(known)} programs on {len(judge.board)} tasks")
    for heading in ("kind", "programs", "made", "run", "tasks fitted", "solved", "beyond above"):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    before: set[int] = set()
    for kind in (UNCHANGED, *kinds):
        began_s = time.process_time()
        if kind == UNCHANGED:
            made = [[Mutant(program, kind, (program,)) for program in known]]
        else:
            made = list(batches(new_variants(known, kind)))
        made_s, began_s = time.process_time() - began_s, time.process_time()
        fitting = [each for mutants in made for each in judge.fitting(mutants)]
        run_s = time.process_time() - began_s
        solved = judge.solved(fitting)
        numbers = (len({t for t, _, _ in fitting}), len(solved), len(solved - before))
        n_programs = sum(map(len, made))
        table.add_row(
            kind, f"{n_programs:,}", f"{made_s:.1f} s", f"{run_s:.1f} s", *map(str, numbers)
        )
        before |= solved
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
