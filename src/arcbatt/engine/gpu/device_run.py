"""The part of a run on one GPU: chunks of samples, steps of the plan, launches of kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine, profiler
from arcbatt.engine.cpu.run import RunRequest
from arcbatt.engine.gpu import device_memory, kernels, plan
from arcbatt.engine.gpu.device_memory import (
    GpuBatt,
    Room,
    image_of,
    memory_for_values,
    send,
)
from arcbatt.engine.gpu.kernels import (
    BLOCK_THREADS,
    ELEMENTS_PER_ITEM,
    MAX_LARGE,
    PAGE_BYTES,
    WIDE_BLOCKS_PER_SM,
    WIDE_THREADS,
)
from arcbatt.engine.graph.results import KeptWords, RunArrays
from arcbatt.measure import phase

# Calls nest as deep as functions do; each level takes a few hundred bytes of stack.
STACK_BYTES = 24 * 1024
# The memory for values is not known before a launch. A call with its scratch is expected to need
# this much; a chunk has as many samples as fit.
EXPECTED_CALL_BYTES = 4 * 1024
# One call may take up to this share of the memory per sample, or of the memory of all samples. Few
# calls are larger; the CPU runs those.
SAMPLE_SHARE, WHOLE_SHARE = 1 / 4, 1 / 256
MAX_ITEMS = 2**31
THREADS_PER_SM = 2048
# Elements of all containers that a function is run on, at most.
MAX_ELEMENTS = 2**28
# Kernels that do not depend on each other run side by side: most cannot fill a device.
N_STREAMS = 8
# Kernels on one stream wait for those on others by events.
EVENTS_PER_STREAM = 32
# Chunks that are started before the first of them is done.
N_STARTED_CHUNKS = 2
# Pages of all warps, on all streams, take at most this share of the memory for values.
PAGES_SHARE = 1 / 4
# The memory that steps are given at once.
HOST_BYTES, DEVICE_BYTES = 2**20, 2**25
COUNTING = "add_counts, pick"  # name in profiles of the kernels that count elements after a site
# Kernels outside the plan that a chunk may start: find_outcomes, count_kept, write_kept.
N_OTHER_KERNELS = 3
_STACK_LIMIT = 0  # cudaLimitStackSize
_FROM_DEVICE = 2  # cudaMemcpyDeviceToHost


@cache
def _prepare(device: int) -> int:
    """Reserve the stack for nested calls; return the number of multiprocessors."""
    import cupy

    cupy.cuda.runtime.deviceSetLimit(_STACK_LIMIT, STACK_BYTES)
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


class RunStopped(Exception):
    """The run is to end: another part of it has failed or was interrupted."""


class _TooManyElements(Exception):
    """The samples must be run in smaller chunks."""


@dataclass
class _Chunk:
    """Samples whose kernels were started, with the memory these use until they are done."""

    chosen: NDArray[np.uint32]
    run: _engine.PlanRun
    room: Room
    launches: Any  # a `Launch` per stream, in the device's memory
    sent_launches: NDArray[np.uint8]
    held: list[Any]
    step_events: list[Any]
    timed: list[tuple[str, int, Any, Any]] = field(default_factory=list)
    n_other_kernels: int = 0  # started outside the plan


@dataclass
class DeviceRun:
    """The part of a run on one device."""

    batt: GpuBatt
    request: RunRequest
    device: int
    arrays: RunArrays  # allocated by `new_results`
    stopped: Event  # set if the run is to end
    timings: list[profiler.Launch] | None  # where to add timings of kernels

    def run_samples(self, first: int, end: int) -> list[KeptWords]:
        """Run a range of samples; return the kept values. Results are copied meanwhile.

        Raises `RunStopped` if the run is to end.
        """
        import cupy

        n_samples, plan = end - first, self.batt.plan
        with cupy.cuda.Device(self.device), _streams_on(cupy, self.device) as self.streams:
            self.n_sms = _prepare(self.device)
            self.functions = self.batt.functions_on(self.device)
            self.n_blocks = self.n_sms * THREADS_PER_SM // BLOCK_THREADS
            self.n_warps = self.n_blocks * BLOCK_THREADS // 32
            self.batt_image, self.plan_addresses = self.batt.on(self.device)
            self.samples_image = image_of(self.request.samples, self.device)
            self.first, self.n_columns = first, n_samples
            n_cells = self.batt.n_programs * n_samples
            self.outputs = Room(
                cupy.empty,
                {name: n_cells * array.itemsize for name, array in self.arrays._asdict().items()},
            )
            # Not by CuPy's `fill`, which would be compiled when it is first used.
            cupy.cuda.runtime.memsetAsync(
                self.outputs.at["reasons"], _engine.NOT_RUN, n_cells, self.streams.first.ptr
            )
            n_calls = plan.n_nodes + plan.n_ops
            sample_bytes = EXPECTED_CALL_BYTES * n_calls
            page_bytes = PAGE_BYTES * min(self.n_warps, n_samples * plan.most_at_once)
            n_wanted = 2 * sample_bytes * n_samples + N_STREAMS * page_bytes
            with memory_for_values(cupy, self.device, n_wanted) as memory:
                # Kernels run one after the other if they are timed.
                most = 1 if self.timings is not None else N_STREAMS
                n_fitting = int(memory.size * PAGES_SHARE) // max(page_bytes, 1)
                self.n_streams = max(1, min(most, n_fitting))
                chunk_size = max(32, min(memory.size // sample_bytes, MAX_ITEMS // n_calls))
                todo = [(k, min(k + chunk_size, end)) for k in range(first, end, chunk_size)]
                with self._stopping_on_errors(cupy):
                    return self._run_chunks(cupy, todo, memory)

    def _run_chunks(self, cupy: Any, todo: list[tuple[int, int]], memory: Any) -> list[KeptWords]:
        """Run ranges of samples; the kernels of the next are started while the device runs one."""
        kept: list[KeptWords] = []
        started: list[tuple[tuple[int, int], _Chunk]] = []

        def finish() -> None:
            part, chunk = started.pop(0)
            kept.extend(self._finish(cupy, chunk))
            self._note_launches(cupy, chunk)
            self._start_copies(cupy, *part)

        while todo:
            part = todo.pop(0)
            try:
                started.append((part, self._start_chunk(cupy, self._order(*part), memory)))
                # Kept values must be read before the next chunk overwrites them.
                while len(started) >= (1 if self.request.keep_values else N_STARTED_CHUNKS):
                    finish()
            except (_TooManyElements, cupy.cuda.memory.OutOfMemoryError):
                # Kernels in progress read memory that the next part will overwrite.
                self.streams.first.synchronize()
                if started:  # its memory may be enough
                    finish()
                    todo.insert(0, part)
                    continue
                device_memory.release_cached(self.device)
                middle = sum(part) // 2
                if middle > part[0]:  # a single sample that does not fit is left to the CPU
                    todo[:0] = [(part[0], middle), (middle, part[1])]
        while started:
            finish()
        return kept

    @contextmanager
    def _stopping_on_errors(self, cupy: Any) -> Iterator[None]:
        """Stop all kernels if the body raises."""
        self.n_chunks = 0
        self.stop_flag = cupy.zeros(1, cupy.uint32)
        try:
            yield
        except BaseException:
            with suppress(Exception):  # a device that has failed cannot be used
                # By a copy: a kernel might have to wait for those that it is to stop.
                one = device_memory.new_array(1, np.uint32)
                one[:] = 1
                with cupy.cuda.Stream(non_blocking=True) as stream:
                    send(one, self.stop_flag.data.ptr)
                    stream.synchronize()  # before another run can get the memory
                self.streams.first.synchronize()
                self.streams.for_results.synchronize()
            raise

    def _order(self, first: int, end: int) -> NDArray[np.uint32]:
        """Return a range of samples ordered by size."""
        order = self.request.samples.order
        samples: NDArray[np.uint32] = order[(order >= first) & (order < end)]
        return samples

    def _start_copies(self, cupy: Any, first: int, end: int) -> None:
        """Start to copy the results of a chunk that is done; the next one runs meanwhile."""
        runtime, stream = cupy.cuda.runtime, self.streams.for_results
        for name, array in self.arrays._asdict().items():
            width = array.itemsize
            runtime.memcpy2DAsync(
                array.ctypes.data + first * width,
                array.strides[0],
                self.outputs.at[name] + (first - self.first) * width,
                self.n_columns * width,
                (end - first) * width,
                self.batt.n_programs,
                _FROM_DEVICE,
                stream.ptr,
            )

    def discard(self, first: int, end: int) -> None:
        """Discard the results of samples after a failure: they may be incomplete."""
        with suppress(Exception):  # a device that has failed cannot be waited for
            self.streams.for_results.synchronize()
        self.arrays.reasons[:, first:end] = _engine.NOT_RUN

    @phase("transfer")
    def finish_copies(self, first: int, end: int) -> int:
        """Wait until the results of the samples are copied; return their number."""
        self.streams.for_results.synchronize()
        reasons = self.arrays.reasons[:, first:end]
        return reasons.size - int(np.count_nonzero(reasons == _engine.NOT_RUN))

    def _start_chunk(self, cupy: Any, chosen: NDArray[np.uint32], memory: Any) -> _Chunk:
        """Start all steps on some samples, whose values share the memory."""
        plan, n = self.batt.plan, chosen.size
        n_cells = self.batt.n_programs * n
        n_steps = plan.n_steps + N_OTHER_KERNELS
        zeros = Room(
            cupy.zeros,
            {
                "n_used": 8,
                "pages": self.n_streams * _engine.page_bytes * self.n_warps,
                "queues": _engine.queue_bytes * n_steps,
            },
        )
        room = Room(
            cupy.empty,
            {
                "values": _engine.value_bytes * plan.n_nodes * n,
                "costs": _engine.cost_bytes * plan.n_nodes * n,
                "n_words": 8 * (n_cells if self.request.keep_values else 1),
                "domains": _engine.domain_bytes * plan.n_domains,
                # The items that a step leaves to wide lanes.
                "listed": 4 * MAX_LARGE * n_steps,
                "steps": N_OTHER_KERNELS * _engine.step_bytes,
            },
        )
        chosen_there, sent = _send_new(cupy, chosen)
        contents = self._new_launches(zeros, room, chosen_there.data.ptr, n, memory)
        launches, sent_launches = _send_new(cupy, contents.view(np.uint8))
        addresses = _engine.DeviceAddresses(
            nodes=self.plan_addresses["nodes"],
            others=self.plan_addresses["others"],
            domains=room.at["domains"],
            queues=zeros.at["queues"],
            listed=room.at["listed"],
        )
        n_timed = 0 if self.timings is None else 2 * plan.n_steps  # each step, and its counting
        events = [cupy.cuda.Event() for _ in range(2 * n_timed)]
        run = self._new_plan_run(n, addresses, launches, events)
        held = [chosen_there, sent, zeros]
        chunk = _Chunk(chosen, run, room, launches, sent_launches, held, events)
        self._run_steps(cupy, chunk)
        n_run = plan.programs.size
        programs = self.plan_addresses["programs"]
        self._start_kernel(cupy, chunk, "find_outcomes", n_run * n, programs, n_run)
        _check(cupy, run.end())
        return chunk

    def _new_launches(
        self, zeros: Room, room: Room, chosen: int, n_chosen: int, memory: Any
    ) -> NDArray[np.void]:
        """Return a `Launch` per stream, each with pages of its own."""
        launches = np.zeros(self.n_streams, _engine.LAUNCH)
        launches["batt"] = self.batt_image.head.view(_engine.LAUNCH["batt"])
        launches["budget.steps"] = self.request.budget.steps
        launches["budget.bytes"] = self.request.budget.bytes
        launches["samples"] = self.samples_image.address
        launches["chosen"] = chosen
        launches["n_chosen"] = launches["flat.n_chosen"] = n_chosen
        launches["n_samples"] = self.n_columns
        launches["pool.start"] = memory.data.ptr
        launches["pool.n_bytes"] = memory.size
        launches["pool.n_used"] = zeros.at["n_used"]
        launches["pool.max_call_bytes"] = int(
            memory.size * max(SAMPLE_SHARE / n_chosen, WHOLE_SHARE)
        )
        page_bytes = _engine.page_bytes * self.n_warps
        launches["pages"] = [zeros.at["pages"] + k * page_bytes for k in range(self.n_streams)]
        launches["stopped"] = self.stop_flag.data.ptr
        launches["values"] = launches["flat.values"] = room.at["values"]
        launches["costs"] = room.at["costs"]
        launches["n_words"] = room.at["n_words"]
        launches["flat.ops"] = self.plan_addresses["ops"]
        launches["flat.sites"] = self.plan_addresses["sites"]
        launches["flat.domains"] = room.at["domains"]
        # Kernels index results by sample: the arrays start where sample 0 would be.
        for name, array in self.arrays._asdict().items():
            launches[name] = self.outputs.at[name] - self.first * array.itemsize
        return launches

    def _finish(self, cupy: Any, chunk: _Chunk) -> list[KeptWords]:
        """Wait until a chunk is done; return the kept values."""
        self._wait(cupy, chunk)
        if not self.request.keep_values:
            return []
        chosen, n = chunk.chosen, chunk.chosen.size
        n_cells = self.batt.n_programs * n
        self._start_kernel(cupy, chunk, "count_kept", n_cells)
        # Summed on the host: CuPy would have to compile a kernel for it.
        there = chunk.room.part("n_words", np.int64)
        n_words = there.get()
        starts = np.cumsum(n_words) - n_words
        kept_words = cupy.empty(max(1, int(n_words.sum())), cupy.int32)
        sent = _send_copy(starts, there.data.ptr)
        chunk.sent_launches.view(_engine.LAUNCH)["words"] = kept_words.data.ptr
        send(chunk.sent_launches, chunk.launches.data.ptr)
        self._start_kernel(cupy, chunk, "write_kept", n_cells)
        _check(cupy, chunk.run.end())
        self._wait(cupy, chunk)
        del sent  # needed until now
        reasons = self.outputs.part("reasons", np.uint8).get().reshape(self.batt.n_programs, -1)
        ok = np.flatnonzero(reasons[:, chosen - self.first] == 0)
        cells = ok // n * len(self.request.samples) + chosen[ok % n]
        return [KeptWords(kept_words.get(), cells.astype(np.int64), starts[ok])]

    def _new_plan_run(
        self,
        n_samples: int,
        addresses: _engine.DeviceAddresses,
        launches: Any,
        timing: Sequence[Any],
    ) -> _engine.PlanRun:
        """Return a run of the plan."""
        self.n_chunks += 1
        streams, events = self.streams.handles(self.n_streams, self.n_chunks)
        functions, wide_functions = self.functions
        settings = _engine.DeviceSettings(
            n_blocks=self.n_blocks,
            n_wide_blocks=WIDE_BLOCKS_PER_SM * self.n_sms,
            block_threads=BLOCK_THREADS,
            wide_block_threads=WIDE_THREADS,
            elements_per_item=ELEMENTS_PER_ITEM,
            max_large=MAX_LARGE,
            max_elements=MAX_ELEMENTS,
            add_counts=kernels.address(self.device, "add_counts"),
            pick=kernels.address(self.device, "pick"),
        )
        numbers = np.arange(self.n_streams, dtype=np.uint64)
        return _engine.PlanRun(
            self.batt.plan,
            driver=kernels.driver(),
            settings=settings,
            addresses=addresses,
            streams=streams,
            events=events,
            timing=np.array([event.ptr for event in timing], np.uint64),
            launches=launches.data.ptr + _engine.LAUNCH.itemsize * numbers,
            functions=functions,
            wide_functions=wide_functions,
            n_samples=n_samples,
        )

    @phase("launch")
    def _start_kernel(
        self,
        cupy: Any,
        chunk: _Chunk,
        kernel: str,
        n_items: int,
        nodes: int = 0,
        n_nodes: int = 0,
    ) -> None:
        """Start a kernel outside the plan."""
        step = device_memory.new_array(_engine.step_bytes, np.uint8)
        chunk.held.append(step)
        there = chunk.room.at["steps"] + _engine.step_bytes * chunk.n_other_kernels
        chunk.n_other_kernels += 1
        with self._timing(cupy, chunk, kernel, n_items):
            status = chunk.run.start_one(
                function=kernels.address(self.device, kernel),
                wide_function=kernels.wide_address(self.device, kernel),
                nodes=nodes,
                n_nodes=n_nodes,
                n_items=n_items,
                host=step.ctypes.data,
                device=there,
            )
            _check(cupy, status)

    @contextmanager
    def _timing(self, cupy: Any, chunk: _Chunk, kernel: str, n_items: int) -> Iterator[None]:
        """Time a kernel that is started in the body, if timings are wanted."""
        if self.timings is None:
            yield
            return
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        yield
        after.record()
        chunk.timed.append((kernel, n_items, before, after))

    def _note_launches(self, cupy: Any, chunk: _Chunk) -> None:
        """Add the timings of a chunk that is done."""
        if self.timings is None:
            return
        name = f"cuda:{self.device}"
        stages = plan.stages_of(self.batt.plan)
        steps = [(stage, step.kernel) for stage, these in enumerate(stages) for step in these]
        events = iter(chunk.step_events)
        timed = [
            (steps[step][0], COUNTING if is_counting else steps[step][1], n_items, *pair)
            for (step, is_counting, n_items), pair in zip(
                chunk.run.started, zip(events, events, strict=True), strict=False
            )
        ]
        timed += [(-1, *each) for each in chunk.timed]
        for stage, kernel, n_items, before, after in timed:
            elapsed_s = cupy.cuda.get_elapsed_time(before, after) / 1000
            self.timings.append(profiler.Launch(name, stage, kernel, n_items, elapsed_s))

    @phase("wait")
    def _wait(self, cupy: Any, chunk: _Chunk) -> None:
        """Wait until the device is done with a chunk; signals are handled meanwhile."""
        self._check_run(cupy, chunk.run.wait(self._goes_on))

    def _goes_on(self) -> bool:
        return not self.stopped.is_set()

    def _check_run(self, cupy: Any, status: int) -> None:
        """Raise unless a run of the plan succeeded."""
        if status == _engine.PlanRun.STOPPED:
            raise RunStopped
        if status == _engine.PlanRun.TOO_MANY:
            raise _TooManyElements
        _check(cupy, status)

    def _run_steps(self, cupy: Any, chunk: _Chunk) -> None:
        """Start all steps of the plan."""
        if self.stopped.is_set():
            raise RunStopped
        while (status := self._run_plan(chunk)) == _engine.PlanRun.LACKS_MEMORY:
            self._give_memory(cupy, chunk, *chunk.run.lacking)
        self._check_run(cupy, status)

    @phase("wait")
    def _run_plan(self, chunk: _Chunk) -> int:
        return chunk.run.run(self._goes_on)

    def _give_memory(
        self, cupy: Any, chunk: _Chunk, n_host_bytes: int, n_device_bytes: int
    ) -> None:
        """Give the plan's run at least this much memory for its next steps."""
        content = device_memory.new_array(max(n_host_bytes, HOST_BYTES), np.uint8)
        there = cupy.empty(max(n_device_bytes, DEVICE_BYTES), cupy.uint8)
        chunk.held += [content, there]
        chunk.run.give_memory(
            host=content.ctypes.data,
            host_bytes=content.size,
            device=there.data.ptr,
            device_bytes=there.size,
        )


