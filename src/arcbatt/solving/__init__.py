"""Solving: tasks that nobody has seen in, two attempts for every test input out.

Proposers look for programs, the loop spends a budget on them (`loop`), ranking makes attempts of
what they found (`ranking`), and the rest writes it down (`report`), in the folder of a run (`run`)
or for Python (`solution`). Nothing here can reach the answers to test inputs.
"""

from .candidates import TaskCandidates
from .loop import Loop, ProposerCount, Watcher
from .progress import Progress, watching
from .ranking import Attempt, RankedTask, RankedTest, rank_task
from .run import Run, RunOptions
from .solution import Solution, Solutions, evolve, solve, solve_all

__all__ = [
    "Attempt",
    "Loop",
    "Progress",
    "ProposerCount",
    "RankedTask",
    "RankedTest",
    "Run",
    "RunOptions",
    "Solution",
    "Solutions",
    "TaskCandidates",
    "Watcher",
    "evolve",
    "rank_task",
    "solve",
    "solve_all",
    "watching",
]
