"""`arcbatt merge`: combine submissions into one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arcbatt.plurals import count
from arcbatt.scoring import (
    Merged,
    MergeSource,
    Score,
    SubmissionError,
    answered_tasks,
    confidences_by_task,
    has_answers,
    load_answers,
    merge_submissions,
    read_submission,
    score,
)
from arcbatt.solving.run_folder import SUBMISSION
from arcbatt.solving.runs import confidences_of_run, tasks_of_run
from arcbatt.suggestion import suggest
from arcbatt.tasks.json_file import read_json
from arcbatt.tasks.submission import write_submission

from ..completion import complete_set
from ..console import print_blocks, print_json, print_notice, stop, why_unwritable
from ..options import AsJson

EXAMPLES = (
    (
        "arcbatt merge A m.json --confidence m.json=0.6 --out sub.json",
        "a run and another model's submission, right on 60 % of tasks",
    ),
    (
        "arcbatt merge A m.json --confidence m.json=0.6 --min A=0.8 --out o.json",
        "the run where it is at least 0.8 sure, the model elsewhere",
    ),
    (
        "arcbatt merge A m.json --confidence m.json=sure.json --out o.json",
        "confidences per task from a file",
    ),
)


def merge(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN|FILE", help="Folders of runs, and submissions in Kaggle's format."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to write the submission.")
    ],
    confidence: Annotated[
        list[str] | None,
        typer.Option(
            "--confidence",
            metavar="FILE=P",
            help="How sure a submission is, from 0 to 1: a number, or a JSON file of numbers by "
            "task (or a list per task, one per test input). A run knows its own.",
        ),
    ] = None,
    min_confidence: Annotated[
        list[str] | None,
        typer.Option(
            "--min",
            metavar="RUN|FILE=P",
            help="Leave out a source at test inputs where it is less sure than this.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="SET",
            help="Score by the answers of these tasks; by default by those of the first run.",
            autocompletion=complete_set,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Combine submissions: the two most confident distinct attempts per test input.

    A first attempt counts its source's confidence, a second attempt 4 % of that. A grid that
    several sources submit counts as the probability that at least one of them is right. With
    --min, a source is left out where it is less sure, unless all of them are.

    Shows what came from which source, and scores all of them if the answers are known.
    """
    names = [str(path) for path in sources]
    if len(set(names)) < len(names):
        stop("a source is named twice")
    if why := why_unwritable(out):
        stop(f"--out: {out} {why}; name a file")
    sure = _by_source(confidence or [], names, "--confidence")
    least = _by_source(min_confidence or [], names, "--min")
    read = [_read(path, sure.get(str(path)), least.get(str(path))) for path in sources]
    merged = merge_submissions(read)
    scores = _score(sources, read, merged, data)
    write_submission(out, merged.submission)
    if as_json:
        print_json(_to_json(merged, scores, out))
        return
    summary = Text(
        f"{out}: {count(len(merged.submission), 'task')} from {count(len(read), 'source')}",
        style="bold green",
    )
    print_blocks(_table(merged, scores), summary)


def _by_source(given: list[str], names: list[str], option: str) -> dict[str, str]:
    """Return the values of "SOURCE=VALUE" options by source."""
    values: dict[str, str] = {}
    for text in given:
        name, mark, value = text.rpartition("=")
        if not mark:
            stop(f"{option} {text}: write SOURCE=NUMBER, such as {names[-1]}=0.6")
        # Shells complete folders with a slash.
        name = str(Path(name))
        if name not in names:
            stop(f"{option} {text}: {name} is not among the sources{suggest(name, names)}")
        values[name] = value
    return values


def _read(path: Path, sure: str | None, least: str | None) -> MergeSource:
    name = str(path)
    min_confidence = 0.0 if least is None else _number(least, f"--min {name}={least}")
    if not path.is_dir():
        submission = read_submission(path)
        if sure is None:
            stop(f"{name}: how sure is this submission? Add --confidence {name}=0.5")
        confidences = confidences_by_task(_confidence(sure, name), submission, f"{name}={sure}")
        return MergeSource(name, submission, confidences, min_confidence)
    if sure is not None:
        stop(f"--confidence {name}={sure}: this is a run, which has confidences of its own")
    found, stand_ins = confidences_of_run(path)
    submission = read_submission(path / SUBMISSION)
    # Tasks that are not valid have stand-ins only.
    rest = {
        task_id: (0.0,) * len(entries)
        for task_id, entries in submission.items()
        if task_id not in found
    }
    for task_id, values in found.items():
        if len(submission.get(task_id, ())) != len(values):
            raise SubmissionError(
                f"{path / SUBMISSION}: task {task_id} is not as in the results of the run"
            )
    return MergeSource(name, submission, found | rest, min_confidence, stand_ins)


def _confidence(text: str, name: str) -> object:
    """Return a number, or the content of a JSON file."""
    if text.endswith(".json"):
        return read_json(Path(text), SubmissionError)
    return _number(text, f"--confidence {name}={text}")


def _number(text: str, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        stop(f"{option}: {text!r} is not a number from 0 to 1")
    return number


def _score(
    paths: list[Path], read: list[MergeSource], merged: Merged, data: str | None
) -> Mapping[str, Score] | None:
    """Return the score of each source and of the merged submission, if answers are known."""
    chosen = None
    if data is None:
        run = next((path for path in paths if path.is_dir()), None)
        if run is None:
            return None
        data, _ = tasks_of_run(run)
        if not has_answers(data):
            return None
        answers = load_answers(data)
        chosen = tuple(merged.submission)
        if unknown := sorted(set(chosen).difference(answered_tasks(answers))):
            print_notice(f"not scored: task {unknown[0]} is not in {data}; --data names a set")
            return None
    else:
        answers = load_answers(data)
    submissions: dict[str, Any] = {each.name: each.submission for each in read}
    submissions["merged"] = merged.submission
    return {name: score(each, answers, chosen, place=name) for name, each in submissions.items()}


def _to_json(merged: Merged, scores: Mapping[str, Score] | None, out: Path) -> dict[str, Any]:
    content: dict[str, Any] = {
        "submission": str(out),
        "tasks": len(merged.submission),
        "sources": {name: vars(counts) for name, counts in merged.by_source.items()},
        "confidence": {name: round(value, 4) for name, value in merged.confidences.items()},
    }
    if scores is not None:
        content["solved"] = {name: each.solved for name, each in scores.items()}
        content["score"] = {name: each.score for name, each in scores.items()}
    return content


def _table(merged: Merged, scores: Mapping[str, Score] | None) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("attempts of", overflow="fold")
    for heading in ("tasks", "first", "second", "shared", *(["solved", "score"] if scores else [])):
        table.add_column(heading, justify="right")

    def solved(name: str) -> list[str]:
        return [] if scores is None else [f"{scores[name].solved:,}", f"{scores[name].score:.2%}"]

    for name, counts in merged.by_source.items():
        cells = (counts.tasks, counts.firsts, counts.seconds, counts.shared)
        table.add_row(name, *(f"{n:,}" for n in cells), *solved(name))
    table.add_section()
    n_tests = sum(map(len, merged.submission.values()))
    cells_of_all = (f"{len(merged.submission):,}", f"{n_tests:,}", f"{n_tests:,}", "")
    table.add_row("merged", *cells_of_all, *solved("merged"), style="bold")
    return table
