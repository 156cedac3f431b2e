"""Fit the constants of ranking to runs, and measure their benefit.

Costs are fitted so that the right grid has most of the evidence, on test inputs for which some
candidate gives it. Confidence is fitted to how often attempts are right. Both are cross-validated:
each task is judged by constants fitted without it. So are the trust in proposers, and whether the
bits that they charge are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from arcbatt.solving import TaskCandidates, rank_task
from arcbatt.solving.ranking import (
    CONFIDENCE,
    COSTS,
    FAULTS,
    RankedTask,
    Weight,
    confidence_features,
    weigh,
)
from arcbatt.tasks import Grid, Task

Judge = Callable[[Task, int, Grid], bool]
Floats = NDArray[np.float64]

N_FOLDS = 10
# A fault costs one bit a priori; RIDGE is in nats per squared bit of difference.
USUAL_COST, RIDGE = 1.0, 0.1
# Bounds the loss of one test input, however wrong it is.
MIN_SHARE = 1e-3


def without_last_demo(tasks: Sequence[Task]) -> tuple[list[Task], Judge]:
    """Return tasks of three or more demos with the last one as their test, and a judge of them.

    This gives more test inputs to fit to.
    """
    shorter = [
        Task(task.id, task.demos[:-1], (task.demos[-1].input,), task.source)
        for task in tasks
        if len(task.demos) > 2
    ]
    answers = {task.id: task.demos[-1].output for task in tasks}
    return shorter, lambda task, _, grid: answers[task.id] == grid


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
    """Arrays to fit costs to, with a row for each candidate and test input."""

    def __init__(self, runs: Sequence[Judged]) -> None:
        rows: list[tuple[int, int, int, bool, Weight, str]] = []
        families: dict[tuple[int, str], int] = {}
        self.fold_of_test: list[int] = []
        grids = 0
        for judged, fold in zip(runs, folds_of(runs), strict=True):
            candidates = judged.candidates
            for k in range(len(candidates.task.test_inputs)):
                places: dict[Grid, int] = {}
                for each in candidates.kept:
                    grid = each.trial.outputs[k]
                    if grid is None:
                        continue
                    place = places.setdefault(grid, grids + len(places))
                    kin = families.setdefault((place, each.proposal.family), len(families))
                    weight = weigh(each, len(candidates.broken(k, grid)))
                    right = judged.judge(candidates.task, k, grid)
                    test = len(self.fold_of_test)
                    rows.append((test, place, kin, right, weight, each.proposer))
                grids += len(places)
                self.fold_of_test.append(fold)
        test, _, kin, right, weights, proposers = zip(*rows, strict=True)
        self.test, self.kin, self.right = np.array(test), np.array(kin), np.array(right)
        self.prior = np.array([each.prior for each in weights])
        self.faults = np.array([each.faults for each in weights], np.float64)
        self.choice = np.array([each.choice for each in weights])
        self.trust = np.array([each.trust for each in weights])
        self.proposers = np.array(proposers)
        self.usual = np.full(len(COSTS), USUAL_COST)
        self.folds = np.array(self.fold_of_test)
        offered = np.bincount(self.test, self.right, len(self.folds)) > 0
        self.offered = offered  # by test input, whether some candidate gives the right grid

    def loss(self, costs: Floats, tests: NDArray[np.bool_]) -> tuple[float, Floats]:
        """Return the log loss of the right grids in nats, and its gradient by costs."""
        bits = self.prior - self.faults @ costs
        order = np.lexsort((-bits, self.kin))
        starts = np.flatnonzero(np.diff(self.kin[order], prepend=-1))
        lengths = np.diff(starts, append=len(order))
        n_before = np.empty(len(order))
        n_before[order] = np.arange(len(order)) - np.repeat(starts, lengths)
        weights = 2.0 ** np.maximum(bits - n_before, -900)
        n_tests = len(self.folds)
        total = np.bincount(self.test, weights, n_tests)
        used = tests & self.offered & (total > 0)
        share = np.ones(n_tests)
        np.divide(np.bincount(self.test, weights * self.right, n_tests), total, share, where=used)
        kept = MIN_SHARE + (1 - MIN_SHARE) * share
        slope = np.where(used, (1 - MIN_SHARE) / kept, 0.0) / np.where(used, total, 1.0)
        by_row = slope[self.test] * weights * (self.right - share[self.test])
        return float(-np.log(kept[used]).sum()), log(2) * (self.faults.T @ by_row)

    def with_proposers(self, names: Sequence[str]) -> _Choices:
        """Return a copy that also fits a factor of each proposer's bits and its lack of trust.

        Trust is relative to that of the first proposer.
        """
        extended = copy(self)
        of = [self.proposers == name for name in names]
        extended.prior = self.prior - self.trust + self.choice
        columns = [*self.faults.T, *(self.choice * each for each in of), *of[1:]]
        extended.faults = np.stack(columns, axis=1).astype(np.float64)
        trust = [float(self.trust[each].max(initial=0.0)) for each in of]
        lacking = [trust[0] - each for each in trust[1:]]
        extended.usual = np.array([*self.usual, *(1.0 for _ in names), *lacking])
        return extended

    def cross_validated(self) -> float:
        """Return the loss in nats, cross-validated by task."""
        folds = [(self.folds != fold, self.folds == fold) for fold in range(N_FOLDS)]
        return sum(self.loss(self.fit(others), these)[0] for others, these in folds)

    def fit(self, tests: NDArray[np.bool_]) -> Floats:
        """Return the costs with the least loss on some test inputs."""
        start = self.usual

        def objective(costs: Floats) -> tuple[float, Floats]:
            loss, gradient = self.loss(costs, tests)
            away = costs - start
            return loss + RIDGE * float(away @ away), gradient + 2 * RIDGE * away

        return _minimize(objective, start)


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


def fit_confidence(features: Floats, right: Floats) -> Floats:
    """Fit the constants of confidence by Newton's method."""
    fitted = np.zeros(features.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-features @ fitted))
        hessian = (features * (p * (1 - p))[:, None]).T @ features
        hessian += 1e-2 * np.eye(len(fitted))
        fitted += np.linalg.solve(hessian, features.T @ (right - p) - 1e-2 * fitted)
    return fitted


