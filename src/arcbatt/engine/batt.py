"""Batts: any number of programs fused into one graph, run over any number of samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.cpu.definitions import DEFINITIONS, find_defined, run_defined
from arcbatt.engine.cpu.run import RunRequest, run_on_cpu
from arcbatt.engine.gpu import calibration, device_memory, kernels
from arcbatt.engine.gpu.devices import find_devices
from arcbatt.engine.gpu.plan import Plan, make_plan
from arcbatt.engine.gpu.run import GpuRun
from arcbatt.engine.graph.fusion import Continuation, GraphBuilder, fuse_continued
from arcbatt.engine.graph.graphs import GraphPrograms
from arcbatt.engine.graph.results import BattResult, KeptWords, RunArrays
from arcbatt.engine.graph.samples import Samples
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

# Kernels are compiled, which takes minutes of a core, for runs of at least this many calls.
MIN_CALLS_TO_COMPILE = 1_000_000
# A run is planned for GPUs if the CPU would take at least 1/PLAN_COST_RATIO of the planning time
# for it, if all its calls were plain. Calls that call functions take many times as long.
PLAN_COST_RATIO = 4


@dataclass(frozen=True, slots=True)
class BattSize:
    """Size of a batt: calls of its programs before sharing, and calls and nodes of the graph."""

    n_programs: int
    n_calls_before: int
    n_calls: int
    n_nodes: int


class Batt:
    """Programs fused by interning: every distinct call appears once."""

    def __init__(self, programs: Sequence[Program | ParsedProgram]) -> None:
        self.programs: Sequence[Program] = _check_programs(programs)
        self.is_defined = find_defined(self.programs)  # which programs only definitions can run
        builder = GraphBuilder()
        results = [
            builder.add(self.programs[k].result, self.programs[k].name)
            for k in np.flatnonzero(~self.is_defined)
        ]
        self._nodes: list[Node] = list(builder.places)
        self.fused = builder.finish(results)

    @property
    def n_programs(self) -> int:
        """The number of programs."""
        return len(self.is_defined)

    @property
    def size(self) -> BattSize:
        """The numbers of programs, calls and nodes, and of calls before sharing."""
        before = sum(program.n_calls for program in self.programs)
        return BattSize(len(self.programs), before, self.n_calls, self.n_nodes)

    @property
    def n_calls(self) -> int:
        """The calls that the engine makes per sample."""
        return self.fused.n_calls

    @property
    def n_nodes(self) -> int:
        """The nodes of the graph: calls, inputs and constants."""
        return self.fused.n_nodes

    @cached_property
    def engine_part(self) -> Batt:
        """The programs that the engine can run."""
        return Batt([self.programs[k] for k in np.flatnonzero(~self.is_defined).tolist()])

    def part(self, chosen: Sequence[int] | NDArray[np.int64]) -> Batt:
        """Return a batt of some of the programs, by their positions."""
        chosen = self._check_positions(chosen)
        if self._is_whole(chosen):
            return self
        if self.is_defined.any():
            return Batt([self.programs[k] for k in chosen])
        part = Batt(())
        part.programs = tuple(self.programs[k] for k in chosen)
        part.is_defined = self.is_defined[chosen]
        part.fused = self.fused.part(chosen.astype(np.uint32))
        part._nodes = [self._nodes[k] for k in part.fused.nodes_before.tolist()]
        return part

    def _check_positions(self, chosen: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return positions of programs as an array; raise an error if some are invalid."""
        positions = np.asarray(chosen)
        if positions.ndim == 1 and not positions.size:
            return positions.astype(np.int64)
        if positions.ndim != 1 or positions.dtype.kind not in "iu":
            raise TypeError(f"chosen is {chosen!r:.40}, expected positions of programs: [0, 2]")
        if positions.min() < 0 or positions.max() >= self.n_programs:
            valid = f"positions from 0 to {self.n_programs - 1}" if self.n_programs else "none"
            raise IndexError(f"chosen is {chosen!r:.40}, expected {valid}")
        return positions

    def _is_whole(self, positions: NDArray[np.int64]) -> bool:
        """Return whether these are all programs in their order."""
        return np.array_equal(positions, np.arange(self.n_programs))

    def __repr__(self) -> str:
        n_programs = count(len(self.programs), "program")
        return f"<Batt: {n_programs}, {count(self.n_calls, 'call')}>"

    @cached_property
    def plan(self) -> Plan:
        """The schedule of its calls on a GPU."""
        return self.make_plan()

    @phase("plan")
    def make_plan(self) -> Plan:
        """Make the schedule of its calls on a GPU."""
        return make_plan(self.fused)

    @property
    def kernels(self) -> frozenset[str]:
        """The kernels that a GPU needs for it."""
        return self._on_gpu.kernels

    @cached_property
    def _on_gpu(self) -> device_memory.GpuBatt:
        return device_memory.GpuBatt(self.fused, self.plan, self.n_programs)

    @cached_property
    def _left_out(self) -> _FusedPart:
        """The programs that GPUs leave to the CPU."""
        return _FusedPart.of(self, np.setdiff1d(np.arange(self.n_programs), self.plan.programs))

    def run(
        self,
        samples: Samples,
        budget: Budget | None = None,
        *,
        device: str = "auto",
        n_threads: int | None = None,
        keep_values: bool = False,
    ) -> BattResult:
        """Run every program on every sample; the arrays of the result are [program, sample].

        `device` is "cpu", "cuda" (all GPUs, each with an equal share of the samples), "cuda:1", or
        "auto", which takes GPUs if they are predicted to be faster. The CPU runs programs that GPUs
        leave out, and takes over if a GPU is missing, fails or runs out of memory; `ran_on` of the
        result counts the results per device. Programs that call your own primitives are run by the
        definitions, which takes far longer; `ran_on` counts them under "definitions".
        """
        check_threads(n_threads)
        budget = to_budget(budget)
        if not isinstance(samples, Samples):
            raise TypeError(
                f"samples is a {type(samples).__name__}; make samples with Samples(inputs) from "
                f"grids, or with Samples.of(task) from the demos of a task"
            )
        if self.is_defined.any():
            part = self.engine_part.run(
                samples, budget, device=device, n_threads=n_threads, keep_values=keep_values
            )
            return self._add_defined(part, samples, budget, keep_values)
        request = RunRequest(samples, budget, n_threads or usable_cores(), keep_values)
        choice = choose_devices(self, device, len(samples), request.n_threads)
        return run_on_devices(self, choice, request)

    def _add_defined(
        self, part: BattResult, samples: Samples, budget: Budget, keep_values: bool
    ) -> BattResult:
        """Run the programs that need definitions and add their results to the engine's."""
        arrays = RunArrays.new((self.n_programs, len(samples)))
        rows = np.flatnonzero(~self.is_defined)
        arrays.set_rows(rows, part)
        values: dict[tuple[int, int], Value] = {}
        defined = np.flatnonzero(self.is_defined).tolist()
        for program in defined:
            for sample in range(len(samples)):
                result = run_defined(self.programs[program], samples, sample, budget)
                for name in RunArrays._fields:
                    getattr(arrays, name)[program, sample] = getattr(result, name)
                values[program, sample] = result.value
        if keep_values:
            for row, program in enumerate(rows.tolist()):
                for sample in np.flatnonzero(part.reasons[row] == 0).tolist():
                    outcome = part.outcome(row, sample)
                    assert not isinstance(outcome, Failure)
                    values[program, sample] = outcome
        ran_on = {**part.ran_on, DEFINITIONS: len(defined) * len(samples)}
        return arrays.to_result(ran_on, () if keep_values else None, values)

    def _predict(self, n_samples: int, n_threads: int) -> calibration.Prediction | None:
        """Predict the times of a run on this machine.

        Returns None if there is no calibration yet, or too little work to make a plan for.
        """
        measured = calibration.known()
        if measured is None and n_samples * self.n_nodes >= MIN_CALLS_TO_COMPILE:
            # Kernels for this run are compiled along with those for the calibration.
            kernels.are_ready(self.kernels, 0)
            measured = calibration.of_this_machine(Batt)
        if measured is None:
            return None
        plan_s = measured.plan_node_s * n_threads
        if n_samples * measured.plain_call_s < plan_s / PLAN_COST_RATIO:
            return None
        prediction = self._predictions.get(n_threads)
        if prediction is None or prediction[0] is not measured:
            prediction = measured, measured.predict(self.plan, n_threads)
            self._predictions[n_threads] = prediction
        return prediction[1]

    @cached_property
    def _predictions(self) -> dict[int, tuple[calibration.Calibration, calibration.Prediction]]:
        """Predictions by number of threads, each with the calibration that it comes from."""
        return {}


