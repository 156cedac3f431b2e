"""Memory of a GPU: little memory, exhausted memory, and samples that stay there."""

from __future__ import annotations

import ctypes
import sys
from ctypes import CDLL
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arcbatt.engine import _engine
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import device_memory, device_run, kernels
from arcbatt.language import Budget, parse_program
from arcbatt.library import library_programs
from bench.random_programs import random_program
from tests.support import emulated_gpu
from tests.support.gpu import (
    NESTED,
    SMALL,
    check_equal,
    kept_words,
    needs_gpu,
    training_samples,
)


@pytest.mark.usefixtures("on_cpu")
def test_steps_continue_once_they_have_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(5)
    usual = sys.getswitchinterval()
    for n_bytes in (1, 5000):
        monkeypatch.setattr(device_run, "HOST_BYTES", n_bytes)
        monkeypatch.setattr(device_run, "DEVICE_BYTES", n_bytes)
        check_equal(batt.run(samples, SMALL, device="cuda"), batt.run(samples, SMALL, device="cpu"))
    assert sys.getswitchinterval() == usual


@pytest.mark.usefixtures("on_cpu")
def test_too_many_elements_are_run_in_smaller_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(9)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(device_run, "MAX_ELEMENTS", 150)
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert 0 < got.ran_on["cuda:0"] < 9


N_COUNTING, A_BLOCK = 1024, 8192  # threads, and what they add up


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    """Compile the kernels that count elements, with blocks as large as on a GPU."""
    return emulated_gpu.compile_counting(tmp_path_factory.mktemp("counting"), N_COUNTING)


def add_up(library: CDLL, counts: NDArray[np.int64], n_blocks: int) -> NDArray[np.uint32]:
    """Return the prefix sums of numbers, and their total, computed by several blocks."""
    given, firsts = counts.astype(np.uint32), np.full(len(counts) + 1, 77, np.uint32)
    words = (ctypes.c_void_p * 4)(given.ctypes.data, firsts.ctypes.data, len(counts), 0)
    library.run_blocks(library.add_counts, n_blocks, words)
    return firsts


def check_sums(library: CDLL, counts: NDArray[np.int64], n_blocks: int) -> None:
    # Not as lists: to say where thousands of numbers differ would take pytest minutes.
    wanted = np.concatenate([[0], np.cumsum(counts)])
    np.testing.assert_array_equal(add_up(library, counts, n_blocks), wanted)


@pytest.mark.parametrize(
    "n", [0, 1, 31, 33, 255, 256, 257, A_BLOCK - 1, A_BLOCK, 3 * A_BLOCK + 300]
)
def test_numbers_of_elements_are_added_up(counting: CDLL, n: int) -> None:
    counts = np.random.default_rng(n).integers(0, 2000, n)
    check_sums(counting, counts, max(1, -(-n // A_BLOCK)))
    check_sums(counting, counts, 1)  # all parts in turn
    if n <= A_BLOCK:  # a block too many has nothing to do
        check_sums(counting, counts, 2)


@pytest.mark.parametrize("place", [0, 40, 1023, A_BLOCK + 5])
@pytest.mark.parametrize("large", [2**30 - 1, 2**30, 2**31, 2**32 - 1])
def test_numbers_of_elements_are_added_up_to_a_limit(
    counting: CDLL, large: int, place: int
) -> None:
    counts = np.zeros(2 * A_BLOCK, np.int64)
    counts[place] = large
    for more in (0, 1, 2**31):
        counts[place + 7] = more
        if large + more < 2**30:
            check_sums(counting, counts, 2)
        assert add_up(counting, counts, 2)[-1] == min(large + more, 2**30)
    assert add_up(counting, np.full(2 * A_BLOCK, large), 2)[-1] == 2**30


PICK = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_uint32)] * 3, ctypes.c_uint64)


@pytest.mark.usefixtures("on_cpu")
def test_uncountable_elements_are_run_in_smaller_chunks(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(9)
    wanted = batt.run(samples, SMALL, device="cpu")
    real, n_calls = kernels.address, []
    pick = PICK(emulated_gpu.address_in(library_of_kernels, "pick"))

    @PICK
    def pick_beyond(sums: Any, places: Any, picked: Any, n: int) -> None:
        pick(sums, places, picked, n)
        n_calls.append(n)
        if len(n_calls) < 4:
            picked[n - 1] = 2**30

    def address(device: int, name: str) -> int:
        beyond = ctypes.cast(pick_beyond, ctypes.c_void_p).value or 0
        return beyond if name == "pick" else real(device, name)

    monkeypatch.setattr(kernels, "address", address)
    check_equal(batt.run(samples, SMALL, device="cuda"), wanted)
    assert len(n_calls) > 4


@pytest.mark.usefixtures("on_cpu")
def test_too_little_memory_leaves_work_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()][::2])
    samples = training_samples(20)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(device_memory, "POOL_SHARE", 0.0)
    monkeypatch.setattr(device_memory, "MIN_POOL_BYTES", 2**20)
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cpu"] > 0


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("times", [4, 25])
def test_memory_may_run_out_anywhere(times: int, library_of_kernels: Any) -> None:
    programs = [solver.program for solver in library_programs()][times % 4 :: 4]
    programs += [random_program(seed, 10, well_typed=seed % 3 > 0) for seed in range(80)]
    batt, samples = Batt(programs), training_samples(8)
    budget = Budget(steps=1_000_000, bytes=2**24)
    wanted = batt.run(samples, budget, device="cpu")
    library_of_kernels.run_short(times)
    try:
        got = batt.run(samples, budget, device="cuda")
    finally:
        library_of_kernels.run_short(0)
    check_equal(got, wanted)
    assert got.ran_on["cpu"] > 0 and got.ran_on["cuda:0"] > 0


