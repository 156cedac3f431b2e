"""An emulated GPU: the kernels compiled for the CPU, and the parts of CuPy that runs need.

Tests of whole GPU runs (plan, launches, memory, phases) need no GPU. One block runs each kernel,
and its threads take turns (warp_on_cpu.hpp).
"""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.gpu import device_memory, device_run, kernels
from arcbatt.engine.gpu import devices as gpu

HERE = Path(__file__).parent
# Small, so that calls of tests are left to wide lanes, and more than fit their list.
LARGE, MAX_LARGE = 300, 20
# Small, so that calls need more than one page.
PAGE_BYTES = 2048
# A block has two warps, to test the communication between warps.
WIDE_THREADS = 64
# Functions that wide lanes never call, but that the headers need.
OF_WARPS = """
namespace arc {
u32 ballot(bool) { abort(); }
u32 shuffle(u32, int) { abort(); }

}
"""


class KernelLibrary(ctypes.CDLL):
    """The kernels for warps; those for wide lanes are in a library of their own."""

    wide: ctypes.CDLL

    def run_short(self, times: int) -> None:
        """Let memory run out in one of `times` requests of lanes; never for 0."""
        for library in (self, self.wide):
            library.have_run_short(times)


def compile_kernels(folder: Path) -> KernelLibrary:
    """Compile all kernels."""
    modules = kernels.modules()
    wide = [name for name in modules if name.startswith(kernels.WIDE)]
    changed = {
        "LARGE": LARGE,
        "MAX_LARGE": MAX_LARGE,
        "PAGE_BYTES": PAGE_BYTES,
        "WIDE_THREADS": kernels.WIDE_THREADS,
        "STEP_THREADS": kernels.BLOCK_THREADS,
    }
    of_block = {"BLOCK_THREADS": WIDE_THREADS, "LANE_THREADS": WIDE_THREADS}
    kernels_of_wide = kernels.lines(k for m in wide for k in modules[m])
    content = (kernels.INCLUDE / "kernel.cu").read_text("utf-8")
    lines = [content, OF_WARPS, *kernels_of_wide]
    blocks = _compile(folder / "wide.so", lines, changed | of_block)
    others = kernels.lines(k for m in modules if m not in wide for k in modules[m])
    of_warp = {"BLOCK_THREADS": 32, "COMMON": 1}
    warps = _compile(folder / "kernels.so", [content, *others], changed | of_warp)
    warps.use_for_wide(ctypes.c_void_p(address_in(blocks, "run_block")))
    warps.wide = blocks
    return warps


def compile_counting(folder: Path, n_threads: int) -> ctypes.CDLL:
    """Compile the kernels that count elements, for blocks of `n_threads`."""
    macros = {"BLOCK_THREADS": n_threads, "WIDE_THREADS": 0, "STEP_THREADS": 0}
    return _compile(folder / "counting.so", ['#include "counting.cu"'], macros)


def _compile(target: Path, lines: list[str], macros: dict[str, int]) -> KernelLibrary:
    source = target.with_suffix(".cpp")
    source.write_text("\n".join(['#include "warp_on_cpu.hpp"', *lines]) + "\n", "utf-8")
    definitions = kernels.definitions(kernels.COMMON)
    for name, value in macros.items():
        definitions += [f"-UARC_{name}", f"-DARC_{name}={value}"]
    options = ["-std=c++17", "-O0", "-shared", "-fPIC", "-w", *definitions]
    options += ["-I", str(kernels.INCLUDE), "-I", str(HERE)]
    subprocess.run(["g++", *options, "-o", target, source], check=True)
    return KernelLibrary(str(target))


