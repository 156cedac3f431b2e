"""CPU and GPUs in one run: each sample is run by one of them, and nobody waits for long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from ctypes import CDLL
from dataclasses import replace
from math import inf
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import _engine, choosing, device_run, kernels, sharing
from arcbatt.engine import batt as batt_module
from arcbatt.engine.batt import Batt
from arcbatt.engine.calibration import Prediction, threads_beside
from arcbatt.engine.choosing import Choices, Chosen
from arcbatt.engine.sharing import Pace
from arcbatt.engine.staged import TaskArrays, TaskSamples, run_on_tasks
from arcbatt.language import parse_program
from arcbatt.library import library_programs
from arcbatt.tasks import load

from . import gpu_on_cpu
from .gpu_parts import EXPECTED, SMALL, check_equal, needs_gpu, training_samples


def never_done(monkeypatch: pytest.MonkeyPatch, library: CDLL) -> None:
    """Let the device never come to the end of anything."""
    driver = gpu_on_cpu.driver_functions(library, query="never_done")
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)


class AlwaysBoth(Choices):
    """Choices that let the CPU and GPUs share runs out."""

    def choose(self, kind: Hashable, expected_s: Mapping[str, float]) -> Chosen:
        chosen = super().choose(kind, expected_s)
        return replace(chosen, way=choosing.BOTH) if choosing.BOTH in expected_s else chosen


def expecting(monkeypatch: pytest.MonkeyPatch, **figures: float) -> None:
    """Let `auto` expect so many seconds, and share runs out however short they are."""
    usual = {
        "thread_s": 0.0,
        "cpu_sample_s": 1.0,
        "left_out_sample_s": 0.0,
        "gpu_fixed_s": 0.0,
        "gpu_sample_s": 1.0,
    }
    expected = Prediction(n_threads=2, **{**usual, **figures})
    monkeypatch.setattr(Batt, "_expect", lambda *_: expected)
    monkeypatch.setattr(sharing, "pays", lambda *_: True)
    monkeypatch.setattr(sharing, "LEAST_SHARED_S", 0.0)
    monkeypatch.setattr(batt_module, "choices", AlwaysBoth())


def test_long_runs_alone_are_shared_out_and_only_where_both_gain() -> None:
    long, even = 10_000, replace(EXPECTED, cpu_sample_s=1e-3, gpu_sample_s=1e-3)
    assert sharing.pays(even, long, 1)
    assert not sharing.pays(even, 20, 1)  # a fiftieth of a second
    assert not sharing.pays(replace(even, gpu_sample_s=5e-5), long, 1)  # the CPU has little to add
    assert even.gpu_s(long) == pytest.approx(10) and even.gpu_s(long, 2) == pytest.approx(5)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("gpu_sample_s", [1e-9, 0.3, 1.0])
def test_both_at_once_give_what_one_gives(
    monkeypatch: pytest.MonkeyPatch, gpu_sample_s: float
) -> None:
    programs = [solver.program for solver in library_programs()][::4]
    dynamic = "apply(branch(even(size(I)), size, color), objects(I, T, F, T))"
    programs.insert(5, parse_program(f"def f(I):\n    return {dynamic}\n"))
    batt, samples = Batt(programs), training_samples(20)
    assert 0 < batt.plan.programs.size < len(programs)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    expecting(monkeypatch, gpu_sample_s=gpu_sample_s)
    monkeypatch.setattr(sharing, "OVERDUE", inf)  # the GPU, which is slow here, is waited for
    got = batt.run(samples, SMALL, n_threads=2, keep_values=True)
    check_equal(got, wanted)
    assert sum(got.ran_on.values()) == wanted.reasons.size
    n_on_gpu = got.ran_on["cuda:0"] // batt.plan.programs.size
    assert n_on_gpu >= 20 / (1 + gpu_sample_s) - 1
    assert got.ran_on["cpu"] >= 20 * (len(programs) - batt.plan.programs.size)
    for program in range(len(programs)):
        for sample in range(len(samples)):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@pytest.mark.usefixtures("on_cpu")
def test_programs_on_tasks_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()][::12])
    tasks = TaskSamples(load("arc-agi-1/training")[:10])
    wanted = run_on_tasks(batt, tasks, SMALL, device="cpu")
    expecting(monkeypatch, gpu_sample_s=1.0)
    monkeypatch.setattr(sharing, "OVERDUE", inf)
    got = run_on_tasks(batt, tasks, SMALL, n_threads=2)
    for name in TaskArrays._fields:
        assert (getattr(got, name) == getattr(wanted, name)).all(), name
    assert 0 < got.ran_on["cuda:0"] < wanted.reasons.size
    assert sum(got.ran_on.values()) == wanted.reasons.size


@pytest.mark.usefixtures("on_cpu")
def test_programs_on_tasks_are_not_shared_out_where_the_cpu_has_other_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batt = Batt([solver.program for solver in library_programs()][::40])
    tasks = TaskSamples(load("arc-agi-1/training")[:6])
    wanted = run_on_tasks(batt, tasks, SMALL, device="cpu")
    expecting(monkeypatch, gpu_sample_s=0.5)
    got = run_on_tasks(batt, tasks, SMALL, n_threads=2, may_share=False)
    for name in TaskArrays._fields:
        assert (getattr(got, name) == getattr(wanted, name)).all(), name
    assert got.ran_on["cuda:0"] == batt.plan.programs.size * len(tasks)


@pytest.mark.usefixtures("on_cpu")
def test_threads_overtake_a_gpu_that_takes_too_long(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt = Batt([solver.program for solver in library_programs()][::4])
    samples = training_samples(12)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    expecting(monkeypatch, gpu_sample_s=1e-9)
    never_done(monkeypatch, library_of_kernels)
    got = batt.run(samples, SMALL, n_threads=2, keep_values=True)
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": wanted.reasons.size}
    assert got.outcome(3, 3) == wanted.outcome(3, 3)


@pytest.mark.usefixtures("on_cpu")
def test_a_gpu_is_left_alone_until_it_is_overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(12)
    wanted = batt.run(samples, SMALL, device="cpu")
    # Half of the samples each; the CPU is done long before the GPU, which has ten minutes.
    expecting(monkeypatch, cpu_sample_s=100.0, gpu_sample_s=100.0)
    real = device_run.DeviceRun.samples_from

    def after_the_cpu(run: device_run.DeviceRun, *arguments: Any) -> Any:
        while (run.arrays.reasons[:, :6] == _engine.NOT_RUN).any():
            time.sleep(1e-3)
        return real(run, *arguments)

    monkeypatch.setattr(device_run.DeviceRun, "samples_from", after_the_cpu)
    got = batt.run(samples, SMALL, n_threads=2)
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": 6, "cpu": 6}


@pytest.mark.usefixtures("on_cpu")
def test_what_a_gpu_gives_back_is_run_by_threads_that_waited_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(12)
    wanted = batt.run(samples, SMALL, device="cpu")
    expecting(monkeypatch, cpu_sample_s=100.0, gpu_sample_s=100.0)
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError

    def fail_after_the_cpu(run: device_run.DeviceRun, *_arguments: Any) -> None:
        while (run.arrays.reasons[:, :6] == _engine.NOT_RUN).any():
            time.sleep(1e-3)
        raise error("the card has fallen off the bus")

    monkeypatch.setattr(device_run.DeviceRun, "samples_from", fail_after_the_cpu)
    noted: list[str] = []
    monkeypatch.setattr(
        AlwaysBoth, "note_part", lambda _choices, _chosen, way, *_: noted.append(way)
    )
    with pytest.warns(RuntimeWarning, match="cuda:0 fails, the CPU runs instead: the card"):
        got = batt.run(samples, SMALL, n_threads=2)
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": 12}
    # What threads took includes what they waited: nothing to expect other runs by.
    assert noted == []


@pytest.mark.usefixtures("on_cpu")
def test_an_error_beside_the_device_ends_the_run_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(12)
    expecting(monkeypatch, cpu_sample_s=0.1, gpu_sample_s=0.1)
    reasons = []

    def fail(run: device_run.DeviceRun, *_arguments: Any) -> None:
        reasons.append(run.arrays.reasons)
        raise TypeError("no error of a device")

    monkeypatch.setattr(device_run.DeviceRun, "samples_from", fail)
    with pytest.raises(TypeError, match="no error of a device"):
        batt.run(samples, SMALL, n_threads=2)
    assert (reasons[0][:, 6:] == _engine.NOT_RUN).all()  # nobody has waited, to run it in vain


def test_threads_find_nothing_in_a_queue_that_is_closed() -> None:
    programs = [parse_program(f"def f(I):\n    return {name}(I)\n") for name in ("rot90", "rot180")]
    batt, samples = Batt(programs), training_samples(12)
    run = batt_module.Run(samples, SMALL, 2)
    queue = _engine.SampleQueue(n_samples=12, has_left_out=True)
    for _ in range(3):
        queue.lend(3, 0.0)
    queue.give_back(1)
    queue.close()
    arrays = run.new_arrays(2)
    order = np.arange(12, dtype=np.uint32)
    run.on_cpu(batt.fused, order, arrays, queue, np.array([0], np.uint32))
    assert (arrays.reasons == _engine.NOT_RUN).all()
    assert queue.n_done == queue.n_left_out_done == 0


@pytest.mark.usefixtures("on_cpu")
def test_runs_at_once_on_a_device_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    batts = [Batt([solver.program]) for solver in library_programs()[:6]]
    samples = training_samples(6)
    wanted = [batt.run(samples, SMALL, device="cpu") for batt in batts]
    real = device_run.DeviceRun._chunks
    all_there = threading.Barrier(3)

    def noting(run: device_run.DeviceRun, *arguments: Any) -> Any:
        all_there.wait(timeout=60)  # none waits for another to end
        return real(run, *arguments)

    monkeypatch.setattr(device_run.DeviceRun, "_chunks", noting)
    with ThreadPoolExecutor(3) as threads:
        runs = [threads.submit(batt.run, samples, SMALL, device="cuda") for batt in batts]
        for run, right in zip(runs, wanted, strict=True):
            check_equal(run.result(), right)


@pytest.mark.usefixtures("on_cpu")
def test_what_a_failing_gpu_has_taken_goes_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()][::4])
    samples = training_samples(12)
    wanted = batt.run(samples, SMALL, device="cpu")
    expecting(monkeypatch, gpu_sample_s=0.5)
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError

    def fail(*_arguments: Any) -> None:
        raise error("the card has fallen off the bus")

    monkeypatch.setattr(device_run.DeviceRun, "_run_steps", fail)
    with pytest.warns(RuntimeWarning, match="cuda:0 fails, the CPU runs instead: the card"):
        got = batt.run(samples, SMALL, n_threads=2)
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": wanted.reasons.size}


@pytest.mark.usefixtures("on_cpu")
def test_an_interrupted_run_leaves_no_gpu_at_work(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(12)
    expecting(monkeypatch, gpu_sample_s=0.5)
    never_done(monkeypatch, library_of_kernels)

    def interrupted(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batt_module.Run, "on_cpu", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batt.run(samples, SMALL, n_threads=2)
    assert not [thread for thread in threading.enumerate() if "ThreadPool" in thread.name]


@pytest.mark.usefixtures("on_cpu")
def test_two_workers_share_the_samples_on_one_card(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()][::4])
    samples = training_samples(13)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(batt_module, "_devices", lambda _device: [0, 0])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] == 13 * batt.plan.programs.size


def test_a_queue_gives_each_sample_to_one_device() -> None:
    queue = _engine.SampleQueue(n_samples=10, has_left_out=False)
    assert queue.lend(4, inf) == (0, 6, 10)
    assert queue.lend(9, 0.0) == (1, 0, 6)
    assert queue.lend(1, inf) is None
    assert queue.finish(0)
    assert not queue.finish(0)
    queue.give_back(1)
    assert not queue.finish(1)
    assert not queue.is_overtaken(1)
    queue.close()
    assert queue.is_overtaken(1)
    with pytest.raises(ValueError, match="no such chunk"):
        queue.finish(2)


def test_a_gpu_that_has_nothing_takes_what_the_cpu_is_too_slow_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: now_s)
    queue = _engine.SampleQueue(n_samples=1000, has_left_out=False)
    pace = Pace(queue, 1, replace(EXPECTED, gpu_fixed_s=0.01, cpu_sample_s=1e-6))
    assert pace.share(1) == 0  # 1 ms on the CPU, 10 on the GPU
    now_s = 0.02
    assert 500 < pace.wait_for_share() <= 1000
    pace.note(500, 10_000.0)  # the GPU is even slower
    assert pace.share(1) == 0
    queue.close()
    assert pace.wait_for_share() == 0


def test_a_gpu_keeps_a_core_free_only_where_there_are_many() -> None:
    assert [threads_beside(n, 1) for n in (1, 2, 4, 7, 8, 16)] == [1, 2, 4, 7, 7, 15]
    assert [threads_beside(n, 2) for n in (2, 4, 15, 16, 48)] == [2, 4, 15, 14, 46]


def test_samples_are_shared_out_by_the_threads_that_are_left() -> None:
    few = replace(EXPECTED, cpu_sample_s=1e-3, gpu_sample_s=1e-3, n_threads=2)
    assert few.split(1000) == (500, pytest.approx(0.5))
    many = replace(few, n_threads=8)  # seven work beside a GPU
    n, both_s = many.split(1000)
    assert n == int(1000 * 8 / 15) and both_s == pytest.approx(8 / 15, abs=2e-3)
    # What is left out of what a GPU runs takes those threads longer, too.
    left_out = replace(many, left_out_sample_s=1.4e-3)
    assert left_out.gpu_s(1000) == pytest.approx(1.6)
    # A GPU that is hardly worth a thread gets nothing.
    assert replace(many, gpu_sample_s=8e-3, gpu_fixed_s=0.2).split(1000) == (0, pytest.approx(1.0))


def test_what_threads_take_beside_a_gpu_says_what_all_of_them_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: now_s)
    expected = replace(EXPECTED, cpu_sample_s=1e-3, gpu_sample_s=1e-3, n_threads=8)

    class Queue:
        n_left, n_done, n_left_out_done, done_s = 500, 70, 0, 0.1

    pace = Pace(cast(_engine.SampleQueue, Queue()), 1, expected)
    now_s = 0.08  # 70 samples by seven threads: all eight take 1 ms for each, as expected
    assert pace.share(1) == expected.split(500)[0]
    took_s, expected_s = pace.cpu_part() or (0.0, 0.0)
    assert took_s == 0.1 and expected_s == pytest.approx(0.08)


def test_what_gpus_leave_out_counts_as_work_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr(sharing, "perf_counter", lambda: now_s)
    expected = replace(
        EXPECTED, cpu_sample_s=1e-3, left_out_sample_s=4e-4, gpu_sample_s=1e-3, n_threads=2
    )

    class Queue:
        n_left, n_done, n_left_out_done = 500, 0, 500

    queue = Queue()
    pace = Pace(cast(_engine.SampleQueue, queue), 1, expected)
    now_s = 0.2  # as expected, though not a single sample is done as a whole
    assert pace.share(1) == expected.split(500)[0]
    queue.n_done, now_s = 100, 0.3
    assert pace.share(1) == expected.split(500)[0]


def test_each_of_several_gpus_gets_as_much_as_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "perf_counter", lambda: 0.0)
    # Fourteen threads work beside two GPUs, also while the second one's share is found.
    expected = replace(EXPECTED, cpu_sample_s=1e-3, gpu_sample_s=1e-3, n_threads=16)
    pace = Pace(_engine.SampleQueue(n_samples=1600, has_left_out=False), 2, expected)
    shares = []
    for n_devices in (2, 1):
        shares.append(pace.share(n_devices))
        pace.lend(shares[-1])
    assert shares[1] == pytest.approx(shares[0], abs=3)


@given(
    st.integers(1, 10**5),
    st.integers(1, 4),
    *[st.floats(1e-9, 1e-2)] * 2,
    st.floats(0, 1),
    st.floats(0, 0.1),
)
def test_a_split_is_never_expected_to_take_longer_than_the_cpu(
    n_samples: int, n_devices: int, cpu_s: float, gpu_s: float, left_out: float, fixed_s: float
) -> None:
    expected = Prediction(8, 0.0, cpu_s, left_out * cpu_s, fixed_s, gpu_s)
    n, both_s = expected.split(n_samples, n_devices)
    assert 0 <= n <= -(-n_samples // n_devices)
    assert both_s <= n_samples * cpu_s * (1 + 1e-9)


@needs_gpu
def test_two_workers_on_one_card_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()])
    samples = training_samples(101)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(batt_module, "_devices", lambda _device: [0, 0])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] > 0.9 * 101 * batt.plan.programs.size
