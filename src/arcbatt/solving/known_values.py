"""The pool as a preprocessor: what known programs make of the input, as values to enumerate from.

A known program rarely solves another task, but half of one it may: what it gives is a seed beside
the input, and its nodes are part of whatever program is found from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from arcbatt.engine.batt import Batt
from arcbatt.language import Failure, Program
from arcbatt.measure import phase
from arcbatt.pool import Pool
from arcbatt.search.enumerating import Seed
from arcbatt.search.evolving import MUTANT_BUDGET
from arcbatt.search.validating import SampleGrids
from arcbatt.tasks import Grid, Task

from .candidates import submittable

# Of a task, so many values at most; each costs about what the input does, less one step.
MAX_KNOWN = 12
KNOWN_DEPTH = 1


def solvers_of(pool: Pool) -> Iterator[Program]:
    """Return the solvers of a pool, in its order."""
    return pool.solvers()


class KnownValues:
    """What some programs make of the examples of tasks; may be asked by several threads."""

    def __init__(self, load: Callable[[], Sequence[Program]]) -> None:
        """`load` returns the programs."""
        self._load = load

    @cached_property
    def _batt(self) -> Batt:
        programs = self._load()
        with phase("fuse"):
            return Batt(programs)

    def prepare(self) -> None:
        """Load and fuse the programs now, before several threads ask."""
        _ = self._batt

    @phase("run")
    def seeds(self, task: Task) -> list[Seed]:
        """Return values that are grids in every example, those nearest to the outputs first.

        Nearest: with the size of the output in most demos, then with the fewest wrong cells in
        those, then of the smallest program. None is the input itself or gives all outputs, which
        would be a solution and no step to one, and no two are the same.
        """
        batt = self._batt
        if not batt.programs:
            return []
        grids = SampleGrids.of_task(task)
        result = batt.run(grids.packed, MUTANT_BUDGET, device="cpu", n_threads=1, keep_values=True)
        found: dict[tuple[Grid, ...], tuple[tuple[int, int, int, int], Seed]] = {}
        for place in (result.reasons == 0).all(axis=1).nonzero()[0].tolist():
            program = batt.programs[place]
            values = []
            for k in range(len(grids.inputs)):
                outcome = result.outcome(place, k)
                grid = None if isinstance(outcome, Failure) else submittable(outcome)
                if grid is None:
                    break
                values.append(grid)
            given = tuple(values)
            if len(given) < len(grids.inputs) or given == grids.inputs:
                continue
            distance = _distance(given, task)
            rank = (*distance, program.n_calls, place)
            if distance == (0, 0):
                continue
            if given not in found or rank < found[given][0]:
                found[given] = (rank, Seed(program.result, given, KNOWN_DEPTH))
        best = sorted(found.values(), key=lambda each: each[0])
        return [seed for _, seed in best[:MAX_KNOWN]]


def _distance(given: Sequence[Grid], task: Task) -> tuple[int, int]:
    """In how many demos the size is not the output's, and the wrong cells in the others."""
    n_other_size = n_wrong = 0
    for grid, demo in zip(given, task.demos, strict=False):
        if (len(grid), len(grid[0])) != (len(demo.output), len(demo.output[0])):
            n_other_size += 1
            continue
        n_wrong += sum(
            a != b
            for row, wanted in zip(grid, demo.output, strict=True)
            for a, b in zip(row, wanted, strict=True)
        )
    return n_other_size, n_wrong
