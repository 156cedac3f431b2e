"""The cores that a process may use: affinity and quotas of control groups."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.engine.gpu.health import count_cores
from arcbatt.measure import process, usable_cores
from arcbatt.measure.process import machine_memory, read_memory_limit, read_quota


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


V2 = "0::/user.slice/a.scope\n"
V1 = "12:memory:/docker/f00\n4:cpu,cpuacct:/docker/f00\n1:name=systemd:/docker/f00\n"


@pytest.mark.parametrize(
    ("of_process", "files", "quota"),
    [
        (V2, {"user.slice/a.scope/cpu.max": "200000 100000\n"}, 2),
        (V2, {"user.slice/a.scope/cpu.max": "150000 100000\n"}, 2),
        (V2, {"user.slice/a.scope/cpu.max": "1000 100000\n"}, 1),
        (V2, {"user.slice/a.scope/cpu.max": "max 100000\n"}, None),
        (
            V2,
            {"user.slice/a.scope/cpu.max": "max 100000", "user.slice/cpu.max": "300000 100000"},
            3,
        ),
        (V2, {"user.slice/a.scope/cpu.max": "400000 100000", "cpu.max": "250000 100000"}, 3),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/../other\n", {"cpu.max": "200000 100000\n"}, 2),
        (V2, {"user.slice/a.scope/cpu.max": "nonsense"}, None),
        (V2, {"user.slice/a.scope/cpu.max": "100000 0"}, None),
        (V2, {}, None),
        ("", {"cpu.max": "100000 100000"}, None),
        (
            V1,
            {
                "cpu,cpuacct/docker/f00/cpu.cfs_quota_us": "350000\n",
                "cpu,cpuacct/docker/f00/cpu.cfs_period_us": "100000\n",
            },
            4,
        ),
        # A process in a container sees no group above its own.
        (V1, {"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000"}, 1),
        (V1, {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        (V1, {"cpu/cpu.cfs_quota_us": "200000"}, None),
        (V1, {"memory/cpu.cfs_quota_us": "1", "memory/cpu.cfs_period_us": "1"}, None),
    ],
)
def test_a_quota_is_read(
    tmp_path: Path, of_process: str, files: dict[str, str], quota: int | None
) -> None:
    groups = write(tmp_path, {"self": of_process} | {f"fs/{name}": files[name] for name in files})
    assert read_quota(groups / "self", groups / "fs") == quota


@pytest.mark.parametrize(
    ("of_process", "files", "limit"),
    [
        (V2, {"user.slice/a.scope/memory.max": "1000\n"}, 1000),
        (V2, {"user.slice/a.scope/memory.max": "max\n"}, None),
        (V2, {"user.slice/a.scope/memory.max": "max", "user.slice/memory.max": "500"}, 500),
        (V1, {"memory/docker/f00/memory.limit_in_bytes": "700\n"}, 700),
        (V1, {"memory/memory.limit_in_bytes": "900\n"}, 900),
        (V1, {}, None),
    ],
)
def test_the_memory_of_a_container_is_read(
    tmp_path: Path, of_process: str, files: dict[str, str], limit: int | None
) -> None:
    groups = write(tmp_path, {"self": of_process, **{f"fs/{k}": v for k, v in files.items()}})
    assert read_memory_limit(groups / "self", groups / "fs") == limit
    assert machine_memory() > 2**20


def test_without_control_groups_there_is_no_quota(tmp_path: Path) -> None:
    assert read_quota(tmp_path / "self", tmp_path / "fs") is None


@pytest.mark.parametrize(
    ("bound", "quota", "usable"), [(8, None, 8), (8, 3, 3), (2, 3, 2), (1, 1, 1)]
)
def test_the_smaller_of_affinity_and_quota_counts(
    monkeypatch: pytest.MonkeyPatch, bound: int, quota: int | None, usable: int
) -> None:
    monkeypatch.setattr(process, "_affinity_cores", lambda: bound)
    monkeypatch.setattr(process, "_quota", lambda: quota)
    assert usable_cores() == usable
    assert count_cores() == (os.cpu_count(), usable)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux binds processes")
def test_a_process_that_is_bound_to_one_core_uses_one() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from arcbatt.measure import usable_cores; print(usable_cores())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "1\n", done.stderr
