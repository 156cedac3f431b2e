"""Programs that solve no task in, what they are worth on tasks out: credit, and their behaviour.

With differs the credit is theirs (docs/differs.md). All of them take long against running a mutant,
so there is a first look by one alone, that which ranks best by itself: a program that it puts below
half of what a task has kept is not judged further. Without differs the credit is the share of demos
that match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskResult
from arcbatt.language import Program
from arcbatt.measure import phase

from .differs import BEST_SCORE, Differ, bundled_differs, score_programs, weights_of
from .selection import FULL_CREDIT, Archive, Candidate

FIRST_LOOK = "differ_cells"
# The most that a program has that solves nothing.
NEARLY = FULL_CREDIT - 1

Pair = tuple[int, int]
"""The places of a program and of a task."""

Run = Callable[[Batt, NDArray[np.int32] | None], TaskResult]
"""Runs a batt on all tasks, or each of its programs on one."""


class _Group(NamedTuple):
    """Programs that are taken to do the same on a task: what is found of the first holds for all.

    `behaviour` is their output on the first demo; one that matches some demos is alone.
    """

    behaviour: int
    task: int
    members: list[int]
    is_alone: bool


class Crediting:
    """Gives credit to the programs of one card after the other."""

    def __init__(self, run: Run, *, use_differs: bool) -> None:
        self._run = run
        self.differs: tuple[Differ, ...] = bundled_differs() if use_differs else ()
        self._weights = weights_of(self.differs)
        (self.first_look,) = (d for d in bundled_differs() if d.name == FIRST_LOOK)

    def candidates(
        self,
        programs: Sequence[Program],
        pairs: Sequence[Pair],
        result: TaskResult,
        archive: Archive,
    ) -> Iterator[tuple[Pair, Candidate]]:
        """Yield for each pair what the archive may be offered; nothing where it is not worth it.

        What solves a task has full credit; other programs have some on tasks without a solver.
        """
        solved = result.solved
        is_open = [niche.solver is None for niche in archive.niches]
        nearly = [(p, t) for p, t in pairs if is_open[t] and not solved[p, t]]
        judge = self._judge if self.differs else _count_matches
        found = dict(judge(programs, nearly, result, archive))
        for p, t in pairs:
            steps = int(result.steps[p, t])
            if solved[p, t]:
                behaviour = int(result.hashes[p, t])
                yield (p, t), Candidate(programs[p], FULL_CREDIT, steps, behaviour, BEST_SCORE)
            elif (p, t) in found:
                yield (p, t), Candidate(programs[p], found[p, t][0], steps, *found[p, t][1:])

    def _judge(
        self,
        programs: Sequence[Program],
        pairs: Sequence[Pair],
        result: TaskResult,
        archive: Archive,
    ) -> Iterator[tuple[Pair, _Worth]]:
        groups: dict[tuple[int, ...], _Group] = {}
        for p, t in pairs:
            behaviour, is_alone = int(result.hashes[p, t]), bool(result.n_matches[p, t])
            kept = None if is_alone else archive.niches[t].find(behaviour)
            if kept is not None:
                yield (p, t), _Worth(kept.credit, behaviour, kept.look)
                continue
            key = (behaviour, t, p) if is_alone else (behaviour, t)
            groups.setdefault(key, _Group(behaviour, t, [], is_alone)).members.append(p)
        looked = list(groups.values())
        looks = self._sums([self.first_look], programs, looked, result)[:, 0]
        chosen = [
            group
            for group, sum_ in zip(looked, looks.tolist(), strict=True)
            if group.is_alone
            or sum_ >= archive.least_look(group.task) * int(result.n_demos[group.task])
        ]
        sums = self._sums(self.differs, programs, chosen, result)
        n_demos = result.n_demos[[group.task for group in chosen]]
        credits = sums @ self._weights // (n_demos * self._weights.sum())
        looks = sums[:, self.differs.index(self.first_look)] // n_demos
        for group, credit, look, row in zip(chosen, credits, looks, sums.tolist(), strict=True):
            behaviour = hash((group.behaviour, *row)) if group.is_alone else group.behaviour
            for p in group.members:
                yield (p, group.task), _Worth(min(int(credit), NEARLY), behaviour, int(look))

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
            firsts = [programs[group.members[0]] for group in groups]
            batt = Batt(score_programs(differs, firsts))
        only = np.repeat(tasks, len(differs)).astype(np.int32)
        numbers = self._run(batt, only).numbers[np.arange(len(only)), only]
        most = BEST_SCORE * result.n_demos[tasks][:, None]
        sums: NDArray[np.int64] = np.clip(numbers.reshape(len(groups), -1), 0, most)
        return sums

    def nearest(self, programs: Sequence[Program], archive: Archive) -> list[tuple[int, Candidate]]:
        """Return the programs that come nearest to each task without a solver, and the task.

        All are judged, on the first demo of every task.
        """
        n, n_differs = len(programs), len(self.differs)
        result = self._run(Batt([*programs, *score_programs(self.differs, programs)]), None)
        scores = np.clip(result.numbers[n:].reshape(n, n_differs, -1), 0, BEST_SCORE)
        credits = np.einsum("pdt,d->pt", scores, self._weights) // self._weights.sum()
        looks = scores[:, self.differs.index(self.first_look)]
        found = []
        for task, niche in enumerate(archive.niches):
            if niche.solver is not None:
                continue
            best = np.argsort(-credits[:, task], kind="stable")[: 2 * archive.per_task]
            for p in best.tolist():
                candidate = Candidate(
                    programs[p],
                    min(int(credits[p, task]), NEARLY),
                    int(result.steps[p, task]),
                    int(result.hashes[p, task]),
                    int(looks[p, task]),
                )
                found.append((task, candidate))
        return found


class _Worth(NamedTuple):
    credit: int
    behaviour: int
    look: int


def _count_matches(
    programs: Sequence[Program], pairs: Sequence[Pair], result: TaskResult, archive: Archive
) -> Iterator[tuple[Pair, _Worth]]:
    """The share of demos that match, for programs that match some."""
    for p, t in pairs:
        n_matched, first = int(result.n_matches[p, t]), int(result.hashes[p, t])
        credit = FULL_CREDIT * n_matched // int(result.n_demos[t])
        yield (p, t), _Worth(credit, hash((first, n_matched)), 0)
