"""The reference interpreter: runs programs by the definitions themselves.

Every engine is compared with it. Evaluation never raises because of the program or a value: a
result that cannot be computed is a `Failure`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from arcbatt.display import Displayed

from .budget import Budget, Meter, metered, to_budget
from .calls import call, call_primitive
from .conversion import to_value
from .failure import CallFailed, Failure, Reason
from .ir import Node, Program
from .parse import ParsedProgram, to_program
from .registry import find_primitive, get_primitive
from .values import Function, Value

Outcome: TypeAlias = "Value | Failure"


@dataclass(frozen=True, slots=True)
class Result(Displayed):
    """The result of a program on one sample.

    `outcome` is the value or the failure, `steps` and `bytes` its cost (an engine does not report
    `bytes`); `failed_at` is the node whose own call failed; `trace` has the outcome of every node
    and `node_steps` the cost of its own call, in evaluation order, if they were requested.
    """

    outcome: Outcome
    steps: int
    bytes: int | None = None
    failed_at: Node | None = None
    trace: Mapping[Node, Outcome] = field(default_factory=dict, repr=False)
    node_steps: Mapping[Node, int] = field(default_factory=dict, repr=False)

    @property
    def failed(self) -> bool:
        """Whether there is a failure instead of a value."""
        return isinstance(self.outcome, Failure)


def interpret(
    program: Program | ParsedProgram,
    inputs: object,
    budget: Budget | None = None,
    *,
    keep_trace: bool = False,
) -> Result:
    """Evaluate a program by the definitions, every shared node once; `run` is far faster.

    `inputs` is the grid `I`, or the values of the program's inputs by name: `I`, and `S` if the
    program uses it. Unlike `run`, which takes only grids, it takes any value of the language, such
    as rows of unequal length. Raises ValueError for anything else, and nothing after that.
    """
    program = to_program(program)
    values = to_inputs(inputs)
    budget = to_budget(budget)
    meter = Meter(budget)
    outcomes: dict[Node, Outcome] = {}
    origins: dict[Node, Node] = {}  # by failed node, the node whose own call failed
    node_steps: dict[Node, int] = {}
    with metered(meter):
        for node in program.nodes():
            if node.kind == "input" and node.head not in values:
                raise missing_input(node.name)
            failed_args = [arg for arg in node.args if isinstance(outcomes[arg], Failure)]
            if failed_args:
                outcomes[node] = outcomes[failed_args[0]]
                origins[node] = origins[failed_args[0]]
                continue
            steps_before = meter.steps
            try:
                outcomes[node] = _evaluate(node, values, [outcomes[arg] for arg in node.args])  # type: ignore[misc]
            except CallFailed as failed:
                outcomes[node] = failed.failure
                origins[node] = node
            node_steps[node] = meter.steps - steps_before
            if meter.exceeded:
                break
    if meter.exceeded:
        over = next(node for node in origins.values() if _is_over_budget(outcomes[node]))
        return Result(
            outcome=outcomes[over],
            steps=budget.steps + 1,
            bytes=budget.bytes + 1,
            failed_at=over,
            trace=outcomes if keep_trace else {},
            node_steps=node_steps if keep_trace else {},
        )
    return Result(
        outcome=outcomes[program.result],
        steps=meter.steps,
        bytes=meter.bytes,
        failed_at=origins.get(program.result),
        trace=outcomes if keep_trace else {},
        node_steps=node_steps if keep_trace else {},
    )


def to_inputs(inputs: object) -> dict[str, Value]:
    """Return the values of a program's inputs by name, as `interpret` takes them."""
    given = inputs if isinstance(inputs, Mapping) else {"I": inputs}
    return {name: to_value(value, f"input {name}") for name, value in given.items()}


def missing_input(name: str) -> ValueError:
    """Return the error that an input was not given which a program asks for."""
    return ValueError(
        f"the program asks for input {name}, which was not given; "
        f'inputs are given by name: {{"I": grid, "S": ((input, output), ...)}}'
    )


def _is_over_budget(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and outcome.reason is Reason.BUDGET


def _evaluate(node: Node, inputs: Mapping[str, Value], args: Sequence[Value]) -> Value:
    match node.kind:
        case "call":
            return call_primitive(get_primitive(node.name), args)
        case "invoke":
            return call(*args)
        case "input":
            return inputs[node.name]
        case "primitive":
            return Function(node.name)
        case _:
            return node.value


def evaluate_call(name: str, args: Sequence[Value], budget: Budget | None = None) -> Outcome:
    """Call one primitive on values; return its value or failure."""
    primitive = find_primitive(name)
    if primitive is None:
        raise KeyError(f"no primitive is named {name!r}")
    with metered(Meter(budget or Budget())):
        try:
            return call_primitive(primitive, args)
        except CallFailed as failed:
            return failed.failure
