"""A GPU that fails, leaves results undone or is missing: the CPU runs instead."""

from __future__ import annotations

import sys
from ctypes import CDLL
from typing import Any

import numpy as np
import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import device_memory, device_run, kernels
from arcbatt.engine.gpu.run import GpuPart, GpuRun
from arcbatt.language import parse_program
from arcbatt.library import library_programs
from bench.random_programs import random_program
from tests.support import emulated_gpu
from tests.support.gpu import ARRAYS, SMALL, check_equal, n_gpus, training_samples


@pytest.mark.usefixtures("on_cpu")
def test_the_cpu_runs_if_a_kernel_cannot_be_started(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return hmirror(I)\n")]), training_samples(5)
    driver = emulated_gpu.driver(library_of_kernels, launch="refuse_kernel")
    monkeypatch.setattr(kernels, "driver", lambda: driver)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: 719"):
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    assert dict(got.ran_on) == {"cpu": 5}


@pytest.mark.usefixtures("on_cpu")
def test_the_cpu_runs_if_kernels_cannot_be_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return hmirror(I)\n")]), training_samples(5)

    def load_nothing(*_arguments: Any) -> None:
        raise kernels.KernelError("grids_1: no compiler")

    monkeypatch.setattr(kernels, "load", load_nothing)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: grids_1: no compiler"):
        got = batt.run(samples, SMALL, device="cuda")
    assert dict(got.ran_on) == {"cpu": 5}


@pytest.mark.usefixtures("on_cpu")
def test_the_cpu_runs_if_the_device_has_failed_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return hmirror(I)\n")]), training_samples(5)
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError

    def no_memory(*_arguments: Any) -> Any:
        raise error("an illegal memory access was encountered")

    # Such a device has no memory of the host to give either.
    monkeypatch.setattr(device_memory, "new_array", no_memory)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: an illegal memory access"):
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    assert dict(got.ran_on) == {"cpu": 5}


@pytest.mark.usefixtures("on_cpu")
def test_a_device_that_fails_midway_changes_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batt = Batt([solver.program for solver in library_programs()][::4])
    samples = training_samples(6)
    wanted = batt.run(samples, SMALL, device="cpu")
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError
    real, n_left = device_run.DeviceRun._give_memory, iter(range(3))

    def failing(run: device_run.DeviceRun, *needs: Any) -> Any:
        if next(n_left, None) is None:
            raise error("an illegal memory access was encountered")
        return real(run, *needs)

    # Every stage has to ask for memory.
    monkeypatch.setattr(device_run, "HOST_BYTES", 1)
    monkeypatch.setattr(device_run.DeviceRun, "_give_memory", failing)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: an illegal memory access"):
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": wanted.reasons.size}


@pytest.mark.usefixtures("on_cpu")
def test_results_before_a_failure_are_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(70)
    wanted = batt.run(samples, SMALL, device="cpu")
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError
    real, sizes = device_run.DeviceRun._start_chunk, []

    def chunk(run: device_run.DeviceRun, cupy: Any, chosen: Any, memory: Any) -> Any:
        sizes.append(chosen.size)
        if len(sizes) == 3:
            run.arrays.hashes[:, :32] = 7  # as if copies were incomplete
            raise error("the card has fallen off the bus")
        return real(run, cupy, chosen, memory)

    monkeypatch.setattr(device_run, "EXPECTED_CALL_BYTES", 2**40)
    monkeypatch.setattr(device_run.DeviceRun, "_start_chunk", chunk)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: the card has fallen"):
        got = batt.run(samples, SMALL, device="cuda")
    assert sizes == [32, 32, 6]
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": 70}


@pytest.mark.skipif(n_gpus() > 0, reason="needs a machine without a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_without_a_gpu_the_cpu_runs_with_a_warning(device: str) -> None:
    batt, samples = Batt([random_program(seed, 10) for seed in range(60)]), training_samples(40)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead"):
        got = batt.run(samples, SMALL, device=device)
    assert dict(got.ran_on) == {"cpu": 2400}
    check_equal(got, batt.run(samples, SMALL, device="cpu"))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.skipif(n_gpus() > 0, reason="needs a machine without a GPU")
def test_without_a_gpu_auto_runs_on_the_cpu_without_a_warning() -> None:
    got = Batt([parse_program("def f(I):\n    return I\n")]).run(training_samples(3))
    assert dict(got.ran_on) == {"cpu": 3}


# With a GPU that runs a random part of the programs.
def test_the_cpu_finishes_what_a_gpu_leaves_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [random_program(seed, 10) for seed in range(30)]
    samples = training_samples(20)
    batt = Batt(programs)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    rng = np.random.default_rng(0)
    left = rng.random(wanted.reasons.shape) < 0.2
    left[np.setdiff1d(np.arange(len(programs)), batt.plan.programs)] = True

    def run_some(run: GpuRun, device: int, *_range: int) -> GpuPart:
        for name in ARRAYS:
            getattr(run.arrays, name)[~left] = getattr(wanted, name)[~left]
        return GpuPart(device, int((~left).sum()), list(wanted._kept or ()))

    monkeypatch.setattr("arcbatt.engine.batt.find_devices", lambda _device: [0])
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(GpuRun, "run_on", run_some)
    got = batt.run(samples, SMALL, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": int((~left).sum()), "cpu": int(left.sum())}
    for program in range(len(programs)):
        for sample in range(len(samples)):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)
