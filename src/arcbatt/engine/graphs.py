"""Graphs: fused programs as plain data, for what goes from process to process without nodes.

Those of several processes are merged into one as fusing all of their programs would have made it.
Nodes are made of it one by one, where somebody asks for a program.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Node, Program, Value, ir

from . import _engine
from .table import primitive_numbers

# As in include/arcbatt/batt.hpp.
INPUT_OPS: Mapping[str, int] = {"I": 0, "S": 1, "target": 2}
OPS: Mapping[str, int] = {"constant": 3, "primitive": 4, "call": 5, "invoke": 6}
DIGEST_BYTES = 16
_DIGEST = f"V{DIGEST_BYTES}"


@dataclass(frozen=True)
class Graph:
    """Every node once, arguments before their users.

    `counts` are those of arguments, whose places `args` has, node after node; `constants` the
    values of constants, in their order; `results` the places of the programs' results; `digests`
    those of all nodes, one after the other.
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
        """Return it as bytes for another process of this Python."""
        content = [getattr(self, each.name) for each in fields(self)]
        return marshal.dumps([*(array.tobytes() for array in content[:5]), *content[5:]])

    @classmethod
    def from_bytes(cls, data: bytes) -> Graph:
        """Return the graph that such bytes are."""
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
        """Where the arguments of each node begin; of a constant, the place of its value."""
        is_constant = self.ops == OPS["constant"]
        firsts = np.where(self.counts > 0, np.cumsum(self.counts) - self.counts, 0)
        firsts[is_constant] = np.arange(len(self.constants))
        return firsts.astype(np.int32)

    def fuse(self, chosen: NDArray[np.uint32] | None = None) -> _engine.FusedBatt:
        """Return what the engine runs: all programs, or some of them with what they need alone."""
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
        """Return the graph of what some nodes need, which are its results."""
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
        found: list[bytes] = np.frombuffer(self.digests, _DIGEST)[self.results].tolist()
        return found

    def node(self, place: int) -> Node:
        """Return the node in a place; what it is made of is remembered."""
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
        """Return of some nodes how many calls each needs, itself among them."""
        wanted = np.array(places, np.int32)
        n_calls = np.empty(len(wanted), np.int32)
        _engine.count_calls(self.firsts, self.counts, self.args, wanted, n_calls)
        found: list[int] = n_calls.tolist()
        return found

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
        """The arrays for looking numbers up one by one, which takes half of the time so."""
        arrays = (self.ops, self.primitives, self.counts, self.args, self.firsts)
        return _Views(*[array.data for array in arrays])

    @cached_property
    def _nodes(self) -> dict[int, Node]:
        return {}


@dataclass(frozen=True, slots=True)
class GraphPrograms(Sequence[Program]):
    """Programs of a graph, each made when it is first asked for, and named by its digest."""

    graph: Graph
    name_of: Callable[[bytes], str]
    places: Sequence[int]  # of the results that are theirs
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
        found = self._made.get(result)
        if found is None:
            node = self.graph.node(result)
            found = self._made[result] = Program(node, self.name_of(node.digest))
        return found

    def sizes(self, places: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return of some programs the number of calls and the digest, without making them."""
        results = [self.places[k] for k in places]
        digests = np.frombuffer(self.graph.digests, _DIGEST)[results].tolist()
        return list(zip(self.graph.count_calls(results), digests, strict=True))

    def choose(self, chosen: Sequence[int]) -> GraphPrograms:
        """Return some of them; what one makes, the other has."""
        places = [self.places[k] for k in chosen]
        return GraphPrograms(self.graph, self.name_of, places, self._made)

    def to_graph(self) -> Graph:
        """Return the graph of these programs alone."""
        return self.graph.part(self.places)


def choose_programs(programs: Sequence[Program], chosen: Sequence[int]) -> Sequence[Program]:
    """Return some programs, without making any that are not made yet."""
    if isinstance(programs, GraphPrograms):
        return programs.choose(chosen)
    return [programs[k] for k in chosen]


def sizes_of(programs: Sequence[Program], places: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return of some of the programs the number of calls and the digest, without making them."""
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
    """Return one graph of all programs, those of the first graph first.

    Its nodes are in the order in which fusing the programs one after the other gives them.
    """
    if len(graphs) == 1:
        return graphs[0]
    digests = b"".join([graph.digests for graph in graphs])
    # [node of any graph]: its place in the new one.
    new = np.empty(len(digests) // DIGEST_BYTES, np.int32)
    _engine.number_keys(np.frombuffer(digests, np.uint64).reshape(-1, 2), new)
    # Places are given in order: where one is higher than all before it, it stands there first.
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
    """What a node of an op is: its kind, or which input."""
    return {op: kind for kinds in (INPUT_OPS, OPS) for kind, op in kinds.items()}


@cache
def _names() -> tuple[str, ...]:
    """The primitives by their numbers."""
    return tuple(primitive_numbers())
