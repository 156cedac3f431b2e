"""Migration: the best candidates of the loop that an island does not have yet."""

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

# The most candidates per task, with distinct outputs.
MIGRANTS_PER_TASK = 3
# Suffix of the proposer's name on another island: its candidates then count as another proposer's.
ELSEWHERE = "elsewhere"

Pair = tuple[bytes, str]
"""A program, by its digest, and the id of a task."""


class Migration:
    """Tracks the candidates of each island, and deals it the best of all others."""

    def __init__(self) -> None:
        self._known: dict[str, set[Pair]] = {}
        self._best: dict[str, tuple[int, list[Candidate]]] = {}  # with the candidates' version

    def note(self, worker: str, trial: Trial) -> None:
        """Note that a worker has found a program."""
        self._known.setdefault(worker, set()).add((trial.program.result.digest, trial.task.id))

    def forget(self, worker: str) -> None:
        """Forget a lost worker."""
        self._known.pop(worker, None)

    def deal(
        self, worker: str, loop: Loop, tasks: Sequence[Task], proposer: str
    ) -> list[dict[str, Any]]:
        """Return the candidates that a worker's island does not have, the best first."""
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
        """Return the best candidates with distinct outputs, cached until something is new."""
        version, best = self._best.get(found.task.id, (-1, []))
        if version != found.version:
            by_outputs: dict[Any, Candidate] = {}
            for candidate in found.kept:
                by_outputs.setdefault(candidate.trial.outputs, candidate)
            best = list(by_outputs.values())[:MIGRANTS_PER_TASK]
            self._best[found.task.id] = found.version, best
        return best
