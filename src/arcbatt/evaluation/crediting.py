"""Programs that fit no task in, what they are worth on tasks out: credit, and their behaviour.

With differs the credit is theirs (docs/differs.md). All of them take long against running a mutant,
so there is a first look by one alone, that which ranks best by itself: a program that it puts below
half of what a task has kept is not judged further. Without differs the credit is the share of demos
that match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.graphs import choose_programs
from arcbatt.engine.staged import TaskResult
from arcbatt.language import Program
from arcbatt.measure import phase

from .board import TaskBoard
from .differs import BEST_SCORE, Differ, bundled_differs, score_batt, score_programs, weights_of
from .trial import FULL_CREDIT

FIRST_LOOK = "differ_cells"
# The most that a program has that fits nothing.
NEARLY = FULL_CREDIT - 1
# Of many programs to judge, so many between two looks at the clock.
JUDGED_AT_ONCE = 40

Pair = tuple[int, int]
"""The places of a program and of a task."""


class Worth(NamedTuple):
    """What a program is worth on a task: credit 0 to 1000, its behaviour, and its first look."""

    credit: int
    behaviour: int
    look: int


class Standards(Protocol):
    """What tasks have kept already, which says whether a program is worth judging."""

    per_task: int

    def is_open(self, task: int) -> bool:
        """Whether a task has use for programs that do not fit it."""

    def worth_of(self, task: int, behaviour: int) -> Worth | None:
        """What is kept with this behaviour."""

    def least_look(self, task: int) -> int:
        """The least that a first look must give."""


class _Found(NamedTuple):
    """A pair with what was found of it: the first demo's output, and how many demos it fits."""

    pair: Pair
    behaviour: int
    n_fitted: int
    n_demos: int


class _Group(NamedTuple):
    """Programs that are taken to do the same on a task: what is found of the first holds for all.

    `behaviour` is their output on the first demo; one that matches some demos is alone.
    """

    behaviour: int
    task: int
    members: list[int]
    is_alone: bool


class Crediting:
    """Gives credit to the programs of one card after the other, demos held out."""

    def __init__(self, board: TaskBoard, *, use_differs: bool) -> None:
        self._board = board
        self.differs: tuple[Differ, ...] = bundled_differs() if use_differs else ()
        self._weights = weights_of(self.differs)
        (self.first_look,) = (d for d in bundled_differs() if d.name == FIRST_LOOK)

    def worths(
        self,
        programs: Sequence[Program],
        pairs: Sequence[Pair],
        result: TaskResult,
        standards: Standards,
    ) -> Iterator[tuple[Pair, Worth]]:
        """Yield for each pair what it is worth; nothing where it is not worth judging.

        What fits a task has full credit; other programs have some on tasks that are open.
        """
        found = _look_up(pairs, result)
        nearly = [f for f in found if f.n_fitted < f.n_demos and standards.is_open(f.pair[1])]
        if self.differs:
            judged = dict(self._judge(programs, nearly, result, standards))
        else:
            judged = dict(_count_fitted(nearly))
        for pair, behaviour, n_fitted, n_demos in found:
            if n_fitted == n_demos:
                yield pair, Worth(FULL_CREDIT, behaviour, BEST_SCORE)
            elif pair in judged:
                yield pair, judged[pair]

    def _judge(
        self,
        programs: Sequence[Program],
        found: Sequence[_Found],
        result: TaskResult,
        standards: Standards,
    ) -> Iterator[tuple[Pair, Worth]]:
        groups: dict[tuple[int, ...], _Group] = {}
        for (p, t), behaviour, n_fitted, _ in found:
            is_alone = n_fitted > 0
            kept = None if is_alone else standards.worth_of(t, behaviour)
            if kept is not None:
                yield (p, t), kept
                continue
            key = (behaviour, t, p) if is_alone else (behaviour, t)
            groups.setdefault(key, _Group(behaviour, t, [], is_alone)).members.append(p)
        looked = list(groups.values())
        looks = self._sums([self.first_look], programs, looked, result)[:, 0]
        chosen = [
            group
            for group, sum_ in zip(looked, looks.tolist(), strict=True)
            if group.is_alone
            or sum_ >= standards.least_look(group.task) * int(result.n_demos[group.task])
        ]
        sums = self._sums(self.differs, programs, chosen, result)
        n_demos = result.n_demos[[group.task for group in chosen]]
        credits = sums @ self._weights // (n_demos * self._weights.sum())
        looks = sums[:, self.differs.index(self.first_look)] // n_demos
        for group, credit, look, row in zip(chosen, credits, looks, sums.tolist(), strict=True):
            behaviour = hash((group.behaviour, *row)) if group.is_alone else group.behaviour
            for p in group.members:
                yield (p, group.task), Worth(min(int(credit), NEARLY), behaviour, int(look))

    def _sums(
        self,
        differs: Sequence[Differ],
        programs: Sequence[Program],
        groups: Sequence[_Group],
        result: TaskResult,
    ) -> NDArray[np.int64]:
        """[group, differ]: the sum of the scores over all demos."""
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
        standards: Standards,
        is_spent: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, Program]]:
        """Yield the programs that come nearest to each open task, with it: twice what it keeps.

        That is by the first demo of every task alone. Programs at the end are not looked at once
        the time `is_spent`.
        """
        parts = []
        for start in range(0, len(programs), JUDGED_AT_ONCE):
            if is_spent():
                break
            parts.append(self._nearness(programs[start : start + JUDGED_AT_ONCE]))
        if not parts:
            return
        credits = np.concatenate(parts)
        for task in range(len(self._board)):
            if standards.is_open(task):
                best = np.argsort(-credits[:, task], kind="stable")[: 2 * standards.per_task]
                yield from ((task, programs[p]) for p in best.tolist())

    def _nearness(self, programs: Sequence[Program]) -> NDArray[np.int64]:
        """Credits by the first demo, [program, task]."""
        n, n_differs = len(programs), len(self.differs)
        with phase("fuse"):
            judged = Batt([*programs, *score_programs(self.differs, programs)])
        result = self._board.screen(judged, held_out=True)
        scores = np.clip(result.numbers[n:].reshape(n, n_differs, -1), 0, BEST_SCORE)
        credits: NDArray[np.int64] = (
            np.einsum("pdt,d->pt", scores, self._weights) // self._weights.sum()
        )
        return credits


def _look_up(pairs: Sequence[Pair], result: TaskResult) -> list[_Found]:
    """What was found of each pair; all at once, as single numbers of an array take long to get."""
    p, t = np.array(pairs, np.intp).reshape(-1, 2).T
    found = (result.hashes[p, t], result.n_matches[p, t], result.n_demos[t])
    return list(map(_Found, pairs, *(array.tolist() for array in found)))


def _count_fitted(found: Sequence[_Found]) -> Iterator[tuple[Pair, Worth]]:
    """The share of demos fitted, for programs that fit some."""
    for pair, first, n_fitted, n_demos in found:
        yield pair, Worth(FULL_CREDIT * n_fitted // n_demos, hash((first, n_fitted)), 0)
