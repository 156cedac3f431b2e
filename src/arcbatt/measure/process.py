"""Facts about this process: its start time, and the cores and memory that it may use."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from operator import index
from pathlib import Path, PurePosixPath

# An upper bound, as each thread takes memory.
MAX_THREADS = 1024
_IMPORTED_NS = time.perf_counter_ns()
# A process that imports arcbatt later than this did other work before.
_MAX_STARTUP_NS = 10 * 10**9
# The start time is field 22 of /proc/self/stat; this index counts from the field after the name.
_START_FIELD = 19
_CGROUPS_OF_PROCESS = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")


def process_start_ns() -> int:
    """Return the start time of the process on the clock of `time.perf_counter_ns`.

    Linux provides it to a hundredth of a second. On other systems, and in a process that did other
    work first, this is the time at which this module was imported.
    """
    age_ns = _age_ns()
    if age_ns is not None:
        started_ns = time.perf_counter_ns() - age_ns
        if 0 <= _IMPORTED_NS - started_ns <= _MAX_STARTUP_NS:
            return started_ns
    return _IMPORTED_NS


def _age_ns() -> int | None:
    """Return the age of the process, or None if it is unknown."""
    try:
        # The command name is in parentheses and may contain anything.
        fields = Path("/proc/self/stat").read_text("utf-8", errors="replace").rpartition(")")[2]
        ticks = int(fields.split()[_START_FIELD])
        since_boot_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        return since_boot_ns - ticks * 10**9 // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def check_threads(n_threads: object) -> None:
    """Raise ValueError unless `n_threads` is None or a valid number of threads."""
    if n_threads is not None and not _is_thread_count(n_threads):
        raise ValueError(f"n_threads is {n_threads!r:.40}, expected 1 to {MAX_THREADS}, or None")


def _is_thread_count(n_threads: object) -> bool:
    """Return whether this is a Python or NumPy integer within bounds."""
    if isinstance(n_threads, bool) or type(n_threads).__name__ in ("bool", "bool_"):
        return False  # NumPy booleans are not `bool`, and old versions convert to int
    try:
        return 1 <= index(n_threads) <= MAX_THREADS  # type: ignore[arg-type]
    except TypeError:
        return False


def usable_cores() -> int:
    """Return the number of cores this process may use, at least one.

    Respects CPU affinity and a container's CPU quota, rounded up.
    """
    n_cores = _affinity_cores()
    quota = _quota()
    return n_cores if quota is None else max(1, min(n_cores, quota))


def _affinity_cores() -> int:
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _quota() -> int | None:
    return read_quota(_CGROUPS_OF_PROCESS, _CGROUPS)


def read_quota(of_process: Path, cgroups: Path) -> int | None:
    """Return the CPU quota of control groups in cores, rounded up, or None without a quota.

    `of_process` is the file that lists the groups of a process, `cgroups` the mount folder. Parent
    groups may impose a lower quota.
    """
    try:
        lines = of_process.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return None
    quotas = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        # cgroup v2 has one line without controllers, v1 one line per hierarchy.
        if not controllers:
            quotas += [_read_max(folder) for folder in _folders(cgroups, path)]
        elif "cpu" in controllers.split(","):
            for mount in (cgroups / controllers, cgroups / "cpu"):
                quotas += [_read_cfs(folder) for folder in _folders(mount, path)]
    return min((quota for quota in quotas if quota is not None), default=None)


def machine_memory() -> int:
    """Return the bytes of memory of the machine, or of the container if that has fewer."""
    n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = read_memory_limit(_CGROUPS_OF_PROCESS, _CGROUPS)
    return n_bytes if limit is None else min(n_bytes, limit)


def read_memory_limit(of_process: Path, cgroups: Path) -> int | None:
    """Return the bytes that control groups allow, or None without a limit; see `read_quota`."""
    try:
        lines = of_process.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return None
    limits = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            limits += [_read_bytes(folder / "memory.max") for folder in _folders(cgroups, path)]
        elif controllers == "memory":
            folders = _folders(cgroups / "memory", path)
            limits += [_read_bytes(folder / "memory.limit_in_bytes") for folder in folders]
    return min((limit for limit in limits if limit is not None), default=None)


def _read_bytes(file: Path) -> int | None:
    try:
        return int(file.read_text("utf-8"))
    except (OSError, ValueError):  # there is no such file, or it says "max"
        return None


def _folders(mount: Path, path: str) -> Iterator[Path]:
    """Yield the folders of a group and its parents; a container may see only the topmost."""
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
