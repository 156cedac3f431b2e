"""Proposers search for programs: each offers its next piece of work and proposes what it finds.

`known` tries programs that exist already, `learn` rules learned from the demos, `enumerate` outputs
assembled from values built bottom-up, `finish` rules on pictures that come near the outputs, and
`evolve` mutants of programs that nearly work. `registry` creates them by name.
"""

from .proposer import Allowance, Candidate, Context, Offer, Proposal, Proposer
from .registry import PROPOSER_NAMES, ProposerOptions, make_proposers

__all__ = [
    "PROPOSER_NAMES",
    "Allowance",
    "Candidate",
    "Context",
    "Offer",
    "Proposal",
    "Proposer",
    "ProposerOptions",
    "make_proposers",
]
