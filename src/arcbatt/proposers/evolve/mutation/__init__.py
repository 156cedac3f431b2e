"""Mutation: well-typed programs that differ from given ones by one change.

`Mutator` draws mutants by the kinds in `KINDS`, each equally often: favoring the kinds that improve
on more parents finds fewer solvers (docs/evolve.md). `variants` enumerates all mutants of a kind.
"""

from .counts import MutationCounts
from .donors import Donors
from .kinds import KINDS
from .mutator import MAX_CALLS, Mutant, Mutator
from .variants import VARIANTS, variants

__all__ = [
    "KINDS",
    "MAX_CALLS",
    "VARIANTS",
    "Donors",
    "Mutant",
    "MutationCounts",
    "Mutator",
    "variants",
]
