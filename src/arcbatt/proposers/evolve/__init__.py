"""Evolution: cards of mutants of what nearly works, kept by quality and diversity."""

from .evolution import DEFAULT_CARD_SIZE, MAX_CARD_SIZE, EvolveOptions, choose_card_size
from .proposer import Mutants

__all__ = ["DEFAULT_CARD_SIZE", "MAX_CARD_SIZE", "EvolveOptions", "Mutants", "choose_card_size"]
