"""Types: knowledge about a value before it is computed.

Types are structural, as values are: a Grid is `Tuple[Tuple[Integer]]`, an Object a set of
cells. Names such as Color or Rank are roles: integers to every rule, but a hint at what a
constant in that place stands for. A role may state its range, as in `Code[0..14]`: a call with
a number outside it fails. Signatures use variables (`a`, `b`), a container variable
(`C[a]`: tuple or set, the same one in the result) and function types (`(a -> b)`).

Inference gives a function value the type `Closure`: the primitive with the types of what it
captured. Calling it infers the primitive's call anew, so polymorphic and overloaded
primitives need no further machinery.
"""

from __future__ import annotations

import re
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

# Data nested deeper than this has an unknown type. Terms share equal parts, so walking a deep one
# could take exponential time.
_MAX_DEPTH = 10
# Kinds of data types, except those that stand for several.
_GROUND = frozenset({"any", "integer", "boolean", "none", "tuple", "set", "product"})


class Type:
    """An interned type term: equal terms are the same object."""

    __slots__ = (
        "__weakref__",
        "args",
        "depth",
        "has_any",
        "has_any_in_set",
        "is_closed",
        "is_ground",
        "kind",
        "label",
        "mentions_function",
        "values",
    )
    _interned: ClassVar[dict[Any, _TypeRef]] = {}
    # References to types that are gone, until the next type is made; see `ir._dead`.
    _dead: ClassVar[deque[Any]] = deque()
    _forget: ClassVar[Any] = _dead.append

    kind: str
    args: tuple[Type, ...]
    label: str
    values: range | None  # the stated range of a number, if any
    depth: int
    is_ground: bool  # whether it is one type of data: `fits` needs only identity
    is_closed: bool  # whether it is that or a union of such: fitting it binds no variables
    mentions_function: bool
    # Cached results of `mentions_any`, outside and inside of sets.
    has_any: bool | None
    has_any_in_set: bool | None

    def __new__(
        cls,
        kind: str,
        args: tuple[Type, ...] = (),
        label: str = "",
        values: range | None = None,
    ) -> Type:
        key = (kind, args, label, values)
        known = cls._interned.get(key)
        instance = None if known is None else known()
        if instance is None:
            if kind in ("tuple", "set", "product") and any(arg.depth >= _MAX_DEPTH for arg in args):
                return ANY
            instance = object.__new__(cls)
            instance.kind, instance.args, instance.label, instance.values = key
            instance.depth = 1 + max([arg.depth for arg in args], default=0)
            instance.is_ground = kind in _GROUND and all(arg.is_ground for arg in args)
            instance.is_closed = instance.is_ground or (
                kind in ("tuple", "set", "product", "union") and all(arg.is_closed for arg in args)
            )
            instance.mentions_function = kind == "function" or any(
                arg.mentions_function for arg in args
            )
            instance.has_any = instance.has_any_in_set = None
            cls._forget_dead()
            ref = _TypeRef(instance, cls._forget)
            ref.key = key
            cls._interned[key] = ref
        return instance

    @classmethod
    def _forget_dead(cls) -> None:
        while cls._dead:
            try:
                ref = cls._dead.popleft()
            except IndexError:  # another thread took the last one
                return
            key = ref.key
            if cls._interned.get(key) is ref:
                del cls._interned[key]

    def __reduce__(self) -> tuple[type[Type], tuple[Any, ...]]:
        return Type, (self.kind, self.args, self.label, self.values)

    def __str__(self) -> str:
        return format_type(self)

    def __repr__(self) -> str:
        return f"<type {self}>"


class _TypeRef(weakref.ref[Type]):
    """A weak reference that knows its key in the table."""

    __slots__ = ("key",)
    key: Any


ANY = Type("any")
INTEGER = Type("integer")
BOOLEAN = Type("boolean")
NONE = Type("none")


def tuple_of(member: Type) -> Type:
    return Type("tuple", (member,))


def set_of(member: Type) -> Type:
    return Type("set", (member,))


def product_of(first: Type, second: Type) -> Type:
    return Type("product", (first, second))


