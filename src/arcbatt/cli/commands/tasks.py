"""`arcbatt tasks`: list the task sets, or the tasks of one."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.checking.task_sets import compare_sets
from arcbatt.drawing.palette import color_of, text_on
from arcbatt.plurals import count
from arcbatt.tasks import TASK_SETS, Grid, Task, TaskSet, load

from ..completion import complete_set
from ..console import print_blocks, print_json
from ..options import AsJson

EXAMPLES = (
    ("arcbatt tasks", "the built-in sets"),
    ("arcbatt tasks arc-agi-2/evaluation", "the tasks of one set"),
    ("arcbatt tasks arc-prize-2025/test_challenges.json", "the tasks of a Kaggle file"),
    ("arcbatt tasks re_arc/tasks#demos=5,tests=10", "re-arc's pairs as tasks"),
    (
        "arcbatt tasks diff arc-agi-2/evaluation kaggle-2025/evaluation",
        "which tasks differ, and how",
    ),
)


def tasks(
    ctx: typer.Context,
    sets_named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[diff SET] SET",
            help="A built-in set, a file of tasks, or a folder; after diff, two of them.",
            autocompletion=complete_set,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the task sets, or the tasks of one; or compare two sets.

    A folder is read with its subfolders; the id of a task is the name of its file, or its path
    where names repeat. Files hold one task, many by id, a list of tasks with ids, one task per
    line (.jsonl), or the pairs of one task, as in re-arc: the first 3 are demos, the others tests.
    PATH#demos=5,tests=10 sets how many.

    tasks diff lists the tasks that only one of two sets has, and how those of both differ.
    """
    if sets_named and sets_named[0] == "diff" and len(sets_named) > 1:
        if len(sets_named) != 3:
            ctx.fail("name two sets: arcbatt tasks diff SET SET")
        _print_difference(sets_named[1], sets_named[2], as_json)
        return
    if sets_named and len(sets_named) > 1:
        ctx.fail("name one set, or two to compare: arcbatt tasks diff SET SET")
    if not sets_named:
        sets = [load(name) for name in TASK_SETS]
        if as_json:
            print_json({"sets": [{"set": each.source, "tasks": len(each)} for each in sets]})
        else:
            print_blocks(_table_of_sets(sets))
        return
    chosen = load(sets_named[0])
    if as_json:
        print_json({"set": chosen.source, "tasks": [_facts(task) for task in chosen]})
    else:
        print_blocks(_table_of_tasks(chosen))


def _print_difference(first: str, second: str, as_json: bool) -> None:
    difference = compare_sets(first, second)
    if as_json:
        print_json({"first": first, "second": second, **difference.to_json()})
        return
    for name, ids in ((first, difference.only_first), (second, difference.only_second)):
        if ids:
            print_blocks(Text(f"only in {name}: {' '.join(ids)}"))
    if difference.changed:
        table = Table(box=box.SIMPLE_HEAD)
        table.add_column("task", style="bold", no_wrap=True)
        table.add_column("what differs", overflow="fold")
        for task_id, lines in difference.changed.items():
            table.add_row(task_id, "\n".join(lines))
        print_blocks(table)
    n_changed = len(difference.changed)
    print_blocks(
        Text(
            f"{count(difference.n_same, 'task')} the same in both, {n_changed} not, "
            f"{len(difference.only_first)} only in the first, "
            f"{len(difference.only_second)} only in the second",
            style="bold",
        )
    )


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
