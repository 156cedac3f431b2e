"""Evolution: cards of mutants, kept by quality and diversity."""

from .evolution import DEFAULT_CARD_SIZE, MAX_CARD_SIZE, EvolveOptions, choose_card_size
from .proposer import EvolveProposer

__all__ = [
    "DEFAULT_CARD_SIZE",
    "MAX_CARD_SIZE",
    "EvolveOptions",
    "EvolveProposer",
    "choose_card_size",
]
