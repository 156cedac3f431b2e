"""Solving from Python: `solve`, `solve_all` and `evolve`, and the solutions they return."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
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
from arcbatt.explainer import describe_rules
from arcbatt.interrupts import Interrupt, noting_interrupts
from arcbatt.language import Program
from arcbatt.plugins import loaded_plugins
from arcbatt.plurals import count
from arcbatt.pool import Pool
from arcbatt.proposers import PROPOSER_NAMES, Proposer
from arcbatt.proposers.evolve import DEFAULT_CARD_SIZE, EvolveOptions, choose_card_size
from arcbatt.proposers.options import whole_number
from arcbatt.tasks import Grid, Task, TaskSet, UnknownTask, to_task, to_tasks
from arcbatt.tasks.submission import Submission, write_submission

from .loop import Watcher
from .options import SearchOptions
from .progress import watching
from .ranking import RankedTask
from .report.submission import make_submission
from .search import Search, describe_trouble
from .store import MemoryStore

# The number of solutions that a notebook shows.
MAX_SHOWN = 20


@dataclass(frozen=True)
class Solution(Displayed):
    """The solution of a task: two attempts per test input, and the programs behind them.

    `fits` is whether a program gives the output of every demo.
    """

    ranked: RankedTask
    fits: bool
    elapsed_s: float
    is_interrupted: bool = False

    @property
    def task(self) -> Task:
        """The solved task."""
        return self.ranked.task

    @property
    def attempts(self) -> list[tuple[Grid, Grid]]:
        """Two grids per test input, the likelier first."""
        return [(test.attempts[0].grid, test.attempts[1].grid) for test in self.ranked.tests]

    @property
    def programs(self) -> list[Program]:
        """The programs behind the attempts, those of first attempts first, each once."""
        return [candidate.program for candidate in self.ranked.winners]

    @property
    def confidence(self) -> float:
        """The estimated probability that one of the two attempts is right."""
        return self.ranked.confidence

    @cached_property
    def rules(self) -> list[str]:
        """The rules that the first program has learned from the demos, line by line."""
        evaluate = partial(
            TaskBoard([self.task], device="cpu", n_threads=1).values_on_first_demo, self.task
        )
        return [line for program in self.programs[:1] for line in describe_rules(program, evaluate)]

    @property
    def submission(self) -> Submission:
        """The attempts in Kaggle's format."""
        return make_submission([self.ranked])

    def say(self) -> str:
        """Return a summary in one line."""
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
    """The solutions of several tasks, in ascending order of their ids.

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
        """The attempts at all tasks in Kaggle's format."""
        return make_submission([solution.ranked for solution in self._solutions])

    def save(self, path: str | Path) -> None:
        """Write the submission to a file, completely or not at all."""
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
    max_bytes: int | None = None,
    fail_fast: bool = False,
) -> Solution:
    """Solve one task, given as a `Task` or by its id, with the options of `solve_all`."""
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
        fail_fast=fail_fast,
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
    max_bytes: int | None = None,
    fail_fast: bool = False,
) -> Solutions:
    """Solve tasks within one budget for all of them: two attempts per test input.

    `tasks` is a set, its name or path, or several tasks or ids. `cluster` is where the work is
    done: "local:N" in N processes on this machine, "auto" or "HOST:PORT" on Ray, None in threads of
    this process. `progress` shows a bar in a notebook and on a terminal (None), anywhere (True) or
    nowhere (False), or is a `Watcher`. The search starts from the bundled solvers, unless `library`
    is false, and from the programs of a `pool`, which is only read; `keep_in` is the file of a pool
    to which new programs are added. `proposers` are names, or your own proposers. No proposer has
    more than `max_rounds` rounds; a run that ends by its rounds, before its budget, repeats exactly
    from its `seed`. `off` names parts to leave out (`arcbatt.proposers.registry`); `max_bytes`
    bounds the memory for values, by default to half of the machine's. An exception in a proposer
    ends that proposer, and is reported as a warning at the end; with `fail_fast` it is raised.

    An interrupt (Ctrl-C, or a notebook's stop button) ends the search early, and its results are
    returned.
    """
    if isinstance(off, str) or not isinstance(off, Collection):
        raise TypeError(f"off is a collection of names: off=[{off!r}]")
    if isinstance(proposers, str):
        raise TypeError(f"proposers is a sequence: proposers=[{proposers!r}]")
    options = SearchOptions(
        off=frozenset(off),
        max_bytes=max_bytes,
        evolve=EvolveOptions(seed=seed),
        proposers=tuple(each for each in proposers if isinstance(each, str)),
        pool=_path(pool),
        library=library,
        device=device,
        n_threads=n_threads,
        survives_errors=not fail_fast,
        plugins=tuple(loaded_plugins()),
    )
    own = [each for each in proposers if not isinstance(each, str)]
    return _search(
        options,
        to_tasks(tasks),
        budget_s,
        max_rounds,
        own_proposers=own,
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
    """Evolve programs for tasks: mutate programs that nearly work, and keep improvements.

    This is `solve_all` with evolution alone. `card_size` is the number of new programs per round,
    by default 800, or 3,200 if this machine has a GPU.
    """
    if card_size is None:
        card_size = choose_card_size(device) if cluster is None else DEFAULT_CARD_SIZE
    options = SearchOptions(
        evolve=EvolveOptions(seed=seed, card_size=card_size),
        proposers=("evolve",),
        pool=_path(pool),
        library=library,
        device=device,
        n_threads=n_threads,
    )
    return _search(
        options,
        to_tasks(tasks),
        budget_s,
        max_rounds,
        progress=progress,
        keep_in=keep_in,
        cluster=cluster,
    )


def _path(pool: str | Path | None, name: str = "pool") -> str | None:
    if isinstance(pool, Pool):
        raise TypeError(f"{name} is the file of a pool: {name}={str(pool.path)!r}")
    if not isinstance(pool, str | os.PathLike | None):
        raise TypeError(f"{name} is a {type(pool).__name__}, expected the file of a pool")
    return None if pool is None else os.fspath(pool)


def _search(
    options: SearchOptions,
    tasks: Sequence[Task],
    budget_s: float,
    max_rounds: int | None,
    *,
    own_proposers: Sequence[Proposer] = (),
    progress: bool | Watcher | None,
    keep_in: str | Path | None,
    cluster: str | None,
) -> Solutions:
    """Search in memory and return the solutions, also after an interrupt."""
    if not tasks:
        raise ValueError("no tasks were given")
    if not isinstance(budget_s, Real) or isinstance(budget_s, bool) or not budget_s > 0:
        raise ValueError(f"budget_s is {budget_s!r}, expected seconds, more than 0")
    if max_rounds is not None:
        max_rounds = whole_number("max_rounds", max_rounds, 1)
    with watching(progress) as watcher, noting_interrupts(Interrupt()) as interrupt:
        search = Search(
            options,
            MemoryStore(_path(keep_in, "keep_in")),
            tasks,
            own_proposers=own_proposers,
            cluster=cluster,
            watcher=watcher,
            interrupt=interrupt,
        )
        with search:
            search.run(float(budget_s), max_rounds)
    loop = search.loop
    if trouble := search.store.trouble or describe_trouble(loop):
        warnings.warn(trouble, RuntimeWarning, stacklevel=3)
    solutions = [
        Solution(each, loop.candidates(each.task).fits, loop.elapsed_s, search.is_interrupted)
        for each in loop.rank()
    ]
    return Solutions(solutions, loop.elapsed_s, search.is_interrupted)
