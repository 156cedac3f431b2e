"""What contexts have in common, those of the loop and those of a worker; and who agrees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.proposers import Proposal
from arcbatt.tasks import Task


class BaseContext(ABC):
    """Judges by a board; what becomes of it is for `keep` to say."""

    board: TaskBoard

    def judge(self, proposals: Sequence[Proposal], n_threads: int | None = None) -> list[Trial]:
        if not proposals:
            return []
        credits = {each.program: each.credit for each in proposals if each.credit is not None}
        programs = [each.program for each in proposals]
        return self.board.trials(proposals[0].task, programs, credits, n_threads=n_threads)

    @abstractmethod
    def keep(self, proposal: Proposal, trial: Trial) -> None:
        """Take a proposal and its trial."""

    def propose(self, proposals: Sequence[Proposal]) -> list[Trial]:
        trials = self.judge(proposals)
        for proposal, trial in zip(proposals, trials, strict=True):
            self.keep(proposal, trial)
        return trials


class Agreement:
    """By proposer and task, the programs that fit it, by what they give for the test inputs.

    All that were proposed count, kept or not: a task may be full of what others have found.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], dict[Any, set[bytes]]] = {}

    def note(self, proposer: str, task: Task, outputs: Any, program: bytes) -> None:
        """Count a program, given by its digest, that fits a task."""
        by_outputs = self._found.setdefault((proposer, task.id), {})
        by_outputs.setdefault(outputs, set()).add(program)

    def most(self, proposer: str, task: Task) -> int:
        """Return the most programs of a proposer that fit a task and give the same."""
        found = self._found.get((proposer, task.id), {})
        return max(map(len, found.values()), default=0)