def folds_of(runs: Sequence[Judged]) -> list[int]:
    """Return the fold of each task; tasks of one id are in one fold."""
    ids = sorted({judged.candidates.task.id for judged in runs})
    fold = {task_id: place % N_FOLDS for place, task_id in enumerate(ids)}
    return [fold[judged.candidates.task.id] for judged in runs]


def confidence_rows(
    runs: Sequence[Judged], ranked: Sequence[RankedTask]
) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """Return features, rightness, confidence and fold of test inputs with an attempt."""
    features, right, confidence, folds = [], [], [], []
    for judged, each, fold in zip(runs, ranked, folds_of(runs), strict=True):
        for test, attempts in zip(each.tests, judged.is_right(each), strict=True):
            if test.attempts[0].best is not None:
                features.append(confidence_features(test.attempts[0], test.total_evidence))
                right.append(any(attempts))
                confidence.append(test.confidence)
                folds.append(fold)
    return np.array(features), np.array(right, np.float64), np.array(confidence), np.array(folds)


def fit(console: Console, sets: dict[str, Sequence[Judged]]) -> None:
    """Fit all constants to several sets together, and print their benefit on each."""
    runs = [judged for each in sets.values() for judged in each]
    choices = _Choices(runs)
    everything = np.ones(len(choices.folds), np.bool_)
    costs = choices.fit(everything)
    by_fold = [choices.fit(choices.folds != fold) for fold in range(N_FOLDS)]
    folds = folds_of(runs)
    present = np.array(COSTS)
    losses = {
        "current": choices.loss(present, everything)[0],
        "cross-validated": sum(
            choices.loss(by_fold[fold], choices.folds == fold)[0] for fold in range(N_FOLDS)
        ),
        "fitted": choices.loss(costs, everything)[0],
    }
    used = {
        "current": [present] * len(runs),
        "cross-validated": [by_fold[fold] for fold in folds],
        "fitted": [costs] * len(runs),
    }
    headings = ["costs", *FAULTS, "nats lost"]
    for name in sets:
        headings += [f"{name}: solved", "1 attempt"]
    table = Table(*headings, "Brier score", title="ranking")
    for name, per_task in used.items():
        ranked = [
            rank_task(judged.candidates, tuple(each))
            for judged, each in zip(runs, per_task, strict=True)
        ]
        cells = [f"{losses[name]:.1f}"]
        begin = 0
        for of_set in sets.values():
            right = [
                judged.is_right(each)
                for judged, each in zip(of_set, ranked[begin : begin + len(of_set)], strict=True)
            ]
            cells.append(str(sum(all(map(any, task)) for task in right)))
            cells.append(str(sum(all(test[0] for test in task) for task in right)))
            begin += len(of_set)
        features, is_right, confidence, fold_of = confidence_rows(runs, ranked)
        if name == "cross-validated":
            confidence = np.empty(len(is_right))
            for fold in range(N_FOLDS):
                constants = fit_confidence(features[fold_of != fold], is_right[fold_of != fold])
                confidence[fold_of == fold] = 1 / (
                    1 + np.exp(-features[fold_of == fold] @ constants)
                )
        if name == "fitted":
            constants = fit_confidence(features, is_right)
            confidence = 1 / (1 + np.exp(-features @ constants))
        shown = (
            [""] * len(FAULTS) if name == "cross-validated" else [f"{c:.2f}" for c in per_task[0]]
        )
        table.add_row(name, *shown, *cells, f"{float(((confidence - is_right) ** 2).mean()):.3f}")
    console.print(table)
    console.print("COSTS = (" + ", ".join(f"{each:.2f}" for each in costs) + ")")
    console.print("CONFIDENCE = (" + ", ".join(f"{each:.2f}" for each in constants) + ")")
    console.print(f"current CONFIDENCE: {CONFIDENCE}")
    show_proposers(console, choices)


def show_proposers(console: Console, choices: _Choices) -> None:
    """Print the fitted trust in each proposer, and the factor by which its bits are off."""
    counts = Counter(choices.proposers[choices.offered[choices.test]].tolist())
    names = [name for name, _ in counts.most_common()]
    both = choices.with_proposers(names)
    fitted = both.fit(np.ones(len(choices.folds), np.bool_))[len(COSTS) :]
    table = Table("", "factor of its bits", "current trust", "fitted", title="proposers")
    lacking, current = [0.0, *fitted[len(names) :]], [0.0, *both.usual[len(COSTS) + len(names) :]]
    for k, name in enumerate(names):
        trusts = (f"{2.0 ** -each[k]:.2f}" for each in (current, lacking))
        table.add_row(name, f"{fitted[k]:.2f}", *trusts)
    console.print(table)
    console.print(
        f"nats lost, cross-validated: {choices.cross_validated():.1f} current, "
        f"{both.cross_validated():.1f} fitted"
    )
