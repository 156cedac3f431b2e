"""Helpers for tests of GPU runs."""

from __future__ import annotations

import numpy as np
import pytest

from arcbatt.engine.gpu import devices as gpu
from arcbatt.engine.gpu.calibration import Prediction
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget
from arcbatt.tasks import load

SMALL = Budget(steps=200_000, bytes=2**22)
ARRAYS = ("reasons", "matches", "hashes", "steps", "numbers")


def n_gpus() -> int:
    try:
        return gpu.device_count()
    except gpu.GpuError:
        return 0


needs_gpu = pytest.mark.gpu  # skipped by conftest on machines without a GPU


def training_samples(n: int) -> Samples:
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")[:n]]
    return Samples(inputs, inputs, [((grid, grid),) for grid in inputs])


def check_equal(got: BattResult, wanted: BattResult) -> None:
    for name in ARRAYS:
        assert (getattr(got, name) == getattr(wanted, name)).all(), name


def kept_words(result: BattResult) -> dict[int, bytes]:
    """Return the words of kept values by cell."""
    found: dict[int, bytes] = {}
    for words, cells, starts in result._kept or ():
        order = starts.argsort()
        parts = np.split(words, starts[order])[1:]
        found.update(zip(cells[order].tolist(), map(np.ndarray.tobytes, parts), strict=True))
    return found


# Functions of functions, over containers of containers.
NESTED = """
def f(I):
    a = objects(I, T, F, T)
    b = apply(lbind(apply, compose(invert, first)), apply(toindices, a))
    c = apply(fork(mapply, lbind(lbind, shift), compose(initset, ulcorner)), a)
    d = mapply(fork(connect, first, last), product(ofcolor(I, 0), corners(ofcolor(I, 0))))
    e = order(a, chain(even, size, delta))
    g = pair(b, c)
    h = pair(initset(d), e)
    k = repeat(c_iz_n(S, palette, size), valmax(initset(T), identity))
    return pair(pair(g, h), pair(k, k))
"""


EXPECTED = Prediction(
    n_threads=1,
    thread_s=0.0,
    cpu_sample_s=1e-6,
    left_out_sample_s=0.0,
    gpu_fixed_s=0.0,
    gpu_sample_s=1e-9,
)
