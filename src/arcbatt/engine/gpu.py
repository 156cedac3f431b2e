"""Runs on GPUs: the engine's headers compiled by CuPy, a call on a sample done by a warp.

A batt is run as a schedule of steps: all calls of one primitive that are ready, on all samples, by
that primitive's own kernel. Samples are taken in chunks whose values fit the device's memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget

from . import profiling
from .device_memory import GpuBatt
from .device_run import DeviceRun
from .results import BattArrays, KeptWords
from .samples import Samples


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
    try:
        import cupy
    except ImportError as error:
        return 0, f"CuPy is not installed ({error})"
    try:
        return cupy.cuda.runtime.getDeviceCount(), "there is none"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return 0, str(error)


def shares(order: NDArray[np.uint32], n_workers: int) -> list[NDArray[np.uint32]]:
    """The samples of each worker: large and small ones dealt out evenly."""
    return [np.ascontiguousarray(order[k::n_workers]) for k in range(n_workers)]


def run_batt(
    batt: GpuBatt,
    samples: Samples,
    chosen: NDArray[np.uint32],
    budget: Budget,
    devices: Sequence[int],
    arrays: BattArrays,
    keep_values: bool,
) -> tuple[dict[str, int], list[KeptWords]]:
    """All programs on the chosen samples, shared out among the devices, into the arrays.

    Returns how many results came from which device, and the kept values. What was not run has the
    reason `NOT_RUN`: where values did not fit the device's memory, or, with a warning, for all of
    the share of a device that cannot be used.
    """
    parts = shares(chosen, len(devices))
    launches = profiling.launches()

    def work(part: int) -> tuple[int, list[KeptWords]]:
        alone = len(devices) == 1
        run = DeviceRun(batt, samples, budget, devices[part], arrays, keep_values, alone, launches)
        return _guarded(lambda: run.all_of(parts[part]), devices[part])

    if len(devices) == 1:
        done = [work(0)]
    else:
        with ThreadPoolExecutor(len(devices)) as pool:
            done = list(pool.map(work, range(len(devices))))
    ran_on: dict[str, int] = {}
    for device, (n_results, _) in zip(devices, done, strict=True):
        if n_results:
            name = f"cuda:{device}"
            ran_on[name] = ran_on.get(name, 0) + n_results
    return ran_on, [words for _, kept in done for words in kept]


def _guarded(
    work: Callable[[], tuple[int, list[KeptWords]]], device: int
) -> tuple[int, list[KeptWords]]:
    """The work, or nothing and a warning where the GPU fails."""
    import cupy

    try:
        return work()
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        why = str(error)
    except (cupy.cuda.compiler.CompileException, cupy.cuda.memory.OutOfMemoryError) as error:
        why = str(error).splitlines()[0]
    warnings.warn(f"cuda:{device} fails, the CPU runs instead: {why}", RuntimeWarning, stacklevel=4)
    return 0, []
