"""Infer types of programs, and find primitives that fit types.

Types are computed forward, from inputs and constants to the result: a call takes the first
of its primitive's signatures that its argument types fit. A function value's type is a closure (see
`types`); calling it infers the call of its primitive with the captured arguments. Where no
signature fits, inference warns: such a call can succeed only on an empty container, which has
every type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .ir import Node, Program, forget_types, walk
from .registry import (
    Primitive,
    all_primitives,
    applied_definition,
    get_primitive,
    of_registry,
    on_declared,
)
from .types import (
    ANY,
    BOOLEAN,
    DEMOS,
    GRID,
    INTEGER,
    NONE,
    Bindings,
    Type,
    fits,
    is_function,
    join,
    mentions_any,
    product_of,
    set_of,
    substitute,
    tuple_of,
)
from .values import MAX_DEPTH, Value

INPUT_TYPES: Mapping[str, Type] = {
    "I": GRID,
    "S": DEMOS,
    "output": GRID,
    "target": GRID,
}


@dataclass(frozen=True, slots=True)
class TypeWarning:
    """A node that cannot have a value, and why."""

    node: Node
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class Typing:
    """The types of a program's nodes; unknown for a node that cannot work or depends on one."""

    types: Mapping[Node, Type]
    warnings: tuple[TypeWarning, ...]
    result: Type


def infer(program: Program) -> Typing:
    """Infer the types of all nodes of a program."""
    types: dict[Node, Type] = {}
    warnings: list[TypeWarning] = []
    for node in program.nodes():
        args = tuple([types[arg] for arg in node.args])
        node_type = _type_node(node, args)
        if node_type is None:
            warnings.append(TypeWarning(node, _explain(node, args)))
        types[node] = node_type or ANY
    return Typing(types, tuple(warnings), types[program.result])


def type_of(node: Node) -> Type | None:
    """Return the type of a node, or None if it, or one below it, cannot work.

    It is the type that `infer` finds. It depends on the node alone and is cached with it, so
    typing a program costs only the nodes that it does not share with others.
    """
    given: Type | None = node._type
    if given is None:
        args = tuple([arg._type for arg in node.args])
        if None in args:
            for below in walk(node):
                if below._type is None:
                    below._type = _type_typed(below, tuple([arg._type for arg in below.args]))
            given = node._type
        else:
            given = node._type = _type_typed(node, args)
    return None if given is _ILL_TYPED else given


def _type_typed(node: Node, args: tuple[Type, ...]) -> Type:
    return (None if _ILL_TYPED in args else _type_node(node, args)) or _ILL_TYPED


def type_of_value(value: Value) -> Type:
    """Return the type of a constant."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return INTEGER
    if isinstance(value, tuple | frozenset):
        if isinstance(value, tuple) and len(value) == 2:
            return product_of(*map(type_of_value, value))
        member = _join_all(type_of_value(inner) for inner in value)
        return tuple_of(member) if isinstance(value, tuple) else set_of(member)
    return NONE


def _join_all(types: Iterable[Type]) -> Type:
    result: Type | None = None
    for term in types:
        result = term if result is None else join(result, term)
    return ANY if result is None else result


def closure(name: str, captured: Sequence[Type] = ()) -> Type:
    return Type("closure", tuple(captured), name)


def infer_call(primitive: Primitive, args: Sequence[Type]) -> Type | None:
    """Return the type of a call, or None if it cannot work."""
    return _type_call(primitive.name, tuple(args))


def infer_invocation(function: Type, args: Sequence[Type]) -> Type | None:
    """Return the type of a function value's call, or None if it cannot work."""
    return _type_invocation(function, tuple(args))


def fitting_primitives(
    args: Sequence[Type], result: Type | None = None
) -> list[tuple[Primitive, Type]]:
    """Return the primitives that accept these arguments (and return this type), with result types.

    To find functions for a container's members, pass the types of the members.
    """
    fitting = []
    for primitive in all_primitives().values():
        if primitive.arity == len(args):
            given = infer_call(primitive, args)
            if given is not None and (result is None or fits_type(result, given)):
                fitting.append((primitive, given))
    return fitting


def fits_type(wanted: Type, given: Type) -> bool:
    """Return whether a value of the given type may be used where another type is wanted."""
    return fits(wanted, given, {}, _Session().call_type)


