"""The memory of a GPU: batts, plans and samples on it, and memory for the values of runs."""

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

from arcbatt.engine import _engine
from arcbatt.engine.gpu import kernels, plan
from arcbatt.engine.gpu.plan import Plan
from arcbatt.engine.graph.samples import Samples
from arcbatt.measure import phase

# The share of the device's free memory for values.
POOL_SHARE = 0.6
# The share of all its memory for images of samples.
IMAGES_SHARE = 0.05
MIN_POOL_BYTES = 256 * 2**20
# A kept block of memory is used if it has at least this share of the wanted bytes.
ENOUGH = 0.8
_PLAN_PARTS = ("nodes", "others", "ops", "sites", "programs")  # of its image, in this order
_TO_DEVICE = 1  # cudaMemcpyHostToDevice


def new_array(shape: int | tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Return host memory that a device can read and write directly; it comes from a pool."""
    import cupyx

    array: NDArray[Any] = cupyx.empty_pinned(shape, dtype)
    return array


def new_results(shape: int | tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Return an array for results: such memory, or ordinary memory if the device fails.

    The failure is then handled when the device is used.
    """
    try:
        return new_array(shape, dtype)
    except kernels.device_errors():
        return np.empty(shape, dtype)


def send(content: NDArray[Any], address: int) -> None:
    """Start to copy an array of `new_array` to a device, before all work that is started later.

    The array must live until the device has been waited for.
    """
    import cupy

    stream = cupy.cuda.get_current_stream().ptr
    cupy.cuda.runtime.memcpyAsync(address, content.ctypes.data, content.nbytes, _TO_DEVICE, stream)


class GpuImage:
    """The bytes of a batt or of samples in a device's memory."""

    @phase("transfer")
    def __init__(self, packed: _engine.FusedBatt | _engine.Samples, device: int) -> None:
        import cupy

        with cupy.cuda.Device(device):
            content = new_array(packed.image_bytes(), np.uint8)
            self.memory = cupy.empty(content.size, cupy.uint8)
            self.address: int = self.memory.data.ptr
            packed.write_image(content, self.address)
            self.memory.set(content)
            cupy.cuda.get_current_stream().synchronize()  # before `content` is reused
            self.head = content[: _engine.batt_bytes].copy()


class Room:
    """Named parts of one allocation on a device, each at a multiple of 256 bytes."""

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
        """Return a part as an array, on the device or in a copy of the allocation."""
        start, end = self._ranges[name]
        return (self.memory if content is None else content)[start:end].view(dtype)


@dataclass
class GpuBatt:
    """A batt with its plan, and its copies on devices."""

    fused: _engine.FusedBatt
    plan: Plan
    n_programs: int
    _on_devices: dict[int, tuple[GpuImage, Any, dict[str, int]]] = field(default_factory=dict)
    _functions: dict[int, tuple[NDArray[np.uint64], NDArray[np.uint64]]] = field(
        default_factory=dict
    )

    @cached_property
    def kernels(self) -> frozenset[str]:
        """The kernels that it needs."""
        names = {"find_outcomes", *plan.kernels_of(self.plan).values()}
        wide = {name for name in map(kernels.wide_kernel, names) if name}
        return frozenset({*names, *wide})

    def on(self, device: int) -> tuple[GpuImage, dict[str, int]]:
        """Return its image on a device, and the addresses of the arrays of its plan."""
        copies = self._on_devices.get(device)
        if copies is None:
            # Two runs may get here at the same time; both then use the copies of one of them.
            new = (GpuImage(self.fused, device), *self._send_plan(device))
            copies = self._on_devices.setdefault(device, new)
        image, _, addresses = copies
        return image, addresses

    @phase("transfer")
    def _send_plan(self, device: int) -> tuple[Any, dict[str, int]]:
        """Copy the arrays of the plan to a device; return them and the address of each."""
        import cupy

        content, starts = self.plan.image()
        with cupy.cuda.Device(device):
            there = cupy.asarray(content)
            cupy.cuda.get_current_stream().synchronize()  # runs on other streams may use it
        address = int(there.data.ptr)
        return there, {name: address + at for name, at in zip(_PLAN_PARTS, starts, strict=True)}

    def is_ready_on(self, device: int) -> bool:
        """Return whether a device has its kernels; if not, start to compile them."""
        return device in self._functions or kernels.are_ready(self.kernels, device)

    def functions_on(self, device: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Load its kernels on a device; return them by number, and those for wide lanes."""
        if device not in self._functions:
            kernels.load(self.kernels, device)
            narrow, wide = (np.zeros(len(plan.kernel_names()), np.uint64) for _ in range(2))
            for number, name in plan.kernels_of(self.plan).items():
                narrow[number] = kernels.address(device, name)
                wide[number] = kernels.wide_address(device, name)
            self._functions[device] = narrow, wide
        return self._functions[device]


def image_of(samples: Samples, device: int) -> GpuImage:
    """Return the image of samples on a device; it is kept for the next run on equal samples."""
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
    """Remove samples from all devices."""
    with _images_lock:
        for key in [each for each in _images if each[1] == samples.digest]:
            del _images[key]


def release_cached(device: int) -> None:
    """Release all memory of a device that is only kept for later runs."""
    import cupy

    with _images_lock:
        for key in [each for each in _images if each[0] == device]:
            del _images[key]
    with _idle_lock:
        _idle.pop(device, None)
    cupy.get_default_memory_pool().free_all_blocks()


# By device and digest, the least recently used first.
_images: OrderedDict[tuple[int, bytes], GpuImage] = OrderedDict()
_images_lock = Lock()
_idle: dict[int, list[Any]] = {}
_idle_lock = Lock()


@contextmanager
def memory_for_values(cupy: Any, device: int, n_wanted: int) -> Iterator[Any]:
    """Provide memory for values: about the wanted bytes, at most the device's share for values.

    It is kept for the next run: allocating tens of gigabytes takes longer than most runs.
    """
    with _idle_lock:
        idle = _idle.setdefault(device, [])
        block = _large_enough(idle, n_wanted)
        if block is None:  # asking the driver for its free memory takes as long as a small run
            free = cupy.cuda.Device(device).mem_info[0] + sum(block.size for block in idle)
            most = int(free * POOL_SHARE)
            block = _large_enough(idle, min(n_wanted, most))
        if block is None:
            idle.clear()
            cupy.get_default_memory_pool().free_all_blocks()
            # A power of two, so that growing runs do not allocate each time.
            n_bytes = max(MIN_POOL_BYTES, min(1 << (n_wanted - 1).bit_length(), most))
            block = cupy.empty(n_bytes, cupy.uint8)
        idle[:] = [other for other in idle if other is not block]
    try:
        yield block
    finally:
        with _idle_lock:
            _idle.setdefault(device, []).append(block)


def _large_enough(blocks: list[Any], n_wanted: int) -> Any:
    """Return the smallest block with about the wanted bytes or more, or None."""
    enough = [block for block in blocks if block.size >= max(n_wanted * ENOUGH, MIN_POOL_BYTES)]
    return min(enough, key=lambda block: block.size) if enough else None
