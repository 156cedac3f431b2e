"""What is in a GPU's memory: batts, plans and samples, and the memory for the values of a run."""

from __future__ import annotations

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
MIN_POOL_BYTES = 256 * 2**20
# Memory that is there already is taken if it is this part of what is wanted.
ENOUGH = 0.8
_WORDS_OF_BATT = 7
_WORDS_OF_DOMAIN = 6
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

        filled = [column for columns in plan.filled for column in columns]
        arrays = {
            "nodes": plan.nodes,
            "others": plan.others,
            "ops": plan.ops,
            "sites": plan.sites,
            "programs": plan.programs,
            "filled": np.array(filled, np.uint32),
        }
        # Each starts at a multiple of 16 bytes.
        flat = [np.resize(a, -(-a.size // 4) * 4) if a.size else a for a in arrays.values()]
        with cupy.cuda.Device(device):
            self.memory = cupy.asarray(np.concatenate([a.ravel() for a in flat]))
        starts = np.cumsum([0, *(4 * a.size for a in flat)])
        address = int(self.memory.data.ptr)
        self.at = {name: address + int(at) for name, at in zip(arrays, starts, strict=False)}
        n_filled = np.array([len(columns) for columns in plan.filled], np.int64)
        # As FlatDomain in flat.hpp, of which frames, firsts and rows are known later.
        self.domains = np.zeros((len(plan.filled), _WORDS_OF_DOMAIN), np.uint64)
        self.domains[:, 3] = plan.n_columns
        self.domains[:, 4] = n_filled
        self.domains[:, 5] = self.at["filled"] + 4 * (np.cumsum(n_filled) - n_filled)


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
    """The samples' image on a device, which they keep."""
    if device not in samples.images:
        samples.images[device] = GpuImage(samples.packed, device)
    image: GpuImage = samples.images[device]
    return image


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
            idle.append(block)
