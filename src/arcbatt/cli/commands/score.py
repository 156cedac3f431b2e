"""`arcbatt score`: score a submission or a run by the answers of its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from arcbatt.plurals import count
from arcbatt.scoring import Answers, Score, TaskScore, load_answers, read_submission
from arcbatt.scoring import score as score_submission
from arcbatt.solving.run_folder import REPORT, SUBMISSION, RunFolderError
from arcbatt.solving.runs import note_score, read_results, tasks_of_run
from arcbatt.tasks import TaskError

from ..completion import complete_set
from ..console import note_hidden_rows, print_blocks, print_json, print_notice, stop
from ..options import AsJson, Limit

EXAMPLES = (
    ("arcbatt score submission.json --data arc-agi-1/evaluation", "a submission"),
    ("arcbatt score runs/solve-20260101-120000", "a run, also by proposer"),
    ("arcbatt score runs/solve-20260101-120000 --limit 0", "list all wrong tasks"),
    ("arcbatt score submission.json --data arc_challenges.json --json", "for a script"),
)

NO_PROPOSER = "nothing found"
# Wrong tasks of at least this confidence are marked.
CONFIDENT = 0.8


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
            "solutions next to it, a task file, or a folder of them; by default those of the run.",
            autocompletion=complete_set,
        ),
    ] = None,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Score a submission as ARC Prize does: two attempts per test input.

    A task is solved if all its test inputs are right within two attempts. The score is the mean
    over tasks of the share of their test inputs that are right. The mean over test inputs is
    shown, too. Tasks missing from the submission are wrong. A program that gives the output of
    every demo fits; it can still be wrong on test inputs.

    Wrong tasks are listed; for a run, the most confident first, with a mark at confidence 0.8 or
    more. The report of the run then shows which attempts are right.
    """
    path = submission / SUBMISSION if submission.is_dir() else submission
    chosen = None
    is_own = data is None
    if data is None and submission.is_dir():
        data, chosen = tasks_of_run(submission)  # refuses a folder that is not a run
    content = read_submission(path)
    if data is None:
        stop(f"{path}: name the tasks of this submission with --data SET")
    scored = score_submission(content, _load_answers(data), chosen, place=str(path))
    rows = {}
    if submission.is_dir():
        rows = {row["task"]: row for row in read_results(submission)["by_task"]}
    by_proposer = count_by_proposer(scored, rows) if rows else None
    wrong = sort_wrong(scored, rows)
    if is_own and (submission / REPORT).exists():
        _note_in_report(submission, scored)
    if as_json:
        more = {} if by_proposer is None else {"by_proposer": by_proposer}
        print_json({"set": data, **score_to_json(scored, rows), **more})
    else:
        blocks: list[RenderableType] = [] if by_proposer is None else [_table(by_proposer)]
        if wrong:
            blocks.append(_table_of_wrong(wrong, rows, limit))
        style = "bold green" if scored.solved else "bold"
        print_blocks(*blocks, Text(str(scored), style=style))
    n_missing = scored.tasks - len(content)
    if n_missing:
        verb = "is" if n_missing == 1 else "are"
        all_tasks = count(scored.tasks, "task")
        print_notice(f"{n_missing} of {all_tasks} {verb} not in the submission: wrong")


def _load_answers(data: str) -> Answers:
    try:
        return load_answers(data)
    except TaskError as error:
        stop(f"{error}\nScoring needs tasks with answers; name others with --data SET.")


def _note_in_report(folder: Path, scored: Score) -> None:
    """Show the score in the report of a run; print a notice if that fails."""
    try:
        note_score(folder, {task.task_id: task.right_attempts for task in scored.by_task})
    except (OSError, RunFolderError) as error:
        print_notice(f"{folder / REPORT} does not show what is right: {error}")


def sort_wrong(scored: Score, rows: Mapping[str, Mapping[str, Any]]) -> list[TaskScore]:
    """Return the wrong tasks, the most confident of the run first."""

    def order(task: TaskScore) -> tuple[float, str]:
        return -rows.get(task.task_id, {}).get("confidence", 0.0), task.task_id

    return sorted(scored.wrong, key=order)


def _table_of_wrong(
    wrong: Sequence[TaskScore], rows: Mapping[str, Mapping[str, Any]], limit: int
) -> Table:
    shown = wrong[: limit or None]
    n_confident = sum(_is_confident(rows.get(task.task_id)) for task in wrong)
    title = f"{count(len(wrong), 'task')} wrong"
    title += f", {n_confident:,} of them with confidence {CONFIDENT} or more" if n_confident else ""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("task", overflow="fold")
    table.add_column("right", justify="right")
    if rows:
        table.add_column("first attempt by")
        table.add_column("demos")
        table.add_column("confidence", justify="right")
    for task in shown:
        row = rows.get(task.task_id)
        cells = [task.task_id, f"{task.n_right} of {len(task.right_attempts)}"]
        if row is not None:
            fits = "fits all" if row["fits"] else "fits not all"
            mark = " !" if _is_confident(row) else "  "
            cells += [row["proposer"] or NO_PROPOSER, fits, f"{row['confidence']:.2f}{mark}"]
        table.add_row(*cells, style="bold red" if _is_confident(row) else "")
    note_hidden_rows(table, len(wrong) - len(shown))
    return table


def _is_confident(row: Mapping[str, Any] | None) -> bool:
    return row is not None and row["confidence"] >= CONFIDENT


def score_to_json(
    scored: Score, rows: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return a score as plain data; `rows` are the run's results by task."""
    known = rows or {}
    return {
        "tasks": scored.tasks,
        "solved": scored.solved,
        "solved_first_attempt": scored.solved_first_attempt,
        "score": scored.score,
        "output_score": scored.output_score,
        "test_inputs": scored.n_test_inputs,
        "test_inputs_right": scored.n_right,
        "by_task": [
            {
                "task": task.task_id,
                "solved": task.solved,
                "right_attempts": task.right_attempts,
                "confidence": known.get(task.task_id, {}).get("confidence"),
            }
            for task in scored.by_task
        ],
    }


def count_by_proposer(
    scored: Score, rows: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, int]]:
    """Return the score of each proposer's first attempts.

    Tasks of `fits` have a program of it that fits all demos; those of `fits_but_wrong`
    have one and are still not solved.
    """
    by_task: dict[str, TaskScore] = {task.task_id: task for task in scored.by_task}
    counts: dict[str, dict[str, int]] = {}
    for task_id, row in rows.items():
        task = by_task.get(task_id)
        if task is None:
            continue  # not in the set it is scored by
        counted = counts.setdefault(
            row["proposer"] or NO_PROPOSER,
            {
                "tasks": 0,
                "solved": 0,
                "solved_first_attempt": 0,
                "fits": 0,
                "fits_but_wrong": 0,
            },
        )
        counted["tasks"] += 1
        counted["solved"] += task.solved
        counted["solved_first_attempt"] += task.solved_first_attempt
        counted["fits"] += row["fits"]
        counted["fits_but_wrong"] += row["fits"] and not task.solved
    return counts


def _table(by_proposer: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("first attempts by")
    for heading in ("tasks", "solved", "at first", "fits", "fits but wrong"):
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
