"""The functions that `import arcbatt` adds to its packages: `show`, `explain` and `score`.

They accept tasks by id and programs by text, and raise one error that says what was expected.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from arcbatt.checking import KnownTask, answer_judge
from arcbatt.display import Displayed, in_notebook, notebook_display
from arcbatt.drawing import draw_pair, draw_task, draw_value
from arcbatt.drawing.svg import svg_value
from arcbatt.explainer import (
    Explanation,
    JudgeTest,
    all_pairs,
    draw_code,
    draw_explanation,
    read_source,
    unjudged,
)
from arcbatt.explainer import explain as trace
from arcbatt.language import (
    Failure,
    Function,
    ParsedProgram,
    Program,
    Result,
    Value,
    format_program,
    parse_programs,
    to_program,
)
from arcbatt.scoring import Score, answers_to, load_answers, read_submission, seal_answers
from arcbatt.scoring import score as score_submission
from arcbatt.solving import Solution, Solutions
from arcbatt.solving.run_folder import SUBMISSION
from arcbatt.solving.runs import tasks_of_run
from arcbatt.tasks import Pair, Task, TaskError, TaskSet, to_grid, to_task, to_tasks
from arcbatt.tasks.loader import is_id


def show(thing: object, *, over: object = None) -> None:
    """Draw anything: in a notebook as a picture, elsewhere in the terminal.

    A task or the id of one, a demo, a grid (tuples, lists or an array), any value of the language,
    a program, a solution, an explanation. Patches are drawn over the grid `over`.
    """
    if isinstance(thing, str):
        thing = _read(thing)
    elif isinstance(thing, Mapping):
        thing = to_task(thing)
    elif isinstance(thing, list) or hasattr(thing, "tolist"):
        thing = to_grid(thing)
    elif isinstance(thing, ParsedProgram):
        thing = thing.program
    elif not isinstance(thing, Displayed | tuple | frozenset | int | None):
        raise TypeError(
            f"a {type(thing).__name__} cannot be drawn; show takes a task or its id, a grid, a "
            f"value of the language, a program, or a result of arcbatt"
        )
    if in_notebook():
        _show_in_notebook(thing, over)
        return
    console = Console(highlight=False, markup=False, emoji=False)
    for block in _draw(thing, over):
        console.print(block)


def _read(text: str) -> object:
    """Return the program in a text, or the task of an id."""
    if "def " in text:
        return next(iter(parse_programs(text))).program
    return to_task(text)


def _show_in_notebook(thing: object, over: object) -> None:
    notebook = notebook_display()
    if isinstance(thing, Displayed) and over is None:
        notebook.display(thing)
    else:
        value = thing.outcome if isinstance(thing, Result) else thing
        svg = svg_value(value, None if over is None else to_grid(over, "over"))
        notebook.display(notebook.SVG(data=svg))


def _draw(thing: object, over: object) -> list[Any]:
    """Return the blocks that a terminal shows."""
    match thing:
        case Task():
            return [draw_task(thing)]
        case Pair():
            return [draw_pair(thing)]
        case Program():
            return [draw_code(thing.text, frozenset())]
        case Explanation():
            return [draw_explanation(thing)]
        case Solution():
            pairs = [
                Pair(grid, first)
                for grid, (first, _) in zip(thing.task.test_inputs, thing.attempts, strict=True)
            ]
            codes = [draw_code(program.text, frozenset()) for program in thing.programs[:1]]
            return [repr(thing), *map(draw_pair, pairs), *codes]
        case Result():
            return _draw(thing.outcome, over)
        case Displayed() if not isinstance(thing, Failure | Function):
            return [repr(thing)]
    return [draw_value(thing, None if over is None else to_grid(over, "over"))]


def explain(
    program: Program | ParsedProgram | str | Solution, task: Task | str | None = None
) -> Explanation:
    """Explain a program line by line on every pair of a task.

    A notebook draws it, and `save("page.html")` writes it as a page. If the program is given as
    text, or as it was parsed, its names and comments are shown; for a solution, its first program
    is explained on the solution's task. Outputs for test inputs are not judged: `score` does that.
    """
    if isinstance(program, Solution):
        if not program.programs:
            raise ValueError(
                f"no program was found for {program.task.id}, so there is none to explain"
            )
        task = program.task if task is None else task
        program = program.programs[0]
    if task is None:
        raise TypeError("explain takes the task too: explain(program, task)")
    if isinstance(program, ParsedProgram):
        parsed = program
    else:
        parsed = _parse_one(
            program if isinstance(program, str) else format_program(to_program(program))
        )
    on = to_task(task)
    return trace(parsed, read_source(parsed), on, all_pairs(on), unjudged)


def _parse_one(text: str) -> ParsedProgram:
    """Return the one program of a text."""
    programs = list(parse_programs(text, "program"))
    if len(programs) != 1:
        raise ValueError(f"expected the text of one program, found {len(programs)}")
    return programs[0]


def judge_answers(known: KnownTask) -> JudgeTest:
    """Return a judge that tells `explain` whether a test output is the answer."""

    def judge(index: int, value: Value) -> bool | None:
        find_trouble = answer_judge(known, index)
        return None if find_trouble is None else find_trouble(value) is None

    return judge


def score(
    attempts: Solution | Solutions | Mapping[str, Any] | str | os.PathLike[str],
    data: TaskSet | Sequence[Task | str] | Task | str | os.PathLike[str] | None = None,
    *,
    answers: Mapping[str, Sequence[object]] | None = None,
) -> Score:
    """Score attempts as ARC Prize does: solutions, a run, or a submission as a dict or in a file.

    Solutions and runs (their folders) are scored over their own tasks. For a submission, `data`
    names its tasks: a set, its name or path, or tasks or their ids. `answers` are your own
    answers, if you have them: {task id: [grid, ...]}. Answers stay sealed: the score says only
    which attempts are right.
    """
    only: tuple[str, ...] | None = None
    if isinstance(attempts, Solution | Solutions):
        submission: Any = attempts.submission
        several = [attempts] if isinstance(attempts, Solution) else attempts
        data = [each.task for each in several] if data is None else data
    elif isinstance(attempts, Mapping):
        submission = dict(attempts)
    elif isinstance(attempts, str | os.PathLike) and Path(attempts).is_dir():
        submission = read_submission(Path(attempts) / SUBMISSION)
        if data is None:
            data, only = tasks_of_run(Path(attempts))
    elif isinstance(attempts, str | os.PathLike):
        submission = read_submission(attempts)
    else:
        raise TypeError(
            f"score takes solutions, the folder of a run, or a submission as a dict or file, "
            f"not a {type(attempts).__name__}"
        )
    if answers is not None:
        return score_submission(submission, seal_answers(answers))
    if data is None:
        raise TaskError(
            'say which tasks this is a submission for: score(submission, "arc-agi-1/training")'
        )
    if isinstance(data, str | os.PathLike) and not is_id(str(data)):
        return score_submission(submission, load_answers(data), only)
    return score_submission(submission, answers_to(to_tasks(data)), only)
