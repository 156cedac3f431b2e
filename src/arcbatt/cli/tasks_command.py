"""`arcbatt tasks` and `arcbatt show`: what tasks there are, and what one looks like."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.drawing import draw_task, png_task, svg_task
from arcbatt.drawing.palette import color_of, text_on
from arcbatt.tasks import TASK_SETS, Grid, Task, TaskSet, load

from .completion import complete_set, complete_task
from .console import print_blocks, print_json, write_file
from .finding import get_task
from .options import AsJson, TaskSource

TASKS_EXAMPLES = (
    ("arcbatt tasks", "the built-in sets"),
    ("arcbatt tasks arc-agi-2/evaluation", "the tasks of one set"),
    ("arcbatt tasks arc-prize-2025/test_challenges.json", "the tasks of a Kaggle file"),
)
SHOW_EXAMPLES = (
    ("arcbatt show 00d62c1b", "in the terminal"),
    ("arcbatt show 00d62c1b --svg task.svg", "as a picture"),
    ("arcbatt show my-task.json", "from a task file"),
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
    """List the task sets, or the tasks of one: demos, test inputs, sizes and colours."""
    if task_set is None:
        sets = [load(name) for name in TASK_SETS]
        if as_json:
            print_json({"sets": [{"set": each.source, "tasks": len(each)} for each in sets]})
        else:
            print_blocks(_table_of_sets(sets))
        return
    found = load(task_set)
    if as_json:
        print_json({"set": found.source, "tasks": [_facts(task) for task in found]})
    else:
        print_blocks(_table_of_tasks(found))


def show(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK", help="A task id, or a task file.", autocompletion=complete_task
        ),
    ],
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Write an SVG picture instead of drawing here."),
    ] = None,
    png: Annotated[
        Path | None,
        typer.Option("--png", metavar="FILE", help="Write a PNG picture instead of drawing here."),
    ] = None,
    data: TaskSource = None,
) -> None:
    """Draw a task: its demo pairs, and the test inputs that it asks about."""
    found = get_task(task, data)
    if svg is not None:
        write_file(svg, svg_task(found))
    if png is not None:
        write_file(png, png_task(found))
    if svg is None and png is None:
        print_blocks(draw_task(found))


def _table_of_sets(sets: Iterable[TaskSet]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("set")
    table.add_column("tasks", justify="right")
    for each in sets:
        table.add_row(each.source, str(len(each)))
    return table


def _table_of_tasks(found: TaskSet) -> Table:
    title = f"{found.source}: {len(found)} task{'s' * (len(found) != 1)}"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("task", style="bold", no_wrap=True)
    table.add_column("demos", justify="right")
    table.add_column("tests", justify="right")
    table.add_column("input", no_wrap=True)
    table.add_column("output", no_wrap=True)
    table.add_column("colours", no_wrap=True)
    for task in found:
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
        "colours": _colors(task),
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
    """Return the colours of all grids of a task, ascending."""
    grids = [*_inputs(task), *(demo.output for demo in task.demos)]
    return sorted({cell for grid in grids for row in grid for cell in row})


def _swatches(colors: Iterable[int]) -> Text:
    swatches = Text()
    for color in colors:
        fill = color_of(color)
        swatches.append(f" {color}", style=f"{text_on(fill)} on {fill}")
    return swatches