class _Array(np.ndarray[Any, Any]):
    """An array of the emulated device."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return types.SimpleNamespace(ptr=self.ctypes.data)

    def get(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        if out is None:
            return np.array(self)
        out[...] = self
        return out

    def set(self, content: NDArray[Any]) -> None:
        self[...] = content


def _of(array: NDArray[Any]) -> Any:
    return array.view(_Array)


class _Nothing:
    """A context, device, stream or pool that does nothing."""

    done = True
    ptr = 0
    attributes = {"MultiProcessorCount": 1}  # noqa: RUF012
    mem_info = (2**30, 2**30)

    def __init__(self, *_arguments: Any, **_options: Any) -> None: ...
    def __enter__(self) -> _Nothing:
        return self

    def __exit__(self, *_error: Any) -> None: ...
    def record(self) -> None: ...
    def synchronize(self) -> None: ...
    def free_all_blocks(self) -> None: ...


class _Numbered(_Nothing):
    """An event, or a stream other than the current one."""

    _numbers = itertools.count(1)

    def __init__(self, *_arguments: Any, **_options: Any) -> None:
        self.ptr = next(self._numbers)


class _Error(RuntimeError): ...


def _copy_rows(
    to: int, to_pitch: int, from_: int, pitch: int, width: int, height: int, *_: Any
) -> None:
    for row in range(height):
        ctypes.memmove(to + row * to_pitch, from_ + row * pitch, width)


def fake_cupy() -> Any:
    """Return a replacement of the module `cupy`."""
    runtime = types.SimpleNamespace(
        CUDARuntimeError=_Error,
        deviceSetLimit=lambda *_: None,
        getDeviceCount=lambda: 1,
        memcpyAsync=lambda to, from_, n_bytes, *_: ctypes.memmove(to, from_, n_bytes),
        memcpy2DAsync=_copy_rows,
        memsetAsync=lambda to, value, n_bytes, *_: ctypes.memset(to, value, n_bytes),
    )
    cuda = types.SimpleNamespace(
        Device=_Nothing,
        Event=_Numbered,
        Stream=_Numbered,
        runtime=runtime,
        driver=types.SimpleNamespace(CUDADriverError=_Error),
        compiler=types.SimpleNamespace(CompileException=_Error),
        memory=types.SimpleNamespace(OutOfMemoryError=MemoryError),
        get_current_stream=_Nothing,
        get_elapsed_time=lambda _before, _after: 1.0,
    )
    made = types.ModuleType("cupy")
    made.__version__ = "0"  # type: ignore[attr-defined]
    made.__dict__.update(
        cuda=cuda,
        empty=lambda shape, dtype: _of(np.full(shape, 0x5A5A5A5A % 251, dtype)),
        zeros=lambda shape, dtype: _of(np.zeros(shape, dtype)),
        array=lambda content, dtype: _of(np.array(content, dtype)),
        asarray=lambda content: _of(np.array(content)),
        get_default_memory_pool=_Nothing,
        **{name: getattr(np, name) for name in ("uint8", "uint32", "uint64", "int32", "int64")},
    )
    return made


def address_in(library: ctypes.CDLL, name: str) -> int:
    """Return the address of a function in the library, or in that for wide lanes."""
    if name.startswith(kernels.WIDE):
        assert isinstance(library, KernelLibrary)
        library = library.wide
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def driver(
    library: ctypes.CDLL, launch: str = "launch_kernel", query: str = "query_event"
) -> _engine.Driver:
    """Return a driver that runs everything immediately."""
    names = (launch, "record_event", "wait_for_event", "copy_bytes", "fill_bytes", query)
    return _new_driver(address_in(library, name) for name in names)


def _new_driver(addresses: Iterable[int]) -> _engine.Driver:
    names = ("launch", "record", "wait", "copy", "fill", "query")
    return _engine.Driver(**dict(zip(names, addresses, strict=True)))


class LateDriver:
    """A driver that delays all work: streams progress in any order that events allow.

    If a run does not wait for something that it needs, that will sometimes be missing.
    """

    _LAUNCH = ctypes.CFUNCTYPE(
        ctypes.c_int,
        *(ctypes.c_void_p, *[ctypes.c_uint] * 7, ctypes.c_void_p),
        *(ctypes.POINTER(ctypes.POINTER(ctypes.c_uint64)), ctypes.c_void_p),
    )
    _OF_EVENT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64)
    _WAIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint)
    _COPY = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint64
    )
    _FILL = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_uint64, ctypes.c_ubyte, ctypes.c_size_t, ctypes.c_uint64
    )
    _QUERY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)

    def __init__(self, library: ctypes.CDLL, seed: int) -> None:
        self._library = library
        self._rng = np.random.default_rng(seed)
        self._queues: dict[int, deque[tuple[str, Any]]] = defaultdict(deque)
        self._n_records: Counter[int] = Counter()  # requested, by event
        self._n_reached: Counter[int] = Counter()  # done, by event
        self.n_calls: Counter[str] = Counter()
        self._functions = (
            self._LAUNCH(self._launch),
            self._OF_EVENT(self._record),
            self._WAIT(self._wait),
            self._COPY(self._copy),
            self._FILL(self._fill),
            self._QUERY(self._query),
        )

    def driver(self) -> _engine.Driver:
        """Return the functions of this driver."""
        return _new_driver(ctypes.cast(f, ctypes.c_void_p).value or 0 for f in self._functions)

    def _put(self, stream: int, name: str, what: Any) -> int:
        self._queues[stream].append((name, what))
        self.n_calls[name] += 1
        if self._rng.random() < 0.3:
            self._go_on()
        return 0

    def _launch(self, kernel: int, *given: Any) -> int:
        *sizes, stream, parameters, _ = given
        words = [parameters[k][0] for k in range(4)]

        def run() -> None:
            array = (ctypes.c_uint64 * 4)(*words)
            step = ctypes.sizeof(ctypes.c_uint64)
            start = ctypes.addressof(array)
            places = (ctypes.c_void_p * 4)(*(start + step * k for k in range(4)))
            launch = self._library.launch_kernel
            launch(ctypes.c_void_p(kernel), *map(ctypes.c_uint, sizes), None, places, None)

        return self._put(stream or 0, "launch", run)

    def _record(self, event: int, stream: int) -> int:
        self._n_records[event] += 1
        return self._put(stream, "record", (event, self._n_records[event]))

    def _wait(self, stream: int, event: int, _flags: int) -> int:
        return self._put(stream, "wait", (event, self._n_records[event]))

    def _copy(self, to: int, from_: int, n_bytes: int, stream: int) -> int:
        return self._put(stream, "copy", lambda: ctypes.memmove(to, from_, n_bytes))

    def _fill(self, to: int, value: int, n_bytes: int, stream: int) -> int:
        return self._put(stream, "fill", lambda: ctypes.memset(to, value, n_bytes))

    def _query(self, event: int) -> int:
        self._go_on()
        return 0 if self._n_reached[event] >= self._n_records[event] else 600

    def _go_on(self) -> None:
        """Run the next operation of a random stream that is not waiting."""
        streams = [stream for stream, queue in self._queues.items() if queue]
        for stream in self._rng.permutation(streams).tolist():
            name, what = self._queues[stream][0]
            if name == "wait" and self._n_reached[what[0]] < what[1]:
                continue
            self._queues[stream].popleft()
            if name == "record":
                self._n_reached[what[0]] = max(self._n_reached[what[0]], what[1])
            elif name != "wait":
                what()
            return


# --- for tests ---


@pytest.fixture(scope="session")
def library_of_kernels(tmp_path_factory: pytest.TempPathFactory) -> KernelLibrary:
    """Compile all kernels once for all tests."""
    return compile_kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def on_cpu(library_of_kernels: KernelLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    """Send runs on a GPU to the emulated device."""
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy())

    def address(_device: int, name: str) -> int:
        return address_in(library_of_kernels, name)

    def wide_address(_device: int, name: str) -> int:
        wide = kernels.wide_kernel(name)
        return address(0, wide) if wide else 0

    monkeypatch.setattr(kernels, "address", address)
    monkeypatch.setattr(kernels, "wide_address", wide_address)
    emulated = driver(library_of_kernels)
    monkeypatch.setattr(kernels, "driver", lambda: emulated)
    monkeypatch.setattr(kernels, "load", lambda *_: None)
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(gpu, "_look_for_devices", lambda: (1, ""))
    monkeypatch.setattr(device_memory, "_idle", {})
    monkeypatch.setattr(device_memory, "_images", OrderedDict())
    monkeypatch.setattr(device_run, "_idle_streams", {})
    # Few threads, so that lanes take several items at a time.
    monkeypatch.setattr(device_run, "THREADS_PER_SM", 128)
