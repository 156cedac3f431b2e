"""The registry of proposers: their names, options and switches, and how they are created.

A new proposer is a module and an entry in `PROPOSER_CLASSES`; its options, if it has any, are a
field of `ProposerOptions` with its name. `--off` takes the names of switches: parts of proposers
(`switches` of their classes), passes of enumerate, and primitives. A resumed run keeps them off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isabstract
from math import inf
from typing import Any

from arcbatt.plugins import loaded_plugins
from arcbatt.suggestion import suggest

from .ask import AskOptions, AskProposer
from .enumerate import FIRST_PASSES, EnumerateOptions, EnumerateProposer, vocabulary
from .enumerate.options import MODES
from .evolve import EvolveOptions, EvolveProposer
from .finish import FinishProposer
from .known import KnownProposer
from .learn import LearnProposer, learner_names
from .options import whole_number
from .proposer import Proposer

PROPOSER_CLASSES = (
    KnownProposer,
    LearnProposer,
    EnumerateProposer,
    FinishProposer,
    EvolveProposer,
    AskProposer,
)
PARTS: Mapping[str, str] = {
    name: text for each in PROPOSER_CLASSES for name, text in getattr(each, "switches", {}).items()
}
# An enumeration needs the lower bound before its first move.
LEAST_MAX_BYTES, MOST_MAX_BYTES = 2**24, 6 * 2**30


@dataclass(frozen=True, kw_only=True)
class ProposerOptions:
    """The options of all proposers; `off` names the switches that are off."""

    off: frozenset[str] = frozenset()
    enumerate: EnumerateOptions = field(default_factory=EnumerateOptions)
    evolve: EvolveOptions = field(default_factory=EvolveOptions)
    ask: AskOptions = field(default_factory=AskOptions)

    def __post_init__(self) -> None:
        object.__setattr__(self, "off", check_switches(self.off))
        limit = whole_number("max_bytes", self.enumerate.max_bytes, LEAST_MAX_BYTES, MOST_MAX_BYTES)
        object.__setattr__(self, "enumerate", replace(self.enumerate, max_bytes=limit))


def _create(proposer: Any, options: ProposerOptions) -> Proposer:
    own = [getattr(options, proposer.name)] if hasattr(options, proposer.name) else []
    created: Proposer = proposer(*own, off=options.off)
    return created


PROPOSERS: Mapping[str, Callable[[ProposerOptions], Proposer]] = {
    each.name: partial(_create, each) for each in PROPOSER_CLASSES
}
# The proposers of a search that names none: `ask` needs a model.
PROPOSER_NAMES = tuple(name for name in PROPOSERS if name != AskProposer.name)
REQUIRED_ATTRIBUTES = ("name", "trust", "next_offer", "work", "finish", "counts")


def make_proposers(chosen: Sequence[str | Proposer], options: ProposerOptions) -> list[Proposer]:
    """Return the named proposers in the registry's order, then the given instances.

    Raise ValueError for an unknown name or an unusable trust, TypeError if an item is not a
    proposer.
    """
    if isinstance(chosen, str):
        raise TypeError(f"proposers is a sequence: proposers=[{chosen!r}]")
    names = check_names([each for each in chosen if isinstance(each, str)])
    own = [each for each in chosen if not isinstance(each, str)]
    if not names and not own:
        raise ValueError(f"no proposer was named; the proposers are {', '.join(all_names())}")
    for each in own:
        _check_own(each)
    of_plugins = plugin_proposers()
    made = [make(options) for name, make in PROPOSERS.items() if name in names]
    made += [of_plugins[name]() for name in names if name in of_plugins]
    for each in made:
        _check_own(each)
    return made + own


def plugin_proposers() -> dict[str, Callable[[], Proposer]]:
    """Return the proposers of imported plugins by name; raise ValueError for a name taken twice."""
    found: dict[str, Callable[[], Proposer]] = {}
    for plugin, module in loaded_plugins().items():
        for each in vars(module).values():
            if not isinstance(each, type) or each.__module__ != module.__name__:
                continue
            name = getattr(each, "name", None)
            if Proposer not in each.__mro__ or isabstract(each) or not isinstance(name, str):
                continue
            if name in PROPOSERS or found.get(name, each) is not each:
                raise ValueError(f"plugin {plugin}: a proposer is named {name} already")
            found[name] = each
    return found


def all_names() -> tuple[str, ...]:
    """Return the names of all proposers, those of imported plugins included."""
    return (*PROPOSERS, *plugin_proposers())


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of proposers, each once; raise ValueError for an unknown one."""
    known = all_names()
    for name in names:
        if name not in known:
            raise ValueError(
                f"no proposer is named {name}{suggest(name, known)}\n"
                f"The proposers are {', '.join(known)}."
            )
    return tuple(dict.fromkeys(names))


def _check_own(proposer: Proposer) -> None:
    if isinstance(proposer, type):
        raise TypeError(f"{proposer.__name__} is a class; pass an instance: {proposer.__name__}()")
    missing = [name for name in REQUIRED_ATTRIBUTES if not hasattr(proposer, name)]
    if missing:
        raise TypeError(
            f"a {type(proposer).__name__} is not a proposer: it has no {', '.join(missing)}; "
            f"subclass arcbatt.Proposer"
        )
    if not isinstance(proposer.trust, int | float) or not 0 < proposer.trust < inf:
        raise ValueError(
            f"{proposer.name}: its trust is {proposer.trust!r}, expected a number above 0; "
            f"candidates of enumerate have a trust of 1"
        )


def parts_of(proposer: str) -> tuple[str, ...]:
    """Return the switches of a proposer, without those of moves."""
    parts = tuple(
        name
        for each in PROPOSER_CLASSES
        if each.name == proposer
        for name in getattr(each, "switches", ())
    )
    if proposer == "learn":
        return (*learner_names(), *parts)
    return (*parts, *pass_names()) if proposer == "enumerate" else parts


def pass_names() -> tuple[str, ...]:
    """Return the switches of the named passes of enumeration."""
    return tuple(each.switch for each in FIRST_PASSES)


def primitive_names() -> tuple[str, ...]:
    """Return the primitives that are moves or learn rules."""
    return tuple(sorted({move.primitive for move in vocabulary()} | set(learner_names())))


def check_switches(names: Iterable[str]) -> frozenset[str]:
    """Return names as a set, or raise `ValueError` for an unknown one."""
    chosen = frozenset(names)
    known = (*PARTS, *pass_names(), *primitive_names())
    for name in sorted(chosen):
        if name not in known:
            raise ValueError(
                f"nothing that can be off is named {name}{suggest(name, known)}\n"
                f"Parts: {', '.join(PARTS)}.\n"
                f"Passes: {', '.join(pass_names())}.\n"
                f"Primitives: {', '.join(primitive_names())}."
            )
    if chosen >= {f"paint-{mode}" for mode in MODES}:
        raise ValueError("with all of paint-shown, paint-holes and paint-whole off nothing paints")
    return chosen
