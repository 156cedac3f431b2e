"""Candidates of a task in, two attempts for each test input out.

Attempts are grids: the evidence for a grid is summed over all candidates that give it. One
candidate counts 2 to the power of its weight in bits:

    weight = nearness + trust - choice - costs

- choice: the bits that the proposer says went into the program, more where it was made for, or
  learnt, all demos that it fits, and finds none unseen;
- trust: the logarithm of what its proposer is trusted with;
- nearness: where no demo comes out right, log2(0.02) + 4 log2(credit / 1000), otherwise 0;
- costs: for each fault that it has (`FAULTS`) what that costs (`COSTS`):
  - a demo does not come out right; then again for each demo that does not;
  - it learns from the demos, and not all that it fits come out right when it is not shown them, or
    that is unknown;
  - it gives something else on a copy of the task, for each (`arcbatt.evaluation.copies`);
  - the grid lacks a property that all demos share, for each up to `MAX_BROKEN` (`properties`).

Candidates of one family are kin, and agree for that reason alone: of a family the heaviest counts
in full, the next half, then a quarter, so that all together count at most twice. Families are
summed.

The first attempt is the grid with the most evidence. The second is that with the most among the
others, a grid that only the first one's families give counting `KIN_SHARE`. Where there are too few
grids, the input itself and simple variants stand in: no attempt is ever empty.

    confidence = 1 / (1 + exp(-(A + B * log2(evidence of the first) + C * its share + D * few)))

with few being 1 where the best program behind the first learns from two demos or fewer, else 0; of
several test inputs, the least. What `COSTS` and `CONFIDENCE` are is fitted to what was right on
ARC-AGI-1 training without the bundled solvers; `python bench/solve.py --fit` fits them anew and
says, cross-validated by task, what they are worth.
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
KIN_SHARE = 0.9
LEAST_EVIDENCE = 1e-12
MAX_BROKEN = 4
# From so few demos anything can be learnt.
FEW_DEMOS = 2

FAULTS = (
    "does not fit all demos",
    "demos missed",
    "not found again unseen",
    "copies lost",
    "properties broken",
)
COSTS = (1.5, 3.2, 1.6, 1.6, 1.6)  # bits each, in the order of FAULTS
CONFIDENCE = (0.18, 0.33, 3.41, -0.37)


@dataclass(frozen=True, slots=True)
class Weight:
    """What one candidate counts for a grid that it gives, in bits; `faults` are counts."""

    choice: float
    trust: float
    nearness: float
    faults: tuple[int, ...]

    @property
    def prior(self) -> float:
        """What it counts but for its faults."""
        return self.trust + self.nearness - self.choice

    def bits(self, costs: Sequence[float] = COSTS) -> float:
        """Return the sum of all parts."""
        return self.prior - sum(
            count * cost for count, cost in zip(self.faults, costs, strict=True)
        )

    @property
    def parts(self) -> dict[str, float]:
        """The bits that each part takes from it, by name; what takes none is left out."""
        parts = {"choice": self.choice, "trust": -self.trust, "credit": -self.nearness}
        for name, count, cost in zip(FAULTS, self.faults, COSTS, strict=True):
            parts[name] = count * cost
        return {name: bits for name, bits in parts.items() if bits}


def weigh(candidate: Candidate, n_broken: int = 0) -> Weight:
    """Return what one candidate counts for a grid that breaks so many shared properties."""
    trial = candidate.trial
    n_missed = trial.n_demos - trial.n_fitted
    nearness = 0.0
    if not trial.n_fitted:
        nearness = log2(NEARLY_RIGHT) + 4 * log2(max(trial.credit, 1) / FULL_CREDIT)
    faults = (
        int(n_missed > 0),
        n_missed,
        int(not trial.holds_unseen),
        N_COPIES - trial.n_copies,
        min(n_broken, MAX_BROKEN),
    )
    return Weight(candidate.proposal.bits, log2(candidate.trust), nearness, faults)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A grid for a test input, with all that speaks for it, the plainest first.

    `broken` names the properties that all demos share and it lacks. A grid that nobody offered has
    no evidence and nobody behind it.
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
        """What the first of them counts."""
        return None if self.best is None else weigh(self.best, len(self.broken))

    @property
    def families(self) -> frozenset[str]:
        return frozenset(kept.proposal.family for kept in self.supporters)


@dataclass(frozen=True, slots=True)
class RankedTest:
    """The two attempts at one test input, how sure they are, and the other grids, best first."""

    attempts: tuple[Attempt, Attempt]
    confidence: float
    lost: tuple[Attempt, ...]

    @property
    def total_evidence(self) -> float:
        """The evidence for all grids."""
        return sum(attempt.evidence for attempt in (*self.attempts, *self.lost))

    @property
    def n_grids(self) -> int:
        """How many different grids were offered."""
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
        """What gave the first attempt at the first test input."""
        return self.tests[0].attempts[0].best

    @property
    def winners(self) -> list[Candidate]:
        """What gave the attempts, first attempts first, each once."""
        found = (test.attempts[k].best for k in range(N_ATTEMPTS) for test in self.tests)
        return list({id(kept): kept for kept in found if kept is not None}.values())


def confidence_features(first: Attempt, total: float) -> tuple[float, ...]:
    """Return what confidence is computed from: 1, the evidence in bits, its share, few demos."""
    known = max(first.evidence, LEAST_EVIDENCE)
    trial = None if first.best is None else first.best.trial
    is_few = trial is not None and trial.learns and trial.n_demos <= FEW_DEMOS
    return 1.0, log2(known), known / max(total, known), float(is_few)


def confidence_in(first: Attempt, total: float) -> float:
    """Return how sure one can be that one of two attempts is right."""
    features = confidence_features(first, total)
    return 1 / (1 + exp(-sum(a * b for a, b in zip(CONFIDENCE, features, strict=True))))


def rank_task(candidates: TaskCandidates, costs: Sequence[float] = COSTS) -> RankedTask:
    """Return two attempts, not the same, for each test input of a task."""
    task = candidates.task
    # Without what a grid breaks, which takes the same from all that give it.
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
            return attempt.evidence * (KIN_SHARE if attempt.families <= known else 1.0)

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
    # Of equal weight they stay in the order that they come in, the best first.
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
    """Return what candidates of the same grid are shown by: faults in demos, choice, calls.

    Who found it tells nothing to whoever reads it, nor whether its rule is symmetric.
    """
    weight = weigh(candidate)
    of_demos = sum(n * cost for n, cost in zip(weight.faults[:3], costs, strict=False))
    return of_demos - weight.nearness, round(weight.choice), candidate.program.n_calls


def _order(attempt: Attempt) -> tuple[object, ...]:
    """The most evidence first; the grid itself makes ties the same on every run."""
    return (-attempt.evidence, attempt.grid)
