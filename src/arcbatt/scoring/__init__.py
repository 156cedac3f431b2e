"""Final scoring of submissions; the only reader of the answers to test inputs."""

from arcbatt.scoring.answers import (
    Answers,
    answered_tasks,
    answers_to,
    find_answers,
    has_answers,
    is_right,
    known_answers,
    load_answers,
    n_answers,
    same_answers,
    seal_answers,
)
from arcbatt.scoring.merge import Merged, MergeSource, confidences_by_task, merge_submissions
from arcbatt.scoring.score import Score, TaskScore, score
from arcbatt.scoring.submission import Submission, SubmissionError, read_submission

__all__ = [
    "Answers",
    "MergeSource",
    "Merged",
    "Score",
    "Submission",
    "SubmissionError",
    "TaskScore",
    "answered_tasks",
    "answers_to",
    "confidences_by_task",
    "find_answers",
    "has_answers",
    "is_right",
    "known_answers",
    "load_answers",
    "merge_submissions",
    "n_answers",
    "read_submission",
    "same_answers",
    "score",
    "seal_answers",
]
