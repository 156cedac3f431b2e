"""Engines that recorded calls can be replayed on: calls in, each with its outcome out.

`reference` and `cpu` make one call after the other. `batt` and `cuda` make a program of each call,
fuse them all and run them on one sample, which is how programs are run for real; of a value
they give the content hash.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import TypeAlias

from arcbatt.engine import cpu
from arcbatt.engine.batt import Batt
from arcbatt.engine.health import look_for_gpus
from arcbatt.engine.samples import Samples
from arcbatt.language import Failure, Function, Node, Program, Reason, Value, evaluate_call, ir
from arcbatt.language.failure import CallFailed
from arcbatt.language.registry import get_primitive
from arcbatt.language.values import is_data, ordered, weigh

from .recorded import CallOutcome, Hashed, RecordedCall

Engine: TypeAlias = Callable[[Iterable[RecordedCall]], Iterator[tuple[RecordedCall, CallOutcome]]]


class EngineUnavailable(RuntimeError):
    """An engine that was asked for by name and cannot be had here."""


def on_reference(calls: Iterable[RecordedCall]) -> Iterator[tuple[RecordedCall, CallOutcome]]:
    """One call after the other, by the definitions."""
    for call in calls:
        yield call, evaluate_call(call.name, call.args)


def on_cpu(calls: Iterable[RecordedCall]) -> Iterator[tuple[RecordedCall, CallOutcome]]:
    """One call after the other, in the engine."""
    for call in calls:
        yield call, _beyond_limits(call) or cpu.evaluate_call(call.name, call.args)


def fused(device: str) -> Engine:
    """All calls in one batt, on "cpu", "cuda" or "cuda:1".

    The engine raises `EngineUnavailable` rather than let the CPU do a GPU's work.
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
    found = look_for_gpus()
    if not found.gpus:
        raise EngineUnavailable(f"no GPU for engine {device}: {found.trouble}")
    number = device.partition(":")[2] or "0"
    if number not in {str(gpu.number) for gpu in found.gpus}:
        raise EngineUnavailable(f"no GPU has the number {number}; there are {len(found.gpus)}")


def _beyond_limits(call: RecordedCall) -> Failure | None:
    """The failure of a call whose arguments are beyond the limits of values; none if they fit."""
    if not call.args:
        return Failure(Reason.TYPE, f"{call.name} called without arguments")
    try:
        for arg in call.args:
            weigh(arg, sys.maxsize)
    except CallFailed as failed:
        return failed.failure
    return None


def _run_fused(calls: Sequence[RecordedCall], device: str) -> list[CallOutcome]:
    """The outcomes of the calls, in halves where a GPU's lane cannot hold all their values."""
    if not calls:
        return []
    batt = Batt([Program(_call_node(call)) for call in calls])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = batt.run(Samples([((0,),)]), device=device)
    # What a GPU leaves out, the CPU runs; anything else it should have run itself.
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
    # No program text can say this; a function value may well be called so.
    function = ir.call_node("identity", ir.primitive_node(primitive.name))
    return ir.invoke_node(function, *args)


def _value_node(value: Value) -> Node:
    """A node that gives the value; functions, which no constant holds, are made."""
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
