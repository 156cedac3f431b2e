"""Single calls of primitives on the CPU, for conformance and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcbatt.engine import _engine
from arcbatt.engine.table import primitive_numbers
from arcbatt.language import Budget, Failure, Function, Reason, Value, find_primitive, to_value

_NUMBERS = primitive_numbers()
_NAMES = list(_NUMBERS)


@dataclass(frozen=True, slots=True)
class NumberedFunction:
    """A function value with its primitive by number, as the engine takes and returns it."""

    primitive: int
    args: tuple[object, ...]


_engine.set_function_class(NumberedFunction)


def to_engine(value: Value) -> object:
    """Return a value with the primitives of its functions by number."""
    if isinstance(value, Function):
        return NumberedFunction(_NUMBERS[value.name], tuple(map(to_engine, value.args)))
    if isinstance(value, tuple):
        return tuple(map(to_engine, value))
    if isinstance(value, frozenset):
        return frozenset(map(to_engine, value))
    return value


def from_engine(value: object) -> Value:
    """Return a value with the primitives of its functions by name."""
    if isinstance(value, NumberedFunction):
        return Function(_NAMES[value.primitive], tuple(map(from_engine, value.args)))
    if isinstance(value, tuple):
        return tuple(map(from_engine, value))
    if isinstance(value, frozenset):
        return frozenset(map(from_engine, value))
    assert value is None or isinstance(value, int)
    return value


@dataclass(frozen=True, slots=True)
class CallResult:
    """The outcome of one call, its cost and content hash."""

    outcome: Value | Failure
    steps: int
    bytes: int
    hash: int


def run_call(name: str, args: Sequence[object], budget: Budget | None = None) -> CallResult:
    """Call one primitive on the CPU; raise the `ValueError` of `to_value` for other arguments."""
    primitive = find_primitive(name)
    if primitive is None:
        raise KeyError(f"no primitive is named {name!r}")
    if primitive.is_user_defined:
        raise ValueError(f"{name} is a user-defined primitive, which the engine does not have")
    budget = budget or Budget()
    values = [to_value(arg, f"{name}: argument {k}") for k, arg in enumerate(args, 1)]
    reason, value, steps, n_bytes, content_hash = _engine.call(
        _NUMBERS[primitive.name], tuple(map(to_engine, values)), budget.steps, budget.bytes
    )
    outcome = Failure(Reason(reason)) if reason else from_engine(value)
    return CallResult(outcome, steps, n_bytes, content_hash)


def evaluate_call(name: str, args: Sequence[object]) -> Value | Failure:
    """Return the outcome of one call."""
    return run_call(name, args).outcome


def evaluate_data(name: str, args: Sequence[Value]) -> Value | Failure:
    """Return the outcome of one call on valid values without functions.

    Neither arguments nor result are checked or converted, which makes many calls on grids fast.
    """
    budget = Budget()
    reason, value, *_ = _engine.call(_NUMBERS[name], tuple(args), budget.steps, budget.bytes)
    return Failure(Reason(reason)) if reason else value
