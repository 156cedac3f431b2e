"""What the engine stands on: how it was compiled, and the GPUs that CuPy can reach."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from arcbatt.measure import usable_cores

from . import _engine, kernel_files, kernels, nvrtc


@dataclass(frozen=True, slots=True)
class Build:
    """How the extension was compiled.

    `instruction_set` is the level that the loops compiled for several levels take on this machine.
    """

    compiler: str
    flags: str
    sanitized: bool
    instruction_set: str


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU as its driver describes it."""

    number: int
    name: str
    memory_bytes: int
    compute_capability: str


@dataclass(frozen=True, slots=True)
class GpuSearch:
    """The GPUs, and where there are none, why; versions are empty where they are not known."""

    gpus: tuple[Gpu, ...] = ()
    trouble: str = ""
    cupy: str = ""
    driver_cuda: str = ""
    runtime_cuda: str = ""


@dataclass(frozen=True, slots=True)
class CompiledKernels:
    """How many of the kernels' modules are there, compiled of the sources that are here.

    `targets` are kinds of GPUs (sm_90) and PTX (compute_75), with the modules compiled for each;
    `on_gpus` the modules that each GPU finds. The rest is compiled when something needs it, by the
    compiler that is named, or not at all, for want of one. `failed` says what went wrong when it
    was last tried, by target and module.
    """

    n_modules: int
    targets: dict[str, int]
    on_gpus: dict[str, int]
    folders: tuple[str, ...]
    compiler: str
    trouble: str = ""
    failed: dict[str, str] = field(default_factory=dict)


def read_kernels(search: GpuSearch) -> CompiledKernels:
    """Look for compiled kernels; nothing is compiled or loaded."""
    digest, names = kernels.source_digest(), list(kernels.modules())
    targets: dict[str, set[str]] = {}
    for folder in kernel_files.folders():
        for path in sorted((folder / digest).glob(f"*/*{kernel_files.SUFFIX}")):
            targets.setdefault(path.parent.name, set()).add(path.stem)
    on_gpus = {}
    for gpu in search.gpus:
        capability = int(gpu.compute_capability.replace(".", ""))
        found = [kernel_files.find(digest, name, capability) for name in names]
        on_gpus[f"cuda:{gpu.number}"] = sum(path is not None for path in found)
    try:
        compiler, trouble = f"NVRTC {nvrtc.version()}", ""
    except nvrtc.NvrtcError as error:
        compiler, trouble = "", str(error)
    counts = {target: len(found & set(names)) for target, found in targets.items()}
    folders = tuple(map(str, kernel_files.folders()))
    failed = kernel_files.read_troubles(digest)
    return CompiledKernels(len(names), counts, on_gpus, folders, compiler, trouble, failed)


def read_build() -> Build:
    """How the extension that this process runs was compiled."""
    return Build(**_engine.build_info())


def count_cores() -> tuple[int, int]:
    """The machine's cores, and those that this process may use."""
    return os.cpu_count() or 1, usable_cores()


def look_for_gpus() -> GpuSearch:
    """All GPUs, without using any; whatever is in the way is said, never raised."""
    try:
        import cupy
    except ImportError as error:
        why = (str(error).strip() or repr(error)).splitlines()[0]
        remedy = "pip install 'arcbatt[cuda12]' or 'arcbatt[cuda13]'"
        return GpuSearch(trouble=f"CuPy cannot be imported ({why}); {remedy}")
    version = str(cupy.__version__)
    runtime = cupy.cuda.runtime
    try:
        driver_cuda = _cuda_version(runtime.driverGetVersion())
        runtime_cuda = _cuda_version(runtime.runtimeGetVersion())
        gpus = tuple(_describe(runtime, number) for number in range(runtime.getDeviceCount()))
    except Exception as error:  # CuPy has a class for each of driver, runtime and library
        return GpuSearch(trouble=str(error).strip() or repr(error), cupy=version)
    trouble = "" if gpus else "the driver finds none"
    return GpuSearch(gpus, trouble, version, driver_cuda, runtime_cuda)


def _describe(runtime: Any, number: int) -> Gpu:
    properties = runtime.getDeviceProperties(number)
    return Gpu(
        number,
        properties["name"].decode(errors="replace"),
        int(properties["totalGlobalMem"]),
        f"{properties['major']}.{properties['minor']}",
    )


def _cuda_version(number: int) -> str:
    """12080 is 12.8."""
    return f"{number // 1000}.{number % 1000 // 10}"
