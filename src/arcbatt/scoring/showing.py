"""Answers for people to look at: sealed answers in, the grid that is wanted out.

The web app shows it beside an attempt that was made. Nothing else may import this module (the
contract is in pyproject.toml), so that nothing that searches can be told an answer.
"""

from arcbatt.scoring.answers import Answers, _grids
from arcbatt.tasks import Grid


def show_answer(answers: Answers, task_id: str, test_index: int) -> Grid:
    """Return the answer to the test input at `test_index` (from 0)."""
    return _grids(answers, task_id)[test_index]
