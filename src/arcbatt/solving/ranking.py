"""Candidates of a task in, two attempts for each test input out.

Attempts are grids: the evidence for a grid is summed over all candidates that give it. One
candidate counts

    weight = fit * simplicity * trust * held out

- fit: 1 if all demos come out right; 1/32 for each that does not, if some do; 0.02 / 32 for each
  demo, times (credit / 1000)^4, if none does;
- simplicity: 1/2 for every bit of choice that went into it;
- trust: what the proposer is trusted with (1 for programs that were there before the task, less for
  what was searched for until it fitted);
- held out: for a program that learns from the demos, (1 + h) / (1 + demos), h of them being right
  when it does not see them, none where that is unknown; 1 for a program that learns nothing.

Candidates of one family are kin, and agree for that reason alone: of a family the heaviest counts
in full, the next half, then a quarter, so that all together count at most twice. Families are
summed.

The first attempt is the grid with the most evidence. The second is that with the most among the
others, a grid that only the first one's families give counting `KIN_SHARE`. Where there are too few
grids, the input itself and simple variants stand in: no attempt is ever empty.

    confidence = 1 / (1 + exp(-(A + B * log2(evidence of the first) + C * its share)))

with A, B and C fitted to what was right on ARC-AGI-1 training without the bundled solvers
(`python bench/solve.py --confidence FILE` fits them anew and draws how well they hold); of several
test inputs, the least.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import exp, log2

from arcbatt.evaluation import FULL_CREDIT
from arcbatt.proposers import Candidate
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.submission import N_ATTEMPTS, stand_ins

from .candidates import TaskCandidates

MISSED_DEMO = 1 / 32
NEARLY_RIGHT = 0.02
KIN_SHARE = 0.9
CONFIDENCE = (-0.81, 0.26, 3.54)
LEAST_EVIDENCE = 1e-12


def weigh(candidate: Candidate) -> float:
    """Return what one candidate counts."""
    trial = candidate.trial
    if trial.fits:
        fit = 1.0
    elif trial.n_fitted:
        fit = MISSED_DEMO ** (trial.n_demos - trial.n_fitted)
    else:
        fit = MISSED_DEMO**trial.n_demos * NEARLY_RIGHT * (trial.credit / FULL_CREDIT) ** 4
    simplicity = 0.5**candidate.proposal.bits
    held_out = 1.0
    if trial.learns:
        held_out = (1 + (trial.n_held_out or 0)) / (1 + trial.n_demos)
    return float(fit * simplicity * candidate.trust * held_out)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A grid for a test input, with all that speaks for it, the heaviest first.

    A grid that nobody offered has no evidence and nobody behind it.
    """

    grid: Grid
    evidence: float
    supporters: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate | None:
        return self.supporters[0] if self.supporters else None

    @property
    def families(self) -> frozenset[str]:
        return frozenset(kept.proposal.family for kept in self.supporters)


@dataclass(frozen=True, slots=True)
class RankedTest:
    """The two attempts at one test input, and how sure they are."""

    attempts: tuple[Attempt, Attempt]
    confidence: float
    n_grids: int
    total_evidence: float  # for all grids


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
        """What gave the first attempt at the first test input."""
        return self.tests[0].attempts[0].best

    @property
    def winners(self) -> list[Candidate]:
        """What gave the attempts, first attempts first, each once."""
        found = (test.attempts[k].best for k in range(N_ATTEMPTS) for test in self.tests)
        return list({id(kept): kept for kept in found if kept is not None}.values())


def confidence_features(evidence: float, total: float) -> tuple[float, float, float]:
    """Return what confidence is computed from: 1, the evidence in bits, its share."""
    known = max(evidence, LEAST_EVIDENCE)
    return 1.0, log2(known), known / max(total, known)


def confidence_in(evidence: float, total: float) -> float:
    """Return how sure one can be that one of two attempts is right."""
    features = confidence_features(evidence, total)
    return 1 / (1 + exp(-sum(a * b for a, b in zip(CONFIDENCE, features, strict=True))))


def rank_task(candidates: TaskCandidates) -> RankedTask:
    """Return two attempts, not the same, for each test input of a task."""
    task = candidates.task
    kept = candidates.kept
    weights = [weigh(each) for each in kept]
    return RankedTask(
        task, tuple(_rank_test(task, k, kept, weights) for k in range(len(task.test_inputs)))
    )


def _rank_test(task: Task, index: int, kept: list[Candidate], weights: list[float]) -> RankedTest:
    supporters: dict[Grid, list[tuple[float, Candidate]]] = {}
    for weight, each in zip(weights, kept, strict=True):
        grid = each.trial.outputs[index]
        if grid is not None:
            supporters.setdefault(grid, []).append((weight, each))
    offered = [_attempt(grid, behind) for grid, behind in supporters.items()]
    offered.sort(key=_order)
    chosen = offered[:1]
    if len(offered) > 1:
        known = offered[0].families

        def merit(attempt: Attempt) -> float:
            return attempt.evidence * (KIN_SHARE if attempt.families <= known else 1.0)

        chosen.append(max(offered[1:], key=merit))
    total = sum(attempt.evidence for attempt in offered)
    confidence = confidence_in(offered[0].evidence, total) if offered else 0.0
    for grid in stand_ins(task.test_inputs[index]):
        if len(chosen) == N_ATTEMPTS:
            break
        if all(grid != attempt.grid for attempt in chosen):
            chosen.append(Attempt(grid, 0.0, ()))
    first, second = chosen
    return RankedTest((first, second), confidence, len(offered), total)


def _attempt(grid: Grid, behind: list[tuple[float, Candidate]]) -> Attempt:
    behind.sort(key=lambda pair: (-pair[0], pair[1].rank))
    by_family: Counter[str] = Counter()
    evidence = 0.0
    for weight, kept in behind:
        family = kept.proposal.family
        evidence += weight * 0.5 ** by_family[family]
        by_family[family] += 1
    return Attempt(grid, evidence, tuple(kept for _, kept in behind))


def _order(attempt: Attempt) -> tuple[object, ...]:
    """The most evidence first; the grid itself makes ties the same on every run."""
    return (-attempt.evidence, attempt.grid)
