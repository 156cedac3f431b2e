"""Measure mutations: mutants per second by kind, and how many are well typed at first try.

    python bench/mutation.py [--seconds 1]

Prints two tables. Parents and donors are the bundled solvers; one core.

The first shows, per kind, mutants per second, the fraction of well-typed drafts, and that of
mutants that return a value on the first demo of the task of their final parent. The second shows
all kinds, equally often: with recurring parents, with a new parent each time (the last
mutant), and for cards of 32.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Program
from arcbatt.library import library_programs
from arcbatt.proposers.evolve.cards import deal
from arcbatt.proposers.evolve.mutation import KINDS, Donors, Mutant, Mutator
from arcbatt.proposers.evolve.mutation.anatomy import anatomy_of
from arcbatt.proposers.evolve.mutation.kinds import MutationContext
from arcbatt.tasks import find_task

N_DRAFTS = 4_000
N_RUN = 400


def rate(work: Callable[[], int], seconds: float) -> float:
    """Repeat work for some time; return the sum of its results per second."""
    n_made, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        n_made += work()
    return n_made / elapsed


def well_typed(kind: str, parents: list[Program], donors: Donors) -> float:
    """Return the fraction of well-typed drafts among those that changed something."""
    context = MutationContext(random.Random(0), donors)
    how = KINDS[kind]
    anatomies = [anatomy_of(context.draw(parents)) for _ in range(N_DRAFTS)]
    drafts = [how.make(context, anatomy) for anatomy in anatomies if how.spots(anatomy)]
    made = [draft for draft in drafts if draft is not None]
    return sum(draft.result is not None for draft in made) / len(made)


def give_values(mutants: list[Mutant]) -> float:
    """Return the fraction of mutants that return a value on a demo of their parent's task."""
    n_given = 0
    for mutant in mutants:
        task = find_task(mutant.parents[-1].name.removeprefix("solve_"))
        demos = tuple((demo.input, demo.output) for demo in task.demos)
        samples = Samples([task.demos[0].input], demos=[demos])
        n_given += int(Batt([mutant.program]).run(samples, device="cpu").reasons[0, 0] == 0)
    return n_given / len(mutants)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="for each row")
    seconds = parser.parse_args().seconds
    parents = [parsed.program for parsed in library_programs()]
    donors = Donors(parents)
    rng = random.Random(0)
    mutator = Mutator(donors, rng)

    table = Table(title=f"mutants of {len(parents)} programs, by kind")
    table.add_column("kind")
    for heading in ("mutants per second", "well typed at first try", "return a value"):
        table.add_column(heading, justify="right")
    for kind in mutator.kinds:
        made = rate(
            lambda kind=kind: mutator.mutate_by(kind, rng.choice(parents)) is not None, seconds
        )
        mutants: list[Mutant] = []
        while len(mutants) < N_RUN:
            mutant = mutator.mutate_by(kind, rng.choice(parents))
            if mutant is not None:
                mutants.append(mutant)
        share = well_typed(kind, parents, donors)
        table.add_row(kind, f"{made:,.0f}", f"{share:.0%}", f"{give_values(mutants):.0%}")
    Console().print(table)

    table = Table(title="all kinds, as drawn")
    table.add_column("parents")
    table.add_column("mutants per second", justify="right")
    again = rate(lambda: mutator.mutate(rng.choice(parents)) is not None, seconds)
    table.add_row("recurring", f"{again:,.0f}")
    line = [rng.choice(parents)]

    def mutate_last() -> int:
        mutant = mutator.mutate(line[0])
        line[0] = rng.choice(parents) if mutant is None else mutant.program
        return mutant is not None

    table.add_row("a new one each time", f"{rate(mutate_last, seconds):,.0f}")
    seeds = iter(range(10**9))
    cards = rate(lambda: len(deal(donors, 32, next(seeds)).mutants), seconds)
    table.add_row("cards of 32, distinct, not fused", f"{cards:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
