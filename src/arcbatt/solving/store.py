"""Stores: where a search keeps its ledger and its results.

A `MemoryStore` keeps them in this process, a `RunStore` (`run_store`) in the folder of a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcbatt.pool import Pool, PoolError, merge_open

if TYPE_CHECKING:
    from arcbatt.interrupts import Interrupt

    from .loop import Loop


class Store:
    """A ledger, and steps at which results may be written; by default none are."""

    path: Path | None = None
    """The folder of the store, if it has one."""
    trouble: str | None = None
    """A message about results that could not be kept."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def refuse(self, error: ValueError) -> Exception:
        """Return the exception to raise if a search cannot use this store."""
        return error

    def resume(self, loop: Loop) -> None:
        """Continue where the ledger ends; called once, before anything else."""

    def write(self, loop: Loop) -> None:
        """Write all results as they are now."""

    def final_write_s(self, budget_s: float, first_write_s: float) -> float:
        """Return the time to set aside for `finish`, given how long the first `write` took."""
        return 0.0

    def log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        """Log a part of a proposer's work."""

    def checkpoint(self, loop: Loop) -> None:
        """Save what was found, if the last time was long enough ago."""

    def save(self, loop: Loop) -> None:
        """Bring the ledger up to date; a failure is kept in `trouble`."""

    def finish(self, loop: Loop) -> None:
        """Save and write everything at the end of a search, however it ended."""

    def explain(self, loop: Loop, until_s: float, interrupt: Interrupt) -> None:
        """Explain the winning programs while there is time."""

    def close(self) -> None:
        self.pool.close()


class MemoryStore(Store):
    """A ledger in memory, added to the pool of a file at the end if one is given."""

    def __init__(self, keep_in: str | Path | None = None) -> None:
        if keep_in is not None:
            Pool.open(keep_in, readonly=False).close()  # an unusable file is refused at once
        super().__init__(Pool.in_memory())
        self._keep_in = keep_in

    def finish(self, loop: Loop) -> None:
        if self._keep_in is None:
            return
        loop.save()
        try:
            with Pool.open(self._keep_in, readonly=False) as kept:
                merge_open(kept, self.pool)
        except PoolError as error:
            self.trouble = f"the programs found were not kept: {error}"
