"""Rank a task's candidates and pick two attempts per test input.

Attempts are grids. The evidence for a grid is summed over all candidates that give it; a candidate
counts 2 to the power of its weight in bits, which is the sum of its reasons. A reason is a count
times the bits per count (`BITS`):

- trust: how far its proposer is trusted, in bits;
- choice: the bits of the proposal, including the penalty for programs that may have memorized the
  demos;
- some demo is wrong; then again for each wrong demo;
- the program learns from the demos, and some demo that it fits is wrong, or was not tried, when
  it is held out;
- for each copy of the task (`arcbatt.evaluation.copies`) on which it gives something else;
- log2(1 + the number of properties that all demos share and the grid lacks);
- log2(1 + the number of new patterns in the grid), beyond the most that a demo has (`properties`).

A program that fits no demo also loses -log2(0.02) - 4 log2(credit / 1000) bits.

Agreement within a family is weak evidence: its heaviest candidate counts in full, the next half,
then a quarter, so that a family counts at most twice its best. Families are summed.

The first attempt is the grid with the most evidence. Of several test inputs, one program that
answers all of them is preferred: its grids come first if they have at most `CONSISTENCY_BITS` per
further test input less evidence than the best grids. The second attempt is the best of the other
grids, where one given only by families of the first counts `SAME_FAMILY_SHARE`. If there are too
few grids, the input itself and simple variants of it stand in: no attempt is ever empty.

    confidence = 1 / (1 + exp(-(sum of features times CONFIDENCE)))

Of several test inputs the lowest confidence counts.
`BITS` and `CONFIDENCE` are fitted to runs without the bundled solvers: `python bench/solve.py
--fit` fits them again, cross-validates them by task and by set, and prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log2
from operator import attrgetter

from arcbatt.evaluation import FULL_CREDIT, N_COPIES
from arcbatt.proposers import Candidate
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.submission import N_ATTEMPTS, stand_ins

from .candidates import KeptCandidate, OfferedGrid, TaskCandidates
from .properties import NOTHING_ODD, Oddities

NEARLY_RIGHT = 0.02
SAME_FAMILY_SHARE = 0.9
LEAST_EVIDENCE = 1e-12
CONSISTENCY_BITS = 2.0
FEW_DEMOS = 3

# Bits per count of each reason, in the words that explain a choice.
BITS = {
    "trust in its proposer": 0.82,
    "one of many programs that could be tried": -0.73,
    "does not fit all demos": -1.65,
    "misses demos": -2.03,
    "not confirmed by demos that it was not shown": -0.92,
    "gives something else on copies of the task": -0.80,
    "lacks properties that all demos share": -2.53,
    "contains patterns that no demo shows": -1.96,
}
# These reasons concern the demos that a program misses.
OF_DEMOS = slice(2, 5)
# The last reasons concern the grid, whatever program gives it.
N_OF_GRIDS = 2
FITS_NOTHING = "fits no demo"
AGREEMENT = "agreement with other programs"
REASONS = (*BITS, FITS_NOTHING, AGREEMENT)

# Weights of the features of confidence.
CONFIDENCE = {
    "always": 0.75,
    "bits of evidence for the first attempt": 0.36,
    "its share of all evidence": 0.69,
    "share of both attempts": 2.96,
    "few demos": -1.39,
    "the test input is larger or smaller than those of the demos": -0.96,
}


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of a candidate for a grid that it gives: counts in the order of `BITS`.

    `nearness` has the bits for a program that fits no demo, 0 for any other.
    """

    counts: tuple[float, ...]
    nearness: float

    def bits(self, per_count: Sequence[float] = tuple(BITS.values())) -> float:
        """Return the sum of all reasons."""
        return self.nearness + _product(self.counts, per_count)

    @property
    def reasons(self) -> dict[str, float]:
        """The bits of each reason, without zeros."""
        reasons = {
            words: count * bits
            for count, (words, bits) in zip(self.counts, BITS.items(), strict=True)
        }
        reasons[FITS_NOTHING] = self.nearness
        return {words: bits for words, bits in reasons.items() if bits}


def _product(numbers: Iterable[float], factors: Iterable[float]) -> float:
    return sum(number * factor for number, factor in zip(numbers, factors, strict=True))


