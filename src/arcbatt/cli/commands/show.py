"""`arcbatt show`: draw one task."""

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.drawing import draw_task, png_task, svg_task

from ..completion import complete_task
from ..console import print_blocks, write_file
from ..lookup import get_task
from ..options import TaskSource

EXAMPLES = (
    ("arcbatt show 00d62c1b", "in the terminal"),
    ("arcbatt show 00d62c1b --svg task.svg", "as a picture"),
    ("arcbatt show my-task.json", "from a task file"),
)


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
    """Draw a task: its demos and its test inputs."""
    shown = get_task(task, data)
    if svg is not None:
        write_file(svg, svg_task(shown))
    if png is not None:
        write_file(png, png_task(shown))
    if svg is None and png is None:
        print_blocks(draw_task(shown))
