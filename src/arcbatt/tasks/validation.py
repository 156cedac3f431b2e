"""Validate raw JSON values and convert them to grids and tasks, or raise `TaskError`.

Every message names the place (source, task, pair, row and column) and the expected value. Messages
count demos, test inputs, rows and columns from 1.
"""

import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from arcbatt.plurals import count
from arcbatt.tasks.task import Grid, Pair, Task

MAX_SIDE = 30
MAX_COLOR = 9
# Of demos or test inputs: counts of fitted pairs are stored in a byte.
MAX_PAIRS = 255

T = TypeVar("T")

_ONLY_INT = {int}
_COLORS = frozenset(range(MAX_COLOR + 1))


class TaskError(ValueError):
    """A source cannot be read as tasks; the message names the place and the expected value."""


def show(value: object) -> str:
    """Return a short one-line form of any JSON value for a message."""
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
    """Convert a list of rows of colors to a grid; raise `error` at `place` if it is not valid."""
    # Check all cells at once, as task sets have half a million.
    if isinstance(raw, list | tuple) and all(isinstance(row, list | tuple) for row in raw):
        grid: Grid = tuple(map(tuple, raw))
        if (
            1 <= len(grid) <= MAX_SIDE
            and 1 <= len(grid[0]) <= MAX_SIDE
            and len(set(map(len, grid))) == 1
            # The exact type: True and 1.0 equal 1 but are not colors.
            and set(map(type, chain.from_iterable(grid))) == _ONLY_INT
            and _COLORS.issuperset(chain.from_iterable(grid))
        ):
            return grid
    raise error(f"{place}: {_grid_fault(raw)}")


def _grid_fault(raw: object) -> str:
    """Return why a value is not a grid."""
    if not isinstance(raw, list | tuple):
        return f"{show(raw)} is not a grid (a list of rows)"
    if not 1 <= len(raw) <= MAX_SIDE:
        return f"{len(raw)} rows, expected 1 to {MAX_SIDE}"
    for number, row in enumerate(raw, 1):
        if not isinstance(row, list | tuple):
            return f"row {number}: {show(row)} is not a row (a list of colors)"
        if not 1 <= len(row) <= MAX_SIDE:
            return f"row {number}: {count(len(row), 'cell')}, expected 1 to {MAX_SIDE}"
        if len(row) != len(raw[0]):
            return f"row {number}: {count(len(row), 'cell')}, expected {len(raw[0])} as in row 1"
        for column, cell in enumerate(row, 1):
            if type(cell) is not int or not 0 <= cell <= MAX_COLOR:
                where = f"row {number}, column {column}"
                return f"{where}: {show(cell)} is not a color (0 to {MAX_COLOR})"
    raise AssertionError("this is a grid")


def check_id(task_id: object, place: str) -> None:
    """Raise `TaskError` unless `task_id` is a non-empty line of printable characters."""
    if not isinstance(task_id, str) or not task_id or not task_id.isprintable():
        raise TaskError(f"{place}: {show(task_id)} is not a task id (printable and not empty)")


def pairs_of(content: object, key: str, label: str, place: str) -> list[Any]:
    """Return the non-empty list of pairs under `key` ("train" or "test") of a raw task.

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
    check_number(len(pairs), label, place)
    return pairs


def check_number(n_pairs: int, label: str, place: str) -> None:
    """Raise `TaskError` for more than MAX_PAIRS demos or test inputs."""
    if n_pairs > MAX_PAIRS:
        raise TaskError(f"{place}: {n_pairs:,} {label}s, expected {MAX_PAIRS} at most")


def side_of(pairs: Sequence[Any], index: int, side: str, label: str, place: str) -> Grid:
    """Return the grid under `side` ("input", "output") of the pair at `index`."""
    pair = pairs[index]
    if not isinstance(pair, dict):
        raise TaskError(f"{place}: {label} {index + 1}: {show(pair)} is not a pair (an object)")
    if side not in pair:
        raise TaskError(f'{place}: {label} {index + 1}: the key "{side}" is missing')
    return parse_grid(pair[side], f"{place}: {label} {index + 1} {side}")


def parse_pairs(content: object, place: str) -> tuple[tuple[Pair, ...], tuple[Grid, ...]]:
    """Return the demos and test inputs of a raw task; test outputs are not read."""
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
    return demos, inputs


def parse_task(task_id: str, content: object, source: str, place: str, extra: object = ()) -> Task:
    """Return the task of a raw JSON object with "train" and "test", and raw extra pairs."""
    demos, inputs = parse_pairs(content, place)
    if not isinstance(extra, list | tuple):
        raise TaskError(f"{place}: {show(extra)} are not extra pairs (a list)")
    pairs = tuple(
        Pair(*(side_of(extra, index, side, "extra pair", place) for side in ("input", "output")))
        for index in range(len(extra))
    )
    return Task(task_id, demos, inputs, source, pairs)


@dataclass(frozen=True)
class BadTask:
    """An invalid task: its faults, and those test inputs that are valid."""

    id: str
    faults: tuple[str, ...]
    test_inputs: tuple[Grid | None, ...]


def inspect_task(task_id: str, content: object, place: str) -> BadTask:
    """Return all faults of a raw task; `parse_task` raises at the first one.

    A task without readable test inputs is assumed to have one.
    """
    faults: list[str] = []

    def read(part: Callable[[], T]) -> T | None:
        try:
            return part()
        except TaskError as error:
            faults.append(str(error))
            return None

    grids: dict[str, list[Grid | None]] = {}
    for key, label, sides in (("train", "demo", ("input", "output")), ("test", "test", ("input",))):
        pairs = read(partial(pairs_of, content, key, label, place)) or []
        grids[key] = [
            read(partial(side_of, pairs, index, side, label, place))
            for index in range(len(pairs))
            for side in sides
        ]
    return BadTask(task_id, tuple(dict.fromkeys(faults)), tuple(grids["test"]) or (None,))
