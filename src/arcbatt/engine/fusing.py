"""Nodes in, the arrays that the engine reads out: every node once, arguments before their users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Node, Program, to_value
from arcbatt.language.ir import walk_new, with_args

from . import _engine
from .graphs import INPUT_OPS, OPS, Graph, GraphPrograms, merge_graphs
from .table import primitive_numbers


@dataclass
class Fusing:
    """A graph that grows node by node; `places` has its nodes, in order."""

    places: dict[Node, int] = field(default_factory=dict)
    _numbers: Mapping[str, int] = field(default_factory=primitive_numbers)
    _ops: list[int] = field(default_factory=list)
    _primitives: list[int] = field(default_factory=list)
    _firsts: list[int] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)
    _args: list[int] = field(default_factory=list)
    _constants: list[object] = field(default_factory=list)

    def add(self, root: Node, name: str) -> int:
        """Return the place of a node, which is added with all that it needs.

        `name` is that of the program, for errors.
        """
        places, args, numbers = self.places, self._args, self._numbers
        for node in walk_new(root, places):
            kind = node.kind
            op, primitive, first = OPS.get(kind, 0), 0, 0
            if kind == "call" or kind == "invoke":
                first = len(args)
                args += [places[arg] for arg in node.args]
                if kind == "call":
                    primitive = numbers[node.head]
            elif kind == "constant":
                first = len(self._constants)
                self._constants.append(to_value(node.head, f"{name}: a constant"))
            elif kind == "primitive":
                primitive = numbers[node.head]
            elif node.head in INPUT_OPS:
                op = INPUT_OPS[node.head]
            else:
                raise ValueError(f"{name}: no sample has the input {node.head!r}")
            places[node] = len(places)
            self._ops.append(op)
            self._primitives.append(primitive)
            self._firsts.append(first)
            self._counts.append(len(node.args))
        return places[root]

    def finish(self, results: Sequence[int]) -> _engine.FusedBatt:
        """Return the graph whose results stand in such places."""
        return _engine.FusedBatt(
            np.array(self._ops, np.uint8),
            np.array(self._primitives, np.int32),
            np.array(self._firsts, np.int32),
            np.array(self._counts, np.int32),
            np.array(self._args, np.int32),
            np.array(results, np.int32),
            self._constants,
        )

    def to_graph(self, results: Sequence[int], *, with_digests: bool = True) -> Graph:
        """Return the same as plain data; other processes need the nodes' digests, too."""
        return Graph(
            np.array(self._ops, np.uint8),
            np.array(self._primitives, np.int32),
            np.array(self._counts, np.int32),
            np.array(self._args, np.int32),
            np.array(results, np.int32),
            tuple(self._constants),
            b"".join([node.digest for node in self.places]) if with_digests else b"",
        )


def fuse_continued(programs: Sequence[Program], continuation: Continuation) -> _engine.FusedBatt:
    """Return the graph in which the programs' results are each continued by the same steps."""
    if isinstance(programs, GraphPrograms):
        graph = merge_graphs([programs.to_graph(), continuation.fixed_graph])
    else:
        fusing = Fusing()
        roots = [*((each.result, each.name) for each in programs), *continuation.named_fixed]
        places = [fusing.add(node, name) for node, name in roots]
        graph = fusing.to_graph(places, with_digests=False)
    starts, fixed = graph.results[: len(programs)], graph.results[len(programs) :]
    steps = continuation.arrays
    n_starts, n_steps, n_args = len(starts), len(steps.ops), len(steps.args)
    which = np.arange(n_starts, dtype=np.int32)[:, None]
    # [start, place]: where what a step may use stands in the graph.
    table = np.empty((n_starts, len(fixed) + 1 + n_steps), np.int32)
    table[:, : len(fixed)] = fixed
    table[:, len(fixed)] = starts
    table[:, len(fixed) + 1 :] = len(graph) + which * n_steps + np.arange(n_steps)
    firsts = len(graph.args) + which * n_args + steps.firsts
    return _engine.FusedBatt(
        np.concatenate([graph.ops, np.tile(steps.ops, n_starts)]),
        _joined(graph.primitives, np.tile(steps.primitives, n_starts)),
        _joined(graph.firsts, firsts.ravel()),
        _joined(graph.counts, np.tile(steps.counts, n_starts)),
        _joined(graph.args, table[:, steps.args].ravel()),
        np.ascontiguousarray(table[:, list(continuation.results)]).ravel(),
        list(graph.constants),
    )


def _joined(before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.concatenate([before, after]).astype(np.int32, copy=False)


@dataclass(frozen=True)
class _StepArrays:
    """The steps of a continuation as the engine reads them; `args` are places as in `steps`."""

    ops: NDArray[np.uint8]
    primitives: NDArray[np.int32]
    firsts: NDArray[np.int32]
    counts: NDArray[np.int32]
    args: NDArray[np.int32]


@dataclass(frozen=True)
class Continuation:
    """Steps that are done alike with the results of many programs, and give several results.

    Each step is a node and the places of its arguments among what is there before it: first
    `fixed`, which need no program's result, then that result, then what earlier steps make.
    """

    names: tuple[str, ...]
    fixed: tuple[Node, ...]
    steps: tuple[tuple[Node, tuple[int, ...]], ...]
    results: tuple[int, ...]

    def programs(self, start: Node) -> list[Program]:
        """Return the programs that go on from a node, one for each result."""
        made = [*self.fixed, start]
        for node, places in self.steps:
            made.append(with_args(node, tuple([made[place] for place in places])))
        return [
            Program(made[place], name) for place, name in zip(self.results, self.names, strict=True)
        ]

    @property
    def named_fixed(self) -> list[tuple[Node, str]]:
        """What needs no program's result, with a name for errors."""
        return [(node, self.names[0]) for node in self.fixed]

    @cached_property
    def fixed_graph(self) -> Graph:
        """The graph of what needs no program's result."""
        fusing = Fusing()
        return fusing.to_graph([fusing.add(node, name) for node, name in self.named_fixed])

    @cached_property
    def arrays(self) -> _StepArrays:
        numbers = primitive_numbers()
        counts = np.array([len(places) for _, places in self.steps], np.int32)
        return _StepArrays(
            np.array([OPS[node.kind] for node, _ in self.steps], np.uint8),
            np.array([numbers.get(node.head, 0) for node, _ in self.steps], np.int32),
            (np.cumsum(counts) - counts).astype(np.int32),
            counts,
            np.array([place for _, places in self.steps for place in places], np.int32),
        )
