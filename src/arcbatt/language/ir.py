"""Programs as data: immutable, hash-consed nodes.

A node is an input, a constant, a primitive as a value, a call of a primitive, or an
invocation of a function value. Building a node that exists already gives that node, so
equal subexpressions are shared within a program and across all programs, and comparing
programs is comparing nodes. A program is its result node.

The digest of a node depends on its canonical form alone: it is the same in every process,
on every machine and Python version, whatever the program text looked like.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any
from weakref import _remove_dead_weakref  # type: ignore[attr-defined]

from arcbatt.display import Displayed
from arcbatt.plurals import count

from .registry import Primitive, find_primitive
from .values import Value, format_value, is_data

# The inputs a program may use, in the order of declaration. A solver has (I) or (S, I); a differ
# has all four: it compares another program's output with the target.
INPUTS = ("S", "I", "output", "target")
SIGNATURES = (("I",), ("S", "I"), INPUTS)


class Node:
    """A value of a program and how it is made. The functions below make nodes."""

    __slots__ = ("__weakref__", "_digest", "_type", "args", "head", "kind")

    kind: str  # "input", "constant", "primitive", "call" or "invoke"
    head: Any  # the input's or primitive's name, or the constant's value
    args: tuple[Node, ...]
    _digest: bytes | None
    _type: Any  # cached by `infer.type_of`; None if not inferred yet

    @property
    def digest(self) -> bytes:
        """A 128-bit digest of the node's canonical form, computed on first use."""
        if self._digest is None:
            todo = [self]
            while todo:
                node = todo[-1]
                below = [arg._digest for arg in node.args]
                if None in below:
                    todo += [arg for arg in node.args if arg._digest is None]
                    continue
                todo.pop()
                if node._digest is None:
                    # Unambiguous: every argument is 16 bytes, and the text has no NUL.
                    form = _form(node.kind, _head_key(node.kind, node.head))
                    form += b"".join(below)  # type: ignore[arg-type]  # no digest is None here
                    node._digest = blake2b(form, digest_size=16).digest()
        assert self._digest is not None
        return self._digest

    @property
    def name(self) -> str:
        """The name of the input or primitive."""
        assert self.kind in ("input", "primitive", "call")
        return self.head  # type: ignore[no-any-return]

    @property
    def value(self) -> Value:
        """The constant's value."""
        assert self.kind == "constant"
        return self.head  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        return _intern, (self.kind, _head_key(self.kind, self.head), self.head, self.args)

    def __repr__(self) -> str:
        head = format_value(self.head) if self.kind == "constant" else self.head or "invoke"
        return f"<{self.kind} {head}>"


def _head_key(kind: str, head: Any) -> str:
    """Return a key of constants by their text: `T` and `1` are equal values but two constants."""
    return format_value(head) if kind == "constant" else str(head or "")


@lru_cache(maxsize=2**12)
def _form(kind: str, head_key: str) -> bytes:
    return f"{kind}\0{head_key}\0".encode()


class _NodeRef(weakref.ref[Node]):
    """A weak reference that knows its key in the table."""

    __slots__ = ("key",)
    key: tuple[str, str, tuple[Node, ...]]


# All live nodes. The references are weak, so that a long search frees nodes it has dropped, and
# kept by hand, since a WeakValueDictionary takes twice the time. Threads make and drop nodes
# concurrently, and equal nodes must be one object, so each lookup or change is one atomic call.
_interned: dict[tuple[str, str, tuple[Node, ...]], _NodeRef] = {}
# References to nodes that are gone, until the next node is made. Python would swallow an exception,
# such as an interrupt, in a callback of a reference; `append`, not being Python code, raises none.
_dead: deque[weakref.ref[Node]] = deque()
_forget = _dead.append  # one object for all references


def _forget_dead() -> None:
    """Remove dead references from the table; nodes that only their keys had go next."""
    while _dead:
        try:
            ref = _dead.popleft()
        except IndexError:  # another thread took the last one
            return
        assert isinstance(ref, _NodeRef)
        # Unless another thread has made the node anew.
        _remove_dead_weakref(_interned, ref.key)
        del ref  # it holds the key, and so the arguments, which may be dead with it


def forget_types() -> None:
    """Forget the inferred types of all nodes."""
    for ref in list(_interned.values()):
        node = ref()
        if node is not None:
            node._type = None


def _intern(kind: str, head_key: str, head: Any, args: tuple[Node, ...]) -> Node:
    key = (kind, head_key, args)
    ref = _interned.get(key)
    node = None if ref is None else ref()
    if node is None:
        _forget_dead()
        node = object.__new__(Node)
        node.kind, node.head, node.args = kind, head, args
        node._digest = None
        node._type = None
        ref = _NodeRef(node, _forget)
        ref.key = key
        # Another thread may have made it meanwhile: then its node is used, unless it is gone again.
        while (first := _interned.setdefault(key, ref)) is not ref:
            other = first()
            if other is not None:
                return other
            _remove_dead_weakref(_interned, key)
    return node