def weigh(candidate: Candidate, odd: Oddities = NOTHING_ODD) -> Weight:
    """Return the weight of a candidate for a grid that has some oddities."""
    trial = candidate.trial
    n_missed = trial.n_demos - trial.n_fitted
    nearness = 0.0
    if not trial.n_fitted:
        nearness = log2(NEARLY_RIGHT) + 4 * log2(max(trial.credit, 1) / FULL_CREDIT)
    counts = (
        log2(candidate.trust),
        candidate.proposal.bits,
        int(n_missed > 0),
        n_missed,
        int(not trial.predicts_held_out),
        N_COPIES - trial.n_copies,
        *_counts_of(odd),
    )
    return Weight(counts, nearness)


def _counts_of(odd: Oddities) -> tuple[float, float]:
    return log2(1 + len(odd.broken)), odd.newness


@dataclass(frozen=True)
class Attempt:
    """A grid for a test input, with the candidates that give it, the plainest first.

    A stand-in has no evidence and no supporters.
    """

    grid: Grid
    evidence: float
    supporters: tuple[Candidate, ...]
    odd: Oddities = NOTHING_ODD

    @property
    def best(self) -> Candidate | None:
        return self.supporters[0] if self.supporters else None

    @cached_property
    def order(self) -> tuple[object, ...]:
        """A sort key: the most evidence first, ties broken by the grid."""
        return (-self.evidence, self.grid)

    @cached_property
    def bits(self) -> float:
        """The evidence in bits."""
        return log2(self.evidence) if self.evidence else -inf

    @property
    def broken(self) -> tuple[str, ...]:
        """The properties that all demos share and the grid lacks."""
        return self.odd.broken

    @property
    def reasons(self) -> dict[str, float]:
        """The bits of each reason for the best supporter; the sum is the evidence in bits."""
        if self.best is None:
            return {}
        weight = weigh(self.best, self.odd)
        reasons = weight.reasons
        # Evidence too small for a number is 0.
        if len(self.supporters) > 1 and self.evidence:
            reasons[AGREEMENT] = log2(self.evidence) - weight.bits()
        return reasons

    @cached_property
    def families(self) -> frozenset[str]:
        return frozenset(kept.proposal.family for kept in self.supporters)


@dataclass(frozen=True, slots=True)
class RankedTest:
    """The two attempts at a test input, and the other grids, best first.

    `features` are those of confidence; empty if there was no candidate.
    """

    attempts: tuple[Attempt, Attempt]
    features: tuple[float, ...]
    lost: tuple[Attempt, ...]

    @property
    def confidence(self) -> float:
        """The estimated probability that one of the attempts is right."""
        if not self.features:
            return 0.0
        return 1 / (1 + exp(-_product(self.features, CONFIDENCE.values())))

    @property
    def n_grids(self) -> int:
        """The number of different grids that candidates give."""
        return len(self.lost) + sum(attempt.best is not None for attempt in self.attempts)


@dataclass(frozen=True, slots=True)
class RankedTask:
    """The attempts at all test inputs of a task."""

    task: Task
    tests: tuple[RankedTest, ...]

    @property
    def confidence(self) -> float:
        return min(test.confidence for test in self.tests)

    @property
    def best(self) -> Candidate | None:
        """The candidate behind the first attempt at the first test input."""
        return self.tests[0].attempts[0].best

    @property
    def winners(self) -> list[Candidate]:
        """The candidates behind the attempts, first attempts first, each once."""
        behind = (test.attempts[k].best for k in range(N_ATTEMPTS) for test in self.tests)
        return list({id(each): each for each in behind if each is not None}.values())


def confidence_features(
    task: Task, test: int, attempts: Sequence[Attempt], total: float
) -> tuple[float, ...]:
    """Return the features of confidence in the order of `CONFIDENCE`."""
    known = max(attempts[0].evidence, LEAST_EVIDENCE)
    return (
        1.0,
        log2(known),
        known / max(total, known),
        sum(attempt.evidence for attempt in attempts) / max(total, known),
        float(len(task.demos) <= FEW_DEMOS),
        float(is_outside_sizes(task.test_inputs[test], [demo.input for demo in task.demos])),
    )


def is_outside_sizes(grid: Grid, others: Sequence[Grid]) -> bool:
    """Return whether a grid has more or fewer rows or columns than any of the others."""
    sizes = [(len(other), len(other[0])) for other in others]
    return any(
        not min(of_others) <= length <= max(of_others)
        for length, of_others in zip(
            (len(grid), len(grid[0])), zip(*sizes, strict=True), strict=True
        )
    )


