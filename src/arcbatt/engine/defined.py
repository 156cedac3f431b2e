"""Programs that call own primitives, which no engine has: run by the definitions, on one thread.

What comes of it is what the engine would give: value, failure, cost and hash have one meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget, Failure, Program, Value, interpret
from arcbatt.language.registry import own_primitives
from arcbatt.language.values import content_hash

from . import _engine
from .samples import Samples

# Where such results come from, beside the names of devices.
DEFINITIONS = "definitions"


class DefinedResult(NamedTuple):
    """What a program gives on one sample, by the names of the engine's arrays; and the value."""

    reasons: int
    matches: bool
    hashes: int
    steps: int
    numbers: int
    value: Value


def find_defined(programs: Sequence[Program]) -> NDArray[np.bool_]:
    """Return which of the programs call an own primitive."""
    own = own_primitives()
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
