"""The kernels of the GPU: which there are, and how they come to be compiled and loaded.

    python -m arcbatt.engine.kernels [--arch 75,80,90] [--to FOLDER] [--jobs N]

compiles them all, for so many kinds of GPUs, but for those that are there: what was interrupted
goes on. Otherwise what a run needs is compiled when it is first needed, modules side by side.
Either way NVIDIA's run-time compiler does it (nvrtc.py), and the code is kept in files
(kernel_files.py).
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language.registry import bundled_primitives
from arcbatt.measure import usable_cores
from arcbatt.plurals import count

from . import flatten, kernel_files, nvrtc
from .kernel_files import KernelError

INCLUDE = Path(__file__).parent / "include" / "arcbatt"
# Threads of a block, and blocks that share a multiprocessor: they bound the registers of a thread.
BLOCK_THREADS = 128
BLOCKS_A_SM = 8
# Lanes for large values, a block each; what is large; and how many calls a step may leave to them.
WIDE_THREADS = 512
WIDE_BLOCKS_A_SM = 2
# What a lane takes of the memory for values at once.
PAGE_BYTES = 64 * 1024
# Elements that threads run alone, one after the other or at once.
ELEMENTS_AN_ITEM = 4
LARGE = 2048  # elements of a call's arguments; more where many calls are large
MAX_LARGE = 8192
# Kaggle lends cards of 6.0, 7.5 and 8.9.
ARCHITECTURES = (60, 75, 80, 86, 89, 90, 100, 120)
COMMON, ALONE, SITES = "common", "alone", "sites"
# So many kernels are compiled together. A module takes a second to begin with and two for each of
# its kernels, most of which a batt does not need: more of them would be waited for in vain.
# NVIDIA's assembler (CUDA 13.0) crashes on some sites that are compiled together.
KERNELS_A_MODULE = 4
# Some take so long that a module of them would hold up all others.
AT_MOST = {"sites": 3, "wide_sites": 2, "picture_lists": 2}
_MACROS = {"run": "ARC_RUN", "alone": "ARC_ALONE", "site": "ARC_SITE", "find": "ARC_FIND"}
# What takes long on large values is compiled for wide lanes, too.
WIDE = "wide_"
WIDE_KERNELS = tuple(
    "site_apply site_mapply site_papply site_mpapply site_prapply site_mfilter site_sfilter"
    " site_order run_merge run_product run_combine run_difference run_dedupe run_toindices"
    " run_recolor run_paint run_fill run_ofcolor run_upscale run_dmirror run_copies_at"
    " run_repeat_along run_asobject run_shift run_asindices run_canvas"
    " run_objects run_objects_on run_pair run_foreground run_move run_palette run_tile"
    " run_get_color_rank run_mostcolor run_replace run_vupscale run_hupscale run_hmirror"
    " run_vmirror run_cmirror run_rot90 run_rot180 run_rot270 run_hconcat run_vconcat run_crop"
    " run_underfill run_cover run_toobject run_intersection run_close_symmetry"
    " find_outcomes".split()
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
    for name in WIDE_KERNELS:
        kind = SITES if name.startswith("site_") else "calls"
        groups.setdefault(WIDE + kind, []).append(WIDE + name)
    found: dict[str, tuple[str, ...]] = {}
    for name, kernels in groups.items():
        n_parts = max(1, -(-len(kernels) // AT_MOST.get(name, KERNELS_A_MODULE)))
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
    # Calls that a thread may not run alone are calls like all others.
    wide = WIDE + re.sub("^alone_", "run_", kernel)
    return wide if wide in _places() else None


def definitions(module: str) -> list[str]:
    """What the headers want to be told."""
    wide = module.startswith(WIDE)
    macros = {
        "BLOCK_THREADS": WIDE_THREADS if wide else BLOCK_THREADS,
        "BLOCKS_A_SM": WIDE_BLOCKS_A_SM if wide else BLOCKS_A_SM,
        "LARGE": LARGE,
        "MAX_LARGE": MAX_LARGE,
        "ELEMENTS_AN_ITEM": ELEMENTS_AN_ITEM,
        "PAGE_BYTES": PAGE_BYTES,
        **({"LANE_THREADS": WIDE_THREADS} if wide else {}),
    }
    return [f"-DARC_{name}={value}" for name, value in macros.items()]


def source_options(module: str) -> list[str]:
    """How a module is compiled, whatever for."""
    # Functions are those of a GPU, lambdas in them, too.
    return ["-std=c++17", "-default-device", f"-I{INCLUDE}", *definitions(module)]


# --- loading ---


def load(kernels: Iterable[str], device: int) -> None:
    """Make kernels ready for a device; those that are not compiled yet are waited for."""
    lacking = _start(kernels, device)
    kernel_files.compilers.wait(lacking, _capability(device))
    trouble = trouble_with(kernels, device) if lacking else ""
    if trouble:
        raise KernelError(trouble)
    _load_modules(kernels, device)


def are_ready(kernels: Iterable[str], device: int) -> bool:
    """Return whether kernels can be run on a device at once; otherwise they are compiled meanwhile.

    What cannot be compiled or loaded is never ready; a warning says so once.
    """
    if device in _refused:
        return False
    try:
        if not _start(kernels, device):
            _load_modules(kernels, device)
            return True
        trouble = trouble_with(kernels, device)
        how = "compiled"
    except KernelError as error:  # a file that is damaged, or gone: it is compiled again
        trouble, how = str(error), "read"
    except device_errors() as error:
        trouble = _refused[device] = first_line(error)
        how = "loaded"
    if trouble and trouble not in _told:
        _told.add(trouble)
        why = f"cuda:{device} is not used, its kernels cannot be {how}: {first_line(trouble)}"
        warnings.warn(f"{why}; arcbatt doctor says more", RuntimeWarning, stacklevel=4)
    return False


_told: set[str] = set()  # troubles that were warned of
_refused: dict[int, str] = {}  # by device, why it has not taken kernels


def device_errors() -> tuple[type[Exception], ...]:
    """Return what is raised where a device fails, or cannot be used."""
    import cupy

    return (
        RuntimeError,  # the driver's errors, and CuPy's where it finds no library
        cupy.cuda.compiler.CompileException,
        cupy.cuda.memory.OutOfMemoryError,
    )


def first_line(trouble: object) -> str:
    """Return the first line of what an error, or a compiler, says."""
    return (str(trouble).splitlines() or [type(trouble).__name__])[0]


def n_compiling() -> int:
    """Return how many compilers are at work."""
    return kernel_files.compilers.n_busy


def trouble_with(kernels: Iterable[str], device: int) -> str:
    """Return why kernels cannot be had, or nothing."""
    if device in _refused:
        return _refused[device]
    capability, troubles = _capability(device), kernel_files.compilers.troubles
    for module in sorted({module_of(kernel) for kernel in kernels}):
        if (module, capability) in troubles:
            return f"{module}: {troubles[module, capability]}"
    return ""


def _start(kernels: Iterable[str], device: int) -> list[str]:
    """Begin to compile what kernels lack; returns the modules."""
    wanted = {module_of(kernel) for kernel in kernels} - _loaded.get(device, set())
    if not wanted:
        return []
    capability, digest = _capability(device), source_digest()
    # In the order of the list, in which those come first that most programs need.
    lacking = [
        module
        for module in modules()
        if module in wanted
        and (
            kernel_files.compilers.is_busy(module, capability)
            or kernel_files.find(digest, module, capability) is None
        )
    ]
    kernel_files.compilers.start(lacking, capability, digest)
    return lacking


def _load_modules(kernels: Iterable[str], device: int) -> None:
    import cupy

    def load_module(module: str) -> None:
        with cupy.cuda.Device(device):
            _module(device, module)

    # Of runs that begin at once, one loads them: of two modules alike one would be given up, and
    # with it the kernels that the other run has of it.
    with _loading:
        wanted = sorted({module_of(kernel) for kernel in kernels} - _loaded.get(device, set()))
        if not wanted:
            return
        with ThreadPoolExecutor(min(len(wanted), 16)) as pool:
            list(pool.map(load_module, wanted))
        _loaded.setdefault(device, set()).update(wanted)


_loaded: dict[int, set[str]] = {}
_loading = Lock()


@cache
def _capability(device: int) -> int:
    import cupy

    return int(cupy.cuda.Device(device).compute_capability)


@cache
def _module(device: int, module: str) -> Any:
    import cupy

    path = kernel_files.find(source_digest(), module, _capability(device))
    if path is None:
        raise KernelError(
            f"{module}: the compiler has left nothing in {kernel_files.folders()[-1]}"
        )
    try:
        code = kernel_files.read(path)
    except KernelError:
        kernel_files.compilers.forget([module], _capability(device))
        raise
    loaded = cupy.cuda.Module()
    loaded.load(code)
    return loaded


@cache
def kernel(device: int, name: str) -> Any:
    """A kernel, ready to be started on a device."""
    return _module(device, module_of(name)).get_function(name)


@cache
def address(device: int, name: str) -> int:
    """Where the driver has a kernel."""
    found: int = kernel(device, name).ptr
    return found


@cache
def wide_address(device: int, name: str) -> int:
    """The same of the kernel that runs what this one leaves to wide lanes; 0 if there is none."""
    wide = wide_kernel(name)
    return address(device, wide) if wide else 0


@cache
def driver_functions() -> NDArray[np.uint64]:
    """Where the driver's functions are that runs of plans call, as `Driver` of plan_run.hpp."""
    driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    functions = (
        driver.cuLaunchKernel,
        driver.cuEventRecord,
        driver.cuStreamWaitEvent,
        driver.cuMemcpyHtoDAsync_v2,
        driver.cuMemsetD8Async,
        driver.cuEventQuery,
    )
    return np.array([ctypes.cast(f, ctypes.c_void_p).value for f in functions], np.uint64)


