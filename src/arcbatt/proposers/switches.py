"""What of the proposers can be switched off, by name: primitives, passes and parts.

`--off NAME` takes these names, and a run keeps them. Each has a counter: what a pass came to is in
the run's results, what a proposer has proposed in its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from arcbatt.tasks.task import suggest

from .enumerate import FIRST_PASSES, EnumerateOptions, vocabulary
from .enumerate.stacks import MODES
from .learn import GROUND_RULES, LEARNING, TURNED_RULES

PARTS: Mapping[str, str] = {
    "known-values": "what known programs make of the input as values to enumerate from",
    "outputs": "outputs of other demos as values to enumerate from",
    "sizes": "output sizes by formulas over what was enumerated, and not the input's alone",
    "stacking": "more than one piece in an output",
    "subsets": "stacks that are right in some of the demos only",
    "paint-shown": "pieces of which the cells that are not 0 are painted",
    "paint-holes": "pieces of which the cells that are 0 are painted",
    "paint-whole": "pieces of which all cells are painted",
    GROUND_RULES: "rules learnt on another background than 0",
    TURNED_RULES: "rules learnt from examples that are turned one way",
    "variants": "all programs one change away from known ones",
    "parents": "candidates of other proposers as parents to evolve from",
    "macros": "what recurs in the library as a kind of mutation",
    "deepening": "passes of enumerate that go on beyond the named ones while there is time",
}


# Whose the parts are, but for those of enumerate.
KNOWN_PARTS, EVOLVE_PARTS = ("variants",), ("parents", "macros")
LEARN_PARTS = (GROUND_RULES, TURNED_RULES)


def parts_of(proposer: str) -> tuple[str, ...]:
    """Return what of a proposer can be off, but for primitives that are searched with."""
    if proposer == "known":
        return KNOWN_PARTS
    if proposer == "learn":
        return (*LEARNING, *LEARN_PARTS)
    if proposer == "evolve":
        return EVOLVE_PARTS
    if proposer == "enumerate":
        others = {*KNOWN_PARTS, *LEARN_PARTS, *EVOLVE_PARTS}
        return (*(name for name in PARTS if name not in others), *pass_names())
    return ()


def pass_names() -> tuple[str, ...]:
    """Return the first passes of enumeration as they are named here: without commas and blanks."""
    return tuple(each.switch for each in FIRST_PASSES)


def primitive_names() -> tuple[str, ...]:
    """Return the primitives that are searched with or learn rules, which can be left out."""
    return tuple(sorted({step.primitive for step in vocabulary()} | set(LEARNING)))


def check_switches(names: Iterable[str]) -> frozenset[str]:
    """Return names as a set; one that nothing has is a ValueError that says which there are."""
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


def enumerate_options(off: frozenset[str], max_bytes: int) -> EnumerateOptions:
    """Return how tasks are enumerated with these names off."""
    options = EnumerateOptions(max_bytes=max_bytes)
    return replace(
        options,
        off=off & {step.primitive for step in vocabulary()},
        output_sources="outputs" not in off,
        size_depth=0 if "sizes" in off else options.size_depth,
        max_pieces=1 if "stacking" in off else options.max_pieces,
        subsets="subsets" not in off,
        modes=sum(1 << k for k, mode in enumerate(MODES) if f"paint-{mode}" not in off),
    )
