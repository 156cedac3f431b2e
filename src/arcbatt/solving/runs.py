"""Folders of runs in, what each was and came to, and what sets two apart, out."""

from __future__ import annotations

import json
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
from .report.results_shape import find_fault
from .run import REPORT, RESULTS, SUBMISSION, report_title
from .run_folder import CONFIG, LOCK, RunConfig, RunFolderError, not_a_run, read_config


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as a list shows it; of one that has no results yet the counts are None."""

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
        """Where its tasks are."""
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
    """Return what the run in a folder is; a folder of another kind is a `RunFolderError`."""
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
        with suppress(FileNotFoundError):  # a run that goes on replaces its files
            n_bytes += file.stat().st_size if file.is_file() else 0
    return n_bytes


def list_runs(base: Path) -> tuple[list[RunSummary], list[str]]:
    """Return the runs in a folder, the newest first, and what is wrong with others in it.

    A folder that is not there has none; a file in its place is a `RunFolderError`.
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
    """Return what a run wrote of itself; what is no such file is a `RunFolderError`."""
    content = read_json(path / RESULTS, RunFolderError)
    if fault := find_fault(content):
        raise RunFolderError(
            f"{path / RESULTS}: not the results of a run of this version ({fault}); "
            f"{path / SUBMISSION} can be scored alone"
        )
    assert isinstance(content, dict)
    return content


def tasks_of_run(path: Path) -> tuple[str, tuple[str, ...] | None]:
    """Return where the tasks of a run are, and which of them it was for: None for all.

    It asks no more of the folder, so that what another version wrote can be scored.
    """
    try:
        content = json.loads((path / CONFIG).read_bytes())
    except OSError as error:
        raise not_a_run(path, error.strerror) from None
    except ValueError as error:
        raise not_a_run(path, str(error)) from None
    options = content.get("options") if isinstance(content, dict) else None
    data = options.get("data") if isinstance(options, dict) else None
    if not isinstance(data, str) or not isinstance(options, dict):
        raise RunFolderError(
            f"{path / CONFIG}: does not say which tasks the run was for; give --data SET"
        )
    chosen = options.get("tasks")
    if chosen is None:
        return data, None
    return data, tuple(each for names in chosen for each in names.split(","))


def note_score(path: Path, right: Mapping[str, Sequence[int | None]]) -> None:
    """Write the report of a run anew with what is right in it.

    `right` has by task id for each test input the attempt that is right, None for none.
    """
    config, _ = read_config(path)
    results = read_results(path)
    tasks, _ = load_valid(tasks_of_run(path)[0])
    places = {
        row["task"]: f"{FOLDER}/{program_name(row['task'])}.html" for row in results["by_task"]
    }
    report = make_report(
        results,
        tasks,
        title=report_title(config),
        explanations={task: place for task, place in places.items() if (path / place).exists()},
        right=right,
    )
    write_whole(path / REPORT, report)


def is_running(path: Path) -> bool:
    """Return whether a process works in the folder of a run; one that is read-only has none."""
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
    """Remove the folder of a run, or a link to one; one at work is a `RunFolderError`."""
    read_config(path)  # so that nothing else is ever removed
    lock = FileLock(path / LOCK, blocking=False)
    try:
        with lock:
            if path.is_symlink():
                path.unlink()  # what it leads to was put elsewhere, to be kept
            else:
                shutil.rmtree(path)
    except Timeout:
        raise RunFolderError(f"{path} is in use by another process that runs in it") from None


@dataclass(frozen=True, slots=True)
class TaskOfTwo:
    """How one task went in two runs: what its results say, None where a run has not the task."""

    task_id: str
    first: Mapping[str, Any] | None
    second: Mapping[str, Any] | None

    @property
    def fits(self) -> tuple[bool, bool]:
        """Whether a program fits, in the one run and in the other."""
        return tuple(row is not None and row["fits"] for row in (self.first, self.second))  # type: ignore[return-value]

    @property
    def same_attempts(self) -> bool:
        """Whether both runs submit the same grids."""
        if self.first is None or self.second is None:
            return False
        return _grids(self.first) == _grids(self.second)


def _grids(row: Mapping[str, Any]) -> list[Any]:
    return [attempt["grid"] for test in row["tests"] for attempt in test["attempts"]]


def compare_runs(first: Path, second: Path) -> list[TaskOfTwo]:
    """Return how every task of two runs went, in ascending order of id."""
    rows = [{row["task"]: row for row in read_results(path)["by_task"]} for path in (first, second)]
    ids = sorted(rows[0].keys() | rows[1].keys())
    return [TaskOfTwo(task_id, rows[0].get(task_id), rows[1].get(task_id)) for task_id in ids]


def split_runs(
    tasks: Iterable[TaskOfTwo], went: Callable[[TaskOfTwo], tuple[bool, bool]]
) -> dict[str, list[TaskOfTwo]]:
    """Return which tasks went well in both runs, in the first or second alone, in neither."""
    parts: dict[str, list[TaskOfTwo]] = {"both": [], "first": [], "second": [], "neither": []}
    names = {(True, True): "both", (True, False): "first", (False, True): "second"}
    for task in tasks:
        parts[names.get(went(task), "neither")].append(task)
    return parts
