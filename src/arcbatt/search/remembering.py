"""What programs gave on tasks, kept in a pool's cache: those that are known are not run again.

A value is what one program gave on a whole list of tasks, in stages: a look-up takes some ten
microseconds, about what it takes to run a program on one task, so there is one for all of them.
Its key is the program, the tasks with the budget, and the version of the language.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget, Program
from arcbatt.pool import Cache, PoolError, task_key
from arcbatt.tasks import Task

ROW = np.dtype([("reason", np.uint8), ("n_matches", np.uint8), ("steps", np.int64)])
"""A program on a task: reason on the first demo, demos that match, cost."""

Rows = NDArray[np.void]
"""[program, task] of ROW."""


class ResultMemory:
    """Results of programs on some tasks under some budget."""

    def __init__(self, cache: Cache, tasks: Sequence[Task], budget: Budget | None) -> None:
        self._cache = cache
        self._n_tasks = len(tasks)
        budget = budget or Budget()
        digest = blake2b(f"{budget.steps} {budget.bytes}".encode(), digest_size=16)
        for task in tasks:
            digest.update(task_key(task))
        self._tasks = digest.digest()

    def recall(self, programs: Sequence[Program]) -> tuple[NDArray[np.intp], Rows]:
        """Return the places of the programs that are known, and what they gave."""
        keys = [(program.result.digest, self._tasks) for program in programs]
        found = self._cache.get(keys)
        places = [place for place, key in enumerate(keys) if key in found]
        values = b"".join(zlib.decompress(found[keys[place]]) for place in places)
        rows = np.frombuffer(values, ROW).reshape(len(places), self._n_tasks)
        return np.array(places, np.intp), rows

    def remember(self, programs: Sequence[Program], rows: Rows) -> None:
        """Keep what programs gave on all tasks; a pool that cannot be written to is no error."""
        values = {
            (program.result.digest, self._tasks): zlib.compress(row.tobytes(), 1)
            for program, row in zip(programs, rows, strict=True)
        }
        try:
            self._cache.put(values)
        except PoolError as error:
            warnings.warn(f"results are not remembered: {error}", RuntimeWarning, stacklevel=2)
