"""Runs on the GPU: the engine's headers compiled by CuPy, lanes run by warps."""

from __future__ import annotations

import warnings
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.language import Budget

from . import _engine
from .results import BattArrays
from .samples import Samples

INCLUDE = Path(__file__).parent / "include" / "arcbatt"
# Threads of a block, and blocks that share a multiprocessor: they bound the registers of a thread.
BLOCK_THREADS = 512
BLOCKS_A_SM = 2
# Calls nest as deep as functions do; each level takes a few hundred bytes of stack.
STACK_BYTES = 24 * 1024
MAX_ARENA_BYTES = 4 * 2**20
_WORDS_OF_BATT = 7
_STACK_LIMIT = 0  # cudaLimitStackSize


def source_digest() -> str:
    """Tells versions of the headers apart, which the compiler's cache does not look at."""
    digest = blake2b(digest_size=8)
    for path in sorted(INCLUDE.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _module() -> Any:
    import cupy

    options = (
        "-std=c++17",
        f"-I{INCLUDE}",
        f"-DARC_BLOCK_THREADS={BLOCK_THREADS}",
        f"-DARC_BLOCKS_A_SM={BLOCKS_A_SM}",
        f"-DARC_SOURCE_0x{source_digest()}",
    )
    source = (INCLUDE / "kernel.cu").read_text("utf-8")
    return cupy.RawModule(code=source, options=options, backend="nvrtc")


@cache
def _kernel(device: int) -> Any:
    """The kernel on one device, with room for its stack."""
    import cupy

    with cupy.cuda.Device(device):
        cupy.cuda.runtime.deviceSetLimit(_STACK_LIMIT, STACK_BYTES)
        return _module().get_function("run_batt")


class GpuImage:
    """A batt's or a set of samples' bytes in a device's memory."""

    def __init__(self, packed: _engine.FusedBatt | _engine.Samples, device: int) -> None:
        import cupy

        with cupy.cuda.Device(device):
            self.memory = cupy.empty(len(packed.image(0)), cupy.uint8)
            self.address: int = self.memory.data.ptr
            self.content = packed.image(self.address)
            self.memory.set(np.frombuffer(self.content, np.uint8))


def run_batt(
    batt: _engine.FusedBatt,
    samples: Samples,
    n_nodes: int,
    budget: Budget,
    device: int,
    arrays: BattArrays,
) -> NDArray[np.int64]:
    """All programs on all samples, into the arrays; returns the samples that were not run.

    Those are the ones whose values did not fit their lanes' memory; or all of them, with a
    warning, where the GPU cannot be used.
    """
    everything = np.arange(len(samples))
    if not everything.size or not n_nodes:
        return everything
    try:
        import cupy
    except ImportError as error:
        return _decline(everything, f"CuPy is not installed ({error})")
    try:
        return _launch(cupy, batt, samples, n_nodes, budget, device, arrays)
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        return _decline(everything, str(error))
    except (cupy.cuda.compiler.CompileException, cupy.cuda.memory.OutOfMemoryError) as error:
        return _decline(everything, str(error).splitlines()[0])


def _decline(samples: NDArray[np.int64], why: str) -> NDArray[np.int64]:
    warnings.warn(f"no GPU is used, the CPU runs instead: {why}", RuntimeWarning, stacklevel=4)
    return samples


def _launch(
    cupy: Any,
    batt: _engine.FusedBatt,
    samples: Samples,
    n_nodes: int,
    budget: Budget,
    device: int,
    arrays: BattArrays,
) -> NDArray[np.int64]:
    n_samples = len(samples)
    with cupy.cuda.Device(device) as gpu:
        kernel = _kernel(device)
        batt_image, samples_image = GpuImage(batt, device), GpuImage(samples.packed, device)
        lanes_a_block = BLOCK_THREADS // 32
        n_blocks = gpu.attributes["MultiProcessorCount"] * BLOCKS_A_SM
        n_blocks = min(n_blocks, -(-n_samples // lanes_a_block))
        n_lanes = n_blocks * lanes_a_block
        outputs = [cupy.zeros(array.shape, array.dtype) for array in arrays]
        redo = cupy.zeros(n_samples, cupy.uint8)
        queue = cupy.zeros(1, cupy.uint64)
        order = cupy.asarray(samples.order)
        slots = cupy.empty(n_lanes * n_nodes * 16, cupy.uint8)
        costs = cupy.empty(n_lanes * n_nodes * 16, cupy.uint8)
        arena_bytes = min(MAX_ARENA_BYTES, gpu.mem_info[0] // 2 // n_lanes) // 256 * 256
        arenas = cupy.empty(n_lanes * arena_bytes, cupy.uint8)
        # The fields of `Launch` in kernel.cu.
        words = [
            *np.frombuffer(batt_image.content[: 8 * _WORDS_OF_BATT], np.uint64).tolist(),
            budget.steps,
            budget.bytes,
            samples_image.address,
            order.data.ptr,
            n_samples,
            *(array.data.ptr for array in (queue, *outputs, redo, slots, costs, arenas)),
            arena_bytes,
        ]
        kernel((n_blocks,), (BLOCK_THREADS,), (cupy.array(words, cupy.uint64),))
        for array, output in zip(arrays, outputs, strict=True):
            output.get(out=array)
        return np.flatnonzero(redo.get())
