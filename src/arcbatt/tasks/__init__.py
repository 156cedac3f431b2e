"""Tasks: task files and built-in sets in, validated immutable `Task`s out.

A `Task` holds its demo pairs and its test inputs. The answers to the test inputs are dropped
while a source is read: nothing that this package exports holds or hands out one. Final scoring
reads them through `arcbatt.scoring`.
"""

from arcbatt.tasks.loading import find_task, load, load_valid, require_valid
from arcbatt.tasks.making import MADE_HERE, to_grid, to_task, to_tasks
from arcbatt.tasks.sources import TASK_SETS
from arcbatt.tasks.task import Grid, Pair, Task, TaskSet, UnknownTask
from arcbatt.tasks.validation import BadTask, TaskError

__all__ = [
    "MADE_HERE",
    "TASK_SETS",
    "BadTask",
    "Grid",
    "Pair",
    "Task",
    "TaskError",
    "TaskSet",
    "UnknownTask",
    "find_task",
    "load",
    "load_valid",
    "require_valid",
    "to_grid",
    "to_task",
    "to_tasks",
]
