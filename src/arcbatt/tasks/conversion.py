"""Convert user input (ids, paths, JSON, lists, arrays) to tasks, or raise one clear error."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from arcbatt.suggestion import suggest
from arcbatt.tasks.loader import find_task, is_id, load
from arcbatt.tasks.sources import TASK_SETS
from arcbatt.tasks.task import Grid, Pair, Task, TaskSet
from arcbatt.tasks.validation import (
    TaskError,
    check_id,
    check_number,
    pairs_of,
    parse_grid,
    parse_pairs,
    show,
)

MADE_HERE = "Python"
"""The source of tasks made from grids."""

_EXPECTED = (
    "expected demos, pairs of (input, output): Task.of([(grid, grid), ...], [grid]); "
    'or an object with "train" and "test", as a dict or JSON text'
)
_ID_DIGITS = 8


def make_task(
    given: object, test_inputs: object = None, *, id: str | None = None, source: str = MADE_HERE
) -> Task:
    """Return a task made of demos and test inputs, in any form that `Task.of` accepts."""
    if isinstance(given, Task):
        return given
    content = _read_text(given) if isinstance(given, str | bytes) else given
    if isinstance(content, os.PathLike):
        raise TaskError(
            f"{show(os.fspath(content))} is a path; arcbatt.load(path) reads task files"
        )
    if isinstance(content, Mapping):
        if test_inputs is not None:
            raise TaskError('test inputs are given twice: they are "test" of the first argument')
        demos, inputs = _from_mapping(dict(content))
    else:
        demos = _demos(content)
        inputs = _inputs(test_inputs)
    if id is None:
        id = _content_id(demos, inputs)
    check_id(id, "id")
    return Task(id, demos, inputs, source)


def to_task(given: object) -> Task:
    """Return the task given as a `Task`, an id, a file with one task, or grids."""
    if isinstance(given, str) and not given.lstrip().startswith("{"):
        return _named(given)
    if isinstance(given, os.PathLike):
        return _only(load(given))
    if isinstance(given, TaskSet):
        return _only(given)
    if isinstance(given, Pair):
        raise TaskError("a task was expected, not one of its demos; give the whole task")
    if isinstance(given, Task | Mapping | str | bytes):
        return make_task(given)
    if _is_grid(given):
        raise TaskError(
            "a task was expected, not a grid; "
            "Task.of([(input, output), ...], [test_input]) makes one of grids"
        )
    if isinstance(given, list | tuple) and any(isinstance(each, Task) for each in given):
        raise TaskError("one task was expected, not several; solve_all takes several")
    raise TaskError(
        f"{_describe(given)} is not a task; expected a Task, the id of one, or a dict with "
        f'"train" and "test"; Task.of(demos, test_inputs) makes one of grids'
    )


def to_tasks(given: object) -> TaskSet:
    """Return the tasks given as a set, its name or path, or an iterable that `to_task` accepts."""
    if isinstance(given, TaskSet):
        return given
    if isinstance(given, Task):
        return TaskSet([given], given.source)
    if isinstance(given, os.PathLike):
        return load(given)
    if isinstance(given, str) and not given.lstrip().startswith("{"):
        return to_tasks(find_task(given)) if is_id(given) else load(given)
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return to_tasks(to_task(given))
    tasks = [to_task(item) for item in given]
    sources = list(dict.fromkeys(task.source for task in tasks))
    return TaskSet(tasks, " and ".join(sources) or MADE_HERE)


def to_grid(given: object, place: str = "grid") -> Grid:
    """Return a grid given as lists, tuples or an array; raise `TaskError` for anything else."""
    return parse_grid(_plain(given, place), place)


def _is_source(name: str) -> bool:
    return name in TASK_SETS or Path(name).exists()


def _named(name: str) -> Task:
    if name in TASK_SETS:
        raise TaskError(
            f"{name} is a set of many tasks; choose one: arcbatt.load({name!r})[0], or by its id"
        )
    if _is_source(name):
        return _only(load(name))
    return find_task(name)


def _only(tasks: TaskSet) -> Task:
    if len(tasks) != 1:
        raise TaskError(f"{tasks.source} holds {len(tasks)} tasks; choose one, by its id or place")
    return tasks[0]


def _read_text(text: str | bytes) -> object:
    """Parse JSON text; the error for anything else says what accepts ids and paths."""
    shown = text.decode(errors="replace") if isinstance(text, bytes) else text
    if not shown.lstrip().startswith(("{", "[")):
        raise TaskError(
            f"{show(shown)} is not the JSON text of a task; arcbatt.find_task(id) gives the task "
            f"of an id, arcbatt.load(path) those of a file"
        )
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise TaskError(f"this is not JSON: {problem}") from None


def _from_mapping(content: dict[str, Any]) -> tuple[tuple[Pair, ...], tuple[Grid, ...]]:
    """Read an object with "train" and "test", without the answers to test inputs."""
    place = "task"
    for key in content:
        if key not in ("train", "test"):
            hint = suggest(key, ("train", "test"))
            if "train" not in content or "test" not in content:
                raise TaskError(f'{place}: the key {show(key)} is neither "train" nor "test"{hint}')
    content = {key: list(v) if isinstance(v, tuple) else v for key, v in content.items()}
    train, test = (
        [_plain_pair(pair, f"{place}: {label} {k}") for k, pair in enumerate(pairs, 1)]
        for label, pairs in (
            ("demo", pairs_of(content, "train", "demo", place)),
            ("test", pairs_of(content, "test", "test", place)),
        )
    )
    return parse_pairs({"train": train, "test": test}, place)


def _plain_pair(pair: Any, place: str) -> Any:
    if not isinstance(pair, Mapping):
        return pair  # rejected by parse_pairs
    return {
        side: _plain(pair[side], f"{place} {side}") for side in ("input", "output") if side in pair
    }


def _demos(given: object) -> tuple[Pair, ...]:
    if _is_grid(given):
        raise TaskError(f"one grid was given; {_EXPECTED}")
    if not isinstance(given, Iterable):
        raise TaskError(f"{_describe(given)} is not a task; {_EXPECTED}")
    demos = tuple(_demo(pair, f"demo {k}") for k, pair in enumerate(given, 1))
    if not demos:
        raise TaskError(f"no demos; {_EXPECTED}")
    check_number(len(demos), "demo", "the task")
    return demos


def _demo(pair: Any, place: str) -> Pair:
    if isinstance(pair, Pair):
        return pair
    if isinstance(pair, Mapping):
        missing = [side for side in ("input", "output") if side not in pair]
        if missing:
            raise TaskError(f'{place}: the key "{missing[0]}" is missing')
        sides = [pair["input"], pair["output"]]
    elif isinstance(pair, str | bytes) or not isinstance(pair, Iterable) or _is_grid(pair):
        what = "one grid" if _is_grid(pair) else _describe(pair)
        raise TaskError(f"{place}: {what}, expected a pair of grids (input, output)")
    else:
        sides = list(pair)
    if len(sides) != 2:
        raise TaskError(f"{place}: {len(sides)} grids, expected two: (input, output)")
    return Pair(
        *(to_grid(s, f"{place} {w}") for s, w in zip(sides, ("input", "output"), strict=True))
    )


def _inputs(given: Any) -> tuple[Grid, ...]:
    if given is None or (isinstance(given, Sequence) and not len(given)):
        raise TaskError("no test input; Task.of(demos, [grid]) takes them as its second argument")
    several = [given] if _is_grid(given) else given
    if isinstance(several, str | bytes) or not isinstance(several, Iterable):
        raise TaskError(f"test inputs: {_describe(given)}, expected a grid or several of them")
    return tuple(
        to_grid(
            each["input"] if isinstance(each, Mapping) and "input" in each else each, f"test {k}"
        )
        for k, each in enumerate(several, 1)
    )


def _is_grid(given: Any) -> bool:
    """Return whether this looks like one grid: rows of scalars."""
    if hasattr(given, "ndim"):
        return bool(given.ndim == 2)
    if not isinstance(given, list | tuple) or not given:
        return False
    rows = [row for row in given if isinstance(row, list | tuple) or hasattr(row, "tolist")]
    return len(rows) == len(given) and not any(
        isinstance(cell, list | tuple | Mapping) or getattr(cell, "ndim", 0)
        for cell in chain.from_iterable(rows)
    )


def _plain(given: Any, place: str) -> Any:
    """Convert arrays and NumPy numbers to lists of Python integers."""
    if hasattr(given, "dtype") and hasattr(given, "tolist"):
        if given.dtype.kind not in "iu":
            raise TaskError(f"{place}: an array of {given.dtype}, expected integers 0 to 9")
        if getattr(given, "ndim", 0) == 0:
            return int(given)
        return given.tolist()
    if isinstance(given, list | tuple):
        return [_plain(member, place) if _needs_conversion(member) else member for member in given]
    return given


def _needs_conversion(member: object) -> bool:
    return isinstance(member, list | tuple) or hasattr(member, "dtype")


def _content_id(demos: tuple[Pair, ...], inputs: tuple[Grid, ...]) -> str:
    """Return an id derived from the content, so that equal tasks have equal ids."""
    content = repr(([(demo.input, demo.output) for demo in demos], inputs))
    return blake2b(content.encode(), digest_size=_ID_DIGITS // 2).hexdigest()


def _describe(given: object) -> str:
    return f"{show(given)} of type {type(given).__name__}"
