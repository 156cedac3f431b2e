"""Validated, immutable tasks, loaded from task files and built-in sets.

A `Task` holds its demo pairs and its test inputs. Answers to test inputs are dropped while a source
is read, so nothing that this package exports holds one. `arcbatt.scoring` reads them separately.
"""

from arcbatt.tasks.conversion import MADE_HERE, to_grid, to_task, to_tasks
from arcbatt.tasks.loader import find_task, load, load_valid, require_valid, task_of_set
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
    "task_of_set",
    "to_grid",
    "to_task",
    "to_tasks",
]
