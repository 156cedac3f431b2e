"""The ledger of a run in, what is known of one of its tasks by now out.

A run that goes on in another process has its results at its end; its ledger knows them before, and
knows more: every candidate that was kept, and the work that proposers have finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcbatt.measure import phase
from arcbatt.pool import Pool, Work, task_key
from arcbatt.proposers import Candidate, make_proposers
from arcbatt.tasks import Task

from .candidates import TaskCandidates
from .loop import STATE, candidate_from_row
from .ranking import Attempt, RankedTask, rank_task
from .report.results import task_to_json
from .run import DIFFERENCES, RunOptions
from .run_folder import POOL, read_config


@dataclass(frozen=True, slots=True)
class Offered:
    """A candidate and what became of it: the grids that it gives and their places.

    `places` has for each test input the place of its grid among all that were offered, 0 and 1
    being the attempts; None where it gives none.
    """

    candidate: Candidate
    places: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class TaskKnowledge:
    """What a run knows of a task: its candidates ranked, and what was done for it."""

    found: TaskCandidates
    ranked: RankedTask
    work: Sequence[Work]
    spent_s: float

    def to_json(self) -> dict[str, Any]:
        """Return what `results.json` says of a task."""
        return {**task_to_json(self.found, self.ranked, self.spent_s), "rules": []}

    def offered(self) -> list[Offered]:
        """Return all candidates that were kept, the best first, with what became of each."""
        places: list[dict[Any, int]] = []
        for test in self.ranked.tests:
            grids: list[Attempt] = [*test.attempts, *test.lost]
            places.append({attempt.grid: place for place, attempt in enumerate(grids)})
        return [
            Offered(
                each,
                tuple(
                    None if grid is None else places[test][grid]
                    for test, grid in enumerate(each.trial.outputs)
                ),
            )
            for each in self.found.kept
        ]


@phase("load")
def read_knowledge(path: Path, task: Task) -> TaskKnowledge:
    """Return what the run in a folder knows of a task; it may be going on.

    A folder without a readable ledger is a `PoolError`.
    """
    config, _ = read_config(path)
    options = RunOptions.from_config(config)
    made = make_proposers(options.proposers, options.to_proposers(path / DIFFERENCES))
    trust = {each.name: each.trust for each in made}
    found = TaskCandidates(task)
    with Pool.open(path / POOL, create=False, readonly=True) as pool:
        state = pool.state(STATE) or {}
        for row in pool.trials(task_key(task)):
            candidate = candidate_from_row(row, task, trust.get(row.proposer, 1.0))
            if candidate is not None and found.is_wanted(candidate):
                found.keep(candidate)
        work = [each for each in pool.work() if each.task == task_key(task)]
    spent_s = float(state.get("spent_s", {}).get(task.id, 0.0))
    return TaskKnowledge(found, rank_task(found), work, spent_s)
