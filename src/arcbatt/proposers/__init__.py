"""Proposers: what looks for programs. Each offers its next piece of work and proposes its finds.

`known` has what was there before, `learn` rules read off the demos, `enumerate` values bottom-up
and outputs assembled from them, `finish` rules on pictures that come near, `evolve` mutants of what
nearly works. `presets` makes them by name.
"""

from .presets import PROPOSER_NAMES, ProposerOptions, make_proposers
from .proposer import Allowance, Candidate, Context, Offer, Proposal, Proposer

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
