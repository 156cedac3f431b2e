"""Submissions in Kaggle's format, and stand-in attempts for tasks without a solution.

This is not part of `solving`, so that a submission can be written before all of that is loaded.
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

# Attempts per test input.
N_ATTEMPTS = 2
# Replaces a test input that cannot be read.
UNKNOWN_INPUT: Grid = ((0,),)

Entries = list[dict[str, Grid]]
"""The attempts of one task: "attempt_1" and "attempt_2" per test input."""

Submission = dict[str, Entries]
"""Task id -> the attempts of the task."""


def to_entry(grids: Sequence[Grid]) -> dict[str, Grid]:
    """Return the attempts at one test input in Kaggle's format."""
    return {f"attempt_{number}": grid for number, grid in enumerate(grids, 1)}


def stand_ins(grid: Grid) -> Iterator[Grid]:
    """Yield distinct stand-in attempts: the test input itself, then one-color grids of its size."""
    yield grid  # before the others are made: that one is often enough
    counts = Counter(chain.from_iterable(grid))
    usual = min(counts, key=lambda color: (-counts[color], color))
    plain = (tuple((color,) * len(row) for row in grid) for color in (usual, *range(MAX_COLOR + 1)))
    yield from (each for each in dict.fromkeys(plain) if each != grid)


def fill_in(test_inputs: Sequence[Grid | None]) -> Entries:
    """Return stand-in attempts for all test inputs of a task."""
    return [
        to_entry(list(islice(stand_ins(grid or UNKNOWN_INPUT), N_ATTEMPTS))) for grid in test_inputs
    ]


@phase("store")
def write_submission(path: str | os.PathLike[str], submission: Submission) -> None:
    """Write the submission atomically."""
    write_whole(path, json.dumps(submission, separators=(",", ":")) + "\n")
