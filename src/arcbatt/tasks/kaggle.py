"""Kaggle's input folder in, the file of the tasks to solve out.

Where a competition's files are below the folder varies: `NAME/`, `competitions/NAME/` and more.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from arcbatt.tasks.validation import TaskError

INPUT = Path("/kaggle/input")
WORKING = Path("/kaggle/working")
# The folder of runs in the folder that the submission is written to.
RUNS = "runs"
PARTS = ("test", "evaluation", "training")
SAMPLE = "sample_submission.json"
# Set where hidden tasks are in the place of those that everybody can see.
RERUN = "KAGGLE_IS_COMPETITION_RERUN"
# Folders below this are those of datasets, which may have very many.
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class KaggleFiles:
    """The tasks of a competition, and other files of tasks that would have done as well."""

    challenges: Path
    others: tuple[Path, ...]

    @property
    def sample(self) -> Path | None:
        """The sample submission beside the tasks, if there is one."""
        path = self.challenges.with_name(SAMPLE)
        return path if path.is_file() else None


def find_files(folder: Path, part: str) -> KaggleFiles:
    """Find `*_<part>_challenges.json` below a folder, wherever it is.

    Of several the one with a sample submission beside it is taken, and of those the last by name.
    """
    if folder.is_file():
        raise TaskError(f"{folder} is a file; name the folder that it is in: --input DIR")
    found: list[Path] = []
    for depth in range(MAX_DEPTH + 1):
        found += folder.glob("*/" * depth + f"*{part}_challenges.json")
    if not found:
        raise TaskError(
            f"{folder}: no file *{part}_challenges.json is there or up to {MAX_DEPTH} folders "
            f"below; add the competition's data to the notebook, or name its folder with --input"
        )
    found.sort(key=lambda path: (path.with_name(SAMPLE).is_file(), path))
    return KaggleFiles(found[-1], tuple(found[:-1]))


def is_rerun() -> bool:
    """Return whether this is the run that counts, on hidden tasks."""
    return bool(os.environ.get(RERUN))
