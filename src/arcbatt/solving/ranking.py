"""Rank a task's candidates and pick two attempts per test input.

Attempts are grids. The evidence for a grid is summed over all candidates that give it; a candidate
counts 2 to the power of its weight in bits:

    weight = nearness + trust - choice - costs

- choice: the bits of the proposal, including the penalty for programs that may have memorized the
  demos;
- trust: the logarithm of the proposer's trust;
- nearness: if no demo is right, log2(0.02) + 4 log2(credit / 1000), otherwise 0;
- costs: for each fault (`FAULTS`) its cost (`COSTS`):
  - some demo is wrong; then again for each wrong demo;
  - the program learns from the demos, and some demo that it fits is wrong, or was not tried, when
    it is held out;
  - for each copy of the task (`arcbatt.evaluation.copies`) on which it gives something else;
  - for each property that all demos share and the grid lacks (`properties`), up to `MAX_BROKEN`.

Agreement within a family is weak evidence: its heaviest candidate counts in full, the next half,
then a quarter, so that a family counts at most twice its best. Families are summed.

The first attempt is the grid with the most evidence, the second the best of the others, where a
grid given only by families of the first counts `SAME_FAMILY_SHARE`. If there are too few grids,
the input itself and simple variants of it stand in: no attempt is ever empty.

    confidence = 1 / (1 + exp(-(A + B * log2(evidence of the first) + C * its share + D * few)))

where few is 1 if the best program behind the first attempt learns from at most two demos, else 0.
Of several test inputs the lowest confidence counts. `COSTS` and `CONFIDENCE` are fitted to
ARC-AGI-1 training without the bundled solvers: `python bench/solve.py --fit` fits them again and
cross-validates them by task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log2

from arcbatt.evaluation import FULL_CREDIT, N_COPIES
from arcbatt.proposers import Candidate
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.submission import N_ATTEMPTS, stand_ins

from .candidates import TaskCandidates

NEARLY_RIGHT = 0.02
SAME_FAMILY_SHARE = 0.9
LEAST_EVIDENCE = 1e-12
MAX_BROKEN = 4
# With this few demos, learning is unreliable.
FEW_DEMOS = 2

FAULTS = (
    "does not fit all demos",
    "demos missed",
    "held-out demos missed",
    "copies lost",
    "properties broken",
)
COSTS = (1.5, 3.2, 1.6, 1.6, 1.6)  # bits each, in the order of FAULTS
CONFIDENCE = (0.18, 0.33, 3.41, -0.37)


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of a candidate for a grid that it gives, in bits; `faults` are counts."""

    choice: float
    trust: float
    nearness: float
    faults: tuple[int, ...]

    @property
    def prior(self) -> float:
        """The weight without faults."""
        return self.trust + self.nearness - self.choice

    def bits(self, costs: Sequence[float] = COSTS) -> float:
        """Return the sum of all parts."""
        return self.prior - sum(
            count * cost for count, cost in zip(self.faults, costs, strict=True)
        )

    @property
    def parts(self) -> dict[str, float]:
        """The bits that each part subtracts, by name, without zeros."""
        parts = {"choice": self.choice, "trust": -self.trust, "credit": -self.nearness}
        for name, count, cost in zip(FAULTS, self.faults, COSTS, strict=True):
            parts[name] = count * cost
        return {name: bits for name, bits in parts.items() if bits}


