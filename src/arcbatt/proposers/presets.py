"""Names and options in, proposers out: the one place that knows which there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from arcbatt.tasks.task import suggest

from .enumerate import EnumeratedStacks, EnumerateOptions, all_passes
from .evolve import EvolveOptions, Mutants
from .finishing import FinishedBases
from .known import KnownPrograms
from .learn import LearnedRules
from .proposer import Proposer
from .switches import check_switches, enumerate_options

DEFAULT_MAX_BYTES = EnumerateOptions().max_bytes
# Less than the first is taken before a search has begun.
LEAST_MAX_BYTES, MOST_MAX_BYTES = 2**24, 2**50


@dataclass(frozen=True)
class ProposerOptions:
    """What proposers are made from.

    `differences` is where a program is written that gives alone what its batt did not; `off` has
    what is switched off (`switches`), `max_bytes` bounds the memory of one task's enumeration.
    """

    differences: Path
    evolve: EvolveOptions = field(default_factory=EvolveOptions)
    off: frozenset[str] = frozenset()
    max_bytes: int = DEFAULT_MAX_BYTES

    def __post_init__(self) -> None:
        check_switches(self.off)


def _enumerate(options: ProposerOptions) -> Proposer:
    passes = [each for each in all_passes() if each.switch not in options.off]
    if "deepening" in options.off:
        passes = [each for each in passes if not each.is_deepening]
    return EnumeratedStacks(
        enumerate_options(options.off, options.max_bytes),
        passes,
        use_known="known-values" not in options.off,
    )


def _evolve(options: ProposerOptions) -> Proposer:
    return Mutants(
        options.evolve,
        options.differences,
        use_parents="parents" not in options.off,
        use_macros="macros" not in options.off,
    )


PROPOSERS: Mapping[str, Callable[[ProposerOptions], Proposer]] = {
    "known": lambda options: KnownPrograms(use_variants="variants" not in options.off),
    "learn": lambda options: LearnedRules(options.off),
    "enumerate": _enumerate,
    "finish": lambda options: FinishedBases(options.off),
    "evolve": _evolve,
}
PROPOSER_NAMES = tuple(PROPOSERS)
# What every proposer has.
NEEDED = ("name", "trust", "next_offer", "work", "finish", "counts")


def make_proposers(chosen: Sequence[str | Proposer], options: ProposerOptions) -> list[Proposer]:
    """Return the named proposers, then those that are there already, as others have made them.

    An unknown name, or a trust that nothing can be weighed by, is a ValueError, what is no proposer
    a TypeError.
    """
    if isinstance(chosen, str):
        raise TypeError(f"proposers are several: proposers=[{chosen!r}]")
    if not chosen:
        raise ValueError(f"no proposer was named; the proposers are {', '.join(PROPOSER_NAMES)}")
    names = [each for each in chosen if isinstance(each, str)]
    own = [each for each in chosen if not isinstance(each, str)]
    for name in names:
        if name not in PROPOSERS:
            raise ValueError(
                f"no proposer is named {name}{suggest(name, PROPOSER_NAMES)}\n"
                f"The proposers are {', '.join(PROPOSER_NAMES)}."
            )
    for each in own:
        lacking = [name for name in NEEDED if not hasattr(each, name)]
        if isinstance(each, type):
            raise TypeError(f"{each.__name__} is a class; give one of it: {each.__name__}()")
        if lacking:
            raise TypeError(
                f"a {type(each).__name__} is no proposer: it has no {', '.join(lacking)}; "
                f"subclass arcbatt.Proposer"
            )
        if not isinstance(each.trust, int | float) or not 0 < each.trust < inf:
            raise ValueError(
                f"{each.name}: its trust is {each.trust!r}, expected a number above 0; 1 counts as "
                f"much as enumerate"
            )
    return [make(options) for name, make in PROPOSERS.items() if name in names] + own
