"""The phases that time is counted under."""

from __future__ import annotations

from typing import Literal, get_args

Phase = Literal[
    "load",
    "deal",
    "fuse",
    "plan",
    "transfer",
    "launch",
    "wait",
    "run",
    "score",
    "slice",
    "validate",
    "store",
    "display",
    "other",
]

PHASES: tuple[Phase, ...] = get_args(Phase)
"""All phases, in the order of the pipeline."""

OTHER: Phase = "other"
"""What is in no phase."""
