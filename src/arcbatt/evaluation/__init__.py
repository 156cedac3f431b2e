"""Evaluation: programs and tasks in, trials out. Nobody else judges a program.

`TaskBoard` packs the tasks of a run once: their demos, each demo held out, and the test inputs.
`board.screen` finds the few of many programs that are worth a trial; `board.trials` says all about
a program on a task. Both run under one budget, `SEARCH_BUDGET`. `Crediting` has differs say how
near programs come that fit no task, `Validator` runs what is to be kept again alone, and
`ResultCache` remembers screenings in a pool. `run` is for people: one program, what it gives.
"""

from arcbatt.language import SEARCH_BUDGET

from .board import TaskBoard
from .copies import N_COPIES
from .crediting import Crediting, Standards, Worth
from .differs import Differ, bundled_differs
from .result_cache import ResultCache
from .task_run import PairRun, TaskRun, run
from .trial import FULL_CREDIT, Trial, submittable
from .validating import Validator

__all__ = [
    "FULL_CREDIT",
    "N_COPIES",
    "SEARCH_BUDGET",
    "Crediting",
    "Differ",
    "PairRun",
    "ResultCache",
    "Standards",
    "TaskBoard",
    "TaskRun",
    "Trial",
    "Validator",
    "Worth",
    "bundled_differs",
    "run",
    "submittable",
]
