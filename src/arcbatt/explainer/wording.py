"""What terminal and page say alike: a verdict, a missing value, a cost in; a few words out."""

from __future__ import annotations

from collections.abc import Sequence

from arcbatt.drawing import Kind, describe
from arcbatt.grid_diff import say_difference
from arcbatt.language import Failure

from .trace import PairTrace, Step

VERDICT_MARKS = {"right": "✓", "wrong": "✗", "failed": "!", "unjudged": "?"}


def verdict_words(pair: PairTrace) -> str:
    """Return the verdict on a pair as words after its label."""
    match pair.verdict:
        case "right":
            return "is right"
        case "failed":
            return f"failed: {pair.outcome}"
        case "unjudged":
            return "has no known answer"
    if pair.wanted is None or isinstance(pair.outcome, Failure):
        return "is wrong"
    return f"is wrong: {say_difference(pair.wanted, pair.outcome)}"


def why_no_value(step: Step) -> str:
    """Return why a line that did not itself fail gave nothing."""
    return f"needs {step.needs}, which failed" if step.needs else "not reached within the budget"


def say_steps(costs: Sequence[int]) -> str:
    """Return "1 step", "1,561 steps" or "575 to 6,133 steps"."""
    low, high = min(costs), max(costs)
    steps = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{steps} step{'s' * (high != 1)}"


def is_told_by_words(step: Step) -> bool:
    """Whether a value is a rule as numbers, which its words tell better than a drawing."""
    return bool(step.words) and describe(step.outcome, step.type).kind is Kind.NUMBERS
