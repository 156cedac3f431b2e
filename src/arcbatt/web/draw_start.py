"""The task that an editor starts with, named in an address or a request body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arcbatt.tasks import Task

from .catalog import Catalog, find_task, task_key
from .run_data import read_run

# Keys that name a task in addresses and request bodies.
SET, RUN, TASK = "set", "run", "task"


@dataclass(frozen=True, slots=True)
class Start:
    """A task of a set or run, with its source for `arcbatt.tasks.load` and its keys."""

    task: Task
    source: str
    names: Mapping[str, str]

    @property
    def here(self) -> str:
        """The address of the task's page."""
        (kind, key), (_, task) = self.names.items()
        return f"/{kind}s/{key}/tasks/{task}"


def find_start(catalog: Catalog, given: Mapping[str, Any]) -> Start | None:
    """Return the named task, or None if none is named; raise "not found" for an unknown one."""
    if SET in given:
        source = catalog.source(given[SET])
        task = find_task(catalog.task_set(source.name), given[TASK], source.name)
        return Start(task, source.name, {SET: source.key, TASK: task_key(task.id)})
    if RUN in given:
        run = read_run(catalog, given[RUN])
        task = find_task(run.tasks, given[TASK], f"the run {run.key}")
        return Start(task, run.data, {RUN: run.key, TASK: task_key(task.id)})
    return None
