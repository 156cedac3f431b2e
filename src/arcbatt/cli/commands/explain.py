"""`arcbatt explain`: show the value of every line of a program."""

from pathlib import Path
from typing import Annotated

import typer

from arcbatt.api import judge_answers
from arcbatt.explainer import draw_explanation, make_page, read_source, why_too_large
from arcbatt.explainer import explain as trace
from arcbatt.tasks import Task

from ..completion import complete_task
from ..console import print_blocks, stop, write_file
from ..lookup import get_known_task, get_program
from ..options import ProgramName, TaskSource

EXAMPLES = (
    ("arcbatt explain mine.py --task 00d62c1b", "the first demo"),
    ("arcbatt explain mine.py --task 00d62c1b --pair all", "all pairs"),
    ("arcbatt explain mine.py --task 00d62c1b --html page.html", "a page"),
    ("arcbatt explain mine.py --task ID --data arc_challenges.json", "on a task of a Kaggle file"),
)

FIRST_DEMO = "demo:1"


def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of programs.")],
    task: Annotated[
        str,
        typer.Option(
            "--task",
            metavar="ID",
            help="A task id, or a task file.",
            autocompletion=complete_task,
        ),
    ],
    data: TaskSource = None,
    name: ProgramName = None,
    pair: Annotated[
        str | None,
        typer.Option(
            "--pair",
            metavar="PAIR",
            help="demo:1, test:1, or all; by default demo:1 in the terminal, and all on a page.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="OUT", help="Write a page instead of drawing here."),
    ] = None,
    inner: Annotated[
        bool,
        typer.Option(
            "--inner", help="Draw the calls inside each line too; a page always has them."
        ),
    ] = False,
) -> None:
    """Show the value of every line of a program on a pair of a task.

    Patches and pictures are drawn over the input. A line that fails says why; lines that depend on
    it are dimmed. The program runs within the budget of the search, 1,000,000 steps.
    """
    known = get_known_task(task, data)
    program = get_program(file, name, known.task.id)
    if too_large := why_too_large(program):
        stop(f"{program.file}:{program.line}: {too_large}; `arcbatt check` runs it")
    pairs = _choose_pairs(pair or (FIRST_DEMO if html is None else "all"), known.task)
    source = read_source(program, file.read_bytes().decode("utf-8"))
    explanation = trace(program, source, known.task, pairs, judge_answers(known))
    if html is not None:
        write_file(html, make_page(explanation))
    else:
        print_blocks(draw_explanation(explanation, inner))


def _choose_pairs(text: str, task: Task) -> list[tuple[str, int]]:
    """Parse "demo:1", "test:2" or "all" as pairs of the task, counted from 0."""
    counts = {"demo": len(task.demos), "test": len(task.test_inputs)}
    everything = [(kind, index) for kind, count in counts.items() for index in range(count)]
    if text == "all":
        return everything
    kind, _, number = text.partition(":")
    wanted = (kind, int(number) - 1) if number.isdecimal() else None
    if wanted not in everything:
        names = ", ".join(f"{kind}:{index + 1}" for kind, index in everything)
        stop(f"--pair {text}: task {task.id} has the pairs {names}; `all` shows all of them")
    return [wanted]
