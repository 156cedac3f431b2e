"""Score a submission against sealed answers."""

from collections.abc import Collection
from dataclasses import dataclass
from html import escape

from arcbatt.display import Displayed
from arcbatt.plurals import count
from arcbatt.scoring.answers import Answers, answered_tasks, is_right, n_answers
from arcbatt.scoring.submission import (
    ATTEMPT_KEYS,
    Attempts,
    Submission,
    SubmissionError,
    check_submission,
)
from arcbatt.suggestion import suggest
from arcbatt.tasks.validation import show

# Tasks listed in a notebook.
MAX_ROWS = 20


@dataclass(frozen=True)
class TaskScore:
    """The result of one task: per test input, the first right attempt (1, 2 or None)."""

    task_id: str
    right_attempts: tuple[int | None, ...]

    @property
    def n_right(self) -> int:
        """The number of test inputs that are right within two attempts."""
        return sum(attempt is not None for attempt in self.right_attempts)

    @property
    def fraction(self) -> float:
        """The fraction of test inputs that are right within two attempts."""
        return self.n_right / len(self.right_attempts)

    @property
    def solved(self) -> bool:
        """Whether all test inputs are right within two attempts."""
        return None not in self.right_attempts

    @property
    def solved_first_attempt(self) -> bool:
        """Whether all test inputs are right at the first attempt."""
        return all(attempt == 1 for attempt in self.right_attempts)


@dataclass(frozen=True)
class Score(Displayed):
    """The score of a submission.

    `tasks`: tasks in the answers; `solved`: those with all test inputs right within two attempts;
    `solved_first_attempt`: those with all right at the first; `score`: the ARC Prize score, the
    mean over tasks of the fraction of test inputs that are right within two attempts; `by_task`:
    the results per task, sorted by id.
    """

    tasks: int
    solved: int
    solved_first_attempt: int
    score: float
    n_test_inputs: int
    n_right: int
    by_task: tuple[TaskScore, ...]

    @property
    def output_score(self) -> float:
        """The fraction of all test inputs, over all tasks, that are right within two attempts."""
        return self.n_right / self.n_test_inputs

    @property
    def wrong(self) -> tuple[TaskScore, ...]:
        """The tasks that are not solved."""
        return tuple(task for task in self.by_task if not task.solved)

    def __str__(self) -> str:
        return (
            f"{self.score:.2%}: {self.solved} of {count(self.tasks, 'task')} solved "
            f"({self.solved_first_attempt} at the first attempt); "
            f"{self.output_score:.2%} of outputs: "
            f"{self.n_right} of {count(self.n_test_inputs, 'test input')} right"
        )

    def __repr__(self) -> str:
        return f"<Score {self}>"

    def _repr_svg_(self) -> None:
        return None

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{escape(task.task_id)}</code></td><td>{_format_attempts(task)}</td></tr>"
            for task in self.by_task[:MAX_ROWS]
        )
        n_more = len(self.by_task) - MAX_ROWS
        more = f"<p>and {n_more} more</p>" if n_more > 0 else ""
        head = "<thead><tr><th>task</th><th>right at attempt</th></tr></thead>"
        return f"<div><p>{self}</p><table>{head}<tbody>{rows}</tbody></table>{more}</div>"


def _format_attempts(task: TaskScore) -> str:
    return ", ".join("wrong" if k is None else str(k) for k in task.right_attempts)


def score(
    submission: Submission,
    answers: Answers,
    only: Collection[str] | None = None,
    *,
    place: str = "submission",
) -> Score:
    """Return the score of a submission over all tasks in the answers, or over some of them.

    A task that the submission lacks counts as wrong. Raises `SubmissionError` for a malformed
    submission, a task that the answers lack, or a wrong number of test inputs; the
    message starts with `place`.
    """
    check_submission(submission, place)
    task_ids = [each for each in answered_tasks(answers) if only is None or each in only]
    if not task_ids:
        raise SubmissionError(f"{place}: none of the tasks to score is among the answers")
    for task_id in sorted(submission.keys() - set(task_ids)):
        raise SubmissionError(
            f"{place}: task {show(task_id)} is not among the tasks to score"
            + suggest(task_id, task_ids)
        )
    by_task = tuple(
        _score_task(task_id, submission.get(task_id), answers, place) for task_id in task_ids
    )
    return Score(
        tasks=len(by_task),
        solved=sum(task.solved for task in by_task),
        solved_first_attempt=sum(task.solved_first_attempt for task in by_task),
        score=sum(task.fraction for task in by_task) / len(by_task),
        n_test_inputs=sum(len(task.right_attempts) for task in by_task),
        n_right=sum(task.n_right for task in by_task),
        by_task=by_task,
    )


def _score_task(
    task_id: str, entries: list[Attempts] | None, answers: Answers, place: str
) -> TaskScore:
    n_test_inputs = n_answers(answers, task_id)
    if entries is None:
        return TaskScore(task_id, (None,) * n_test_inputs)
    if len(entries) != n_test_inputs:
        raise SubmissionError(
            f"{place}: task {task_id}: {count(len(entries), 'entry', 'entries')}, "
            f"expected {n_test_inputs}, one per test input"
        )
    return TaskScore(
        task_id,
        tuple(
            next(
                (
                    number
                    for number, key in enumerate(ATTEMPT_KEYS, 1)
                    if is_right(answers, task_id, index, entry[key])
                ),
                None,
            )
            for index, entry in enumerate(entries)
        ),
    )
