"""A device that is no GPU: the kernels compiled for the CPU, and as much of CuPy as runs need.

So the whole way of a run on a GPU (plan, launches, memory, phases) is tested where there is none.
A kernel is run by one thread that takes all its items.
"""

from __future__ import annotations

import ctypes
import subprocess
import types
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine import kernels

SHIM = """
#include "platform.hpp"
#define __global__
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define __syncthreads()
struct Index { unsigned x; };
static const Index threadIdx = {0}, blockIdx = {0}, gridDim = {1}, blockDim = {1};
template <class T, class U>
inline T atomicAdd(T* to, U more) { T before = *to; *to += more; return before; }
namespace arc { inline u32 shuffle(u32 value, int) { return value; } }
// As cuLaunchKernel, of a kernel that takes four words at most; events need not be waited for.
extern "C" int launch_kernel(void (*kernel)(long, long, long, long), unsigned, unsigned, unsigned,
                             unsigned, unsigned, unsigned, unsigned, void*,
                             void** given, void**) {
  kernel(*(long*)given[0], *(long*)given[1], *(long*)given[2], *(long*)given[3]);
  return 0;
}
extern "C" int refuse_kernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, void*, void**, void**) {
  return 719;
}
extern "C" int record_event(void*, void*) { return 0; }
extern "C" int wait_for_event(void*, void*, unsigned) { return 0; }
extern "C" int copy_bytes(void* to, const void* from, unsigned long n_bytes, void*) {
  __builtin_memcpy(to, from, n_bytes);
  return 0;
}
extern "C" int fill_bytes(void* to, unsigned char value, unsigned long n_bytes, void*) {
  __builtin_memset(to, value, n_bytes);
  return 0;
}
"""


def compile_kernels(folder: Path) -> ctypes.CDLL:
    """Compile all kernels into one library."""
    lines = [SHIM, "#define ARC_COMMON"]
    lines.append((kernels.INCLUDE / "kernel.cu").read_text("utf-8"))
    for names in kernels.modules().values():
        lines += kernels.lines(names)
    source, target = folder / "kernels.cpp", folder / "kernels.so"
    source.write_text("\n".join(lines) + "\n", "utf-8")
    # So that the calls of tests are large enough for wide lanes, and too many of them, too.
    changed = {"LARGE": 300, "MAX_LARGE": 20}
    definitions = kernels.definitions(kernels.COMMON)
    definitions += [f"-UARC_{name}" for name in changed]
    definitions += [f"-DARC_{name}={value}" for name, value in changed.items()]
    options = ["-std=c++17", "-O0", "-shared", "-fPIC", "-w", *definitions]
    subprocess.run(["g++", *options, "-I", kernels.INCLUDE, "-o", target, source], check=True)
    return ctypes.CDLL(str(target))


class _Array(np.ndarray[Any, Any]):
    """An array that calls its own memory the device's."""

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
    """A context, an event, a stream."""

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


class _Error(Exception): ...


def fake_cupy() -> Any:
    """Return what stands for the module `cupy`."""
    runtime = types.SimpleNamespace(
        CUDARuntimeError=_Error,
        deviceSetLimit=lambda *_: None,
        getDeviceCount=lambda: 1,
        memcpyAsync=lambda to, from_, n_bytes, *_: ctypes.memmove(to, from_, n_bytes),
    )
    cuda = types.SimpleNamespace(
        Device=_Nothing,
        Event=_Nothing,
        Stream=_Nothing,
        runtime=runtime,
        driver=types.SimpleNamespace(CUDADriverError=_Error),
        compiler=types.SimpleNamespace(CompileException=_Error),
        memory=types.SimpleNamespace(OutOfMemoryError=MemoryError),
        get_current_stream=_Nothing,
        get_elapsed_time=lambda _before, _after: 1.0,
    )
    made = types.ModuleType("cupy")
    made.__dict__.update(
        cuda=cuda,
        empty=lambda shape, dtype: _of(np.full(shape, 0x5A5A5A5A % 251, dtype)),
        zeros=lambda shape, dtype: _of(np.zeros(shape, dtype)),
        array=lambda content, dtype: _of(np.array(content, dtype)),
        asarray=lambda content: _of(np.array(content)),
        cumsum=lambda a: _of(np.cumsum(a)),
        get_default_memory_pool=_Nothing,
        **{name: getattr(np, name) for name in ("uint8", "uint32", "uint64", "int32", "int64")},
    )
    return made


def address_in(library: ctypes.CDLL, name: str) -> int:
    """Return where a function of the library is."""
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0


def driver_functions(library: ctypes.CDLL, launch: str = "launch_kernel") -> NDArray[np.uint64]:
    """Return what stands for `kernels.driver_functions`."""
    names = (launch, "record_event", "wait_for_event", "copy_bytes", "fill_bytes")
    return np.array([address_in(library, name) for name in names], np.uint64)
