"""The contexts through which proposers use the loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program
from arcbatt.measure import usable_cores
from arcbatt.proposers import Allowance, Candidate, Proposal, Proposer
from arcbatt.tasks import Task

from .background import Results

if TYPE_CHECKING:
    from .loop import Loop


class BaseContext(ABC):
    """Tries proposals on a board; shared by the loop and by cluster workers."""

    board: TaskBoard
    _proposer: Proposer

    def judge(self, proposals: Sequence[Proposal], n_threads: int | None = None) -> list[Trial]:
        self._require_proposals(proposals)
        return self._trials(proposals, None, n_threads)

    def judge_learned(
        self, proposals: Sequence[Proposal], min_share: float = 0.0
    ) -> list[tuple[Proposal, Trial]]:
        self._require_proposals(proposals)
        if not proposals:
            return []
        task = proposals[0].task
        held_out = self.board.count_held_out(task, [each.program for each in proposals])
        least = max(1.0, min_share * len(task.demos))
        kept = [each for each in proposals if held_out.get(each.program, least) >= least]
        return list(zip(kept, self._trials(kept, held_out, None), strict=True))

    def _require_proposals(self, proposals: Sequence[Proposal]) -> None:
        if not isinstance(proposals, Sequence):
            raise TypeError(
                f"{self._proposer.name}: expected a sequence, [proposal], not a "
                f"{type(proposals).__name__}"
            )
        for each in proposals:
            require_proposal(each, self._proposer.name)

    def _trials(
        self,
        proposals: Sequence[Proposal],
        held_out: Mapping[Program, int] | None,
        n_threads: int | None,
    ) -> list[Trial]:
        if not proposals:
            return []
        credits = {each.program: each.credit for each in proposals if each.credit is not None}
        programs = [each.program for each in proposals]
        return self.board.trials(
            proposals[0].task, programs, credits, held_out=held_out, n_threads=n_threads
        )

    @abstractmethod
    def keep(self, proposal: Proposal, trial: Trial) -> None:
        """Keep a proposal with its trial."""

    def propose(self, proposals: Sequence[Proposal]) -> list[Trial]:
        trials = self.judge(proposals)
        for proposal, trial in zip(proposals, trials, strict=True):
            self.keep(proposal, trial)
        return trials


class LoopContext(BaseContext):
    """The loop's services for one proposer (`arcbatt.proposers.proposer.Context`)."""

    def __init__(self, loop: Loop, proposer: Proposer) -> None:
        self._loop = loop
        self._proposer = proposer
        self.board = loop.board
        self.pool = loop.pool
        self.n_threads = loop.board.n_threads or usable_cores()
        self.counted_s = 0.0
        self._results = Results()
        self._item = ""
        self._logged_s = 0.0

    def over(self, board: TaskBoard) -> LoopContext:
        """Return this context restricted to the tasks of another board."""
        restricted = copy(self)
        restricted.board = board
        return restricted

    def begin(self, item: str) -> None:
        """Start work on an item."""
        self._item = item
        self.counted_s = 0.0
        self._logged_s = self._loop.elapsed_s

    @property
    def n_rounds(self) -> int:
        return self._loop.n_rounds

    @property
    def allowance(self) -> Allowance:
        return self._loop.allowance

    @property
    def known(self) -> Sequence[Program]:
        return self._loop.known

    def keep(self, proposal: Proposal, trial: Trial, *, was_read: bool = False) -> None:
        self._loop.take(self._proposer, proposal, trial, was_read=was_read)

    def candidates(self, task: Task) -> list[Candidate]:
        return self._loop.candidates(task).kept

    def n_agreeing(self, task: Task) -> int:
        return self._loop.candidates(task).n_agreeing

    def confidence(self, task: Task) -> float:
        return self._loop.confidence(task)

    def done(self, item: str) -> Mapping[str, Mapping[str, Any]]:
        return self._loop.done(self._proposer.name, item)

    def note_done(self, item: str, task: Task, counts: Mapping[str, Any]) -> None:
        self._loop.note_done(self._proposer.name, item, task, counts)

    def state(self) -> Any:
        return self._loop.proposer_states.get(self._proposer.name)

    def save_state(self, state: Any) -> None:
        self._loop.proposer_states[self._proposer.name] = state

    def say(self, message: str) -> None:
        self._loop.watcher.on_message(self._loop, message)

    def warn(self, message: str) -> None:
        self._loop.warnings.append(message)
        self.say(message)

    def source_programs(self, task: Task) -> list[Program]:
        of = {each.name for each in self._loop.proposers if getattr(each, "hands_on", False)}
        kept = self._loop.candidates(task).kept if of else ()
        return [each.program for each in kept if each.proposer in of and not each.fits]

    def log(self, record: dict[str, Any]) -> None:
        loop = self._loop
        wall_s, self._logged_s = loop.elapsed_s - self._logged_s, loop.elapsed_s
        whole = {"item": self._item, "wall_s": wall_s, **record}
        loop.log(self._proposer.name, whole)

    def start(self, work: Callable[..., Any], *args: Any) -> None:
        self._loop.background.start(self._proposer.name, work, args, self._results)

    def results(self) -> list[Any]:
        return self._results.take()

    @property
    def n_running(self) -> int:
        return self._results.n_running

    @property
    def has_results(self) -> bool:
        return bool(self._results.ready)

    def spend(self, task: Task, seconds: float) -> None:
        self._loop.spent_s[task.id] += seconds
        self.counted_s += seconds

    def is_traced(self, task: Task) -> bool:
        return task.id in self._loop.traced

    def trace(self, task: Task, message: str) -> None:
        if self.is_traced(task):
            self._loop.watcher.on_trace(task, self._proposer.name, message)


def require_proposal(given: object, proposer: str) -> None:
    """Raise TypeError unless given a proposal; users' proposers may not be type-checked."""
    if not isinstance(given, Proposal):
        raise TypeError(
            f"{proposer}: expected a Proposal, not a {type(given).__name__}; "
            f"arcbatt.Proposal.from_program(program, task) makes one of a program"
        )
