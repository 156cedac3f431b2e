"""What programs gave on tasks, kept in a pool: those that are known are not run again.

A value is what one program gave on a whole list of tasks, in stages: a look-up takes some ten
microseconds, about what it takes to run a program on one task, so there is one for all of them.
Its key is the program, the tasks with the budget, and the versions of the language and the engine.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.version import engine_version
from arcbatt.language import SEARCH_BUDGET, Program
from arcbatt.pool import Cache, PoolError, task_key
from arcbatt.tasks import Task

ROW = np.dtype([("reason", np.uint8), ("n_fitted", np.uint8), ("steps", np.int64)])
"""A program on a task: reason on the first demo, demos fitted, cost."""

Rows = NDArray[np.void]
"""[program, task] of ROW."""


class ResultCache:
    """Results of programs on some tasks, in stages, under the search's budget."""

    def __init__(self, cache: Cache, tasks: Sequence[Task]) -> None:
        self._cache = cache
        self._n_tasks = len(tasks)
        # The language's version is in every key of a pool's cache.
        made_with = f"{SEARCH_BUDGET.steps} {SEARCH_BUDGET.bytes} {engine_version()}"
        digest = blake2b(made_with.encode(), digest_size=16)
        for task in tasks:
            digest.update(task_key(task))
        self._tasks = digest.digest()

    def recall(self, programs: Sequence[Program]) -> tuple[NDArray[np.intp], Rows]:
        """Return the places of the programs that are known, and what they gave.

        A value that is not of the right length, in a pool that somebody has changed, is not known.
        """
        keys = [(program.result.digest, self._tasks) for program in programs]
        found = self._cache.get(keys)
        places, values = [], []
        for place, key in enumerate(keys):
            value = _unpack(found.get(key), self._n_tasks * ROW.itemsize)
            if value is not None:
                places.append(place)
                values.append(value)
        rows = np.frombuffer(b"".join(values), ROW).reshape(len(places), self._n_tasks)
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


def _unpack(value: object, n_bytes: int) -> bytes | None:
    if not isinstance(value, bytes):
        return None
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(value, n_bytes + 1)
    except zlib.error:
        return None
    return found if len(found) == n_bytes else None
