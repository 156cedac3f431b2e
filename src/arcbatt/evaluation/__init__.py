"""Evaluation: run programs on tasks and judge the results as trials.

`TaskBoard` packs the tasks of a run once: their demos, each demo held out, and the test inputs.
`board.screen` finds the few of many programs that are worth a trial, and `board.trials` returns
everything about a program on a task; both run under `SEARCH_BUDGET`. `CreditScorer` has differs
score programs that fit no task, and `ResultCache` keeps screenings in a pool. `run` runs
one program for a user and shows the results.
"""

from arcbatt.language import SEARCH_BUDGET

from .board import TaskBoard
from .copies import N_COPIES
from .credit import Credit, CreditScorer
from .differs import Differ, bundled_differs
from .result_cache import ResultCache
from .task_run import TaskRun, run
from .trial import FULL_CREDIT, Trial, submittable

__all__ = [
    "FULL_CREDIT",
    "N_COPIES",
    "SEARCH_BUDGET",
    "Credit",
    "CreditScorer",
    "Differ",
    "ResultCache",
    "TaskBoard",
    "TaskRun",
    "Trial",
    "bundled_differs",
    "run",
    "submittable",
]
