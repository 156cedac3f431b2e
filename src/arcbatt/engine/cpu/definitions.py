"""Run programs that call user-defined primitives, by the Python definitions, on one thread.

Values, failures, costs and hashes mean the same as those of the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget, Failure, Program, Value, interpret
from arcbatt.language.registry import user_primitives
from arcbatt.language.values import content_hash

# The name of definitions where results are counted per device.
DEFINITIONS = "definitions"


class DefinedResult(NamedTuple):
    """The result of a program on one sample, with the fields of `RunArrays` and the value."""

    reasons: int
    matches: bool
    hashes: int
    steps: int
    numbers: int
    value: Value


def find_defined(programs: Sequence[Program]) -> NDArray[np.bool_]:
    """Return for each program whether it calls a user-defined primitive."""
    own = user_primitives()
    if not own:
        return np.zeros(len(programs), np.bool_)
    return np.array([_calls_any(program, own) for program in programs], np.bool_)


def _calls_any(program: Program, names: Iterable[str]) -> bool:
    wanted = frozenset(names)
    return any(
        node.kind in ("call", "primitive") and node.head in wanted for node in program.nodes()
    )


def run_defined(program: Program, samples: Samples, sample: int, budget: Budget) -> DefinedResult:
    """Run a program on one sample by the definitions."""
    inputs = samples.inputs_of(sample)
    result = interpret(program, inputs, budget)
    if isinstance(result.outcome, Failure):
        reason = int(result.outcome.reason)
        return DefinedResult(reason, False, 0, result.steps, _engine.NO_NUMBER, None)
    value = result.outcome
    first = value[0] if isinstance(value, tuple) and value else value
    return DefinedResult(
        0,
        inputs["target"] is not None and value == inputs["target"],
        content_hash(value),
        result.steps,
        int(first) if isinstance(first, int) else _engine.NO_NUMBER,
        value,
    )
