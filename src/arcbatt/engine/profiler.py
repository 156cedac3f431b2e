"""Profiles: calls and time by primitive inside the engine.

    with profiler.profile() as profile:
        batt.run(samples)
    profile.rows()  # on the CPU
    profile.launches  # on GPUs

On the CPU, calls inside a function value count for the call that they are part of. Values that
consecutive samples with the same demos share are counted once. On a GPU each launch of a kernel is
timed by events around it, so kernels run one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.table import primitive_numbers

INVOKE = "(function values)"
_NOTHING: NDArray[np.int64] = np.zeros(0, np.int64)


def _new_counts() -> NDArray[np.int64]:
    return np.zeros(2 * (_engine.n_primitives + 1), np.int64)


@dataclass(frozen=True, slots=True)
class PrimitiveTime:
    """Calls and time of one primitive, summed over all threads."""

    name: str
    n_calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a kernel; its items are calls on a sample or on an element."""

    device: str
    stage: int  # of the plan; -1 after the last
    kernel: str
    n_items: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Time and calls of each primitive, as the engine counts them, and the launches of kernels.

    `counts` has the nanoseconds of all primitives, then the calls of all.
    """

    counts: NDArray[np.int64] = field(default_factory=_new_counts)
    launches: list[Launch] = field(default_factory=list)

    def rows(self) -> list[PrimitiveTime]:
        """Return the primitives that were called, by decreasing time."""
        names = [*primitive_numbers(), INVOKE]
        nanoseconds, n_calls = self.counts.reshape(2, -1).tolist()
        rows = [
            PrimitiveTime(name, n, ns / 1e9)
            for name, n, ns in zip(names, n_calls, nanoseconds, strict=True)
            if n
        ]
        return sorted(rows, key=lambda row: (-row.seconds, row.name))


_current: ContextVar[Profile | None] = ContextVar("engine_profile", default=None)


@contextmanager
def profile() -> Iterator[Profile]:
    """Profile all runs in the body."""
    new = Profile()
    token = _current.set(new)
    try:
        yield new
    finally:
        _current.reset(token)


def counts() -> NDArray[np.int64]:
    """Return the array that the engine counts in; it is empty outside of a profile."""
    profile = _current.get()
    return _NOTHING if profile is None else profile.counts


def launches() -> list[Launch] | None:
    """Return the list that GPUs add launches to, or None outside of a profile."""
    profile = _current.get()
    return None if profile is None else profile.launches
