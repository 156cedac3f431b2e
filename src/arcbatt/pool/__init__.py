"""The pool: programs and their scores in, the promising ones out, in one file that outlives runs.

    with Pool.open("pool.db") as pool:
        pool.add_library()
        pool.record_scores([...])
        pool.parents(limit=32)

See docs/pool.md for what is in the file and how processes share it.
"""

from .cache import NO_TASK, Cache, CacheLimit, CacheUse
from .errors import PoolError
from .merging import MergeCount, merge
from .place import default_path
from .pool import Pool
from .program_files import ImportCount, export_file, import_file, read_rows
from .rows import (
    Card,
    Kind,
    NewProgram,
    NewScore,
    PoolProgram,
    ProgramSummary,
    Scored,
    SolvedTask,
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
    "NewScore",
    "Pool",
    "PoolError",
    "PoolProgram",
    "PoolStats",
    "ProgramSummary",
    "Scored",
    "SolvedTask",
    "default_path",
    "export_file",
    "import_file",
    "merge",
    "read_rows",
    "task_key",
]