def union_of(*alternatives: Type) -> Type:
    return Type("union", alternatives)


PAIR = product_of(INTEGER, INTEGER)
CELL = product_of(INTEGER, PAIR)
GRID = tuple_of(tuple_of(INTEGER))
INDICES = set_of(PAIR)
OBJECT = set_of(CELL)
PATCH = union_of(INDICES, OBJECT, tuple_of(PAIR), tuple_of(CELL))
DEMOS = tuple_of(product_of(GRID, GRID))
PICTURE = product_of(PAIR, GRID)

# Roles of numbers: what a constant in such an argument means.
ROLES = ("Color", "Rank", "Count")
# Codes that several primitives share or mutation distinguishes. Others are `Code[first..last]`.
CODES = {
    "ObjectCode": range(8),
    "MirrorCode": range(8),
    "PatchMirrorCode": range(4),
    "SideCode": range(4),
    "CornerCode": range(4),
}
# Roles of pairs.
PAIR_ROLES = ("Direction", "Dims")

NAMED: dict[str, Type] = {
    "Any": ANY,
    "Integer": INTEGER,
    "Boolean": BOOLEAN,
    "None": NONE,
    "Pair": PAIR,
    "Cell": CELL,
    "Row": tuple_of(INTEGER),
    "Grid": GRID,
    "Indices": INDICES,
    "Object": OBJECT,
    "Objects": set_of(OBJECT),
    "Patch": PATCH,
    "Cells": union_of(OBJECT, tuple_of(CELL)),
    "Numerical": union_of(INTEGER, PAIR),
    "Element": union_of(GRID, OBJECT),
    "Demos": DEMOS,
    "Picture": PICTURE,
    "Pictures": set_of(PICTURE),
    **{role: Type("integer", label=role) for role in ROLES},
    **{role: Type("integer", label=role, values=codes) for role, codes in CODES.items()},
    **{role: Type("product", (INTEGER, INTEGER), label=role) for role in PAIR_ROLES},
}
_NAME_OF: dict[Type, str] = {named: name for name, named in NAMED.items()}


# Closures share captured parts, so written out they can be exponentially long.
_MAX_SHOWN_DEPTH = 5


def format_type(term: Type, depth: int = 0) -> str:
    if term in _NAME_OF:
        return _NAME_OF[term]
    if depth > _MAX_SHOWN_DEPTH:
        return "..."
    inner = [format_type(arg, depth + 1) for arg in term.args]
    match term.kind:
        case "tuple":
            return f"Tuple[{inner[0]}]"
        case "set":
            return f"Set[{inner[0]}]"
        case "product":
            return f"({inner[0]}, {inner[1]})"
        case "container":
            return f"{term.label}[{inner[0]}]"
        case "union" | "choice":
            return " | ".join(inner)
        case "function":
            return f"({', '.join(inner[:-1])} -> {inner[-1]})"
        case "closure":
            return f"function {term.label}" + (f"({', '.join(inner)})" if inner else "")
        case _:
            name = term.label or term.kind
            return name if term.values is None else f"{name}[{format_range(term.values)}]"


def format_range(values: range) -> str:
    """Return `first..last`, as signatures spell a range."""
    return f"{values[0]}..{values[-1]}"


# --- signatures -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload: parameter types and result type."""

    parameters: tuple[Type, ...]
    result: Type
    # Positions of parameters, functions last: the others bind the types that functions take.
    order: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = range(len(self.parameters))
        order = sorted(places, key=lambda place: self.parameters[place].mentions_function)
        object.__setattr__(self, "order", tuple(order))

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.parameters))} -> {self.result}"

    def accepts_suffix(self, suffix: str) -> bool:
        """Return whether a parameter has the type that a name's suffix stands for."""
        return any(_has_version(parameter, suffix) for parameter in self.parameters)


def _has_version(parameter: Type, suffix: str) -> bool:
    if parameter.kind == "union":
        return any(_has_version(alternative, suffix) for alternative in parameter.args)
    match suffix:
        case "t":
            return parameter.kind in ("tuple", "container")
        case "f":
            return parameter.kind in ("set", "container")
        case "i":
            return parameter is INDICES
        case _:
            return parameter is OBJECT


