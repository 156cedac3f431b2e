"""Sentences that explain candidates and rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arcbatt.evaluation import N_COPIES
from arcbatt.explainer.choice_table import ChoiceTable
from arcbatt.proposers import Candidate
from arcbatt.tasks.submission import N_ATTEMPTS

from .ranking import REASONS, Attempt, RankedTask, RankedTest

# The number of losing grids that are described.
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
    copies = ""
    if trial.n_fitted:
        kind = "turned or recolored copies of the task"
        copies = f", the same on {trial.n_copies} of {N_COPIES} {kind}"
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
        shown = _shown(test)
        for label, attempt in zip(_labels(len(shown)), shown, strict=True):
            yield f"test {number}, {label}: {_origin(attempt)}"
        yield from _choice_of(number, test).lines()


def choices_of(ranked: RankedTask) -> list[ChoiceTable]:
    """Return the tables that explain the attempts at a task, one per test input."""
    return [_choice_of(number, test) for number, test in enumerate(ranked.tests, 1)]


def _choice_of(number: int, test: RankedTest) -> ChoiceTable:
    return choice_table(number, [(each.reasons, each.broken) for each in _shown(test)])


def _shown(test: RankedTest) -> list[Attempt]:
    """Return the attempts at a test input and the best of the grids that lost."""
    return [*test.attempts, *test.lost[:N_LOST]]


def _origin(attempt: Attempt) -> str:
    best = attempt.best
    if best is None:
        return "a stand-in, since no candidate gave another grid"
    n_candidates, n_families = len(attempt.supporters), len(attempt.families)
    return (
        f"candidates: {n_candidates}, families: {n_families}, "
        f"the plainest by {best.proposer}: {describe_candidate(best)}"
    )


def _labels(n_grids: int) -> list[str]:
    """Return labels of the attempts and of the grids that lost."""
    return [
        f"attempt {place}" if place <= N_ATTEMPTS else f"lost, place {place}"
        for place in range(1, n_grids + 1)
    ]


def choice_table(
    number: int, grids: Sequence[tuple[Mapping[str, float], Sequence[str]]]
) -> ChoiceTable:
    """Return the table that explains the choice among the grids for a test input.

    Each grid, best first, has its reasons in bits, and the shared properties that it lacks. A
    stand-in has no reasons.
    """
    labels = _labels(len(grids))
    rows = [
        (words, *(f"{reasons[words]:+.1f}" if words in reasons else "" for reasons, _ in grids))
        for words in REASONS
        if any(words in reasons for reasons, _ in grids)
    ]
    sums = (f"{sum(reasons.values()):.1f}" if reasons else "none" for reasons, _ in grids)
    rows.append(("evidence", *sums))
    notes = tuple(
        f"{label} lacks: {'; '.join(broken)}"
        for label, (_, broken) in zip(labels, grids, strict=True)
        if broken
    )
    return ChoiceTable(f"why these attempts at test {number}", tuple(labels), tuple(rows), notes)


def say_reasons(reasons: Mapping[str, float]) -> str:
    """Return the sum of the reasons of one candidate, and each reason."""
    parts = ", ".join(f"{words} {bits:+.1f}" for words, bits in reasons.items())
    return f"{sum(reasons.values()):.1f} bits: {parts or 'nothing for or against it'}"
