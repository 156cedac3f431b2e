"""Mutation: well-typed programs that differ from given ones by one change.

`Mutator` draws mutants, each by one of the kinds in `kinds`; `Rates` chooses the kind and adapts to
the results. `variants` enumerates all mutants of a kind.
"""

from .donors import Donors
from .kinds import KINDS
from .mutator import MAX_CALLS, Mutant, Mutator
from .rates import Rates
from .variants import VARIANTS, variants

__all__ = ["KINDS", "MAX_CALLS", "VARIANTS", "Donors", "Mutant", "Mutator", "Rates", "variants"]
