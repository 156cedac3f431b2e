"""Where the time goes: phases in, a breakdown that sums to the wall clock out.

A leaf: it imports nothing of arcbatt, so that anyone may import it. Code marks what it does,

    with measure.phase("fuse"):
        ...

and whoever wants to know makes a `Clock` active around it; without one, marks cost next to nothing.
"""

from .busy import BusyTime
from .clock import Clock, add_table, count, current_clock, phase, record, timeline
from .phases import OTHER, PHASES, Phase
from .process import MAX_THREADS, check_threads, process_start_ns, usable_cores
from .report import PathTime, PhaseTime, Report, TableReport, TimelineReport

__all__ = [
    "MAX_THREADS",
    "OTHER",
    "PHASES",
    "BusyTime",
    "Clock",
    "PathTime",
    "Phase",
    "PhaseTime",
    "Report",
    "TableReport",
    "TimelineReport",
    "add_table",
    "check_threads",
    "count",
    "current_clock",
    "phase",
    "process_start_ns",
    "record",
    "timeline",
    "usable_cores",
]