class ContinuedBatt(Batt):
    """Programs whose results are all continued by the same steps.

    Its programs are those that continue the first start, then those that continue the second, and
    so on. They and their nodes are made on demand; a run does not need them.
    """

    def __init__(self, starts: Sequence[Program], continuation: Continuation) -> None:
        given = starts if isinstance(starts, GraphPrograms) else _check_programs(starts)
        self._starts, self._continuation = given, continuation
        self.is_defined = np.zeros(len(given) * len(continuation.results), np.bool_)
        self.fused = fuse_continued(given, continuation)

    def __getattr__(self, name: str) -> Any:
        if name not in ("programs", "_nodes"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        whole = Batt(
            [p for start in self._starts for p in self._continuation.programs(start.result)]
        )
        self.programs, self._nodes, self.fused = whole.programs, whole._nodes, whole.fused
        return getattr(self, name)


class GraphBatt(Batt):
    """Programs that are already fused, each made on demand."""

    def __init__(self, fused: _engine.FusedBatt, programs: GraphPrograms) -> None:
        self.programs: GraphPrograms = programs
        self.is_defined = np.zeros(len(programs), np.bool_)
        self.fused = fused

    def part(self, chosen: Sequence[int] | NDArray[np.int64]) -> Batt:
        chosen = self._check_positions(chosen)
        if self._is_whole(chosen):
            return self
        part = self.fused.part(chosen.astype(np.uint32))
        return GraphBatt(part, self.programs.choose(chosen.tolist()))


# --- how a batt is run ---


@dataclass(frozen=True, slots=True)
class Choice:
    """The GPUs of a run (none: the CPU runs alone), and the threads of the CPU."""

    devices: list[int]
    n_threads: int


def choose_devices(batt: Batt, device: str, n_samples: int, n_threads: int) -> Choice:
    """Return the devices that a name stands for; "auto" is those predicted to be faster."""
    devices = find_devices(device) if n_samples and batt.n_nodes else []
    if device != "auto" or not devices:
        return Choice(devices, n_threads)
    if not _are_faster(batt, devices, n_samples, n_threads):
        devices = []
    return Choice(devices, kernels.threads_beside_compilers(n_threads))


def _are_faster(batt: Batt, devices: Sequence[int], n_samples: int, n_threads: int) -> bool:
    """Return whether GPUs are predicted to be faster than the CPU, and have their kernels."""
    expected = batt._predict(n_samples, n_threads)
    if expected is None or not batt.plan.programs.size:
        return False
    if expected.cpu_s(n_samples) <= expected.gpu_s(n_samples, len(devices)):
        return False
    # All devices are asked: each compiles the kernels that it lacks.
    are_ready = [batt._on_gpu.is_ready_on(each) for each in devices]
    return all(are_ready)


def run_on_devices(batt: Batt, choice: Choice, request: RunRequest) -> BattResult:
    """Run a batt on chosen devices; the engine can run all of its programs."""
    if choice.devices and batt.plan.programs.size:
        return _run_on_gpus(batt, choice.devices, request)
    request = replace(request, n_threads=choice.n_threads)
    arrays = request.new_arrays(batt.n_programs)
    kept = run_on_cpu(batt.fused, request, arrays)
    return arrays.to_result({"cpu": arrays.reasons.size}, kept if request.keep_values else None)


def _run_on_gpus(batt: Batt, devices: Sequence[int], request: RunRequest) -> BattResult:
    """Run programs on GPUs, and on the CPU those that GPUs cannot run or have failed to run."""
    gpu_run = GpuRun.new(batt._on_gpu, request)
    arrays, kept = gpu_run.arrays, []
    left_out = batt._left_out
    if len(devices) == 1 and not left_out.programs.size:
        parts = [gpu_run.run_on(devices[0], 0, len(request.samples))]
    else:
        with gpu_run.start_threads(devices) as started:
            n_threads = calibration.threads_beside(request.n_threads, len(devices))
            cpu_part = left_out.run(replace(request, n_threads=n_threads))
            parts = [part.result() for part in started]
        kept += cpu_part.add_to(arrays)
    for part in parts:
        if part.trouble:
            why = f"cuda:{part.device} fails, the CPU runs instead: {part.trouble}"
            warnings.warn(why, RuntimeWarning, stacklevel=4)
        kept += part.kept
    is_missing = arrays.reasons == _engine.NOT_RUN
    if is_missing.any():
        programs: NDArray[np.int64] = np.flatnonzero(is_missing.any(axis=1))
        samples = np.flatnonzero(is_missing.any(axis=0)).astype(np.uint32)
        kept += _FusedPart.of(batt, programs).run(request, samples).add_to(arrays)
    ran_on: dict[str, int] = {}
    for part in parts:
        name = f"cuda:{part.device}"
        ran_on[name] = ran_on.get(name, 0) + part.n_results
    ran_on["cpu"] = arrays.reasons.size - sum(ran_on.values())
    ran_on = {name: n for name, n in ran_on.items() if n}
    return arrays.to_result(ran_on, kept if request.keep_values else None)


@dataclass(frozen=True, slots=True)
class _FusedPart:
    """Some of a batt's programs, by their positions in it, as a graph of their own."""

    programs: NDArray[np.int64]
    fused: _engine.FusedBatt

    @classmethod
    def of(cls, batt: Batt, programs: NDArray[np.int64]) -> _FusedPart:
        return cls(programs, batt.fused.part(programs.astype(np.uint32)))

    def run(self, request: RunRequest, samples: NDArray[np.uint32] | None = None) -> _CpuPart:
        """Run the programs on the CPU, on some samples or on all."""
        arrays = request.new_arrays(len(self.programs))
        kept = run_on_cpu(self.fused, request, arrays, samples)
        return _CpuPart(self.programs, arrays, kept)


@dataclass(frozen=True, slots=True)
class _CpuPart:
    """Results of some of a batt's programs, by their positions in it."""

    programs: NDArray[np.int64]
    arrays: RunArrays
    kept: list[KeptWords]

    def add_to(self, whole: RunArrays) -> list[KeptWords]:
        """Fill in results that are missing; return the kept values by their cells there."""
        is_missing = whole.reasons[self.programs] == _engine.NOT_RUN
        if is_missing.all():  # copying whole rows is several times faster than copying cells
            for name in RunArrays._fields:
                getattr(whole, name)[self.programs] = getattr(self.arrays, name)
        else:
            rows, columns = np.nonzero(is_missing)
            for name in RunArrays._fields:
                source = getattr(self.arrays, name)
                getattr(whole, name)[self.programs[rows], columns] = source[rows, columns]
        n_samples = whole.reasons.shape[1]

        def cells_in_whole(cells: NDArray[np.int64]) -> NDArray[np.int64]:
            programs, samples = np.divmod(cells, n_samples)
            moved: NDArray[np.int64] = self.programs[programs] * n_samples + samples
            return moved

        return [words._replace(cells=cells_in_whole(words.cells)) for words in self.kept]


def _check_programs(programs: Sequence[Program | ParsedProgram]) -> tuple[Program, ...]:
    """Return programs as a tuple; raise a TypeError for anything else."""
    if isinstance(programs, Program | ParsedProgram | str) or not isinstance(programs, Iterable):
        given = f"not a {type(programs).__name__}"
        raise TypeError(f"a Batt takes several programs, {given}: Batt([program])")
    return tuple([to_program(each, f"program {k} of the batt") for k, each in enumerate(programs)])
