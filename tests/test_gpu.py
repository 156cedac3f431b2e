"""Runs on the GPU: how work is put together and shared out; where there is one, that it agrees."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from ctypes import CDLL
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import (
    _engine,
    calibration,
    device_memory,
    device_run,
    flatten,
    gpu,
    kernels,
    profiling,
)
from arcbatt.engine.batt import Batt
from arcbatt.engine.calibration import Calibration
from arcbatt.engine.results import BattArrays, BattResult
from arcbatt.engine.samples import Samples
from arcbatt.engine.table import domain_names
from arcbatt.language import Budget, all_primitives, parse_program
from arcbatt.language.random_programs import random_program
from arcbatt.library import library_programs
from arcbatt.tasks import load

from . import gpu_on_cpu

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
def test_plans_hold_every_node_once_after_its_arguments(seeds: list[int]) -> None:
    batt = Batt([random_program(seed, 8) for seed in seeds])
    nodes, plan = batt._nodes, batt.plan
    run = {node for k in plan.programs for node in batt.programs[k].nodes()}
    done: set[object] = set()
    at_node = at_other = 0
    for stage in plan.stages:
        levels: dict[object, int] = {}
        for step in stage.steps:
            members = [nodes[k] for k in plan.nodes[at_node : at_node + step.n_nodes]]
            others = plan.others[at_other : at_other + step.n_others].tolist()
            at_node, at_other = at_node + step.n_nodes, at_other + step.n_others
            args = [arg for node in members for arg in node.args]
            assert all(arg in done for arg in args)
            assert all(levels.get(arg, -1) < step.level for arg in args)
            done.update(members)
            levels.update(dict.fromkeys(members, step.level))
            if step.kind == "site":
                for site, phase in ((entry >> 2, entry & 3) for entry in others):
                    _, home, column, *_ = plan.sites[site].tolist()
                    is_last = phase == plan.sites[site][9]
                    if home == flatten.NO_DOMAIN and is_last:
                        assert all(arg in done for arg in nodes[column].args)
                        done.add(nodes[column])
    assert done == run


def test_what_calls_functions_is_known_to_the_plan() -> None:
    names = domain_names()
    takes = {
        primitive.name
        for primitive in all_primitives().values()
        if {names[domain] for domain in primitive.domains} & {"ANY_FUNCTION", "FUNCTIONS"}
    }
    assert takes == set(flatten.SITES) | set(flatten.COMBINATORS) | {"rapply"}


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("apply(size, objects(I, T, F, T))", True),
        ("mapply(fork(shift, identity, compose(invert, ulcorner)), objects(I, T, F, T))", True),
        ("apply(lbind(apply, size), pair(I, I))", True),
        ("apply(branch(T, size, color), objects(I, T, F, T))", False),
        ("rapply(combine(initset(size), initset(height)), I)", False),
        ("apply(power(outbox, 3), objects(I, T, F, T))", True),
        ("apply(power(outbox, size(I)), objects(I, T, F, T))", False),
    ],
)
def test_functions_are_written_out_where_they_are_known(text: str, runs: bool) -> None:
    batt = Batt([parse_program(f"def f(I):\n    return {text}\n")])
    assert bool(batt.plan.programs.size) == runs


def test_programs_of_one_shape_share_their_steps() -> None:
    text = "def f(I):\n    return paint(replace(I, {k}, 3), asobject({turn}(I)))\n"
    turns = ("hmirror", "vmirror", "rot90")
    programs = [parse_program(text.format(k=k, turn=turns[k % 3])) for k in range(9)]
    assert Batt(programs).plan.n_steps == 1 + len(turns) + 3


# --- the kernels, on the CPU ---


@pytest.fixture(scope="session")
def library_of_kernels(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    return gpu_on_cpu.compile_kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def on_cpu(library_of_kernels: CDLL, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", gpu_on_cpu.fake_cupy())

    def address(_device: int, name: str) -> int:
        return gpu_on_cpu.address_in(library_of_kernels, name)

    def wide_address(_device: int, name: str) -> int:
        wide = kernels.wide_kernel(name)
        return address(0, wide) if wide else 0

    monkeypatch.setattr(kernels, "kernel", gpu_on_cpu.kernel_of(library_of_kernels))
    monkeypatch.setattr(kernels, "address", address)
    monkeypatch.setattr(kernels, "wide_address", wide_address)
    names = ("launch_kernel", "record_event", "wait_for_event")
    driver = np.array([address(0, name) for name in names], np.uint64)
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)
    monkeypatch.setattr(kernels, "load", lambda *_: None)
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(gpu, "_look_for_devices", lambda: (1, ""))
    monkeypatch.setattr(device_memory, "_idle", {})
    monkeypatch.setattr(device_run, "_idle_streams", {})


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


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [400, 6000, 200_000])
def test_functions_as_steps_agree(steps: int) -> None:
    programs = [solver.program for solver in library_programs()][::3]
    programs += [random_program(seed, 10, well_typed=seed % 3 > 0) for seed in range(60)]
    programs.append(parse_program(NESTED.replace("def f(I)", "def f(S, I)")))
    batt, samples = Batt(programs), training_samples(12)
    budget = Budget(steps=steps, bytes=steps * 20)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    n_run = len(samples) * batt.plan.programs.size
    assert got.ran_on["cuda:0"] == n_run
    assert got.ran_on["cpu"] == wanted.reasons.size - n_run
    for program in range(0, len(programs), 5):
        for sample in range(0, len(samples), 5):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@pytest.mark.usefixtures("on_cpu")
def test_a_profile_has_every_launch() -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(4)
    with profiling.profile() as profile:
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    steps = {(k, step.kernel) for k, stage in enumerate(batt.plan.stages) for step in stage.steps}
    timed = {(launch.stage, launch.kernel) for launch in profile.launches}
    assert timed - steps == {(-1, "find_outcomes")}
    assert all(launch.n_items > 0 and launch.seconds > 0 for launch in profile.launches)
    loads = [launch for launch in profile.launches if launch.kernel == "run_load"]
    assert sum(launch.n_items for launch in loads) % len(samples) == 0


@pytest.mark.usefixtures("on_cpu")
def test_a_kernel_that_cannot_be_started_leaves_all_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return hmirror(I)\n")]), training_samples(5)
    names = ("refuse_kernel", "record_event", "wait_for_event")
    driver = np.array([gpu_on_cpu.address_in(library_of_kernels, n) for n in names], np.uint64)
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: 719"):
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    assert dict(got.ran_on) == {"cpu": 5}


LARGE_GRIDS = """
def f_{k}(I):
    a = upscale(I, 2)
    b = hconcat(a, vconcat(hmirror(I), dmirror(I)))
    return pair(pair(objects(b, {u}, {d}, {w}), objects_t(a, {u}, {d}, {w})), o_g(b, {k}))
