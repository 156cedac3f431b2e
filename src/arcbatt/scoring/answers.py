"""Sealed answers: they can be compared with, but not read.

The outputs of test inputs never leave this module. An `Answers` is a key into a private table, and
the functions below say whether a grid is right, not which grid would be. `disclosure` returns
answers to the web app only.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Never, NoReturn, final
from weakref import WeakKeyDictionary

from arcbatt.measure import phase
from arcbatt.tasks import MADE_HERE, TASK_SETS, Grid, Task, TaskError, UnknownTask, to_grid
from arcbatt.tasks.json_file import read_json
from arcbatt.tasks.sources import Document, read_documents, solutions_path
from arcbatt.tasks.validation import pairs_of, parse_grid, show, side_of


@final
class Answers:
    """The sealed answers of a source, created by `load_answers` and `find_answers`.

    It cannot be iterated, indexed, pickled or copied; only functions of `arcbatt.scoring` use it.
    """

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        raise TypeError("answers are read by load_answers(source) or find_answers(task_id)")

    def __repr__(self) -> str:
        n_tasks = len(_CONTENTS[self])
        return f"<Answers to {n_tasks} task{'s' * (n_tasks != 1)}, sealed>"

    def __iter__(self) -> NoReturn:
        raise TypeError("answers are sealed: they cannot be iterated; see is_right and score")

    def __getitem__(self, key: Never) -> NoReturn:
        raise TypeError("answers are sealed: they have no items; see is_right and score")

    def __contains__(self, item: Never) -> NoReturn:
        raise TypeError("answers are sealed: answered_tasks(answers) gives the task ids")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # Used by both pickle and copy.
        raise TypeError("answers are sealed: they cannot be pickled or copied")


_Contents = dict[str, tuple[Grid, ...]]

# Kept off the object, so that attribute access, debuggers and pickling never reach a grid.
_CONTENTS: WeakKeyDictionary[Answers, _Contents] = WeakKeyDictionary()


@phase("load")
def load_answers(source: str | os.PathLike[str]) -> Answers:
    """Return the sealed answers of a source that `arcbatt.tasks.load` accepts.

    For a Kaggle file `*_challenges.json`, they are in the `*_solutions.json` beside it. Raises
    `TaskError` if an answer is missing or is not a grid.
    """
    documents = read_documents(source)
    for document in documents:
        if document.fault is not None:
            raise TaskError(document.fault)
    built_in = isinstance(source, str) and source in TASK_SETS
    solutions = None if built_in else solutions_path(source)
    if solutions is None:
        return _seal({document.id: _test_outputs(document) for document in documents})
    return _seal(_kaggle_solutions(documents, solutions))


def has_answers(source: str | os.PathLike[str]) -> bool:
    """Return whether all tasks of a source have answers that can be read."""
    is_built_in = isinstance(source, str) and source in TASK_SETS
    return is_built_in or known_answers(source) is not None


def known_answers(source: str | os.PathLike[str]) -> Answers | None:
    """Return the sealed answers of a source; None without them, as competitions publish tasks."""
    try:
        return load_answers(source)
    except TaskError:
        return None


@phase("load")
def find_answers(task_id: str) -> Answers:
    """Return the sealed answers to the one task that `arcbatt.tasks.find_task` finds."""
    for name in TASK_SETS:
        contents = _CONTENTS[_built_in(name)]
        if task_id in contents:
            return _seal({task_id: contents[task_id]})
    known = {known_id for name in TASK_SETS for known_id in answered_tasks(_built_in(name))}
    raise UnknownTask(task_id, "the built-in sets", sorted(known))


@phase("load")
def answers_to(tasks: Iterable[Task]) -> Answers:
    """Return the sealed answers of tasks, loaded from their sources.

    Raises `TaskError` for a task whose source has none, such as one made from grids.
    """
    contents: _Contents = {}
    loaded: dict[str, Answers] = {}
    for task in tasks:
        source = task.source
        if source == MADE_HERE:
            raise TaskError(
                f"task {task.id} was made from grids, so its answers are unknown; "
                f"pass them: answers={{{task.id!r}: [grid]}}"
            )
        if source not in loaded:
            loaded[source] = _built_in(source) if source in TASK_SETS else load_answers(source)
        contents[task.id] = _grids(loaded[source], task.id)
    return _seal(contents)


def seal_answers(given: Mapping[str, Sequence[object]]) -> Answers:
    """Seal answers given by task id, with one grid per test input."""
    if not isinstance(given, Mapping):
        raise TaskError(f"answers: {show(given)}, expected {{task id: [grid, ...]}}")
    contents = {}
    for task_id, grids in given.items():
        place = f"answers: task {show(task_id)}"
        if not isinstance(grids, list | tuple) or not grids:
            raise TaskError(f"{place}: {show(grids)}, expected one grid for each test input")
        contents[task_id] = tuple(
            to_grid(grid, f"{place}: test {number}") for number, grid in enumerate(grids, 1)
        )
    return _seal(contents)


def is_right(answers: Answers, task_id: str, test_index: int, grid: object) -> bool:
    """Return whether `grid` is exactly the answer to the test input at `test_index` (from 0).

    `grid` is rows of ints, as tuples or lists; any other value is not right. Raises `UnknownTask`
    and `IndexError` for a task or test input that the answers do not cover.
    """
    grids = _grids(answers, task_id)
    if not 0 <= test_index < len(grids):
        raise IndexError(
            f"task {task_id} has {len(grids)} test input{'s' * (len(grids) != 1)}; "
            f"there is none at index {test_index}"
        )
    answer = grids[test_index]
    return (
        isinstance(grid, list | tuple)
        and len(grid) == len(answer)
        and all(
            # The exact type: True equals 1 but is written differently.
            isinstance(row, list | tuple)
            and tuple(row) == answer_row
            and all(type(cell) is int for cell in row)
            for row, answer_row in zip(grid, answer, strict=True)
        )
    )


def same_answers(first: Answers, second: Answers, task_id: str) -> tuple[bool, ...]:
    """Return for each test input of a task whether two sources have the same answer."""
    pairs = zip(_grids(first, task_id), _grids(second, task_id), strict=False)
    return tuple(one == other for one, other in pairs)


def n_answers(answers: Answers, task_id: str) -> int:
    """Return the number of test inputs of a task."""
    return len(_grids(answers, task_id))


def answered_tasks(answers: Answers) -> tuple[str, ...]:
    """Return the sorted ids of all tasks that the answers cover."""
    return tuple(sorted(_CONTENTS[answers]))


def _grids(answers: Answers, task_id: str) -> tuple[Grid, ...]:
    contents = _CONTENTS[answers]
    if task_id not in contents:
        raise UnknownTask(task_id, "the answers", contents)
    return contents[task_id]


def _seal(contents: _Contents) -> Answers:
    answers = object.__new__(Answers)
    _CONTENTS[answers] = contents
    return answers


@cache
def _built_in(name: str) -> Answers:
    return load_answers(name)


def _test_outputs(document: Document) -> tuple[Grid, ...]:
    pairs = pairs_of(document.content, "test", "test", document.place)
    return tuple(
        side_of(pairs, index, "output", "test", document.place) for index in range(len(pairs))
    )


def _kaggle_solutions(documents: list[Document], path: Path) -> _Contents:
    """Read the solutions at `path` and match them with the challenges by task."""
    if not path.exists():
        raise TaskError(f"{path}: no such file; the answers to a Kaggle file are expected there")
    solutions: Any = read_json(path)
    if not isinstance(solutions, dict):
        raise TaskError(f"{path}: {show(solutions)} is not an object of solutions by task id")
    without_challenge = sorted(solutions.keys() - {document.id for document in documents})
    if without_challenge:
        raise TaskError(
            f"{path}: task {show(without_challenge[0])} is not in the challenges beside it"
        )
    contents = {}
    for document in documents:
        place = f"{path}: task {document.id}"
        n_test_inputs = len(pairs_of(document.content, "test", "test", document.place))
        if document.id not in solutions:
            raise TaskError(f"{place}: no solutions, expected {n_test_inputs}")
        grids = solutions[document.id]
        if not isinstance(grids, list):
            raise TaskError(f"{place}: {show(grids)} is not a list of grids")
        if len(grids) != n_test_inputs:
            raise TaskError(
                f"{place}: {len(grids)} solutions, expected {n_test_inputs}, one per test input"
            )
        contents[document.id] = tuple(
            parse_grid(grid, f"{place}: test {number} output")
            for number, grid in enumerate(grids, 1)
        )
    return contents
