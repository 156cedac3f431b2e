"""In which order a batt's nodes are run where many are run at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Node

INVOKE, LOAD = "invoke", "load"


@dataclass(frozen=True, slots=True)
class Step:
    """Nodes run together, calls of one primitive: `nodes[first : first + n_nodes]` of the schedule.

    `head` is the primitive, or one of "invoke" and "load".
    """

    head: str
    first: int
    n_nodes: int


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Steps such that arguments are ready before the nodes that use them, and few of them."""

    steps: tuple[Step, ...]
    nodes: NDArray[np.uint32]

    @property
    def n_nodes(self) -> int:
        return len(self.nodes)


def _head(node: Node) -> str:
    if node.kind == "call":
        return node.name
    return INVOKE if node.kind == "invoke" else LOAD


def schedule(nodes: Sequence[Node]) -> Schedule:
    """The shorter of two ways to put calls of one primitive together."""
    groups = min(_by_level(nodes), _when_complete(nodes), key=len)
    steps: list[Step] = []
    order: list[int] = []
    for head, members in groups:
        steps.append(Step(head, len(order), len(members)))
        order += members
    return Schedule(tuple(steps), np.array(order, np.uint32))


_Groups = list[tuple[str, list[int]]]


def _by_level(nodes: Sequence[Node]) -> _Groups:
    """Nodes that need equally many steps before them: good for programs of one shape."""
    levels: dict[Node, int] = {}
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for k, node in enumerate(nodes):
        levels[node] = 1 + max((levels[arg] for arg in node.args), default=-1)
        groups[levels[node], _head(node)].append(k)
    return [(head, members) for (_, head), members in sorted(groups.items())]


def _when_complete(nodes: Sequence[Node]) -> _Groups:
    """Always the primitive next of whose remaining nodes most are ready, with all that are."""
    places = {node: k for k, node in enumerate(nodes)}
    users: list[list[int]] = [[] for _ in nodes]
    n_missing = [0] * len(nodes)
    n_left = Counter(map(_head, nodes))
    ready: dict[str, list[int]] = defaultdict(list)
    for k, node in enumerate(nodes):
        args = set(node.args)
        n_missing[k] = len(args)
        for arg in args:
            users[places[arg]].append(k)
        if not args:
            ready[_head(node)].append(k)
    groups = []
    while ready:
        head = max(
            ready, key=lambda name: (len(ready[name]) / n_left[name], len(ready[name]), name)
        )
        chosen = ready.pop(head)
        n_left[head] -= len(chosen)
        groups.append((head, chosen))
        for k in chosen:
            for user in users[k]:
                n_missing[user] -= 1
                if not n_missing[user]:
                    ready[_head(nodes[user])].append(user)
    return groups
