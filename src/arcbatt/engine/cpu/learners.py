"""The native learners, registered with the language."""

from __future__ import annotations

from collections.abc import Sequence

from arcbatt.engine import _engine
from arcbatt.engine.cpu.calls import from_engine, to_engine
from arcbatt.engine.table import primitive_numbers
from arcbatt.language import Budget, Reason, Value
from arcbatt.language.native import register_native


class _Learners:
    def run(
        self, name: str, args: Sequence[Value], budget: Budget, steps: int, n_bytes: int
    ) -> tuple[Reason | None, Value, int]:
        reason, value, n_steps = _engine.run_primitive(
            primitive_numbers()[name],
            tuple(map(to_engine, args)),
            budget.steps,
            budget.bytes,
            steps,
            n_bytes,
        )
        return (Reason(reason), None, n_steps) if reason else (None, from_engine(value), n_steps)

    def find_rule(self, name: str, args: Sequence[Value]) -> Value:
        rule = _engine.find_rule(primitive_numbers()[name], tuple(map(to_engine, args)))
        return from_engine(rule)


register_native(_Learners())
