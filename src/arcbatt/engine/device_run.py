"""One GPU's part of a run: chunks of samples, stages of the plan, launches of kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget
from arcbatt.measure import phase

from . import _engine, device_memory, flatten, kernels, profiling
from .device_memory import GpuBatt, Room, image_of, memory_for_values, send
from .kernels import (
    BLOCK_THREADS,
    ELEMENTS_AN_ITEM,
    MAX_LARGE,
    PAGE_BYTES,
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
# Kernels are started by so many threads for each multiprocessor.
THREADS_A_SM = 2048
# Elements of all containers that a function is run on, at most.
MAX_ELEMENTS = 2**28
# So many kernels that do not need one another run side by side: most cannot fill a card.
N_STREAMS = 8
# By these, kernels on one stream wait for those on others.
EVENTS_A_STREAM = 32
# Chunks of samples whose kernels are started before the first of them is done.
N_BEGUN = 2
# Pages of all warps, on every stream that they run on, take at most this part of the memory.
PAGES_SHARE = 1 / 4
# What is taken at once for what steps need.
HOST_BYTES, DEVICE_BYTES = 2**20, 2**25
COUNTING = "add_counts, pick"  # in profiles: what counts elements after a site
# Kernels of no step of the plan that a chunk may start.
N_OTHERS = 3
_PAGES_FIELD, _WORDS_FIELD = 17, 27  # where `pages` and `words` are in `Launch`
_STACK_LIMIT = 0  # cudaLimitStackSize
_FROM_DEVICE = 2  # cudaMemcpyDeviceToHost


@cache
def _prepare(device: int) -> int:
    """Make room for the stack of nested calls; returns how many multiprocessors there are."""
    import cupy

    cupy.cuda.runtime.deviceSetLimit(_STACK_LIMIT, STACK_BYTES)
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])


class Overtaken(Exception):
    """Others are done with the samples already."""


class _TooManyElements(Exception):
    """More than there is room for: the samples must be run in smaller parts."""


@dataclass
class _Chunk:
    """Samples whose kernels were started, and what these use until they are done."""

    chosen: NDArray[np.uint32]
    run: _engine.PlanRun
    room: Room
    launch: Any
    sent_launch: NDArray[np.uint64]
    held: list[Any]
    step_events: list[Any]
    timed: list[tuple[str, int, Any, Any]] = field(default_factory=list)
    n_started: int = 0  # of no step of the plan


@dataclass
class DeviceRun:
    """One device's part of a run."""

    batt: GpuBatt
    samples: Samples
    budget: Budget
    device: int
    arrays: BattArrays
    keep_values: bool
    is_alone: bool  # nobody else writes results, and the arrays are those of `new_results`
    launches: list[profiling.Launch] | None  # where to add what kernels took

    def samples_from(
        self, first: int, end: int, is_overtaken: Callable[[], bool]
    ) -> list[KeptWords]:
        """Run the samples from one to another; returns the kept values.

        Raises `Overtaken` as soon as that is so.
        """
        import cupy

        self.is_overtaken = is_overtaken
        self.left: list[int] = []  # samples that are too much for the device
        n_samples = end - first
        with cupy.cuda.Device(self.device), _streams_on(cupy, self.device) as self.streams:
            self.n_sms = _prepare(self.device)
            self.functions = self.batt.functions_on(self.device)
            self.n_blocks = self.n_sms * THREADS_A_SM // BLOCK_THREADS
            self.n_warps = self.n_blocks * BLOCK_THREADS // 32
            self.images = (self.batt.on(self.device), image_of(self.samples, self.device))
            # Kernels write by sample: the arrays stand where that of the first one is the first.
            self.first, self.n_columns = first, end - first
            n_cells = self.batt.n_programs * self.n_columns
            self.outputs = Room(
                cupy.empty,
                {name: n_cells * array.itemsize for name, array in self.arrays._asdict().items()},
            )
            # Not by CuPy's `fill`, which has to be compiled when it is first used.
            cupy.cuda.runtime.memsetAsync(
                self.outputs.at["reasons"], _engine.NOT_RUN, n_cells, self.streams.first.ptr
            )
            n_calls = self.batt.plan.n_nodes + self.batt.plan.n_ops
            a_sample = EXPECTED_CALL_BYTES * n_calls
            page_bytes = PAGE_BYTES * min(self.n_warps, n_samples * self.batt.plan.most_at_once)
            n_wanted = 2 * a_sample * n_samples + N_STREAMS * page_bytes
            with memory_for_values(cupy, self.device, n_wanted) as memory:
                # To be timed, kernels are run one after the other.
                most = 1 if self.launches is not None else N_STREAMS
                fitting = int(memory.size * PAGES_SHARE) // max(page_bytes, 1)
                self.n_streams = max(1, min(most, fitting))
                fit = min(memory.size // a_sample, MAX_ITEMS // n_calls)
                at_once = max(32, fit)
                todo = [(k, min(k + at_once, end)) for k in range(first, end, at_once)]
                with self._stopping(cupy):
                    return self._chunks(cupy, todo, memory)

    def _chunks(self, cupy: Any, todo: list[tuple[int, int]], memory: Any) -> list[KeptWords]:
        """All chunks: while the device runs one, the next one's kernels are started."""
        kept: list[KeptWords] = []
        begun: list[tuple[tuple[int, int], _Chunk]] = []

        def finish() -> None:
            part, chunk = begun.pop(0)
            kept.extend(self._finish(cupy, chunk))
            self._note_launches(cupy, chunk)
            if self.is_alone:
                self._start_writing(cupy, *part)

        while todo:
            part = todo.pop(0)
            try:
                begun.append((part, self._chunk(cupy, self._order(*part), memory)))
                # Values that are kept must be read before they are the next chunk's.
                while len(begun) >= (1 if self.keep_values else N_BEGUN):
                    finish()
            except (_TooManyElements, cupy.cuda.memory.OutOfMemoryError):
                # What was started still reads what the next part will overwrite.
                self.streams.first.synchronize()
                if begun:  # what it uses may be what is lacking
                    finish()
                    todo.insert(0, part)
                    continue
                device_memory.give_up(self.device)
                middle = sum(part) // 2
                if middle > part[0]:
                    todo[:0] = [(part[0], middle), (middle, part[1])]
                else:  # one sample that is too much is left to the CPU
                    self.left.append(part[0])
        while begun:
            finish()
        return kept

    @contextmanager
    def _stopping(self, cupy: Any) -> Iterator[None]:
        """Leave nothing at work on the device where what goes on within fails."""
        self.n_chunks = 0
        self.stopped = cupy.zeros(1, cupy.uint32)
        try:
            yield
        except BaseException:
            with suppress(Exception):  # a device that has failed has nothing more to say
                # By a copy: a kernel might have to wait for those that it is to stop.
                one = device_memory.new_array(1, np.uint32)
                one[:] = 1
                with cupy.cuda.Stream(non_blocking=True) as beside:
                    send(one, self.stopped.data.ptr)
                    beside.synchronize()  # it must not come when the memory is another run's
                self.streams.first.synchronize()
                self.streams.for_results.synchronize()
            raise

    def _order(self, first: int, end: int) -> NDArray[np.uint32]:
        """Samples from one to another, those together that are alike."""
        order = self.samples.order
        found: NDArray[np.uint32] = order[(order >= first) & (order < end)]
        return found

    def _start_writing(self, cupy: Any, first: int, end: int) -> None:
        """Begin to copy the results of a chunk that is done; the next one is run meanwhile."""
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

    def take_back(self, first: int, end: int) -> None:
        """Take back what was written of samples whose run has failed: it may not be whole."""
        if not self.is_alone:
            return
        with suppress(Exception):  # a device that has failed has nothing more to say
            self.streams.for_results.synchronize()
        self.arrays.reasons[:, first:end] = _engine.NOT_RUN

    @phase("transfer")
    def write(self, first: int, end: int) -> int:
        """Write the results of the samples that were run last; returns how many there are."""
        rows, n_rows = self.batt.plan.programs, self.batt.n_programs
        if self.is_alone:
            self.streams.for_results.synchronize()
            reasons = self.arrays.reasons[:, first:end]
            return reasons.size - int(np.count_nonzero(reasons == _engine.NOT_RUN))
        content = device_memory.new_array(self.outputs.memory.size, np.uint8)
        self.outputs.memory.get(out=content)
        found = {
            name: self.outputs.part(name, array.dtype.type, content).reshape(n_rows, -1)
            for name, array in self.arrays._asdict().items()
        }
        found["reasons"][:, [sample - first for sample in self.left]] = _engine.NOT_RUN
        were_run = found["reasons"][rows] != _engine.NOT_RUN
        n_run = int(np.count_nonzero(were_run))
        # The CPU writes to the other rows and columns meanwhile.
        if n_run == were_run.size:
            for name, array in self.arrays._asdict().items():
                source = found[name].view(np.uint8)
                _engine.copy_result_rows(array.view(np.uint8), source, rows, first * array.itemsize)
            return n_run
        # And also what was not run here: nothing must be put in its place.
        row, column = np.nonzero(were_run)
        for name, array in self.arrays._asdict().items():
            array[rows[row], first + column] = found[name][rows[row], column]
        return n_run

    def _chunk(self, cupy: Any, chosen: NDArray[np.uint32], memory: Any) -> _Chunk:
        """Start all steps on some samples, whose values share the memory."""
        (batt_image, on_device), samples_image = self.images
        plan, n = self.batt.plan, chosen.size
        n_cells = self.batt.n_programs * n
        n_steps = plan.n_steps + N_OTHERS
        zeros = Room(
            cupy.zeros,
            {
                "n_used": 8,
                "pages": self.n_streams * 16 * self.n_warps,
                # What each step takes its items from.
                "queues": _engine.queue_bytes * n_steps,
            },
        )
        room = Room(
            cupy.empty,
            {
                "values": 16 * plan.n_nodes * n,
                "costs": 16 * plan.n_nodes * n,
                "n_words": 8 * (n_cells if self.keep_values else 1),
                "domains": _engine.domain_bytes * plan.n_domains,
                # The items that a step leaves to wide lanes.
                "listed": 4 * MAX_LARGE * n_steps,
                "steps": N_OTHERS * _engine.step_bytes,
            },
        )
        chosen_there, sent = _send_new(cupy, chosen)
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
            zeros.at["n_used"],
            int(memory.size * max(SAMPLE_SHARE / n, WHOLE_SHARE)),
            *(zeros.at["pages"], self.stopped.data.ptr, room.at["values"], room.at["costs"]),
            *(
                self.outputs.at[name] - self.first * array.itemsize
                for name, array in self.arrays._asdict().items()
            ),
            room.at["n_words"],
            0,
            *(on_device["ops"], on_device["sites"], room.at["domains"], room.at["values"], n),
        ]
        # By stream: each has pages of its own.
        by_stream = np.tile(np.array(words, np.uint64), (self.n_streams, 1))
        numbers = np.arange(self.n_streams, dtype=np.uint64)
        by_stream[:, _PAGES_FIELD] += numbers * (16 * self.n_warps)
        launch, sent_launch = _send_new(cupy, by_stream)
        places = (
            *(on_device["nodes"], on_device["others"]),
            *(room.at["domains"], zeros.at["queues"], room.at["listed"]),
        )
        n_timed = 0 if self.launches is None else 2 * plan.n_steps  # each step, and its counting
        events = [cupy.cuda.Event() for _ in range(2 * n_timed)]
        run = self._new_run(n, places, launch, events)
        held = [chosen_there, sent, zeros]
        chunk = _Chunk(chosen, run, room, launch, sent_launch, held, events)
        self._run_steps(cupy, chunk)
        n_run = plan.programs.size
        self._start_one(cupy, chunk, "find_outcomes", n_run * n, on_device["programs"], n_run)
        _check(cupy, run.end())
        return chunk

    def _finish(self, cupy: Any, chunk: _Chunk) -> list[KeptWords]:
        """Wait until a chunk is done; returns the kept values."""
        self._wait(cupy, chunk)
        if not self.keep_values:
            return []
        chosen, n = chunk.chosen, chunk.chosen.size
        n_cells = self.batt.n_programs * n
        self._start_one(cupy, chunk, "count_kept", n_cells)
        # Added up here: CuPy would have to compile what does it there.
        there = chunk.room.part("n_words", np.int64)
        n_words = there.get()
        starts = np.cumsum(n_words) - n_words
        kept_words = cupy.empty(max(1, int(n_words.sum())), cupy.int32)
        sent = _send_copy(starts, there.data.ptr)
        chunk.sent_launch[:, _WORDS_FIELD] = kept_words.data.ptr
        send(chunk.sent_launch, chunk.launch.data.ptr)
        self._start_one(cupy, chunk, "write_kept", n_cells)
        _check(cupy, chunk.run.end())
        self._wait(cupy, chunk)
        del sent  # which was to stay until now
        reasons = self.outputs.part("reasons", np.uint8).get().reshape(self.batt.n_programs, -1)
        ok = np.flatnonzero(reasons[:, chosen - self.first] == 0)
        cells = ok // n * len(self.samples) + chosen[ok % n]
        return [KeptWords(kept_words.get(), cells.astype(np.int64), starts[ok])]

    def _new_run(
        self,
        n_samples: int,
        places: Sequence[int],
        launch: Any,
        timing: Sequence[Any],
    ) -> _engine.PlanRun:
        """Return the plan's run on so many samples."""
        self.n_chunks += 1
        streams, events = self.streams.addresses(self.n_streams, self.n_chunks)
        functions, wide_functions = self.functions
        # The fields of `DeviceSettings` in plan_run.hpp.
        settings = (
            *(self.n_blocks, WIDE_BLOCKS_A_SM * self.n_sms, BLOCK_THREADS, WIDE_THREADS),
            *(ELEMENTS_AN_ITEM, MAX_LARGE, MAX_ELEMENTS),
            *(kernels.address(self.device, name) for name in ("add_counts", "pick")),
        )
        row_bytes = launch.shape[1] * 8
        return _engine.PlanRun(
            self.batt.plan,
            driver_functions=kernels.driver_functions(),
            settings=np.array(settings, np.uint64),
            places=np.array(places, np.uint64),
            streams=streams,
            events=events,
            timing=np.array([event.ptr for event in timing], np.uint64),
            launches=launch.data.ptr + row_bytes * np.arange(self.n_streams, dtype=np.uint64),
            functions=functions,
            wide_functions=wide_functions,
            n_samples=n_samples,
        )

    @phase("launch")
    def _start_one(
        self,
        cupy: Any,
        chunk: _Chunk,
        kernel: str,
        n_items: int,
        nodes: int = 0,
        n_nodes: int = 0,
    ) -> None:
        """Start a kernel of no step of the plan."""
        words = device_memory.new_array(_engine.step_bytes, np.uint8)
        chunk.held.append(words)
        there = chunk.room.at["steps"] + _engine.step_bytes * chunk.n_started
        chunk.n_started += 1
        with self._timing(cupy, chunk, kernel, n_items):
            status = chunk.run.start_one(
                function=kernels.address(self.device, kernel),
                wide_function=kernels.wide_address(self.device, kernel),
                nodes=nodes,
                n_nodes=n_nodes,
                n_items=n_items,
                host=words.ctypes.data,
                device=there,
            )
            _check(cupy, status)

    @contextmanager
    def _timing(self, cupy: Any, chunk: _Chunk, kernel: str, n_items: int) -> Iterator[None]:
        """Note what is started within, where launches are asked for."""
        if self.launches is None:
            yield
            return
        before, after = cupy.cuda.Event(), cupy.cuda.Event()
        before.record()
        yield
        after.record()
        chunk.timed.append((kernel, n_items, before, after))

    def _note_launches(self, cupy: Any, chunk: _Chunk) -> None:
        """Add what a chunk's launches took, all of which are done."""
        if self.launches is None:
            return
        name = f"cuda:{self.device}"
        stages = flatten.stages_of(self.batt.plan)
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
            taken_s = cupy.cuda.get_elapsed_time(before, after) / 1000
            self.launches.append(profiling.Launch(name, stage, kernel, n_items, taken_s))

    @phase("wait")
    def _wait(self, cupy: Any, chunk: _Chunk) -> None:
        """Until the device is done with a chunk, Ctrl-C taken meanwhile."""
        self._end_with(cupy, chunk.run.wait(self._goes_on))

    def _goes_on(self) -> bool:
        return not self.is_overtaken()

    def _end_with(self, cupy: Any, status: int) -> None:
        """Go on if all is well."""
        if status == _engine.PlanRun.STOPPED:
            raise Overtaken
        if status == _engine.PlanRun.TOO_MANY:
            raise _TooManyElements
        _check(cupy, status)

    def _run_steps(self, cupy: Any, chunk: _Chunk) -> None:
        """All steps of the plan."""
        if self.is_overtaken():
            raise Overtaken
        while (status := self._run_on(chunk)) == _engine.PlanRun.LACKS_MEMORY:
            self._give_memory(cupy, chunk, *chunk.run.lacking)
        self._end_with(cupy, status)

    @phase("wait")
    def _run_on(self, chunk: _Chunk) -> int:
        return chunk.run.run(self._goes_on)

    def _give_memory(
        self, cupy: Any, chunk: _Chunk, n_host_bytes: int, n_device_bytes: int
    ) -> None:
        """Give the run memory for what its next steps need, which is that much at least."""
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
    """Copy an array to the current device; what is sent must stay until that is done."""
    there = cupy.empty(content.shape, content.dtype)
    return there, _send_copy(content, there.data.ptr)