def _send_new(cupy: Any, content: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """Start to copy an array to the current device; return the array there and the one sent."""
    there = cupy.empty(content.shape, content.dtype)
    return there, _send_copy(content, there.data.ptr)


def _send_copy(content: NDArray[Any], address: int) -> NDArray[Any]:
    """Send a copy of an array; return the copy, which must live until it has arrived."""
    sent = device_memory.new_array(content.shape, content.dtype.type)
    sent[...] = content
    send(sent, address)
    return sent


def _check(cupy: Any, status: int) -> None:
    """Raise unless the driver succeeded."""
    if status:
        raise cupy.cuda.driver.CUDADriverError(status)


class _Streams:
    """Streams, of which the last is for copies, and events; for one run at a time.

    The first is the current stream of a run: on the default stream, runs would wait for each other.
    """

    def __init__(self, cupy: Any) -> None:
        self._streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(N_STREAMS + 1)]
        self.first = self._streams[0]
        self.for_results = cupy.cuda.Stream(non_blocking=True)
        n_events = (N_STREAMS + 1) * EVENTS_PER_STREAM + N_STARTED_CHUNKS
        self._events = [cupy.cuda.Event(disable_timing=True) for _ in range(n_events)]
        self._event_handles = np.array([event.ptr for event in self._events], np.uint64)

    def handles(self, n_streams: int, turn: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return the driver's handles of the first streams and of that for copies, and of events.

        There are `EVENTS_PER_STREAM` events per stream, and one more that changes with the turn.
        """
        streams = [*self._streams[:n_streams], self._streams[-1]]
        return (
            np.array([stream.ptr for stream in streams], np.uint64),
            np.append(
                self._event_handles[: len(streams) * EVENTS_PER_STREAM],
                self._event_handles[-1 - turn % N_STARTED_CHUNKS],
            ),
        )


_idle_streams: dict[int, list[_Streams]] = {}
_idle_lock = Lock()


@contextmanager
def _streams_on(cupy: Any, device: int) -> Iterator[_Streams]:
    """Provide streams of a device that no other run uses; they are kept for the next run."""
    with _idle_lock:
        idle = _idle_streams.setdefault(device, [])
        streams = idle.pop() if idle else _Streams(cupy)
    try:
        with streams.first:
            yield streams
    finally:
        with _idle_lock:
            idle.append(streams)