def restored(kind: str, name: str | None, args: tuple[Node, ...], digest: bytes) -> Node:
    """Return a primitive, call or invocation read from elsewhere, with its known digest."""
    node = _intern(kind, name or "", name, args)
    node._digest = digest
    return node


def input_node(name: str) -> Node:
    if name not in INPUTS:
        raise ValueError(f"{name!r} is not an input; inputs are {', '.join(INPUTS)}")
    return _intern("input", name, name, ())


def placeholder(number: int) -> Node:
    """Return a stand-in for an argument, which no program may contain when it is done."""
    return _intern("input", f"?{number}", f"?{number}", ())


def constant(value: Value) -> Node:
    if not is_data(value):
        raise ValueError("a constant must be plain data: numbers, tuples and sets")
    return _intern("constant", format_value(value), value, ())


def primitive_node(spelling: str) -> Node:
    """Return a primitive as a value."""
    name = _resolve(spelling).name
    return _intern("primitive", name, name, ())


def call_node(primitive: str | Primitive, *args: Node) -> Node:
    """Return a call of a primitive, which is given by a spelling or as an object."""
    if isinstance(primitive, str):
        primitive = _resolve(primitive)
    if len(args) != len(primitive.parameters):
        raise ValueError(
            f"{primitive.usage} takes {count(primitive.arity, 'argument')}, not {len(args)}"
        )
    return _intern("call", primitive.name, primitive.name, args)


def invoke_node(function: Node, *args: Node) -> Node:
    """Return a call of a function value."""
    if not args:
        raise ValueError("a function value needs at least one argument")
    if function.kind == "primitive":
        return call_node(function.name, *args)
    return _intern("invoke", "", None, (function, *args))


def _resolve(spelling: str) -> Primitive:
    primitive = find_primitive(spelling)
    if primitive is None:
        raise ValueError(f"no primitive is named {spelling!r}")
    return primitive


def walk(*roots: Node) -> Iterator[Node]:
    """Yield all nodes below the roots, each once, arguments before the nodes that use them.

    The order is that of a left-to-right walk, so it depends on the roots alone.
    """
    seen: set[Node] = set()
    for root in roots:
        for node in walk_new(root, seen):
            seen.add(node)
            yield node


def walk_new(root: Node, known: Container[Node]) -> Iterator[Node]:
    """Yield the nodes below a root that are not known yet, in the order of `walk`.

    The caller makes each node known before asking for the next. Nodes below a known one are known,
    so walking programs that share most nodes is fast.
    """
    if root in known:
        return
    stack = [root]
    while stack:
        node = stack[-1]
        for arg in node.args:
            if arg not in known:
                stack.append(arg)
                break
        else:
            stack.pop()
            yield node


def replace_input(result: Node, name: str, by: Node) -> Node:
    """Return a node with another node in place of an input."""
    return replace_node(result, input_node(name), by)


def replace_node(result: Node, old: Node, by: Node) -> Node:
    """Return a node with another node in place of one below it."""
    new: dict[Node, Node] = {}
    for node in walk(result):
        if node is old:
            new[node] = by
        elif any(new[arg] is not arg for arg in node.args):
            new[node] = with_args(node, tuple([new[arg] for arg in node.args]))
        else:
            new[node] = node
    return new[result]


def with_args(node: Node, args: tuple[Node, ...]) -> Node:
    """Return the same call or invocation with other arguments, as many as before."""
    if node.kind == "call":
        assert len(args) == len(node.args)
        return _intern("call", node.head, node.head, args)
    assert node.kind == "invoke"
    return invoke_node(*args)


@dataclass(frozen=True, slots=True)
class Program(Displayed):
    """A named result node. Programs with the same node are equal, whatever their names."""

    result: Node
    name: str = "solve"

    def nodes(self) -> Iterator[Node]:
        """Return every node once, in evaluation order."""
        return walk(self.result)

    @property
    def hash(self) -> str:
        """The program's identity: 32 hexadecimal digits."""
        return self.result.digest.hex()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs that its text must name: the shortest list that has all it uses."""
        used = {node.name for node in self.nodes() if node.kind == "input"}
        return next(names for names in SIGNATURES if used <= set(names))

    @property
    def text(self) -> str:
        """Return the program as text with one call per line; `parse_program` reads it back."""
        from .text import format_program  # here, since `text` imports this module

        return format_program(self)

    @property
    def n_calls(self) -> int:
        """The number of its calls, shared ones counted once."""
        # The order of nodes does not matter here, and a set is filled faster than `walk` yields.
        nodes, todo = {self.result}, [self.result]
        while todo:
            for arg in todo.pop().args:
                if arg not in nodes:
                    nodes.add(arg)
                    todo.append(arg)
        return sum([node.kind in ("call", "invoke") for node in nodes])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and other.result is self.result

    def __hash__(self) -> int:
        return hash(self.result)

    def __repr__(self) -> str:
        return f"<Program {self.name}: {count(self.n_calls, 'call')}>"

    def __str__(self) -> str:
        return self.text
