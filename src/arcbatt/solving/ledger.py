"""A task in the ledger of a run: all kept candidates and finished work, also during the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcbatt.measure import phase
from arcbatt.pool import Pool, PoolWork, task_key
from arcbatt.proposers import Candidate, make_proposers
from arcbatt.tasks import Task

from .candidates import TaskCandidates, candidate_from_row
from .loop import STATE
from .ranking import Attempt, RankedTask, rank_task
from .report.results import task_to_json
from .run_folder import POOL, RunFolderError, read_config
from .run_store import read_options


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate and the ranks of its grids.

    `places` has, per test input, the rank of its grid among all grids, where 0 and 1 are the
    attempts; None where it gives no grid.
    """

    candidate: Candidate
    places: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class TaskKnowledge:
    """The ranked candidates of a task, and the work done for it."""

    candidates: TaskCandidates
    ranked: RankedTask
    work: Sequence[PoolWork]
    spent_s: float

    def to_json(self) -> dict[str, Any]:
        """Return the task's entry in `results.json`."""
        return {**task_to_json(self.candidates, self.ranked, self.spent_s), "rules": []}

    def offered(self) -> list[RankedCandidate]:
        """Return all candidates, the best first, with the ranks of their grids."""
        places: list[dict[Any, int]] = []
        for test in self.ranked.tests:
            grids: list[Attempt] = [*test.attempts, *test.lost]
            places.append({attempt.grid: place for place, attempt in enumerate(grids)})
        return [
            RankedCandidate(
                each,
                tuple(
                    None if grid is None else places[test][grid]
                    for test, grid in enumerate(each.trial.outputs)
                ),
            )
            for each in self.candidates.kept
        ]


@phase("load")
def read_knowledge(path: Path, task: Task) -> TaskKnowledge:
    """Return the candidates and work of a task in a run, which may be in progress.

    Raise `PoolError` if the ledger cannot be read.
    """
    config, _ = read_config(path)
    options = read_options(config)
    try:
        made = make_proposers(options.proposers, options)
    except ValueError as error:
        raise RunFolderError(f"{path}: {error}") from None
    trust = {each.name: each.trust for each in made}
    candidates = TaskCandidates(task)
    with Pool.open(path / POOL, create=False, readonly=True) as pool:
        state = pool.state(STATE) or {}
        for row in pool.trials(task_key(task)):
            candidate = candidate_from_row(row, task, trust.get(row.proposer, 1.0))
            if candidate is not None and candidates.is_wanted(candidate):
                candidates.keep(candidate)
        work = [each for each in pool.work() if each.task == task_key(task)]
    spent_s = float(state.get("spent_s", {}).get(task.id, 0.0))
    return TaskKnowledge(candidates, rank_task(candidates), work, spent_s)
