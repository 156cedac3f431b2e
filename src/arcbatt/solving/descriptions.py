"""Sentences that explain candidates and rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arcbatt.evaluation import N_COPIES
from arcbatt.proposers import Candidate

from .ranking import Attempt, RankedTask

# How many losing grids are described.
N_LOST = 3


def describe_candidate(candidate: Candidate) -> str:
    """Return a line about a candidate and how well it fits."""
    program, trial = candidate.program, candidate.trial
    shapes = ", ".join(
        "none" if grid is None else f"{len(grid)}x{len(grid[0])}" for grid in trial.outputs
    )
    held_out = ""
    if trial.learns:
        held_out = f", {trial.n_held_out} of them held out"
        if trial.n_held_out is None:
            held_out = ", learned from the only one"
    copies = f", the same on {trial.n_copies} of {N_COPIES} copies" if trial.n_fitted else ""
    return (
        f"{program.name} {program.hash[:12]} ({candidate.proposal.family}, size {program.n_calls}, "
        f"cost {trial.steps:,}): fits {trial.n_fitted} of {trial.n_demos} demos{held_out}{copies}, "
        f"credit {trial.credit}, outputs {shapes}"
    )


def describe_ranking(ranked: RankedTask) -> Iterator[str]:
    """Yield lines that explain the attempts at a task."""
    for number, test in enumerate(ranked.tests, 1):
        yield (
            f"test {number}: different grids offered: {test.n_grids}, "
            f"confidence {test.confidence:.2f}"
        )
        for place, attempt in enumerate(test.attempts, 1):
            yield f"test {number}, attempt {place}: {_why(attempt)}"
        for attempt in test.lost[:N_LOST]:
            yield f"test {number}, lost: {_why(attempt)}"


def _why(attempt: Attempt) -> str:
    best = attempt.best
    if best is None:
        return "a stand-in, since no candidate gave another grid"
    n_candidates, n_families = len(attempt.supporters), len(attempt.families)
    return (
        f"evidence {attempt.evidence:.4g} (candidates: {n_candidates}, families: {n_families}), "
        f"the heaviest by {best.proposer}: {describe_candidate(best)}; {describe_weight(attempt)}"
    )


def describe_weight(attempt: Attempt) -> str:
    """Return the weight of an attempt's heaviest candidate, part by part."""
    weight = attempt.weight
    if weight is None:
        return say_weight(None, {}, ())
    return say_weight(weight.bits(), weight.parts, attempt.broken)


def say_weight(bits: float | None, taken: Mapping[str, float], broken: Sequence[str]) -> str:
    """Return a candidate's weight, its penalties, and the shared properties it lacks."""
    if bits is None:
        return "nothing speaks for it"
    parts = [f"{name} {-lost:+.1f}" for name, lost in taken.items()]
    text = f"weight {bits:.1f} bits: {', '.join(parts) or 'nothing speaks against it'}"
    return text + "".join(f"; not so here: {name}" for name in broken)
