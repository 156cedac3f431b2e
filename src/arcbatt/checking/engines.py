"""The engines on which recorded calls can be replayed.

`reference` and `cpu` make the calls one by one. `batt` and `cuda` turn each call into a
program, fuse all of them and run them on one sample, as the search does; they return content
hashes instead of values.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from arcbatt.engine.batt import Batt
from arcbatt.engine.cpu import calls as cpu
from arcbatt.engine.gpu.health import look_for_gpus
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Failure, Function, Node, Program, Reason, Value, evaluate_call, ir
from arcbatt.language.failure import CallFailed
from arcbatt.language.registry import get_primitive
from arcbatt.language.values import is_data, ordered, weigh

from .recorded_calls import CallOutcome, Engine, Hashed, RecordedCall


class EngineUnavailable(RuntimeError):
    """A requested engine is not available on this machine."""


def on_reference(calls: Iterable[RecordedCall]) -> Iterator[tuple[RecordedCall, CallOutcome]]:
    """Evaluate calls one by one with the reference definitions."""
    for call in calls:
        yield call, evaluate_call(call.name, call.args)


def on_cpu(calls: Iterable[RecordedCall]) -> Iterator[tuple[RecordedCall, CallOutcome]]:
    """Evaluate calls one by one in the engine."""
    for call in calls:
        yield call, _beyond_limits(call) or cpu.evaluate_call(call.name, call.args)


def fused(device: str) -> Engine:
    """Return an engine that runs all calls in one batt on "cpu", "cuda" or "cuda:1".

    It raises `EngineUnavailable` instead of falling back to the CPU.
    """

    def run(calls: Iterable[RecordedCall]) -> Iterator[tuple[RecordedCall, CallOutcome]]:
        if device != "cpu":
            _require_gpu(device)
        runnable = []
        for call in calls:
            refused = _beyond_limits(call)
            if refused is None:
                runnable.append(call)
            else:
                yield call, refused
        yield from zip(runnable, _run_fused(runnable, device), strict=True)

    return run


ENGINES: dict[str, Engine] = {
    "reference": on_reference,
    "cpu": on_cpu,
    "batt": fused("cpu"),
    "cuda": fused("cuda"),
}


def _require_gpu(device: str) -> None:
    search = look_for_gpus()
    if not search.gpus:
        raise EngineUnavailable(f"no GPU for engine {device}: {search.trouble}")
    number = device.partition(":")[2] or "0"
    if number not in {str(gpu.number) for gpu in search.gpus}:
        raise EngineUnavailable(f"no GPU has the number {number}; there are {len(search.gpus)}")


def _beyond_limits(call: RecordedCall) -> Failure | None:
    """Return the failure of a call whose arguments exceed the limits of values; None otherwise."""
    if not call.args:
        return Failure(Reason.TYPE, f"{call.name} called without arguments")
    try:
        for arg in call.args:
            weigh(arg, sys.maxsize)
    except CallFailed as failed:
        return failed.failure
    return None


def _run_fused(calls: Sequence[RecordedCall], device: str) -> list[CallOutcome]:
    """Return the outcomes of calls; split them if a GPU's lane cannot hold all values."""
    if not calls:
        return []
    batt = Batt([Program(_call_node(call)) for call in calls])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = batt.run(Samples([((0,),)]), device=device)
    # The CPU runs only the programs that a GPU's plan leaves out.
    n_left_out = 0 if device == "cpu" else len(calls) - batt.plan.programs.size
    if device != "cpu" and result.ran_on.get("cpu", 0) != n_left_out:
        if caught:
            raise EngineUnavailable(f"engine {device}: {caught[0].message}")
        if len(calls) == 1:
            raise EngineUnavailable(
                f"engine {device}: line {calls[0].line}: "
                f"the values of {calls[0].name} do not fit a lane's memory"
            )
        middle = len(calls) // 2
        return _run_fused(calls[:middle], device) + _run_fused(calls[middle:], device)
    return [
        Failure(Reason(reason)) if reason else Hashed(content_hash)
        for reason, content_hash in zip(
            result.reasons[:, 0].tolist(), result.hashes[:, 0].tolist(), strict=True
        )
    ]


def _call_node(call: RecordedCall) -> Node:
    primitive = get_primitive(call.name)
    args = [_value_node(arg) for arg in call.args]
    if len(args) == primitive.arity:
        return ir.call_node(primitive, *args)
    # Program text cannot express a wrong number of arguments, but a function value can get one.
    function = ir.call_node("identity", ir.primitive_node(primitive.name))
    return ir.invoke_node(function, *args)


def _value_node(value: Value) -> Node:
    """Return a node with this value; functions, which constants cannot hold, are built by calls."""
    if is_data(value):
        return ir.constant(value)
    if isinstance(value, Function):
        args = map(_value_node, value.args)
        return ir.call_node(value.name, *args) if value.args else ir.primitive_node(value.name)
    assert isinstance(value, tuple | frozenset)
    members = [ir.call_node("initset", _value_node(member)) for member in ordered(value)]
    if isinstance(value, tuple):
        members = [ir.call_node("totuple", member) for member in members]
    return reduce(lambda all_before, member: ir.call_node("combine", all_before, member), members)
