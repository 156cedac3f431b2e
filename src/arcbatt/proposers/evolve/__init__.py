"""Evolution: cards of mutants of what nearly works, kept by quality and diversity."""

from .evolution import DEFAULT_CARD_SIZE, EvolveOptions
from .proposer import Mutants

__all__ = ["DEFAULT_CARD_SIZE", "EvolveOptions", "Mutants"]
