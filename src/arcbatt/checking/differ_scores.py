"""The outcomes of all bundled differs for a program's outputs on the demos of a task.

This uses the reference interpreter and includes the elements at fault; the search computes only
the scores, in its batts (`arcbatt.evaluation.differs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arcbatt.evaluation import SEARCH_BUDGET, bundled_differs
from arcbatt.language import Failure, Program, Value, interpret
from arcbatt.language.interpreter import Outcome
from arcbatt.measure import phase
from arcbatt.tasks import Pair, Task


@dataclass(frozen=True, slots=True)
class ScoredDemo:
    """A program's output on a demo, and each differ's outcome for it, by the differ's name."""

    demo: Pair
    output: Outcome
    outcomes: Mapping[str, Outcome]

    @property
    def is_right(self) -> bool:
        return self.output == self.demo.output

    @property
    def scores(self) -> dict[str, int]:
        return {name: score_of(outcome) for name, outcome in self.outcomes.items()}


def score_of(outcome: Outcome) -> int:
    """Return the score in a differ's outcome, 0 for a failure."""
    if isinstance(outcome, Failure):
        return 0
    assert isinstance(outcome, tuple) and isinstance(outcome[0], int)  # a bundled differ's pair
    return outcome[0]


@phase("run")
def score_demos(program: Program, task: Task) -> list[ScoredDemo]:
    """Return each demo with the differs' outcomes for the program's output.

    Everything runs within the search's budget, so the scores are those that the search sees.
    """
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    scored = []
    for demo in task.demos:
        inputs: dict[str, Value] = {"I": demo.input, "S": pairs}
        output = interpret(program, inputs, SEARCH_BUDGET).outcome
        outcomes: dict[str, Outcome] = {}
        for differ in bundled_differs():
            if isinstance(output, Failure):
                outcomes[differ.name] = output
            else:
                given = inputs | {"output": output, "target": demo.output}
                outcomes[differ.name] = interpret(differ.program, given, SEARCH_BUDGET).outcome
        scored.append(ScoredDemo(demo, output, outcomes))
    return scored


def credit_of(demos: Sequence[ScoredDemo]) -> int:
    """Return the partial credit of a program on the task with these demos."""
    weights = {differ.name: differ.weight for differ in bundled_differs()}
    total = sum(weights[name] * score for demo in demos for name, score in demo.scores.items())
    return total // (len(demos) * sum(weights.values()))
