"""The calibration of a machine, and the device that `auto` takes by it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import calibration, device_memory, kernels
from arcbatt.engine.gpu.calibration import Calibration
from arcbatt.engine.gpu.run import GpuPart, GpuRun
from arcbatt.language import parse_program
from arcbatt.measure import usable_cores
from bench.random_programs import random_program
from tests.support import emulated_gpu
from tests.support.gpu import SMALL, check_equal, training_samples

CALIBRATION = Calibration(
    machine="one",
    measured_at="2026-01-01T00:00:00+00:00",
    thread_s=2e-5,
    plain_call_s=2e-7,
    function_call_s=2e-6,
    cores_worth=float(usable_cores()),
    plan_node_s=0.0,
    gpu_run_s=5e-4,
    gpu_step_s=2e-5,
    gpu_stage_s=0.0,
    gpu_plain_ratio=0.01,
    gpu_function_ratio=0.1,
)


def test_a_calibration_is_stored_and_read_back(cache_folder: Path) -> None:
    assert calibration.load() is None
    calibration.store(CALIBRATION)
    assert calibration.load() == CALIBRATION
    assert [path.name for path in cache_folder.iterdir()] == ["calibration.json"]


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"machine": 1}', "null"])
def test_a_damaged_calibration_counts_as_none(cache_folder: Path, content: str) -> None:
    (cache_folder / "calibration.json").write_text(content)
    assert calibration.load() is None


def test_a_calibration_is_valid_only_for_its_machine(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = replace(CALIBRATION, machine=calibration.machine())
    monkeypatch.setattr(calibration, "measure", lambda _batts, _here: measured)
    monkeypatch.setattr(kernels, "are_ready", lambda *_: False)
    calibration.store(CALIBRATION)
    assert calibration.known() is None
    assert calibration.of_this_machine(Batt) is None
    assert calibration.load() == CALIBRATION
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    assert calibration.of_this_machine(Batt) == measured
    assert calibration.known() == measured
    assert (
        json.loads((cache_folder / "calibration.json").read_text())["machine"] == measured.machine
    )


@pytest.mark.usefixtures("on_cpu")
def test_a_failing_gpu_has_no_calibration(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    driver = emulated_gpu.driver(library_of_kernels, launch="refuse_kernel")
    monkeypatch.setattr(kernels, "driver", lambda: driver)
    monkeypatch.setattr(calibration, "_failed", set())
    monkeypatch.setattr(calibration, "_known", [])
    with pytest.warns(RuntimeWarning) as warned:
        assert calibration.of_this_machine(Batt) is None
    messages = [str(each.message) for each in warned]
    assert len(messages) == 2 and messages[0].startswith("cuda:0 fails, the CPU runs instead")
    assert messages[1] == (
        "cuda:0 cannot be measured: 1 of 1 results came from the CPU; auto leaves it out"
    )
    assert calibration.of_this_machine(Batt) is None  # without trying again
    assert not list(cache_folder.iterdir())


def test_runs_that_start_together_calibrate_once(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = replace(CALIBRATION, machine=calibration.machine())
    others: list[Calibration | None] = []

    def measure(_batts: object, _here: str) -> Calibration:
        with ThreadPoolExecutor(1) as pool:  # as if another run began now
            others.append(pool.submit(calibration.of_this_machine, Batt).result())
        return here

    monkeypatch.setattr(calibration, "_known", [])
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    monkeypatch.setattr(calibration, "measure", measure)
    assert calibration.of_this_machine(Batt) == here
    assert others == [None]
    assert calibration.load() == here


def test_predictions_grow_with_the_work() -> None:
    plain = Batt([parse_program("def f(I):\n    return hmirror(vmirror(I))\n")]).plan
    with_functions = Batt(
        [parse_program("def f(I):\n    return apply(size, objects(I, T, F, T))\n")]
    ).plan
    few = CALIBRATION.predict(plain, 4)
    assert few.cpu_s(1) < few.gpu_s(1) and few.cpu_s(10**6) > few.gpu_s(10**6)
    assert few.gpu_s(10**6) > few.gpu_s(10**6, 2) > few.gpu_s(10**6) / 2
    assert few.cpu_s(1) < few.cpu_s(2) * 2 < few.cpu_s(10**3)
    more = CALIBRATION.predict(with_functions, 4)
    assert more.cpu_sample_s > few.cpu_sample_s
    assert more.gpu_sample_s > few.gpu_sample_s
    assert more.left_out_sample_s == 0
    left_out = Batt([parse_program("def f(I):\n    return rapply(initset(size), I)\n")]).plan
    assert CALIBRATION.predict(left_out, 4).left_out_sample_s > 0


@pytest.mark.parametrize("expects_gpu", [True, False])
def test_auto_follows_the_calibration(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, expects_gpu: bool
) -> None:
    slow = replace(CALIBRATION, machine=calibration.machine(), gpu_run_s=100.0)
    fast = replace(slow, gpu_run_s=0.0, gpu_step_s=0.0, gpu_plain_ratio=0.0)
    calibration.store(fast if expects_gpu else slow)
    asked: list[bool] = []

    def run_nothing(_run: GpuRun, device: int, _first: int, _end: int) -> GpuPart:
        asked.append(True)
        return GpuPart(device, 0, [])

    batt, samples = Batt([random_program(seed, 10) for seed in range(20)]), training_samples(30)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr("arcbatt.engine.batt.find_devices", lambda _device: [0])
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(GpuRun, "run_on", run_nothing)
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    check_equal(batt.run(samples, SMALL), wanted)
    assert any(asked) == expects_gpu
    # A run that would take less time than its plan is not planned.
    monkeypatch.setattr(calibration, "_known", [replace(fast, plan_node_s=1.0)])
    asked.clear()
    unplanned = Batt(batt.programs)
    check_equal(unplanned.run(samples, SMALL), wanted)
    assert not asked
    assert "plan" not in vars(unplanned)
