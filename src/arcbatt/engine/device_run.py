"""One GPU's part of a run: chunks of samples, stages of the plan, launches of kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget
from arcbatt.measure import phase

from . import _engine, device_memory, kernels, profiling
from .device_memory import GpuBatt, image_of, memory_for_values, send
from .kernels import (
    BLOCK_THREADS,
    ELEMENTS_AN_ITEM,
    MAX_LARGE,
    WIDE_BLOCKS_A_SM,
    WIDE_THREADS,
)
from .results import BattArrays, KeptWords
from .samples import Samples

# Calls nest as deep as functions do; each level takes a few hundred bytes of stack.
STACK_BYTES = 24 * 1024
# A launch's values take what they take, unknown before; a call with its scratch is expected to need
# this much, and samples are run so many at a time that it is there for each.
EXPECTED_CALL_BYTES = 4 * 1024
# One call may take up to this part of what there is for its sample's values, or for all samples':
# few calls are large, and what one cannot do, the CPU does after all others.
SAMPLE_SHARE, WHOLE_SHARE = 1 / 4, 1 / 256
MAX_ITEMS = 2**31
# Elements of all containers that a function is run on, at most.
MAX_ELEMENTS = 2**28
# So many kernels that do not need one another run side by side: most cannot fill a card.
N_STREAMS = 4
# What a warp takes of the memory for values at once, as in kernel.cu, for every stream it runs on.
PAGE_BYTES = 64 * 1024
# So long a wait goes on without sleeping: most stages take less.
SPIN_S = 0.002
_STEP = np.dtype(
    [(name, np.uint64) for name in ("nodes", "others", "starts", "counts", "queue", "listed")]
    + [(name, np.uint32) for name in ("n_nodes", "n_others", "n_items", "at_once")]
    + [(name, np.uint32) for name in ("n_elements", "unused")]
)
_QUEUE_WORDS = 3  # as `Queue` in kernel.cu
_PAGES_FIELD, _WORDS_FIELD = 17, 27  # where `pages` and `words` are in `Launch`
_STACK_LIMIT = 0  # cudaLimitStackSize


@cache
def _prepare(device: int) -> None:
    """Room for the stack of nested calls."""
    import cupy

    cupy.cuda.runtime.deviceSetLimit(_STACK_LIMIT, STACK_BYTES)


class Overtaken(Exception):
    """Others are done with the samples already."""


class _TooManyElements(Exception):
    """More than there is room for: the samples must be run in smaller parts."""


@dataclass
class DeviceRun:
    """One device's part of a run."""

    batt: GpuBatt
    samples: Samples
    budget: Budget
    device: int
    arrays: BattArrays
    keep_values: bool
    launches: list[profiling.Launch] | None  # where to add what kernels took

    def samples_from(
        self, first: int, end: int, is_overtaken: Callable[[], bool]
    ) -> list[KeptWords]:
        """Run the samples from one to another; returns the kept values.

        Raises `Overtaken` as soon as that is so.
        """
        import cupy

        self.is_overtaken = is_overtaken
        order = self.samples.order
        chosen = order[(order >= first) & (order < end)]
        with cupy.cuda.Device(self.device) as gpu:
            _prepare(self.device)
            kernels.load(self.batt.kernels, self.device)
            self.n_sms: int = gpu.attributes["MultiProcessorCount"]
            self.n_blocks = self.n_sms * 2048 // BLOCK_THREADS
            self.n_warps = self.n_blocks * BLOCK_THREADS // 32
            self.images = (self.batt.on(self.device), image_of(self.samples, self.device))
            # Kernels write by sample: the arrays stand where that of the first one is the first.
            self.first, self.n_columns = first, end - first
            shape = (self.batt.n_programs, self.n_columns)
            self.outputs = [cupy.empty(shape, array.dtype) for array in self.arrays]
            self.outputs[0].fill(_engine.NOT_RUN)
            n_calls = self.batt.plan.n_nodes + len(self.batt.plan.ops)
            a_sample = EXPECTED_CALL_BYTES * n_calls
            n_pages = N_STREAMS * min(self.n_warps, chosen.size * self.batt.plan.most_at_once)
            n_wanted = 2 * a_sample * chosen.size + n_pages * PAGE_BYTES
            with (
                memory_for_values(cupy, self.device, n_wanted) as memory,
                _streams_on(cupy, self.device) as self.streams,
            ):
                fit = min(memory.size // a_sample, MAX_ITEMS // n_calls)
                at_once = max(32, fit)
                kept = []
                todo = [chosen[k : k + at_once] for k in range(0, chosen.size, at_once)]
                while todo:
                    part = todo.pop()
                    try:
                        kept += self._chunk(cupy, part, memory)
                        self._note_launches(cupy)
                    except (_TooManyElements, cupy.cuda.memory.OutOfMemoryError):
                        # One sample that is too much is left to the CPU.
                        device_memory.give_up(self.device)
                        half = part.size // 2
                        todo += [part[:half], part[half:]] if half else []
        return kept

    @phase("transfer")
    def write(self, first: int, end: int) -> int:
        """Write the results of the samples that were run last; returns how many there are."""
        rows = self.batt.plan.programs
        is_whole = self.outputs[0].shape == self.arrays.reasons.shape
        if is_whole and rows.size == self.batt.n_programs:
            for array, output in zip(self.arrays, self.outputs, strict=True):
                output.get(out=array)
            return int(np.count_nonzero(self.arrays.reasons != _engine.NOT_RUN))
        n_results = 0
        for name, output in zip(BattArrays._fields, self.outputs, strict=True):
            content = device_memory.new_array(output.shape, output.dtype)
            output.get(out=content)
            # The CPU writes to the other rows and columns meanwhile.
            found = content if rows.size == self.batt.n_programs else content[rows]
            getattr(self.arrays, name)[rows, first:end] = found
            if name == "reasons":
                n_results = int(np.count_nonzero(found != _engine.NOT_RUN))
        return n_results

    def _chunk(self, cupy: Any, chosen: NDArray[np.uint32], memory: Any) -> list[KeptWords]:
        """All steps on some samples, whose values share the memory."""
        (batt_image, on_device), samples_image = self.images
        plan, n = self.batt.plan, chosen.size
        n_cells = self.batt.n_programs * n
        chosen_there = cupy.asarray(chosen)
        n_used = cupy.zeros(1, cupy.uint64)
        pages = cupy.zeros((N_STREAMS, 2 * self.n_warps), cupy.uint64)
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
            self.n_columns,
            memory.data.ptr,
            memory.size,
            n_used.data.ptr,
            int(memory.size * max(SAMPLE_SHARE / n, WHOLE_SHARE)),
            *(array.data.ptr for array in (pages, stopped, values, costs)),
            *(array.data.ptr - self.first * array.itemsize for array in self.outputs),
            n_words.data.ptr,
            0,
            *(on_device.at["ops"], on_device.at["sites"], domains.data.ptr, values.data.ptr, n),
        ]
        # By stream: each has pages of its own.
        by_stream = np.tile(np.array(words, np.uint64), (N_STREAMS, 1))
        by_stream[:, _PAGES_FIELD] += np.arange(N_STREAMS, dtype=np.uint64) * (16 * self.n_warps)
        self.launch = cupy.asarray(by_stream)
        # What each step takes its items from, and the items that one leaves to wide lanes.
        self.queues = cupy.zeros((plan.n_steps + 3, _QUEUE_WORDS), cupy.uint32)
        self.listed = cupy.empty(MAX_LARGE * (plan.n_steps + 3), cupy.uint32)
        self.n_started = 0
        self.held: list[Any] = []  # what is in use until the last step is done
        self.stage = 0
        self.timed: list[tuple[int, str, int, Any, Any]] = []
        try:
            self._run_stages(cupy, n, domains)
            self.stage = -1
            n_run = plan.programs.size
            self._start_one(cupy, "find_outcomes", n_run * n, on_device.at["programs"], n_run)
            self._wait(cupy)
            if not self.keep_values:
                return []
            self._start_one(cupy, "count_kept", n_cells)
            ends = cupy.cumsum(n_words)
            kept_words = cupy.empty(max(1, int(ends[-1])), cupy.int32)
            n_words[:] = ends - n_words
            self.launch[:, _WORDS_FIELD] = kept_words.data.ptr
            self._start_one(cupy, "write_kept", n_cells)
            self._wait(cupy)
        except (KeyboardInterrupt, Overtaken):
            # By a copy: a kernel might have to wait for those that it is to stop.
            one = device_memory.new_array(1, np.uint32)
            one[:] = 1
            with cupy.cuda.Stream(non_blocking=True):
                send(one, stopped.data.ptr)
            cupy.cuda.get_current_stream().synchronize()
            raise
        ok = np.flatnonzero(self.outputs[0].get()[:, chosen - self.first] == 0)
        cells = ok // n * len(self.samples) + chosen[ok % n]
        return [KeptWords(kept_words.get(), cells.astype(np.int64), n_words.get()[ok])]

    def _start_one(
        self, cupy: Any, kernel: str, n_items: int, nodes: int = 0, n_nodes: int = 0
    ) -> None:
        """Start a kernel of no step of the plan."""
        words = np.zeros(1, _STEP)
        words["nodes"], words["n_nodes"], words["n_items"] = nodes, n_nodes, n_items
        self._start(cupy, [kernel], words, np.zeros(0, np.uint32), np.zeros(1, np.uint32))

    @phase("launch")
    def _start(
        self,
        cupy: Any,
        names: Sequence[str],
        words: NDArray[Any],
        numbers: NDArray[Any],
        levels: NDArray[np.uint32],
    ) -> int:
        """Start kernels level by level, those that have nothing to do left out.

        `words` are the fields of `Step` in kernel.cu, in which `starts` are counted from the
        numbers that are sent with them; returns where these are.
        """
        n = len(names)
        n_items = words["n_items"].astype(np.int64)
        queue_bytes = 4 * _QUEUE_WORDS
        first = self.queues.data.ptr + queue_bytes * self.n_started
        words["queue"] = first + queue_bytes * np.arange(n, dtype=np.uint64)
        lists = self.listed.data.ptr + 4 * MAX_LARGE * self.n_started
        words["listed"] = lists + 4 * MAX_LARGE * np.arange(n, dtype=np.uint64)
        words["at_once"] = np.clip(n_items // (4 * self.n_warps), 1, 8)
        self.n_started += n
        # The numbers first: their places are multiples of 4 bytes, the words' of 8.
        n_numbers = -(-numbers.size // 2) * 2
        content = device_memory.new_array(4 * n_numbers + words.nbytes, np.uint8)
        there = cupy.empty(content.size, cupy.uint8)
        address = int(there.data.ptr)
        words["starts"] += np.uint64(address)
        content[: 4 * numbers.size].view(np.uint32)[:] = numbers
        content[4 * n_numbers :].view(_STEP)[:] = words
        send(content, address)
        self.held += [content, there]
        steps_at = address + 4 * n_numbers
        grids = np.minimum(self.n_blocks, -(-n_items * 32 // BLOCK_THREADS)).astype(np.uint32)
        given = {
            "functions": [kernels.address(self.device, name) for name in names],
            "wide_functions": [kernels.wide_address(self.device, name) for name in names],
            "steps": steps_at + words.itemsize * np.arange(n, dtype=np.uint64),
        }
        arrays: dict[str, NDArray[Any]] = {
            "grids": grids,
            "wide_grids": np.minimum(n_items, WIDE_BLOCKS_A_SM * self.n_sms).astype(np.uint32),
            "levels": levels,
            **{name: np.array(content, np.uint64) for name, content in given.items()},
        }
        if self.launches is None:
            self._start_side_by_side(cupy, arrays)
            return address
        for k in np.flatnonzero(n_items).tolist():
            before, after = cupy.cuda.Event(), cupy.cuda.Event()
            before.record()
            self._start_side_by_side(cupy, {name: a[k : k + 1] for name, a in arrays.items()})
            after.record()
            self.timed.append((self.stage, names[k], int(n_items[k]), before, after))
        return address

    def _start_side_by_side(self, cupy: Any, arrays: dict[str, NDArray[Any]]) -> None:
        """Start kernels, those of a level on several streams."""
        started = _engine.Kernels(**arrays, block=BLOCK_THREADS, wide_block=WIDE_THREADS)
        row_bytes = self.launch.shape[1] * 8
        launches = self.launch.data.ptr + row_bytes * np.arange(N_STREAMS, dtype=np.uint64)
        streams, events = self.streams.addresses(cupy)
        status = _engine.start_kernels(
            kernels.driver_functions(), streams, events, launches, started
        )
        if status:
            raise cupy.cuda.driver.CUDADriverError(status)

    def _note_launches(self, cupy: Any) -> None:
        """Add what the chunk's launches took, all of which are done."""
        for stage, kernel, n_items, before, after in self.timed:
            taken_s = cupy.cuda.get_elapsed_time(before, after) / 1000
            name = f"cuda:{self.device}"
            assert self.launches is not None
            self.launches.append(profiling.Launch(name, stage, kernel, n_items, taken_s))

    @phase("wait")
    def _wait(self, cupy: Any) -> None:
        """Until the device is done, Ctrl-C taken meanwhile."""
        done = cupy.cuda.Event(disable_timing=True)
        done.record()
        end = time.perf_counter() + SPIN_S
        while not done.done:
            time.sleep(0 if time.perf_counter() < end else 2e-4)
            if self.is_overtaken():
                raise Overtaken

    def _run_stages(self, cupy: Any, n: int, domains: Any) -> None:
        """All steps; after each stage, how many elements the containers have that it came to."""
        (_, on_device), _ = self.images
        plan = self.batt.plan
        table = on_device.domains.copy()
        # How many elements each domain has, and how many samples there are.
        sizes = np.zeros(len(table) + 1, np.int64)
        sizes[-1] = n
        for number, stage in enumerate(plan.stages):
            self.stage = number
            if self.is_overtaken():
                raise Overtaken
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
            words = np.zeros(len(stage.steps), _STEP)
            words["nodes"] = on_device.at["nodes"] + 4 * stage.first_nodes
            words["others"] = on_device.at["others"] + 4 * (stage.first_other + stage.firsts)
            words["starts"] = 4 * stage.firsts
            words["n_nodes"] = stage.n_nodes
            words["n_others"] = stage.ends - stage.firsts
            words["n_elements"] = np.where(stage.are_alone, of_steps, 0)
            of_steps[stage.are_alone] = -(-of_steps[stage.are_alone] // ELEMENTS_AN_ITEM)
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
                content = device_memory.new_array(table.size, np.uint64)
                content[:] = table.ravel()
                send(content, domains.data.ptr)
                self.held += [content, frames, counts, firsts]
            numbers = np.concatenate([starts, bounds])
            names = [step.kernel for step in stage.steps]
            sent = self._start(cupy, names, words, numbers, stage.levels)
            if n_asked:
                found = device_memory.new_array(bounds.size, np.uint32)
                add_counts = kernels.kernel(self.device, "add_counts")
                add_counts((1,), (1024,), (counts, firsts, np.uint32(n_asked)))
                places, to = np.uint64(sent + 4 * starts.size), np.uint64(found.ctypes.data)
                pick = kernels.kernel(self.device, "pick")
                grid = (-(-bounds.size // 256),)
                pick(grid, (256,), (firsts, places, to, np.uint32(bounds.size)))
                self._wait(cupy)
                sizes[made[new]] = np.diff(found.astype(np.int64))[new]


class _Streams:
    """Streams beside the current one, and an event for each; one run's at a time."""

    def __init__(self, cupy: Any) -> None:
        self._streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(N_STREAMS - 1)]
        self._events = [cupy.cuda.Event(disable_timing=True) for _ in range(N_STREAMS)]

    def addresses(self, cupy: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The driver's numbers of the streams, the current one first, and of the events."""
        streams = [cupy.cuda.get_current_stream(), *self._streams]
        return (
            np.array([stream.ptr for stream in streams], np.uint64),
            np.array([event.ptr for event in self._events], np.uint64),
        )


_idle_streams: dict[int, list[_Streams]] = {}
_idle_lock = Lock()


@contextmanager
def _streams_on(cupy: Any, device: int) -> Iterator[_Streams]:
    """Streams of a device that no other run uses meanwhile; they are kept for the next one."""
    with _idle_lock:
        idle = _idle_streams.setdefault(device, [])
        streams = idle.pop() if idle else _Streams(cupy)
    try:
        yield streams
    finally:
        with _idle_lock:
            idle.append(streams)
