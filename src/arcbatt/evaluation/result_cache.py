"""A cache of screening results in a pool, so that known programs are not run again.

A value holds a program's staged results on a whole list of tasks: a lookup takes about as long as
running a program on one task, so one lookup per task would not pay. Its key consists of the
program, the tasks with the budget, and the versions of the language and the engine.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import SEARCH_BUDGET, Program, Reason
from arcbatt.pool import Cache, PoolError, task_key
from arcbatt.tasks import Task

ROW = np.dtype([("reason", np.uint8), ("n_fitted", np.uint8), ("steps", np.int64)])
"""A program on a task: failure on the first demo, number of demos fitted, cost."""

Rows = NDArray[np.void]
"""[program, task] of ROW."""


class ResultCache:
    """Staged results of programs on a list of tasks, under the search's budget."""

    def __init__(self, cache: Cache, tasks: Sequence[Task]) -> None:
        self._cache = cache
        self._n_demos = np.array([len(task.demos) for task in tasks], np.int64)
        # The pool adds the versions of the language and the engine to every key.
        budget = f"{SEARCH_BUDGET.steps} {SEARCH_BUDGET.bytes}"
        digest = blake2b(budget.encode(), digest_size=16)
        for task in tasks:
            digest.update(task_key(task))
        self._tasks = digest.digest()

    def recall(self, programs: Sequence[Program]) -> tuple[NDArray[np.intp], Rows]:
        """Return the indices of the known programs, and their results.

        Impossible values, as in a pool that was tampered with, are ignored.
        """
        n_tasks = len(self._n_demos)
        keys = [(program.result.digest, self._tasks) for program in programs]
        cached = self._cache.get(keys)
        places, values = [], []
        for place, key in enumerate(keys):
            value = _unpack(cached.get(key), n_tasks * ROW.itemsize)
            if value is not None:
                places.append(place)
                values.append(value)
        rows = np.frombuffer(b"".join(values), ROW).reshape(len(places), n_tasks)
        is_possible = (rows["reason"] <= max(Reason)) & (rows["n_fitted"] <= self._n_demos)
        is_valid = (is_possible & (rows["steps"] >= 0)).all(axis=1)
        return np.array(places, np.intp)[is_valid], rows[is_valid]

    def remember(self, programs: Sequence[Program], rows: Rows) -> None:
        """Store results on all tasks; warn if the pool cannot be written to."""
        values = {
            (program.result.digest, self._tasks): zlib.compress(row.tobytes(), 1)
            for program, row in zip(programs, rows, strict=True)
        }
        try:
            self._cache.put(values)
        except PoolError as error:
            warnings.warn(f"results are not cached: {error}", RuntimeWarning, stacklevel=2)


def _unpack(value: object, n_bytes: int) -> bytes | None:
    if not isinstance(value, bytes):
        return None
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(value, n_bytes + 1)
    except zlib.error:
        return None
    return content if len(content) == n_bytes else None
