"""Runs on GPUs: the engine's headers compiled by CuPy, a call on a sample done by a warp.

A batt is run as a schedule of steps: all calls of one primitive that are ready, on all samples, by
that primitive's own kernel. Samples are taken in chunks whose values fit the device's memory.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from time import perf_counter

from arcbatt.language import Budget
from arcbatt.measure import timeline

from . import _engine, kernels, profiling
from .device_memory import GpuBatt
from .device_run import DeviceRun, Overtaken
from .results import BattArrays, KeptWords
from .samples import Samples
from .sharing import Pace

# So often a GPU looks whether its kernels are compiled.
LOOK_S = 0.05
# The thread that starts kernels gives the interpreter's lock away at calls of the driver. Where
# others compute in Python meanwhile (evolve deals its next card), it is to have it back soon: after
# this time, instead of the usual 5 ms, each of which a GPU would wait for.
HAND_OVER_S = 1e-4
# What streams are given goes to the device through so many queues, each in its order: with as few
# as usual, a stream would have to wait for others.
CONNECTIONS = ("CUDA_DEVICE_MAX_CONNECTIONS", "32")
_timelines: dict[int, Lock] = {}  # by device; held by the run that counts its phases there


class GpuError(RuntimeError):
    """The GPU cannot be used; the message says why."""


def device_count() -> int:
    """How many GPUs there are; raises GpuError where none can be used."""
    count, trouble = _look_for_devices()
    if not count:
        raise GpuError(trouble)
    return count


@cache
def _look_for_devices() -> tuple[int, str]:
    """How many GPUs there are, or why there are none."""
    os.environ.setdefault(*CONNECTIONS)
    try:
        import cupy
    except ImportError as error:
        return 0, f"CuPy is not installed ({error})"
    try:
        return cupy.cuda.runtime.getDeviceCount(), "there is none"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return 0, str(error)


_handing_lock = Lock()
_handing: list[float] = []  # what the interval was before each run that goes on


@contextmanager
def _handing_over() -> Iterator[None]:
    """Let threads hand the interpreter's lock over sooner while a run goes on."""
    with _handing_lock:
        _handing.append(sys.getswitchinterval())
        sys.setswitchinterval(min(HAND_OVER_S, _handing[0]))
    try:
        yield
    finally:
        with _handing_lock:
            # Runs may end in any order: the first one's was the usual interval.
            first = _handing[0]
            _handing.pop()
            if not _handing:
                sys.setswitchinterval(first)


@dataclass(frozen=True, slots=True)
class GpuPart:
    """What one GPU did of a run."""

    n_results: int
    kept: list[KeptWords]
    trouble: str = ""  # why it ended before its work did


@dataclass(frozen=True, slots=True)
class GpuRun:
    """The part that GPUs have in a run, which take their samples from a queue."""

    batt: GpuBatt
    samples: Samples
    budget: Budget
    arrays: BattArrays
    keep_values: bool
    is_alone: bool  # GPUs run all programs on all samples
    queue: _engine.SampleQueue
    pace: Pace

    def work(self, device: int, lent: tuple[int, int, int] | None) -> GpuPart:
        """Run what was lent to a device, and more as long as it should take more.

        Results are written into the arrays. What was not run has the reason `NOT_RUN`: where values
        did not fit the device's memory. All of a device that fails goes back to the queue.
        """
        run = DeviceRun(
            self.batt,
            self.samples,
            self.budget,
            device,
            self.arrays,
            self.keep_values,
            self.is_alone,
            profiling.launches(),
        )
        try:
            with _handing_over():
                return self._work(run, device, lent)
        except BaseException:
            self.queue.close()  # or threads would wait for it, then run it, in vain
            raise

    def _work(self, run: DeviceRun, device: int, lent: tuple[int, int, int] | None) -> GpuPart:
        n_results, kept = 0, []
        if lent is None and not self._wait_for_kernels(device):
            return GpuPart(0, [], kernels.trouble_with(self.batt.kernels, device))
        while lent or (n := self.pace.wait_for_share()):
            lent = lent or self.pace.lend(n)
            if lent is None:
                break
            chunk, first, end = lent
            lent, began_s = None, perf_counter()
            try:
                words = run.samples_from(first, end, partial(self.queue.is_overtaken, chunk))
                if self.queue.finish(chunk):
                    n_results += run.write(first, end)
                    kept += words
            except Overtaken:
                pass
            except kernels.device_errors() as error:
                run.take_back(first, end)
                self.queue.give_back(chunk)
                return GpuPart(n_results, kept, kernels.first_line(error))
            self.pace.note(end - first, perf_counter() - began_s)
        return GpuPart(n_results, kept)

    def work_beside(self, device: int, lent: tuple[int, int, int] | None) -> GpuPart:
        """The same in a thread of its own, whose phases are counted on a timeline of the device."""
        lock = _timelines.setdefault(device, Lock())
        if not lock.acquire(blocking=False):  # another run counts on it
            return self.work(device, lent)
        try:
            with timeline(f"cuda:{device}"):
                return self.work(device, lent)
        finally:
            lock.release()

    def _wait_for_kernels(self, device: int) -> bool:
        """Return whether the kernels are there before the CPU has done everything."""
        while not kernels.are_ready(self.batt.kernels, device):
            if kernels.trouble_with(self.batt.kernels, device) or self.pace.ended.wait(LOOK_S):
                return False
        return True
