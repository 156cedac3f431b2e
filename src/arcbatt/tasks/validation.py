"""Validation at the door: raw JSON values in, grids and tasks out, or a `TaskError`.

Every message says where (source, task, pair, row and column) and what was expected. Demos, test
inputs, rows and columns are counted from 1 there, as a reader of the file counts them.
"""

import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

from arcbatt.tasks.task import Grid, Pair, Task

MAX_SIDE = 30
MAX_COLOUR = 9

_ONLY_INT = {int}


class TaskError(ValueError):
    """A source cannot be read as tasks; the message says where and what was expected."""


def show(value: object) -> str:
    """Return a short one-line form of any JSON value, for a message."""
    if isinstance(value, int) and value.bit_length() > 64:
        # Python refuses to print integers of thousands of digits.
        return f"an integer of {value.bit_length()} bits"
    return _short.repr(value)


_short = reprlib.Repr()
_short.maxstring = 40
_short.maxother = 40
_short.maxlist = _short.maxtuple = _short.maxdict = 3
_short.maxlevel = 2


def parse_grid(raw: object, place: str, error: type[ValueError] = TaskError) -> Grid:
    """Return `raw`, a list of rows of colours, as a grid.

    `place` starts the message of the `error` that is raised when it is not one.
    """
    if not isinstance(raw, list | tuple):
        raise error(f"{place}: {show(raw)} is not a grid (a list of rows)")
    if not 1 <= len(raw) <= MAX_SIDE:
        raise error(f"{place}: {len(raw)} rows, expected 1 to {MAX_SIDE}")
    rows = []
    for number, row in enumerate(raw, 1):
        if not isinstance(row, list | tuple):
            raise error(f"{place}: row {number}: {show(row)} is not a row (a list of colours)")
        if not 1 <= len(row) <= MAX_SIDE:
            raise error(f"{place}: row {number}: {len(row)} cells, expected 1 to {MAX_SIDE}")
        if len(row) != len(raw[0]):
            raise error(
                f"{place}: row {number}: {len(row)} cells, expected {len(raw[0])} as in row 1"
            )
        # The exact type, since True and 1.0 equal 1 but are no colours.
        if set(map(type, row)) != _ONLY_INT or min(row) < 0 or max(row) > MAX_COLOUR:
            column, cell = next(
                (column, cell)
                for column, cell in enumerate(row, 1)
                if type(cell) is not int or not 0 <= cell <= MAX_COLOUR
            )
            raise error(
                f"{place}: row {number}, column {column}: "
                f"{show(cell)} is not a colour (0 to {MAX_COLOUR})"
            )
        rows.append(tuple(row))
    return tuple(rows)


def check_id(task_id: str, place: str) -> None:
    """Raise a TaskError unless `task_id` is a non-empty line of printable characters."""
    if not task_id or not task_id.isprintable():
        raise TaskError(f"{place}: {show(task_id)} is not a task id (printable and not empty)")


def pairs_of(content: object, key: str, label: str, place: str) -> list[Mapping[str, Any]]:
    """Return the non-empty list of pairs that a raw task holds under `key` ("train", "test").

    `label` is the word for one of them in messages ("demo", "test").
    """
    if not isinstance(content, dict):
        raise TaskError(
            f'{place}: {show(content)} is not a task (an object with "train" and "test")'
        )
    if key not in content:
        raise TaskError(f'{place}: the key "{key}" is missing')
    pairs = content[key]
    if not isinstance(pairs, list):
        raise TaskError(f'{place}: "{key}" is {show(pairs)}, expected a list of pairs')
    if not pairs:
        raise TaskError(f'{place}: "{key}" is empty, expected at least one {label}')
    for number, pair in enumerate(pairs, 1):
        if not isinstance(pair, dict):
            raise TaskError(f"{place}: {label} {number}: {show(pair)} is not a pair (an object)")
    return pairs


def side_of(
    pairs: Sequence[Mapping[str, Any]], index: int, side: str, label: str, place: str
) -> Grid:
    """Return the grid under `side` ("input", "output") of the pair at `index`."""
    if side not in pairs[index]:
        raise TaskError(f'{place}: {label} {index + 1}: the key "{side}" is missing')
    return parse_grid(pairs[index][side], f"{place}: {label} {index + 1} {side}")


def parse_task(task_id: str, content: object, source: str, place: str) -> Task:
    """Return the task of a raw JSON object with "train" and "test"; test outputs are not read."""
    train = pairs_of(content, "train", "demo", place)
    test = pairs_of(content, "test", "test", place)
    demos = tuple(
        Pair(
            side_of(train, index, "input", "demo", place),
            side_of(train, index, "output", "demo", place),
        )
        for index in range(len(train))
    )
    inputs = tuple(side_of(test, index, "input", "test", place) for index in range(len(test)))
    return Task(task_id, demos, inputs, source)
