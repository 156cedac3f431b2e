"""A program and a task in, what every bundled differ says of its outputs on the demos out.

For people who want to see it: by the reference interpreter, elements included. The search has
the scores alone from the batt (`differs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arcbatt.language import Failure, Program, Value, interpret
from arcbatt.language.budget import SEARCH_BUDGET
from arcbatt.language.interpreter import Outcome
from arcbatt.measure import phase
from arcbatt.tasks import Pair, Task

from .differs import bundled_differs


@dataclass(frozen=True, slots=True)
class JudgedDemo:
    """A program's output on a demo, and what each differ, by its name, gave for it."""

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
    """Return the score of what a differ gave; a failure counts 0."""
    if isinstance(outcome, Failure):
        return 0
    assert isinstance(outcome, tuple) and isinstance(outcome[0], int)  # a bundled differ's pair
    return outcome[0]


@phase("run")
def judge(program: Program, task: Task) -> list[JudgedDemo]:
    """Return each demo with what the differs give for the program's output.

    All run within the budget of the search, so that what is shown is what the search sees.
    """
    pairs = tuple((demo.input, demo.output) for demo in task.demos)
    judged = []
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
        judged.append(JudgedDemo(demo, output, outcomes))
    return judged


def credit_of(judged: Sequence[JudgedDemo]) -> int:
    """Return the partial credit of a program on the one task whose demos these are."""
    weights = {differ.name: differ.weight for differ in bundled_differs()}
    total = sum(weights[name] * score for demo in judged for name, score in demo.scores.items())
    return total // (len(judged) * sum(weights.values()))
