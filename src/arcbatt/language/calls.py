"""Calls: primitives and function values applied to arguments, checked and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .budget import BYTES_PER_ELEMENT, current_meter
from .conversion import to_value
from .domains import check_argument
from .failure import CallFailed, Reason, out_of_range, wrong_type
from .registry import Primitive, applied_definition, get_primitive
from .types import format_range
from .values import Function, Value


def call_primitive(primitive: Primitive, args: Sequence[Value]) -> Value:
    """Run a definition on arguments: count, check domains, then codes, run, count the result."""
    meter = current_meter()
    weight = meter.weight
    read = sum([weight(arg) for i, arg in enumerate(args) if i not in primitive.peeks])
    meter.charge(1 + read)
    if len(args) != len(primitive.parameters):
        raise wrong_type(f"{primitive.usage} called with {len(args)} arguments")
    for domain, parameter, arg in zip(primitive.domains, primitive.parameters, args, strict=True):
        check_argument(domain, primitive.name, parameter, arg)
    for place, codes in primitive.codes:
        if args[place] not in codes:
            wanted = (
                f"{primitive.parameters[place]} is {args[place]}, expected {format_range(codes)}"
            )
            raise out_of_range(f"{primitive.name}: {wanted}")
    result: Value = primitive.define(*args)
    made = weight(result)
    meter.charge(made, BYTES_PER_ELEMENT * (1 + made))
    return result


def call(function: Value, *args: Value) -> Value:
    """Call a function value."""
    if not isinstance(function, Function):
        raise wrong_type("called a value that is not a function")
    primitive = get_primitive(function.name)
    if not function.args:
        return call_primitive(primitive, args)
    if len(args) != arity(function):
        raise wrong_type(f"{function.name}(...) called with {len(args)} arguments")
    definition = applied_definition(function.name)
    assert definition is not None, f"{function.name} captures arguments but cannot be called"
    return definition(*function.args, *args)


def call_given(function: Function, args: Sequence[object]) -> Value:
    """Call a function from Python code outside of the package, on convertible values.

    Raise RuntimeError if no program is running, since nothing would count the cost.
    """
    try:
        current_meter()
    except LookupError:
        raise RuntimeError(
            f"{function.name} is a function of the language: it can be called by the definition "
            f"of a primitive, while a program runs"
        ) from None
    given = [to_value(arg, f"argument {k} of {function.name}") for k, arg in enumerate(args, 1)]
    return call(function, *given)


def arity(function: Function) -> int:
    """Return how many arguments a function value takes."""
    if not function.args:
        return get_primitive(function.name).arity
    if function.name in ("rbind", "lbind"):
        inner = function.args[0]
        assert isinstance(inner, Function)
        return arity(inner) - 1
    return 1


def try_calls(calls: Iterable[tuple[Value, ...]]) -> list[Value | CallFailed]:
    """Make calls, each given as (function, arguments...), and return values and failures in order.

    All calls are made even after one failed, so that the total cost does not depend on the order.
    Only an exhausted budget ends it at once.
    """
    results: list[Value | CallFailed] = []
    for function, *args in calls:
        try:
            results.append(call(function, *args))
        except CallFailed as failed:
            if failed.failure.reason is Reason.BUDGET:
                raise
            results.append(failed)
    return results


def make_calls(calls: Iterable[tuple[Value, ...]]) -> list[Value]:
    """Make calls and return their values; raise the first failure in order, if any."""
    results: list[Value] = []
    first_failure: CallFailed | None = None
    for result in try_calls(calls):
        if isinstance(result, CallFailed):
            first_failure = first_failure or result
        else:
            results.append(result)
    if first_failure is not None:
        raise first_failure
    return results


def map_over(function: Value, members: Iterable[Value]) -> list[Value]:
    """Call a function on every one of the members."""
    return make_calls((function, member) for member in members)
