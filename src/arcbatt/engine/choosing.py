"""Which way a run goes, CPU, GPUs or both: predictions, corrected by what such runs took.

A calibration knows calls of middling size; what programs call, and on what, makes a run take a
tenth or ten times of that. So each run that `auto` had to choose a way for is timed, and for runs
alike (of what sort, how many samples and nodes, whether they call functions) the way is taken next
time that really took less. What was not tried yet is tried, where it might win; what lost, again
from time to time, since work changes. A trial costs what it takes longer than the best way would:
all of them together are to cost no more than a small part of the time of all runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from time import perf_counter

from .calibration import Prediction

CPU, GPUS, BOTH = "cpu", "cuda", "both"
# A way's first run takes memory and loads kernels: what it takes is known after so many.
N_TRIALS = 2
# Of the time of all runs, what trials may cost; and what the first may cost before that is earned,
# in runs.
TRIALS_SHARE = 0.05
ADVANCE_RUNS = 1.0
# What lost by prediction alone is tried if it is expected to take at most so many times as long;
# what lost by measurement, after so many runs, if it took at most so many times as long. Each time
# that it loses again, after twice as many.
UNTRIED_AT_MOST = 10.0
TRIED_AT_MOST = 4.0
RUNS_BETWEEN = 64
MOST_BETWEEN = 512
# How much the last run counts against those before it.
NEWEST = 0.3


@dataclass(slots=True)
class Chosen:
    """A way for a run, what it is expected to take, and what the best way is."""

    kind: Hashable  # of runs that are alike
    way: str
    expected_s: float
    best_s: float
    is_trial: bool  # another way is expected to be better
    parts_s: float = 0.0  # what the longer part took of a run that was shared out


@dataclass(slots=True)
class _Corrections:
    """Of runs alike: by way, measured seconds for one that was expected."""

    factors: dict[str, float] = field(default_factory=dict)
    n_trials: Counter[str] = field(default_factory=Counter)
    n_runs: int = 0
    tried_at: dict[str, int] = field(default_factory=dict)  # by way, the last run
    runs_between: dict[str, int] = field(default_factory=dict)  # by way that lost again
    spare_s: float = 0.0  # for trials

    def wait_for(self, way: str) -> int:
        """Return how many runs come until a way is tried again that lost."""
        return self.runs_between.get(way, RUNS_BETWEEN)


class Choices:
    """What runs took, by what they have in common."""

    def __init__(self) -> None:
        self._known: defaultdict[Hashable, _Corrections] = defaultdict(_Corrections)
        self._lock = Lock()

    def correct(self, kind: Hashable, expected: Prediction) -> Prediction:
        """Return a prediction by what such runs took on the CPU and on GPUs."""
        with self._lock:
            factors = self._known[kind].factors
            on_cpu, on_gpus = factors.get(CPU, 1.0), factors.get(GPUS, 1.0)
        return replace(
            expected,
            thread_s=expected.thread_s * on_cpu,
            cpu_sample_s=expected.cpu_sample_s * on_cpu,
            left_out_sample_s=expected.left_out_sample_s * on_cpu,
            gpu_fixed_s=expected.gpu_fixed_s * on_gpus,
            gpu_sample_s=expected.gpu_sample_s * on_gpus,
        )

    def choose(self, kind: Hashable, expected_s: Mapping[str, float]) -> Chosen:
        """Return the way for a run, given what each is expected to take."""
        with self._lock:
            known = self._known[kind]
            corrected = {
                way: seconds * known.factors.get(way, 1.0) for way, seconds in expected_s.items()
            }
            best = min(corrected, key=lambda way: corrected[way])
            best_s = corrected[best]
            chosen = best
            if known.n_runs:
                may_cost_s = known.spare_s + ADVANCE_RUNS * best_s
                for way, seconds in corrected.items():
                    if known.n_trials[way] < N_TRIALS:
                        likely_s, most = min(seconds, expected_s[way]), UNTRIED_AT_MOST
                    elif known.n_runs - known.tried_at[way] >= known.wait_for(way):
                        likely_s, most = seconds, TRIED_AT_MOST
                    else:
                        continue
                    if likely_s - best_s <= may_cost_s and likely_s <= most * best_s:
                        chosen = way
                        break
        return Chosen(kind, chosen, expected_s[chosen], best_s, chosen != best)

    @contextmanager
    def measured(self, chosen: Chosen) -> Iterator[None]:
        """Note what a run takes that goes on within."""
        start_s = perf_counter()
        yield
        elapsed_s = perf_counter() - start_s
        # How a run is shared out is known better next time: only what that costs beside counts.
        way, factor = chosen.way, elapsed_s / (chosen.parts_s or chosen.expected_s)
        with self._lock:
            known = self._known[chosen.kind]
            is_first = not known.n_trials[way]
            known.n_trials[way] += 1
            if chosen.is_trial and known.n_trials[way] > N_TRIALS:
                again = 2 * known.wait_for(way) if elapsed_s > chosen.best_s else RUNS_BETWEEN
                known.runs_between[way] = min(again, MOST_BETWEEN)
            if known.n_trials[way] <= N_TRIALS:
                known.factors[way] = min(known.factors.get(way, factor), factor)
            else:
                self._move(known, way, factor / known.factors[way])
            known.n_runs += 1
            known.tried_at[way] = known.n_runs
            known.spare_s += TRIALS_SHARE * min(elapsed_s, chosen.best_s)
            if chosen.is_trial and not is_first:  # the first one of a way loads what it needs
                known.spare_s -= elapsed_s - chosen.best_s

    def note_part(self, chosen: Chosen, way: str, part_s: float, expected_s: float) -> None:
        """Note what a way's part of a run took, and what was expected of it, corrected."""
        chosen.parts_s = max(chosen.parts_s, part_s)
        times = part_s / expected_s
        with self._lock:
            known = self._known[chosen.kind]
            if way in known.factors:
                self._move(known, way, times)
            else:
                known.factors[way] = times
                known.n_trials[way] += 1
                known.tried_at[way] = known.n_runs

    def _move(self, known: _Corrections, way: str, times: float) -> None:
        known.factors[way] *= times**NEWEST


choices = Choices()
