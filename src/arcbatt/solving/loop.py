"""Tasks and stages in, ranked attempts out: how the budget is spent.

Stages run one after the other, the cheapest first, each on all tasks together that are still open
for it. A stage has the share of the time left that its weight has among the stages left; what it
does not need goes to those after it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcbatt.measure import phase
from arcbatt.tasks import Task

from .candidates import Candidate, Kept, TaskCandidates
from .ranking import RankedTask, rank_task
from .stages import Clock, Share, Stage
from .tracing import describe_candidate


@dataclass
class StageCount:
    """What a stage has done so far.

    `n_offered` candidates were offered and `n_kept` of them kept; `n_first` tasks had all demos
    fitted by this stage first.
    """

    n_tasks: int = 0
    n_rounds: int = 0
    n_offered: int = 0
    n_kept: int = 0
    n_first: int = 0
    elapsed_s: float = 0.0


class Watcher:
    """Is told how a solver gets on; whoever wants to know overrides what it wants to know."""

    def said(self, solver: Solver, message: str) -> None:
        """A stage says what it does."""

    def went_on(self, solver: Solver) -> None:
        """Something may have changed: called after every round."""

    def logged(self, solver: Solver, stage: str, record: dict[str, Any]) -> None:
        """A stage has ended a round, with these data."""

    def ended_stage(self, solver: Solver, stage: str) -> None:
        """A stage is over."""

    def traced(self, task: Task, stage: str, message: str) -> None:
        """Something was tried for a task that is traced."""


class Solver:
    """Solves tasks by stages, in a budget, and knows at any time the best attempts so far."""

    def __init__(
        self,
        tasks: Sequence[Task],
        stages: Sequence[Stage],
        *,
        watcher: Watcher | None = None,
        traced: Collection[str] = (),
        clock: Clock = time.perf_counter,
    ) -> None:
        """`traced` are the ids of tasks of which the watcher is told all."""
        names = [stage.name for stage in stages]
        if len(set(names)) != len(names):
            raise ValueError(f"two stages have one name: {', '.join(names)}")
        if len({task.id for task in tasks}) != len(tasks):
            raise ValueError("two tasks have one id")
        self.tasks = tuple(tasks)
        self.stages = tuple(stages)
        self.counts = {name: StageCount() for name in names}
        self.current: str | None = None
        self.budget_s = 0.0
        # Seconds of each task: what stages counted to it, and its part of what they did for all.
        self.spent_s = dict.fromkeys((task.id for task in tasks), 0.0)
        self._found = {task.id: TaskCandidates(task) for task in tasks}
        self._ranked: dict[str, tuple[int, RankedTask]] = {}  # with the candidates' version
        self._traced = frozenset(traced)
        self._watcher = watcher or Watcher()
        self._clock = clock
        self._elapsed_before_s = 0.0
        self._began_s: float | None = None

    # --- how far it is ---

    @property
    def elapsed_s(self) -> float:
        """Seconds spent, those of earlier runs that this one goes on with included."""
        if self._began_s is None:
            return self._elapsed_before_s
        return self._elapsed_before_s + self._clock() - self._began_s

    @property
    def left_s(self) -> float:
        """Seconds left of the budget of this run."""
        return max(self.budget_s - (self.elapsed_s - self._elapsed_before_s), 0.0)

    @property
    def n_fitted(self) -> int:
        """Tasks of which some candidate gives the output of every demo."""
        return sum(found.fits for found in self._found.values())

    def parts(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Counts by stage and part of it, of the stages that have parts."""
        found = {stage.name: stage.parts() for stage in self.stages}
        return {
            name: {part: dict(counts) for part, counts in parts.items()}
            for name, parts in found.items()
            if parts
        }

    def candidates(self, task: Task) -> TaskCandidates:
        return self._found[task.id]

    @phase("score")
    def rank(self) -> list[RankedTask]:
        """The attempts at every test input of every task, from what is known now."""
        return [self._rank(found) for found in self._found.values()]

    def _rank(self, found: TaskCandidates) -> RankedTask:
        """Rank a task, unless it was and nothing has changed."""
        version, ranked = self._ranked.get(found.task.id, (-1, None))
        if ranked is None or version != found.version:
            ranked = rank_task(found)
            self._ranked[found.task.id] = (found.version, ranked)
        return ranked

    # --- going on ---

    def run(self, budget_s: float, max_rounds: int | None = None) -> None:
        """Spend a budget; an interrupt passes through, with all that was found kept."""
        self.budget_s = budget_s
        self._began_s = self._clock()
        try:
            for place, stage in enumerate(self.stages):
                left = self.stages[place:]
                part = stage.weight / sum(each.weight for each in left)
                self._run_stage(stage, Share(part * self.left_s, max_rounds, self._clock))
        finally:
            self._elapsed_before_s, self._began_s = self.elapsed_s, None
            self.budget_s = 0.0

    def _run_stage(self, stage: Stage, share: Share) -> None:
        tasks = [task for task in self.tasks if self._found[task.id].n_agreeing < stage.enough]
        self._trace_openness(stage)
        if not tasks or share.is_spent:
            return
        count = self.counts[stage.name]
        count.n_tasks = len(tasks)
        before_s = count.elapsed_s
        began_s = self._clock()
        self.current = stage.name
        desk = _Desk(self, stage, share)
        try:
            stage.run(tasks, share, desk)
        finally:
            elapsed_s = self._clock() - began_s
            count.elapsed_s = before_s + elapsed_s
            desk.count_rounds()
            part_s = max(elapsed_s - desk.counted_s, 0.0) / len(tasks)
            for task in tasks:
                self.spent_s[task.id] += part_s
            self.current = None
        self._watcher.ended_stage(self, stage.name)

    def _trace_openness(self, stage: Stage) -> None:
        for task in self.tasks:
            if task.id in self._traced:
                n_agreeing = self._found[task.id].n_agreeing
                is_open = n_agreeing < stage.enough
                message = (
                    f"{n_agreeing} candidates that fit all demos agree, "
                    f"{'so it looks for more' if is_open else 'which is enough for it'}"
                )
                self._watcher.traced(task, stage.name, message)

    def _take(self, stage: Stage, candidate: Candidate) -> None:
        found = self._found.get(candidate.task.id)
        if found is None:
            raise ValueError(f"{stage.name} offers a candidate for {candidate.task.id}, no task")
        count = self.counts[stage.name]
        count.n_offered += 1
        did_fit = found.fits
        is_kept = found.offer(Kept(candidate, stage.name, stage.trust, self.elapsed_s))
        if is_kept:
            count.n_kept += 1
            count.n_first += found.fits and not did_fit
        if candidate.task.id in self._traced:
            became = "kept" if is_kept else "not kept: known, no grid, or worse than all that is"
            message = f"offers {describe_candidate(candidate)}; {became}"
            self._watcher.traced(candidate.task, stage.name, message)

    # --- to go on in another process ---

    @phase("store")
    def state(self) -> dict[str, Any]:
        """Return all that is known as plain data."""
        return {
            "elapsed_s": self.elapsed_s,
            "counts": {name: dict(vars(count)) for name, count in self.counts.items()},
            "stages": {stage.name: stage.state() for stage in self.stages},
            "spent_s": dict(self.spent_s),
            "candidates": {
                task_id: found.to_json() for task_id, found in self._found.items() if len(found)
            },
        }

    @phase("load")
    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up what `state` returned in a run over the same tasks, with the same stages."""
        self._elapsed_before_s = state["elapsed_s"]
        self.counts = {name: StageCount(**state["counts"][name]) for name in self.counts}
        self.spent_s = {task.id: state["spent_s"][task.id] for task in self.tasks}
        for stage in self.stages:
            if state["stages"][stage.name] is not None:
                stage.restore(state["stages"][stage.name])
        for task_id, kept in state["candidates"].items():
            task = self._found[task_id].task
            self._found[task_id] = TaskCandidates(task, (Kept.from_json(k, task) for k in kept))


class _Desk:
    """Where one stage hands in what it finds."""

    def __init__(self, solver: Solver, stage: Stage, share: Share) -> None:
        self._solver = solver
        self._stage = stage
        self._share = share
        self._n_rounds_before = solver.counts[stage.name].n_rounds
        self.counted_s = 0.0

    def count_rounds(self) -> None:
        n_rounds = self._n_rounds_before + self._share.n_rounds
        self._solver.counts[self._stage.name].n_rounds = n_rounds

    def offer(self, candidate: Candidate) -> None:
        self._solver._take(self._stage, candidate)

    def known(self, task: Task) -> list[Kept]:
        return self._solver.candidates(task).kept

    def say(self, message: str) -> None:
        self._solver._watcher.said(self._solver, message)

    def log(self, record: dict[str, Any]) -> None:
        self.count_rounds()
        self._solver._watcher.logged(self._solver, self._stage.name, record)
        self._solver._watcher.went_on(self._solver)

    def spend(self, task: Task, seconds: float) -> None:
        self._solver.spent_s[task.id] += seconds
        self.counted_s += seconds

    def traces(self, task: Task) -> bool:
        return task.id in self._solver._traced

    def trace(self, task: Task, message: str) -> None:
        if self.traces(task):
            self._solver._watcher.traced(task, self._stage.name, message)
