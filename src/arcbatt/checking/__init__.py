"""User-facing checks: programs on their tasks, and engines against recorded calls."""

from .changed_tasks import ChangedTaskCheck, check_on_changed_tasks
from .engines import ENGINES, EngineUnavailable, fused
from .further_pairs import FurtherPairsCheck, check_on_pairs, count_results, read_pairs
from .programs import (
    DIFFER,
    CheckReport,
    FindTask,
    KnownTask,
    PairCheck,
    ProgramCheck,
    answer_judge,
    check_program,
    check_programs,
    find_built_in,
    find_named,
    is_differ,
    load_source,
)
from .recorded_calls import (
    SHIPPED,
    Difference,
    Engine,
    RecordedCall,
    RecordError,
    read_recorded,
    replay,
)

__all__ = [
    "DIFFER",
    "ENGINES",
    "SHIPPED",
    "ChangedTaskCheck",
    "CheckReport",
    "Difference",
    "Engine",
    "EngineUnavailable",
    "FindTask",
    "FurtherPairsCheck",
    "KnownTask",
    "PairCheck",
    "ProgramCheck",
    "RecordError",
    "RecordedCall",
    "answer_judge",
    "check_on_changed_tasks",
    "check_on_pairs",
    "check_program",
    "check_programs",
    "count_results",
    "find_built_in",
    "find_named",
    "fused",
    "is_differ",
    "load_source",
    "read_pairs",
    "read_recorded",
    "replay",
]
