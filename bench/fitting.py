"""What ranking is worth, and what its constants should be: runs in, costs and confidence out.

Costs are fitted so that the right grid has most of the evidence, on test inputs for which some
candidate gives it; confidence so that it says how often attempts are right. What is said of them
is cross-validated: of every task by constants that were fitted without it. So is what proposers are
trusted with, and whether the bits that they count are as many as they say.
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
# A fault costs a bit unless test inputs say otherwise: nats for a bit of difference, squared.
USUAL_COST, RIDGE = 1.0, 0.1
# No test input counts for more than this many nats, however wrong it goes.
LEAST_SHARE = 1e-3


def without_last_demo(tasks: Sequence[Task]) -> tuple[list[Task], Judge]:
    """Return tasks of three demos or more without the last, which is asked for, and their judge.

    So a set has more test inputs to fit to, from fewer demos each.
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
    """The candidates of one task, and who says what is right."""

    candidates: TaskCandidates
    judge: Judge

    def is_right(self, ranked: RankedTask) -> list[list[bool]]:
        """Whether attempts are right, by test input."""
        task = ranked.task
        return [
            [self.judge(task, k, attempt.grid) for attempt in test.attempts]
            for k, test in enumerate(ranked.tests)
        ]


class _Choices:
    """Arrays with a row for each candidate's grid for a test input, to fit costs to."""

    def __init__(self, runs: Sequence[Judged]) -> None:
        rows: list[tuple[int, int, int, bool, Weight, str]] = []
        families: dict[tuple[int, str], int] = {}
        self.fold_of_test: list[int] = []
        grids = 0
        for judged, fold in zip(runs, folds_of(runs), strict=True):
            found = judged.candidates
            for k in range(len(found.task.test_inputs)):
                places: dict[Grid, int] = {}
                for each in found.kept:
                    grid = each.trial.outputs[k]
                    if grid is None:
                        continue
                    place = places.setdefault(grid, grids + len(places))
                    kin = families.setdefault((place, each.proposal.family), len(families))
                    weight = weigh(each, len(found.broken(k, grid)))
                    right = judged.judge(found.task, k, grid)
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
        self.offered = offered  # by test input: whether the right grid is among them

    def loss(self, costs: Floats, tests: NDArray[np.bool_]) -> tuple[float, Floats]:
        """The nats that the right grids lack of all evidence, and the gradient by costs."""
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
        kept = LEAST_SHARE + (1 - LEAST_SHARE) * share
        slope = np.where(used, (1 - LEAST_SHARE) / kept, 0.0) / np.where(used, total, 1.0)
        by_row = slope[self.test] * weights * (self.right - share[self.test])
        return float(-np.log(kept[used]).sum()), log(2) * (self.faults.T @ by_row)

    def with_proposers(self, names: Sequence[str]) -> _Choices:
        """The same, to fit beside costs a factor of each proposer's bits, and its lack of trust.

        Trust is told from that of the first.
        """
        found = copy(self)
        of = [self.proposers == name for name in names]
        found.prior = self.prior - self.trust + self.choice
        columns = [*self.faults.T, *(self.choice * each for each in of), *of[1:]]
        found.faults = np.stack(columns, axis=1).astype(np.float64)
        trust = [float(self.trust[each].max(initial=0.0)) for each in of]
        lacking = [trust[0] - each for each in trust[1:]]
        found.usual = np.array([*self.usual, *(1.0 for _ in names), *lacking])
        return found

    def cross_validated(self) -> float:
        """The nats that are lost by what is fitted without the tasks that it is used on."""
        folds = [(self.folds != fold, self.folds == fold) for fold in range(N_FOLDS)]
        return sum(self.loss(self.fit(others), these)[0] for others, these in folds)

    def fit(self, tests: NDArray[np.bool_]) -> Floats:
        """Return the costs that lose least on some test inputs."""
        start = self.usual

        def objective(costs: Floats) -> tuple[float, Floats]:
            loss, gradient = self.loss(costs, tests)
            away = costs - start
            return loss + RIDGE * float(away @ away), gradient + 2 * RIDGE * away

        return _minimize(objective, start)


