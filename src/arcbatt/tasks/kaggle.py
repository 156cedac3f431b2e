"""Locate the tasks of a competition in Kaggle's input folder.

The layout below that folder varies: `NAME/`, `competitions/NAME/` and more.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from arcbatt.tasks.validation import TaskError

INPUT = Path("/kaggle/input")
WORKING = Path("/kaggle/working")
# The folder of runs, next to the submission.
RUNS = "runs"
PARTS = ("test", "evaluation", "training")
SAMPLE = "sample_submission.json"
# Set when hidden tasks replace the public ones.
RERUN = "KAGGLE_IS_COMPETITION_RERUN"
# Deeper folders belong to datasets, which may have very many.
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class KaggleFiles:
    """The task file of a competition, and other files that match too."""

    challenges: Path
    others: tuple[Path, ...]

    @property
    def sample(self) -> Path | None:
        """The sample submission beside the tasks, if there is one."""
        path = self.challenges.with_name(SAMPLE)
        return path if path.is_file() else None


def find_files(folder: Path, part: str) -> KaggleFiles:
    """Find `*_<part>_challenges.json` at any place below a folder.

    Of several files, prefer one with a sample submission beside it, then the last by name.
    """
    if folder.is_file():
        raise TaskError(f"{folder} is a file; name the folder that it is in: --input DIR")
    matches: list[Path] = []
    for depth in range(MAX_DEPTH + 1):
        matches += folder.glob("*/" * depth + f"*{part}_challenges.json")
    if not matches:
        raise TaskError(
            f"{folder}: no file *{part}_challenges.json is there or up to {MAX_DEPTH} folders "
            f"below; add the competition's data to the notebook, or name its folder with --input"
        )
    matches.sort(key=lambda path: (path.with_name(SAMPLE).is_file(), path))
    return KaggleFiles(matches[-1], tuple(matches[:-1]))


def is_rerun() -> bool:
    """Return whether this is the scored run, on hidden tasks."""
    return bool(os.environ.get(RERUN))