def rank_task(
    candidates: TaskCandidates, per_count: tuple[float, ...] = tuple(BITS.values())
) -> RankedTask:
    """Return two different attempts for each test input of a task."""
    task = candidates.task
    attempts = candidates.attempts(per_count)
    offered = []
    for k in range(len(task.test_inputs)):
        grids = candidates.offered(k)
        for each in grids:
            if each not in attempts:
                attempts[each] = _attempt(candidates, k, each, per_count)
        offered.append(sorted([attempts[each] for each in grids], key=attrgetter("order")))
    if len(offered) > 1:
        offered = _prefer_one_program(candidates.complete(), attempts, offered)
    return RankedTask(task, tuple(_rank_test(task, k, each) for k, each in enumerate(offered)))


def _prefer_one_program(
    complete: Iterable[KeptCandidate],
    attempts: Mapping[OfferedGrid, Attempt],
    offered: list[list[Attempt]],
) -> list[list[Attempt]]:
    """Return the grids for all test inputs, those of one program first if the evidence is close."""
    answers = (
        (-sum([attempts[grid].bits for grid in each.answer if grid]), each.candidate.rank, each)
        for each in complete
    )
    best = min(answers, default=None)
    if best is None:
        return offered
    cost, _, one = best
    most = sum([each[0].bits for each in offered])
    if -cost < most - CONSISTENCY_BITS * (len(offered) - 1):
        return offered
    firsts = [attempts[grid] for grid in one.answer if grid]
    return [
        sorted(of_test, key=lambda each: each is not first)
        for of_test, first in zip(offered, firsts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class WeighedCandidate:
    """A candidate with its weight, but for the reasons of grids, and its order when shown."""

    candidate: Candidate
    bits: float
    plainness: tuple[float, ...]

    @classmethod
    def of(cls, kept: KeptCandidate, per_count: tuple[float, ...]) -> WeighedCandidate:
        """Return a candidate with its weight, which is computed once."""
        weighed = kept.weighed.get(per_count)
        if weighed is None:
            weight = weigh(kept.candidate)
            # By faults in demos, choice and calls: trust and copies say nothing about the program.
            of_demos = _product(weight.counts[OF_DEMOS], per_count[OF_DEMOS])
            plainness = (
                -of_demos - weight.nearness,
                round(kept.candidate.proposal.bits),
                kept.candidate.n_calls,
            )
            weighed = cls(kept.candidate, weight.bits(per_count), plainness)
            kept.weighed[per_count] = weighed
        return weighed


def _rank_test(task: Task, test: int, offered: Sequence[Attempt]) -> RankedTest:
    """Choose two of the attempts offered for a test input: the first, then others by evidence."""
    chosen = list(offered[:1])
    if len(offered) > 1:
        chosen.append(_second(*offered))
    total = sum(attempt.evidence for attempt in offered)
    features = confidence_features(task, test, chosen, total) if offered else ()
    lost = tuple(attempt for attempt in offered[1:] if attempt is not chosen[1])
    while len(chosen) < N_ATTEMPTS:
        known = [attempt.grid for attempt in chosen]
        grid = next(grid for grid in stand_ins(task.test_inputs[test]) if grid not in known)
        chosen.append(Attempt(grid, 0.0, ()))
    first, second = chosen
    return RankedTest((first, second), features, lost)


def _second(first: Attempt, *others: Attempt) -> Attempt:
    """Return the attempt to make beside the first; the others are ordered by evidence."""
    best = others[0]
    of_another_family = (each for each in others if not each.families <= first.families)
    other = next(of_another_family, best)
    return best if best.evidence * SAME_FAMILY_SHARE >= other.evidence else other


def _attempt(
    candidates: TaskCandidates, test: int, offered: OfferedGrid, per_count: tuple[float, ...]
) -> Attempt:
    """Return a grid with its evidence."""
    odd = candidates.oddities(test, offered.grid)
    in_order = sorted(offered.candidates, key=lambda each: each.candidate.rank)
    behind = [WeighedCandidate.of(each, per_count) for each in in_order]
    return _add_up(offered.grid, behind, odd, per_count)


def _add_up(
    grid: Grid, behind: list[WeighedCandidate], odd: Oddities, per_count: tuple[float, ...]
) -> Attempt:
    """Return a grid with the evidence of the candidates that give it, the best first."""
    # Sorts are stable: candidates of equal weight stay in order.
    behind.sort(key=attrgetter("bits"), reverse=True)
    by_family: dict[str, int] = {}
    evidence = 0.0
    for each in behind:
        family = each.candidate.proposal.family
        n_before = by_family.get(family, 0)
        evidence += 2.0 ** (each.bits - n_before)
        by_family[family] = n_before + 1
    evidence *= 2.0 ** _product(_counts_of(odd), per_count[-N_OF_GRIDS:])
    behind.sort(key=attrgetter("plainness"))
    return Attempt(grid, evidence, tuple(each.candidate for each in behind), odd)
