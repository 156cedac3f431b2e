"""Why attempts won and others lost: a candidate or a ranking in, sentences about it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arcbatt.evaluation import N_COPIES
from arcbatt.proposers import Candidate

from .ranking import Attempt, RankedTask

# Of the grids that lost, so many are told of.
N_LOST = 3


def describe_candidate(candidate: Candidate) -> str:
    """Return in a line what a candidate is and how well it fits."""
    program, trial = candidate.program, candidate.trial
    shapes = ", ".join(
        "none" if grid is None else f"{len(grid)}x{len(grid[0])}" for grid in trial.outputs
    )
    learnt = ""
    if trial.learns:
        learnt = f", {trial.n_held_out} of them unseen"
        if trial.n_held_out is None:
            learnt = ", learnt from the only one there is"
    copies = f", the same on {trial.n_copies} of {N_COPIES} copies" if trial.n_fitted else ""
    return (
        f"{program.name} {program.hash[:12]} ({candidate.proposal.family}, size {program.n_calls}, "
        f"cost {trial.steps:,}): fits {trial.n_fitted} of {trial.n_demos} demos{learnt}{copies}, "
        f"credit {trial.credit}, outputs {shapes}"
    )


def describe_ranking(ranked: RankedTask) -> Iterator[str]:
    """Yield why the attempts at a task are what they are."""
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
        return "stands in, since nobody offered another grid"
    n_candidates, n_families = len(attempt.supporters), len(attempt.families)
    return (
        f"evidence {attempt.evidence:.4g} (candidates: {n_candidates}, families: {n_families}), "
        f"the heaviest by {best.proposer}: {describe_candidate(best)}; {describe_weight(attempt)}"
    )


def describe_weight(attempt: Attempt) -> str:
    """Return in words what the heaviest candidate of an attempt counts, part by part."""
    weight = attempt.weight
    if weight is None:
        return say_weight(None, {}, ())
    return say_weight(weight.bits(), weight.parts, attempt.broken)


def say_weight(bits: float | None, taken: Mapping[str, float], broken: Sequence[str]) -> str:
    """Return what a candidate counts, what was taken from it, and which properties it lacks."""
    if bits is None:
        return "nothing speaks for it"
    parts = [f"{name} {-lost:+.1f}" for name, lost in taken.items()]
    told = f"weight {bits:.1f} bits: {', '.join(parts) or 'nothing speaks against it'}"
    return told + "".join(f"; not so here: {name}" for name in broken)
