"""Attempts in, a submission in Kaggle's format out; and what is submitted while none are known.

Here and not where tasks are solved, so that a submission can be written before all of that is
loaded.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from arcbatt.files import write_whole
from arcbatt.measure import phase
from arcbatt.tasks.task import Grid
from arcbatt.tasks.validation import MAX_COLOR

# As many as a submission has for each test input.
N_ATTEMPTS = 2
# Of a task whose test input cannot be read not even the size is known.
UNKNOWN_INPUT: Grid = ((0,),)

Entries = list[dict[str, Grid]]
"""What a submission has for a task: for each test input "attempt_1" and "attempt_2"."""

Submission = dict[str, Entries]
"""Task id -> what the submission has for the task."""


def to_entry(grids: Sequence[Grid]) -> dict[str, Grid]:
    """Return the attempts at one test input as a submission has them."""
    return {f"attempt_{number}": grid for number, grid in enumerate(grids, 1)}


def stand_ins(grid: Grid) -> Iterator[Grid]:
    """Yield distinct grids for a test input: itself, then its size in one colour."""
    counts = Counter(chain.from_iterable(grid))
    usual = min(counts, key=lambda color: (-counts[color], color))
    plain = (tuple((color,) * len(row) for row in grid) for color in (usual, *range(MAX_COLOR + 1)))
    yield from dict.fromkeys((grid, *plain))


def fill_in(test_inputs: Sequence[Grid | None]) -> Entries:
    """Return valid attempts at the test inputs of a task of which nothing is known."""
    return [
        to_entry(list(islice(stand_ins(grid or UNKNOWN_INPUT), N_ATTEMPTS))) for grid in test_inputs
    ]


@phase("store")
def write_submission(path: str | os.PathLike[str], submission: Submission) -> None:
    """Write the submission; whatever happens meanwhile, the file has this one or the last one."""
    write_whole(path, json.dumps(submission, separators=(",", ":")) + "\n")
