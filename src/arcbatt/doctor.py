"""What this installation stands on, and whether its backends give what the definitions give.

Nothing in; out come facts about machine, extension, GPUs and calibration, and for each backend how
many of the recorded calls it reproduces.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import arcbatt

from .conformance import ENGINES, Engine, RecordedCall, fused, replay
from .engine import calibration
from .engine.health import (
    Build,
    CompiledKernels,
    GpuSearch,
    count_cores,
    look_for_gpus,
    read_build,
    read_kernels,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is, before anything is tried."""

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
    """How one backend did; `trouble` names its first difference, or why it did not run."""

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
    """Look around; nothing that is missing is an error."""
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
    """The stored calibration's figures, if there is one, and where it is or would be."""
    stored = calibration.load()
    return None if stored is None else asdict(stored), str(calibration.path())


def backends(gpu_search: GpuSearch) -> dict[str, Engine]:
    """What a self-test tries: all that is here, each GPU by itself."""
    found = {name: engine for name, engine in ENGINES.items() if name != "cuda"}
    for gpu in gpu_search.gpus:
        device = f"cuda:{gpu.number}"
        found[device] = fused(device)
    return found


def try_backend(name: str, engine: Engine, calls: Iterable[RecordedCall]) -> SelfTest:
    """Replay the calls; a backend that breaks in whatever way has failed."""
    try:
        total, differences = replay(calls, engine)
    except Exception as error:  # drivers and compilers have their own ways to break
        return SelfTest(name, 0, 0, f"{type(error).__name__}: {error}")
    trouble = str(differences[0]) if differences else ""
    return SelfTest(name, total, total - len(differences), trouble)


def all_ok(tests: Sequence[SelfTest]) -> bool:
    return all(test.ok for test in tests)
