"""Migrants: what the loop keeps in, the best that an island does not know yet out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arcbatt.evaluation import Trial
from arcbatt.proposers import Candidate
from arcbatt.tasks import Task

from ..candidates import TaskCandidates
from ..loop import Loop
from .messages import candidate_to_json

# Of a task, no two with the same outputs.
MIGRANTS_A_TASK = 3
# Of what the same proposer has found on another island: so that it is taken for another's.
ELSEWHERE = "elsewhere"

Pair = tuple[bytes, str]
"""A program, by its digest, and the id of a task."""


class Migration:
    """Knows what each island has found or was sent, and deals it the best of all others."""

    def __init__(self) -> None:
        self._known: dict[str, set[Pair]] = {}
        self._best: dict[str, tuple[int, list[Candidate]]] = {}  # with the candidates' version

    def note(self, worker: str, trial: Trial) -> None:
        """Take it that a worker has found a program."""
        self._known.setdefault(worker, set()).add((trial.program.result.digest, trial.task.id))

    def forget(self, worker: str) -> None:
        """Take it that a worker is no more."""
        self._known.pop(worker, None)

    def deal(
        self, worker: str, loop: Loop, tasks: Sequence[Task], proposer: str
    ) -> list[dict[str, Any]]:
        """Return for a worker's island of a proposer what it does not know, best first."""
        known = self._known.setdefault(worker, set())
        dealt = []
        for task in tasks:
            for candidate in self._best_of(loop.candidates(task)):
                pair = candidate.program.result.digest, task.id
                if pair in known:
                    continue
                known.add(pair)
                if candidate.proposer == proposer:
                    candidate = replace(candidate, proposer=f"{proposer} {ELSEWHERE}")
                dealt.append(candidate_to_json(candidate))
        return dealt

    def _best_of(self, found: TaskCandidates) -> list[Candidate]:
        """The best by rank, each with other outputs; looked for again when something is new."""
        version, best = self._best.get(found.task.id, (-1, []))
        if version != found.version:
            by_outputs: dict[Any, Candidate] = {}
            for candidate in found.kept:
                by_outputs.setdefault(candidate.trial.outputs, candidate)
            best = list(by_outputs.values())[:MIGRANTS_A_TASK]
            self._best[found.task.id] = found.version, best
        return best
