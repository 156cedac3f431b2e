"""Tasks in, a `Solution` of each out: solving from Python."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.pool import Pool
from arcbatt.proposers import PROPOSER_NAMES, make_proposers
from arcbatt.proposers.presets import DEFAULT_MAX_BYTES
from arcbatt.tasks import Grid, Task

from .cluster import open_cluster
from .loop import Loop
from .ranking import RankedTask
from .run import RunOptions, describe_trouble, fill_from


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
        return [candidate.program for candidate in self.ranked.winners]

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
    proposers: Sequence[str] = PROPOSER_NAMES,
    seed: int = 0,
    device: str = "auto",
    n_threads: int | None = None,
    max_rounds: int | None = None,
    off: Collection[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Solution:
    """Solve one task: two attempts at each of its test inputs, in so many seconds.

    What is known at the start are the bundled solvers, unless `library` is false, and the programs
    of a pool, which is only read. With `max_rounds`, no proposer has more rounds; a run that ends
    by that, before its budget, repeats exactly from its seed. `off` has names of what is switched
    off (`arcbatt.proposers.switches`); `max_bytes` bounds the memory of enumerating.
    """
    (solution,) = solve_all(
        [task],
        budget_s,
        pool=pool,
        library=library,
        proposers=proposers,
        seed=seed,
        device=device,
        n_threads=n_threads,
        max_rounds=max_rounds,
        off=off,
        max_bytes=max_bytes,
    )
    return solution


def solve_all(
    tasks: Sequence[Task],
    budget_s: float = 60.0,
    *,
    cluster: str | None = None,
    pool: str | Path | None = None,
    library: bool = True,
    proposers: Sequence[str] = PROPOSER_NAMES,
    seed: int = 0,
    device: str = "auto",
    n_threads: int | None = None,
    max_rounds: int | None = None,
    off: Collection[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> list[Solution]:
    """Solve tasks, all of them together in so many seconds; return their solutions in order.

    `cluster` names who works: "local:N" for N processes of this machine, "auto" or "HOST:PORT" for
    Ray; without one this process does, with threads. All else is as for `solve`.
    """
    options = RunOptions(
        data=tasks[0].source if tasks else "",
        proposers=tuple(proposers),
        pool=None if pool is None else str(pool),
        library=library,
        seed=seed,
        device=device,
        n_threads=n_threads,
        off=tuple(off),
        max_bytes=max_bytes,
    )
    differences = Path(tempfile.gettempdir()) / "arcbatt-differences"
    made = make_proposers(proposers, options.to_proposers(differences))
    workers = None if cluster is None else open_cluster(cluster, options)
    with Pool.in_memory() as own:
        fill_from(own, options)
        board = TaskBoard(tasks, device=device, n_threads=n_threads)
        loop = Loop(board, own, made, workers=workers)
        loop.run(budget_s, max_rounds)
    if trouble := describe_trouble(loop):
        warnings.warn(trouble, RuntimeWarning, stacklevel=2)
    return [
        Solution(ranked, loop.candidates(ranked.task).fits, loop.elapsed_s)
        for ranked in loop.rank()
    ]
