"""`arcbatt explain`: what every line of a program does to a grid."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arcbatt.checking import NAME_PREFIX, KnownTask, answer_judge
from arcbatt.explain import JudgeTest, draw_explanation, make_page, read_source
from arcbatt.explain import explain as trace
from arcbatt.language import ParsedProgram, Value, parse_file
from arcbatt.tasks import Task
from arcbatt.tasks.task import suggest

from .console import print_blocks, stop, write_file
from .finding import complete_task, get_known_task

EXPLAIN_EXAMPLES = (
    ("arcbatt explain mine.py --task 00d62c1b", "the first demo"),
    ("arcbatt explain mine.py --task 00d62c1b --pair all", "all pairs"),
    ("arcbatt explain mine.py --task 00d62c1b --html page.html", "a page"),
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
    program: Annotated[
        str | None,
        typer.Option(
            "--program",
            metavar="NAME",
            help="Which program of the file; otherwise solve_<task>, or the only one.",
        ),
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option(
            "--pair",
            metavar="PAIR",
            help="demo:1, test:1, or all; otherwise demo:1 here, and all on a page.",
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
    """Show the value that every line of a program has on a pair of a task.

    Patches are drawn over the input. A line that fails says why; lines that need it are dimmed.
    """
    programs = parse_file(file)
    known = get_known_task(task)
    chosen = choose_program(programs, program, known.task.id, file)
    pairs = _choose_pairs(pair or (FIRST_DEMO if html is None else "all"), known.task)
    source = read_source(chosen, file.read_bytes().decode("utf-8"))
    explanation = trace(chosen, source, known.task, pairs, _judge_of(known))
    if html is not None:
        write_file(html, make_page(explanation))
    else:
        print_blocks(draw_explanation(explanation, inner))


def choose_program(
    programs: Sequence[ParsedProgram],
    name: str | None,
    task_id: str,
    file: Path,
    option: str = "--program",
) -> ParsedProgram:
    """Return the program of a file that is meant; `option` is what names one."""
    by_name = {program.name: program for program in programs}
    listed = f"The programs of {file} are: {', '.join(by_name)}."
    if not programs:
        stop(f"{file}: no programs in this file")
    if name is not None:
        if name not in by_name:
            stop(f"no program is named {name}{suggest(name, by_name)}\n{listed}")
        return by_name[name]
    own_name = NAME_PREFIX + task_id
    if own_name in by_name:
        return by_name[own_name]
    if len(programs) > 1:
        stop(f"no program is named {own_name}; choose one with {option} NAME\n{listed}")
    return programs[0]


def _choose_pairs(text: str, task: Task) -> list[tuple[str, int]]:
    """Read "demo:1", "test:2" or "all" as pairs of the task, counted from 0."""
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


def _judge_of(known: KnownTask) -> JudgeTest:
    """Return what says whether an output is the answer to a test input."""

    def judge(index: int, value: Value) -> bool | None:
        find_trouble = answer_judge(known, index)
        return None if find_trouble is None else find_trouble(value) is None

    return judge
