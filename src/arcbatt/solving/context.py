"""What contexts have in common, those of the loop and those of a worker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.proposers import Proposal, Proposer


class BaseContext(ABC):
    """Judges by a board; what becomes of it is for `keep` to say."""

    board: TaskBoard
    _proposer: Proposer

    def judge(self, proposals: Sequence[Proposal], n_threads: int | None = None) -> list[Trial]:
        if not isinstance(proposals, Sequence):
            raise TypeError(
                f"{self._proposer.name}: expected several proposals, [proposal], not a "
                f"{type(proposals).__name__}"
            )
        for each in proposals:
            require_proposal(each, self._proposer.name)
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


def require_proposal(given: object, proposer: str) -> None:
    """Refuse what is not a proposal; proposers of users' own have no types checked."""
    if not isinstance(given, Proposal):
        raise TypeError(
            f"{proposer}: expected a Proposal, not a {type(given).__name__}; "
            f"arcbatt.proposers.proposer.propose_plainly(program, task) makes one of a program"
        )
