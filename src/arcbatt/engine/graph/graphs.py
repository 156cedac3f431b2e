"""Graphs: fused programs as plain data, which processes exchange instead of nodes.

Merging the graphs of several processes gives the graph of all their programs. Nodes are made on
demand, when a program is looked up.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.table import primitive_numbers
from arcbatt.language import Node, Program, Value, ir

INPUT_OPS: Mapping[str, int] = {name: _engine.ops[name] for name in ("I", "S", "target")}
OPS: Mapping[str, int] = {
    kind: _engine.ops[kind] for kind in ("constant", "primitive", "call", "invoke")
}
DIGEST_BYTES = 16
_DIGEST = f"V{DIGEST_BYTES}"


@dataclass(frozen=True)
class Graph:
    """Fused programs: every distinct node once, arguments before their users.

    `counts` has the number of arguments of each node, `args` the positions of all arguments, node
    after node, `constants` the values of constants in their order, `results` the positions of the
    programs' results, `digests` the digests of all nodes.
    """

    ops: NDArray[np.uint8]
    primitives: NDArray[np.int32]
    counts: NDArray[np.int32]
    args: NDArray[np.int32]
    results: NDArray[np.int32]
    constants: tuple[object, ...]
    digests: bytes

    def __len__(self) -> int:
        return len(self.ops)

    def to_bytes(self) -> bytes:
        """Return the graph as bytes for another process of the same Python."""
        content = [getattr(self, each.name) for each in fields(self)]
        return marshal.dumps([*(array.tobytes() for array in content[:5]), *content[5:]])

    @classmethod
    def from_bytes(cls, data: bytes) -> Graph:
        """Read a graph from bytes."""
        ops, primitives, counts, args, results, constants, digests = marshal.loads(data)
        return cls(
            np.frombuffer(ops, np.uint8),
            np.frombuffer(primitives, np.int32),
            np.frombuffer(counts, np.int32),
            np.frombuffer(args, np.int32),
            np.frombuffer(results, np.int32),
            constants,
            digests,
        )

    @cached_property
    def firsts(self) -> NDArray[np.int32]:
        """The index of each node's first argument in `args`; for a constant, of its value."""
        is_constant = self.ops == OPS["constant"]
        firsts = np.where(self.counts > 0, np.cumsum(self.counts) - self.counts, 0)
        firsts[is_constant] = np.arange(len(self.constants))
        return firsts.astype(np.int32)

    def fuse(self, chosen: NDArray[np.uint32] | None = None) -> _engine.FusedBatt:
        """Return the graph for the engine, of all programs or of some of them."""
        whole = _engine.FusedBatt(
            self.ops,
            self.primitives,
            self.firsts,
            self.counts,
            self.args,
            self.results,
            list(self.constants),
        )
        return whole if chosen is None else whole.part(chosen)

    def part(self, results: Sequence[int]) -> Graph:
        """Return the graph whose results are some of the nodes."""
        needed = np.zeros(len(self), np.bool_)
        places = np.array(results, np.int32)
        _engine.mark_needed(self.firsts, self.counts, self.args, places, needed)
        new = (np.cumsum(needed) - 1).astype(np.int32)
        is_needed_constant = needed[self.ops == OPS["constant"]]
        return Graph(
            self.ops[needed],
            self.primitives[needed],
            self.counts[needed],
            new[self.args[np.repeat(needed, self.counts)]],
            new[places],
            tuple([self.constants[k] for k in np.flatnonzero(is_needed_constant).tolist()]),
            np.frombuffer(self.digests, _DIGEST)[needed].tobytes(),
        )

    @cached_property
    def result_digests(self) -> list[bytes]:
        """The digests of the results."""
        digests: list[bytes] = np.frombuffer(self.digests, _DIGEST)[self.results].tolist()
        return digests

    def node(self, place: int) -> Node:
        """Return the node at a position; nodes are made once."""
        nodes = self._nodes
        todo = [place]
        while todo:
            at = todo[-1]
            if at in nodes:
                todo.pop()
                continue
            first = self._views.firsts[at]
            args = self._views.args[first : first + self._views.counts[at]].tolist()
            missing = [arg for arg in args if arg not in nodes]
            if missing:
                todo += missing
                continue
            nodes[at] = self._make(at, tuple([nodes[arg] for arg in args]))
            todo.pop()
        return nodes[place]

    def count_calls(self, places: Sequence[int]) -> list[int]:
        """Return the number of calls that each of some nodes needs, itself included."""
        wanted = np.array(places, np.int32)
        n_calls = np.empty(len(wanted), np.int32)
        _engine.count_calls(self.firsts, self.counts, self.args, wanted, n_calls)
        counts: list[int] = n_calls.tolist()
        return counts

    def _make(self, place: int, args: tuple[Node, ...]) -> Node:
        views = self._views
        digest = self.digests[place * DIGEST_BYTES : (place + 1) * DIGEST_BYTES]
        kind = _kinds()[views.ops[place]]
        match kind:
            case "constant":
                value: Value = self.constants[views.firsts[place]]  # type: ignore[assignment]
                return ir.constant(value)
            case "primitive" | "call":
                return ir.restored(kind, _names()[views.primitives[place]], args, digest)
            case "invoke":
                return ir.restored(kind, None, args, digest)
        return ir.input_node(kind)

    @cached_property
    def _views(self) -> _Views:
        """Views of the arrays, which make single look-ups twice as fast."""
        arrays = (self.ops, self.primitives, self.counts, self.args, self.firsts)
        return _Views(*[array.data for array in arrays])

    @cached_property
    def _nodes(self) -> dict[int, Node]:
        return {}


