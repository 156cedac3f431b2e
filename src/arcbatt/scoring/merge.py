"""Combine submissions: the most confident distinct attempts of several sources.

A source gives each test input a confidence, the probability that one of its two attempts is right.
Its first attempt counts that much, its second `SECOND_SHARE` of it. Sources that submit the same
grid support each other as independent witnesses would: the weight of a grid is the probability
that at least one of them is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from arcbatt.plurals import count
from arcbatt.scoring.submission import ATTEMPT_KEYS, Submission, SubmissionError
from arcbatt.suggestion import suggest
from arcbatt.tasks import Grid
from arcbatt.tasks.submission import N_ATTEMPTS, to_entry
from arcbatt.tasks.submission import Submission as WrittenSubmission

# In runs of `solve` on ARC-AGI-1 training, 11 of 293 solved tasks are right at the second attempt.
SECOND_SHARE = 0.04


@dataclass(frozen=True)
class MergeSource:
    """A submission with its confidence per test input, by task id.

    Test inputs below `min_confidence` are left to the other sources. `stand_ins` has the places
    (task, test, attempt, counted from 0) of attempts that no program gave; they count nothing.
    """

    name: str
    submission: Submission
    confidences: Mapping[str, Sequence[float]]
    min_confidence: float = 0.0
    stand_ins: frozenset[tuple[str, int, int]] = frozenset()

    def weight(self, task_id: str, test: int, attempt: int) -> float:
        """Return the probability that an attempt is right, as far as this source knows."""
        if (task_id, test, attempt) in self.stand_ins:
            return 0.0
        return self.confidences[task_id][test] * (SECOND_SHARE if attempt else 1.0)


@dataclass
class SourceCounts:
    """The part of a merged submission from a source; a shared grid counts for each source."""

    tasks: int = 0
    firsts: int = 0
    seconds: int = 0
    shared: int = 0


@dataclass(frozen=True)
class Merged:
    """A merged submission, its confidence per task, and what came from each source."""

    submission: WrittenSubmission
    confidences: Mapping[str, float]
    by_source: Mapping[str, SourceCounts]


@dataclass
class _Grid:
    doubts: list[float] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """The probability that at least one source of the grid is right."""
        return 1 - prod(self.doubts)


def merge_submissions(sources: Sequence[MergeSource]) -> Merged:
    """Return two attempts per test input of all tasks of the sources.

    Of equally confident attempts, those of the earlier source win. A test input that every source
    leaves to others gets attempts of all of them. Raises `SubmissionError` if two sources disagree
    on the number of test inputs of a task.
    """
    counts = {source.name: SourceCounts() for source in sources}
    merged: WrittenSubmission = {}
    confidences: dict[str, float] = {}
    for task_id in sorted({task_id for source in sources for task_id in source.submission}):
        having = [source for source in sources if task_id in source.submission]
        for source in having:
            counts[source.name].tasks += 1
        n_tests = _count_tests(task_id, having)
        tests = [_merge_test(task_id, k, having) for k in range(n_tests)]
        for chosen in tests:
            for number, (_, grid) in enumerate(chosen):
                for name in grid.sources:
                    counts[name].firsts += number == 0
                    counts[name].seconds += number == 1
                    counts[name].shared += len(grid.sources) > 1
        merged[task_id] = [to_entry([grid for grid, _ in chosen]) for chosen in tests]
        confidences[task_id] = min(
            1 - prod(1 - each.weight for _, each in chosen) for chosen in tests
        )
    return Merged(merged, confidences, counts)


def _count_tests(task_id: str, having: Sequence[MergeSource]) -> int:
    first, *others = having
    n_tests = len(first.submission[task_id])
    for other in others:
        if len(other.submission[task_id]) != n_tests:
            raise SubmissionError(
                f"{other.name}: task {task_id}: "
                f"{count(len(other.submission[task_id]), 'entry', 'entries')}, but {first.name} "
                f"has {n_tests}: these are not submissions for the same tasks"
            )
    return n_tests


def _merge_test(task_id: str, test: int, having: Sequence[MergeSource]) -> list[tuple[Grid, _Grid]]:
    """Return the two attempts at a test input with their sources, the most confident first."""
    sure = [s for s in having if s.confidences[task_id][test] >= s.min_confidence] or having
    grids: dict[Grid, _Grid] = {}
    for source in sure:
        attempts = [source.submission[task_id][test][key] for key in ATTEMPT_KEYS]
        for number, attempt in enumerate(attempts[:1] if attempts[0] == attempts[1] else attempts):
            grid = grids.setdefault(tuple(map(tuple, attempt)), _Grid())
            grid.doubts.append(1 - source.weight(task_id, test, number))
            grid.sources.append(source.name)
    # The sort is stable: of equal weights, the earlier source comes first.
    ranked = sorted(grids.items(), key=lambda item: -item[1].weight)[:N_ATTEMPTS]
    while len(ranked) < N_ATTEMPTS:
        # Every source submits the same grid twice; the format wants two attempts.
        ranked.append((ranked[0][0], _Grid()))
    return ranked


def check_confidence(value: object, place: str) -> float:
    """Return a probability; raise `SubmissionError` at `place` for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise SubmissionError(f"{place}: {value!r:.40} is not a confidence, a number from 0 to 1")


def confidences_by_task(
    content: object, submission: Submission, place: str
) -> dict[str, tuple[float, ...]]:
    """Return confidences per test input, given one for all or by task id.

    By task, a number counts for all its test inputs, a list has one for each.
    """
    if not isinstance(content, dict):
        value = check_confidence(content, place)
        return {task_id: (value,) * len(entries) for task_id, entries in submission.items()}
    for task_id in content:
        if task_id not in submission:
            raise SubmissionError(
                f"{place}: task {task_id!r:.40} is not in the submission"
                + suggest(task_id, submission)
            )
    confidences = {}
    for task_id, entries in submission.items():
        if task_id not in content:
            raise SubmissionError(f"{place}: task {task_id} has no confidence")
        given = content[task_id]
        values = given if isinstance(given, list) else [given] * len(entries)
        if len(values) != len(entries):
            raise SubmissionError(
                f"{place}: task {task_id}: {count(len(values), 'confidence')}, expected "
                f"{len(entries)}, one per test input"
            )
        confidences[task_id] = tuple(
            check_confidence(value, f"{place}: task {task_id}") for value in values
        )
    return confidences
