"""Tasks in, a `Solution` for each out: solving from Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from numbers import Real
from pathlib import Path
from typing import final, overload

from arcbatt.display import Displayed
from arcbatt.drawing.notebook import program_html
from arcbatt.drawing.pages import render_page, trusted
from arcbatt.drawing.pixels import thumbnail
from arcbatt.drawing.svg import svg_call
from arcbatt.evaluation import TaskBoard
from arcbatt.explainer import say_rules
from arcbatt.language import Program
from arcbatt.plurals import count
from arcbatt.pool import Pool, PoolError, merge_open
from arcbatt.proposers import PROPOSER_NAMES, Proposer, make_proposers
from arcbatt.proposers.evolve import DEFAULT_CARD_SIZE, choose_card_size
from arcbatt.proposers.presets import DEFAULT_MAX_BYTES
from arcbatt.tasks import Grid, Task, TaskSet, UnknownTask, to_task, to_tasks
from arcbatt.tasks.submission import Submission, write_submission

from .cluster import Cluster, open_cluster
from .loop import Loop, Watcher
from .progress import watching
from .ranking import RankedTask
from .report.submission import make_submission
from .run import RunOptions, describe_trouble, fill_from, whole_number

# Of many solutions, so many are shown at once.
MAX_SHOWN = 20
EVOLVE = "evolve"


@dataclass(frozen=True)
class Solution(Displayed):
    """What was found for a task.

    `attempts` has two grids for each test input, the likelier first; `programs` are the programs
    that gave them, those of first attempts first; `confidence`, 0 to 1, says how sure they are (see
    `ranking`, where it is fitted to training); `fits` says whether a program gives the output of
    every demo.
    """

    ranked: RankedTask
    fits: bool
    elapsed_s: float
    is_interrupted: bool = False

    @property
    def task(self) -> Task:
        """The task that it is a solution of."""
        return self.ranked.task

    @property
    def attempts(self) -> list[tuple[Grid, Grid]]:
        """Two grids for each test input, the likelier first."""
        return [(test.attempts[0].grid, test.attempts[1].grid) for test in self.ranked.tests]

    @property
    def programs(self) -> list[Program]:
        """The programs that gave the attempts, those of first attempts first, each once."""
        return [candidate.program for candidate in self.ranked.winners]

    @property
    def confidence(self) -> float:
        """How sure it is, 0 to 1, that one of the two attempts is right."""
        return self.ranked.confidence

    @cached_property
    def rules(self) -> list[str]:
        """What the first of the programs has learnt from the demos, in words, line by line."""
        evaluate = partial(TaskBoard([self.task], device="cpu", n_threads=1).learnt, self.task)
        return [line for program in self.programs[:1] for line in say_rules(program, evaluate)]

    @property
    def submission(self) -> Submission:
        """The attempts in Kaggle's format."""
        return make_submission([self.ranked])

    def say(self) -> str:
        """Return what was found, in one line."""
        how = "a program fits all demos" if self.fits else "no program fits all demos"
        ended = ", interrupted" if self.is_interrupted else ""
        return f"{how}, confidence {self.confidence:.2f}{ended}"

    def __repr__(self) -> str:
        return f"<Solution of {self.task.id}: {self.say()}>"

    def _repr_svg_(self) -> None:
        return None

    def _repr_html_(self) -> str:
        drawings = [
            trusted(svg_call([grid], attempts))
            for grid, attempts in zip(self.task.test_inputs, self.attempts, strict=True)
        ]
        return render_page(
            "arcbatt.solving",
            "solution.html",
            solution=self,
            drawings=drawings,
            programs=[trusted(program_html(program.text)) for program in self.programs],
        )


