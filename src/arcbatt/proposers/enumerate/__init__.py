"""Enumeration: values bottom-up from the demos, outputs assembled from them, written as programs."""

from .passes import FIRST_PASSES, Pass, all_passes
from .proposer import EnumeratedStacks, PassCount
from .stacks import EnumerateOptions, vocabulary

__all__ = [
    "FIRST_PASSES",
    "EnumerateOptions",
    "EnumeratedStacks",
    "Pass",
    "PassCount",
    "all_passes",
    "vocabulary",
]
