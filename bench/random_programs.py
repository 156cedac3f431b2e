"""Generate random programs by the types of primitives, for property tests and benchmarks.

The same seed gives the same program on every machine. A well-typed program is one that
inference has no warning for; it may still fail when it is run.
"""

from __future__ import annotations

import random
from functools import lru_cache

from arcbatt.language import ir
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.infer import (
    INPUT_TYPES,
    closure,
    fits_type,
    fitting_primitives,
    infer_call,
    type_of_value,
)
from arcbatt.language.infer import infer_invocation as call_type
from arcbatt.language.ir import Node, Program
from arcbatt.language.registry import (
    Primitive,
    all_primitives,
    applied_definition,
    get_primitive,
    of_registry,
)
from arcbatt.language.types import ANY, GRID, Bindings, Type, fits, substitute

# First lines, which provide sets of objects and locations.
_OPENINGS = ("objects", "o_g", "partition", "fgpartition", "asindices", "ofcolor", "asobject")
_MAX_FUNCTION_DEPTH = 3
_TRIES = 40

Typed = tuple[Node, Type]


def random_program(
    seed: int, n_calls: int = 8, *, well_typed: bool = True, result: Type | None = GRID
) -> Program:
    """Return a random program of about `n_calls` lines, of the given result type if possible.

    With `well_typed` false every other argument is taken without regard to types.
    """
    return _Generator(random.Random(seed), well_typed).make(n_calls, result, f"random_{seed}")


def _makes_functions(primitive: Primitive) -> bool:
    """Return whether it makes functions: those are used as arguments, not on lines of their own."""
    return applied_definition(primitive.name) is not None


@of_registry
@lru_cache(maxsize=4096)
def _fitting(args: tuple[Type, ...]) -> tuple[tuple[Primitive, Type], ...]:
    return tuple(
        (primitive, given)
        for primitive, given in fitting_primitives(args)
        if not _makes_functions(primitive)
    )


class _Generator:
    def __init__(self, rng: random.Random, well_typed: bool) -> None:
        self.rng = rng
        self.well_typed = well_typed
        self.values: list[Typed] = [
            (ir.input_node(name), INPUT_TYPES[name]) for name in ("I", "S", "I")
        ]
        self.constants: list[Typed] = [
            (ir.constant(value), type_of_value(value)) for value in CONSTANTS.values()
        ]
        self.primitives = [
            primitive for primitive in all_primitives().values() if not _makes_functions(primitive)
        ]
        self.openings = [get_primitive(name) for name in _OPENINGS]

    def make(self, n_calls: int, result: Type | None, name: str) -> Program:
        n_made = 0
        for _ in range(_TRIES * n_calls):
            if n_made == n_calls:
                break
            openings = self.openings if n_made < 2 and self.rng.random() < 0.5 else self.primitives
            made = self.make_call(self.rng.choice(openings))
            if made is not None:
                self.values.append(made)
                n_made += 1
        fitting = [node for node, term in self.values if result is None or fits_type(result, term)]
        # The node that depends on most lines, so that few lines are unused.
        candidates = fitting or [node for node, _ in self.values]
        return max((Program(node, name) for node in candidates), key=lambda p: p.n_calls)

    def make_call(self, primitive: Primitive) -> Typed | None:
        signature = self.rng.choice(primitive.signatures)
        bindings: Bindings = {}
        args: dict[int, Typed] = {}
        for i in signature.order:
            chosen = self.choose_argument(signature.parameters[i], bindings)
            if chosen is None:
                return None
            args[i] = chosen
        nodes, types = zip(*(args[i] for i in range(primitive.arity)), strict=True)
        made = infer_call(primitive, types)
        if made is None and self.well_typed:
            return None
        return ir.call_node(primitive.name, *nodes), made or ANY

    def choose_argument(self, wanted: Type, bindings: Bindings) -> Typed | None:
        if not self.well_typed and self.rng.random() < 0.5:
            return self.rng.choice(self.values if self.rng.random() < 0.7 else self.constants)
        if wanted.kind == "function":
            return self.choose_function(wanted, bindings)
        for _ in range(_TRIES):
            candidate = self.any_value()
            attempt = dict(bindings)
            if fits(wanted, candidate[1], attempt, call_type, strict=True):
                bindings.update(attempt)
                return candidate
        return None

    def any_value(self) -> Typed:
        """Return a constant or, more often, a node, preferring recent ones."""
        if self.rng.random() < 0.35:
            return self.rng.choice(self.constants)
        recent = int(len(self.values) * self.rng.random() ** 3)
        return self.values[-1 - recent]

    def choose_function(self, wanted: Type, bindings: Bindings) -> Typed | None:
        args = tuple(substitute(parameter, bindings) for parameter in wanted.args[:-1])
        for _ in range(_TRIES):
            made = self.make_function(args, _MAX_FUNCTION_DEPTH)
            if made is None:
                continue
            node, function, result = made
            attempt = dict(bindings)
            if fits(wanted.args[-1], result, attempt, call_type):
                bindings.update(attempt)
                return node, function
        return None

    def make_function(self, args: tuple[Type, ...], depth: int) -> tuple[Node, Type, Type] | None:
        """Return a function that takes such arguments: its node, its type, its result type."""
        kind = self.rng.choice(
            ("bare", "rbind", "lbind", "compose", "chain", "fork", "matcher", "power")
        )
        if depth == 0 or len(args) != 1:
            kind = "bare" if self.rng.random() < 0.6 or depth == 0 else "rbind"
        match kind:
            case "rbind" | "lbind":
                fixed, fixed_type = self.any_value()
                all_args = (*args, fixed_type) if kind == "rbind" else (fixed_type, *args)
                inner = self.bare_function(all_args)
                parts = None if inner is None else [inner[:2], (fixed, fixed_type)]
            case "compose":
                inner = self.make_function(args, depth - 1)
                outer = inner and self.make_function((inner[2],), depth - 1)
                parts = [outer[:2], inner[:2]] if inner and outer else None
            case "chain":
                inner = self.make_function(args, depth - 1)
                middle = inner and self.make_function((inner[2],), depth - 1)
                outer = middle and self.make_function((middle[2],), depth - 1)
                parts = [outer[:2], middle[:2], inner[:2]] if inner and middle and outer else None
            case "fork":
                a, b = (self.make_function(args, depth - 1) for _ in range(2))
                joined = self.bare_function((a[2], b[2])) if a and b else None
                parts = [joined[:2], a[:2], b[:2]] if a and b and joined else None
            case "matcher":
                inner = self.make_function(args, depth - 1)
                parts = None if inner is None else [inner[:2], self.rng.choice(self.constants)]
            case "power":
                inner = self.make_function(args, depth - 1)
                times = ir.constant(self.rng.randint(1, 3))
                parts = None if inner is None else [inner[:2], (times, type_of_value(2))]
            case _:
                return self.bare_function(args)
        if parts is None:
            return None
        made = infer_call(get_primitive(kind), [term for _, term in parts])
        result = None if made is None else call_type(made, args)
        if made is None or result is None:
            return None
        return ir.call_node(kind, *(node for node, _ in parts)), made, result

    def bare_function(self, args: tuple[Type, ...]) -> tuple[Node, Type, Type] | None:
        fitting = _fitting(args)
        if not fitting:
            return None
        primitive, result = self.rng.choice(fitting)
        return ir.primitive_node(primitive.name), closure(primitive.name), result