@pytest.mark.usefixtures("on_cpu")
def test_chunks_shrink_if_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(9)
    wanted = batt.run(samples, SMALL, device="cpu")
    real, sizes = device_run.DeviceRun._start_chunk, []

    def chunk(run: device_run.DeviceRun, cupy: Any, chosen: Any, memory: Any) -> Any:
        sizes.append(chosen.size)
        if chosen.size > 2 or 4 in chosen:
            raise MemoryError("out of memory")
        return real(run, cupy, chosen, memory)

    monkeypatch.setattr(device_run.DeviceRun, "_start_chunk", chunk)
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": 8, "cpu": 1}
    assert sorted(set(sizes))[-3:] == [4, 5, 9]


# A program that the CPU runs, so that it writes results, too.
LEFT_OUT = "def g(I):\n    return rapply(totuple(initset(hmirror)), I)\n"


@pytest.mark.usefixtures("on_cpu")
def test_the_cpu_runs_samples_whose_values_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([parse_program("def f(I):\n    return rot90(I)\n"), parse_program(LEFT_OUT)])
    samples = training_samples(5)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    cupy, real = sys.modules["cupy"], device_run.DeviceRun._finish
    empty = cupy.empty

    def finish(run: device_run.DeviceRun, module: Any, chunk: Any) -> Any:
        def too_large(shape: Any, dtype: Any) -> Any:
            if dtype is cupy.int32 and 3 in chunk.chosen:
                raise MemoryError("out of memory")
            return empty(shape, dtype)

        monkeypatch.setattr(cupy, "empty", too_large)
        try:
            return real(run, module, chunk)
        finally:
            monkeypatch.setattr(cupy, "empty", empty)

    monkeypatch.setattr(device_run.DeviceRun, "_finish", finish)
    got = batt.run(samples, SMALL, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert kept_words(got) == kept_words(wanted)
    assert dict(got.ran_on) == {"cuda:0": 4, "cpu": 6}


@pytest.mark.usefixtures("on_cpu")
def test_the_cpu_runs_programs_whose_values_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [solver.program for solver in library_programs()][::8]
    batt, samples = Batt([*programs, parse_program(LEFT_OUT)]), training_samples(8)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(device_memory, "POOL_SHARE", 0.0)
    monkeypatch.setattr(device_memory, "MIN_POOL_BYTES", 2**19)
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert 0 < got.ran_on["cuda:0"] < len(samples) * batt.plan.programs.size


@pytest.mark.usefixtures("on_cpu")
def test_runs_that_start_together_share_the_plan_of_a_batt(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([parse_program("def f(I):\n    return rot90(I)\n")])
    there = device_memory.GpuBatt(batt.fused, batt.plan, 1)
    real, others = device_memory.GpuImage, []

    def image(packed: Any, device: int) -> Any:
        if not others:  # as if another run came first in the middle of this one
            others.append(None)
            others.append(there.on(device))
        return real(packed, device)

    monkeypatch.setattr(device_memory, "GpuImage", image)
    first = there.on(0)
    assert first == others[1] == there.on(0)


@pytest.mark.usefixtures("on_cpu")
def test_samples_stay_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([parse_program("def f(I):\n    return rot90(I)\n")])
    made: list[int] = []
    real = device_memory.GpuImage

    def image(packed: Any, device: int) -> Any:
        made.append(isinstance(packed, _engine.Samples))
        return real(packed, device)

    monkeypatch.setattr(device_memory, "GpuImage", image)
    for n in (5, 5, 6):  # made anew each time, twice with the same content
        batt.run(training_samples(n), device="cuda")
    assert sum(made) == 2
    # There is room for the latest alone.
    monkeypatch.setattr(device_memory, "IMAGES_SHARE", 0.0)
    batt.run(training_samples(7), device="cuda")
    assert len(device_memory._images) == 1
    device_memory.forget(training_samples(7))
    assert not device_memory._images
    batt.run(training_samples(7), device="cuda")
    device_memory.release_cached(0)
    assert not device_memory._images
    assert not device_memory._idle


@needs_gpu
def test_chunks_and_a_small_memory_change_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()])
    samples = training_samples(150)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(device_memory, "POOL_SHARE", 1e-9)
    monkeypatch.setattr(device_memory, "MIN_POOL_BYTES", 64 * 2**20)
    check_equal(batt.run(samples, SMALL, device="cuda"), wanted)
