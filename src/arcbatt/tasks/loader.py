"""Load the tasks of a source, without the answers to their test inputs."""

import gc
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from arcbatt.measure import phase
from arcbatt.tasks.sources import TASK_SETS, Document, extra_pairs, read_documents
from arcbatt.tasks.task import Task, TaskSet, UnknownTask
from arcbatt.tasks.validation import BadTask, TaskError, inspect_task, parse_task


@phase("load")
def load(source: str | os.PathLike[str]) -> TaskSet:
    """Return the tasks of a source, sorted by id.

    A source is the name of a built-in set (one of `TASK_SETS`), a file, or a folder of task files
    `<id>.json`, which is read with its subfolders. A file holds one task, many by id such as
    Kaggle's `*_challenges.json`, a list of tasks with ids, or one task per line (`.jsonl`). A file
    with a list of pairs, as re-arc's, is a task whose first 3 pairs are demos and the others tests,
    255 at most: `PATH#demos=5,tests=10` sets both. Raises `TaskError` if the source is none of
    these or holds anything but valid tasks.
    """
    if not isinstance(source, str | os.PathLike):
        raise TaskError(
            f"load takes the name of a set or a path, not a {type(source).__name__}; "
            f"Task.of(demos, test_inputs) makes a task of grids"
        )
    if isinstance(source, str) and source in TASK_SETS:
        return _built_in(source)
    if isinstance(source, str) and is_id(source):
        raise TaskError(f"{source} is the id of a task; find_task({source!r}) gives it")
    tasks, bad = load_valid(source)
    require_valid(bad, len(bad) + len(tasks))
    return tasks


def require_valid(bad: Sequence[BadTask], n_tasks: int) -> None:
    """Raise `TaskError` if any of `n_tasks` tasks is not valid."""
    if bad:
        more = f"\n{len(bad) - 1} more of {n_tasks} tasks are not valid either"
        raise TaskError(bad[0].faults[0] + more * (len(bad) > 1))


@phase("load")
def load_valid(source: str | os.PathLike[str]) -> tuple[TaskSet, list[BadTask]]:
    """Return the valid tasks of a source, and the invalid ones with all their faults.

    Raises `TaskError` only if the source as a whole cannot be read.
    """
    if isinstance(source, str) and source in TASK_SETS:
        return _built_in(source), []
    return _read(source)


def _read(source: str | os.PathLike[str]) -> tuple[TaskSet, list[BadTask]]:
    name = os.fspath(source)
    tasks: list[Task] = []
    bad: list[BadTask] = []
    with _without_garbage_collection():
        for document in read_documents(source):
            try:
                if document.fault is not None:
                    raise TaskError(document.fault)
                tasks.append(_parse(document, name))
            except TaskError as error:
                task = inspect_task(document.id, document.content, document.place)
                # A document that could not be read has no content with further faults.
                faults = (document.fault is None and task.faults) or (str(error),)
                bad.append(replace(task, faults=faults))
        return TaskSet(tasks, name), bad


def _parse(document: Document, source: str) -> Task:
    content = document.content
    return parse_task(document.id, content, source, document.place, extra_pairs(content))


def is_id(name: str) -> bool:
    """Return whether this is a task id of a built-in set and not the name of a file."""
    return re.fullmatch("[0-9a-f]{8}", name) is not None and (
        not Path(name).exists() and look_up_task(name) is not None
    )


def look_up_task(task_id: str) -> Task | None:
    """Return the task that `find_task` returns, or None, without searching for similar ids."""
    tasks = (task_of_set(name, task_id) for name in TASK_SETS)
    return next((task for task in tasks if task is not None), None)


@phase("load")
def find_task(task_id: str) -> Task:
    """Return the task with this id from the first built-in set that has it.

    Training sets come before evaluation sets, ARC-AGI-1 before ARC-AGI-2. Raises `UnknownTask` if
    no set has it.
    """
    if not isinstance(task_id, str):
        raise TaskError(f"a task id is text such as '67a3c6ac', not a {type(task_id).__name__}")
    task = look_up_task(task_id)
    if task is not None:
        return task
    known = {known_id for name in TASK_SETS for known_id in _built_in(name).ids}
    raise UnknownTask(task_id, "the built-in sets", sorted(known))


@cache
def _built_in(name: str) -> TaskSet:
    return _read(name)[0]


@cache
def _documents(name: str) -> dict[str, Document]:
    with _without_garbage_collection():
        return {document.id: document for document in read_documents(name)}


@cache
def task_of_set(name: str, task_id: str) -> Task | None:
    """Return a task of a built-in set, or None, without validating the others."""
    document = _documents(name).get(task_id)
    return None if document is None else _parse(document, name)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection: grids have no cycles, and it takes a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
