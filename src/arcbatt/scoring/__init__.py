"""Final scoring of submissions; the only reader of the answers to test inputs."""

from arcbatt.scoring.answers import (
    Answers,
    answered_tasks,
    answers_to,
    find_answers,
    is_right,
    load_answers,
    n_answers,
    seal_answers,
)
from arcbatt.scoring.score import Score, TaskScore, score
from arcbatt.scoring.submission import Submission, SubmissionError, read_submission

__all__ = [
    "Answers",
    "Score",
    "Submission",
    "SubmissionError",
    "TaskScore",
    "answered_tasks",
    "answers_to",
    "find_answers",
    "is_right",
    "load_answers",
    "n_answers",
    "read_submission",
    "score",
    "seal_answers",
]
