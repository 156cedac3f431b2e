"""Fit the constants of ranking to runs, and measure their benefit.

`BITS` are fitted so that the right grid has most of the evidence, on test inputs for which some
candidate gives it. `CONFIDENCE` is fitted to how often attempts are right. Both are cross-validated
in two ways: each task is judged by constants fitted without it, and each set by constants fitted
to the other sets. So is the trust in proposers, and whether the bits that they charge are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from math import copysign, log

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arcbatt.proposers.proposer import CONFIDENT
from arcbatt.solving import TaskCandidates, rank_task
from arcbatt.solving.ranking import (
    BITS,
    CONFIDENCE,
    RankedTask,
    Weight,
    weigh,
)
from arcbatt.tasks import Grid, Task

Judge = Callable[[Task, int, Grid], bool]
Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

N_FOLDS = 10
# A reason is one bit per count a priori; RIDGE is in nats per squared bit of difference.
USUAL_BITS = tuple(copysign(1.0, bits) for bits in BITS.values())
RIDGE = 0.1
# Bounds the loss of one test input, however wrong it is.
MIN_SHARE = 1e-3
# The places of trust and choice in `BITS`.
TRUST, CHOICE = 0, 1


@dataclass(frozen=True)
class Judged:
    """The candidates of one task, and the judge of their outputs."""

    candidates: TaskCandidates
    judge: Judge

    def is_right(self, ranked: RankedTask) -> list[list[bool]]:
        """Return whether attempts are right, by test input."""
        task = ranked.task
        return [
            [self.judge(task, k, attempt.grid) for attempt in test.attempts]
            for k, test in enumerate(ranked.tests)
        ]


class _Choices:
    """Arrays to fit bits to, with a row for each candidate and test input."""

    def __init__(self, runs: Sequence[Judged]) -> None:
        rows: list[tuple[int, int, bool, Weight, str]] = []
        families: dict[tuple[int, str], int] = {}
        self.task_of_test: list[int] = []
        n_grids = 0
        for number, judged in enumerate(runs):
            candidates = judged.candidates
            for k in range(len(candidates.task.test_inputs)):
                places: dict[Grid, int] = {}
                rights: dict[Grid, bool] = {}
                for each in candidates.kept:
                    grid = each.trial.outputs[k]
                    if grid is None:
                        continue
                    if grid not in places:
                        places[grid] = n_grids + len(places)
                        rights[grid] = judged.judge(candidates.task, k, grid)
                    kin = families.setdefault((places[grid], each.proposal.family), len(families))
                    weight = weigh(each, candidates.oddities(k, grid))
                    test = len(self.task_of_test)
                    rows.append((test, kin, rights[grid], weight, each.proposer))
                n_grids += len(places)
                self.task_of_test.append(number)
        test, kin, right, weights, proposers = zip(*rows, strict=True)
        self.test, self.kin, self.right = np.array(test), np.array(kin), np.array(right)
        self.counts = np.array([each.counts for each in weights], np.float64)
        self.nearness = np.array([each.nearness for each in weights])
        self.proposers = np.array(proposers)
        self.usual = np.array(USUAL_BITS)
        self.n_tests = len(self.task_of_test)
        # By test input, whether some candidate gives the right grid.
        self.offered = np.bincount(self.test, self.right, self.n_tests) > 0

    def loss(self, per_count: Floats, tests: Flags) -> tuple[float, Floats]:
        """Return the log loss of the right grids in nats, and its gradient."""
        bits = self.nearness + self.counts @ per_count
        order = np.lexsort((-bits, self.kin))
        starts = np.flatnonzero(np.diff(self.kin[order], prepend=-1))
        lengths = np.diff(starts, append=len(order))
        n_before = np.empty(len(order))
        n_before[order] = np.arange(len(order)) - np.repeat(starts, lengths)
        weights = 2.0 ** np.maximum(bits - n_before, -900)
        total = np.bincount(self.test, weights, self.n_tests)
        used = tests & self.offered & (total > 0)
        share = np.ones(self.n_tests)
        rightly = np.bincount(self.test, weights * self.right, self.n_tests)
        np.divide(rightly, total, share, where=used)
        kept = MIN_SHARE + (1 - MIN_SHARE) * share
        slope = np.where(used, (1 - MIN_SHARE) / kept, 0.0) / np.where(used, total, 1.0)
        by_row = slope[self.test] * weights * (self.right - share[self.test])
        return float(-np.log(kept[used]).sum()), -log(2) * (self.counts.T @ by_row)

    def fit(self, tests: Flags) -> Floats:
        """Return the bits per count with the least loss on some test inputs."""
        part = self._of(tests)
        everything = np.ones(part.n_tests, np.bool_)

        def objective(per_count: Floats) -> tuple[float, Floats]:
            loss, gradient = part.loss(per_count, everything)
            away = per_count - part.usual
            return loss + RIDGE * float(away @ away), gradient + 2 * RIDGE * away

        return _minimize(objective, part.usual)

    def _of(self, tests: Flags) -> _Choices:
        """Return the rows of some test inputs for which a candidate is right."""
        part = copy(self)
        rows = (tests & self.offered)[self.test]
        for name in ("kin", "right", "counts", "nearness", "proposers"):
            setattr(part, name, getattr(self, name)[rows])
        _, part.test = np.unique(self.test[rows], return_inverse=True)
        part.n_tests = int(part.test.max(initial=-1)) + 1
        part.offered = np.ones(part.n_tests, np.bool_)
        return part

    def with_proposers(self, names: Sequence[str]) -> _Choices:
        """Return a copy that fits the trust in each proposer and a factor of its bits.

        Trust is relative to that of the first proposer.
        """
        extended = copy(self)
        of = [self.proposers == name for name in names]
        choice, trust = self.counts[:, CHOICE], self.counts[:, TRUST]
        columns = [*(choice * each for each in of), *of[1:]]
        others = np.delete(self.counts, (TRUST, CHOICE), axis=1)
        extended.counts = np.column_stack([others, *columns]).astype(np.float64)
        trusts = [float(trust[each].max(initial=0.0)) for each in of]
        usual = np.delete(self.usual, (TRUST, CHOICE))
        extended.usual = np.array(
            [*usual, *(-1.0 for _ in names), *(each - trusts[0] for each in trusts[1:])]
        )
        return extended


def _minimize(objective: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    """Minimize by BFGS until a step gains almost nothing."""
    at, inverse = start, 0.05 * np.eye(len(start))
    value, gradient = objective(at)
    for _ in range(100):
        direction = -inverse @ gradient
        scale = 1.0
        while scale > 1e-6:
            new_value, new_gradient = objective(at + scale * direction)
            if new_value < value + 1e-4 * scale * float(direction @ gradient):
                break
            scale /= 3
        else:
            return at
        step, change = scale * direction, new_gradient - gradient
        if float(step @ change) > 1e-12:
            rho = 1 / float(step @ change)
            left = np.eye(len(start)) - rho * np.outer(step, change)
            inverse = left @ inverse @ left.T + rho * np.outer(step, step)
        gain = value - new_value
        at, value, gradient = at + step, new_value, new_gradient
        if gain < 1e-4:
            return at
    return at


def fit_confidence(features: Floats, right: Floats, sets: Numbers) -> Floats:
    """Fit the constants of confidence by Newton's method; each set counts the same.

    Otherwise the largest set would decide how sure the others are.
    """
    _, place, n_in_set = np.unique(sets, return_inverse=True, return_counts=True)
    weights = len(sets) / len(n_in_set) / n_in_set[place]
    fitted = np.zeros(features.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-features @ fitted))
        hessian = (features * (weights * p * (1 - p))[:, None]).T @ features
        hessian += 1e-2 * np.eye(len(fitted))
        fitted += np.linalg.solve(hessian, features.T @ (weights * (right - p)) - 1e-2 * fitted)
    return fitted


def folds_of(runs: Sequence[Judged]) -> Numbers:
    """Return the fold of each task; tasks of one id are in one fold."""
    ids = sorted({judged.candidates.task.id for judged in runs})
    fold = {task_id: place % N_FOLDS for place, task_id in enumerate(ids)}
    return np.array([fold[judged.candidates.task.id] for judged in runs])


@dataclass(frozen=True)
class ConfidenceRows:
    """Test inputs with an attempt: features, whether one is right, confidence, the task."""

    features: Floats
    right: Floats
    confidence: Floats
    tasks: Numbers


def confidence_rows(runs: Sequence[Judged], ranked: Sequence[RankedTask]) -> ConfidenceRows:
    """Return the test inputs with an attempt."""
    features, right, confidence, tasks = [], [], [], []
    for number, (judged, each) in enumerate(zip(runs, ranked, strict=True)):
        for test, attempts in zip(each.tests, judged.is_right(each), strict=True):
            if test.features:
                features.append(test.features)
                right.append(any(attempts))
                confidence.append(test.confidence)
                tasks.append(number)
    return ConfidenceRows(
        np.array(features), np.array(right, np.float64), np.array(confidence), np.array(tasks)
    )


@dataclass
class _Fit:
    """Constants on trial: the loss, the ranked tasks and the confidence that they lead to."""

    nats: float
    ranked: list[RankedTask]
    rows: ConfidenceRows
    confidence: Floats
    bits: Floats | None = None
    confidence_weights: Floats | None = None

    @classmethod
    def current(cls, choices: _Choices, runs: Sequence[Judged]) -> _Fit:
        """Return what the current constants lead to."""
        bits = np.array(list(BITS.values()))
        ranked = [rank_task(judged.candidates) for judged in runs]
        rows = confidence_rows(runs, ranked)
        nats, _ = choices.loss(bits, np.ones(choices.n_tests, np.bool_))
        return cls(nats, ranked, rows, rows.confidence, bits, np.array(list(CONFIDENCE.values())))

    @classmethod
    def fitted(
        cls, choices: _Choices, runs: Sequence[Judged], set_of: Numbers, groups: Numbers
    ) -> _Fit:
        """Fit constants for each group of tasks to the other groups; for a single one, to it.

        `set_of` has the set of each task.
        """
        tasks = np.array(choices.task_of_test)
        names = np.unique(groups)
        is_whole = len(names) == 1
        bits = {name: choices.fit((groups != name)[tasks] | is_whole) for name in names}
        nats = sum(choices.loss(bits[name], (groups == name)[tasks])[0] for name in names)
        ranked = [
            rank_task(judged.candidates, tuple(bits[name]))
            for judged, name in zip(runs, groups, strict=True)
        ]
        rows = confidence_rows(runs, ranked)
        confidence = np.empty(len(rows.right))
        of_row = groups[rows.tasks]
        for name in names:
            used, judged = (of_row != name) | is_whole, of_row == name
            constants = fit_confidence(
                rows.features[used], rows.right[used], set_of[rows.tasks][used]
            )
            confidence[judged] = 1 / (1 + np.exp(-rows.features[judged] @ constants))
        if is_whole:
            return cls(nats, ranked, rows, confidence, bits[names[0]], constants)
        return cls(nats, ranked, rows, confidence)

    def brier(self, tests: Flags) -> float:
        """Return the Brier score of confidence on some test inputs."""
        return (
            float(((self.confidence - self.rows.right)[tests] ** 2).mean()) if tests.any() else 0.0
        )

    def sure(self, tests: Flags) -> str:
        """Return how many of some test inputs are sure, and the share of these that is right."""
        is_sure = tests & (self.confidence >= CONFIDENT)
        if not is_sure.any():
            return "0"
        return f"{is_sure.sum()}: {self.rows.right[is_sure].mean():.2f}"


def fit(console: Console, sets: Mapping[str, Sequence[Judged]]) -> None:
    """Fit all constants to several sets together, and print their benefit on each."""
    runs = [judged for each in sets.values() for judged in each]
    set_of = np.repeat(np.arange(len(sets)), [len(each) for each in sets.values()])
    choices = _Choices(runs)
    fits = {
        "current": _Fit.current(choices, runs),
        "fitted": _Fit.fitted(choices, runs, set_of, np.zeros(len(runs), np.int64)),
        "each task by the others": _Fit.fitted(choices, runs, set_of, folds_of(runs)),
    }
    if len(sets) > 1:
        fits["each set by the others"] = _Fit.fitted(choices, runs, set_of, set_of)
    show_sets(console, {**sets, "all": runs}, runs, fits, set_of)
    constants = fits["fitted"]
    for title, names, values in (
        ("BITS", BITS, constants.bits),
        ("CONFIDENCE", CONFIDENCE, constants.confidence_weights),
    ):
        assert values is not None
        console.print(f"{title} = {{", highlight=False)
        for words, value in zip(names, values, strict=True):
            console.print(f'    "{words}": {value:.2f},', highlight=False)
        console.print("}", highlight=False)
    show_proposers(console, choices)


def show_sets(
    console: Console,
    sets: Mapping[str, Sequence[Judged]],
    runs: Sequence[Judged],
    fits: Mapping[str, _Fit],
    set_of: Numbers,
) -> None:
    """Print a table for each kind of fit: the tasks solved, and confidence, by set."""
    for name, each in fits.items():
        headings = ("", "tasks", "solved", "1 attempt", "Brier score", "sure: right")
        table = Table(*headings, title=f"{name}: {each.nats:.1f} nats lost")
        right = [judged.is_right(ranked) for judged, ranked in zip(runs, each.ranked, strict=True)]
        for number, label in enumerate(sets):
            is_in = (set_of == number) | (number == len(sets) - 1)
            tests = is_in[each.rows.tasks]
            mine = [right[k] for k in np.flatnonzero(is_in)]
            table.add_row(
                label,
                str(len(mine)),
                str(sum(all(map(any, task)) for task in mine)),
                str(sum(all(test[0] for test in task) for task in mine)),
                f"{each.brier(tests):.3f}",
                each.sure(tests),
            )
        console.print(table)


def show_proposers(console: Console, choices: _Choices) -> None:
    """Print the fitted trust in each proposer, and the factor by which its bits are off."""
    counts = Counter(choices.proposers[choices.offered[choices.test]].tolist())
    names = [name for name, _ in counts.most_common()]
    both = choices.with_proposers(names)
    everything = np.ones(choices.n_tests, np.bool_)
    plain = choices.fit(everything)
    fitted = both.fit(everything)
    factors, trusts = np.split(fitted[len(BITS) - 2 :], [len(names)])
    current = [
        float(choices.counts[choices.proposers == name, TRUST].max()) * plain[TRUST]
        for name in names
    ]
    table = Table("", "bits per bit of choice", "bits of trust", "fitted", title="proposers")
    for name, factor, old, new in zip(names, factors, current, [0.0, *trusts], strict=True):
        table.add_row(name, f"{factor:.2f}", f"{old - current[0]:+.2f}", f"{new:+.2f}")
    console.print(table)
    losses = (choices.loss(plain, everything)[0], both.loss(fitted, everything)[0])
    console.print("nats lost, fitted to all: {:.1f}; with these instead: {:.1f}".format(*losses))
