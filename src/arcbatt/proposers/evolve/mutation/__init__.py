"""Mutations: programs in, well-typed programs that differ from them out.

`Mutator` makes mutants, each by one of the kinds of `kinds`; `Rates` says which kind is next, and
learns from what became of the mutants. `variants` goes through all mutants of a kind.
"""

from .bandit import Rates
from .donors import Donors
from .kinds import KINDS
from .mutator import MAX_CALLS, Mutant, Mutator
from .variants import VARIANTS, variants

__all__ = ["KINDS", "MAX_CALLS", "VARIANTS", "Donors", "Mutant", "Mutator", "Rates", "variants"]
