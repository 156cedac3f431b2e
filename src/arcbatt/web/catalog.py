"""The task sets and runs that pages show, by their keys in addresses.

Keys are looked up in a table and never become paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starlette.exceptions import HTTPException

from arcbatt.solving.run_folder import CONFIG
from arcbatt.tasks import TASK_SETS, Task, TaskSet, load_valid
from arcbatt.tasks.program_names import PREFIX, program_name

from .settings import Settings


@dataclass(frozen=True, slots=True)
class Source:
    """A source of tasks with its key; `name` is the argument for `arcbatt.tasks.load`."""

    key: str
    name: str


class Catalog:
    """The sets and runs that pages show."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        names = dict.fromkeys((*settings.data, *TASK_SETS))
        keys = make_keys(names)
        self.sources = {key: Source(key, name) for key, name in zip(keys, names, strict=True)}

    def source(self, key: str) -> Source:
        """Return the source of a key; raise "not found" if there is none."""
        source = self.sources.get(key)
        if source is None:
            raise HTTPException(404, f"no task set is named {key}")
        return source

    def task_set(self, name: str) -> TaskSet:
        """Return the valid tasks of a source; they are read once."""
        return _load(name)

    def runs(self) -> dict[str, Path]:
        """Return the run folders by key: the given ones, or all, newest first."""
        folders = list(self.settings.runs)
        if not folders:
            configs = list(self.settings.runs_folder.glob(f"*/{CONFIG}"))
            configs.sort(key=lambda path: (mtime_ns_of(path), path), reverse=True)
            folders = [path.parent for path in configs]
        return dict(zip(make_keys(path.resolve().name for path in folders), folders, strict=True))

    def run(self, key: str) -> Path:
        """Return the folder of a run; raise "not found" if there is none."""
        folder = self.runs().get(key)
        if folder is None:
            raise HTTPException(404, f"no run is named {key}")
        return folder


def task_key(task_id: str) -> str:
    """Return the key of a task in addresses: its id, unless that has special characters."""
    return program_name(task_id).removeprefix(PREFIX)


def find_task(tasks: Iterable[Task], key: str, place: str) -> Task:
    """Return the task of a key; raise "not found" if there is none."""
    match = next((task for task in tasks if task_key(task.id) == key), None)
    if match is None:
        raise HTTPException(404, f"{place} has no task {key}")
    return match


def make_keys(names: Iterable[str]) -> list[str]:
    """Return distinct keys for names, made of letters, digits, dots and dashes."""
    keys: list[str] = []
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.") or "set"
        key, number = stem, 2
        while key in keys:
            key, number = f"{stem}-{number}", number + 1
        keys.append(key)
    return keys


def mtime_ns_of(path: Path) -> int:
    """Return the modification time of a file, or 0 if there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=16)
def _load(name: str) -> TaskSet:
    return load_valid(name)[0]
