"""`arcbatt tasks`: list the task sets, or the tasks of one."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.drawing.palette import color_of, text_on
from arcbatt.tasks import TASK_SETS, Grid, Task, TaskSet, load

from ..completion import complete_set
from ..console import print_blocks, print_json
from ..options import AsJson

EXAMPLES = (
    ("arcbatt tasks", "the built-in sets"),
    ("arcbatt tasks arc-agi-2/evaluation", "the tasks of one set"),
    ("arcbatt tasks arc-prize-2025/test_challenges.json", "the tasks of a Kaggle file"),
)


def tasks(
    task_set: Annotated[
        str | None,
        typer.Argument(
            metavar="SET",
            help="A built-in set, a Kaggle *_challenges.json, or a folder of task files.",
            autocompletion=complete_set,
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the task sets, or the tasks of one: demos, test inputs, sizes and colors."""
    if task_set is None:
        sets = [load(name) for name in TASK_SETS]
        if as_json:
            print_json({"sets": [{"set": each.source, "tasks": len(each)} for each in sets]})
        else:
            print_blocks(_table_of_sets(sets))
        return
    chosen = load(task_set)
    if as_json:
        print_json({"set": chosen.source, "tasks": [_facts(task) for task in chosen]})
    else:
        print_blocks(_table_of_tasks(chosen))


def _table_of_sets(sets: Iterable[TaskSet]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("set")
    table.add_column("tasks", justify="right")
    for each in sets:
        table.add_row(each.source, str(len(each)))
    return table


def _table_of_tasks(tasks: TaskSet) -> Table:
    title = f"{tasks.source}: {len(tasks)} task{'s' * (len(tasks) != 1)}"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("task", style="bold", no_wrap=True)
    table.add_column("demos", justify="right")
    table.add_column("tests", justify="right")
    table.add_column("input", no_wrap=True)
    table.add_column("output", no_wrap=True)
    table.add_column("colors", no_wrap=True)
    for task in tasks:
        table.add_row(
            task.id,
            str(len(task.demos)),
            str(len(task.test_inputs)),
            _sizes(_inputs(task)),
            _sizes([demo.output for demo in task.demos]),
            _swatches(_colors(task)),
        )
    return table


def _facts(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "demos": len(task.demos),
        "tests": len(task.test_inputs),
        "input_sizes": [list(_size(grid)) for grid in _inputs(task)],
        "output_sizes": [list(_size(demo.output)) for demo in task.demos],
        "colors": _colors(task),
    }


def _inputs(task: Task) -> list[Grid]:
    return [*(demo.input for demo in task.demos), *task.test_inputs]


def _size(grid: Grid) -> tuple[int, int]:
    return len(grid), len(grid[0])


def _sizes(grids: Iterable[Grid]) -> str:
    """Return "3x3", or the smallest and the largest side both ways."""
    heights, widths = zip(*map(_size, grids), strict=True)
    return f"{_span(heights)}x{_span(widths)}"


def _span(sides: Iterable[int]) -> str:
    low, high = min(sides), max(sides)
    return str(low) if low == high else f"{low}-{high}"


def _colors(task: Task) -> list[int]:
    """Return the colors of all grids of a task, ascending."""
    grids = [*_inputs(task), *(demo.output for demo in task.demos)]
    return sorted({cell for grid in grids for row in grid for cell in row})


def _swatches(colors: Iterable[int]) -> Text:
    swatches = Text()
    for color in colors:
        fill = color_of(color)
        swatches.append(f" {color}", style=f"{text_on(fill)} on {fill}")
    return swatches
