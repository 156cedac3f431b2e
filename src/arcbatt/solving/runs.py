"""Run folders: summaries, results, comparison and removal."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from arcbatt.files import write_whole
from arcbatt.tasks import load_valid
from arcbatt.tasks.json_file import read_json
from arcbatt.tasks.program_names import program_name

from .report.explanations import FOLDER
from .report.page import make_report
from .report.results_shape import CHOSEN, find_fault
from .run_folder import (
    CONFIG,
    LOCK,
    REPORT,
    RESULTS,
    SUBMISSION,
    RunConfig,
    RunFolderError,
    read_config,
    read_config_json,
    refuse_links,
)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as a list shows it; counts are None before it has results."""

    path: Path
    config: RunConfig
    began: datetime
    n_bytes: int
    is_running: bool
    n_tasks: int | None
    n_fitted: int | None
    elapsed_s: float | None

    @property
    def data(self) -> str:
        """Where its tasks come from."""
        return str(self.config.options.get("data", "?"))

    def to_json(self) -> dict[str, Any]:
        return {
            "run": str(self.path),
            "command": self.config.command,
            "data": self.data,
            "seed": self.config.seed,
            "began": self.began.isoformat(timespec="seconds"),
            "running": self.is_running,
            "tasks": self.n_tasks,
            "fits": self.n_fitted,
            "elapsed_s": self.elapsed_s,
            "bytes": self.n_bytes,
        }


def summarize_run(path: Path) -> RunSummary:
    """Return the summary of a run; raise `RunFolderError` for another folder."""
    config, _ = read_config(path)
    results: Mapping[str, Any] = read_results(path) if (path / RESULTS).exists() else {}
    return RunSummary(
        path,
        config,
        datetime.fromtimestamp((path / CONFIG).stat().st_mtime),
        _count_bytes(path),
        is_running(path),
        results.get("tasks"),
        results.get("fits"),
        results.get("elapsed_s"),
    )


def _count_bytes(path: Path) -> int:
    n_bytes = 0
    for file in path.rglob("*"):
        with suppress(FileNotFoundError):  # a running search replaces its files
            n_bytes += file.stat().st_size if file.is_file() else 0
    return n_bytes


def list_runs(base: Path) -> tuple[list[RunSummary], list[str]]:
    """Return the runs in a folder, the newest first, and messages about unreadable ones.

    A missing folder has none; a file in its place raises `RunFolderError`.
    """
    if base.exists() and not base.is_dir():
        raise RunFolderError(f"{base} is not a folder of runs: name the folder that they are in")
    found: list[RunSummary] = []
    troubles: list[str] = []
    for path in sorted(base.iterdir()) if base.is_dir() else []:
        if (path / CONFIG).is_file():
            try:
                found.append(summarize_run(path))
            except RunFolderError as error:
                troubles.append(str(error))
    found.sort(key=lambda each: (each.began, each.path.name), reverse=True)
    return found, troubles


def read_results(path: Path) -> Mapping[str, Any]:
    """Return the content of `results.json`; raise `RunFolderError` if it is malformed."""
    content = read_json(path / RESULTS, RunFolderError, only_finite=True)
    if fault := find_fault(content):
        raise RunFolderError(
            f"{path / RESULTS}: not the results of a run of this version ({fault}); "
            f"{path / SUBMISSION} can be scored alone"
        )
    assert isinstance(content, dict)
    return content


def confidences_of_run(
    path: Path,
) -> tuple[dict[str, tuple[float, ...]], frozenset[tuple[str, int, int]]]:
    """Return the confidence per test input of a run's tasks, and the places of its stand-ins.

    A place is a task, a test input and an attempt, the latter two counted from 0. Tasks that are
    not valid have stand-ins only; they are not among the confidences.
    """
    results = read_results(path)
    confidences = {
        row["task"]: tuple(float(test["confidence"]) for test in row["tests"])
        for row in results["by_task"]
    }
    stand_ins = frozenset(
        (row["task"], k, number)
        for row in results["by_task"]
        for k, test in enumerate(row["tests"])
        for number, attempt in enumerate(test["attempts"])
        if attempt["best"] is None
    )
    return confidences, stand_ins


