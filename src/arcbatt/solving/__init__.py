"""Solving: tasks that nobody has seen in, two attempts for every test input out.

Stages offer candidates (`stages`; `stage_list` knows which there are), the solver spends a budget
on them (`solver`), ranking makes attempts of what they offered (`ranking`), and the rest writes it
down (`submission`, `results`, `hall_of_fame`, `report`, `explanations`), in the folder of a run
(`solve_run`) or for Python (`solution`). Nothing here can reach the answers to test inputs.
"""

from .candidates import Candidate, Kept, TaskCandidates
from .ranking import Attempt, RankedTask, RankedTest, rank_task
from .solution import Solution, solve
from .solver import Solver, StageCount, Watcher
from .stage_list import STAGE_NAMES, StageOptions, make_stages
from .stages import Desk, Share, Stage
from .submission import make_submission, write_submission

__all__ = [
    "STAGE_NAMES",
    "Attempt",
    "Candidate",
    "Desk",
    "Kept",
    "RankedTask",
    "RankedTest",
    "Share",
    "Solution",
    "Solver",
    "Stage",
    "StageCount",
    "StageOptions",
    "TaskCandidates",
    "Watcher",
    "make_stages",
    "make_submission",
    "rank_task",
    "solve",
    "write_submission",
]
