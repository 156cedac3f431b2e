"""Single calls on the CPU engine, for conformance and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcbatt.language import Budget, Failure, Function, Reason, Value, find_primitive, to_value

from . import _engine
from .table import primitive_numbers

_NUMBERS = primitive_numbers()
_NAMES = list(_NUMBERS)


@dataclass(frozen=True, slots=True)
class NumberedFunction:
    """A function value as the engine passes it: its primitive by number."""

    primitive: int
    args: tuple[object, ...]


_engine.set_function_class(NumberedFunction)


def to_engine(value: Value) -> object:
    """The value with its functions numbered."""
    if isinstance(value, Function):
        return NumberedFunction(_NUMBERS[value.name], tuple(map(to_engine, value.args)))
    if isinstance(value, tuple):
        return tuple(map(to_engine, value))
    if isinstance(value, frozenset):
        return frozenset(map(to_engine, value))
    return value


def from_engine(value: object) -> Value:
    """The value with its functions named."""
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
    """What one call gives, costs, and hashes to."""

    outcome: Value | Failure
    steps: int
    bytes: int
    hash: int


def run_call(name: str, args: Sequence[object], budget: Budget | None = None) -> CallResult:
    """Run one primitive on given values, on the CPU engine.

    What `to_value` cannot take for a value is refused with its `ValueError`.
    """
    primitive = find_primitive(name)
    if primitive is None:
        raise KeyError(f"no primitive is named {name!r}")
    if primitive.is_own:
        raise ValueError(f"{name} is an own primitive, which the engine does not have")
    budget = budget or Budget()
    values = [to_value(arg, f"{name}: argument {k}") for k, arg in enumerate(args, 1)]
    reason, value, steps, n_bytes, content_hash = _engine.call(
        _NUMBERS[primitive.name], tuple(map(to_engine, values)), budget.steps, budget.bytes
    )
    outcome = Failure(Reason(reason)) if reason else from_engine(value)
    return CallResult(outcome, steps, n_bytes, content_hash)


def evaluate_call(name: str, args: Sequence[object]) -> Value | Failure:
    """Return what one primitive gives on given values."""
    return run_call(name, args).outcome


def evaluate_data(name: str, args: Sequence[Value]) -> Value | Failure:
    """Return what one primitive gives on values without functions that are known to be values.

    Neither they nor what comes of them is looked through: for grids of tasks, many times over.
    """
    budget = Budget()
    reason, value, *_ = _engine.call(_NUMBERS[name], tuple(args), budget.steps, budget.bytes)
    return Failure(Reason(reason)) if reason else value