def tasks_of_run(path: Path) -> tuple[str, tuple[str, ...] | None]:
    """Return where the tasks of a run come from, and the chosen ids, None for all.

    It reads nothing else, so that runs of other versions can be scored.
    """
    options = read_config_json(path).get("options")
    data = options.get("data") if isinstance(options, dict) else None
    if not isinstance(data, str) or not isinstance(options, dict):
        raise RunFolderError(
            f"{path / CONFIG}: the tasks of the run are missing; name them with --data SET"
        )
    chosen = options.get("tasks")
    if fault := find_fault(chosen, CHOSEN, "options.tasks"):
        raise RunFolderError(f"{path / CONFIG}: {fault}")
    if chosen is None:
        return data, None
    return data, tuple(each for names in chosen for each in names.split(","))


def note_score(path: Path, right: Mapping[str, Sequence[int | None]]) -> None:
    """Rewrite the report of a run with its score.

    `right` has the right attempt at each test input by task id, None for none.
    """
    refuse_links(path)
    config, _ = read_config(path)
    results = read_results(path)
    tasks, _ = load_valid(tasks_of_run(path)[0])
    places = {
        row["task"]: f"{FOLDER}/{program_name(row['task'])}.html" for row in results["by_task"]
    }
    report = make_report(
        results,
        tasks,
        title=config.title,
        explanations={task: place for task, place in places.items() if (path / place).exists()},
        right=right,
    )
    write_whole(path / REPORT, report)


def is_running(path: Path) -> bool:
    """Return whether a process works in a run's folder; False for a read-only folder."""
    if not (path / LOCK).exists():
        return False
    try:
        with FileLock(path / LOCK, blocking=False):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def remove_run(path: Path) -> None:
    """Remove a run folder or a link to one; raise `RunFolderError` for a running one."""
    read_config(path)  # refuses any other folder
    lock = FileLock(path / LOCK, blocking=False)
    try:
        with lock:
            if path.is_symlink():
                path.unlink()  # a target stored elsewhere is kept
            else:
                shutil.rmtree(path)
    except Timeout:
        raise RunFolderError(f"{path} is in use by another process") from None


@dataclass(frozen=True, slots=True)
class TaskComparison:
    """The results of a task in two runs, None if a run does not have the task."""

    task_id: str
    first: Mapping[str, Any] | None
    second: Mapping[str, Any] | None

    @property
    def fits(self) -> tuple[bool, bool]:
        """Whether a program fits, in the first run and in the second."""
        return tuple(row is not None and row["fits"] for row in (self.first, self.second))  # type: ignore[return-value]

    @property
    def same_attempts(self) -> bool:
        """Whether both runs submit the same grids."""
        if self.first is None or self.second is None:
            return False
        return _grids(self.first) == _grids(self.second)


def _grids(row: Mapping[str, Any]) -> list[Any]:
    return [attempt["grid"] for test in row["tests"] for attempt in test["attempts"]]


def compare_runs(first: Path, second: Path) -> list[TaskComparison]:
    """Return the results of every task of two runs, in ascending order of id."""
    rows = [{row["task"]: row for row in read_results(path)["by_task"]} for path in (first, second)]
    ids = sorted(rows[0].keys() | rows[1].keys())
    return [TaskComparison(task_id, rows[0].get(task_id), rows[1].get(task_id)) for task_id in ids]


def split_runs(
    tasks: Iterable[TaskComparison], went: Callable[[TaskComparison], tuple[bool, bool]]
) -> dict[str, list[TaskComparison]]:
    """Return the tasks that succeeded in both runs, only the first, only the second, neither."""
    parts: dict[str, list[TaskComparison]] = {"both": [], "first": [], "second": [], "neither": []}
    names = {(True, True): "both", (True, False): "first", (False, True): "second"}
    for task in tasks:
        parts[names.get(went(task), "neither")].append(task)
    return parts