# --- compiling ---


def compile_modules(
    folder: Path, chosen: Iterable[str], targets: Iterable[str], n_jobs: int
) -> list[str]:
    """Compile modules into a folder, but for those that it has; returns what went wrong.

    Each is compiled by a process of its own: a compiler does one thing at a time, and may crash.
    """
    digest = source_digest()
    work = [
        (target, module)
        for module in chosen
        for target in targets
        if not kernel_files.place_of(folder, digest, target, module).is_file()
    ]

    def compile_one(what: tuple[str, str]) -> str:
        trouble = kernel_files.compile_apart(folder, digest, *what)
        return trouble and "{1} for {0}: {2}".format(*what, trouble)

    with ThreadPoolExecutor(n_jobs) as pool:
        troubles = list(_counted(pool.map(compile_one, work), len(work)))
    return [trouble for trouble in troubles if trouble]


def compile_here(folder: str, target: str, module: str) -> None:
    """Compile a module into a folder, in this process; ends it where that fails."""
    try:
        code = nvrtc.compile_source(f"{module}.cu", source(module), source_options(module), target)
        kernel_files.write(Path(folder), source_digest(), target, module, code)
    except (nvrtc.NvrtcError, OSError) as error:
        raise SystemExit(str(error)) from error


def _counted(done: Iterable[str], n_all: int) -> Iterable[str]:
    """The same, with a bar where there is a terminal: all kernels take an hour."""
    # Here, since runs have no use for it.
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    is_quiet = not console.is_terminal
    return track(done, "compiling", n_all, console=console, transient=True, disable=is_quiet)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile kernels for kinds of GPUs.")
    parser.add_argument(
        "--arch",
        default="",
        help="compute capabilities: 90 is 9.0; one serves later ones of the same major number",
    )
    parser.add_argument(
        "--ptx", default="", help="PTX for it and all later ones; if no --arch is given, the oldest"
    )
    parser.add_argument("--only", default="", help="modules; all, if none are given")
    parser.add_argument("--to", type=Path, help="a folder; otherwise the user's for caches")
    parser.add_argument("--jobs", type=int, default=usable_cores(), help="compilers side by side")
    given = parser.parse_args()
    chosen = given.only.split(",") if given.only else list(modules())
    unknown = sorted(set(chosen) - set(modules()))
    if unknown:
        raise SystemExit(f"no modules: {', '.join(unknown)}; there are {', '.join(modules())}")
    arch, ptx = given.arch, given.ptx
    if not arch:
        try:
            known = [kind for kind in ARCHITECTURES if kind >= nvrtc.oldest()]
        except nvrtc.NvrtcError as error:
            raise SystemExit(str(error)) from error
        arch, ptx = ",".join(map(str, known)), ptx or str(known[0])
    targets = [f"sm_{kind}" for kind in arch.split(",")]
    targets += [f"compute_{kind}" for kind in ptx.split(",") if kind]
    folder = given.to or kernel_files.folders()[-1]
    troubles = compile_modules(folder, chosen, targets, given.jobs)
    kernel_files.drop_old(folder)
    if troubles:
        raise SystemExit("\n".join(troubles))
    size = sum(path.stat().st_size for path in folder.rglob("*" + kernel_files.SUFFIX))
    done = f"{count(len(chosen), 'module')} for {', '.join(targets)}"
    print(f"{done}, with NVRTC {nvrtc.version()}: {size / 1e6:.1f} MB in {folder}")


if __name__ == "__main__":
    main()
