"""Runs on GPUs: the engine's headers compiled by CuPy, a call on a sample done by a warp.

A batt is run as a schedule of steps: all calls of one primitive that are ready, on all samples, by
that primitive's own kernel. Samples are taken in chunks whose values fit the device's memory.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget
from arcbatt.measure import phase

from . import _engine, kernels, profiling
from .flatten import Plan
from .kernels import BLOCK_THREADS, MAX_LARGE, WIDE_THREADS
from .results import BattArrays, KeptWords
from .samples import Samples

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
# Elements of all containers that a function is run on, at most.
MAX_ELEMENTS = 2**28
_WORDS_OF_BATT = 7
_WORDS_OF_DOMAIN = 6
_STEP = np.dtype(
    [(name, np.uint64) for name in ("nodes", "others", "starts", "counts", "next", "large")]
    + [(name, np.uint32) for name in ("n_nodes", "n_others", "n_items", "at_once")]
)
_WORDS_OF_STEP = _STEP.itemsize // 8
_WORDS_FIELD = 27  # where `words` is in `Launch`
_STACK_LIMIT = 0  # cudaLimitStackSize


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


@cache
def _prepare(device: int) -> None:
    """Room for the stack of nested calls."""
    import cupy

    cupy.cuda.runtime.deviceSetLimit(_STACK_LIMIT, STACK_BYTES)


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
    plan: Plan
    n_programs: int
    _on_devices: dict[int, tuple[GpuImage, GpuPlan]] = field(default_factory=dict)

    def on(self, device: int) -> tuple[GpuImage, GpuPlan]:
        """Its image and its plan on a device."""
        if device not in self._on_devices:
            self._on_devices[device] = (GpuImage(self.fused, device), GpuPlan(self.plan, device))
        return self._on_devices[device]


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
    launches = profiling.launches()

    def work(part: int) -> tuple[int, list[KeptWords]]:
        alone = len(devices) == 1
        run = _Run(batt, samples, budget, devices[part], arrays, keep_values, alone, launches)
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
    launches: list[profiling.Launch] | None  # where to add what kernels took

    def all_of(self, chosen: NDArray[np.uint32]) -> tuple[int, list[KeptWords]]:
        import cupy

        if not chosen.size:
            return 0, []
        with cupy.cuda.Device(self.device) as gpu:
            _prepare(self.device)
            names = {step.kernel for stage in self.batt.plan.stages for step in stage.steps}
            self.wide = {name: kernels.wide_kernel(name) for name in names}
            wide = {name for name in self.wide.values() if name}
            kernels.load({"find_outcomes", *names, *wide}, self.device)
            self.n_sms: int = gpu.attributes["MultiProcessorCount"]
            self.images = (self.batt.on(self.device), image_of(self.samples, self.device))
            shape = self.arrays.reasons.shape
            self.outputs = [cupy.empty(shape, array.dtype) for array in self.arrays]
            self.outputs[0].fill(_engine.NOT_RUN)
            n_calls = self.batt.plan.n_nodes + len(self.batt.plan.ops)
            a_sample = EXPECTED_CALL_BYTES * n_calls
            with _memory(cupy, self.device, 2 * a_sample * chosen.size) as memory:
                fit = min(memory.size // a_sample, MAX_ITEMS // n_calls)
                at_once = max(32, fit)
                kept = []
                todo = [chosen[k : k + at_once] for k in range(0, chosen.size, at_once)]
                while todo:
                    part = todo.pop()
                    try:
                        kept += self._chunk(cupy, part, memory)
                        self._note_launches(cupy)
                    except _TooManyElements:
                        half = part.size // 2
                        todo += [part[:half], part[half:]] if half else []
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
        (batt_image, on_device), samples_image = self.images
        plan, n = self.batt.plan, chosen.size
        self.n_blocks = self.n_sms * 2048 // BLOCK_THREADS
        self.n_warps = self.n_blocks * BLOCK_THREADS // 32
        n_cells = self.batt.n_programs * n
        chosen_there = cupy.asarray(chosen)
        n_used = cupy.zeros(1, cupy.uint64)
        pages = cupy.zeros(2 * self.n_warps, cupy.uint64)
        stopped = cupy.zeros(1, cupy.uint32)
        values = cupy.empty(2 * plan.n_nodes * n, cupy.uint64)
        costs = cupy.empty(2 * plan.n_nodes * n, cupy.uint64)
        n_words = cupy.empty(n_cells if self.keep_values else 1, cupy.int64)
        domains = cupy.empty(max(1, on_device.domains.size), cupy.uint64)
        # The fields of `Launch` in kernel.cu.
        words = [
            *np.frombuffer(batt_image.head, np.uint64).tolist(),
            self.budget.steps,
            self.budget.bytes,
            samples_image.address,
            chosen_there.data.ptr,
            n,
            len(self.samples),
            memory.data.ptr,
            memory.size,
            n_used.data.ptr,
            int(memory.size * CALL_SHARE) // n,
            *(array.data.ptr for array in (pages, stopped, values, costs, *self.outputs, n_words)),
            0,
            *(on_device.at["ops"], on_device.at["sites"], domains.data.ptr, values.data.ptr, n),
        ]
        self.launch = cupy.array(words, cupy.uint64)
        n_steps = plan.n_steps + 3
        # The fields of `Step` in kernel.cu, and what each takes its items from.
        self.steps = cupy.empty((n_steps, _WORDS_OF_STEP), cupy.uint64)
        self.queues = cupy.zeros(n_steps, cupy.uint32)
        self.n_started = 0
        self.held: list[Any] = []  # what is in use until the last step is done
        self.stage = 0
        self.timed: list[tuple[int, str, int, Any, Any]] = []
        try:
            self._run_stages(cupy, n, domains)
            self.stage = -1
            n_run = plan.programs.size
            self._start("find_outcomes", n_run * n, on_device.at["programs"], n_run)
            _wait(cupy)
            if not self.keep_values:
                return []
            self._start("count_kept", n_cells)
            ends = cupy.cumsum(n_words)
            kept_words = cupy.empty(max(1, int(ends[-1])), cupy.int32)
            n_words[:] = ends - n_words
            self.launch[_WORDS_FIELD] = kept_words.data.ptr
            self._start("write_kept", n_cells)
            _wait(cupy)
        except KeyboardInterrupt:
            with cupy.cuda.Stream(non_blocking=True):
                stopped[:] = 1
            cupy.cuda.get_current_stream().synchronize()
            raise
        ok = np.flatnonzero(self.outputs[0].get()[:, chosen] == 0)
        cells = ok // n * len(self.samples) + chosen[ok % n]
        return [KeptWords(kept_words.get(), cells.astype(np.int64), n_words.get()[ok])]

    def _start(self, kernel: str, n_items: int, nodes: int = 0, n_nodes: int = 0) -> None:
        """Start a kernel of no step of the plan."""
        words = self._new_steps(1)
        words["nodes"], words["n_nodes"], words["n_items"] = nodes, n_nodes, n_items
        self._start_all([kernel], words)

    def _new_steps(self, n: int) -> NDArray[Any]:
        words = np.zeros(n, _STEP)
        first = self.n_started
        words["next"] = self.queues.data.ptr + 4 * np.arange(first, first + n, dtype=np.uint64)
        return words

    @phase("launch")
    def _start_all(self, names: Sequence[str], words: NDArray[Any]) -> None:
        """Start kernels one after the other, those that have nothing to do left out."""
        n_items = words["n_items"].astype(np.int64)
        words["at_once"] = np.clip(n_items // (4 * self.n_warps), 1, 8)
        grids = np.minimum(self.n_blocks, -(-n_items * 32 // BLOCK_THREADS)).tolist()
        first, n = self.n_started, len(words)
        wide = [self.wide.get(name) for name in names]
        has_wide = np.array([name is not None for name in wide]) & (n_items > 0)
        words["large"][has_wide] = self._new_lists(int(has_wide.sum()))
        self.steps[first : first + n].set(words.view(np.uint64).reshape(n, -1))
        self.n_started += n
        at = self.steps.data.ptr + 8 * _WORDS_OF_STEP * first
        block = (BLOCK_THREADS,)
        for k, grid in enumerate(grids):
            if grid:
                arguments = (self.launch, np.uint64(at + 8 * _WORDS_OF_STEP * k))
                with self._timing(names[k], int(n_items[k])):
                    self._kernel(names[k])((grid,), block, arguments)
                if (name := wide[k]) is not None:
                    blocks = (min(int(n_items[k]), self.n_sms),)
                    with self._timing(name, 0):
                        self._kernel(name)(blocks, (WIDE_THREADS,), arguments)

    def _new_lists(self, n: int) -> NDArray[np.uint64]:
        """Addresses of lists of items that steps leave to wide lanes, of which there are none."""
        import cupy

        lists = cupy.empty((n, MAX_LARGE + 2), cupy.uint32)
        lists[:, :2] = 0
        self.held.append(lists)
        addresses: NDArray[np.uint64] = lists.data.ptr + 4 * (MAX_LARGE + 2) * np.arange(
            n, dtype=np.uint64
        )
        return addresses

    @contextmanager
    def _timing(self, kernel: str, n_items: int) -> Iterator[None]:
        """Time a launch by events around it, where that was asked for."""
        if self.launches is None:
            yield
            return
        import cupy

        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        yield
        after.record()
        self.timed.append((self.stage, kernel, n_items, before, after))

    def _note_launches(self, cupy: Any) -> None:
        """Add what the chunk's launches took, all of which are done."""
        for stage, kernel, n_items, before, after in self.timed:
            taken_s = cupy.cuda.get_elapsed_time(before, after) / 1000
            name = f"cuda:{self.device}"
            assert self.launches is not None
            self.launches.append(profiling.Launch(name, stage, kernel, n_items, taken_s))

    def _kernel(self, name: str) -> Any:
        return kernels.kernel(self.device, name)

    def _run_stages(self, cupy: Any, n: int, domains: Any) -> None:
        """All steps; after each stage, how many elements the containers have that it came to."""
        (_, on_device), _ = self.images
        plan = self.batt.plan
        table = on_device.domains.copy()
        # How many elements each domain has, how many rows, and how many samples there are.
        n_domains = len(table)
        sizes = np.zeros(2 * n_domains + 1, np.int64)
        sizes[-1] = n
        for number, stage in enumerate(plan.stages):
            self.stage = number
            n_items = sizes[stage.sizes]
            ends = np.concatenate([[0], np.cumsum(n_items)])
            starts = ends[:-1] - ends[stage.firsts_of_others]
            of_steps = ends[stage.ends] - ends[stage.firsts]
            of_nodes = stage.n_nodes * n
            first_site = ends[stage.first_site]
            n_asked = int(ends[-1] - first_site)
            if max(int(of_steps.max()), n_asked) + int(of_nodes.max()) > MAX_ELEMENTS:
                raise _TooManyElements
            bounds = ends[stage.first_site :] - first_site
            sent = cupy.asarray(np.concatenate([starts, bounds]).astype(np.uint32))
            words = self._new_steps(len(stage.steps))
            words["nodes"] = on_device.at["nodes"] + 4 * stage.first_nodes
            words["others"] = on_device.at["others"] + 4 * (stage.first_other + stage.firsts)
            words["starts"] = sent.data.ptr + 4 * stage.firsts
            words["n_nodes"] = stage.n_nodes
            words["n_others"] = stage.ends - stage.firsts
            words["n_items"] = of_nodes + of_steps
            if n_asked:
                frames = cupy.empty(n_asked, cupy.uint64)
                counts = cupy.zeros(n_asked, cupy.uint32)
                firsts = cupy.empty(n_asked + 1, cupy.uint32)
                words["counts"] = counts.data.ptr + 4 * (ends[stage.firsts] - first_site)
                made, new = stage.domains, stage.domains >= 0
                at, rows = bounds[:-1][new], n_items[stage.first_site :][new]
                table[made[new], 0] = frames.data.ptr + 8 * at
                table[made[new], 1] = firsts.data.ptr + 4 * at
                table[made[new], 2] = rows
                domains.set(table.ravel())
                sizes[n_domains + made[new]] = rows
                self.held += [frames, counts, firsts]
            self.held.append(sent)
            self._start_all([step.kernel for step in stage.steps], words)
            if n_asked:
                found = cupy.empty(bounds.size, cupy.uint32)
                with self._timing("add_counts", n_asked):
                    self._kernel("add_counts")((1,), (1024,), (counts, firsts, np.uint32(n_asked)))
                places = np.uint64(sent.data.ptr + 4 * starts.size)
                grid = (-(-bounds.size // 256),)
                given = (firsts, places, found, np.uint32(bounds.size))
                self._kernel("pick")(grid, (256,), given)
                _wait(cupy)
                sizes[made[new]] = np.diff(found.get().astype(np.int64))[new]


class _TooManyElements(Exception):
    """More than there is room for: the samples must be run in smaller parts."""


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


@phase("wait")
def _wait(cupy: Any) -> None:
    """Until the device is done, Ctrl-C taken meanwhile."""
    done = cupy.cuda.Event(disable_timing=True)
    done.record()
    pause = 0.0
    while not done.done:
        time.sleep(pause)
        pause = min(pause + 2e-5, 0.01)
