"""`arcbatt score`: how many tasks of a set a submission gets right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from arcbatt.scoring import Score, SubmissionError, TaskScore, load_answers, read_submission
from arcbatt.scoring import score as score_submission
from arcbatt.solving.run import RESULTS, SUBMISSION
from arcbatt.solving.run_folder import CONFIG
from arcbatt.tasks.json_file import read_json

from .console import print_blocks, print_json, print_notice, stop
from .finding import complete_set
from .options import AsJson

SCORE_EXAMPLES = (
    ("arcbatt score submission.json --data arc-agi-1/evaluation", "a submission"),
    ("arcbatt score runs/solve-20260101-120000", "a run, by proposer too"),
    ("arcbatt score submission.json --data arc_challenges.json --json", "for a script"),
)

NOBODY = "nothing found"


def score(
    submission: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|RUN", help="A submission in Kaggle's format, or the folder of a run."
        ),
    ],
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="SET",
            help="The tasks with their answers: a built-in set, a Kaggle file that has its "
            "solutions beside it, a task file, or a folder of them; a run knows its own.",
            autocompletion=complete_set,
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a submission as ARC Prize does: two attempts at every test input.

    A task is solved if all its test inputs are right within two attempts; the score is the mean
    over tasks of the part of their test inputs that is. Tasks that the submission lacks are wrong.
    A program that gives the output of every demo fits; it can still be wrong on test inputs.
    """
    results = submission / RESULTS if submission.is_dir() else None
    path = submission / SUBMISSION if submission.is_dir() else submission
    content = read_submission(path)
    if data is None:
        if results is None:
            stop(f"{path}: say with --data SET which tasks this is a submission for")
        data = _data_of_run(submission)
    scored = score_submission(content, load_answers(data))
    by_proposer = None if results is None else count_by_proposer(scored, _read_results(results))
    if as_json:
        more = {} if by_proposer is None else {"by_proposer": by_proposer}
        print_json({"set": data, **score_to_json(scored), **more})
    else:
        blocks: list[RenderableType] = [] if by_proposer is None else [_table(by_proposer)]
        style = "bold green" if scored.solved else "bold"
        print_blocks(*blocks, Text(str(scored), style=style))
    n_missing = scored.tasks - len(content)
    if n_missing:
        print_notice(f"{n_missing} of {scored.tasks} tasks are not in the submission: wrong")


def _data_of_run(folder: Path) -> str:
    """Return where the tasks of a run are, as its configuration has it."""
    content = read_json(folder / CONFIG, SubmissionError)
    options = content.get("options") if isinstance(content, dict) else None
    data = options.get("data") if isinstance(options, dict) else None
    if not isinstance(data, str):
        raise SubmissionError(
            f"{folder / CONFIG}: does not say which tasks the run was for; give --data SET"
        )
    return data


def _read_results(path: Path) -> Mapping[str, Any]:
    """Return what a run wrote of itself; a folder without that is an error."""
    content = read_json(path, SubmissionError)
    rows = content.get("by_task") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise SubmissionError(
            f"{path}: not the results of a run of this version; "
            f"{path.with_name(SUBMISSION)} can be scored alone"
        )
    assert isinstance(content, dict)
    return content


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and row.keys() >= {"task", "proposer", "fits"}


def score_to_json(scored: Score) -> dict[str, Any]:
    """Return a score as plain data."""
    return {
        "tasks": scored.tasks,
        "solved": scored.solved,
        "solved_first_attempt": scored.solved_first_attempt,
        "score": scored.score,
        "test_inputs": scored.n_test_inputs,
        "test_inputs_right": scored.n_right,
        "by_task": [
            {"task": task.task_id, "solved": task.solved, "right_attempts": task.right_attempts}
            for task in scored.by_task
        ],
    }


def count_by_proposer(scored: Score, results: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return for each proposer that has first attempts how they came out.

    Tasks of `fits` have a program of it that fits all demos; those of `fits_but_wrong`
    have one and are not solved all the same.
    """
    by_task: dict[str, TaskScore] = {task.task_id: task for task in scored.by_task}
    counts: dict[str, dict[str, int]] = {}
    for row in results["by_task"]:
        task = by_task.get(row["task"])
        if task is None:
            continue  # a task of another set than the one it is scored by
        count = counts.setdefault(
            row["proposer"] or NOBODY,
            {
                "tasks": 0,
                "solved": 0,
                "solved_first_attempt": 0,
                "fits": 0,
                "fits_but_wrong": 0,
            },
        )
        count["tasks"] += 1
        count["solved"] += task.solved
        count["solved_first_attempt"] += task.solved_first_attempt
        count["fits"] += row["fits"]
        count["fits_but_wrong"] += row["fits"] and not task.solved
    return counts


def _table(by_proposer: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("first attempts by")
    for heading in ("tasks", "solved", "at the first attempt", "fits", "fits but wrong"):
        table.add_column(heading, justify="right")
    for name, counts in by_proposer.items():
        table.add_row(name, *(f"{n:,}" for n in counts.values()))
    if len(by_proposer) > 1:
        sums = [
            sum(column)
            for column in zip(*(each.values() for each in by_proposer.values()), strict=True)
        ]
        table.add_section()
        table.add_row("all", *(f"{n:,}" for n in sums), style="bold")
    return table
