"""The usable GPUs of this machine, and their names (`cuda`, `cuda:1`)."""

from __future__ import annotations

import os
import re
import warnings
from functools import cache

# Streams of a device share this many hardware queues. With the default of 8, streams would wait for
# each other.
CONNECTIONS = ("CUDA_DEVICE_MAX_CONNECTIONS", "32")


class GpuError(RuntimeError):
    """The GPU cannot be used; the message says why."""


def device_count() -> int:
    """Return the number of GPUs; raise GpuError if none can be used."""
    n_devices, trouble = _look_for_devices()
    if not n_devices:
        raise GpuError(trouble)
    return n_devices


@cache
def _look_for_devices() -> tuple[int, str]:
    """Return the number of GPUs, and the reason if there are none."""
    os.environ.setdefault(*CONNECTIONS)
    try:
        import cupy
    except ImportError as error:
        return 0, f"CuPy is not installed ({error})"
    try:
        return cupy.cuda.runtime.getDeviceCount(), "there is none"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return 0, str(error)


def check_device_name(device: str) -> None:
    """Raise ValueError unless this is a name of devices, of this machine or another."""
    # None or a number would be easy to pass by mistake; neither is a name.
    if not isinstance(device, str) or not re.fullmatch(r"auto|cpu|cuda(:[0-9]+)?", device):
        raise ValueError(f"{device!r} is not a device: auto, cpu, cuda, cuda:0, cuda:1, ...")


def find_devices(device: str) -> list[int]:
    """Return the GPUs that a name stands for.

    If the name asks for a GPU that cannot be used, a warning says so and the list is empty.
    """
    check_device_name(device)
    if device == "cpu":
        return []
    number = device.partition(":")[2]
    try:
        n_devices = device_count()
        if number and int(number) >= n_devices:
            raise GpuError(f"there is no {device}, {n_devices} found")
    except GpuError as error:
        if device != "auto":
            why = f"no GPU is used, the CPU runs instead: {error}"
            warnings.warn(why, RuntimeWarning, stacklevel=4)
        return []
    return [int(number)] if number else list(range(n_devices))
