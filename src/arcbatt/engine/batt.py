"""Batts: any number of programs fused into one graph, run over any number of samples."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget, Failure, Node, Program, Value, to_value
from arcbatt.language.ir import walk_new
from arcbatt.measure import phase, usable_cores
from arcbatt.plurals import count

from . import _engine, calibration, device_memory, flatten, gpu, profiling
from .defined import DEFINITIONS, find_defined, run_defined
from .results import ARRAY_TYPES, BattArrays, BattResult, KeptWords
from .samples import Samples
from .table import primitive_numbers

# As in include/arcbatt/batt.hpp.
_INPUT_OPS = {"I": 0, "S": 1, "target": 2}
_OPS = {"constant": 3, "primitive": 4, "call": 5, "invoke": 6}
# If one device is expected to need less than this part of what another needs, expectations suffice.
CERTAINLY_LESS = 1 / 3


@dataclass(frozen=True, slots=True)
class BattSize:
    """How much sharing a batt has found: calls of its programs, and those left in the graph."""

    n_programs: int
    n_calls_before: int
    n_calls: int
    n_nodes: int


class Batt:
    """Programs fused by interning: every distinct call appears once."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.programs = _check_programs(programs)
        self.is_defined = find_defined(self.programs)  # those that only definitions can run
        self._nodes: list[Node] = []
        self._results: list[int] = []
        self.fused = self._fuse([self.programs[k] for k in np.flatnonzero(~self.is_defined)])

    def _fuse(self, programs: Sequence[Program]) -> _engine.FusedBatt:
        numbers = primitive_numbers()
        places: dict[Node, int] = {}
        ops: list[int] = []
        primitives: list[int] = []
        firsts: list[int] = []
        counts: list[int] = []
        args: list[int] = []
        constants: list[object] = []
        results: list[int] = []
        for program in programs:
            for node in walk_new(program.result, places):
                kind = node.kind
                op, primitive, first = _OPS.get(kind, 0), 0, 0
                if kind == "call" or kind == "invoke":
                    first = len(args)
                    args.extend([places[arg] for arg in node.args])
                    if kind == "call":
                        primitive = numbers[node.head]
                elif kind == "primitive":
                    primitive = numbers[node.head]
                elif kind == "constant":
                    first = len(constants)
                    constants.append(to_value(node.head, f"{program.name}: a constant"))
                elif node.head in _INPUT_OPS:
                    op = _INPUT_OPS[node.head]
                else:
                    raise ValueError(f"{program.name}: no sample has the input {node.head!r}")
                places[node] = len(ops)
                ops.append(op)
                primitives.append(primitive)
                firsts.append(first)
                counts.append(len(node.args))
            results.append(places[program.result])
        self._nodes, self._results = list(places), results
        return _engine.FusedBatt(
            np.array(ops, np.uint8),
            np.array(primitives, np.int32),
            np.array(firsts, np.int32),
            np.array(counts, np.int32),
            np.array(args, np.int32),
            np.array(results, np.int32),
            constants,
        )

    @property
    def size(self) -> BattSize:
        """How many programs, calls and nodes there are, and how many calls before sharing."""
        before = sum(program.n_calls for program in self.programs)
        return BattSize(len(self.programs), before, self.n_calls, self.n_nodes)

    @property
    def n_calls(self) -> int:
        """The calls that the engine makes of each sample."""
        return sum(bool(node.args) for node in self._nodes)

    @property
    def n_nodes(self) -> int:
        """The nodes of the graph, calls and others."""
        return len(self._nodes)

    @cached_property
    def engine_part(self) -> Batt:
        """The programs that the engine can run."""
        return Batt([self.programs[k] for k in np.flatnonzero(~self.is_defined)])

    def __repr__(self) -> str:
        n_programs = count(len(self.programs), "program")
        return f"<Batt: {n_programs}, {count(self.n_calls, 'call')}>"

    @cached_property
    def plan(self) -> flatten.Plan:
        """What a GPU is to do for it."""
        with phase("plan"):
            return flatten.plan(self._nodes, self._results)

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

        `device` is "cpu", "cuda" (all GPUs, each a share), "cuda:1", or "auto": whichever is
        expected to be done first; if the CPU turns out to take longer than expected, it hands what
        is left to the GPUs. What a GPU cannot do (all of it where there is none, or values that do
        not fit its memory), the CPU does, and `ran_on` of the result says how many results came
        from where. Programs that call own primitives are run by the definitions, which takes far
        longer; `ran_on` counts them under "definitions".
        """
        if not isinstance(samples, Samples):
            raise TypeError(
                f"samples: a {type(samples).__name__}; Samples(inputs) makes some of grids, "
                f"Samples.of(task) of the demos of a task"
            )
        if self.is_defined.any():
            part = self.engine_part.run(
                samples, budget, device=device, n_threads=n_threads, keep_values=keep_values
            )
            return self._add_defined(part, samples, budget or Budget(), keep_values)
        run = _Run(samples, budget or Budget(), n_threads or usable_cores(), keep_values)
        devices = _devices(device) if self._nodes and len(samples) else []
        rival = None
        if devices and device == "auto":
            expected = _expect(self, len(samples), run.n_threads)
            if expected.cpu_s < expected.gpu_s:
                rival = (expected.gpu_fixed_s, expected.gpu_ratio)
            if expected.cpu_s < CERTAINLY_LESS * expected.gpu_s:
                devices, rival = [], None
        at_once_on_gpu = bool(devices) and rival is None
        arrays = run.new_arrays(
            len(self.programs), device_memory.new_array if at_once_on_gpu else np.empty
        )
        kept: list[KeptWords] = []
        left = samples.order
        if not at_once_on_gpu:
            chosen = samples.spread if rival else samples.by_demos
            kept += run.on_cpu(self.fused, chosen, arrays, rival)
            # Samples are run whole: one program tells.
            left = left[arrays.reasons[0, left] == _engine.NOT_RUN] if rival else left[:0]
        on_cpu = arrays.reasons.size - len(self.programs) * len(left)
        ran_on: dict[str, int] = {}
        if len(left):
            # What the GPU leaves out is known before: the CPU runs it meanwhile.
            left_out = np.zeros(arrays.reasons.shape, np.bool_)
            others, of_others = self._not_on_gpu
            left_out[np.ix_(others, left)] = True
            with ThreadPoolExecutor(1) as beside:
                rest = beside.submit(copy_context().run, self._finish, run, left_out, of_others)
                ran_on, words = gpu.run_batt(
                    self._on_gpu, samples, left, run.budget, devices, arrays, keep_values
                )
                kept += words + rest.result().put_into(arrays)
            unfinished = arrays.reasons == _engine.NOT_RUN
            kept += self._finish(run, unfinished).put_into(arrays)
            on_cpu += len(others) * len(left) + int(np.count_nonzero(unfinished))
        if on_cpu or not ran_on:
            ran_on["cpu"] = on_cpu
        return arrays.to_result(ran_on, tuple(kept) if keep_values else None)

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

    @cached_property
    def _not_on_gpu(self) -> tuple[NDArray[np.int64], Batt]:
        """The programs that the plan leaves out: which, and fused without the others."""
        others: NDArray[np.int64] = np.delete(np.arange(len(self.programs)), self.plan.programs)
        return others, Batt([self.programs[k] for k in others])

    def _finish(self, run: _Run, left: NDArray[np.bool_], part: Batt | None = None) -> _Rest:
        """Runs on the CPU what is left: those programs alone, fused as `part`, on those samples."""
        programs: NDArray[np.int64] = np.flatnonzero(left.any(axis=1))
        if not len(programs):
            return _Rest(left, programs, run.new_arrays(0), [])
        samples = np.flatnonzero(left.any(axis=0)).astype(np.uint32)
        batt = part
        if batt is None:
            some = len(programs) < len(self.programs)
            batt = Batt([self.programs[k] for k in programs]) if some else self
        found = run.new_arrays(len(programs))
        kept = run.on_cpu(batt.fused, samples, found)
        return _Rest(left, programs, found, kept)


@dataclass(frozen=True, slots=True)
class _Rest:
    """What some programs gave, of which some results were asked for."""

    wanted: NDArray[np.bool_]  # [program, sample] of all
    programs: NDArray[np.int64]
    found: BattArrays
    kept: list[KeptWords]

    def put_into(self, arrays: BattArrays) -> list[KeptWords]:
        """Write them where they belong, and return the values that were kept."""
        wanted = self.wanted[self.programs]
        # Mostly all samples are wanted, and a row is copied at once.
        whole = np.asarray(wanted.all(axis=1))
        rows, columns = np.nonzero(wanted & ~whole[:, None])
        for name in BattArrays._fields:
            into, found = getattr(arrays, name), getattr(self.found, name)
            into[self.programs[whole]] = found[whole]
            into[self.programs[rows], columns] = found[rows, columns]
        n_samples = self.wanted.shape[1]

        def cells_here(cells: NDArray[np.int64]) -> NDArray[np.int64]:
            program, sample = cells // n_samples, cells % n_samples
            here: NDArray[np.int64] = self.programs[program] * n_samples + sample
            return here

        return [words._replace(cells=cells_here(words.cells)) for words in self.kept]


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run was asked for."""

    samples: Samples
    budget: Budget
    n_threads: int
    keep_values: bool

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
        rival: tuple[float, float] | None = None,
    ) -> list[KeptWords]:
        """On the chosen samples, or those that are not left to a rival (see calibration.py)."""
        rival_fixed_s, rival_per_thread_s = rival or (-1.0, 0.0)
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
            rival_fixed_s=rival_fixed_s,
            rival_per_thread_s=rival_per_thread_s,
            profile=profiling.counts(),
        )
        found = []
        for words, cells in zip(*kept, strict=True) if kept else ():
            pairs = np.frombuffer(cells, np.int64).reshape(-1, 2)
            found.append(KeptWords(np.frombuffer(words, np.int32), pairs[:, 0], pairs[:, 1]))
        return found


