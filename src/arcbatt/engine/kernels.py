"""The kernels of the GPU: which there are, and how they come to be loaded.

    python -m arcbatt.engine.kernels [--arch 75,80,86,89,90,100,120] [--to FOLDER] [--jobs N]

compiles them all with CUDA's nvcc, for so many kinds of GPUs, into the package: a wheel that is
built then carries them, and no user waits for a compiler. Where they are not there, or were made of
other sources, CuPy compiles what a run needs, module by module, in processes side by side, and
keeps it in its own cache.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language.registry import bundled_primitives
from arcbatt.measure import usable_cores

from . import flatten

INCLUDE = Path(__file__).parent / "include" / "arcbatt"
COMPILED = Path(__file__).parent / "compiled"
# Threads of a block, and blocks that share a multiprocessor: they bound the registers of a thread.
BLOCK_THREADS = 128
BLOCKS_A_SM = 8
# Lanes for large values, a block each; what is large; and how many calls a step may leave to them.
WIDE_THREADS = 512
WIDE_BLOCKS_A_SM = 2
# Elements that threads run alone, one after the other or at once.
ELEMENTS_AN_ITEM = 32
LARGE = 8192  # elements of a call's arguments
MAX_LARGE = 2048
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
COMMON, ALONE, SITES = "common", "alone", "sites"
# So many kernels are compiled together: more share what is common, fewer are done sooner. NVIDIA's
# assembler (CUDA 13.0) crashes on some sites that are compiled together.
KERNELS_A_MODULE = 16
SITES_A_MODULE = 3
_MACROS = {"run": "ARC_RUN", "alone": "ARC_ALONE", "site": "ARC_SITE"}
# What takes long on large values is compiled for wide lanes, too.
WIDE = "wide_"
WIDE_KERNELS = tuple(
    "site_apply site_mapply site_papply site_mpapply site_prapply site_mfilter site_sfilter"
    " site_order run_merge run_product run_combine run_difference run_dedupe run_toindices"
    " run_recolor run_paint run_fill run_ofcolor run_upscale run_dmirror".split()
)


@cache
def source_digest() -> str:
    """Tells versions of the headers and kernels apart."""
    digest = blake2b(digest_size=8)
    for path in sorted(INCLUDE.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    digest.update(repr([(name, modules()[name], definitions(name)) for name in modules()]).encode())
    return digest.hexdigest()


@cache
def modules() -> dict[str, tuple[str, ...]]:
    """The kernels of each module: primitives by family, those done alone, sites, and the rest."""
    groups: dict[str, list[str]] = {COMMON: []}
    for primitive in bundled_primitives().values():
        if primitive.name not in flatten.SITES and primitive.name not in flatten.NEVER:
            groups.setdefault(primitive.family, []).append(f"run_{primitive.name}")
    groups[ALONE] = [f"alone_{name}" for name in sorted(flatten.ALONE)]
    groups[SITES] = [f"site_{name}" for name in sorted(flatten.SITES)]
    groups[WIDE + SITES] = [WIDE + name for name in WIDE_KERNELS]
    found: dict[str, tuple[str, ...]] = {}
    for name, kernels in groups.items():
        at_most = SITES_A_MODULE if name.endswith(SITES) else KERNELS_A_MODULE
        n_parts = max(1, -(-len(kernels) // at_most))
        for k in range(n_parts):
            found[f"{name}_{k + 1}" if n_parts > 1 else name] = tuple(kernels[k::n_parts])
    return found


@cache
def _places() -> dict[str, str]:
    return {kernel: module for module, kernels in modules().items() for kernel in kernels}


def module_of(kernel: str) -> str:
    """The module that has a kernel."""
    return _places().get(kernel, COMMON)


def source(module: str) -> str:
    """The CUDA source of one module."""
    common = ["#define ARC_COMMON"] if module == COMMON else []
    text = (INCLUDE / "kernel.cu").read_text("utf-8")
    return "\n".join([*common, text, *lines(modules()[module])]) + "\n"


def lines(kernels: Iterable[str]) -> list[str]:
    """The lines that make kernels of kernel.cu's macros."""
    found = []
    for kernel in kernels:
        kind, _, primitive = kernel.removeprefix(WIDE).partition("_")
        wide = kernel.startswith(WIDE)
        lanes = "WIDE" if wide else "LEAVES" if wide_kernel(kernel) else "ALL"
        found.append(f"{_MACROS[kind]}({kernel}, {primitive}, {lanes})")
    return found


def wide_kernel(kernel: str) -> str | None:
    """The kernel that runs for wide lanes what this one leaves to them, if it does."""
    return WIDE + kernel if WIDE + kernel in _places() else None


def definitions(module: str) -> list[str]:
    """What the headers want to be told."""
    wide = module.startswith(WIDE)
    macros = {
        "BLOCK_THREADS": WIDE_THREADS if wide else BLOCK_THREADS,
        "BLOCKS_A_SM": WIDE_BLOCKS_A_SM if wide else BLOCKS_A_SM,
        "LARGE": LARGE,
        "MAX_LARGE": MAX_LARGE,
        "ELEMENTS_AN_ITEM": ELEMENTS_AN_ITEM,
        **({"LANE_THREADS": WIDE_THREADS} if wide else {}),
    }
    return [f"-DARC_{name}={value}" for name, value in macros.items()]


# --- loading ---


