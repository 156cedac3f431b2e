"""Disclose an answer, for the web app to show beside an attempt.

A contract in pyproject.toml keeps every other package from importing this module, so that a search
cannot see an answer.
"""

from arcbatt.scoring.answers import Answers, _grids
from arcbatt.tasks import Grid


def show_answer(answers: Answers, task_id: str, test_index: int) -> Grid:
    """Return the answer to the test input at `test_index` (from 0)."""
    return _grids(answers, task_id)[test_index]
