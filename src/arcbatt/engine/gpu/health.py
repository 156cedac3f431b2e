"""Facts about the installation: the build of the extension, GPUs, and compiled kernels."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from arcbatt.engine import _engine
from arcbatt.engine.gpu import kernel_files, kernels, nvrtc
from arcbatt.measure import usable_cores


@dataclass(frozen=True, slots=True)
class Build:
    """The build of the extension.

    `instruction_set` is the level that this machine uses of loops compiled for several levels.
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
    """The GPUs, or the reason why there are none; unknown versions are empty."""

    gpus: tuple[Gpu, ...] = ()
    trouble: str = ""
    cupy: str = ""
    driver_cuda: str = ""
    runtime_cuda: str = ""


@dataclass(frozen=True, slots=True)
class CompiledKernels:
    """Numbers of modules of kernels that are compiled from the current sources.

    `targets` counts modules per kind of GPU (sm_90) or PTX (compute_75), `on_gpus` those that each
    GPU can load. The rest is compiled on demand by `compiler`, if there is one. `failed` has the
    last errors of the compiler, by target and module.
    """

    n_modules: int
    targets: dict[str, int]
    on_gpus: dict[str, int]
    folders: tuple[str, ...]
    compiler: str
    trouble: str = ""
    failed: dict[str, str] = field(default_factory=dict)


def read_kernels(search: GpuSearch) -> CompiledKernels:
    """Find compiled kernels, without compiling or loading any."""
    digest, names = kernels.source_digest(), list(kernels.modules())
    targets: dict[str, set[str]] = {}
    for folder in kernel_files.folders():
        for path in sorted((folder / digest).glob(f"*/*{kernel_files.SUFFIX}")):
            targets.setdefault(path.parent.name, set()).add(path.stem)
    on_gpus = {}
    for gpu in search.gpus:
        capability = int(gpu.compute_capability.replace(".", ""))
        paths = [kernel_files.find(digest, name, capability) for name in names]
        on_gpus[f"cuda:{gpu.number}"] = sum(path is not None for path in paths)
    try:
        compiler, trouble = f"NVRTC {nvrtc.version()}", ""
    except nvrtc.NvrtcError as error:
        compiler, trouble = "", str(error)
    counts = {target: len(compiled & set(names)) for target, compiled in targets.items()}
    folders = tuple(map(str, kernel_files.folders()))
    failed = kernel_files.read_troubles(digest)
    return CompiledKernels(len(names), counts, on_gpus, folders, compiler, trouble, failed)


def read_build() -> Build:
    """Return the build of the extension."""
    return Build(**_engine.build_info())


def count_cores() -> tuple[int, int]:
    """Return the numbers of cores of the machine, and of those that this process may use."""
    return os.cpu_count() or 1, usable_cores()


def look_for_gpus() -> GpuSearch:
    """Return all GPUs, without using any; errors are reported in `trouble`, not raised."""
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
    """Return a version in words: 12.8 for 12080."""
    return f"{number // 1000}.{number % 1000 // 10}"
