"""What `--trace` says: a candidate or a ranking in, sentences about it out."""

from __future__ import annotations

from collections.abc import Iterator

from .candidates import Candidate
from .ranking import Attempt, RankedTask


def describe_candidate(candidate: Candidate) -> str:
    """Return in a line what a candidate is and how well it fits."""
    program = candidate.program
    name = candidate.family if program is None else f"{program.name} {program.hash[:12]}"
    shapes = ", ".join(
        "none" if grid is None else f"{len(grid)}x{len(grid[0])}" for grid in candidate.outputs
    )
    learnt = ""
    if candidate.n_held_out is not None:
        learnt = f", {candidate.n_held_out} of them unseen"
    return (
        f"{name} ({candidate.family}, size {candidate.size}, cost {candidate.cost:,}): "
        f"fits {candidate.n_fitted} of {candidate.n_demos} demos{learnt}, "
        f"credit {candidate.credit}, outputs {shapes}"
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


def _why(attempt: Attempt) -> str:
    best = attempt.best
    if best is None:
        return "stands in, since nobody offered another grid"
    n_candidates, n_families = len(attempt.supporters), len(attempt.families)
    return (
        f"evidence {attempt.evidence:.4g} (candidates: {n_candidates}, families: {n_families}), "
        f"the heaviest by {best.stage}: {describe_candidate(best.candidate)}"
    )
