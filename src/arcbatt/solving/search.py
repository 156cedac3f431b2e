"""A search from options to results, used by commands, Python and the web app.

with Search(options, store, tasks) as search:
    search.run(budget_s)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from time import perf_counter
from typing import Self

from arcbatt.engine.memory import bound_memory
from arcbatt.evaluation import TaskBoard
from arcbatt.interrupts import Interrupt
from arcbatt.language import Program
from arcbatt.plurals import count
from arcbatt.pool import MergeCount, merge
from arcbatt.proposers import Proposer, make_proposers
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.tasks import Task

from .cluster import open_cluster
from .loop import Loop, Watcher
from .options import SearchOptions
from .store import Store

# Share of the budget for explaining programs, if that is asked for.
EXPLAINING_SHARE = 0.04


class Search:
    """Searches for programs that solve tasks. Use it as a context, which closes its store.

    Creating it opens the ledger and the proposers; `run` spends a budget.
    """

    def __init__(
        self,
        options: SearchOptions,
        store: Store,
        tasks: Sequence[Task],
        *,
        own_proposers: Sequence[Proposer] = (),
        cluster: str | None = None,
        watcher: Watcher | None = None,
        traced: Collection[str] = (),
        interrupt: Interrupt | None = None,
    ) -> None:
        """Continue the search that the store's ledger has, or prepare a new one.

        `cluster` is where the work is done (`cluster.open_cluster`), by default here. The
        watcher's `on_trace` is called for the tasks in `traced`. Setting `interrupt` ends the
        search early.
        """
        self.options = options
        self.store = store
        self.interrupt = interrupt or Interrupt()
        self._is_late = False
        try:
            self.loop = self._open(tasks, own_proposers, cluster, watcher, traced)
        except BaseException as error:
            store.close()
            if isinstance(error, ValueError):
                raise store.refuse(error) from None
            raise

    def _open(
        self,
        tasks: Sequence[Task],
        own_proposers: Sequence[Proposer],
        cluster: str | None,
        watcher: Watcher | None,
        traced: Collection[str],
    ) -> Loop:
        options, store = self.options, self.store
        bound_memory(options.max_bytes)
        proposers = make_proposers([*options.proposers, *own_proposers], options)
        if cluster is not None and own_proposers:
            raise ValueError("your own proposers run in this process only: leave out the cluster")
        loop = Loop(
            TaskBoard(tasks, device=options.device, n_threads=options.n_threads),
            store.pool,
            proposers,
            store=store,
            watcher=watcher,
            traced=traced,
            survives_errors=options.survives_errors,
            workers=None if cluster is None else open_cluster(cluster, options, store.path),
            interrupt=self.interrupt,
        )
        store.resume(loop)
        return loop

    def run(self, budget_s: float, max_rounds: int | None = None, *, explain: bool = False) -> None:
        """Spend a budget, results included; however the search ends, its results are written.

        No proposer has more than `max_rounds` rounds. With `explain`, a part of the time goes
        into pages about the programs that fit all demos.
        """
        loop, store = self.loop, self.store
        began_s = perf_counter()
        store.write(loop)
        writing_s = store.final_write_s(budget_s, perf_counter() - began_s)
        explaining_s = EXPLAINING_SHARE * budget_s if explain else 0.0
        try:
            self._load_known()
            spent_s = perf_counter() - began_s
            n_before = loop.n_rounds
            loop.run(budget_s - writing_s - explaining_s - spent_s, max_rounds)
            self._is_late = loop.n_rounds == n_before and loop.is_out_of_time
        except KeyboardInterrupt:
            self.interrupt.set()
        finally:
            store.finish(loop)
        if explain:
            store.explain(loop, began_s + budget_s - writing_s / 2, self.interrupt)

    def _load_known(self) -> None:
        """Put the programs known at the start into the ledger of a new search."""
        if self.loop.is_loaded:
            return
        known, merged = fill_from(self.store, self.options)
        self.loop.watcher.on_message(self.loop, _describe_known(self.options, merged))
        self.loop.load_known(known)
        # Proposers add programs to the pool: a search that resumes this one, however soon this
        # one is killed, must know which were there before.
        self.store.save(self.loop)

    @property
    def is_interrupted(self) -> bool:
        return self.interrupt.is_set

    @property
    def trouble(self) -> str | None:
        """A message about a problem that did not end the search; None without one."""
        if self.store.trouble is not None:
            return self.store.trouble
        if self._is_late:
            return "nothing was searched: the start took all of the budget; allow more time"
        return describe_trouble(self.loop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def fill_from(store: Store, options: SearchOptions) -> tuple[list[Program], MergeCount]:
    """Add the programs known at the start to a ledger.

    Return the programs that come with the package, and the counts of those from another pool.
    """
    merged = MergeCount()
    if options.pool is not None:
        merged = merge(store.pool, Path(options.pool), only_programs=True)
    return fill_pool(store.pool, library=options.library), merged


def _describe_known(options: SearchOptions, merged: MergeCount) -> str:
    """Say which programs a search starts from."""
    parts = ["the bundled solvers"] if options.library else ["no bundled solvers"]
    if options.pool is not None:
        parts.append(f"{count(merged.n_programs, 'program')} of {options.pool}")
        if merged.n_rejected:
            parts[-1] += f" ({merged.n_rejected:,} unreadable, left out)"
    return f"starts from {' and '.join(parts)}"


def describe_trouble(loop: Loop) -> str | None:
    """Return a message about a failed proposer, which is a bug that did not end the search."""
    if loop.warnings:
        return "\n".join(loop.warnings)
    for name, failure in loop.failed.items():
        return (
            f"{name} failed, and the search continued without it; this is a bug in {name}\n"
            f"{failure.rstrip()}"
        )
    return None
