"""The name of a source with counts of pairs: `PATH#demos=5,tests=10`."""

import os
from dataclasses import dataclass

from arcbatt.tasks.validation import MAX_PAIRS, TaskError


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How a list of pairs becomes a task: the first are demos, those after them tests."""

    demos: int = 3
    tests: int = MAX_PAIRS


def split_source(source: str | os.PathLike[str]) -> tuple[str, PairCounts]:
    """Return the path of a source without its counts of pairs, and the counts.

    A path may contain the mark itself: an existing one is taken as it is.
    """
    name = os.fspath(source)
    path, mark, options = name.rpartition("#")
    if not mark or _exists(name) or not _exists(path):
        return name, PairCounts()
    counts: dict[str, int] = {}
    for option in options.split(","):
        key, _, number = option.partition("=")
        if key not in ("demos", "tests") or not (number.isascii() and number.isdecimal()):
            raise TaskError(f"{name}: write PATH#demos=N,tests=N for lists of pairs")
        if len(number) > len(str(MAX_PAIRS)) or not 1 <= int(number) <= MAX_PAIRS:
            raise TaskError(f"{name}: {key} is {number:.9}, expected 1 to {MAX_PAIRS}")
        counts[key] = int(number)
    return path, PairCounts(**counts)


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a NUL in the path
        return False
