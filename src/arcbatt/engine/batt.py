"""Batts: any number of programs fused into one graph, run over any number of samples."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcbatt.language import Budget, Node, Program

from . import _engine, gpu
from .results import BattArrays, BattResult
from .samples import Samples
from .table import primitive_numbers

# As in include/arcbatt/batt.hpp.
_OPS = {"input": 0, "constant": 2, "primitive": 3, "call": 4, "invoke": 5}
_LOAD_DEMOS = 1
_MAX_ARGS = 255


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
        self.programs = tuple(programs)
        self._nodes: list[Node] = []
        self._fused = self._fuse()

    def _fuse(self) -> _engine.FusedBatt:
        numbers = primitive_numbers()
        places: dict[Node, int] = {}
        ops: list[int] = []
        primitives: list[int] = []
        firsts: list[int] = []
        counts: list[int] = []
        args: list[int] = []
        constants: list[object] = []
        results: list[int] = []
        for program in self.programs:
            for node in program.nodes():
                if node in places:
                    continue
                kind = node.kind
                op, primitive, first = _OPS[kind], 0, 0
                if kind == "call" or kind == "invoke":
                    first = len(args)
                    args.extend([places[arg] for arg in node.args])
                    if kind == "call":
                        primitive = numbers[node.head]
                elif kind == "primitive":
                    primitive = numbers[node.head]
                elif kind == "constant":
                    first = len(constants)
                    constants.append(node.head)
                elif node.head == "S":
                    op = _LOAD_DEMOS
                places[node] = len(ops)
                ops.append(op)
                primitives.append(primitive)
                firsts.append(first)
                counts.append(len(node.args))
            results.append(places[program.result])
        self._nodes = list(places)
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
        n_calls = sum(node.kind in ("call", "invoke") for node in self._nodes)
        before = sum(program.n_calls for program in self.programs)
        return BattSize(len(self.programs), before, n_calls, len(self._nodes))

    def run(
        self,
        samples: Samples,
        budget: Budget | None = None,
        *,
        device: str = "cpu",
        n_threads: int | None = None,
        keep_values: bool = False,
    ) -> BattResult:
        """Every program on every sample; the arrays of the result are [program, sample].

        `device` is "cpu", "cuda" or "cuda:1". Where the GPU cannot do it, or not all of it (values
        that do not fit its lanes' memory, values to be kept), the CPU does, and `ran_on` of the
        result says how many samples ran where.
        """
        budget = budget or Budget()
        shape = (len(self.programs), len(samples))
        arrays = BattArrays(
            np.zeros(shape, np.uint8),
            np.zeros(shape, np.uint8),
            np.zeros(shape, np.uint64),
            np.zeros(shape, np.int64),
        )
        left = np.arange(len(samples))
        ran_on: dict[str, int] = {}
        if device != "cpu":
            number = _device_number(device)
            if not keep_values:
                left = gpu.run_batt(self._fused, samples, len(self._nodes), budget, number, arrays)
            if len(samples) > len(left):
                ran_on[f"cuda:{number}"] = len(samples) - len(left)
        kept = None
        if len(left):
            kept = _engine.run_batt(
                self._fused,
                samples.packed,
                left.astype(np.uint32),
                budget.steps,
                budget.bytes,
                MAX_ARENA_BYTES,
                n_threads or os.cpu_count() or 1,
                *arrays,
                keep_values,
            )
            ran_on["cpu"] = len(left)
        return BattResult(
            arrays.reasons, arrays.matches.view(np.bool_), arrays.hashes, arrays.steps, ran_on, kept
        )


def _device_number(device: str) -> int:
    name, _, number = device.partition(":")
    if name != "cuda" or not (number or "0").isdecimal():
        raise ValueError(f"{device!r} is no device; there are cpu, cuda and cuda:0, cuda:1, ...")
    return int(number or "0")


# What one thread's values of one sample may take before programs are run one by one.
MAX_ARENA_BYTES = 512 * 2**20
