"""What is in a GPU's memory: batts, plans and samples, and the memory for the values of a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.measure import phase

from . import _engine
from .flatten import Plan
from .kernels import wide_kernel
from .samples import Samples

# Of the device's free memory, the part that values may take.
POOL_SHARE = 0.6
# Of all its memory, what images of samples may take.
IMAGES_SHARE = 0.05
MIN_POOL_BYTES = 256 * 2**20
# Memory that is there already is taken if it is this part of what is wanted.
ENOUGH = 0.8
_WORDS_OF_BATT = 7
_WORDS_OF_DOMAIN = 5
_TO_DEVICE = 1  # cudaMemcpyHostToDevice


def new_array(shape: int | tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Memory of the host that a device can read and write directly; it comes from a pool."""
    import cupyx

    array: NDArray[Any] = cupyx.empty_pinned(shape, dtype)
    return array


def send(content: NDArray[Any], address: int) -> None:
    """Copy an array of `new_array` to a device, which has it for all that is started later.

    The copy goes on meanwhile: the array must stay until the device has been waited for.
    """
    import cupy

    stream = cupy.cuda.get_current_stream().ptr
    cupy.cuda.runtime.memcpyAsync(address, content.ctypes.data, content.nbytes, _TO_DEVICE, stream)


class GpuImage:
    """A batt's or a set of samples' bytes in a device's memory."""

    @phase("transfer")
    def __init__(self, packed: _engine.FusedBatt | _engine.Samples, device: int) -> None:
        import cupy

        with cupy.cuda.Device(device):
            content = new_array(packed.image_bytes(), np.uint8)
            self.memory = cupy.empty(content.size, cupy.uint8)
            self.address: int = self.memory.data.ptr
            packed.write_image(content, self.address)
            self.memory.set(content)
            self.head = content[: 8 * _WORDS_OF_BATT].copy()


class GpuPlan:
    """The arrays of a plan in a device's memory: one copy, and where each of them starts."""

    @phase("transfer")
    def __init__(self, plan: Plan, device: int) -> None:
        import cupy

        arrays = {
            "nodes": plan.nodes,
            "others": plan.others,
            "ops": plan.ops,
            "sites": plan.sites,
            "programs": plan.programs,
        }
        # Each starts at a multiple of 16 bytes.
        flat = [np.resize(a, -(-a.size // 4) * 4) if a.size else a for a in arrays.values()]
        with cupy.cuda.Device(device):
            self.memory = cupy.asarray(np.concatenate([a.ravel() for a in flat]))
        starts = np.cumsum([0, *(4 * a.size for a in flat)])
        address = int(self.memory.data.ptr)
        self.at = {name: address + int(at) for name, at in zip(arrays, starts, strict=False)}
        # As FlatDomain in flat.hpp, of which frames, firsts and rows are known later.
        self.domains = np.zeros((len(plan.n_columns), _WORDS_OF_DOMAIN), np.uint64)
        self.domains[:, 3] = plan.n_args
        self.domains[:, 4] = plan.n_columns


@dataclass
class GpuBatt:
    """A batt with what the GPU needs of it."""

    fused: _engine.FusedBatt
    plan: Plan
    n_programs: int
    _on_devices: dict[int, tuple[GpuImage, GpuPlan]] = field(default_factory=dict)

    @cached_property
    def kernels(self) -> frozenset[str]:
        """All kernels that it needs."""
        names = {step.kernel for stage in self.plan.stages for step in stage.steps}
        wide = {name for name in map(wide_kernel, names) if name}
        return frozenset({"find_outcomes", *names, *wide})

    def on(self, device: int) -> tuple[GpuImage, GpuPlan]:
        """Its image and its plan on a device."""
        if device not in self._on_devices:
            self._on_devices[device] = (GpuImage(self.fused, device), GpuPlan(self.plan, device))
        return self._on_devices[device]


def image_of(samples: Samples, device: int) -> GpuImage:
    """The samples' image on a device, which stays there for the next run on equal samples."""
    key = (device, samples.digest)
    with _images_lock:
        if key in _images:
            _images.move_to_end(key)
            return _images[key]
    image = GpuImage(samples.packed, device)
    import cupy

    most = int(cupy.cuda.Device(device).mem_info[1] * IMAGES_SHARE)
    with _images_lock:
        _images[key] = image
        here = [each for each in _images if each[0] == device]
        n_bytes = sum(_images[each].memory.nbytes for each in here)
        for oldest in here[:-1]:
            if n_bytes <= most:
                break
            n_bytes -= _images.pop(oldest).memory.nbytes
    return image


def forget(samples: Samples) -> None:
    """Take samples from all devices."""
    with _images_lock:
        for key in [each for each in _images if each[1] == samples.digest]:
            del _images[key]


def give_up(device: int) -> None:
    """Give back all memory of a device that is only kept for later."""
    import cupy

    with _images_lock:
        for key in [each for each in _images if each[0] == device]:
            del _images[key]
    with _idle_lock:
        _idle.pop(device, None)
    cupy.get_default_memory_pool().free_all_blocks()


# By device and digest, the least used first.
_images: OrderedDict[tuple[int, bytes], GpuImage] = OrderedDict()
_images_lock = Lock()
_idle: dict[int, list[Any]] = {}
_idle_lock = Lock()


@contextmanager
def memory_for_values(cupy: Any, device: int, n_wanted: int) -> Iterator[Any]:
    """Memory for values: so many bytes, or what may be taken of the device's.

    It is kept for the next run: getting tens of gigabytes from the driver takes longer than most.
    """
    with _idle_lock:
        idle = _idle.setdefault(device, [])
        free = cupy.cuda.Device(device).mem_info[0] + sum(block.size for block in idle)
        n_wanted = max(MIN_POOL_BYTES, min(n_wanted, int(free * POOL_SHARE)))
        enough = [block for block in idle if block.size >= n_wanted * ENOUGH]
        if enough:
            block = min(enough, key=lambda block: block.size)
            idle[:] = [other for other in idle if other is not block]
        else:
            idle.clear()
            cupy.get_default_memory_pool().free_all_blocks()
            block = cupy.empty(n_wanted, cupy.uint8)
    try:
        yield block
    finally:
        with _idle_lock:
            _idle.setdefault(device, []).append(block)