_TOKEN = re.compile(r"\s*(->|[A-Za-z]+|\d+|\.\.|[()\[\],|])")


@cache
def parse_signature(text: str) -> Signature:
    """Read `"(a -> b), C[a] -> C[b]"`."""
    tokens = [match.group(1) for match in _TOKEN.finditer(text)]
    if "".join(tokens) != re.sub(r"\s+", "", text):
        raise ValueError(f"signature {text!r}: unreadable text")
    reader = _Reader(text, tokens)
    parameters = [reader.term()]
    while reader.take(","):
        parameters.append(reader.term())
    reader.expect("->")
    result = reader.term()
    if reader.tokens:
        raise ValueError(f"signature {text!r}: {reader.tokens[0]!r} after the result")
    return Signature(tuple(parameters), result)


@cache
def parse_type(text: str) -> Type:
    """Read one type, such as `"Set[Object]"`."""
    return parse_signature(f"Any -> {text}").result


class _Reader:
    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text = text
        self.tokens = tokens

    def take(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise ValueError(f"signature {self.text!r}: expected {token!r} at {self.tokens[:1]}")

    def term(self) -> Type:
        terms = [self.single()]
        while self.take("|"):
            terms.append(self.single())
        return terms[0] if len(terms) == 1 else union_of(*terms)

    def single(self) -> Type:
        if self.take("("):
            parts = [self.term()]
            while self.take(","):
                parts.append(self.term())
            if self.take("->"):
                parts.append(self.term())
                self.expect(")")
                return Type("function", tuple(parts))
            self.expect(")")
            return product_of(*parts)
        if not self.tokens:
            raise ValueError(f"signature {self.text!r}: ends too soon")
        name = self.tokens.pop(0)
        if self.take("["):
            if name in ("Code", *ROLES):
                return Type("integer", label=name, values=self.stated_range())
            member = self.term()
            self.expect("]")
            if name in ("Tuple", "Set"):
                return Type(name.lower(), (member,))
            return Type("container", (member,), name)
        if name in NAMED:
            return NAMED[name]
        if len(name) == 1 and name.islower():
            return Type("variable", label=name)
        raise ValueError(f"signature {self.text!r}: unknown type {name!r}")

    def stated_range(self) -> range:
        """Read `first..last]`."""
        first = self.number()
        self.expect("..")
        values = range(first, self.number() + 1)
        self.expect("]")
        if not values:
            raise ValueError(f"signature {self.text!r}: a range without numbers")
        return values

    def number(self) -> int:
        if not self.tokens or not self.tokens[0].isdigit():
            raise ValueError(f"signature {self.text!r}: expected a number at {self.tokens[:1]}")
        return int(self.tokens.pop(0))


# --- matching -------------------------------------------------------------------------

# Bindings of variables: `a` to a type, a container variable to "tuple" or "set".
Bindings = dict[str, Type]
CallType = Callable[[Type, Sequence[Type]], Type | None]


def join(a: Type, b: Type) -> Type:
    """Return the most specific type that covers both."""
    if a is b:
        return a
    if a.kind == b.kind:
        if a.kind in ("integer", "boolean"):
            return Type(a.kind)
        if a.kind in ("tuple", "set", "product"):
            return Type(a.kind, tuple(map(join, a.args, b.args)))
        if a.kind in ("closure", "choice"):
            return _join_functions(a, b)
    kinds = {a.kind, b.kind}
    if kinds == {"integer", "boolean"}:
        return INTEGER
    if kinds == {"tuple", "product"}:
        return tuple_of(join(member_of(a), member_of(b)))
    if kinds == {"closure", "choice"}:
        return _join_functions(a, b)
    return ANY


def _join_functions(a: Type, b: Type) -> Type:
    alternatives = dict.fromkeys(
        alternative
        for function in (a, b)
        for alternative in (function.args if function.kind == "choice" else (function,))
    )
    return Type("choice", tuple(alternatives)) if len(alternatives) > 1 else a


def member_of(container: Type) -> Type:
    """Return the type of the members of a container."""
    return join(*container.args) if container.kind == "product" else container.args[0]


def is_function(term: Type) -> bool:
    return term.kind in ("closure", "choice", "any")


def mentions_any(term: Type, in_set: bool = False) -> bool:
    """Return whether the type of a value or of its members is partly unknown.

    A pair of unlike values, taken for a tuple, has members of unknown type, except as a cell in a
    set.
    """
    if in_set:
        if term.has_any_in_set is None:
            term.has_any_in_set = _finds_any(term, in_set)
        return term.has_any_in_set
    if term.has_any is None:
        term.has_any = _finds_any(term, in_set)
    return term.has_any


def _finds_any(term: Type, in_set: bool) -> bool:
    if term is ANY:
        return True
    if term.kind in ("closure", "choice"):
        return False
    if term.kind == "product" and not in_set and join(*term.args) is ANY:
        return True
    return any(mentions_any(arg, in_set or term.kind == "set") for arg in term.args)


def fits(
    pattern: Type, actual: Type, bindings: Bindings, call_type: CallType, strict: bool = False
) -> bool:
    """Return whether a value of type `actual` may be used where `pattern` is expected.

    Binds the pattern's variables. An unknown type fits anywhere, and a tuple may turn out
    to be a pair: inference warns only of what cannot work. With `strict` neither does.
    """
    if pattern is ANY or (pattern is actual and pattern.is_ground):
        return True
    if actual is ANY and pattern.kind != "variable":
        for name in _variables(pattern):
            bindings[name] = ANY
        return not strict
    match pattern.kind:
        case "integer" | "boolean":
            return actual.kind in ("integer", "boolean")
        case "variable":
            known = bindings.get(pattern.label)
            bindings[pattern.label] = actual if known is None else join(known, actual)
            return True
        case "tuple":
            return actual.kind in ("tuple", "product") and fits(
                pattern.args[0], member_of(actual), bindings, call_type, strict
            )
        case "set":
            return actual.kind == "set" and fits(
                pattern.args[0], actual.args[0], bindings, call_type, strict
            )
        case "product":
            if actual.kind == "product":
                first, second = actual.args
            elif actual.kind == "tuple" and not strict:
                first = second = actual.args[0]
            else:
                return False
            return fits(pattern.args[0], first, bindings, call_type, strict) and fits(
                pattern.args[1], second, bindings, call_type, strict
            )
        case "function":
            if not is_function(actual):
                return False
            result = call_type(actual, [substitute(p, bindings) for p in pattern.args[:-1]])
            return result is not None and fits(
                pattern.args[-1], result, bindings, call_type, strict
            )
        case "container":
            if actual.kind not in ("tuple", "set", "product"):
                return False
            kind = "set" if actual.kind == "set" else "tuple"
            bindings.setdefault(pattern.label, Type(kind, (ANY,)))
            return fits(pattern.args[0], member_of(actual), bindings, call_type, strict)
        case "union":
            for alternative in pattern.args:
                attempt = dict(bindings)
                if fits(alternative, actual, attempt, call_type, strict):
                    bindings.update(attempt)
                    return True
            return False
        case _:
            return pattern is actual


def _variables(pattern: Type) -> Iterator[str]:
    if pattern.kind == "variable":
        yield pattern.label
    elif pattern.kind != "function":
        for arg in pattern.args:
            yield from _variables(arg)


def substitute(pattern: Type, bindings: Mapping[str, Type]) -> Type:
    """Return a pattern with its variables replaced; unbound ones become unknown."""
    if pattern.is_ground:
        return pattern
    if pattern.kind == "variable":
        return bindings.get(pattern.label, ANY)
    if pattern.kind == "container":
        known = bindings.get(pattern.label)
        member = substitute(pattern.args[0], bindings)
        return ANY if known is None else Type(known.kind, (member,))
    if pattern.kind == "union":
        return ANY
    if not pattern.args or pattern.kind == "function":
        return pattern
    args = tuple(substitute(arg, bindings) for arg in pattern.args)
    return Type(pattern.kind, args, pattern.label)
