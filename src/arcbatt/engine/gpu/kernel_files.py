"""Files of compiled kernels, and the processes that compile missing ones.

There is a file per module and kind of GPU, such as `DIGEST/sm_90/grids_1.xz`, in two places: the
package `arcbatt_kernels`, if it is installed, and the user's cache folder, into which missing files
are compiled. The digest is that of the sources, so files of other sources are never used.
"""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread

from arcbatt.files import cache_folder, write_whole
from arcbatt.measure import usable_cores

PACKAGE = "arcbatt_kernels"
SUFFIX = ".xz"
TROUBLE_SUFFIX = ".failed.txt"
N_VERSIONS = 4


def folders() -> list[Path]:
    """Return the folders of compiled kernels; the last is for new ones."""
    package = find_spec(PACKAGE)
    locations = package.submodule_search_locations if package else None
    return [*map(Path, locations or ()), cache_folder() / "kernels"]


def targets_for(capability: int) -> list[str]:
    """Return the targets whose code runs on a compute capability (86 is 8.6), the best first.

    Machine code runs on GPUs of the same major and the same or a higher minor number. PTX, which
    the driver compiles, runs on all later GPUs.
    """
    major, minor = divmod(capability, 10)
    exact = [f"sm_{10 * major + k}" for k in range(minor, -1, -1)]
    return exact + [f"compute_{k}" for k in range(capability, 49, -1)]


def place_of(folder: Path, digest: str, target: str, module: str) -> Path:
    """Return the path of a module's file in a folder."""
    return folder / digest / target / (module + SUFFIX)


def find(digest: str, module: str, capability: int) -> Path | None:
    """Return the file of a module for a kind of GPU, or None."""
    for target in targets_for(capability):
        for folder in folders():
            path = place_of(folder, digest, target, module)
            if path.is_file():
                return path
    return None


class KernelError(RuntimeError):
    """Kernels cannot be compiled or read; the message says why."""


def read(path: Path) -> bytes:
    """Return the code in a file; delete a damaged file, so that it is compiled again."""
    try:
        return lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        with suppress(OSError):  # installed files are not deleted
            if path.is_relative_to(folders()[-1]):
                path.unlink(missing_ok=True)
        raise KernelError(f"{path} cannot be read: {error}") from error


def write(folder: Path, digest: str, target: str, module: str, code: bytes) -> None:
    """Write code into a folder atomically."""
    path = place_of(folder, digest, target, module)
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # so that the version in use is the last to be deleted
        os.utime(folder / digest)
    write_whole(path, lzma.compress(code, preset=6))


def note_trouble(folder: Path, digest: str, target: str, module: str, trouble: str) -> None:
    """Record why a module was not compiled, for `arcbatt doctor`; empty if it was compiled."""
    path = folder / digest / target / (module + TROUBLE_SUFFIX)
    with suppress(OSError):  # the run that needs the module reports it, too
        if trouble:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, trouble.encode())
        else:
            path.unlink(missing_ok=True)


def read_troubles(digest: str) -> dict[str, str]:
    """Return the last errors of the compiler, by target and module."""
    troubles = {}
    for path in sorted((folders()[-1] / digest).glob(f"*/*{TROUBLE_SUFFIX}")):
        name = path.name.removesuffix(TROUBLE_SUFFIX)
        troubles[f"{path.parent.name}/{name}"] = path.read_text("utf-8", errors="replace")
    return troubles


def drop_old(folder: Path) -> None:
    """Delete files of older sources; keep a few versions, which may be in use."""
    versions = [path for path in folder.glob("*") if path.is_dir()]
    versions.sort(key=_changed_at, reverse=True)
    for path in versions[N_VERSIONS:]:
        shutil.rmtree(path, ignore_errors=True)


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has deleted it
        return 0.0


class Compilers:
    """Processes that compile modules into the user's folder, one per core.

    A compiler is single-threaded.
    """

    def __init__(self) -> None:
        self.troubles: dict[tuple[str, int], str] = {}  # errors by module and capability
        self._requests: dict[tuple[str, int], Event] = {}  # set when a module is done
        self._waiting: SimpleQueue[tuple[str, int, str]] = SimpleQueue()
        self._n_threads = 0
        self._lock = Lock()

    @property
    def n_busy(self) -> int:
        """The number of compilers that are running or about to start."""
        return min(
            self._n_threads, sum(not done.is_set() for done in list(self._requests.values()))
        )

    def start(self, modules: Iterable[str], capability: int, digest: str) -> None:
        """Start to compile modules of a version of the sources, after earlier requests."""
        with self._lock:
            for module in modules:
                key = (module, capability)
                if key in self._requests:
                    continue
                self._requests[key] = Event()
                self._waiting.put((*key, digest))
                # Daemons: the process can end while a compiler finishes on its own.
                if self._n_threads < usable_cores():
                    self._n_threads += 1
                    Thread(target=self._work, daemon=True).start()

    def wait(self, modules: Iterable[str], capability: int) -> None:
        """Wait until requested modules are done."""
        for module in modules:
            self._requests[module, capability].wait()

    def forget(self, modules: Iterable[str], capability: int) -> None:
        """Let modules that are done be compiled again on request, if their files are missing."""
        with self._lock:
            for module in modules:
                request = self._requests.get((module, capability))
                if request is not None and request.is_set():
                    del self._requests[module, capability]

    def is_busy(self, module: str, capability: int) -> bool:
        """Return whether a module is requested and not done yet."""
        request = self._requests.get((module, capability))
        return request is not None and not request.is_set()

    def _work(self) -> None:
        while True:
            module, capability, digest = self._waiting.get()
            folder, target = folders()[-1], f"sm_{capability}"
            trouble = compile_apart(folder, digest, target, module)
            note_trouble(folder, digest, target, module, trouble)
            drop_old(folder)
            if trouble:
                self.troubles[module, capability] = trouble
            self._requests[module, capability].set()


def compile_apart(folder: Path, digest: str, target: str, module: str) -> str:
    """Compile a module in another process, which may crash; return the error."""
    try:
        done = subprocess.run(compile_command(folder, target, module), capture_output=True)
    except OSError as error:
        return str(error)
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        return message or f"the compiler ended with status {done.returncode}"
    if not place_of(folder, digest, target, module).is_file():
        return f"the compiler has written nothing to {folder}"
    return ""


def compile_command(folder: Path, target: str, module: str) -> list[str]:
    """Return the command that compiles a module into a folder."""
    code = "import sys; from arcbatt.engine.gpu import kernels as k; k.compile_here(*sys.argv[1:])"
    return [sys.executable, "-c", code, str(folder), target, module]


compilers = Compilers()


def _after_fork() -> None:
    """Start without compilers: a forked process has none of the threads."""
    global compilers
    compilers = Compilers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
