"""Enumeration: build values bottom-up, assemble outputs from them, and write both as programs."""

from .moves import vocabulary
from .options import EnumerateOptions
from .passes import FIRST_PASSES, Pass, all_passes
from .proposer import EnumerateProposer

__all__ = [
    "FIRST_PASSES",
    "EnumerateOptions",
    "EnumerateProposer",
    "Pass",
    "all_passes",
    "vocabulary",
]
