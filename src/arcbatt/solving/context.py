"""What contexts have in common, those of the loop and those of a worker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.proposers import Proposal


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
