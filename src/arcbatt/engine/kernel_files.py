"""Compiled kernels: where they are kept, and how those that are lacking are made.

They are files, one for each module and kind of GPU, `DIGEST/sm_90/grids_1.xz`, in two places: the
package `arcbatt_kernels`, where it is installed, and the user's folder for caches, into which they
are compiled where they are lacking. The digest is that of the sources: what was made of others is
never taken.
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
    """Return where compiled kernels are looked for, the folder for new ones last."""
    package = find_spec(PACKAGE)
    places = package.submodule_search_locations if package else None
    return [*map(Path, places or ()), cache_folder() / "kernels"]


def targets_for(capability: int) -> list[str]:
    """Return what runs on a GPU of a compute capability (86 is 8.6), the best first.

    Machine code runs on GPUs of the same major number whose minor one is not smaller; PTX, which
    the driver compiles, on all that are not older.
    """
    major, minor = divmod(capability, 10)
    exact = [f"sm_{10 * major + k}" for k in range(minor, -1, -1)]
    return exact + [f"compute_{k}" for k in range(capability, 49, -1)]


def place_of(folder: Path, digest: str, target: str, module: str) -> Path:
    """Return where a folder has the file of a module, if it has it."""
    return folder / digest / target / (module + SUFFIX)


def find(digest: str, module: str, capability: int) -> Path | None:
    """Return the file with a module for a kind of GPU, if there is one."""
    for target in targets_for(capability):
        for folder in folders():
            path = place_of(folder, digest, target, module)
            if path.is_file():
                return path
    return None


class KernelError(RuntimeError):
    """Kernels cannot be had; the message says why."""


def read(path: Path) -> bytes:
    """Return the code in a file; one that is damaged is dropped, so that it is compiled again."""
    try:
        return lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        with suppress(OSError):  # what was installed stays as it is
            if path.is_relative_to(folders()[-1]):
                path.unlink(missing_ok=True)
        raise KernelError(f"{path} cannot be read: {error}") from error


def write(folder: Path, digest: str, target: str, module: str, code: bytes) -> None:
    """Put code into a folder, whole or not at all."""
    path = place_of(folder, digest, target, module)
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # the version in use is the last to be dropped
        os.utime(folder / digest)
    write_whole(path, lzma.compress(code, preset=6))


def note_trouble(folder: Path, digest: str, target: str, module: str, trouble: str) -> None:
    """Keep why a module was not compiled, for `arcbatt doctor`; an empty text says that it was."""
    path = folder / digest / target / (module + TROUBLE_SUFFIX)
    with suppress(OSError):  # whoever wants the module is told, too
        if trouble:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, trouble.encode())
        else:
            path.unlink(missing_ok=True)


def read_troubles(digest: str) -> dict[str, str]:
    """Return why modules were not compiled when that was last tried, by target and module."""
    found = {}
    for path in sorted((folders()[-1] / digest).glob(f"*/*{TROUBLE_SUFFIX}")):
        name = path.name.removesuffix(TROUBLE_SUFFIX)
        found[f"{path.parent.name}/{name}"] = path.read_text("utf-8", errors="replace")
    return found


def drop_old(folder: Path) -> None:
    """Delete what was made of older sources; a few versions may be in use side by side."""
    made = [place for place in folder.glob("*") if place.is_dir()]
    made.sort(key=_changed_at, reverse=True)
    for place in made[N_VERSIONS:]:
        shutil.rmtree(place, ignore_errors=True)


def _changed_at(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:  # another process has dropped it
        return 0.0


class Compilers:
    """Processes that compile modules into the user's folder, as many at a time as there are cores.

    In one process they would be compiled one after the other.
    """

    def __init__(self) -> None:
        self.troubles: dict[tuple[str, int], str] = {}  # by module and capability, what failed
        self._asked: dict[tuple[str, int], Event] = {}  # set when a module is done
        self._waiting: SimpleQueue[tuple[str, int, str]] = SimpleQueue()
        self._n_threads = 0
        self._lock = Lock()

    @property
    def n_busy(self) -> int:
        """How many compilers are at work, or about to be."""
        return min(self._n_threads, sum(not done.is_set() for done in list(self._asked.values())))

    def start(self, modules: Iterable[str], capability: int, digest: str) -> None:
        """Have modules of a version of the sources compiled, after those that were asked for."""
        with self._lock:
            for module in modules:
                key = (module, capability)
                if key in self._asked:
                    continue
                self._asked[key] = Event()
                self._waiting.put((*key, digest))
                # Nobody waits for them when the program ends: what has begun is finished by itself.
                if self._n_threads < usable_cores():
                    self._n_threads += 1
                    Thread(target=self._work, daemon=True).start()

    def wait(self, modules: Iterable[str], capability: int) -> None:
        """Wait until modules are done that were asked for."""
        for module in modules:
            self._asked[module, capability].wait()

    def forget(self, modules: Iterable[str], capability: int) -> None:
        """Have modules that are done compiled again when they are asked for, if they are gone."""
        with self._lock:
            for module in modules:
                asked = self._asked.get((module, capability))
                if asked is not None and asked.is_set():
                    del self._asked[module, capability]

    def is_busy(self, module: str, capability: int) -> bool:
        """Return whether a module is asked for and not done yet."""
        asked = self._asked.get((module, capability))
        return asked is not None and not asked.is_set()

    def _work(self) -> None:
        while True:
            module, capability, digest = self._waiting.get()
            folder, target = folders()[-1], f"sm_{capability}"
            trouble = compile_apart(folder, digest, target, module)
            note_trouble(folder, digest, target, module, trouble)
            drop_old(folder)
            if trouble:
                self.troubles[module, capability] = trouble
            self._asked[module, capability].set()


def compile_apart(folder: Path, digest: str, target: str, module: str) -> str:
    """Have a module compiled by another process, which may crash; returns what went wrong."""
    try:
        done = subprocess.run(compile_command(folder, target, module), capture_output=True)
    except OSError as error:
        return str(error)
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip()
        return told or f"the compiler ended with status {done.returncode}"
    if not place_of(folder, digest, target, module).is_file():
        return f"the compiler has left nothing in {folder}"
    return ""


def compile_command(folder: Path, target: str, module: str) -> list[str]:
    """Return the command that compiles a module into a folder."""
    code = "import sys; from arcbatt.engine import kernels; kernels.compile_here(*sys.argv[1:])"
    return [sys.executable, "-c", code, str(folder), target, module]


compilers = Compilers()


def _after_fork() -> None:
    """A process that was forked has none of the threads."""
    global compilers
    compilers = Compilers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