def weigh(candidate: Candidate, n_broken: int = 0) -> Weight:
    """Return the weight of a candidate for a grid that breaks `n_broken` shared properties."""
    trial = candidate.trial
    n_missed = trial.n_demos - trial.n_fitted
    nearness = 0.0
    if not trial.n_fitted:
        nearness = log2(NEARLY_RIGHT) + 4 * log2(max(trial.credit, 1) / FULL_CREDIT)
    faults = (
        int(n_missed > 0),
        n_missed,
        int(not trial.predicts_held_out),
        N_COPIES - trial.n_copies,
        min(n_broken, MAX_BROKEN),
    )
    return Weight(candidate.proposal.bits, log2(candidate.trust), nearness, faults)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A grid for a test input, with the candidates that give it, the plainest first.

    `broken` names the properties that all demos share and it lacks. A stand-in has no evidence and
    no supporters.
    """

    grid: Grid
    evidence: float
    supporters: tuple[Candidate, ...]
    broken: tuple[str, ...] = ()

    @property
    def best(self) -> Candidate | None:
        return self.supporters[0] if self.supporters else None

    @property
    def weight(self) -> Weight | None:
        """The weight of the best supporter."""
        return None if self.best is None else weigh(self.best, len(self.broken))

    @property
    def families(self) -> frozenset[str]:
        return frozenset(kept.proposal.family for kept in self.supporters)


@dataclass(frozen=True, slots=True)
class RankedTest:
    """The two attempts at a test input, their confidence, and the other grids, best first."""

    attempts: tuple[Attempt, Attempt]
    confidence: float
    lost: tuple[Attempt, ...]

    @property
    def total_evidence(self) -> float:
        """The evidence for all grids."""
        return sum(attempt.evidence for attempt in (*self.attempts, *self.lost))

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


def confidence_features(first: Attempt, total: float) -> tuple[float, ...]:
    """Return the features of confidence: 1, the evidence in bits, its share, few demos."""
    known = max(first.evidence, LEAST_EVIDENCE)
    trial = None if first.best is None else first.best.trial
    is_few = trial is not None and trial.learns and trial.n_demos <= FEW_DEMOS
    return 1.0, log2(known), known / max(total, known), float(is_few)


def confidence_in(first: Attempt, total: float) -> float:
    """Return the estimated probability that one of two attempts is right."""
    features = confidence_features(first, total)
    return 1 / (1 + exp(-sum(a * b for a, b in zip(CONFIDENCE, features, strict=True))))


def rank_task(candidates: TaskCandidates, costs: Sequence[float] = COSTS) -> RankedTask:
    """Return two different attempts for each test input of a task."""
    task = candidates.task
    # Without broken properties, which cost the same for all candidates of a grid.
    weighed = [(weigh(each).bits(costs), each) for each in candidates.kept]
    tests = []
    for k, grid in enumerate(task.test_inputs):
        behind: dict[Grid, list[tuple[float, Candidate]]] = {}
        for bits, each in weighed:
            output = each.trial.outputs[k]
            if output is not None:
                behind.setdefault(output, []).append((bits, each))
        offered = [
            _attempt(output, supporters, candidates.broken(k, output), costs)
            for output, supporters in behind.items()
        ]
        tests.append(_rank_test(grid, sorted(offered, key=_order)))
    return RankedTask(task, tuple(tests))


def _rank_test(test_input: Grid, offered: Sequence[Attempt]) -> RankedTest:
    chosen = list(offered[:1])
    if len(offered) > 1:
        known = offered[0].families

        def merit(attempt: Attempt) -> float:
            return attempt.evidence * (SAME_FAMILY_SHARE if attempt.families <= known else 1.0)

        chosen.append(max(offered[1:], key=merit))
    total = sum(attempt.evidence for attempt in offered)
    confidence = confidence_in(offered[0], total) if offered else 0.0
    lost = tuple(attempt for attempt in offered if all(attempt is not each for each in chosen))
    for grid in stand_ins(test_input):
        if len(chosen) == N_ATTEMPTS:
            break
        if all(grid != attempt.grid for attempt in chosen):
            chosen.append(Attempt(grid, 0.0, ()))
    first, second = chosen
    return RankedTest((first, second), confidence, lost)


def _attempt(
    grid: Grid,
    behind: list[tuple[float, Candidate]],
    broken: tuple[str, ...],
    costs: Sequence[float],
) -> Attempt:
    # The sort is stable: candidates of equal weight stay in order, the best first.
    behind.sort(key=lambda pair: -pair[0])
    by_family: Counter[str] = Counter()
    evidence = 0.0
    for bits, kept in behind:
        family = kept.proposal.family
        evidence += 2.0 ** (bits - by_family[family])
        by_family[family] += 1
    evidence *= 2.0 ** -(costs[-1] * min(len(broken), MAX_BROKEN))
    shown = sorted((kept for _, kept in behind), key=lambda kept: _plainness(kept, costs))
    return Attempt(grid, evidence, tuple(shown), broken)


def _plainness(candidate: Candidate, costs: Sequence[float]) -> tuple[float, ...]:
    """Return the order in which candidates of a grid are shown: faults in demos, choice, calls.

    Trust and copies tell a reader nothing about the program.
    """
    weight = weigh(candidate)
    of_demos = sum(n * cost for n, cost in zip(weight.faults[:3], costs, strict=False))
    return of_demos - weight.nearness, round(weight.choice), candidate.program.n_calls


def _order(attempt: Attempt) -> tuple[object, ...]:
    """Return a sort key: the most evidence first, ties broken by the grid."""
    return (-attempt.evidence, attempt.grid)
