"""`arcbatt explain`: show the value of every line of a program."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from arcbatt.api import judge_answers
from arcbatt.explainer import draw_explanation, make_page, read_source, why_too_large
from arcbatt.explainer import explain as trace
from arcbatt.explainer.choice_table import ChoiceTable
from arcbatt.solving.report.results import PROGRAMS
from arcbatt.solving.report.views import choice_of
from arcbatt.solving.run_folder import RESULTS, RunFolderError
from arcbatt.solving.runs import read_results
from arcbatt.tasks import Task
from arcbatt.tasks.program_names import program_name

from ..completion import complete_task
from ..console import print_blocks, print_notice, stop, write_file
from ..lookup import get_bundled, get_known_task, get_named_task, get_program, is_task_id
from ..options import Plugins, ProgramName, TaskSource

EXAMPLES = (
    ("arcbatt explain 67a3c6ac", "the bundled solver of a task"),
    ("arcbatt explain mine.py --task 00d62c1b", "the first demo"),
    ("arcbatt explain mine.py --task 00d62c1b --pair all", "all pairs"),
    ("arcbatt explain mine.py --task 00d62c1b --html page.html", "a page"),
    ("arcbatt explain mine.py --task ID --data arc_challenges.json", "on a task of a Kaggle file"),
)

FIRST_DEMO = "demo:1"


def explain(
    program: Annotated[
        str,
        typer.Argument(
            metavar="FILE|ID",
            help="A file of programs, or a task id: the bundled solver of this task.",
            autocompletion=complete_task,
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="ID",
            help="A task id, or a task file; by default the task that the program is named after.",
            autocompletion=complete_task,
        ),
    ] = None,
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
    plugin: Plugins = None,
) -> None:
    """Show the value of every line of a program on a pair of a task.

    Patches and pictures are drawn over the input. A line that fails says why; lines that depend on
    it are dimmed. The program runs within the budget of the search, 1,000,000 steps. For the
    programs of a run, a table shows why the run chose its attempts.
    """
    if is_task_id(program):
        file, task, name = get_bundled(program), task or program, name or program_name(program)
    else:
        file = Path(program)
        task = task or get_named_task(file, name)
    known = get_known_task(task, data)
    chosen = get_program(file, name, known.task.id)
    if too_large := why_too_large(chosen):
        stop(f"{chosen.file}:{chosen.line}: {too_large}; `arcbatt check` runs it")
    pairs = _choose_pairs(pair or (FIRST_DEMO if html is None else "all"), known.task)
    source = read_source(chosen)
    explanation = trace(chosen, source, known.task, pairs, judge_answers(known))
    choices = _find_choices(file, known.task)
    if html is not None:
        write_file(html, make_page(explanation, choices))
    else:
        print_blocks(draw_explanation(explanation, inner))
        print_blocks(*(Text("\n".join(table.lines()), no_wrap=True) for table in choices))


def _find_choices(file: Path, task: Task) -> list[ChoiceTable]:
    """Return why a run chose its attempts at a task, if the file has the programs of the run."""
    if file.name != PROGRAMS or not (file.parent / RESULTS).exists():
        return []
    try:
        rows = read_results(file.parent)["by_task"]
    except RunFolderError as error:
        print_notice(f"not shown why the run chose its attempts: {error}")
        return []
    tests = next((row["tests"] for row in rows if row["task"] == task.id), ())
    return [choice_of(number, test) for number, test in enumerate(tests, 1)]


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