def _minimize(objective: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    """Go downhill by BFGS until a step gains next to nothing."""
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
    """Return the constants of confidence for what was right, by Newton's method."""
    fitted = np.zeros(features.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-features @ fitted))
        hessian = (features * (p * (1 - p))[:, None]).T @ features
        hessian += 1e-2 * np.eye(len(fitted))
        fitted += np.linalg.solve(hessian, features.T @ (right - p) - 1e-2 * fitted)
    return fitted


def folds_of(runs: Sequence[Judged]) -> list[int]:
    """The fold of each task; what is of one task by its id, shortened or not, is in one."""
    ids = sorted({judged.candidates.task.id for judged in runs})
    fold = {task_id: place % N_FOLDS for place, task_id in enumerate(ids)}
    return [fold[judged.candidates.task.id] for judged in runs]


def confidence_rows(
    runs: Sequence[Judged], ranked: Sequence[RankedTask]
) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """Of test inputs with an attempt: features, whether one is right, what is said, the fold."""
    features, right, said, folds = [], [], [], []
    for judged, each, fold in zip(runs, ranked, folds_of(runs), strict=True):
        for test, attempts in zip(each.tests, judged.is_right(each), strict=True):
            if test.attempts[0].best is not None:
                features.append(confidence_features(test.attempts[0], test.total_evidence))
                right.append(any(attempts))
                said.append(test.confidence)
                folds.append(fold)
    return np.array(features), np.array(right, np.float64), np.array(said), np.array(folds)


def fit(console: Console, sets: dict[str, Sequence[Judged]]) -> None:
    """Fit all constants to several sets of tasks together, and say what they are worth on each."""
    runs = [judged for each in sets.values() for judged in each]
    choices = _Choices(runs)
    everything = np.ones(len(choices.folds), np.bool_)
    costs = choices.fit(everything)
    by_fold = [choices.fit(choices.folds != fold) for fold in range(N_FOLDS)]
    folds = folds_of(runs)
    present = np.array(COSTS)
    losses = {
        "as they are": choices.loss(present, everything)[0],
        "cross-validated": sum(
            choices.loss(by_fold[fold], choices.folds == fold)[0] for fold in range(N_FOLDS)
        ),
        "fitted": choices.loss(costs, everything)[0],
    }
    used = {
        "as they are": [present] * len(runs),
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
        features, is_right, said, fold_of = confidence_rows(runs, ranked)
        if name == "cross-validated":
            said = np.empty(len(is_right))
            for fold in range(N_FOLDS):
                constants = fit_confidence(features[fold_of != fold], is_right[fold_of != fold])
                said[fold_of == fold] = 1 / (1 + np.exp(-features[fold_of == fold] @ constants))
        if name == "fitted":
            constants = fit_confidence(features, is_right)
            said = 1 / (1 + np.exp(-features @ constants))
        shown = (
            [""] * len(FAULTS) if name == "cross-validated" else [f"{c:.2f}" for c in per_task[0]]
        )
        table.add_row(name, *shown, *cells, f"{float(((said - is_right) ** 2).mean()):.3f}")
    console.print(table)
    console.print("COSTS = (" + ", ".join(f"{each:.2f}" for each in costs) + ")")
    console.print("CONFIDENCE = (" + ", ".join(f"{each:.2f}" for each in constants) + ")")
    console.print(f"CONFIDENCE as it is: {CONFIDENCE}")
    show_proposers(console, choices)


def show_proposers(console: Console, choices: _Choices) -> None:
    """Say what proposers should be trusted with, and by how much what they count is off."""
    counts = Counter(choices.proposers[choices.offered[choices.test]].tolist())
    names = [name for name, _ in counts.most_common()]
    both = choices.with_proposers(names)
    fitted = both.fit(np.ones(len(choices.folds), np.bool_))[len(COSTS) :]
    table = Table("", "factor of its bits", "trust as it is", "fitted", title="proposers")
    lacking, as_it_is = [0.0, *fitted[len(names) :]], [0.0, *both.usual[len(COSTS) + len(names) :]]
    for k, name in enumerate(names):
        trusts = (f"{2.0 ** -each[k]:.2f}" for each in (as_it_is, lacking))
        table.add_row(name, f"{fitted[k]:.2f}", *trusts)
    console.print(table)
    console.print(
        f"nats lost, cross-validated: {choices.cross_validated():.1f} as it is, "
        f"{both.cross_validated():.1f} so"
    )
