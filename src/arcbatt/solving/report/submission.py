"""Submissions in Kaggle's format."""

from __future__ import annotations

from collections.abc import Sequence

from arcbatt.tasks import BadTask
from arcbatt.tasks.submission import Submission, fill_in, to_entry

from ..ranking import RankedTask


def make_submission(ranked: Sequence[RankedTask], bad: Sequence[BadTask] = ()) -> Submission:
    """Return two attempts per test input by task id, with stand-ins for invalid tasks."""
    solved = {
        each.task.id: [to_entry([attempt.grid for attempt in test.attempts]) for test in each.tests]
        for each in ranked
    }
    return solved | {each.id: fill_in(each.test_inputs) for each in bad}
