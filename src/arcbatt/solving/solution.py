"""One task in, a `Solution` out: solving from Python."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcbatt.language import Program
from arcbatt.pool import Pool, merge
from arcbatt.tasks import Grid, Task

from .ranking import RankedTask
from .seeds import fill_pool
from .solver import Solver
from .stage_list import (
    DEFAULT_MAX_BYTES,
    STAGE_NAMES,
    StageOptions,
    describe_differences,
    make_stages,
)


@dataclass(frozen=True)
class Solution:
    """What was found for a task.

    `attempts` has for each test input two grids, the likelier first; `programs` what gave them,
    first attempts first; `confidence`, 0 to 1, says how sure they are (see `ranking`,
    where it is fitted to training); `fits` whether a program gives the output of every demo.
    """

    ranked: RankedTask
    fits: bool
    elapsed_s: float

    @property
    def task(self) -> Task:
        return self.ranked.task

    @property
    def attempts(self) -> list[tuple[Grid, Grid]]:
        return [(test.attempts[0].grid, test.attempts[1].grid) for test in self.ranked.tests]

    @property
    def programs(self) -> list[Program]:
        found = (kept.candidate.program for kept in self.ranked.winners)
        return [program for program in found if program is not None]

    @property
    def confidence(self) -> float:
        return self.ranked.confidence

    def __repr__(self) -> str:
        how = "a program fits all demos" if self.fits else "no program fits all demos"
        return f"<Solution of {self.task.id}: {how}, confidence {self.confidence:.2f}>"


def solve(
    task: Task,
    budget_s: float = 5.0,
    *,
    pool: str | Path | None = None,
    library: bool = True,
    stages: Sequence[str] = STAGE_NAMES,
    seed: int = 0,
    device: str = "auto",
    n_threads: int | None = None,
    max_rounds: int | None = None,
    off: Collection[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Solution:
    """Solve one task: two attempts at each of its test inputs, in so many seconds.

    What is known at the start are the bundled solvers, unless `library` is false, and the programs
    of a pool, which is only read. With `max_rounds`, no stage takes more rounds (generations, of
    evolve); a run that ends by that, before its budget, repeats exactly from its seed.
    `off` has names of what is switched off (`switches`); `max_bytes` bounds the memory of a search.
    """
    differences = Path(tempfile.gettempdir()) / "arcbatt-differences"
    with Pool.in_memory() as own:
        if pool is not None:
            merge(own, Path(pool))
        fill_pool(own, library=library)
        options = StageOptions(own, differences, seed, device, n_threads, frozenset(off), max_bytes)
        made = make_stages(stages, options)
        solver = Solver([task], made)
        solver.run(budget_s, max_rounds)
    if trouble := describe_differences(made):
        warnings.warn(trouble, RuntimeWarning, stacklevel=2)
    (ranked,) = solver.rank()
    return Solution(ranked, solver.candidates(task).fits, solver.elapsed_s)
