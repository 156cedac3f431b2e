"""Immutable types: grids, pairs, tasks and task sets."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import final, overload

from arcbatt.display import Displayed
from arcbatt.suggestion import MAX_LENGTH, suggest

Grid = tuple[tuple[int, ...], ...]
"""Rows of colors; in a task, 1 to 30 rows of 1 to 30 cells, each 0 to 9."""


class UnknownTask(KeyError):
    """No task has this id. The message suggests a similar id, if there is one."""

    def __init__(self, task_id: object, place: str, known_ids: Iterable[str]) -> None:
        message = f"no task {str(task_id)[:MAX_LENGTH]!r} in {place}"
        super().__init__(message + suggest(task_id, known_ids))

    def __str__(self) -> str:
        # KeyError would show the message in quotes.
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Pair(Displayed):
    """One demo: an input grid and its output grid."""

    input: Grid
    output: Grid


@dataclass(frozen=True, repr=False)
class Task(Displayed):
    """One puzzle: its demo pairs and its test inputs, without the answers to them.

    `source` names the set or file that the task came from. `extra` are further pairs of the same
    rule, as ARC-GEN's files have them; no search reads them, and they do not tell tasks apart.
    """

    id: str
    demos: tuple[Pair, ...]
    test_inputs: tuple[Grid, ...]
    source: str
    extra: tuple[Pair, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        demos: object,
        test_inputs: object = None,
        *,
        id: str | None = None,
        source: str | None = None,
    ) -> "Task":
        """Create a task from grids: lists or tuples of rows, or NumPy arrays of integers.

            Task.of([(input, output), (input, output)], [test_input])
            Task.of({"train": [{"input": ..., "output": ...}], "test": [{"input": ...}]})
            Task.of('{"train": [...], "test": [...]}')

        Without an `id`, the task gets one derived from its content. Outputs of test inputs are
        dropped. Raises `TaskError` for invalid input.
        """
        # Imported here because that module imports this one.
        from arcbatt.tasks.conversion import MADE_HERE, make_task

        return make_task(demos, test_inputs, id=id, source=source or MADE_HERE)

    def to_json(self) -> dict[str, list[dict[str, Grid]]]:
        """Return the task as plain data in the format of a task file, without answers."""
        return {
            "train": [{"input": demo.input, "output": demo.output} for demo in self.demos],
            "test": [{"input": grid} for grid in self.test_inputs],
        }

    @cached_property
    def digest(self) -> str:
        """A hex hash of demos and test inputs, the same on every machine."""
        content = [[[demo.input, demo.output] for demo in self.demos], self.test_inputs]
        text = json.dumps(content, separators=(",", ":"))
        return blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def n_cells(self) -> int:
        """The number of cells in all grids."""
        grids = [grid for demo in self.demos for grid in (demo.input, demo.output)]
        return sum(len(grid) * len(grid[0]) for grid in [*grids, *self.test_inputs])

    def __repr__(self) -> str:
        demos, tests = len(self.demos), len(self.test_inputs)
        return (
            f"<Task {self.id} of {self.source}: {demos} demo{'s' * (demos != 1)}, "
            f"{tests} test input{'s' * (tests != 1)}>"
        )


@final
class TaskSet(Displayed, Sequence[Task]):
    """An immutable sequence of tasks, sorted by id, with lookup by id.

    `tasks[0]`, `tasks[:10]`, `tasks["007bbfb7"]`, `"007bbfb7" in tasks`. Raises
    ValueError for two tasks with one id, and `UnknownTask` for an unknown id.
    """

    __slots__ = ("_by_id", "_source", "_tasks")
    _by_id: dict[str, Task]
    _source: str
    _tasks: tuple[Task, ...]

    def __init__(self, tasks: Iterable[Task], source: str) -> None:
        ordered = tuple(sorted(tasks, key=lambda task: task.id))
        by_id = {task.id: task for task in ordered}
        if len(by_id) != len(ordered):
            repeated = next(a.id for a, b in pairwise(ordered) if a.id == b.id)
            raise ValueError(f"{source}: two tasks have the id {repeated}")
        object.__setattr__(self, "_tasks", ordered)
        object.__setattr__(self, "_by_id", by_id)
        object.__setattr__(self, "_source", source)

    @property
    def source(self) -> str:
        """The set, file or folder that the tasks came from."""
        return self._source

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all tasks, ascending."""
        return tuple(self._by_id)

    @overload
    def __getitem__(self, key: int | str) -> Task: ...
    @overload
    def __getitem__(self, key: slice) -> "TaskSet": ...
    def __getitem__(self, key: int | str | slice) -> "Task | TaskSet":
        if isinstance(key, str):
            task = self._by_id.get(key)
            if task is None:
                raise UnknownTask(key, self._source, self._by_id)
            return task
        if isinstance(key, slice):
            return TaskSet(self._tasks[key], self._source)
        return self._tasks[key]

    def get(self, task_id: str) -> Task | None:
        """Return the task with this id, or None."""
        return self._by_id.get(task_id)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return item in self._by_id
        return isinstance(item, Task) and self._by_id.get(item.id) == item

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TaskSet):
            return NotImplemented
        return self._tasks == other._tasks

    def __hash__(self) -> int:
        return hash(self._tasks)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TaskSet is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a TaskSet is immutable: {name} cannot be deleted")

    def __reduce__(self) -> tuple[type["TaskSet"], tuple[tuple[Task, ...], str]]:
        # The default restores slots through __setattr__, which is blocked.
        return TaskSet, (self._tasks, self._source)

    def __repr__(self) -> str:
        n_tasks = len(self._tasks)
        return f"<TaskSet {self._source}: {n_tasks} task{'s' * (n_tasks != 1)}>"
