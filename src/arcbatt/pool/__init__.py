"""The pool: programs and their trials in one SQLite file that outlives runs.

    with Pool.open("pool.db") as pool:
        pool.add_library()
        pool.record_trials([...])
        pool.parents(limit=32)

docs/pool.md describes the file's content and how processes share it.
"""

from .cache import NO_TASK, Cache, CacheLimit
from .connection import default_path
from .errors import PoolError
from .pool import Pool
from .row_reader import read_program
from .rows import PoolCard, PoolProgram, PoolTrial, PoolWork, ProgramKind, ProgramSummary, task_key
from .stats import PoolStats
from .transfer import (
    ImportCount,
    MergeCount,
    export_file,
    import_file,
    merge,
    merge_open,
    read_rows,
)

__all__ = [
    "NO_TASK",
    "Cache",
    "CacheLimit",
    "ImportCount",
    "MergeCount",
    "Pool",
    "PoolCard",
    "PoolError",
    "PoolProgram",
    "PoolStats",
    "PoolTrial",
    "PoolWork",
    "ProgramKind",
    "ProgramSummary",
    "default_path",
    "export_file",
    "import_file",
    "merge",
    "merge_open",
    "read_program",
    "read_rows",
    "task_key",
]
