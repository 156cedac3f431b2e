"""Ranked tasks in, a submission in Kaggle's format out, in a file that is always whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from arcbatt.files import write_whole
from arcbatt.measure import phase
from arcbatt.tasks import Grid

from ..ranking import RankedTask

Submission = dict[str, list[dict[str, Grid]]]


def make_submission(ranked: Sequence[RankedTask]) -> Submission:
    """Return two attempts at every test input of every task, by task id."""
    return {
        each.task.id: [
            {f"attempt_{k}": attempt.grid for k, attempt in enumerate(test.attempts, 1)}
            for test in each.tests
        ]
        for each in ranked
    }


@phase("store")
def write_submission(path: Path, ranked: Sequence[RankedTask]) -> None:
    """Write the submission; whatever happens meanwhile, the file has this one or the last one."""
    write_whole(path, json.dumps(make_submission(ranked), separators=(",", ":")) + "\n")
