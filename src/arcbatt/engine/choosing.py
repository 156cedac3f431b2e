"""Which of two devices runs: predictions, corrected by what such runs took so far.

A calibration knows calls of middling size; what programs call, and on what, makes a run take a
tenth or ten times of that. So each run that `auto` had to choose a device for is timed, and for
runs alike (of what sort, how many samples, whether they call functions) the device is taken next
time that really took less. What was not tried yet is tried, where it might win; what lost, again
from time to time, since work changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter

# A device's first run takes memory and loads kernels: what it takes is known after so many.
N_TRIALS = 2
# What lost by prediction alone is tried if it is expected to take at most so many times as long;
# what lost by measurement, after so many runs, if it took at most so many times as long.
UNTRIED_AT_MOST = 10.0
TRIED_AT_MOST = 2.0
RUNS_BETWEEN = 64
# How much the last run counts against those before it.
NEWEST = 0.3


@dataclass(slots=True)
class _Corrections:
    """Of runs alike: by device, measured seconds for one that was expected."""

    factors: dict[str, float] = field(default_factory=dict)
    n_trials: Counter[str] = field(default_factory=Counter)
    n_runs: int = 0
    tried_at: dict[str, int] = field(default_factory=dict)  # by device, the last run on it


class Choices:
    """What runs took, by what they have in common."""

    def __init__(self) -> None:
        self._known: dict[Hashable, _Corrections] = {}
        self._lock = Lock()

    def choose(self, kind: Hashable, expected_s: Mapping[str, float]) -> str:
        """Return the device for a run, given what each is expected to take."""
        with self._lock:
            known = self._known.setdefault(kind, _Corrections())
            corrected = {
                device: seconds * known.factors.get(device, 1.0)
                for device, seconds in expected_s.items()
            }
            best = min(corrected, key=lambda device: corrected[device])
            if not known.n_runs:
                return best
            for device, seconds in corrected.items():
                if known.n_trials[device] < N_TRIALS:
                    wins = expected_s[device] <= UNTRIED_AT_MOST * corrected[best]
                else:
                    since = known.n_runs - known.tried_at[device]
                    wins = since >= RUNS_BETWEEN and seconds <= TRIED_AT_MOST * corrected[best]
                if wins:
                    return device
            return best

    @contextmanager
    def measured(self, kind: Hashable, device: str, expected_s: float) -> Iterator[None]:
        """Note what a run takes that goes on within."""
        start_s = perf_counter()
        yield
        factor = (perf_counter() - start_s) / expected_s
        with self._lock:
            known = self._known.setdefault(kind, _Corrections())
            before = known.factors.get(device, factor)
            known.n_trials[device] += 1
            if known.n_trials[device] <= N_TRIALS:
                known.factors[device] = min(before, factor)
            else:
                known.factors[device] = before ** (1 - NEWEST) * factor**NEWEST
            known.n_runs += 1
            known.tried_at[device] = known.n_runs


choices = Choices()
