"""Runs on GPUs: every device runs an equal share of the samples.

A batt is run as a schedule of steps. A step runs all calls of one primitive that are ready, on all
samples, in that primitive's own kernel, with one warp per call and sample (device_run.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event, Lock

from arcbatt.engine import profiler
from arcbatt.engine.cpu.run import RunRequest
from arcbatt.engine.gpu import device_memory, kernels
from arcbatt.engine.gpu.device_memory import GpuBatt
from arcbatt.engine.gpu.device_run import DeviceRun
from arcbatt.engine.graph.results import KeptWords, RunArrays
from arcbatt.measure import timeline

# The thread that starts kernels releases the interpreter lock in every driver call. If other
# threads run Python meanwhile (evolve deals its next card), it should get the lock back after this
# time, not after the default 5 ms, for which the GPU would idle.
SWITCH_INTERVAL_S = 1e-4


@dataclass(frozen=True, slots=True)
class GpuPart:
    """The part of a run that one GPU did."""

    device: int
    n_results: int
    kept: list[KeptWords]
    trouble: str = ""  # why the device failed


@dataclass(frozen=True, slots=True)
class GpuRun:
    """A run of a batt on GPUs."""

    batt: GpuBatt
    request: RunRequest
    arrays: RunArrays
    stopped: Event = field(default_factory=Event)

    @classmethod
    def new(cls, batt: GpuBatt, request: RunRequest) -> GpuRun:
        """Return a run with arrays for its results that devices can write to directly."""
        shape = (batt.n_programs, len(request.samples))
        return cls(batt, request, RunArrays.new(shape, device_memory.new_results))

    def run_on(self, device: int, first: int, end: int) -> GpuPart:
        """Run a range of samples on a device, and write the results.

        Results that are missing have the reason `NOT_RUN`: those whose values did not fit the
        device's memory, or all of the range if the device failed.
        """
        run = DeviceRun(
            self.batt, self.request, device, self.arrays, self.stopped, profiler.launches()
        )
        with _short_switch_interval():
            try:
                kept = run.run_samples(first, end)
                return GpuPart(device, run.finish_copies(first, end), kept)
            except kernels.device_errors() as error:
                run.discard(first, end)
                return GpuPart(device, 0, [], kernels.first_line(error))

    @contextmanager
    def start_threads(self, devices: Sequence[int]) -> Iterator[list[Future[GpuPart]]]:
        """Run all samples on several devices while the caller does other work."""
        n_samples = len(self.request.samples)
        devices = devices[:n_samples]
        bounds = [k * n_samples // len(devices) for k in range(len(devices) + 1)]
        with ThreadPoolExecutor(len(devices)) as pool:
            try:
                yield [
                    pool.submit(copy_context().run, self._run_timed, device, first, end)
                    for device, (first, end) in zip(devices, pairwise(bounds), strict=True)
                ]
            except BaseException:
                self.stopped.set()  # leaving the pool waits for its threads
                raise

    def _run_timed(self, device: int, first: int, end: int) -> GpuPart:
        """Run a range of samples, with phases on a timeline of the device."""
        lock = _timeline_locks.setdefault(device, Lock())
        if not lock.acquire(blocking=False):  # another run uses the timeline
            return self.run_on(device, first, end)
        try:
            with timeline(f"cuda:{device}"):
                return self.run_on(device, first, end)
        finally:
            lock.release()


_timeline_locks: dict[int, Lock] = {}  # by device
_interval_lock = Lock()
_intervals: list[float] = []  # the switch interval before each run in progress


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Let threads hand over the interpreter lock sooner during a run."""
    with _interval_lock:
        _intervals.append(sys.getswitchinterval())
        sys.setswitchinterval(min(SWITCH_INTERVAL_S, _intervals[0]))
    try:
        yield
    finally:
        with _interval_lock:
            # Runs may end in any order: the first one found the default interval.
            default = _intervals[0]
            _intervals.pop()
            if not _intervals:
                sys.setswitchinterval(default)
