"""This process: when it began, so that the time to load Python is counted too, and its cores."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from operator import index
from pathlib import Path, PurePosixPath

# More than any machine has; each takes memory.
MAX_THREADS = 1024
_IMPORTED_NS = time.perf_counter_ns()
# A process that imports arcbatt later than this is not a command that is starting up.
_MAX_STARTUP_NS = 10 * 10**9
# The start time is the 22nd field; counted here after the command's name, which is the second.
_START_FIELD = 19
_CGROUPS_OF_PROCESS = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")


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


def check_threads(n_threads: object) -> None:
    """Raise a ValueError unless this is a number of threads that can be had, or None for all."""
    if n_threads is not None and not _counts(n_threads):
        raise ValueError(f"n_threads is {n_threads!r:.40}, expected 1 to {MAX_THREADS}, or None")


def _counts(n_threads: object) -> bool:
    """Whether this is a whole number, of Python or NumPy, within the bounds."""
    if isinstance(n_threads, bool) or type(n_threads).__name__ in ("bool", "bool_"):
        return False  # those of NumPy are no `bool`, and old ones pass for numbers
    try:
        return 1 <= index(n_threads) <= MAX_THREADS  # type: ignore[arg-type]
    except TypeError:
        return False


def usable_cores() -> int:
    """Return how many cores this process may use, at least one.

    Those that it is bound to, or fewer where its container has a quota of CPU time; part of a core
    counts as one.
    """
    n_cores = _bound_cores()
    quota = _quota()
    return n_cores if quota is None else max(1, min(n_cores, quota))


def _bound_cores() -> int:
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _quota() -> int | None:
    return read_quota(_CGROUPS_OF_PROCESS, _CGROUPS)


def read_quota(of_process: Path, cgroups: Path) -> int | None:
    """Return the cores' worth of CPU time that control groups allow, or None for no bound.

    `of_process` is the file with the groups of a process, `cgroups` the folder where groups are
    mounted. Each group above a process's own may bound it too.
    """
    try:
        lines = of_process.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return None
    found = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        # Version 2 has one line without controllers, version 1 one for each of its hierarchies.
        if not controllers:
            found += [_read_max(folder) for folder in _folders(cgroups, path)]
        elif "cpu" in controllers.split(","):
            for mount in (cgroups / controllers, cgroups / "cpu"):
                found += [_read_cfs(folder) for folder in _folders(mount, path)]
    return min((quota for quota in found if quota is not None), default=None)


def _folders(mount: Path, path: str) -> Iterator[Path]:
    """Yield the folders of a group and of those above it; a container may see the topmost alone."""
    parts = PurePosixPath(path).relative_to("/").parts if path.startswith("/") else ()
    if ".." not in parts:
        for n in range(len(parts), 0, -1):
            yield mount.joinpath(*parts[:n])
    yield mount


def _read_max(folder: Path) -> int | None:
    try:
        quota, period = (folder / "cpu.max").read_text("utf-8").split()
        return None if quota == "max" else _cores(int(quota), int(period))
    except (OSError, ValueError):
        return None


def _read_cfs(folder: Path) -> int | None:
    try:
        quota = int((folder / "cpu.cfs_quota_us").read_text("utf-8"))
        period = int((folder / "cpu.cfs_period_us").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return None if quota < 0 else _cores(quota, period)


def _cores(quota: int, period: int) -> int | None:
    return max(1, -(-quota // period)) if period > 0 else None