def _explain(node: Node, args: Sequence[Type]) -> str:
    shown = ", ".join(map(str, args if node.kind == "call" else args[1:]))
    if node.kind == "call":
        primitive = get_primitive(node.name)
        wanted = " or ".join(str(signature) for signature in primitive.signatures)
        return f"{node.name} cannot take ({shown}); it takes {wanted}"
    return f"a value of type {args[0]} cannot be called with ({shown})"


on_declared(forget_types)

# The type of a call that would fail for any values. No value has this type.
_ILL_TYPED = Type("ill typed")


def _type_node(node: Node, args: tuple[Type, ...]) -> Type | None:
    """Return the type of a node from the types of its arguments."""
    match node.kind:
        case "call":
            return _type_call(node.head, args)
        case "invoke":
            return _type_invocation(args[0], args[1:])
        case "input":
            return INPUT_TYPES.get(node.name, ANY)  # of a placeholder nothing is known
        case "constant":
            return type_of_value(node.value)
        case _:
            return closure(node.name)


# Programs consist of few kinds of calls, so most calls are found in the cache.
@of_registry
@lru_cache(maxsize=2**16)
def _type_call(name: str, args: tuple[Type, ...]) -> Type | None:
    return _Session().call_primitive(get_primitive(name), args)


@of_registry
@lru_cache(maxsize=2**12)
def _type_invocation(function: Type, args: tuple[Type, ...]) -> Type | None:
    return _Session().call_type(function, args)


@dataclass(slots=True)
class _Session:
    """The typing of one call, with a cache of the calls inside it."""

    known: dict[tuple[Type, tuple[Type, ...]], Type | None] = field(default_factory=dict)

    def call_primitive(self, primitive: Primitive, args: Sequence[Type]) -> Type | None:
        if len(args) != primitive.arity:
            return None
        if applied_definition(primitive.name) is not None:
            return self.make_function(primitive, args)
        # If a type is partly unknown, any overload that fits may apply.
        unknown = any(map(mentions_any, args))
        results = []
        for signature in primitive.signatures:
            bindings: Bindings = {}
            parameters = signature.parameters
            for place in signature.order:
                if not fits(parameters[place], args[place], bindings, self.call_type):
                    break
            else:
                results.append(substitute(signature.result, bindings))
                if not unknown:
                    break
        return _join_all(results) if results else None

    def make_function(self, primitive: Primitive, args: Sequence[Type]) -> Type | None:
        """Return the type of a function that a primitive makes from functions, or None."""
        for wanted, given in zip(primitive.signatures[0].parameters, args, strict=True):
            if wanted.kind == "function" and not is_function(given):
                return None
        made = closure(primitive.name, args)
        if primitive.name == "power":
            if args[1].kind not in ("integer", "boolean", "any"):
                return None
            made = join(args[0], made)  # applied once, it is the function itself
        return made

    def call_type(self, function: Type, args: Sequence[Type]) -> Type | None:
        """Return the result type of calling a function with such arguments, or None."""
        if function is ANY:
            return ANY
        if function.kind not in ("closure", "choice") or function.depth > MAX_DEPTH:
            return None
        key = (function, tuple(args))
        if key not in self.known:
            self.known[key] = None  # a recursive call cannot work
            self.known[key] = self.type_call(function, list(args))
        return self.known[key]

    def type_call(self, function: Type, args: list[Type]) -> Type | None:
        if function.kind == "choice":
            results = [self.call_type(each, args) for each in function.args]
            working = [result for result in results if result is not None]
            return _join_all(working) if working else None
        captured = function.args
        if not captured:
            return self.call_primitive(get_primitive(function.label), args)
        match function.label:
            case "rbind":
                return self.call_type(captured[0], [*args, captured[1]])
            case "lbind":
                return self.call_type(captured[0], [captured[1], *args])
        if len(args) != 1:
            return None
        match function.label:
            case "compose" | "chain":
                return self.through(reversed(captured), args[0])
            case "matcher":
                return BOOLEAN if self.call_type(captured[0], args) else None
            case "fork":
                inner = [self.call_type(each, args) for each in captured[1:]]
                if None in inner:
                    return None
                return self.call_type(captured[0], [term for term in inner if term])
            case "power":
                once = self.call_type(captured[0], args)
                again = once and self.call_type(captured[0], [once])
                return again and join(once or ANY, again)
        raise AssertionError(f"no rule for calling what {function.label} makes")

    def through(self, functions: Iterable[Type], term: Type) -> Type | None:
        current: Type | None = term
        for function in functions:
            if current is None:
                return None
            current = self.call_type(function, [current])
        return current
