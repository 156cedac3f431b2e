"""The anatomy of a program: its nodes in order, their types, and their uses.

A *place* is one argument of one call, given by the numbers of the call and of the argument. Nodes
are shared, so the number 3 may be a color in one place and a count in another: a mutation changes
one place, or a node in all its places.
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

# Every program may use these, whether it does or not.
_INPUTS = tuple(ir.input_node(name) for name in ("S", "I"))


class Anatomy:
    """The parts of a program; built once per parent, however often it is mutated."""

    def __init__(self, result: Node) -> None:
        # The inputs come first, so that every call can use them.
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
        """The numbers of inputs and calls, in order."""
        return [k for k, node in enumerate(self.nodes) if node.args or node.kind == "input"]

    def variables_before(self, number: int) -> Sequence[int]:
        """Return the variables before a node, in order."""
        return self.variables[: bisect_left(self.variables, number)]

    @cached_property
    def _by_shape(self) -> Mapping[Type, list[int]]:
        by_shape: dict[Type, list[int]] = {}
        for k in self.variables:
            by_shape.setdefault(self.shapes[k], []).append(k)
        return by_shape

    def variables_of(self, shape: Type, before: int) -> Sequence[int]:
        """Return the variables of a shape before a node, in order."""
        variables = self._by_shape.get(shape, [])
        return variables[: bisect_left(variables, before)]

    def inner_variables_of(self, shape: Type) -> Sequence[int]:
        """Return the variables of a shape that a call uses, except the result."""
        variables = self._inner_by_shape.get(shape)
        if variables is None:
            variables = self._inner_by_shape[shape] = [
                k for k in self._by_shape.get(shape, []) if k != self.result and self.uses[k]
            ]
        return variables

    @cached_property
    def places(self) -> list[Place]:
        """The places of all calls."""
        return [(k, i) for k in self.calls for i in range(len(self.args[k]))]

    @cached_property
    def uses(self) -> list[list[Place]]:
        """uses[k]: the places of node k."""
        uses: list[list[Place]] = [[] for _ in self.nodes]
        for k, i in self.places:
            uses[self.args[k][i]].append((k, i))
        return uses

    @cached_property
    def variable_places(self) -> list[Place]:
        """The places of variables that another variable could replace."""
        places = []
        for k, i in self.places:
            node = self.nodes[self.args[k][i]]
            if node.args or node.kind == "input":
                others = self.variables_of(self.shapes[self.args[k][i]], k)
                if len(others) > 1:
                    places.append((k, i))
        return places

    @cached_property
    def constant_places(self) -> list[tuple[int, int, str]]:
        """The places of constants, with their roles there."""
        return [
            (k, i, role_of_place(self.nodes[k], i))
            for k, i in self.places
            if self.nodes[self.args[k][i]].kind == "constant"
        ]

    @cached_property
    def color_places(self) -> list[tuple[int, int, str]]:
        """The places of constants that are colors there."""
        return [at for at in self.constant_places if at[2] == "Color"]

    @cached_property
    def primitive_places(self) -> list[Place]:
        """The places of primitives as values."""
        return [(k, i) for k, i in self.places if self.nodes[self.args[k][i]].kind == "primitive"]

    @cached_property
    def primitive_calls(self) -> list[int]:
        return [k for k in self.calls if self.nodes[k].kind == "call"]

    @cached_property
    def deletable(self) -> list[Place]:
        """The places whose node could replace the whole call."""
        return [(k, i) for k, i in self.places if self.shapes[self.args[k][i]] is self.shapes[k]]

    # --- rebuilding ---

    def _users(self, number: int) -> list[int]:
        """Return all nodes that need a node, in order."""
        users = self._users_of.get(number)
        if users is None:
            changed = {number}
            for k in range(number + 1, len(self.nodes)):
                if not changed.isdisjoint(self.args[k]):
                    changed.add(k)
            users = self._users_of[number] = sorted(changed)[1:]
        return users

    def with_node(self, number: int, new: Node) -> Node | None:
        """Return the result with a node replaced in all its places; None if that is ill typed."""
        if type_of(new) is None:
            return None
        return self._rebuild(self._users(number), {number: new}, {})

    def with_places(self, news: Mapping[Place, Node]) -> Node | None:
        """Return the result with other nodes in some places; None if that is ill typed."""
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
        """Rebuild the nodes with these numbers, in order, from those in `new` and `places`."""
        nodes = self.nodes
        edited = {k for k, _ in places}
        for k in numbers:
            node = nodes[k]
            changed = [new.get(j) or nodes[j] for j in self.args[k]]
            if k in edited:
                changed = [places.get((k, i)) or arg for i, arg in enumerate(changed)]
            made = with_arguments(node, tuple(changed))
            if made is None or type_of(made) is None:
                return None
            new[k] = made
        return new.get(self.result) or nodes[self.result]


def with_arguments(node: Node, args: tuple[Node, ...]) -> Node | None:
    """Return a call with other arguments; None if a primitive would get a wrong number of them."""
    if node.kind == "invoke" and args[0].kind == "primitive":
        if get_primitive(args[0].name).arity != len(args) - 1:
            return None
    return ir.with_args(node, args)


def anatomy_of(program: Program) -> Anatomy:
    """Return the anatomy of a program, cached for recent ones."""
    return _anatomy_of(program.result)


# Cached by node, which compares faster than a program.
@of_registry
@lru_cache(maxsize=2**12)
def _anatomy_of(result: Node) -> Anatomy:
    return Anatomy(result)
