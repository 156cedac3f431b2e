"""Wording shared by the terminal and the page: verdicts, missing values and costs."""

from __future__ import annotations

from collections.abc import Sequence

from arcbatt.drawing import Kind, describe
from arcbatt.drawing.grid_diff import describe_difference
from arcbatt.language import Failure

from .trace import PairTrace, Step

VERDICT_MARKS = {"right": "✓", "wrong": "✗", "failed": "!", "unjudged": "?"}


def verdict_words(pair: PairTrace) -> str:
    """Return the verdict on a pair, to follow its label."""
    match pair.verdict:
        case "right":
            return "is right"
        case "failed":
            return f"failed: {pair.outcome}"
        case "unjudged":
            return "has no known answer"
    if pair.wanted is None or isinstance(pair.outcome, Failure):
        return "is wrong"
    return f"is wrong: {describe_difference(pair.wanted, pair.outcome)}"


def why_no_value(step: Step) -> str:
    """Return why a line that did not fail itself has no value."""
    return f"needs {step.needs}, which failed" if step.needs else "not reached within the budget"


def format_steps(costs: Sequence[int]) -> str:
    """Return "1 step", "1,561 steps" or "575 to 6,133 steps"."""
    low, high = min(costs), max(costs)
    steps = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{steps} step{'s' * (high != 1)}"


def is_rule(step: Step) -> bool:
    """Return whether a value is a learned rule, which words describe better than a drawing."""
    return bool(step.words) and describe(step.outcome, step.type).kind is Kind.NUMBERS
