"""Runs on GPUs: the engine's headers compiled by CuPy, a call on a sample done by a warp.

A batt is run as a schedule of steps: all calls of one primitive that are ready, on all samples, by
that primitive's own kernel. Samples are taken in chunks whose values fit the device's memory.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget
from arcbatt.language.registry import bundled_primitives
from arcbatt.measure import phase

from . import _engine
from .results import BattArrays, KeptWords
from .samples import Samples
from .schedule import INVOKE, LOAD, Schedule
from .table import domain_names

INCLUDE = Path(__file__).parent / "include" / "arcbatt"
# Threads of a block, and blocks that share a multiprocessor: they bound the registers of a thread.
BLOCK_THREADS = 128
BLOCKS_A_SM = 8
# Calls nest as deep as functions do; each level takes a few hundred bytes of stack.
STACK_BYTES = 24 * 1024
# A launch's values take what they take, unknown before; a call with its scratch is expected to need
# this much, and samples are run so many at a time that it is there for each.
EXPECTED_CALL_BYTES = 4 * 1024
# Of the device's free memory, the part that values may take.
POOL_SHARE = 0.6
# One call may take up to this part of what there is for all samples' values.
CALL_SHARE = 1 / 4
MIN_POOL_BYTES = 256 * 2**20
# Memory that is there already is taken if it is this part of what is wanted.
ENOUGH = 0.8
MAX_ITEMS = 2**31
_WORDS_OF_BATT = 7
_STACK_LIMIT = 0  # cudaLimitStackSize


class GpuError(RuntimeError):
    """The GPU cannot be used; the message says why."""


def source_digest() -> str:
    """Tells versions of the headers apart, which the compiler's cache does not look at."""
    digest = blake2b(digest_size=8)
    for path in sorted(INCLUDE.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


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


# --- kernels ---


COMMON, FUNCTIONS = "common", "functions"


@cache
def kernel_modules() -> dict[str, list[str]]:
    """The primitives that each module has a kernel for.

    There is a module for each family, one for all that calls functions (which takes by far the
    longest to compile, since these can come to call any primitive), and one for the rest.
    """
    names = domain_names()
    modules: dict[str, list[str]] = {COMMON: [], FUNCTIONS: []}
    for primitive in bundled_primitives().values():
        if not {names[domain] for domain in primitive.domains} & {"ANY_FUNCTION", "FUNCTIONS"}:
            modules.setdefault(primitive.family, []).append(primitive.name)
    return modules


def calls_functions(head: str) -> bool:
    """Whether what is of this head (schedule.py) can come to call any primitive."""
    return _kernels()[head][0] == FUNCTIONS


@lru_cache(maxsize=64)
def n_function_calls(schedule: Schedule) -> int:
    """How many nodes call functions."""
    return sum(step.n_nodes for step in schedule.steps if calls_functions(step.head))


def module_source(*modules: str) -> str:
    """The CUDA source of one module, or of several in one."""
    lines = [f"#define ARC_{module.upper()}" for module in modules]
    lines.append((INCLUDE / "kernel.cu").read_text("utf-8"))
    for module in modules:
        lines += [f"ARC_RUN({primitive})" for primitive in kernel_modules()[module]]
    return "\n".join(lines) + "\n"


@cache
def _kernels() -> dict[str, tuple[str, str]]:
    """The module and kernel that run what is of one head (schedule.py)."""
    kernels = dict.fromkeys((*bundled_primitives(), INVOKE), (FUNCTIONS, "run_functions"))
    kernels[LOAD] = (COMMON, "run_loads")
    for module, names in kernel_modules().items():
        kernels.update((name, (module, f"run_{name}")) for name in names)
    return kernels


def definitions() -> list[str]:
    """What the headers want to be told."""
    return [f"-DARC_BLOCK_THREADS={BLOCK_THREADS}", f"-DARC_BLOCKS_A_SM={BLOCKS_A_SM}"]


@cache
def _compiled(module: str) -> Any:
    import cupy

    options = (
        "-std=c++17",
        f"-I{INCLUDE}",
        *definitions(),
        f"-DARC_SOURCE_0x{source_digest()}",
    )
    compiled = cupy.RawModule(code=module_source(module), options=options, backend="nvrtc")
    compiled.compile()
    return compiled


@cache
def _kernel(device: int, module: str, name: str) -> Any:
    return _compiled(module).get_function(name)


@cache
def _prepare(device: int) -> None:
    """Room for the stack of nested calls."""
    import cupy

    cupy.cuda.runtime.deviceSetLimit(_STACK_LIMIT, STACK_BYTES)


def compile_modules(modules: Iterable[str], device: int) -> None:
    """Compiles what is not yet compiled, modules side by side."""
    import cupy

    def compile_module(module: str) -> None:
        with cupy.cuda.Device(device):
            _compiled(module)

    wanted = sorted(set(modules) - _known_modules)
    if wanted:
        with ThreadPoolExecutor(len(wanted)) as pool:
            list(pool.map(compile_module, wanted))
        _known_modules.update(wanted)


_known_modules: set[str] = set()


# --- runs ---


class GpuImage:
    """A batt's or a set of samples' bytes in a device's memory."""

    @phase("transfer")
    def __init__(self, packed: _engine.FusedBatt | _engine.Samples, device: int) -> None:
        import cupy

        with cupy.cuda.Device(device):
            content = np.empty(packed.image_bytes(), np.uint8)
            self.memory = cupy.empty(content.size, cupy.uint8)
            self.address: int = self.memory.data.ptr
            packed.write_image(content, self.address)
            self.memory.set(content)
            self.head = content[: 8 * _WORDS_OF_BATT].copy()


@dataclass
class GpuBatt:
    """A batt with what the GPU needs of it."""

    fused: _engine.FusedBatt
    schedule: Schedule
    n_programs: int
    _on_devices: dict[int, tuple[GpuImage, Any]] = field(default_factory=dict)

    def on(self, device: int) -> tuple[GpuImage, Any]:
        """Its image, and the nodes of all steps, on a device."""
        import cupy

        if device not in self._on_devices:
            with cupy.cuda.Device(device):
                nodes = cupy.asarray(self.schedule.nodes)
            self._on_devices[device] = (GpuImage(self.fused, device), nodes)
        return self._on_devices[device]


def new_array(shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """Memory of the host that a device can write to directly; it comes from a pool."""
    import cupyx

    array: NDArray[Any] = cupyx.empty_pinned(shape, dtype)
    return array


def image_of(samples: Samples, device: int) -> GpuImage:
    """The samples' image on a device, which they keep."""
    if device not in samples.images:
        samples.images[device] = GpuImage(samples.packed, device)
    image: GpuImage = samples.images[device]
    return image


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

    def work(part: int) -> tuple[int, list[KeptWords]]:
        alone = len(devices) == 1
        run = _Run(batt, samples, budget, devices[part], arrays, keep_values, alone)
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


@dataclass
class _Run:
    """One device's part of a run."""

    batt: GpuBatt
    samples: Samples
    budget: Budget
    device: int
    arrays: BattArrays
    keep_values: bool
    alone: bool  # no other device writes to the arrays meanwhile

    def all_of(self, chosen: NDArray[np.uint32]) -> tuple[int, list[KeptWords]]:
        import cupy

        if not chosen.size:
            return 0, []
        with cupy.cuda.Device(self.device) as gpu:
            _prepare(self.device)
            modules = {_kernels()[step.head][0] for step in self.batt.schedule.steps}
            compile_modules({COMMON, *modules}, self.device)
            self.n_sms: int = gpu.attributes["MultiProcessorCount"]
            self.images = (self.batt.on(self.device), image_of(self.samples, self.device))
            shape = self.arrays.reasons.shape
            self.outputs = [cupy.empty(shape, array.dtype) for array in self.arrays]
            a_sample = EXPECTED_CALL_BYTES * self.batt.schedule.n_nodes
            with _memory(cupy, self.device, 2 * a_sample * chosen.size) as memory:
                fit = min(memory.size // a_sample, MAX_ITEMS // self.batt.schedule.n_nodes)
                at_once = max(32, fit)
                kept = []
                for start in range(0, chosen.size, at_once):
                    kept += self._chunk(cupy, chosen[start : start + at_once], memory)
            self._copy(chosen)
        return int((self.arrays.reasons[:, chosen] != _engine.NOT_RUN).sum()), kept

    @phase("transfer")
    def _copy(self, chosen: NDArray[np.uint32]) -> None:
        """The results of the chosen samples into the arrays, and no others."""
        n_samples = self.arrays.reasons.shape[1]
        whole = self.alone and n_samples < 2 * chosen.size
        others = np.delete(np.arange(n_samples), chosen) if whole else None
        for name, output in zip(BattArrays._fields, self.outputs, strict=True):
            array = getattr(self.arrays, name)
            if others is None:
                array[:, chosen] = output.get()[:, chosen]
            else:  # the only worker, with most of the samples: whole copies take less time
                kept = array[:, others]
                output.get(out=array)
                array[:, others] = kept

    def _chunk(self, cupy: Any, chosen: NDArray[np.uint32], memory: Any) -> list[KeptWords]:
        """All steps on some samples, whose values share the memory."""
        (batt_image, nodes), samples_image = self.images
        schedule, n = self.batt.schedule, chosen.size
        n_blocks = self.n_sms * 2048 // BLOCK_THREADS
        n_warps = n_blocks * BLOCK_THREADS // 32
        n_cells = self.batt.n_programs * n
        on_device = cupy.asarray(chosen)
        n_used = cupy.zeros(1, cupy.uint64)
        pages = cupy.zeros(2 * n_warps, cupy.uint64)
        stopped = cupy.zeros(1, cupy.uint32)
        values = cupy.empty(2 * schedule.n_nodes * n, cupy.uint64)
        costs = cupy.empty(2 * schedule.n_nodes * n, cupy.uint64)
        n_words = cupy.empty(n_cells if self.keep_values else 1, cupy.int64)
        # The fields of `Launch` in kernel.cu.
        words = [
            *np.frombuffer(batt_image.head, np.uint64).tolist(),
            self.budget.steps,
            self.budget.bytes,
            samples_image.address,
            on_device.data.ptr,
            n,
            len(self.samples),
            memory.data.ptr,
            memory.size,
            n_used.data.ptr,
            int(memory.size * CALL_SHARE) // n,
            *(array.data.ptr for array in (pages, stopped, values, costs, *self.outputs, n_words)),
            0,
        ]
        launch = cupy.array(words, cupy.uint64)
        n_steps = len(schedule.steps)
        queues = cupy.zeros(n_steps + 3, cupy.uint32)

        def start(k: int, module: str, kernel: str, n_items: int, *arguments: Any) -> None:
            at_once = max(1, min(8, n_items // (4 * n_warps)))
            queue = (np.uint64(queues.data.ptr + 4 * k), np.uint32(n_items), np.uint32(at_once))
            grid = min(n_blocks, -(-n_items * 32 // BLOCK_THREADS))
            run = _kernel(self.device, module, kernel)
            run((grid,), (BLOCK_THREADS,), (launch, *queue, *arguments))

        try:
            for k, step in enumerate(schedule.steps):
                at = np.uint64(nodes.data.ptr + 4 * step.first)
                start(k, *_kernels()[step.head], step.n_nodes * n, at, np.uint32(step.n_nodes))
            start(n_steps, COMMON, "find_outcomes", n_cells)
            _wait(cupy)
            if not self.keep_values:
                return []
            start(n_steps + 1, COMMON, "count_kept", n_cells)
            ends = cupy.cumsum(n_words)
            kept_words = cupy.empty(max(1, int(ends[-1])), cupy.int32)
            n_words[:] = ends - n_words
            launch[-1] = kept_words.data.ptr
            start(n_steps + 2, COMMON, "write_kept", n_cells)
            _wait(cupy)
        except KeyboardInterrupt:
            with cupy.cuda.Stream(non_blocking=True):
                stopped[:] = 1
            cupy.cuda.get_current_stream().synchronize()
            raise
        ok = np.flatnonzero(self.outputs[0].get()[:, chosen] == 0)
        cells = ok // n * len(self.samples) + chosen[ok % n]
        return [KeptWords(kept_words.get(), cells.astype(np.int64), n_words.get()[ok])]


_idle_memory: dict[int, list[Any]] = {}
_idle_lock = Lock()


@contextmanager
def _memory(cupy: Any, device: int, n_wanted: int) -> Iterator[Any]:
    """Memory for values: so many bytes, or what may be taken of the device's.

    It is kept for the next run: getting tens of gigabytes from the driver takes longer than most.
    """
    with _idle_lock:
        idle = _idle_memory.setdefault(device, [])
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


def _wait(cupy: Any) -> None:
    """Until the device is done, Ctrl-C taken meanwhile."""
    done = cupy.cuda.Event(disable_timing=True)
    done.record()
    pause = 0.0
    while not done.done:
        time.sleep(pause)
        pause = min(pause + 2e-5, 0.01)
