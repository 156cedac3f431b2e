"""Runs on the GPU: how work is put together and shared out; where there is one, that it agrees."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import _engine, calibration, gpu
from arcbatt.engine.batt import Batt
from arcbatt.engine.calibration import Calibration
from arcbatt.engine.results import BattArrays, BattResult
from arcbatt.engine.samples import Samples
from arcbatt.engine.schedule import schedule
from arcbatt.language import Budget, all_primitives, parse_program
from arcbatt.language.random_programs import random_program
from arcbatt.library import library_programs
from arcbatt.tasks import load

SMALL = Budget(steps=200_000, bytes=2**22)
NO_PROFILE = np.zeros(0, np.int64)
ARRAYS = ("reasons", "matches", "hashes", "steps", "numbers")


def n_gpus() -> int:
    try:
        return gpu.device_count()
    except gpu.GpuError:
        return 0


needs_gpu = pytest.mark.skipif(not n_gpus(), reason="needs a GPU and CuPy")


def training_samples(n: int) -> Samples:
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")[:n]]
    return Samples(inputs, inputs, [((grid, grid),) for grid in inputs])


def check_equal(got: BattResult, wanted: BattResult) -> None:
    for name in ARRAYS:
        assert (getattr(got, name) == getattr(wanted, name)).all(), name


# --- without a GPU ---


@given(st.lists(st.integers(0, 10**6), max_size=12))
def test_schedules_hold_every_node_once_after_its_arguments(seeds: list[int]) -> None:
    nodes = Batt([random_program(seed, 8) for seed in seeds])._nodes
    made = schedule(nodes)
    assert sorted(made.nodes.tolist()) == list(range(len(nodes)))
    assert sum(step.n_nodes for step in made.steps) == len(nodes)
    done: set[object] = set()
    for step in made.steps:
        members = [nodes[k] for k in made.nodes[step.first : step.first + step.n_nodes]]
        assert all(arg in done for node in members for arg in node.args)
        assert {node.name if node.kind == "call" else step.head for node in members} == {step.head}
        done.update(members)


def test_programs_of_one_shape_share_their_steps() -> None:
    text = "def f(I):\n    return paint(replace(I, {k}, 3), asobject({turn}(I)))\n"
    turns = ("hmirror", "vmirror", "rot90")
    programs = [parse_program(text.format(k=k, turn=turns[k % 3])) for k in range(9)]
    assert len(Batt(programs).schedule.steps) == 1 + len(turns) + 3


@given(st.integers(0, 50), st.integers(1, 5))
def test_shares_hold_every_sample_once_and_are_even(n_samples: int, n_workers: int) -> None:
    order = np.random.default_rng(n_samples).permutation(n_samples).astype(np.uint32)
    parts = gpu.shares(order, n_workers)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n_samples))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_every_primitive_has_a_kernel() -> None:
    kernels = gpu._kernels()
    assert set(all_primitives()) <= set(kernels)
    assert gpu.calls_functions("mapply")
    assert not gpu.calls_functions("hmirror")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs CUDA's compiler")
def test_the_headers_compile_for_the_gpu(tmp_path: Path) -> None:
    # All modules at once, not optimized: they have the headers in common, and those would be
    # compiled for each of them.
    source = tmp_path / "all.cu"
    source.write_text(gpu.module_source(*gpu.kernel_modules()), "utf-8")
    options = ["-std=c++17", "-ptx", "-Xcicc", "-O0", "-Werror", "all-warnings", *gpu.definitions()]
    target = tmp_path / "all.ptx"
    command = ["nvcc", *options, "-I", gpu.INCLUDE, "-o", target, source]
    compiled = subprocess.run(command, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    text = target.read_text("utf-8")
    assert all(f".entry {name}(" in text for _, name in gpu._kernels().values())


@pytest.mark.skipif(n_gpus() > 0, reason="needs a machine without a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_without_a_gpu_the_cpu_takes_over_and_says_so(device: str) -> None:
    batt, samples = Batt([random_program(seed, 10) for seed in range(60)]), training_samples(40)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead"):
        got = batt.run(samples, SMALL, device=device)
    assert dict(got.ran_on) == {"cpu": 2400}
    check_equal(got, batt.run(samples, SMALL, device="cpu"))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.skipif(n_gpus() > 0, reason="needs a machine without a GPU")
def test_without_a_gpu_auto_is_the_cpu_and_needs_no_warning() -> None:
    got = Batt([parse_program("def f(I):\n    return I\n")]).run(training_samples(3))
    assert dict(got.ran_on) == {"cpu": 3}


# A GPU that does nothing, for the way in which what it leaves is done by the CPU.
def test_what_a_gpu_leaves_the_cpu_finishes(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [random_program(seed, 10) for seed in range(30)]
    samples = training_samples(20)
    batt = Batt(programs)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    rng = np.random.default_rng(0)
    left = rng.random(wanted.reasons.shape) < 0.2

    def run_some(*arguments: object) -> tuple[dict[str, int], list[object]]:
        arrays = next(a for a in arguments if isinstance(a, BattArrays))
        for name in ARRAYS:
            getattr(arrays, name)[~left] = getattr(wanted, name)[~left]
        return {"cuda:0": int((~left).sum())}, list(wanted._kept or ())

    monkeypatch.setattr("arcbatt.engine.batt._devices", lambda _device: [0])
    monkeypatch.setattr(gpu, "new_array", np.empty)
    monkeypatch.setattr(gpu, "run_batt", run_some)
    got = batt.run(samples, SMALL, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": int((~left).sum()), "cpu": int(left.sum())}
    for program in range(len(programs)):
        for sample in range(len(samples)):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


# --- calibration ---

CALIBRATION = Calibration(
    machine="one",
    measured_at="2026-01-01T00:00:00+00:00",
    thread_s=2e-5,
    plain_call_s=2e-7,
    function_call_s=2e-6,
    gpu_run_s=5e-4,
    gpu_step_s=2e-5,
    gpu_plain_ratio=0.01,
    gpu_function_ratio=0.1,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    calibration.of_this_machine.cache_clear()
    return tmp_path


def test_a_calibration_is_stored_and_read_back(cache: Path) -> None:
    assert calibration.load() is None
    calibration.store(CALIBRATION)
    assert calibration.load() == CALIBRATION
    assert [path.name for path in cache.iterdir()] == ["calibration.json"]


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"machine": 1}', "null"])
def test_a_damaged_calibration_counts_as_none(cache: Path, content: str) -> None:
    (cache / "calibration.json").write_text(content)
    assert calibration.load() is None


def test_a_calibration_holds_for_its_machine_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = replace(CALIBRATION, machine=calibration.machine())
    monkeypatch.setattr(calibration, "measure", lambda _batt, _here: measured)
    calibration.store(CALIBRATION)
    assert calibration.of_this_machine(Batt) == measured
    assert json.loads((cache / "calibration.json").read_text())["machine"] == measured.machine


def test_predictions_grow_with_the_work() -> None:
    plain = Batt([parse_program("def f(I):\n    return hmirror(vmirror(I))\n")]).schedule
    with_functions = Batt(
        [parse_program("def f(I):\n    return apply(size, objects(I, T, F, T))\n")]
    ).schedule
    one, many = (CALIBRATION.predict(plain, n, 4) for n in (1, 10**6))
    assert one.cpu_s < one.gpu_s
    assert many.gpu_s < many.cpu_s
    assert one.gpu_fixed_s == many.gpu_fixed_s
    assert CALIBRATION.predict(with_functions, 1, 4).gpu_ratio > one.gpu_ratio


@pytest.mark.parametrize("expects_gpu", [True, False])
def test_auto_goes_by_the_calibration(
    cache: Path, monkeypatch: pytest.MonkeyPatch, expects_gpu: bool
) -> None:
    slow = replace(CALIBRATION, machine=calibration.machine(), gpu_run_s=100.0)
    fast = replace(slow, gpu_run_s=0.0, gpu_step_s=0.0, gpu_plain_ratio=0.0)
    calibration.store(fast if expects_gpu else slow)
    asked: list[int] = []

    def run_nothing(*_arguments: object) -> tuple[dict[str, int], list[object]]:
        asked.append(1)
        return {}, []

    batt, samples = Batt([random_program(seed, 10) for seed in range(20)]), training_samples(30)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr("arcbatt.engine.batt._devices", lambda _device: [0])
    monkeypatch.setattr(gpu, "new_array", np.empty)
    monkeypatch.setattr(gpu, "run_batt", run_nothing)
    check_equal(batt.run(samples, SMALL), wanted)
    assert bool(asked) == expects_gpu


def test_the_cpu_hands_over_what_takes_longer_than_the_rival() -> None:
    text = "def f(I):\n    return upscale(upscale(I, 9), 9)\n"
    batt, samples = Batt([parse_program(text)]), Samples([((1,) * 10,) * 10] * 3000)
    shape = (1, 3000)
    types = (np.uint8, np.uint8, np.uint64, np.int64, np.int32)
    arrays = BattArrays(*(np.zeros(shape, dtype) for dtype in types))
    arrays.reasons.fill(_engine.NOT_RUN)
    _engine.run_batt(
        batt.fused,
        samples.packed,
        samples.spread,
        max_steps=10**9,
        max_bytes=2**33,
        max_arena_bytes=2**30,
        n_threads=1,
        **arrays._asdict(),
        keep_values=False,
        rival_fixed_s=0.0,
        rival_per_thread_s=0.0,
        profile=NO_PROFILE,
    )
    n_run = int((arrays.reasons == 0).sum())
    assert 0 < n_run < 3000
    assert (arrays.reasons[arrays.reasons != 0] == _engine.NOT_RUN).all()


# --- with a GPU ---


@needs_gpu
@pytest.mark.parametrize("well_typed", [True, False])
def test_random_programs_agree(well_typed: bool) -> None:
    batt = Batt([random_program(seed, 10, well_typed=well_typed) for seed in range(500)])
    samples = training_samples(60)
    got = batt.run(samples, SMALL, device="cuda", keep_values=True)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    assert got.ran_on["cuda:0"] > 0
    check_equal(got, wanted)
    for program in range(0, 500, 7):
        for sample in range(0, 60, 7):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@needs_gpu
def test_two_workers_share_the_samples_on_one_card() -> None:
    batt = Batt([solver.program for solver in library_programs()])
    samples = training_samples(101)
    wanted = batt.run(samples, SMALL, device="cpu")
    arrays = BattArrays(*(np.zeros_like(getattr(wanted, name)) for name in ARRAYS))
    arrays.reasons.fill(_engine.NOT_RUN)
    matches = arrays._replace(matches=arrays.matches.view(np.uint8))
    ran_on, _ = gpu.run_batt(batt._on_gpu, samples, samples.order, SMALL, [0, 0], matches, False)
    run = matches.reasons != _engine.NOT_RUN
    assert ran_on == {"cuda:0": int(run.sum())}
    assert run.mean() > 0.9
    for name in ARRAYS:
        assert (getattr(matches, name)[run] == getattr(wanted, name)[run]).all()


@needs_gpu
def test_hostile_programs_fail_alone() -> None:
    lines = "".join(f"    x{k + 1} = hconcat(x{k}, x{k})\n" for k in range(20))
    doubling = f"def f(I):\n    x0 = hmirror(I)\n{lines}    return x20\n"
    texts = (
        doubling,
        "def f(I):\n    return upscale(I, 4000)\n",
        "def f(I):\n    return rot90(I)\n",
    )
    batt = Batt([parse_program(text) for text in texts])
    samples = training_samples(50)
    check_equal(batt.run(samples, device="cuda"), batt.run(samples, device="cpu"))


@needs_gpu
def test_chunks_and_a_small_memory_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()])
    samples = training_samples(150)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(gpu, "POOL_SHARE", 1e-9)
    monkeypatch.setattr(gpu, "MIN_POOL_BYTES", 64 * 2**20)
    check_equal(batt.run(samples, SMALL, device="cuda"), wanted)
