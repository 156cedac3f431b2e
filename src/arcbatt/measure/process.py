"""When this process began, so that the time to load Python and its modules is counted too."""

from __future__ import annotations

import os
import time
from pathlib import Path

_IMPORTED_NS = time.perf_counter_ns()
# A process that imports arcbatt later than this is not a command that is starting up.
_MAX_STARTUP_NS = 10 * 10**9
# The start time is the 22nd field; counted here after the command's name, which is the second.
_START_FIELD = 19


def process_start_ns() -> int:
    """Return when the process began, on the clock of `time.perf_counter_ns`.

    Linux tells it, to a hundredth of a second. Elsewhere, and in a process that did other things
    before, it is when this module was imported.
    """
    age_ns = _age_ns()
    if age_ns is not None:
        started_ns = time.perf_counter_ns() - age_ns
        if 0 <= _IMPORTED_NS - started_ns <= _MAX_STARTUP_NS:
            return started_ns
    return _IMPORTED_NS


def _age_ns() -> int | None:
    """Return how long ago the process began, or None where that cannot be known."""
    try:
        # The name of the command stands in parentheses and may hold anything.
        fields = Path("/proc/self/stat").read_text("utf-8", errors="replace").rpartition(")")[2]
        ticks = int(fields.split()[_START_FIELD])
        since_boot_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        return since_boot_ns - ticks * 10**9 // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def usable_cores() -> int:
    import os

    return len(os.sched_getaffinity(0))
