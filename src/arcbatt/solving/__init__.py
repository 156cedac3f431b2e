"""Solving: search for programs and submit two attempts per test input.

`search` runs a search from options to results; its loop (`loop`) spends a budget on proposers, and
`ranking` turns their candidates into attempts. A store keeps the results: in memory for Python
(`solution`), in the folder of a run for commands (`run_store`). Nothing here can reach the answers
to test inputs.
"""

from .candidates import TaskCandidates
from .loop import Loop, ProposerCount, Watcher
from .options import SearchOptions
from .ranking import RankedTask, rank_task
from .run_store import RunStore
from .search import Search
from .solution import Solution, Solutions, evolve, solve, solve_all
from .store import MemoryStore, Store

__all__ = [
    "Loop",
    "MemoryStore",
    "ProposerCount",
    "RankedTask",
    "RunStore",
    "Search",
    "SearchOptions",
    "Solution",
    "Solutions",
    "Store",
    "TaskCandidates",
    "Watcher",
    "evolve",
    "rank_task",
    "solve",
    "solve_all",
]
