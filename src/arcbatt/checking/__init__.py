"""Programs and tasks in, a report on which programs are right out; also on changed tasks."""

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
from .turned import TurnedCheck, check_turned

__all__ = [
    "DIFFER",
    "CheckReport",
    "FindTask",
    "KnownTask",
    "PairCheck",
    "ProgramCheck",
    "TurnedCheck",
    "answer_judge",
    "check_program",
    "check_programs",
    "check_turned",
    "find_built_in",
    "find_named",
    "is_differ",
    "load_source",
]