@final
class Solutions(Displayed, Sequence[Solution]):
    """What was found for several tasks, in ascending order of their ids.

    `solutions[0]`, `solutions["67a3c6ac"]`, `len(solutions)`; `save` writes a submission.
    """

    def __init__(
        self, solutions: Sequence[Solution], elapsed_s: float, is_interrupted: bool
    ) -> None:
        self._solutions = tuple(solutions)
        self._by_id = {solution.task.id: solution for solution in solutions}
        self.elapsed_s = elapsed_s
        self.is_interrupted = is_interrupted

    @property
    def n_fitted(self) -> int:
        """The number of tasks for which some program gives the output of every demo."""
        return sum(solution.fits for solution in self._solutions)

    @property
    def submission(self) -> Submission:
        """Two attempts at every test input of every task, in Kaggle's format."""
        return make_submission([solution.ranked for solution in self._solutions])

    def save(self, path: str | Path) -> None:
        """Write the submission to a file; it is written whole or not at all."""
        write_submission(path, self.submission)

    @overload
    def __getitem__(self, key: int | str) -> Solution: ...
    @overload
    def __getitem__(self, key: slice) -> Solutions: ...
    def __getitem__(self, key: int | str | slice) -> Solution | Solutions:
        if isinstance(key, str):
            if key not in self._by_id:
                raise UnknownTask(key, "these solutions", self._by_id)
            return self._by_id[key]
        if isinstance(key, slice):
            return Solutions(self._solutions[key], self.elapsed_s, self.is_interrupted)
        return self._solutions[key]

    def __iter__(self) -> Iterator[Solution]:
        return iter(self._solutions)

    def __len__(self) -> int:
        return len(self._solutions)

    def __repr__(self) -> str:
        ended = ", interrupted" if self.is_interrupted else ""
        return f"<Solutions: programs fit {self.n_fitted} of {count(len(self), 'task')}{ended}>"

    def _repr_svg_(self) -> None:
        return None

    def _repr_html_(self) -> str:
        ordered = sorted(self._solutions, key=lambda each: (-each.confidence, each.task.id))
        return render_page(
            "arcbatt.solving",
            "solutions.html",
            solutions=self,
            shown=ordered[:MAX_SHOWN],
            n_more=max(len(ordered) - MAX_SHOWN, 0),
            count=count,
            picture=thumbnail,
        )


