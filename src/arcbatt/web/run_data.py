"""The data of a run that pages show, also while it is running.

A run rewrites its results and submission every few seconds, so they are current even if it was
killed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from arcbatt.api import score
from arcbatt.scoring import SubmissionError
from arcbatt.solving.log import LogEntry, sum_up
from arcbatt.solving.report.views import Overview, TaskView, make_views
from arcbatt.solving.run_folder import LOG, RESULTS, SUBMISSION, RunConfig, read_config, read_log
from arcbatt.solving.runs import is_running, read_results, tasks_of_run
from arcbatt.tasks import Task, TaskError, UnknownTask

from .catalog import Catalog, mtime_ns_of

Right = Mapping[str, Sequence[int | None]]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as pages show it; `right` is None if the answers are unknown."""

    key: str
    path: Path
    config: RunConfig
    data: str
    tasks: Sequence[Task]
    is_running: bool
    results: Mapping[str, Any]
    right: Right | None

    @property
    def address(self) -> str:
        return f"/runs/{self.key}"

    @property
    def title(self) -> str:
        return f"{self.config.command} {self.data}"

    @property
    def views(self) -> list[TaskView]:
        """The tasks of the results."""
        return make_views(self.results, self.tasks, None, self.right)

    @property
    def overview(self) -> Overview:
        return Overview(self.views, self.results)

    @property
    def log(self) -> list[LogEntry]:
        """The log of the run."""
        path = self.path / LOG
        return list(sum_up(read_log(path))) if path.exists() else []

    def rows(self) -> list[dict[str, Any]]:
        """Return, for every task, the properties that the gallery filters and sorts by."""
        return [
            {
                "task": view.task.id,
                "state": view.state,
                "verdict": view.verdict,
                "proposer": view.best["proposer"] if view.best else "",
                "confidence": view.row["confidence"],
                "found_s": view.best["found_s"] if view.best else None,
                "size": view.best["size"] if view.best else None,
            }
            for view in self.views
        ]


def read_run(catalog: Catalog, key: str) -> ShownRun:
    """Return the current state of a run."""
    path = catalog.run(key)
    config, _ = read_config(path)
    data, chosen = tasks_of_run(path)
    tasks = [task for task in catalog.task_set(data) if chosen is None or task.id in chosen]
    return ShownRun(
        key,
        path,
        config,
        data,
        tasks,
        is_running(path),
        _read_results(path, mtime_ns_of(path / RESULTS)),
        _score(path, mtime_ns_of(path / SUBMISSION)),
    )


@lru_cache(maxsize=8)
def _read_results(path: Path, mtime_ns: int) -> Mapping[str, Any]:
    """Return the results of a run, cached until the file changes."""
    if not mtime_ns:  # a run that has just started
        return {"by_task": [], "proposers": {}, "elapsed_s": 0.0}
    return read_results(path)


def count_solved(path: Path) -> int | None:
    """Return how many tasks a run has solved, or None if answers are unknown."""
    right = _score(path, mtime_ns_of(path / SUBMISSION))
    return None if right is None else sum(None not in each for each in right.values())


@lru_cache(maxsize=256)
def _score(path: Path, _mtime_ns: int) -> Right | None:
    """Score the submission of a run; return None if answers are unknown."""
    try:
        scored = score(path)
    except (TaskError, SubmissionError, UnknownTask):
        return None
    return {task.task_id: task.right_attempts for task in scored.by_task}
