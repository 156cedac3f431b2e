"""The pool: programs and their trials in, the promising ones out, in one file that outlives runs.

    with Pool.open("pool.db") as pool:
        pool.add_library()
        pool.record_trials([...])
        pool.parents(limit=32)

See docs/pool.md for what is in the file and how processes share it.
"""

from .cache import NO_TASK, Cache, CacheLimit, CacheUse
from .errors import PoolError
from .merging import MergeCount, Rejected, merge, merge_open
from .place import default_path
from .pool import Pool
from .program_files import ImportCount, export_file, import_file, read_rows
from .reading import read_program
from .rows import (
    Card,
    Kind,
    NewProgram,
    NewTrial,
    NewWork,
    PoolProgram,
    ProgramSummary,
    Scored,
    TrialRow,
    Work,
    task_key,
)
from .stats import CacheStats, PoolStats

__all__ = [
    "NO_TASK",
    "Cache",
    "CacheLimit",
    "CacheStats",
    "CacheUse",
    "Card",
    "ImportCount",
    "Kind",
    "MergeCount",
    "NewProgram",
    "NewTrial",
    "NewWork",
    "Pool",
    "PoolError",
    "PoolProgram",
    "PoolStats",
    "ProgramSummary",
    "Rejected",
    "Scored",
    "TrialRow",
    "Work",
    "default_path",
    "export_file",
    "import_file",
    "merge",
    "merge_open",
    "read_program",
    "read_rows",
    "task_key",
]
