"""`arcbatt runs`: list runs, compare two, remove old ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.api import score
from arcbatt.plurals import count
from arcbatt.solving.runs import (
    RunSummary,
    TaskComparison,
    compare_runs,
    list_runs,
    remove_run,
    split_runs,
    summarize_run,
)

from ..completion import complete_run
from ..console import FittingTable, note_hidden_rows, print_blocks, print_json, print_notice, stop
from ..groups import format_examples, make_group
from ..options import DEFAULT_OUT, AsJson, Limit, RunsFolder
from ..units import format_duration

app = make_group("List the runs of solve, evolve and kaggle, compare two, remove old ones.")

LIST_EXAMPLES = (
    ("arcbatt runs list", "the runs in the folder runs, the newest first"),
    ("arcbatt runs list --out answers --json", "the runs in another folder, for a script"),
)
COMPARE_EXAMPLES = (
    ("arcbatt runs compare runs/solve-A runs/solve-B", "which tasks only one of them fits"),
    (
        "arcbatt runs compare runs/solve-A runs/solve-B --score",
        "which tasks only one of them gets right",
    ),
)
CLEAN_EXAMPLES = (
    ("arcbatt runs clean --keep 5", "remove all but the newest five, after asking"),
    ("arcbatt runs clean runs/solve-A --yes", "remove one, without asking"),
)
EXAMPLES = (*LIST_EXAMPLES, *COMPARE_EXAMPLES, *CLEAN_EXAMPLES)


@app.command("list", epilog=format_examples(LIST_EXAMPLES))
def list_command(out: RunsFolder = DEFAULT_OUT, limit: Limit = 20, as_json: AsJson = False) -> None:
    """List runs, the newest first, with their tasks, how many they fit, and their size."""
    runs, troubles = list_runs(out)
    shown = runs[: limit or None]
    if as_json:
        print_json({"runs": [each.to_json() for each in shown], "total": len(runs)})
    else:
        blocks = [_table(shown)] if shown else []
        total = sum(each.n_bytes for each in runs)
        text = f"{count(len(runs), 'run')} in {out}, {_megabytes(total)}"
        if len(shown) < len(runs):
            text += f"; {len(runs) - len(shown):,} not shown (--limit 0 shows all)"
        print_blocks(*blocks, Text(text, style="dim"))
    for trouble in troubles:
        print_notice(f"left out: {trouble}")


def _table(runs: Sequence[RunSummary]) -> Table:
    table = FittingTable("seed", "size", "tasks of", "time")
    table.add_copied_column("run", (str(each.path) for each in runs))
    table.add_column("tasks of", overflow="fold")
    for heading in ("seed", "fits", "time", "size"):
        table.add_column(heading, justify="right")
    for each in runs:
        fits = "-" if each.n_tasks is None else f"{each.n_fitted} of {each.n_tasks}"
        time = "-" if each.elapsed_s is None else format_duration(each.elapsed_s)
        table.add_row(
            str(each.path),
            each.data,
            str(each.config.seed),
            fits,
            "running" if each.is_running else time,
            _megabytes(each.n_bytes),
        )
    return table


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"


@app.command("compare", epilog=format_examples(COMPARE_EXAMPLES))
def compare(
    first: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="The folder of a run.", autocompletion=complete_run),
    ],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="The folder of another run.", autocompletion=complete_run
        ),
    ],
    by_score: Annotated[
        bool,
        typer.Option("--score", help="Compare solved tasks, not fitted ones."),
    ] = False,
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Compare two runs: list the tasks that only one of them fits, or gets right."""
    tasks = compare_runs(first, second)
    results_of = _read_solved((first, second)) if by_score else lambda task: task.fits
    word = "right" if by_score else "fitted"
    parts = split_runs(tasks, results_of)
    n_same = sum(task.same_attempts for task in tasks)
    if as_json:
        ids = {name: [task.task_id for task in members] for name, members in parts.items()}
        runs = {"first_run": str(first), "second_run": str(second)}
        print_json({**runs, "by": word, "tasks": len(tasks), "same_attempts": n_same, **ids})
        return
    tables = [
        _table_of_difference(f"{word} by {path} alone", parts[name], limit)
        for name, path in (("first", first), ("second", second))
        if parts[name]
    ]
    summary = Text(
        f"of {count(len(tasks), 'task')} {len(parts['both'])} {word} by both, "
        f"{len(parts['first'])} by the first alone, {len(parts['second'])} by the second alone, "
        f"{len(parts['neither'])} by neither",
        style="bold",
    )
    summary.append(f"\nthe same attempts at {count(n_same, 'task')}", style="not bold dim")
    print_blocks(*tables, summary)


def _read_solved(paths: tuple[Path, Path]) -> Callable[[TaskComparison], tuple[bool, bool]]:
    """Score two runs; return a function that says whether each of them solves a task."""
    solved = []
    for path in paths:
        scored = score(path)
        solved.append({task.task_id for task in scored.by_task if task.solved})
    return lambda task: (task.task_id in solved[0], task.task_id in solved[1])


def _table_of_difference(title: str, tasks: Sequence[TaskComparison], limit: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("task", overflow="fold")
    for heading in ("first", "second"):
        table.add_column(f"{heading}: proposer")
        table.add_column("confidence", justify="right")
    shown = tasks[: limit or None]
    for task in shown:
        table.add_row(task.task_id, *_cells(task.first), *_cells(task.second))
    note_hidden_rows(table, len(tasks) - len(shown))
    return table


def _cells(row: Any) -> tuple[str, str]:
    if row is None:
        return "not among its tasks", "-"
    return row["proposer"] or "nothing found", f"{row['confidence']:.2f}"


@app.command("clean", epilog=format_examples(CLEAN_EXAMPLES))
def clean(
    ctx: typer.Context,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN",
            help="Folders of runs to remove.",
            autocompletion=complete_run,
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep",
            metavar="N",
            min=0,
            help="Remove all runs but the newest N.",
        ),
    ] = None,
    out: RunsFolder = DEFAULT_OUT,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove run folders with all their content; runs in progress stay."""
    if bool(runs) == (keep is not None):
        ctx.fail("name the RUNs to remove, or the number to keep with --keep N")
    if runs:
        chosen = [summarize_run(path) for path in {path.absolute(): path for path in runs}.values()]
    else:
        found, troubles = list_runs(out)
        chosen = found[keep:]
        for trouble in troubles:
            print_notice(f"kept, and not counted: {trouble}; remove its folder by hand")
    gone = [each for each in chosen if not each.is_running]
    for each in chosen:
        if each.is_running:
            print_notice(f"{each.path} is in progress: kept")
    if not gone:
        print_blocks(Text("nothing to remove"))
        return
    print_blocks(_table(gone))
    size = _megabytes(sum(each.n_bytes for each in gone))
    if not yes:
        if not sys.stdin.isatty():
            stop(f"{count(len(gone), 'run')} to remove, {size}: confirm with --yes")
        typer.confirm(f"Remove {count(len(gone), 'run')}, {size}?", abort=True)
    for each in gone:
        remove_run(each.path)
    print_blocks(Text(f"{count(len(gone), 'run')} removed, {size}", style="green"))
