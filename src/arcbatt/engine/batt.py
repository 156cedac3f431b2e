"""Batts: any number of programs fused into one graph, run over any number of samples."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import (
    Budget,
    Failure,
    Node,
    ParsedProgram,
    Program,
    Value,
    to_budget,
    to_program,
)
from arcbatt.measure import check_threads, phase, usable_cores
from arcbatt.plurals import count

from . import _engine, calibration, device_memory, flatten, gpu, kernels, profiling, sharing
from .choosing import BOTH, CPU, GPUS, Chosen, choices
from .defined import DEFINITIONS, find_defined, run_defined
from .fusing import Continuation, Fusing, fuse_continued
from .graphs import GraphPrograms
from .results import ARRAY_TYPES, BattArrays, BattResult, KeptWords
from .samples import Samples

_NOBODY = np.zeros(0, np.uint32)
# Calls of all samples; for less than that no kernels are compiled, which takes minutes of a core.
WORTH_COMPILING = 1_000_000
# Work is planned for GPUs if it took the CPU, were all its calls plain, longer than one part of a
# plan in so many: calls that call functions take many times as long.
PLANS = 4
# Runs are alike if GPUs leave out about as much of them: so many parts of it are told apart.
PARTS_LEFT_OUT = 4


@dataclass(frozen=True, slots=True)
class BattSize:
    """How much sharing a batt has found: calls of its programs, and those left in the graph."""

    n_programs: int
    n_calls_before: int
    n_calls: int
    n_nodes: int


class Batt:
    """Programs fused by interning: every distinct call appears once."""

    def __init__(self, programs: Sequence[Program | ParsedProgram]) -> None:
        self.programs: Sequence[Program] = _check_programs(programs)
        self.is_defined = find_defined(self.programs)  # those that only definitions can run
        fusing = Fusing()
        results = [
            fusing.add(self.programs[k].result, self.programs[k].name)
            for k in np.flatnonzero(~self.is_defined)
        ]
        self._nodes: list[Node] = list(fusing.places)
        self.fused = fusing.finish(results)

    @property
    def n_programs(self) -> int:
        """How many programs there are."""
        return len(self.is_defined)

    @property
    def size(self) -> BattSize:
        """How many programs, calls and nodes there are, and how many calls before sharing."""
        before = sum(program.n_calls for program in self.programs)
        return BattSize(len(self.programs), before, self.n_calls, self.n_nodes)

    @property
    def n_calls(self) -> int:
        """The calls that the engine makes of each sample."""
        return self.fused.n_calls

    @property
    def n_nodes(self) -> int:
        """The nodes of the graph, calls and others."""
        return self.fused.n_nodes

    @cached_property
    def engine_part(self) -> Batt:
        """The programs that the engine can run."""
        return Batt([self.programs[k] for k in np.flatnonzero(~self.is_defined).tolist()])

    def part(self, chosen: Sequence[int] | NDArray[np.int64]) -> Batt:
        """Return a batt of some of the programs, by their places, not fused anew where possible."""
        chosen = self._check_places(chosen)
        if self._is_whole(chosen):
            return self
        if self.is_defined.any():
            return Batt([self.programs[k] for k in chosen])
        made = Batt(())
        made.programs = tuple(self.programs[k] for k in chosen)
        made.is_defined = self.is_defined[chosen]
        made.fused = self.fused.part(chosen.astype(np.uint32))
        made._nodes = [self._nodes[k] for k in made.fused.nodes_before.tolist()]
        return made

    def _check_places(self, chosen: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return places of programs as an array; refuse what is none."""
        places = np.asarray(chosen)
        if places.ndim == 1 and not places.size:
            return places.astype(np.int64)
        if places.ndim != 1 or places.dtype.kind not in "iu":
            raise TypeError(f"chosen is {chosen!r:.40}, expected places of programs: [0, 2]")
        if places.min() < 0 or places.max() >= self.n_programs:
            there = f"places from 0 to {self.n_programs - 1}" if self.n_programs else "none"
            raise IndexError(f"chosen is {chosen!r:.40}, expected {there}")
        return places

    def _is_whole(self, places: NDArray[np.int64]) -> bool:
        """Whether these are all programs as they stand."""
        return np.array_equal(places, np.arange(self.n_programs))

    def __repr__(self) -> str:
        n_programs = count(len(self.programs), "program")
        return f"<Batt: {n_programs}, {count(self.n_calls, 'call')}>"

    @cached_property
    def plan(self) -> flatten.Plan:
        """What a GPU is to do for it."""
        return self.make_plan()

    @phase("plan")
    def make_plan(self) -> flatten.Plan:
        """Work out what a GPU is to do."""
        return flatten.make_plan(self.fused)

    @property
    def kernels(self) -> frozenset[str]:
        """The kernels that a GPU needs for it."""
        return self._on_gpu.kernels

    @cached_property
    def _on_gpu(self) -> device_memory.GpuBatt:
        return device_memory.GpuBatt(self.fused, self.plan, len(self.programs))

    def run(
        self,
        samples: Samples,
        budget: Budget | None = None,
        *,
        device: str = "auto",
        n_threads: int | None = None,
        keep_values: bool = False,
    ) -> BattResult:
        """Every program on every sample; the arrays of the result are [program, sample].

        `device` is "cpu", "cuda" (all GPUs, each a share), "cuda:1", or "auto": the CPU, or GPUs
        where they are expected to save time, in long runs both: what each takes is then measured
        meanwhile, and the rest shared out by that. What a GPU cannot do (all of it where there is
        none, or values that do not fit its memory), the CPU does, and `ran_on` of the result says
        how many results came from where. Programs that call own primitives are run by the
        definitions, which takes far longer; `ran_on` counts them under "definitions".
        """
        check_threads(n_threads)
        budget = to_budget(budget)
        if not isinstance(samples, Samples):
            raise TypeError(
                f"samples: a {type(samples).__name__}; Samples(inputs) makes some of grids, "
                f"Samples.of(task) of the demos of a task"
            )
        if self.is_defined.any():
            part = self.engine_part.run(
                samples, budget, device=device, n_threads=n_threads, keep_values=keep_values
            )
            return self._add_defined(part, samples, budget, keep_values)
        run = Run(samples, budget, n_threads or usable_cores(), keep_values)
        choice = self.choose(device, len(samples), run.n_threads, "samples")
        with choice.measured():
            return self.run_as(choice, run)

    def run_as(self, choice: Choice, run: Run) -> BattResult:
        """Run on the devices that were chosen; all programs are the engine's."""
        if choice.devices and self.plan.programs.size:
            return self._share_out(run, choice)
        arrays = run.new_arrays(len(self.programs))
        run = replace(run, n_threads=choice.n_threads_beside_compilers(run.n_threads))
        kept = run.on_cpu(self.fused, run.samples.by_demos, arrays)
        ran_on = {"cpu": arrays.reasons.size}
        return arrays.to_result(ran_on, tuple(kept) if run.keep_values else None)

    def _share_out(self, run: Run, choice: Choice) -> BattResult:
        """Run on GPUs, and on the CPU what they leave out, or where there are expectations a share.

        Samples that are shared out stay in their order, so that a GPU's are a range of columns.
        """
        devices, expected = choice.devices, choice.expected
        has_left_out = self.plan.programs.size < len(self.programs)
        n_samples = len(run.samples)
        queue = _engine.SampleQueue(n_samples=n_samples, has_left_out=has_left_out)
        pace = sharing.Pace(queue, len(devices), expected)
        # A GPU whose kernels are still being compiled begins later, if at all.
        begins = [expected is None or self._on_gpu.is_ready_on(each) for each in devices]
        lent = [
            pace.lend(pace.share(sum(begins[k:]))) if begins[k] else None
            for k in range(len(devices))
        ]
        # One GPU that has all samples does not mind in which order they are: the largest first, so
        # that no thread is left with one when all others are done.
        has_all = expected is None and len(devices) == 1
        order = run.samples.by_demos if has_all else np.arange(n_samples, dtype=np.uint32)
        alone = expected is None and not has_left_out
        arrays = run.new_arrays(
            len(self.programs), device_memory.new_results if alone else np.empty
        )
        work = gpu.GpuRun(
            self._on_gpu, run.samples, run.budget, arrays, run.keep_values, alone, queue, pace
        )
        kept: list[KeptWords] = []
        if alone and len(devices) == 1:
            parts = [work.work(devices[0], lent[0])]
        else:
            with ThreadPoolExecutor(len(devices)) as pool:
                try:
                    busy = [
                        pool.submit(copy_context().run, work.work_beside, each, chunk)
                        for each, chunk in zip(devices, lent, strict=True)
                    ]
                    if not alone:
                        n_busy = sum(chunk is not None for chunk in lent)
                        n_threads = calibration.threads_beside(run.n_threads, n_busy)
                        n_threads = choice.n_threads_beside_compilers(n_threads)
                        beside = replace(run, n_threads=n_threads)
                        kept += beside.on_cpu(self.fused, order, arrays, queue, self.plan.programs)
                    pace.ended.set()
                    parts = [part.result() for part in busy]
                except BaseException:
                    # An interrupt, too: whoever leaves the pool waits for its threads.
                    queue.close()
                    pace.ended.set()
                    raise
        for device, part in zip(devices, parts, strict=True):
            if part.trouble:
                why = f"cuda:{device} fails, the CPU runs instead: {part.trouble}"
                warnings.warn(why, RuntimeWarning, stacklevel=4)
        # What threads took that waited for a GPU which then failed says nothing of other runs.
        if not any(part.trouble for part in parts):
            choice.note_parts(pace)
        kept += [words for part in parts for words in part.kept]
        ran_on: Counter[str] = Counter()
        for device, part in zip(devices, parts, strict=True):
            ran_on[f"cuda:{device}"] += part.n_results
        if ran_on.total() < arrays.reasons.size:
            kept += self._finish(run, arrays)
        ran_on["cpu"] = arrays.reasons.size - ran_on.total()
        found = {name: n for name, n in ran_on.items() if n}
        return arrays.to_result(found, tuple(kept) if run.keep_values else None)

    def _add_defined(
        self, part: BattResult, samples: Samples, budget: Budget, keep_values: bool
    ) -> BattResult:
        """Put what programs give that the engine cannot run beside what the others gave."""
        shape = (len(self.programs), len(samples))
        arrays = BattArrays(*(np.empty(shape, dtype) for dtype in ARRAY_TYPES))
        rows = np.flatnonzero(~self.is_defined)
        for name in BattArrays._fields:
            getattr(arrays, name)[rows] = getattr(part, name)
        values: dict[tuple[int, int], Value] = {}
        defined = np.flatnonzero(self.is_defined).tolist()
        for program in defined:
            for sample in range(len(samples)):
                found = run_defined(self.programs[program], samples, sample, budget)
                for name in BattArrays._fields:
                    getattr(arrays, name)[program, sample] = getattr(found, name)
                values[program, sample] = found.value
        if keep_values:
            for row, program in enumerate(rows.tolist()):
                for sample in np.flatnonzero(part.reasons[row] == 0).tolist():
                    outcome = part.outcome(row, sample)
                    assert not isinstance(outcome, Failure)
                    values[program, sample] = outcome
        ran_on = {**part.ran_on, DEFINITIONS: len(defined) * len(samples)}
        return arrays.to_result(ran_on, () if keep_values else None, values)

    def _finish(self, run: Run, arrays: BattArrays) -> list[KeptWords]:
        """Run on the CPU what has not been run: those programs alone, on those samples."""
        left = arrays.reasons == _engine.NOT_RUN
        programs: NDArray[np.int64] = np.flatnonzero(left.any(axis=1))
        if not len(programs):
            return []
        samples = np.flatnonzero(left.any(axis=0)).astype(np.uint32)
        found = run.new_arrays(len(programs))
        kept = run.on_cpu(self.part(programs).fused, samples, found)
        rows, columns = np.nonzero(left[programs])
        for name in BattArrays._fields:
            into = getattr(arrays, name)
            into[programs[rows], columns] = getattr(found, name)[rows, columns]
        n_samples = left.shape[1]

        def cells_here(cells: NDArray[np.int64]) -> NDArray[np.int64]:
            program, sample = cells // n_samples, cells % n_samples
            here: NDArray[np.int64] = programs[program] * n_samples + sample
            return here

        return [words._replace(cells=cells_here(words.cells)) for words in kept]

    def _expect(self, n_samples: int, n_threads: int) -> calibration.Prediction | None:
        """What a run is expected to take on this machine; None where that is not known yet."""
        measured = calibration.known()
        if measured is None and n_samples * self.n_nodes >= WORTH_COMPILING:
            # What the run itself needs is compiled at the same time.
            kernels.are_ready(self.kernels, 0)
            measured = calibration.of_this_machine(Batt)
        if measured is None:
            return None
        # What takes less than a plan does is not planned.
        if n_samples * measured.plain_call_s < measured.plan_node_s * n_threads / PLANS:
            return None
        found = self._predicted.get(n_threads)
        if found is None or found[0] is not measured:
            found = self._predicted[n_threads] = measured, measured.predict(self.plan, n_threads)
        return found[1]

    @cached_property
    def _predicted(self) -> dict[int, tuple[calibration.Calibration, calibration.Prediction]]:
        """By number of threads, the calibration and what it predicts."""
        return {}

    def choose(
        self, device: str, n_samples: int, n_threads: int, sort: str, *, may_share: bool = True
    ) -> Choice:
        """Choose GPUs for a run on so many samples, or none; `sort` tells sorts of runs apart.

        Unless it `may_share`, the CPU is not to help GPUs: it has other work.
        """
        devices = _devices(device) if n_samples and self.n_nodes else []
        if not devices or device != "auto":
            return Choice(devices, may_compile=False)
        expected = self._expect(n_samples, n_threads)
        if expected is None:
            return Choice([])
        seconds = {
            CPU: expected.cpu_s(n_samples),
            GPUS: expected.gpu_s(n_samples, len(devices)),
        }
        # Little work is done before a GPU has begun, even if it takes twice what is expected.
        if 2 * seconds[CPU] < expected.gpu_fixed_s or not self.plan.programs.size:
            return Choice([])
        sizes = (n_samples.bit_length(), self.n_nodes.bit_length())
        left_out = PARTS_LEFT_OUT * self.plan.n_left_out // self.plan.n_nodes
        kind = (sort, *sizes, self.plan.n_function_calls > 0, left_out, n_threads)
        # Of all of them: what is lacking is compiled for each.
        ready = [self._on_gpu.is_ready_on(each) for each in devices]
        if not all(ready):
            return Choice(devices, choices.correct(kind, expected))
        chosen, corrected = choices.choose(kind, seconds), None
        # What takes less is not worth asking.
        if may_share and chosen.best_s >= sharing.LEAST_SHARED_S:
            corrected = choices.correct(kind, expected)
            if sharing.pays(corrected, n_samples, len(devices)):
                seconds[BOTH] = corrected.split(n_samples, len(devices))[1]
                chosen = choices.choose(kind, seconds)
        return Choice(
            [] if chosen.way == CPU else devices,
            corrected if chosen.way == BOTH else None,
            chosen,
        )