def _send_copy(content: NDArray[Any], address: int) -> NDArray[Any]:
    """Send a copy of an array, which is returned: it must stay until it is there."""
    sent = device_memory.new_array(content.shape, content.dtype.type)
    sent[...] = content
    send(sent, address)
    return sent


def _check(cupy: Any, status: int) -> None:
    """Raise where the driver says that it could not do something."""
    if status:
        raise cupy.cuda.driver.CUDADriverError(status)


class _Streams:
    """Streams, the last for copies, and events; one run's at a time.

    The first is the current one meanwhile: that which all others have would keep runs waiting for
    one another.
    """

    def __init__(self, cupy: Any) -> None:
        self._streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(N_STREAMS + 1)]
        self.first = self._streams[0]
        self.for_results = cupy.cuda.Stream(non_blocking=True)
        n_events = (N_STREAMS + 1) * EVENTS_A_STREAM + N_BEGUN
        self._events = [cupy.cuda.Event(disable_timing=True) for _ in range(n_events)]
        self._addresses = np.array([event.ptr for event in self._events], np.uint64)

    def addresses(self, n_streams: int, turn: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The driver's numbers of so many streams, and one for copies; and of events.

        These are so many for each of the streams, and one more, another one each turn.
        """
        streams = [*self._streams[:n_streams], self._streams[-1]]
        return (
            np.array([stream.ptr for stream in streams], np.uint64),
            np.append(
                self._addresses[: len(streams) * EVENTS_A_STREAM],
                self._addresses[-1 - turn % N_BEGUN],
            ),
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
        with streams.first:
            yield streams
    finally:
        with _idle_lock:
            idle.append(streams)
