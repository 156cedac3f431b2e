"""Facts about the installation, and a self-test of every backend.

The facts cover the machine, the native extension, GPUs and calibration. The self-test counts the
recorded calls that a backend reproduces.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import arcbatt
from arcbatt.engine.gpu import calibration
from arcbatt.engine.gpu.health import (
    Build,
    CompiledKernels,
    GpuSearch,
    count_cores,
    look_for_gpus,
    read_build,
    read_kernels,
)

from .checking import ENGINES, Engine, RecordedCall, fused, replay


@dataclass(frozen=True, slots=True)
class Facts:
    """Versions, hardware, compiled kernels and stored calibration."""

    arcbatt: str
    python: str
    platform: str
    n_cores: int
    n_usable_cores: int
    build: Build
    gpu_search: GpuSearch
    kernels: CompiledKernels
    calibration: dict[str, Any] | None
    calibration_path: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The result of one backend; `trouble` is its first difference, or why it did not run."""

    backend: str
    total: int
    passed: int
    trouble: str = ""

    @property
    def ok(self) -> bool:
        return not self.trouble

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}


def gather_facts() -> Facts:
    """Collect the facts; missing parts are not errors."""
    n_cores, n_usable = count_cores()
    stored, path = read_calibration()
    search = look_for_gpus()
    return Facts(
        arcbatt=arcbatt.__version__,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=platform.platform(),
        n_cores=n_cores,
        n_usable_cores=n_usable,
        build=read_build(),
        gpu_search=search,
        kernels=read_kernels(search),
        calibration=stored,
        calibration_path=path,
    )


def read_calibration() -> tuple[dict[str, Any] | None, str]:
    """Return the stored calibration, if any, and its path."""
    stored = calibration.load()
    return None if stored is None else asdict(stored), str(calibration.path())


def backends(gpu_search: GpuSearch) -> dict[str, Engine]:
    """Return the engines to test: all CPU engines, and one per GPU."""
    engines = {name: engine for name, engine in ENGINES.items() if name != "cuda"}
    for gpu in gpu_search.gpus:
        device = f"cuda:{gpu.number}"
        engines[device] = fused(device)
    return engines


def try_backend(name: str, engine: Engine, calls: Iterable[RecordedCall]) -> SelfTest:
    """Replay the calls; any exception counts as a failure."""
    try:
        total, differences = replay(calls, engine)
    except Exception as error:  # drivers and compilers raise errors of many classes
        return SelfTest(name, 0, 0, f"{type(error).__name__}: {error}")
    trouble = str(differences[0]) if differences else ""
    return SelfTest(name, total, total - len(differences), trouble)


def all_ok(tests: Sequence[SelfTest]) -> bool:
    return all(test.ok for test in tests)
