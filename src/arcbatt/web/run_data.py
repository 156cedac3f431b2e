"""The folder of a run in, what pages show of it out, also while it goes on.

Results are there when a run ends. Until then its hall of fame and its submission, which are
renewed every few seconds, say what it has found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from arcbatt.api import score
from arcbatt.scoring import SubmissionError
from arcbatt.solving.log import LogEntry
from arcbatt.solving.report.views import FITS, NOTHING, PARTIAL, Overview, TaskView, make_views
from arcbatt.solving.run import HALL_OF_FAME, RESULTS, SUBMISSION
from arcbatt.solving.run_folder import LOG, RunConfig, read_config, read_log
from arcbatt.solving.runs import is_running, read_results, tasks_of_run
from arcbatt.tasks import Task, TaskError, UnknownTask

from .catalog import Catalog

Right = Mapping[str, Sequence[int | None]]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as pages show it; `right` is None where nobody knows the answers."""

    key: str
    path: Path
    config: RunConfig
    data: str
    tasks: Sequence[Task]
    is_running: bool
    results: Mapping[str, Any]
    found: Mapping[str, Sequence[Mapping[str, Any]]]
    right: Right | None

    @property
    def address(self) -> str:
        return f"/runs/{self.key}"

    @property
    def title(self) -> str:
        return f"{self.config.command} {self.data}"

    @property
    def views(self) -> list[TaskView]:
        """Its tasks as its results have them."""
        return make_views(self.results, self.tasks, None, self.right)

    @property
    def overview(self) -> Overview:
        return Overview(self.views, self.results)

    @property
    def log(self) -> list[LogEntry]:
        """What happened, part by part."""
        path = self.path / LOG
        return read_log(path) if path.exists() else []

    def rows(self) -> list[dict[str, Any]]:
        """Return of every task what the gallery filters and sorts by."""
        if self.is_running:
            return [self._row_by_now(task) for task in self.tasks]
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

    def _row_by_now(self, task: Task) -> dict[str, Any]:
        """Return what is known of a task of a run that goes on: no confidence yet."""
        found = self.found.get(task.id)
        best = found[-1] if found else None
        state = NOTHING
        if best is not None and best["fitted"]:
            state = FITS if best["fitted"] == len(task.demos) else PARTIAL
        view = TaskView(task, {}, None, None if self.right is None else self.right.get(task.id))
        return {
            "task": task.id,
            "state": state,
            "verdict": view.verdict,
            "proposer": best["proposer"] if best else "",
            "confidence": None,
            "found_s": best["found_s"] if best else None,
            "size": best["size"] if best else None,
        }


def read_run(catalog: Catalog, key: str) -> ShownRun:
    """Return the run of a key, as it is now."""
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
        is_at_work(path),
        _read(path, RESULTS, _mtime(path / RESULTS)),
        _read(path, HALL_OF_FAME, _mtime(path / HALL_OF_FAME)),
        _score(path, _mtime(path / SUBMISSION)),
    )


def is_at_work(path: Path) -> bool:
    """Return whether a process works in the folder; one that cannot be written to has none."""
    try:
        return is_running(path)
    except OSError:
        return False


def _mtime(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=8)
def _read(path: Path, name: str, _mtime_ns: int) -> Mapping[str, Any]:
    """Return a file of a run, parsed once as long as it is the same."""
    if not (path / name).exists():  # a run that is just about to begin
        return {"by_task": [], "proposers": {}, "elapsed_s": 0.0} if name == RESULTS else {}
    if name == RESULTS:
        return read_results(path)
    content = json.loads((path / name).read_bytes())
    return content if isinstance(content, dict) else {}


@lru_cache(maxsize=8)
def _score(path: Path, _mtime_ns: int) -> Right | None:
    """Return what is right in the submission of a run; None where answers are not known."""
    try:
        scored = score(path)
    except (TaskError, SubmissionError, UnknownTask):
        return None
    return {task.task_id: task.right_attempts for task in scored.by_task}
