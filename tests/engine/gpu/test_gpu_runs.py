"""Runs on GPUs and the CPU: several devices, programs that GPUs leave out, interrupts."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from typing import Any

import pytest

from arcbatt.engine import batt as batt_module
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import device_run, kernels
from arcbatt.engine.gpu.calibration import Prediction, threads_beside
from arcbatt.engine.graph.results import RunArrays
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.language import parse_program
from arcbatt.library import library_programs
from arcbatt.tasks import load
from tests.support import emulated_gpu
from tests.support.gpu import EXPECTED, SMALL, check_equal, needs_gpu, training_samples

# Its function depends on data, so the CPU runs it.
LEFT_OUT = """
def f(I):
    return apply(branch(even(size(I)), size, color), objects(I, T, F, T))
"""


def expect(monkeypatch: pytest.MonkeyPatch, expected: Prediction) -> None:
    """Let `auto` use a given prediction."""
    monkeypatch.setattr(Batt, "_predict", lambda *_: expected)


def mixed_batt() -> Batt:
    """Return a batt with programs for GPUs and some that they leave out."""
    programs = [solver.program for solver in library_programs()][::4]
    programs.insert(5, parse_program(LEFT_OUT))
    batt = Batt(programs)
    assert 0 < batt.plan.programs.size < len(programs)
    return batt


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("n_devices", [1, 2, 3])
def test_the_cpu_runs_what_gpus_leave_out(monkeypatch: pytest.MonkeyPatch, n_devices: int) -> None:
    batt, samples = mixed_batt(), training_samples(20)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    monkeypatch.setattr(batt_module, "find_devices", lambda _device: [0] * n_devices)
    got = batt.run(samples, SMALL, device="cuda", n_threads=2, keep_values=True)
    check_equal(got, wanted)
    n_left_out = batt.n_programs - batt.plan.programs.size
    assert dict(got.ran_on) == {"cuda:0": 20 * batt.plan.programs.size, "cpu": 20 * n_left_out}
    for program in range(batt.n_programs):
        for sample in range(len(samples)):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@pytest.mark.usefixtures("on_cpu")
def test_there_may_be_more_devices_than_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(2)
    monkeypatch.setattr(batt_module, "find_devices", lambda _device: [0, 1, 2])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    assert dict(got.ran_on) == {"cuda:0": 1, "cuda:1": 1}


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("staged", [True, False])
def test_programs_on_tasks_have_the_same_results_on_a_gpu(
    monkeypatch: pytest.MonkeyPatch, staged: bool
) -> None:
    batt = Batt([solver.program for solver in library_programs()][::40])
    tasks = TaskSamples(load("arc-agi-1/training")[:6])
    wanted = run_on_tasks(batt, tasks, SMALL, device="cpu", staged=staged)
    expect(monkeypatch, EXPECTED)
    got = run_on_tasks(batt, tasks, SMALL, n_threads=2, staged=staged)
    for name in RunArrays._fields:
        assert (getattr(got.arrays, name) == getattr(wanted.arrays, name)).all(), name
    assert got.ran_on["cuda:0"] == batt.plan.programs.size * len(tasks)
    assert sum(got.ran_on.values()) == wanted.reasons.size


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("n_devices", [1, 2])
def test_an_unexpected_error_ends_the_run(monkeypatch: pytest.MonkeyPatch, n_devices: int) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(12)
    monkeypatch.setattr(batt_module, "find_devices", lambda _device: [0] * n_devices)

    def fail(_run: device_run.DeviceRun, *_arguments: Any) -> None:
        raise TypeError("not an error of a device")

    monkeypatch.setattr(device_run.DeviceRun, "run_samples", fail)
    with pytest.raises(TypeError, match="not an error of a device"):
        batt.run(samples, SMALL, device="cuda", n_threads=2)


@pytest.mark.usefixtures("on_cpu")
def test_concurrent_runs_on_a_device_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    batts = [Batt([solver.program]) for solver in library_programs()[:6]]
    samples = training_samples(6)
    wanted = [batt.run(samples, SMALL, device="cpu") for batt in batts]
    real = device_run.DeviceRun._run_chunks
    all_there = threading.Barrier(3)

    def noting(run: device_run.DeviceRun, *arguments: Any) -> Any:
        all_there.wait(timeout=60)  # none waits for another to end
        return real(run, *arguments)

    monkeypatch.setattr(device_run.DeviceRun, "_run_chunks", noting)
    with ThreadPoolExecutor(3) as threads:
        runs = [threads.submit(batt.run, samples, SMALL, device="cuda") for batt in batts]
        for run, right in zip(runs, wanted, strict=True):
            check_equal(run.result(), right)


@pytest.mark.usefixtures("on_cpu")
def test_the_cpu_runs_the_samples_of_a_failing_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = mixed_batt(), training_samples(12)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    monkeypatch.setattr(batt_module, "find_devices", lambda _device: [0, 1])
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError
    real = device_run.DeviceRun._run_steps

    def fail(run: device_run.DeviceRun, *arguments: Any) -> None:
        if run.device == 1:
            raise error("the card has fallen off the bus")
        real(run, *arguments)

    monkeypatch.setattr(device_run.DeviceRun, "_run_steps", fail)
    with pytest.warns(RuntimeWarning, match="cuda:1 fails, the CPU runs instead: the card"):
        got = batt.run(samples, SMALL, device="cuda", n_threads=2, keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] == 6 * batt.plan.programs.size and "cuda:1" not in got.ran_on
    assert sum(got.ran_on.values()) == wanted.reasons.size
    assert got.outcome(3, 11) == wanted.outcome(3, 11)


@pytest.mark.usefixtures("on_cpu")
def test_an_interrupted_run_stops_the_gpu(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt, samples = mixed_batt(), training_samples(12)
    driver = emulated_gpu.driver(library_of_kernels, query="never_done")
    monkeypatch.setattr(kernels, "driver", lambda: driver)

    def interrupt(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batt_module, "run_on_cpu", interrupt)
    with pytest.raises(KeyboardInterrupt):
        batt.run(samples, SMALL, device="cuda", n_threads=2)
    assert not [thread for thread in threading.enumerate() if "ThreadPool" in thread.name]


def test_a_gpu_reserves_a_core_only_if_there_are_many() -> None:
    assert [threads_beside(n, 1) for n in (1, 2, 4, 7, 8, 16)] == [1, 2, 4, 7, 7, 15]
    assert [threads_beside(n, 2) for n in (2, 4, 15, 16, 48)] == [2, 4, 15, 14, 46]


@needs_gpu
def test_two_workers_on_one_gpu_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()])
    samples = training_samples(101)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(batt_module, "find_devices", lambda _device: [0, 0])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] > 0.9 * 101 * batt.plan.programs.size
