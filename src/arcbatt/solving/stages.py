"""What a stage of solving is: open tasks and a share of the budget in, candidates out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arcbatt.tasks import Task

from .candidates import Candidate, Kept

Clock = Callable[[], float]


@dataclass
class Share:
    """What a stage may spend: seconds and, so that runs can repeat exactly, rounds.

    A round is what a stage does between two looks at the clock; it ends one with `end_round`.
    """

    budget_s: float
    max_rounds: int | None = None
    clock: Clock = time.perf_counter
    n_rounds: int = 0
    began_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.began_s = self.clock()

    @property
    def left_s(self) -> float:
        return self.budget_s - (self.clock() - self.began_s)

    @property
    def is_spent(self) -> bool:
        rounds_are = self.max_rounds is not None and self.n_rounds >= self.max_rounds
        return rounds_are or self.left_s <= 0

    def end_round(self) -> None:
        self.n_rounds += 1


class Desk(Protocol):
    """Where a stage hands in what it finds, and says how far it is."""

    def offer(self, candidate: Candidate) -> None:
        """Take a candidate for one of the stage's tasks."""

    def known(self, task: Task) -> Sequence[Kept]:
        """Return what is kept for a task by now, from whichever stage, the best first."""

    def say(self, message: str) -> None:
        """Tell whoever watches what is being done."""

    def log(self, record: dict[str, Any]) -> None:
        """Note a round: plain data, of which charts show `n_pairs`, `wall_s` and `engine_s`.

        After it whoever watches looks at what there is, and what was found is saved now and then.
        """

    def spend(self, task: Task, seconds: float) -> None:
        """Count time to one task alone. What of a stage's time nobody counts is shared by all."""

    def traces(self, task: Task) -> bool:
        """Whether somebody wants to know all about a task; asked before making a long message."""

    def trace(self, task: Task, message: str) -> None:
        """Tell what was tried for a task and what became of it, to whoever traces it."""


class Stage(Protocol):
    """One way to look for candidates.

    `weight` is its part of the budget that is left, among the stages that are left; `trust` what
    its candidates count in ranking; `enough` the number of agreeing candidates that fit all demos
    from which on a task needs no more of this stage.
    """

    name: str
    weight: float
    trust: float
    enough: int

    def run(self, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        """Look for candidates for the tasks until the share is spent or nothing is left to try.

        What was found must be offered also if an exception, an interrupt above all, ends it.
        """

    def state(self) -> Any:
        """Return plain data to go on from in another process; None if there is nothing to know."""

    def restore(self, state: Any) -> None:
        """Take up what `state` returned."""

    def parts(self) -> Mapping[str, Mapping[str, Any]]:
        """Return counts by part of the stage, as plain data; nothing if it has no parts."""