def solve(
    task: Task | str,
    budget_s: float = 5.0,
    *,
    progress: bool | Watcher | None = None,
    pool: str | Path | None = None,
    keep_in: str | Path | None = None,
    library: bool = True,
    proposers: Sequence[str | Proposer] = PROPOSER_NAMES,
    seed: int = 0,
    device: str = "auto",
    n_threads: int | None = None,
    max_rounds: int | None = None,
    off: Collection[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Solution:
    """Solve one task, given itself or by its id: two attempts at each of its test inputs.

    The options are those of `solve_all`. An interrupt ends the search and returns what was found
    so far.
    """
    (solution,) = solve_all(
        [to_task(task)],
        budget_s,
        progress=progress,
        pool=pool,
        keep_in=keep_in,
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
    tasks: TaskSet | Sequence[Task | str] | str | Path,
    budget_s: float = 60.0,
    *,
    cluster: str | None = None,
    progress: bool | Watcher | None = None,
    pool: str | Path | None = None,
    keep_in: str | Path | None = None,
    library: bool = True,
    proposers: Sequence[str | Proposer] = PROPOSER_NAMES,
    seed: int = 0,
    device: str = "auto",
    n_threads: int | None = None,
    max_rounds: int | None = None,
    off: Collection[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> Solutions:
    """Solve tasks within one budget for all of them: two attempts at every test input.

    `tasks` is a set, its name or path, or several tasks or ids. `cluster` says where the work is
    done: "local:N" in N processes on this machine, "auto" or "HOST:PORT" on Ray, None in threads of
    this process. `progress` shows a bar where someone can see it (None), always (True) or never
    (False), or is a `Watcher`. The search starts from the bundled solvers, unless `library` is
    false, and from the programs of a `pool`, which is only read; `keep_in` is the file of a pool
    that keeps what is found. `proposers` are names, or your own proposers. No proposer has more
    than `max_rounds` rounds; a run that ends by its rounds, before its budget, repeats exactly from
    its `seed`. `off` has the names of what to leave out (`arcbatt.proposers.switches`); `max_bytes`
    bounds the memory of enumerating.

    An interrupt (Ctrl-C, or a notebook's stop button) ends the search and returns what was found.
    """
    if isinstance(off, str) or not isinstance(off, Collection):
        raise TypeError(f"what is off are several names: off=[{off!r}]")
    options = RunOptions(
        data="", pool=_path(pool), library=library, seed=seed, off=tuple(off), max_bytes=max_bytes
    )
    return _search(
        _board(to_tasks(tasks), device, n_threads),
        options,
        proposers,
        budget_s=budget_s,
        max_rounds=max_rounds,
        progress=progress,
        keep_in=keep_in,
        cluster=cluster,
    )


def evolve(
    tasks: TaskSet | Sequence[Task | str] | str | Path,
    budget_s: float = 60.0,
    *,
    cluster: str | None = None,
    progress: bool | Watcher | None = None,
    pool: str | Path | None = None,
    keep_in: str | Path | None = None,
    library: bool = True,
    seed: int = 0,
    device: str = "auto",
    n_threads: int | None = None,
    max_rounds: int | None = None,
    card_size: int | None = None,
) -> Solutions:
    """Evolve programs for tasks: mutate what works or nearly works, keep what works better.

    This is `solve_all` with evolution alone. `card_size` is the number of new programs a round: by
    default 800, or 3,200 if this machine has a GPU.
    """
    if card_size is None:
        card_size = choose_card_size(device) if cluster is None else DEFAULT_CARD_SIZE
    options = RunOptions(data="", pool=_path(pool), library=library, seed=seed, card_size=card_size)
    return _search(
        _board(to_tasks(tasks), device, n_threads),
        options,
        (EVOLVE,),
        budget_s=budget_s,
        max_rounds=max_rounds,
        progress=progress,
        keep_in=keep_in,
        cluster=cluster,
    )


def _path(pool: str | Path | None, name: str = "pool") -> str | None:
    if isinstance(pool, Pool):
        raise TypeError(f"a pool is given by its file: {name}={str(pool.path)!r}")
    if not isinstance(pool, str | os.PathLike | None):
        raise TypeError(f"{name} is a {type(pool).__name__}, expected the file of a pool")
    return None if pool is None else os.fspath(pool)


def _board(tasks: Sequence[Task], device: str, n_threads: int | None) -> TaskBoard:
    if not tasks:
        raise ValueError("no tasks were given")
    return TaskBoard(tasks, device=device, n_threads=n_threads)


def _open(
    cluster: str, options: RunOptions, board: TaskBoard, proposers: Sequence[str | Proposer]
) -> Cluster:
    names = tuple(each for each in proposers if isinstance(each, str))
    if len(names) < len(proposers):
        raise ValueError(
            "proposers of your own work in this process alone: leave them out, or the cluster"
        )
    return open_cluster(
        cluster,
        replace(options, proposers=names, device=board.device, n_threads=board.n_threads),
    )


def _keep(found: Pool, path: str | Path) -> None:
    """Put what was found into the pool of a file; that it cannot be done loses no solution."""
    try:
        with Pool.open(path, readonly=False) as kept:
            merge_open(kept, found)
    except PoolError as error:
        warnings.warn(f"what was found is not kept: {error}", RuntimeWarning, stacklevel=4)


def _search(
    board: TaskBoard,
    options: RunOptions,
    proposers: Sequence[str | Proposer],
    *,
    budget_s: float,
    max_rounds: int | None,
    progress: bool | Watcher | None,
    keep_in: str | Path | None,
    cluster: str | None,
) -> Solutions:
    """Run the loop over the tasks of a board in memory; return what was found, however it ended."""
    if not isinstance(budget_s, Real) or isinstance(budget_s, bool) or not budget_s > 0:
        raise ValueError(f"budget_s is {budget_s!r}, expected seconds, more than 0")
    if max_rounds is not None:
        max_rounds = whole_number("max_rounds", max_rounds, 1)
    made = make_proposers(proposers, options.to_proposers())
    if _path(keep_in, "keep_in") is not None:
        Pool.open(keep_in, readonly=False).close()  # a wrong place is said before the search
    workers = None if cluster is None else _open(cluster, options, board, proposers)
    is_interrupted = False
    with Pool.in_memory() as own:
        fill_from(own, options)
        with watching(progress) as watcher:
            loop = Loop(board, own, made, watcher=watcher, workers=workers)
            try:
                loop.run(float(budget_s), max_rounds)
            except KeyboardInterrupt:
                is_interrupted = True
        if keep_in is not None:
            loop.save()
            _keep(own, keep_in)
    if trouble := describe_trouble(loop):
        warnings.warn(trouble, RuntimeWarning, stacklevel=3)
    found = [
        Solution(ranked, loop.candidates(ranked.task).fits, loop.elapsed_s, is_interrupted)
        for ranked in loop.rank()
    ]
    return Solutions(found, loop.elapsed_s, is_interrupted)
