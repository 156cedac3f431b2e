"""What is in a GPU's memory: batts, plans and samples, and the memory for the values of a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.measure import phase

from . import _engine, flatten, kernels
from .flatten import Plan
from .samples import Samples

# Of the device's free memory, the part that values may take.
POOL_SHARE = 0.6
# Of all its memory, what images of samples may take.
IMAGES_SHARE = 0.05
MIN_POOL_BYTES = 256 * 2**20
# Memory that is there already is taken if it is this part of what is wanted.
ENOUGH = 0.8
_WORDS_OF_BATT = 7
_PLAN_PARTS = ("nodes", "others", "ops", "sites", "programs")  # of its image, in this order
_TO_DEVICE = 1  # cudaMemcpyHostToDevice


def new_array(shape: int | tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Memory of the host that a device can read and write directly; it comes from a pool."""
    import cupyx

    array: NDArray[Any] = cupyx.empty_pinned(shape, dtype)
    return array


def new_results(shape: int | tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Return an array for results: such memory, or any other where none can be had.

    So a device that has failed is found out where that is looked for, when it is to be run.
    """
    try:
        return new_array(shape, dtype)
    except kernels.device_errors():
        return np.empty(shape, dtype)


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
            cupy.cuda.get_current_stream().synchronize()  # before `content` is another's
            self.head = content[: 8 * _WORDS_OF_BATT].copy()


class Room:
    """Parts of a device's memory that are taken at once, each at a multiple of 256 bytes."""

    def __init__(self, new: Callable[..., Any], n_bytes: Mapping[str, int]) -> None:
        """`new` is CuPy's `empty` or `zeros`."""
        starts = np.cumsum([0, *(-(-n // 256) * 256 for n in n_bytes.values())]).tolist()
        self.memory = new(max(1, starts[-1]), np.uint8)
        self._ranges = {
            name: (start, start + n)
            for (name, n), start in zip(n_bytes.items(), starts, strict=False)
        }
        address = int(self.memory.data.ptr)
        self.at = {name: address + start for name, (start, _) in self._ranges.items()}

    def part(self, name: str, dtype: type[np.generic], content: NDArray[Any] | None = None) -> Any:
        """Return a part as an array, of the device or of what was copied from there."""
        start, end = self._ranges[name]
        return (self.memory if content is None else content)[start:end].view(dtype)


@dataclass
class GpuBatt:
    """A batt with what the GPU needs of it."""

    fused: _engine.FusedBatt
    plan: Plan
    n_programs: int
    _on_devices: dict[int, tuple[GpuImage, Any, dict[str, int]]] = field(default_factory=dict)
    _functions: dict[int, tuple[NDArray[np.uint64], NDArray[np.uint64]]] = field(
        default_factory=dict
    )

    @cached_property
    def kernels(self) -> frozenset[str]:
        """All kernels that it needs."""
        names = {"find_outcomes", *flatten.kernels_of(self.plan).values()}
        wide = {name for name in map(kernels.wide_kernel, names) if name}
        return frozenset({*names, *wide})

    def on(self, device: int) -> tuple[GpuImage, dict[str, int]]:
        """Its image on a device, and where the arrays of its plan are."""
        found = self._on_devices.get(device)
        if found is None:
            # Two runs may come here at once: what one of them has made is then taken by both.
            made = (GpuImage(self.fused, device), *self._send_plan(device))
            found = self._on_devices.setdefault(device, made)
        image, _, places = found
        return image, places

    @phase("transfer")
    def _send_plan(self, device: int) -> tuple[Any, dict[str, int]]:
        """Return the arrays of the plan on a device, which must stay, and where each of them is."""
        import cupy

        content, starts = self.plan.image()
        with cupy.cuda.Device(device):
            there = cupy.asarray(content)
            cupy.cuda.get_current_stream().synchronize()  # runs on other streams may use it, too
        address = int(there.data.ptr)
        return there, {name: address + at for name, at in zip(_PLAN_PARTS, starts, strict=True)}

    def is_ready_on(self, device: int) -> bool:
        """Return whether a device has its kernels; otherwise they are compiled meanwhile."""
        return device in self._functions or kernels.are_ready(self.kernels, device)

    def functions_on(self, device: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Its kernels on a device, by their numbers, and those for wide lanes; loads them."""
        if device not in self._functions:
            kernels.load(self.kernels, device)
            found = tuple(np.zeros(len(flatten.kernel_names()), np.uint64) for _ in range(2))
            for number, name in flatten.kernels_of(self.plan).items():
                found[0][number] = kernels.address(device, name)
                found[1][number] = kernels.wide_address(device, name)
            self._functions[device] = found[0], found[1]
        return self._functions[device]


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
        block = _large_enough(idle, n_wanted)
        if block is None:  # asking the driver what is free takes as long as a small run
            free = cupy.cuda.Device(device).mem_info[0] + sum(block.size for block in idle)
            most = int(free * POOL_SHARE)
            block = _large_enough(idle, min(n_wanted, most))
        if block is None:
            idle.clear()
            cupy.get_default_memory_pool().free_all_blocks()
            # More than is wanted now, so that runs that grow do not take new memory each time.
            n_bytes = max(MIN_POOL_BYTES, min(1 << (n_wanted - 1).bit_length(), most))
            block = cupy.empty(n_bytes, cupy.uint8)
        idle[:] = [other for other in idle if other is not block]
    try:
        yield block
    finally:
        with _idle_lock:
            _idle.setdefault(device, []).append(block)


def _large_enough(blocks: list[Any], n_wanted: int) -> Any:
    """Return the smallest of the blocks that is as large as is wanted, or nearly; None for none."""
    enough = [block for block in blocks if block.size >= max(n_wanted * ENOUGH, MIN_POOL_BYTES)]
    return min(enough, key=lambda block: block.size) if enough else None
