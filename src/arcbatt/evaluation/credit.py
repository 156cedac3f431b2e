"""Credit for programs that fit no task: how close they come, and how they behave.

With differs, the credit is theirs (docs/differs.md). All of them together cost much more than
running a mutant, so the best single differ takes a first look: a program that it scores below the
median of the task's kept programs is not scored further. Without differs, the credit is the share
of demos that match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.graphs import choose_programs
from arcbatt.engine.task_run import TaskResult
from arcbatt.language import Program
from arcbatt.measure import phase

from .board import TaskBoard
from .differs import BEST_SCORE, Differ, bundled_differs, score_batt, score_programs, weights_of
from .trial import FULL_CREDIT

FIRST_LOOK = "differ_cells"
# Only a program that fits has full credit.
MAX_PARTIAL_CREDIT = FULL_CREDIT - 1
# The number of programs scored between two checks of the clock.
SCORING_BATCH = 40

PairIndex = tuple[int, int]
"""The indices of a program and of a task."""


class Credit(NamedTuple):
    """A program's credit on a task (0 to 1000), its behavior, and the first look's score."""

    score: int
    behavior: int
    first_look: int


class ArchiveThresholds(Protocol):
    """The programs that tasks have kept, which decide whether a new one is worth scoring."""

    per_task: int

    def is_open(self, task: int) -> bool:
        """Return whether a task can use programs that do not fit it."""

    def credit_of(self, task: int, behavior: int) -> Credit | None:
        """Return the credit of the kept program with this behavior."""

    def min_first_look(self, task: int) -> int:
        """Return the least score that a first look must give."""


class _PairResult(NamedTuple):
    """A pair, the hash of its first output, and the number of demos it fits."""

    pair: PairIndex
    behavior: int
    n_fitted: int
    n_demos: int


class _Group(NamedTuple):
    """Programs assumed to do the same on a task; only the first one is scored.

    `behavior` is their output on the first demo. A program that matches some demos has a group of
    its own.
    """

    behavior: int
    task: int
    members: list[int]
    is_partial_fit: bool


class CreditScorer:
    """Gives credit to the programs of one card after the other, with demos held out."""

    def __init__(self, board: TaskBoard, *, use_differs: bool) -> None:
        self._board = board
        self.differs: tuple[Differ, ...] = bundled_differs() if use_differs else ()
        self._weights = weights_of(self.differs)
        (self.first_look,) = (d for d in bundled_differs() if d.name == FIRST_LOOK)

    def credits(
        self,
        programs: Sequence[Program],
        pairs: Sequence[PairIndex],
        result: TaskResult,
        thresholds: ArchiveThresholds,
    ) -> Iterator[tuple[PairIndex, Credit]]:
        """Yield the credit of each pair that is worth scoring.

        A program that fits a task has full credit; others have partial credit on open tasks.
        """
        results = _look_up(pairs, result)
        partial = [r for r in results if r.n_fitted < r.n_demos and thresholds.is_open(r.pair[1])]
        if self.differs:
            scored = dict(self._score(programs, partial, result, thresholds))
        else:
            scored = dict(map(_share_of_demos, partial))
        for pair, behavior, n_fitted, n_demos in results:
            if n_fitted == n_demos:
                yield pair, Credit(FULL_CREDIT, behavior, BEST_SCORE)
            elif pair in scored:
                yield pair, scored[pair]

    def _score(
        self,
        programs: Sequence[Program],
        partial: Sequence[_PairResult],
        result: TaskResult,
        thresholds: ArchiveThresholds,
    ) -> Iterator[tuple[PairIndex, Credit]]:
        groups: dict[tuple[int, ...], _Group] = {}
        for (p, t), behavior, n_fitted, _ in partial:
            is_partial_fit = n_fitted > 0
            kept = None if is_partial_fit else thresholds.credit_of(t, behavior)
            if kept is not None:
                yield (p, t), kept
                continue
            key = (behavior, t, p) if is_partial_fit else (behavior, t)
            groups.setdefault(key, _Group(behavior, t, [], is_partial_fit)).members.append(p)
        first_looks = self._sums([self.first_look], programs, list(groups.values()), result)[:, 0]
        chosen = [
            group
            for group, look in zip(groups.values(), first_looks.tolist(), strict=True)
            if group.is_partial_fit
            or look >= thresholds.min_first_look(group.task) * int(result.n_demos[group.task])
        ]
        sums = self._sums(self.differs, programs, chosen, result)
        n_demos = result.n_demos[[group.task for group in chosen]]
        credits = sums @ self._weights // (n_demos * self._weights.sum())
        looks = sums[:, self.differs.index(self.first_look)] // n_demos
        for group, credit, look, row in zip(chosen, credits, looks, sums.tolist(), strict=True):
            behavior = hash((group.behavior, *row)) if group.is_partial_fit else group.behavior
            for p in group.members:
                score = min(int(credit), MAX_PARTIAL_CREDIT)
                yield (p, group.task), Credit(score, behavior, int(look))

    def _sums(
        self,
        differs: Sequence[Differ],
        programs: Sequence[Program],
        groups: Sequence[_Group],
        result: TaskResult,
    ) -> NDArray[np.int64]:
        """Return [group, differ]: the sums of scores over all demos."""
        if not groups:
            return np.zeros((0, len(differs)), np.int64)
        tasks = np.array([group.task for group in groups])
        with phase("fuse"):
            firsts = choose_programs(programs, [group.members[0] for group in groups])
            batt = score_batt(differs, firsts)
        only = np.repeat(tasks, len(differs)).astype(np.int32)
        numbers = self._board.screen(batt, only=only, held_out=True).numbers[
            np.arange(len(only)), only
        ]
        most = BEST_SCORE * result.n_demos[tasks][:, None]
        sums: NDArray[np.int64] = np.clip(numbers.reshape(len(groups), -1), 0, most)
        return sums

    def nearest(
        self,
        programs: Sequence[Program],
        thresholds: ArchiveThresholds,
        is_spent: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, Program]]:
        """Yield each open task's nearest programs, twice as many as the task keeps.

        Only the first demo of each task is scored. Once `is_spent` returns true, no
        further programs are scored.
        """
        parts = []
        for start in range(0, len(programs), SCORING_BATCH):
            if is_spent():
                break
            parts.append(self._nearness(programs[start : start + SCORING_BATCH]))
        if not parts:
            return
        credits = np.concatenate(parts)
        for task in range(len(self._board)):
            if thresholds.is_open(task):
                best = np.argsort(-credits[:, task], kind="stable")[: 2 * thresholds.per_task]
                yield from ((task, programs[p]) for p in best.tolist())

    def _nearness(self, programs: Sequence[Program]) -> NDArray[np.int64]:
        """Return [program, task]: the credits by the first demo."""
        n, n_differs = len(programs), len(self.differs)
        with phase("fuse"):
            batt = Batt([*programs, *score_programs(self.differs, programs)])
        result = self._board.screen(batt, held_out=True)
        scores = np.clip(result.numbers[n:].reshape(n, n_differs, -1), 0, BEST_SCORE)
        credits: NDArray[np.int64] = (
            np.einsum("pdt,d->pt", scores, self._weights) // self._weights.sum()
        )
        return credits


def _look_up(pairs: Sequence[PairIndex], result: TaskResult) -> list[_PairResult]:
    """Return the results of pairs, all at once: reading single array elements is slow."""
    p, t = np.array(pairs, np.intp).reshape(-1, 2).T
    columns = (result.hashes[p, t], result.n_matches[p, t], result.n_demos[t])
    return list(map(_PairResult, pairs, *(column.tolist() for column in columns)))


def _share_of_demos(result: _PairResult) -> tuple[PairIndex, Credit]:
    score = FULL_CREDIT * result.n_fitted // result.n_demos
    return result.pair, Credit(score, hash((result.behavior, result.n_fitted)), 0)
