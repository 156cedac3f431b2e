"""Which device runs: by a calibration of this machine, and by what runs took."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcbatt.engine import calibration, choosing, device_memory, gpu, kernels
from arcbatt.engine.batt import Batt
from arcbatt.engine.calibration import Calibration
from arcbatt.engine.choosing import Choices
from arcbatt.language import parse_program
from arcbatt.language.random_programs import random_program
from arcbatt.measure import usable_cores

from . import gpu_on_cpu
from .gpu_parts import EXPECTED, SMALL, check_equal, training_samples

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


def test_a_calibration_holds_for_its_machine_alone(
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
def test_a_card_that_fails_has_no_calibration(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    driver = gpu_on_cpu.driver_functions(library_of_kernels, launch="refuse_kernel")
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)
    monkeypatch.setattr(calibration, "_failed", set())
    monkeypatch.setattr(calibration, "_known", [])
    with pytest.warns(RuntimeWarning) as warned:
        assert calibration.of_this_machine(Batt) is None
    told = [str(each.message) for each in warned]
    assert len(told) == 2 and told[0].startswith("cuda:0 fails, the CPU runs instead")
    assert told[1] == (
        "cuda:0 cannot be measured: 1 of 1 results came from the CPU; auto leaves it out"
    )
    assert calibration.of_this_machine(Batt) is None  # without trying again
    assert not list(cache_folder.iterdir())


def test_runs_that_begin_at_once_measure_once(
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
    assert few.split(1)[0] == 0
    n_on_gpu, both_s = few.split(10**6)
    assert 10**5 < n_on_gpu < 10**6
    assert both_s < few.cpu_s(10**6)
    assert few.cpu_s(1) < few.cpu_s(2) * 2 < few.cpu_s(10**3)
    more = CALIBRATION.predict(with_functions, 4)
    assert more.cpu_sample_s > few.cpu_sample_s
    assert more.gpu_sample_s > few.gpu_sample_s
    assert more.left_out_sample_s == 0
    left_out = Batt([parse_program("def f(I):\n    return rapply(initset(size), I)\n")]).plan
    assert CALIBRATION.predict(left_out, 4).left_out_sample_s > 0


@pytest.mark.parametrize("expects_gpu", [True, False])
def test_auto_goes_by_the_calibration(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, expects_gpu: bool
) -> None:
    slow = replace(CALIBRATION, machine=calibration.machine(), gpu_run_s=100.0)
    fast = replace(slow, gpu_run_s=0.0, gpu_step_s=0.0, gpu_plain_ratio=0.0)
    calibration.store(fast if expects_gpu else slow)
    asked: list[bool] = []

    def run_nothing(_work: gpu.GpuRun, _device: int, lent: tuple[int, int, int] | None) -> Any:
        asked.append(lent is not None)
        return gpu.GpuPart(0, [])

    batt, samples = Batt([random_program(seed, 10) for seed in range(20)]), training_samples(30)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr("arcbatt.engine.batt._devices", lambda _device: [0])
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(gpu.GpuRun, "work", run_nothing)
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    check_equal(batt.run(samples, SMALL), wanted)
    assert any(asked) == expects_gpu
    # What is done before it could be planned is not planned.
    monkeypatch.setattr(calibration, "_known", [replace(fast, plan_node_s=1.0)])
    asked.clear()
    unplanned = Batt(batt.programs)
    check_equal(unplanned.run(samples, SMALL), wanted)
    assert not asked
    assert "plan" not in vars(unplanned)


def taking(
    choices: Choices, kind: str, seconds: dict[str, float], expected: dict[str, float]
) -> str:
    """Let a run take so long on the device that is chosen; returns that."""
    chosen = choices.choose(kind, expected)
    with choices.measured(chosen):
        taking_s[0] += seconds[chosen.way]
    return chosen.way


taking_s = [0.0]


def test_devices_are_chosen_by_what_runs_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "perf_counter", lambda: taking_s[0])
    expected, really = {"cpu": 1.5, "cuda": 1.0}, {"cpu": 0.5, "cuda": 2.0}
    choices = Choices()
    chosen = [taking(choices, "kind", really, expected) for _ in range(choosing.RUNS_BETWEEN)]
    assert chosen[0] == "cuda" and chosen.count("cuda") <= 3 and set(chosen[9:]) == {"cpu"}
    # A first run that takes long for once decides nothing.
    assert taking(choices, "slow start", {"cuda": 50.0}, expected) == "cuda"
    quick = {"cpu": 1.5, "cuda": 1.0}
    assert [taking(choices, "slow start", quick, expected) for _ in range(9)].count("cuda") >= 7
    # Runs of another kind begin anew; what cannot win is not tried.
    assert taking(choices, "other", really, expected) == "cuda"
    hopeless = {"cpu": 100.0, "cuda": 1.0}
    assert [taking(choices, "third", really, hopeless) for _ in range(4)] == ["cuda"] * 4
    # Work changes: what lost by little is tried again.
    near = {"cpu": 1.0, "cuda": 1.2}
    long = [taking(choices, "near", near, near) for _ in range(choosing.RUNS_BETWEEN + 6)]
    assert long[:4].count("cuda") == 2 and long[4:].count("cuda") == 1 and long[-1] == "cpu"


@pytest.mark.parametrize("slow_s", [1.1, 1.9, 3.0, 9.0])
def test_trials_cost_little_of_all_runs(monkeypatch: pytest.MonkeyPatch, slow_s: float) -> None:
    monkeypatch.setattr(choosing, "perf_counter", lambda: taking_s[0])
    choices, seconds = Choices(), {"cpu": 1.0, "cuda": slow_s, "both": slow_s}
    before_s, n_runs = taking_s[0], 400
    chosen = [taking(choices, "kind", seconds, seconds) for _ in range(n_runs)]
    # The first run of each way is free of charge, one more is paid for in advance.
    at_most_s = n_runs * (1 + choosing.TRIALS_SHARE) + 3 * (slow_s - 1)
    assert taking_s[0] - before_s <= at_most_s
    assert set(chosen) == set(seconds)


def test_what_loses_again_is_tried_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "perf_counter", lambda: taking_s[0])
    choices, really = Choices(), {"cpu": 1.5, "cuda": 1.0}
    chosen = [taking(choices, "kind", really, really) for _ in range(1000)]
    at = [k for k, way in enumerate(chosen) if way == "cpu"]
    waits = np.diff(at[choosing.N_TRIALS - 1 :]).tolist()
    assert waits == [choosing.RUNS_BETWEEN * 2**k + 1 for k in range(4)]
    # What wins one day is tried again as soon as at first, and taken if it wins again.
    expected, really["cpu"] = dict(really), 0.5
    later = [taking(choices, "kind", really, expected) for _ in range(1000)]
    won = later.index("cpu")
    assert later.index("cpu", won + 1) == won + choosing.RUNS_BETWEEN + 1
    rest = later[won + choosing.RUNS_BETWEEN + 1 :]
    assert rest.count("cpu") > 0.9 * len(rest)


def test_parts_of_a_shared_run_correct_what_is_expected() -> None:
    choices, expected = Choices(), {"cpu": 3.0, "cuda": 3.0, "both": 1.0}
    chosen = choices.choose("kind", expected)
    assert chosen.way == "both"
    with choices.measured(chosen):
        choices.note_part(chosen, "cpu", 4.0, 2.0)
        choices.note_part(chosen, "cuda", 1.0, 2.0)
    corrected = choices.correct("kind", EXPECTED)
    assert corrected.cpu_sample_s == pytest.approx(EXPECTED.cpu_sample_s * 2)
    assert corrected.gpu_sample_s == pytest.approx(EXPECTED.gpu_sample_s / 2)
    assert chosen.parts_s == 4.0
    choices.note_part(chosen, "cpu", 1.0, 2.0)
    less = choices.correct("kind", EXPECTED).cpu_sample_s / EXPECTED.cpu_sample_s
    assert less == pytest.approx(2 / 2**choosing.NEWEST)
    assert choices.correct("other", EXPECTED) == EXPECTED
