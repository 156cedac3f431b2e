"""The anatomy of a program: its nodes in order, their types, and who uses them where.

A *place* is one argument of one call, told by the call's number and the argument's. Nodes are
shared, so the number 3 may stand in one place as a colour and in another as a count: what is
mutated is a place, or a node in all its places.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from arcbatt.language import Node, Program, ir
from arcbatt.language.infer import type_of
from arcbatt.language.registry import get_primitive, of_registry
from arcbatt.language.types import ANY, Type

from .roles import role_of_place, shape_of

Place = tuple[int, int]  # number of the call, number of the argument

# What every program may use, whether it does or not.
_INPUTS = tuple(ir.input_node(name) for name in ("S", "I"))


class Anatomy:
    """A program taken apart; made once for a parent, however often it is mutated."""

    def __init__(self, result: Node) -> None:
        # The inputs first, so that they are earlier variables everywhere.
        self.nodes: list[Node] = list(_INPUTS)
        self.nodes += [node for node in ir.walk(result) if node not in _INPUTS]
        self.types: list[Type] = [type_of(node) or ANY for node in self.nodes]
        self.shapes: list[Type] = [shape_of(term) for term in self.types]
        self.calls: list[int] = [k for k, node in enumerate(self.nodes) if node.args]
        numbers = {node: k for k, node in enumerate(self.nodes)}
        self.result: int = numbers[result]
        # args[k]: the numbers of node k's arguments.
        self.args: list[list[int]] = [[numbers[arg] for arg in node.args] for node in self.nodes]
        self._users_of: dict[int, list[int]] = {}
        self._inner_by_shape: dict[Type, list[int]] = {}

    @cached_property
    def variables(self) -> list[int]:
        """Inputs and results of calls, in order."""
        return [k for k, node in enumerate(self.nodes) if node.args or node.kind == "input"]

    def variables_before(self, number: int) -> Sequence[int]:
        """The variables that come before a node, in order."""
        return self.variables[: bisect_left(self.variables, number)]

    @cached_property
    def _by_shape(self) -> Mapping[Type, list[int]]:
        found: dict[Type, list[int]] = {}
        for k in self.variables:
            found.setdefault(self.shapes[k], []).append(k)
        return found

    def variables_of(self, shape: Type, before: int) -> Sequence[int]:
        """The variables of a shape that come before a node, in order."""
        found = self._by_shape.get(shape, [])
        return found[: bisect_left(found, before)]

    def inner_variables_of(self, shape: Type) -> Sequence[int]:
        """The variables of a shape that some call uses, but for the result."""
        found = self._inner_by_shape.get(shape)
        if found is None:
            found = self._inner_by_shape[shape] = [
                k for k in self._by_shape.get(shape, []) if k != self.result and self.uses[k]
            ]
        return found

    @cached_property
    def places(self) -> list[Place]:
        """All arguments of all calls."""
        return [(k, i) for k in self.calls for i in range(len(self.args[k]))]

    @cached_property
    def uses(self) -> list[list[Place]]:
        """uses[k]: the places of node k."""
        found: list[list[Place]] = [[] for _ in self.nodes]
        for k, i in self.places:
            found[self.args[k][i]].append((k, i))
        return found

    @cached_property
    def variable_places(self) -> list[Place]:
        """The places where a variable stands that some other one could stand in for."""
        found = []
        for k, i in self.places:
            node = self.nodes[self.args[k][i]]
            if node.args or node.kind == "input":
                others = self.variables_of(self.shapes[self.args[k][i]], k)
                if len(others) > 1:
                    found.append((k, i))
        return found

    @cached_property
    def constant_places(self) -> list[tuple[int, int, str]]:
        """The places where a constant stands, with its role there."""
        return [
            (k, i, role_of_place(self.nodes[k], i))
            for k, i in self.places
            if self.nodes[self.args[k][i]].kind == "constant"
        ]

    @cached_property
    def color_places(self) -> list[tuple[int, int, str]]:
        """The places where a constant stands for a colour."""
        return [at for at in self.constant_places if at[2] == "Color"]

    @cached_property
    def primitive_places(self) -> list[Place]:
        """The places where a primitive stands as a value."""
        return [(k, i) for k, i in self.places if self.nodes[self.args[k][i]].kind == "primitive"]

    @cached_property
    def primitive_calls(self) -> list[int]:
        return [k for k in self.calls if self.nodes[k].kind == "call"]

    @cached_property
    def deletable(self) -> list[Place]:
        """The places whose node could stand for the whole call."""
        return [(k, i) for k, i in self.places if self.shapes[self.args[k][i]] is self.shapes[k]]

    @cached_property
    def swappable(self) -> list[tuple[int, int, int]]:
        """The calls with two arguments that could change places: call, argument, argument."""
        found = []
        for k in self.calls:
            args = self.args[k]
            for i in range(len(args)):
                for j in range(i):
                    if args[i] != args[j] and self.shapes[args[i]] is self.shapes[args[j]]:
                        found.append((k, j, i))
        return found

    # --- putting it together again ---

    def _users(self, number: int) -> list[int]:
        """All nodes that need a node, in order."""
        found = self._users_of.get(number)
        if found is None:
            changed = {number}
            for k in range(number + 1, len(self.nodes)):
                if not changed.isdisjoint(self.args[k]):
                    changed.add(k)
            found = self._users_of[number] = sorted(changed)[1:]
        return found

    def with_node(self, number: int, new: Node) -> Node | None:
        """The result with a node replaced in all its places; None if that is ill typed."""
        if type_of(new) is None:
            return None
        return self._rebuild(self._users(number), {number: new}, {})

    def with_places(self, news: Mapping[Place, Node]) -> Node | None:
        """The result with other nodes in some places; None if that is ill typed."""
        for new in news.values():
            if type_of(new) is None:
                return None
        edited = {k for k, _ in news}
        if len(edited) == 1:
            (call,) = edited
            return self._rebuild([call, *self._users(call)], {}, news)
        return self._rebuild(sorted(edited.union(*[self._users(k) for k in edited])), {}, news)

    def _rebuild(
        self, numbers: Sequence[int], new: dict[int, Node], places: Mapping[Place, Node]
    ) -> Node | None:
        """Make the nodes anew that use what is new, given in order; `new` has what is there."""
        nodes = self.nodes
        edited = {k for k, _ in places}
        for k in numbers:
            node = nodes[k]
            changed = [new.get(j) or nodes[j] for j in self.args[k]]
            if k in edited:
                changed = [places.get((k, i)) or arg for i, arg in enumerate(changed)]
            made = remade(node, tuple(changed))
            if made is None or type_of(made) is None:
                return None
            new[k] = made
        return new.get(self.result) or nodes[self.result]


def remade(node: Node, args: tuple[Node, ...]) -> Node | None:
    """The same call of other arguments; None where a primitive would be called with too many."""
    if node.kind == "invoke" and args[0].kind == "primitive":
        if get_primitive(args[0].name).arity != len(args) - 1:
            return None
    return ir.with_args(node, args)


def anatomy_of(program: Program) -> Anatomy:
    """The anatomy of a program, remembered while it is among those used last."""
    return _anatomy_of(program.result)


# By node: those are compared at once, programs by a function of their own.
@of_registry
@lru_cache(maxsize=2**12)
def _anatomy_of(result: Node) -> Anatomy:
    return Anatomy(result)
