"""Explain a program: the value of every line on the pairs of a task.

`explain` runs the program; `draw_explanation` shows the result in a terminal, `make_page` as a
self-contained HTML page.
"""

from .feedback import (
    PairOutcome,
    describe_rejection,
    find_failed_call,
    write_feedback,
)
from .layers import find_layers
from .page import make_page
from .rule_tables import to_tables
from .rules import describe_rules
from .source import read_source
from .terminal import draw_code, draw_explanation, draw_source
from .trace import (
    Explanation,
    JudgeTest,
    all_pairs,
    explain,
    unjudged,
    why_too_large,
)

__all__ = [
    "Explanation",
    "JudgeTest",
    "PairOutcome",
    "all_pairs",
    "describe_rejection",
    "describe_rules",
    "draw_code",
    "draw_explanation",
    "draw_source",
    "explain",
    "find_failed_call",
    "find_layers",
    "make_page",
    "read_source",
    "to_tables",
    "unjudged",
    "why_too_large",
    "write_feedback",
]
