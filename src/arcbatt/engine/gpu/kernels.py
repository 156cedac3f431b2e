"""The kernels of the GPU: their modules, and how these are compiled and loaded.

    python -m arcbatt.engine.gpu.kernels [--arch 75,80,90] [--to FOLDER] [--jobs N]

compiles all missing kernels for several kinds of GPUs; an interrupted compilation can be resumed.
Otherwise kernels are compiled when a run first needs them, several modules in parallel. NVIDIA's
run-time compiler compiles them (nvrtc.py), and the code is kept in files (kernel_files.py).
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

from arcbatt.engine import _engine
from arcbatt.engine.gpu import kernel_files, nvrtc
from arcbatt.engine.gpu.kernel_files import KernelError
from arcbatt.language.registry import bundled_primitives
from arcbatt.measure import usable_cores
from arcbatt.plurals import count

INCLUDE = Path(__file__).parents[1] / "native" / "include" / "arcbatt"
# Threads of a block, and blocks that share a multiprocessor: they bound the registers of a thread.
BLOCK_THREADS = 128
BLOCKS_PER_SM = 8
# Wide lanes, for large values, are blocks of this size.
WIDE_THREADS = 512
WIDE_BLOCKS_PER_SM = 2
# Calls whose arguments have this many elements are left to wide lanes (more if many calls are
# large), and the most calls that a step may leave to them.
LARGE = 2048
MAX_LARGE = 8192
# The unit in which a lane takes memory for values.
PAGE_BYTES = 64 * 1024
# Elements per item of calls that single threads run.
ELEMENTS_PER_ITEM = 4
# Kaggle offers GPUs of 6.0, 7.5 and 8.9.
ARCHITECTURES = (60, 75, 80, 86, 89, 90, 100, 120)
COMMON, ALONE, SITES = "common", "alone", "sites"
# A module takes a second, plus two per kernel. Small modules keep a batt from waiting for kernels
# that it does not need. NVIDIA's assembler (CUDA 13.0) crashes on some larger modules of sites.
KERNELS_PER_MODULE = 4
# Modules of kernels that are slow to compile are smaller: they would hold up all others.
SITES_PER_MODULE = 3
SLOW_KERNELS_PER_MODULE = 2
_MACROS = {"run": "ARC_RUN", "alone": "ARC_ALONE", "site": "ARC_SITE", "find": "ARC_FIND"}
# Prefix of kernels for wide lanes.
WIDE = "wide_"


@cache
def source_digest() -> str:
    """Return a digest of the headers and of the modules' definitions."""
    digest = blake2b(digest_size=8)
    for path in sorted(INCLUDE.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    digest.update(repr([(name, modules()[name], definitions(name)) for name in modules()]).encode())
    return digest.hexdigest()


@cache
def modules() -> dict[str, tuple[str, ...]]:
    """Return the kernels of each module: grouped by family and by kind of kernel."""
    groups: dict[str, list[str]] = {COMMON: []}
    at_most = {SITES: SITES_PER_MODULE, WIDE + SITES: SLOW_KERNELS_PER_MODULE}
    on_gpu = [p for p in bundled_primitives().values() if not p.gpu.cpu_only]
    sites = sorted((p for p in on_gpu if p.gpu.calls), key=lambda p: p.name)
    for primitive in on_gpu:
        if not primitive.gpu.calls:
            groups.setdefault(primitive.family, []).append(f"run_{primitive.name}")
        if primitive.gpu.slow_to_compile:
            at_most[primitive.family] = SLOW_KERNELS_PER_MODULE
    groups[ALONE] = [f"alone_{p.name}" for p in on_gpu if p.gpu.single_thread]
    groups[SITES] = [f"site_{p.name}" for p in sites]
    groups[WIDE + SITES] = [f"{WIDE}site_{p.name}" for p in sites if p.gpu.wide]
    groups[WIDE + "calls"] = [
        f"{WIDE}run_{p.name}" for p in on_gpu if p.gpu.wide and not p.gpu.calls
    ]
    groups[WIDE + "calls"].append(f"{WIDE}find_outcomes")
    parts: dict[str, tuple[str, ...]] = {}
    for name, kernels in groups.items():
        n_parts = max(1, -(-len(kernels) // at_most.get(name, KERNELS_PER_MODULE)))
        for k in range(n_parts):
            parts[f"{name}_{k + 1}" if n_parts > 1 else name] = tuple(kernels[k::n_parts])
    return parts


@cache
def _modules_by_kernel() -> dict[str, str]:
    return {kernel: module for module, kernels in modules().items() for kernel in kernels}


def module_of(kernel: str) -> str:
    """Return the module that contains a kernel."""
    return _modules_by_kernel().get(kernel, COMMON)


def source(module: str) -> str:
    """Return the CUDA source of a module."""
    common = ["#define ARC_COMMON"] if module == COMMON else []
    text = (INCLUDE / "kernel.cu").read_text("utf-8")
    return "\n".join([*common, text, *lines(modules()[module])]) + "\n"


def lines(kernels: Iterable[str]) -> list[str]:
    """Return the lines that define kernels by the macros of kernel.cu."""
    macros = []
    for kernel in kernels:
        kind, _, primitive = kernel.removeprefix(WIDE).partition("_")
        wide = kernel.startswith(WIDE)
        lanes = "WIDE" if wide else "LEAVES" if wide_kernel(kernel) else "ALL"
        macros.append(f"{_MACROS[kind]}({kernel}, {primitive}, {lanes})")
    return macros


def wide_kernel(kernel: str) -> str | None:
    """Return the kernel for the calls that this one leaves to wide lanes, if there is one."""
    # Calls that are too large for a single thread are run like all others.
    wide = WIDE + re.sub("^alone_", "run_", kernel)
    return wide if wide in _modules_by_kernel() else None


def definitions(module: str) -> list[str]:
    """Return the macros that the headers need, as options of the compiler."""
    wide = module.startswith(WIDE)
    macros = {
        "BLOCK_THREADS": WIDE_THREADS if wide else BLOCK_THREADS,
        "BLOCKS_PER_SM": WIDE_BLOCKS_PER_SM if wide else BLOCKS_PER_SM,
        "LARGE": LARGE,
        "MAX_LARGE": MAX_LARGE,
        "ELEMENTS_PER_ITEM": ELEMENTS_PER_ITEM,
        "PAGE_BYTES": PAGE_BYTES,
        **({"LANE_THREADS": WIDE_THREADS} if wide else {}),
    }
    return [f"-DARC_{name}={value}" for name, value in macros.items()]


def source_options(module: str) -> list[str]:
    """Return the options of the compiler that do not depend on the target."""
    # Lambdas in device code are device code, too.
    return ["-std=c++17", "-default-device", f"-I{INCLUDE}", *definitions(module)]


# --- loading ---


def load(kernels: Iterable[str], device: int) -> None:
    """Load kernels on a device; wait for those that must be compiled."""
    missing = _start(kernels, device)
    kernel_files.compilers.wait(missing, _capability(device))
    trouble = trouble_with(kernels, device) if missing else ""
    if trouble:
        raise KernelError(trouble)
    _load_modules(kernels, device)


def are_ready(kernels: Iterable[str], device: int) -> bool:
    """Return whether kernels are loaded on a device; if not, start to compile them.

    Kernels that cannot be compiled or loaded are never ready; a warning says so once.
    """
    if device in _refused:
        return False
    try:
        if not _start(kernels, device):
            _load_modules(kernels, device)
            return True
        trouble = trouble_with(kernels, device)
        how = "compiled"
    except KernelError as error:  # a damaged or missing file, which will be compiled again
        trouble, how = str(error), "read"
    except device_errors() as error:
        trouble = _refused[device] = first_line(error)
        how = "loaded"
    if trouble and trouble not in _warned:
        _warned.add(trouble)
        why = f"cuda:{device} is not used, its kernels cannot be {how}: {first_line(trouble)}"
        warnings.warn(f"{why}; arcbatt doctor says more", RuntimeWarning, stacklevel=4)
    return False


_warned: set[str] = set()
_refused: dict[int, str] = {}  # why a device has refused kernels


def device_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of a device that fails or cannot be used."""
    import cupy

    return (
        RuntimeError,  # the driver's errors, and CuPy's if it finds no library
        cupy.cuda.compiler.CompileException,
        cupy.cuda.memory.OutOfMemoryError,
    )


def first_line(trouble: object) -> str:
    """Return the first line of an error or of a compiler's message."""
    return (str(trouble).splitlines() or [type(trouble).__name__])[0]


def threads_beside_compilers(n_threads: int) -> int:
    """Return the number of threads a run should use while kernels are compiled.

    With all of them, compiling would take twice as long, and GPUs would be ready later.
    """
    return max(1, n_threads // 4, n_threads - kernel_files.compilers.n_busy)


def trouble_with(kernels: Iterable[str], device: int) -> str:
    """Return why kernels cannot be compiled or loaded, or an empty text."""
    if device in _refused:
        return _refused[device]
    capability, troubles = _capability(device), kernel_files.compilers.troubles
    for module in sorted({module_of(kernel) for kernel in kernels}):
        if (module, capability) in troubles:
            return f"{module}: {troubles[module, capability]}"
    return ""


def _start(kernels: Iterable[str], device: int) -> list[str]:
    """Start to compile the missing modules of kernels; return these modules."""
    wanted = {module_of(kernel) for kernel in kernels} - _loaded.get(device, set())
    if not wanted:
        return []
    capability, digest = _capability(device), source_digest()
    # In the order of the modules: those that most programs need come first.
    missing = [
        module
        for module in modules()
        if module in wanted
        and (
            kernel_files.compilers.is_busy(module, capability)
            or kernel_files.find(digest, module, capability) is None
        )
    ]
    kernel_files.compilers.start(missing, capability, digest)
    return missing


def _load_modules(kernels: Iterable[str], device: int) -> None:
    import cupy

    def load_module(module: str) -> None:
        with cupy.cuda.Device(device):
            _module(device, module)

    # Only one of several runs loads a module: a second copy would replace the first, and with it
    # the kernels that another run uses.
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
            f"{module}: the compiler has written nothing to {kernel_files.folders()[-1]}"
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
    """Return a loaded kernel."""
    return _module(device, module_of(name)).get_function(name)


@cache
def address(device: int, name: str) -> int:
    """Return the driver's handle of a kernel."""
    handle: int = kernel(device, name).ptr
    return handle


@cache
def wide_address(device: int, name: str) -> int:
    """Return the handle of the kernel for wide lanes, or 0 if there is none."""
    wide = wide_kernel(name)
    return address(device, wide) if wide else 0


@cache
def driver() -> _engine.Driver:
    """Return the functions of CUDA's driver that runs of plans call."""
    library = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")

    def address_of(name: str) -> int:
        return ctypes.cast(library[name], ctypes.c_void_p).value or 0

    return _engine.Driver(
        launch=address_of("cuLaunchKernel"),
        record=address_of("cuEventRecord"),
        wait=address_of("cuStreamWaitEvent"),
        copy=address_of("cuMemcpyHtoDAsync_v2"),
        fill=address_of("cuMemsetD8Async"),
        query=address_of("cuEventQuery"),
    )


# --- compiling ---


def compile_modules(
    folder: Path, chosen: Iterable[str], targets: Iterable[str], n_jobs: int
) -> list[str]:
    """Compile the modules that a folder lacks; return the errors.

    Each is compiled by a process of its own: a compiler is single-threaded and may crash.
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
    """Compile a module into a folder; end the process if that fails."""
    try:
        code = nvrtc.compile_source(f"{module}.cu", source(module), source_options(module), target)
        kernel_files.write(Path(folder), source_digest(), target, module, code)
    except (nvrtc.NvrtcError, OSError) as error:
        raise SystemExit(str(error)) from error


def _counted(done: Iterable[str], n_all: int) -> Iterable[str]:
    """Show progress on a terminal: all kernels take an hour."""
    # Imported here, since runs do not need it.
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
        help="compute capabilities: 90 is 9.0; code also runs on higher minor versions",
    )
    parser.add_argument(
        "--ptx",
        default="",
        help="capability of PTX, which later GPUs run; by default the oldest",
    )
    parser.add_argument("--only", default="", help="modules to compile; by default all")
    parser.add_argument("--to", type=Path, help="target folder; by default the user's cache")
    parser.add_argument("--jobs", type=int, default=usable_cores(), help="parallel compilers")
    given = parser.parse_args()
    chosen = given.only.split(",") if given.only else list(modules())
    unknown = sorted(set(chosen) - set(modules()))
    if unknown:
        raise SystemExit(f"unknown modules: {', '.join(unknown)}; known: {', '.join(modules())}")
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