"""


@pytest.mark.usefixtures("on_cpu")
def test_objects_of_large_grids_agree() -> None:
    flags = [(u, d, w) for u in "TF" for d in "TF" for w in "TF"]
    texts = [LARGE_GRIDS.format(k=k, u=u, d=d, w=w) for k, (u, d, w) in enumerate(flags)]
    batt = Batt([parse_program(text) for text in texts])
    grid = tuple(tuple((i * i + j * (j % 5)) % 4 for j in range(17)) for i in range(17))
    samples = Samples([grid, ((1,) * 20,) * 20, ((0,) * 17,) * 17])
    for steps in (20_000, 10**7):
        budget = Budget(steps=steps, bytes=100 * steps)
        got = batt.run(samples, budget, device="cuda", keep_values=True)
        wanted = batt.run(samples, budget, device="cpu", keep_values=True)
        check_equal(got, wanted)
        for program in range(len(texts)):
            assert got.outcome(program, 0) == wanted.outcome(program, 0)


LARGE_SETS = """
def f(I):
    a = asindices(I)
    b = prapply(connect, a, a)
    c = mapply(rbind(shift, (1, 1)), b)
    d = apply(rbind(astuple, 1), product(a, corners(a)))
    e = order(b, size)
    g = papply(add, totuple(a), totuple(c))
    return pair(pair(initset(b), initset(c)), pair(initset(d), pair(e, g)))
