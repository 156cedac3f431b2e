"""Time by phase, which sums to the wall clock exactly.

Code marks its phases,

    with measure.phase("fuse"):
        ...

and a caller that wants the times activates a `Clock` around it. Without a clock, marks cost almost
nothing. This package imports nothing from the rest of arcbatt.
"""

from .clock import BusyTime, Clock, add_table, count, current_clock, phase, record, timeline
from .process import MAX_THREADS, check_threads, machine_memory, process_start_ns, usable_cores
from .report import PHASES, Phase, Report, TimelineReport

__all__ = [
    "MAX_THREADS",
    "PHASES",
    "BusyTime",
    "Clock",
    "Phase",
    "Report",
    "TimelineReport",
    "add_table",
    "check_threads",
    "count",
    "current_clock",
    "machine_memory",
    "phase",
    "process_start_ns",
    "record",
    "timeline",
    "usable_cores",
]