@dataclass(frozen=True, slots=True)
class GraphPrograms(Sequence[Program]):
    """The programs of a graph, each made on demand and named by its digest."""

    graph: Graph
    name_of: Callable[[bytes], str]
    places: Sequence[int]  # positions of their results
    _made: dict[int, Program] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> Program: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Program]: ...
    def __getitem__(self, place: int | slice) -> Program | Sequence[Program]:
        if isinstance(place, slice):
            return self.choose(range(*place.indices(len(self))))
        result = self.places[place]
        program = self._made.get(result)
        if program is None:
            node = self.graph.node(result)
            program = self._made[result] = Program(node, self.name_of(node.digest))
        return program

    def sizes(self, places: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return the number of calls and the digest of some programs, without making them."""
        results = [self.places[k] for k in places]
        digests = np.frombuffer(self.graph.digests, _DIGEST)[results].tolist()
        return list(zip(self.graph.count_calls(results), digests, strict=True))

    def choose(self, chosen: Sequence[int]) -> GraphPrograms:
        """Return some of the programs; both share the programs that are made."""
        places = [self.places[k] for k in chosen]
        return GraphPrograms(self.graph, self.name_of, places, self._made)

    def to_graph(self) -> Graph:
        """Return the graph of these programs alone."""
        return self.graph.part(self.places)


def choose_programs(programs: Sequence[Program], chosen: Sequence[int]) -> Sequence[Program]:
    """Return some of the programs, without making any."""
    if isinstance(programs, GraphPrograms):
        return programs.choose(chosen)
    return [programs[k] for k in chosen]


def sizes_of(programs: Sequence[Program], places: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return the number of calls and the digest of some of the programs, without making any."""
    if isinstance(programs, GraphPrograms):
        return programs.sizes(places)
    return [(programs[k].n_calls, programs[k].result.digest) for k in places]


@dataclass(frozen=True, slots=True)
class _Views:
    ops: memoryview
    primitives: memoryview
    counts: memoryview
    args: memoryview
    firsts: memoryview


def merge_graphs(graphs: Sequence[Graph]) -> Graph:
    """Return one graph of the programs of several graphs, in their order.

    Its nodes have the same order as if the programs had been fused one after the other.
    """
    if len(graphs) == 1:
        return graphs[0]
    digests = b"".join([graph.digests for graph in graphs])
    # The new position of each node of all graphs.
    new = np.empty(len(digests) // DIGEST_BYTES, np.int32)
    _engine.number_keys(np.frombuffer(digests, np.uint64).reshape(-1, 2), new)
    # Positions ascend: the first occurrence of a node is higher than all before it.
    is_first = np.diff(np.maximum.accumulate(new), prepend=-1) > 0
    starts = np.cumsum([0, *map(len, graphs)])
    args = [new[graph.args + start] for graph, start in zip(graphs, starts[:-1], strict=True)]
    results = [new[graph.results + start] for graph, start in zip(graphs, starts[:-1], strict=True)]
    ops = np.concatenate([graph.ops for graph in graphs])
    counts = np.concatenate([graph.counts for graph in graphs])
    constants = [value for graph in graphs for value in graph.constants]
    is_kept_constant = is_first[ops == OPS["constant"]]
    return Graph(
        ops[is_first],
        np.concatenate([graph.primitives for graph in graphs])[is_first],
        counts[is_first],
        np.concatenate(args)[np.repeat(is_first, counts)],
        np.concatenate(results),
        tuple([constants[k] for k in np.flatnonzero(is_kept_constant).tolist()]),
        np.frombuffer(digests, _DIGEST)[is_first].tobytes(),
    )


@cache
def _kinds() -> Mapping[int, str]:
    """Return the kind of node, or the name of the input, by op."""
    return {op: kind for kinds in (INPUT_OPS, OPS) for kind, op in kinds.items()}


@cache
def _names() -> tuple[str, ...]:
    """Return the names of the primitives in the order of their numbers."""
    return tuple(primitive_numbers())