class ContinuedBatt(Batt):
    """Programs whose results are all continued by the same steps, on tasks of their own.

    Its programs are all that continue the first one, then all that continue the next. They, and the
    nodes of the steps, are made only if somebody asks for them: the engine does not.
    """

    def __init__(self, starts: Sequence[Program], continuation: Continuation) -> None:
        given = starts if isinstance(starts, GraphPrograms) else _check_programs(starts)
        self._starts, self._continuation = given, continuation
        self.is_defined = np.zeros(len(given) * len(continuation.results), np.bool_)
        self.fused = fuse_continued(given, continuation)

    def __getattr__(self, name: str) -> Any:
        if name not in ("programs", "_nodes"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        made = [p for start in self._starts for p in self._continuation.programs(start.result)]
        whole = Batt(made)
        self.programs, self._nodes, self.fused = whole.programs, whole._nodes, whole.fused
        return getattr(self, name)


class GraphBatt(Batt):
    """Programs that are fused already, none of which is made before somebody asks for it."""

    def __init__(self, fused: _engine.FusedBatt, programs: GraphPrograms) -> None:
        self.programs: GraphPrograms = programs
        self.is_defined = np.zeros(len(programs), np.bool_)
        self.fused = fused

    def part(self, chosen: Sequence[int] | NDArray[np.int64]) -> Batt:
        chosen = self._check_places(chosen)
        if self._is_whole(chosen):
            return self
        part = self.fused.part(chosen.astype(np.uint32))
        return GraphBatt(part, self.programs.choose(chosen.tolist()))


@dataclass(frozen=True, slots=True)
class Choice:
    """Which GPUs have a part in a run; none: the CPU runs alone.

    With expectations, CPU and GPUs share the run out; otherwise GPUs run all that they can.
    """

    devices: list[int]
    expected: calibration.Prediction | None = None
    chosen: Chosen | None = None  # where there was something to choose
    may_compile: bool = True  # whether the run leaves cores to those who compile kernels

    def measured(self) -> AbstractContextManager[None]:
        """Note what the run takes that goes on within, where there was something to choose."""
        return nullcontext() if self.chosen is None else choices.measured(self.chosen)

    def note_parts(self, pace: sharing.Pace) -> None:
        """Note what the parts of a run took that was shared out."""
        if self.chosen is None:
            return
        for way, part in ((CPU, pace.cpu_part()), (GPUS, pace.gpu_part())):
            if part:
                choices.note_part(self.chosen, way, *part)

    def n_threads_beside_compilers(self, n_threads: int) -> int:
        """Return how many of so many threads are to work while kernels are compiled.

        With all of them, compiling would take twice as long; the sooner GPUs have their kernels,
        the less is left for the CPU.
        """
        if not self.may_compile:
            return n_threads
        return max(1, n_threads // 4, n_threads - kernels.n_compiling())


@dataclass(frozen=True, slots=True)
class Run:
    """What a run was asked for."""

    samples: Samples
    budget: Budget
    n_threads: int
    keep_values: bool = False

    def new_arrays(self, n_programs: int, new: Callable[..., Any] = np.empty) -> BattArrays:
        """Arrays for results, of which only the reasons say yet that there are none."""
        shape = (n_programs, len(self.samples))
        arrays = BattArrays(*(new(shape, dtype) for dtype in ARRAY_TYPES))
        arrays.reasons.fill(_engine.NOT_RUN)
        return arrays

    def on_cpu(
        self,
        batt: _engine.FusedBatt,
        chosen: NDArray[np.uint32],
        arrays: BattArrays,
        queue: _engine.SampleQueue | None = None,
        programs_on_gpu: NDArray[np.uint32] = _NOBODY,
    ) -> list[KeptWords]:
        """On the chosen samples, or what threads get of them where GPUs take from a queue, too."""
        kept = _engine.run_batt(
            batt,
            self.samples.packed,
            chosen,
            max_steps=self.budget.steps,
            max_bytes=self.budget.bytes,
            max_arena_bytes=MAX_ARENA_BYTES,
            n_threads=self.n_threads,
            **arrays._asdict(),
            keep_values=self.keep_values,
            queue=queue,
            programs_on_gpu=programs_on_gpu,
            profile=profiling.counts(),
        )
        found = []
        for words, cells in zip(*kept, strict=True) if kept else ():
            pairs = np.frombuffer(cells, np.int64).reshape(-1, 2)
            found.append(KeptWords(np.frombuffer(words, np.int32), pairs[:, 0], pairs[:, 1]))
        return found


def _check_programs(programs: Sequence[Program | ParsedProgram]) -> tuple[Program, ...]:
    """Return programs as a tuple; what is none is a TypeError that says what to do."""
    if isinstance(programs, Program | ParsedProgram | str) or not isinstance(programs, Iterable):
        given = f"not a {type(programs).__name__}"
        raise TypeError(f"a Batt takes several programs, {given}: Batt([program])")
    return tuple([to_program(each, f"program {k} of the batt") for k, each in enumerate(programs)])


def _devices(device: str) -> list[int]:
    """The GPUs that a name stands for; none, with a warning if they were asked for, if none are."""
    if device == "cpu":
        return []
    # Whatever else was given, None or the number of a GPU, is no name of one either.
    name, _, number = device.partition(":") if isinstance(device, str) else ("", "", "")
    if device != "auto" and (name != "cuda" or not (number or "0").isdecimal()):
        raise ValueError(f"{device!r} is not a device: auto, cpu, cuda, cuda:0, cuda:1, ...")
    try:
        count = gpu.device_count()
        if number and int(number) >= count:
            raise gpu.GpuError(f"there is no {device}, {count} found")
    except gpu.GpuError as error:
        if device != "auto":
            why = f"no GPU is used, the CPU runs instead: {error}"
            warnings.warn(why, RuntimeWarning, stacklevel=3)
        return []
    return [int(number)] if number else list(range(count))


# What one thread's values of one sample may take before programs are run one by one.
MAX_ARENA_BYTES = 512 * 2**20
