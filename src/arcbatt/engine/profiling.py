"""Calls and time by primitive inside the engine, where they are asked for.

    with profiling.profile() as profile:
        batt.run(samples)
    profile.rows()  # on the CPU
    profile.launches  # on GPUs

On the CPU a call inside a function value counts with the call that it is part of, and what samples
with the same demos share counts once for those that a thread runs one after the other. On a GPU
each launch of a kernel is timed by events around it, which lets kernels wait for one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from . import _engine
from .table import primitive_numbers

INVOKE = "(function values)"
_NOTHING: NDArray[np.int64] = np.zeros(0, np.int64)


def _new_counts() -> NDArray[np.int64]:
    return np.zeros(2 * (_engine.n_primitives + 1), np.int64)


@dataclass(frozen=True, slots=True)
class PrimitiveTime:
    """What the calls of one primitive took, over all threads."""

    name: str
    n_calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Launch:
    """What one kernel did: so many items, calls on a sample or an element each."""

    device: str
    stage: int  # of the plan; -1 after the last
    kernel: str
    n_items: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Nanoseconds by primitive, then calls by primitive; the engine adds to them."""

    counts: NDArray[np.int64] = field(default_factory=_new_counts)
    launches: list[Launch] = field(default_factory=list)

    def rows(self) -> list[PrimitiveTime]:
        """The primitives that were called, those first that took most."""
        names = [*primitive_numbers(), INVOKE]
        nanoseconds, n_calls = self.counts.reshape(2, -1).tolist()
        rows = [
            PrimitiveTime(name, n, taken / 1e9)
            for name, n, taken in zip(names, n_calls, nanoseconds, strict=True)
            if n
        ]
        return sorted(rows, key=lambda row: (-row.seconds, row.name))


_current: ContextVar[Profile | None] = ContextVar("engine_profile", default=None)


@contextmanager
def profile() -> Iterator[Profile]:
    """Profiles all runs within."""
    new = Profile()
    token = _current.set(new)
    try:
        yield new
    finally:
        _current.reset(token)


def counts() -> NDArray[np.int64]:
    """Where the engine is to count: nowhere, where nobody asks for it."""
    asked = _current.get()
    return _NOTHING if asked is None else asked.counts


def launches() -> list[Launch] | None:
    """Where GPUs are to add what they did: None, where nobody asks for it."""
    asked = _current.get()
    return None if asked is None else asked.launches
