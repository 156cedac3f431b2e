"""Fusion of programs into one graph: every distinct node once, arguments before their users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.graph.graphs import INPUT_OPS, OPS, Graph, GraphPrograms, merge_graphs
from arcbatt.engine.table import primitive_numbers
from arcbatt.language import Node, Program, to_value
from arcbatt.language.ir import walk_new, with_args


@dataclass
class GraphBuilder:
    """Builds a graph node by node; `places` has the position of each node."""

    places: dict[Node, int] = field(default_factory=dict)
    _numbers: Mapping[str, int] = field(default_factory=primitive_numbers)
    _ops: list[int] = field(default_factory=list)
    _primitives: list[int] = field(default_factory=list)
    _firsts: list[int] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)
    _args: list[int] = field(default_factory=list)
    _constants: list[object] = field(default_factory=list)

    def add(self, root: Node, name: str) -> int:
        """Add a node with all nodes it needs; return its position.

        `name` is the name of the program, for errors.
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
        """Return the fused graph whose results are at these positions."""
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
        """Return the graph as plain data; other processes need the digests of its nodes."""
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
    """Return the graph in which the result of each program is continued by the same steps."""
    if isinstance(programs, GraphPrograms):
        graph = merge_graphs([programs.to_graph(), continuation.fixed_graph])
    else:
        builder = GraphBuilder()
        roots = [*((each.result, each.name) for each in programs), *continuation.named_fixed]
        places = [builder.add(node, name) for node, name in roots]
        graph = builder.to_graph(places, with_digests=False)
    starts, fixed = graph.results[: len(programs)], graph.results[len(programs) :]
    steps = continuation.arrays
    n_starts, n_steps, n_args = len(starts), len(steps.ops), len(steps.args)
    which = np.arange(n_starts, dtype=np.int32)[:, None]
    # [start, argument]: positions in the graph of everything that a step may use.
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
    """The steps of a continuation as arrays; `args` are indices as in `Continuation.steps`."""

    ops: NDArray[np.uint8]
    primitives: NDArray[np.int32]
    firsts: NDArray[np.int32]
    counts: NDArray[np.int32]
    args: NDArray[np.int32]


@dataclass(frozen=True)
class Continuation:
    """Steps that continue the results of many programs in the same way, with several results.

    Each step is a node and the indices of its arguments in a list: first the nodes `fixed`, which
    do not depend on the program, then the program's result, then the results of earlier steps.
    """

    names: tuple[str, ...]
    fixed: tuple[Node, ...]
    steps: tuple[tuple[Node, tuple[int, ...]], ...]
    results: tuple[int, ...]

    def programs(self, start: Node) -> list[Program]:
        """Return the programs that continue a node, one per result."""
        nodes = [*self.fixed, start]
        for node, indices in self.steps:
            nodes.append(with_args(node, tuple([nodes[k] for k in indices])))
        return [Program(nodes[k], name) for k, name in zip(self.results, self.names, strict=True)]

    @property
    def named_fixed(self) -> list[tuple[Node, str]]:
        """The fixed nodes, with a name for errors."""
        return [(node, self.names[0]) for node in self.fixed]

    @cached_property
    def fixed_graph(self) -> Graph:
        """The graph of the fixed nodes."""
        builder = GraphBuilder()
        return builder.to_graph([builder.add(node, name) for node, name in self.named_fixed])

    @cached_property
    def arrays(self) -> _StepArrays:
        numbers = primitive_numbers()
        counts = np.array([len(indices) for _, indices in self.steps], np.int32)
        return _StepArrays(
            np.array([OPS[node.kind] for node, _ in self.steps], np.uint8),
            np.array([numbers.get(node.head, 0) for node, _ in self.steps], np.int32),
            (np.cumsum(counts) - counts).astype(np.int32),
            counts,
            np.array([k for _, indices in self.steps for k in indices], np.int32),
        )