def compiled_file(module: str) -> Path | None:
    """The file with a module compiled beforehand, if it was made of the sources that are here."""
    stamp = COMPILED / "sources"
    try:
        if stamp.read_text("utf-8").strip() != source_digest():
            return None
    except OSError:
        return None
    path = COMPILED / f"{module}.fatbin"
    return path if path.is_file() else None


def load(kernels: Iterable[str], device: int) -> None:
    """Make kernels ready for a device: from the package, or compiled, modules side by side."""
    import cupy

    wanted = sorted({module_of(kernel) for kernel in kernels} - _loaded.get(device, set()))
    if not wanted:
        return
    lacking = [module for module in wanted if compiled_file(module) is None]
    if len(lacking) > 1:
        _compile_beside(lacking, device)

    def load_module(module: str) -> None:
        with cupy.cuda.Device(device):
            _module(device, module)

    with ThreadPoolExecutor(len(wanted)) as pool:
        list(pool.map(load_module, wanted))
    _loaded.setdefault(device, set()).update(wanted)


_loaded: dict[int, set[str]] = {}


@cache
def _module(device: int, module: str) -> Any:
    import cupy

    path = compiled_file(module)
    if path is not None:
        loaded = cupy.RawModule(path=str(path))
    else:
        options = (
            "-std=c++17",
            f"-I{INCLUDE}",
            *definitions(module),
            f"-DARC_SOURCE_0x{source_digest()}",
        )
        loaded = cupy.RawModule(code=source(module), options=options, backend="nvrtc")
        loaded.compile()
    return loaded


@cache
def kernel(device: int, name: str) -> Any:
    """A kernel, ready to be started on a device."""
    return _module(device, module_of(name)).get_function(name)


@cache
def address(device: int, name: str) -> int:
    """Where the driver has a kernel."""
    found: int = kernel(device, name).kernel.ptr
    return found


@cache
def wide_address(device: int, name: str) -> int:
    """The same of the kernel that runs what this one leaves to wide lanes; 0 if there is none."""
    wide = wide_kernel(name)
    return address(device, wide) if wide else 0


@cache
def driver_functions() -> NDArray[np.uint64]:
    """Where the driver's functions are that `start_kernels` of the engine calls."""
    driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    functions = (driver.cuLaunchKernel, driver.cuEventRecord, driver.cuStreamWaitEvent)
    return np.array([ctypes.cast(f, ctypes.c_void_p).value for f in functions], np.uint64)


def _compile_beside(lacking: list[str], device: int) -> None:
    """Compile modules into CuPy's cache, each in a process of its own.

    In one process they would be compiled one after the other. What fails is tried again, and
    reported, by whoever loads it.
    """
    code = "import sys; from arcbatt.engine import kernels; kernels.compile_one(*sys.argv[1:])"

    def compile_module(module: str) -> None:
        command = [sys.executable, "-c", code, module, str(device)]
        subprocess.run(command, capture_output=True, check=False)

    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(compile_module, lacking))


def compile_one(module: str, device: str) -> None:
    """Compile a module into CuPy's cache."""
    import cupy

    with cupy.cuda.Device(int(device)):
        _module(int(device), module)


# --- compiling beforehand ---


def nvcc_command(
    module: str, module_source: Path, target: Path, architectures: Iterable[int]
) -> list[str]:
    """How nvcc compiles a module for some kinds of GPUs; PTX of the oldest serves those between."""
    kinds = sorted(architectures)
    options = ["-std=c++17", "-fatbin", "-Werror", "all-warnings", *definitions(module)]
    options += [f"-gencode=arch=compute_{kinds[0]},code=compute_{kinds[0]}"]
    options += [f"-gencode=arch=compute_{k},code=sm_{k}" for k in kinds]
    return ["nvcc", *options, "-I", str(INCLUDE), "-o", str(target), str(module_source)]


def compile_all(folder: Path, architectures: Iterable[int], n_jobs: int) -> None:
    """Compile all modules with nvcc into a folder, whose stamp is written last."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sources").unlink(missing_ok=True)

    def compile_module(module: str) -> str:
        path = folder / f"{module}.cu"
        path.write_text(source(module), "utf-8")
        command = nvcc_command(module, path, folder / f"{module}.fatbin", architectures)
        done = subprocess.run(command, capture_output=True, text=True)
        path.unlink()
        return f"{module}: {done.stderr}" if done.returncode else ""

    with ThreadPoolExecutor(n_jobs) as pool:
        troubles = [trouble for trouble in pool.map(compile_module, modules()) if trouble]
    if troubles:
        raise SystemExit("\n".join(troubles))
    (folder / "sources").write_text(source_digest() + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile all kernels with nvcc.")
    parser.add_argument("--arch", default=",".join(map(str, ARCHITECTURES)), help="kinds of GPUs")
    parser.add_argument("--to", type=Path, default=COMPILED, help="where they are kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers side by side")
    given = parser.parse_args()
    if shutil.which("nvcc") is None:
        raise SystemExit("nvcc is not there: it comes with NVIDIA's CUDA toolkit")
    compile_all(given.to, [int(kind) for kind in given.arch.split(",")], given.jobs)
    size = sum(path.stat().st_size for path in given.to.glob("*.fatbin"))
    print(f"{len(modules())} modules, {size / 1e6:.1f} MB, in {given.to}")


if __name__ == "__main__":
    main()
