"""Read and validate submissions in Kaggle's format."""

import os
from collections.abc import Sequence
from pathlib import Path

from arcbatt.tasks.json_file import read_json
from arcbatt.tasks.validation import parse_grid, show

Attempts = dict[str, Sequence[Sequence[int]]]
"""The attempts at one test input: "attempt_1" and "attempt_2", each a grid."""

Submission = dict[str, list[Attempts]]
"""Task id -> the attempts at each of its test inputs, in order."""

ATTEMPT_KEYS = ("attempt_1", "attempt_2")


class SubmissionError(ValueError):
    """A submission is malformed; the message names the place and the expected value."""


def read_submission(path: str | os.PathLike[str]) -> Submission:
    """Return the submission in a JSON file; raise `SubmissionError` if it is not a valid one."""
    content = read_json(Path(path), SubmissionError)
    check_submission(content, os.fspath(path))
    submission: Submission = content
    return submission


def check_submission(submission: object, place: str) -> None:
    """Raise `SubmissionError` at `place` unless the format is valid."""
    if not isinstance(submission, dict):
        raise SubmissionError(f"{place}: {show(submission)} is not an object of tasks by id")
    for task_id, entries in submission.items():
        if not isinstance(task_id, str):
            raise SubmissionError(f"{place}: the task id {show(task_id)} is not a string")
        task_place = f"{place}: task {task_id if task_id.isprintable() else show(task_id)}"
        if not isinstance(entries, list) or not entries:
            raise SubmissionError(
                f"{task_place}: {show(entries)} is not a list with one entry per test input"
            )
        for number, entry in enumerate(entries, 1):
            _check_attempts(entry, f"{task_place}: test {number}")


def _check_attempts(entry: object, place: str) -> None:
    if not isinstance(entry, dict):
        raise SubmissionError(
            f'{place}: {show(entry)} is not an object with "attempt_1" and "attempt_2"'
        )
    for key in ATTEMPT_KEYS:
        if key not in entry:
            raise SubmissionError(f'{place}: the key "{key}" is missing')
        parse_grid(entry[key], f"{place} {key}", SubmissionError)
    for key in entry:
        if key not in ATTEMPT_KEYS:
            raise SubmissionError(
                f'{place}: unexpected key {show(key)}, expected "attempt_1" and "attempt_2"'
            )