def _check_programs(programs: Sequence[Program]) -> tuple[Program, ...]:
    """Return programs as a tuple; what is none is a TypeError that says what to do."""
    if isinstance(programs, Program):
        raise TypeError("a Batt takes several programs: Batt([program])")
    given = tuple(programs)
    for k, program in enumerate(given):
        if not isinstance(program, Program):
            hint = "; parse_program(text) gives the program" if isinstance(program, str) else ""
            raise TypeError(f"program {k} of the batt is a {type(program).__name__}{hint}")
    return given


def _expect(batt: Batt, n_samples: int, n_threads: int) -> calibration.Prediction:
    return calibration.of_this_machine(Batt).predict(batt.plan, n_samples, n_threads)


def prefers_gpu(batt: Batt, device: str, n_samples: int, n_threads: int) -> bool:
    """Whether a run on so many samples would begin on a GPU."""
    if not n_samples or not batt.programs or not _devices(device):
        return False
    if device != "auto":
        return True
    expected = _expect(batt, n_samples, n_threads)
    return expected.gpu_s < expected.cpu_s


def _devices(device: str) -> list[int]:
    """The GPUs that a name stands for; none, with a warning if they were asked for, if none are."""
    name, _, number = device.partition(":")
    if device == "cpu":
        return []
    if device != "auto" and (name != "cuda" or not (number or "0").isdecimal()):
        raise ValueError(f"{device!r} is no device: auto, cpu, cuda, cuda:0, cuda:1, ...")
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
