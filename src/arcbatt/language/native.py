"""Learners: primitives whose only implementation is native.

A learner searches for a rule in the demos. It is declared in `language/learners` and implemented in
C++ in `engine/native/learners`. The language does not import the engine: the engine registers the
native code here when it is loaded, and the first call of a learner loads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .budget import Budget, current_meter
from .failure import CallFailed, Reason
from .values import Value

# A failed learner says only why it failed; what its codes mean is in its documentation.
_DETAILS = {
    Reason.TYPE: "a grid is not a rectangle of colors 0 to 9, or is empty",
    Reason.EMPTY: "no rule fits the demos and applies to the grid",
    Reason.RANGE: "an argument is out of range",
    Reason.BUDGET: "over budget",
}


class NativeLearners(Protocol):
    """The engine's side of a learner call."""

    def run(
        self, name: str, args: Sequence[Value], budget: Budget, steps: int, n_bytes: int
    ) -> tuple[Reason | None, Value, int]:
        """Run a learner after `steps` and `n_bytes`; return why it failed, its value, its steps."""

    def find_rule(self, name: str, args: Sequence[Value]) -> Value:
        """Return the rule behind a call that succeeded, as a value that its words are made of."""


_native: NativeLearners | None = None


def register_native(native: NativeLearners) -> None:
    """Supply the native code of all learners; the engine calls this when it is loaded."""
    global _native
    _native = native


def _loaded() -> NativeLearners:
    if _native is None:
        import arcbatt

        arcbatt.load_engine()
    assert _native is not None
    return _native


def call_learner(name: str, args: Sequence[Value]) -> Value:
    """Run a learner on checked arguments; charge the running program's meter for its work."""
    meter = current_meter()
    reason, value, steps = _loaded().run(name, args, meter.budget, meter.steps, meter.bytes)
    meter.exceeded |= reason is Reason.BUDGET
    meter.charge(steps)
    if reason is not None:
        raise CallFailed(reason, f"{name}: {_DETAILS[reason]}")
    return value


def find_rule(name: str, args: Sequence[Value]) -> Value:
    """Return what a learner has learned from its arguments, as a value; see its native `rule`."""
    return _loaded().find_rule(name, args)
