"""NVIDIA's run-time compiler, which needs no GPU."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# Versions of the library that are known to compile the kernels, by the major number of CUDA.
VERSIONS = (12, 13)
REMEDY = "install it with pip install nvidia-cuda-nvrtc-cu12, or with a CUDA toolkit"


class NvrtcError(RuntimeError):
    """The compilation failed; the message says why."""


def compile_source(name: str, source: str, options: Sequence[str], target: str) -> bytes:
    """Compile to machine code (target `sm_90`, for example) or to PTX (`compute_75`)."""
    library = _library()
    program = ctypes.c_void_p()
    text = source.encode()
    library.nvrtcCreateProgram(ctypes.byref(program), text, name.encode(), 0, None, None)
    try:
        words = [*options, f"-arch={target}"]
        given = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        status = library.nvrtcCompileProgram(program, len(words), given)
        if status:
            raise NvrtcError(_read(program, "ProgramLog").rstrip(b"\0").decode(errors="replace"))
        return _read(program, "CUBIN" if target.startswith("sm_") else "PTX")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def version() -> str:
    """Return the compiler's version; raise NvrtcError if there is none."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def oldest() -> int:
    """Return the lowest compute capability that the compiler supports, 75 for 7.5."""
    n = ctypes.c_int()
    _library().nvrtcGetNumSupportedArchs(ctypes.byref(n))
    kinds = (ctypes.c_int * n.value)()
    _library().nvrtcGetSupportedArchs(kinds)
    return int(min(kinds))


def _read(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(_library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    content = ctypes.create_string_buffer(size.value)
    getattr(_library(), f"nvrtcGet{what}")(program, content)
    return content.raw


@cache
def _library() -> ctypes.CDLL:
    for path in _candidates():
        # The loader does not look for this dependency in a package's folder.
        for dependency in sorted(Path(path).parent.glob("libnvrtc-builtins.so.*")):
            with suppress(OSError):
                ctypes.CDLL(str(dependency))
        with suppress(OSError):
            return ctypes.CDLL(path)
    raise NvrtcError(f"NVIDIA's run-time compiler (libnvrtc) was not found; {REMEDY}")


def _candidates() -> Iterator[str]:
    """Yield possible paths of the library; CuPy's own comes first, since it fits the driver."""
    with suppress(Exception):  # CuPy raises various exceptions if it finds none
        from cupy.cuda import nvrtc

        yield f"libnvrtc.so.{nvrtc.getVersion()[0]}"
    packages = find_spec("nvidia")
    for folder in packages.submodule_search_locations or () if packages else ():
        for major in VERSIONS:
            for place in ("cuda_nvrtc", f"cu{major}"):
                yield str(Path(folder) / place / "lib" / f"libnvrtc.so.{major}")
    toolkits = [os.environ.get(name) for name in ("CUDA_PATH", "CUDA_HOME")]
    for major in VERSIONS:
        yield f"libnvrtc.so.{major}"
        for toolkit in (*filter(None, toolkits), "/usr/local/cuda"):
            yield str(Path(toolkit) / "lib64" / f"libnvrtc.so.{major}")
