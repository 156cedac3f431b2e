"""Enumeration: values bottom-up, outputs assembled from them, both written as programs."""

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