"""


@pytest.mark.usefixtures("on_cpu")
def test_large_values_agree() -> None:
    batt = Batt([parse_program(LARGE_SETS)])
    samples = Samples([((1, 2, 3),) * 3, ((0,) * 5,) * 4, ((1, 2),)])
    for steps in (2_000, 40_000, 10**7):
        budget = Budget(steps=steps, bytes=100 * steps)
        got = batt.run(samples, budget, device="cuda", keep_values=True)
        wanted = batt.run(samples, budget, device="cpu", keep_values=True)
        check_equal(got, wanted)
        assert got.ran_on == {"cuda:0": len(samples)}
        assert all(got.outcome(0, k) == wanted.outcome(0, k) for k in range(len(samples)))


@pytest.mark.usefixtures("on_cpu")
def test_too_many_elements_are_run_in_smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(9)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(device_run, "MAX_ELEMENTS", 150)
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert 0 < got.ran_on["cuda:0"] < 9


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
def test_a_device_that_fails_in_the_middle_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()][::4])
    samples = training_samples(6)
    wanted = batt.run(samples, SMALL, device="cpu")
    real, error = kernels.kernel, sys.modules["cupy"].cuda.runtime.CUDARuntimeError
    n_left = iter(range(3))

    def failing(device: int, name: str) -> Any:
        if next(n_left, None) is None:
            raise error("an illegal memory access was encountered")
        return real(device, name)

    monkeypatch.setattr(kernels, "kernel", failing)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: an illegal memory access"):
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": wanted.reasons.size}


# --- sharing out ---


@given(st.integers(0, 50), st.integers(1, 5))
def test_shares_hold_every_sample_once_and_are_even(n_samples: int, n_workers: int) -> None:
    order = np.random.default_rng(n_samples).permutation(n_samples).astype(np.uint32)
    parts = gpu.shares(order, n_workers)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n_samples))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_every_primitive_that_a_plan_runs_has_a_kernel() -> None:
    made = {name for names in kernels.modules().values() for name in names}
    assert {f"run_{name}" for name in all_primitives()} - made == {
        f"run_{name}" for name in {*flatten.SITES, *flatten.NEVER}
    }
    assert {f"site_{name}" for name in flatten.SITES} <= made


# All of them take minutes; what they share is in each.
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs CUDA's compiler")
@pytest.mark.parametrize("module", ["common", "functions", list(kernels.modules())[-1]])
def test_the_headers_compile_for_the_gpu(module: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"{module}.cu", tmp_path / f"{module}.fatbin"
    source.write_text(kernels.source(module), "utf-8")
    command = kernels.nvcc_command(module, source, target, [90])
    compiled = subprocess.run(command, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    assert target.stat().st_size > 0


def test_kernels_compiled_of_other_sources_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "COMPILED", tmp_path)
    (tmp_path / "common.fatbin").write_bytes(b"code")
    assert kernels.compiled_file("common") is None
    (tmp_path / "sources").write_text("0123456789abcdef\n")
    assert kernels.compiled_file("common") is None
    (tmp_path / "sources").write_text(kernels.source_digest() + "\n")
    assert kernels.compiled_file("common") == tmp_path / "common.fatbin"
    assert kernels.compiled_file("functions") is None


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
    left[np.setdiff1d(np.arange(len(programs)), batt.plan.programs)] = True

    def run_some(*arguments: object) -> tuple[dict[str, int], list[object]]:
        arrays = next(a for a in arguments if isinstance(a, BattArrays))
        for name in ARRAYS:
            getattr(arrays, name)[~left] = getattr(wanted, name)[~left]
        return {"cuda:0": int((~left).sum())}, list(wanted._kept or ())

    monkeypatch.setattr("arcbatt.engine.batt._devices", lambda _device: [0])
    monkeypatch.setattr(device_memory, "new_array", np.empty)
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
    plain = Batt([parse_program("def f(I):\n    return hmirror(vmirror(I))\n")]).plan
    with_functions = Batt(
        [parse_program("def f(I):\n    return apply(size, objects(I, T, F, T))\n")]
    ).plan
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
    monkeypatch.setattr(device_memory, "new_array", np.empty)
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
    monkeypatch.setattr(device_memory, "POOL_SHARE", 1e-9)
    monkeypatch.setattr(device_memory, "MIN_POOL_BYTES", 64 * 2**20)
    check_equal(batt.run(samples, SMALL, device="cuda"), wanted)
