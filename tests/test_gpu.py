"""Runs on the GPU: how work is put together and shared out; where there is one, that it agrees."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
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
    choosing,
    device_memory,
    device_run,
    flatten,
    gpu,
    kernel_files,
    kernels,
    nvrtc,
    profiling,
    sharing,
)
from arcbatt.engine import batt as batt_module
from arcbatt.engine.batt import Batt
from arcbatt.engine.calibration import Calibration, Prediction
from arcbatt.engine.choosing import Choices, Chosen
from arcbatt.engine.results import BattResult
from arcbatt.engine.samples import Samples
from arcbatt.engine.sharing import Pace
from arcbatt.engine.staged import TaskArrays, TaskSamples, run_on_tasks
from arcbatt.engine.table import domain_names
from arcbatt.language import Budget, all_primitives, parse_program
from arcbatt.language.random_programs import random_program
from arcbatt.library import library_programs
from arcbatt.measure import usable_cores
from arcbatt.tasks import load

from . import gpu_on_cpu

SMALL = Budget(steps=200_000, bytes=2**22)
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
    done: dict[object, int] = {}  # by node, its step
    at_node = at_other = 0
    for number, step in enumerate(step for steps in flatten.stages_of(plan) for step in steps):
        members = [nodes[k] for k in plan.nodes[at_node : at_node + step.n_nodes]]
        others = plan.others[at_other : at_other + step.n_others].tolist()
        at_node, at_other = at_node + step.n_nodes, at_other + step.n_others
        assert all(done[arg] in step.needs for node in members for arg in node.args)
        assert all(need < number for need in (*step.needs, *step.size_needs))
        assert set(step.size_needs) <= set(step.needs)
        done.update(dict.fromkeys(members, number))
        if step.kernel.startswith("site_"):
            for site, phase in ((entry >> 2, entry & 3) for entry in others):
                _, home, column, *_ = plan.sites[site].tolist()
                if home == _engine.NO_DOMAIN and phase == 0:
                    assert all(done[arg] in step.needs for arg in nodes[column].args)
                if home == _engine.NO_DOMAIN and phase == plan.sites[site][9]:
                    done[nodes[column]] = number
    assert set(done) == run


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

    monkeypatch.setattr(kernels, "address", address)
    monkeypatch.setattr(kernels, "wide_address", wide_address)
    driver = gpu_on_cpu.driver_functions(library_of_kernels)
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)
    monkeypatch.setattr(kernels, "load", lambda *_: None)
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(gpu, "_look_for_devices", lambda: (1, ""))
    monkeypatch.setattr(device_memory, "_idle", {})
    monkeypatch.setattr(device_memory, "_images", OrderedDict())
    monkeypatch.setattr(device_run, "_idle_streams", {})
    # So few that several items are taken at once.
    monkeypatch.setattr(device_run, "THREADS_A_SM", 128)


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
@pytest.mark.parametrize("seed", range(4))
def test_steps_wait_for_all_that_they_need(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL, seed: int
) -> None:
    programs = [solver.program for solver in library_programs()][seed::20]
    programs.append(parse_program(NESTED.replace("def f(I)", "def f(S, I)")))
    batt, samples = Batt(programs), training_samples(2)
    wanted = batt.run(samples, SMALL, device="cpu")
    driver = gpu_on_cpu.LateDriver(library_of_kernels, seed)
    monkeypatch.setattr(kernels, "driver_functions", driver.functions)
    monkeypatch.setattr(device_run, "EVENTS_A_STREAM", (2, 32)[seed % 2])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] == len(samples) * batt.plan.programs.size


@pytest.mark.usefixtures("on_cpu")
def test_two_runs_at_a_time_on_one_card_agree() -> None:
    programs, samples = [solver.program for solver in library_programs()], training_samples(6)
    batts = [Batt(programs[start::40]) for start in range(4)]
    wanted = [batt.run(samples, SMALL, device="cpu") for batt in batts]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(batt.run, samples, SMALL, device="cuda") for batt in batts]
        for run, each in zip(runs, wanted, strict=True):
            check_equal(run.result(), each)
            assert run.result().ran_on["cuda:0"]


@pytest.mark.usefixtures("on_cpu")
def test_a_profile_has_every_launch() -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(4)
    with profiling.profile() as profile:
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    stages = flatten.stages_of(batt.plan)
    steps = {(k, step.kernel) for k, stage in enumerate(stages) for step in stage}
    timed = {(launch.stage, launch.kernel) for launch in profile.launches}
    others = {kernel for _, kernel in timed - steps}
    assert others == {device_run.COUNTING, "find_outcomes"}
    assert all(launch.n_items > 0 and launch.seconds > 0 for launch in profile.launches)
    loads = [launch for launch in profile.launches if launch.kernel == "run_load"]
    assert sum(launch.n_items for launch in loads) % len(samples) == 0


@pytest.mark.usefixtures("on_cpu")
def test_a_kernel_that_cannot_be_started_leaves_all_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return hmirror(I)\n")]), training_samples(5)
    driver = gpu_on_cpu.driver_functions(library_of_kernels, launch="refuse_kernel")
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: 719"):
        got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, batt.run(samples, SMALL, device="cpu"))
    assert dict(got.ran_on) == {"cpu": 5}


@pytest.mark.usefixtures("on_cpu")
def test_kernels_that_cannot_be_compiled_leave_all_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return hmirror(I)\n")]), training_samples(5)

    def load_nothing(*_arguments: Any) -> None:
        raise kernels.KernelError("grids_1: no compiler")

    monkeypatch.setattr(kernels, "load", load_nothing)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: grids_1: no compiler"):
        got = batt.run(samples, SMALL, device="cuda")
    assert dict(got.ran_on) == {"cpu": 5}


LARGE_GRIDS = """
def f_{k}(I):
    a = upscale(I, 2)
    b = hconcat(a, vconcat(hmirror(I), dmirror(I)))
    c = pair(enclosed_cells(b, {k}), areas_between(b, ofcolor(b, {k})))
    e = pair(objects(b, {u}, {d}, {w}), objects_t(a, {u}, {d}, {w}))
    return pair(pair(e, c), o_g(b, {k}))
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


# Sets of locations and of cells, some few and some many, one of two colours, a tuple, and nothing.
ELEMENTS = """
def f(I):
    a = asindices(I)
    b = insert(a, insert(corners(a), insert(initset(ORIGIN), initset(shift(a, (3, -2))))))
    c = combine(apply(lbind(recolor, 2), b), initset(asobject(I)))
    d = combine(totuple(combine(b, c)), astuple(totuple(corners(a)), totuple(difference(a, a))))
    return {call}
"""
OF_ONE = (
    "uppermost lowermost leftmost rightmost ulcorner urcorner llcorner lrcorner corners vline hline"
    " center height width shape portrait toindices initset size color".split()
)
OF_TWO = "intersection difference combine manhattan hmatching vmatching insert contained".split()
CALLS = [
    *(f"apply({name}, sfilter({sets}, size))" for name in OF_ONE for sets in "bcd"),
    *(f"apply({name}, d)" for name in OF_ONE),
    *(f"prapply({name}, {x}, {y})" for name in OF_TWO for x, y in ("bb", "bc", "cb", "cc", "db")),
    *(
        f"apply(rbind(shift, {way}), {sets})"
        for way in ("(1, -1)", "(0, 0)", "3")
        for sets in "bcd"
    ),
    *(f"apply(lbind(recolor, {color}), {sets})" for color in (0, 2) for sets in "bcd"),
    *(f"apply({name}, a)" for name in ("neighbors", "dneighbors", "ineighbors")),
    *(f"apply(lbind({name}, insert), b)" for name in ("lbind", "rbind", "matcher")),
    "apply(lbind(compose, first), combine(initset(last), initset(size)))",
    "apply(fork(insert, first, compose(initset, last)), product(a, corners(a)))",
    "apply(lbind(fork, insert), combine(b, initset(first)))",
    *(f"apply(rbind(remove, {sets}), {sets})" for sets in "abcd"),
    *(
        f"apply(lbind(remove, {x}), {y})"
        for x in ("1", "ORIGIN")
        for y in ("a", "b", "product(a, a)")
    ),
    "apply(lbind(remove, first(b)), insert(b, insert(initset(first(b)), initset(b))))",
    "prapply(remove, interval(0, 4, 1), insert((0, 1), insert((1, 1, 2), initset((3, 1, 1)))))",
    "apply(rbind(remove, palette(I)), interval(0, 4, 1))",
    "apply(rbind(remove, insert(a, initset(1))), insert(a, initset(1)))",
    *(f"apply(rbind(shoot, {way}), a)" for way in ("UP_RIGHT", "(3, -3)", "(1, 2)")),
    "apply(lbind(shoot, ORIGIN), combine(a, shift(a, (30000, 0))))",
    "prapply(connect, a, shift(a, (20, 20)))",
]


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [900, 30_000, 10**6])
def test_elements_that_are_small_or_large_agree(steps: int) -> None:
    batt = Batt([parse_program(ELEMENTS.format(call=call)) for call in CALLS])
    grid = tuple(tuple((i * i + j * (j % 5)) % 4 for j in range(9)) for i in range(9))
    samples = Samples([grid, ((1, 2, 3),) * 3, ((0,),)])
    budget = Budget(steps=steps, bytes=steps * 20)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] > 0.9 * wanted.reasons.size
    for program in range(len(CALLS)):
        assert got.outcome(program, 0) == wanted.outcome(program, 0)


# Grids, patches and sets within 32 rows and columns of the origin, across its edges, far away.
PLAIN = """
def f_{k}(I):
    b = {turn}(I)
    o = merge(objects(b, {u}, {d}, T))
    x = ofcolor(b, {k})
    y = shift(x, ({di}, {dj}))
    z = combine(x, y)
    w = difference(z, toindices(shift(o, ({di}, 0))))
    g = underfill(fill(b, {k}, w), 3, y)
    q = shift(asobject(tophalf(g)), (1, {di}))
    r = paint(g, combine(q, recolor({k}, z)))
    t = recolor({k}, toobject(z, r))
    v = paint(r, recolor(3, combine(t, q)))
    s = crop(hconcat(v, hmirror(v)), (1, 1), (9, 9))
    e = cover(s, box(combine(toindices(t), y)))
    return pair(totuple(pair(e, totuple(o))), pair(totuple(w), totuple(combine(z, toindices(q)))))
"""


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [300, 2500, 10**6])
def test_plain_calls_agree(steps: int) -> None:
    moves = [(0, 1), (1, 0), (-2, 3), (3, -4), (25, 1), (2, 40), (-40, 500), (100_000, -7)]
    turns = ["rot90", "dmirror", "vmirror", "identity"]
    texts = [
        PLAIN.format(k=k, di=di, dj=dj, u="TF"[k % 2], d="FT"[k // 2 % 2], turn=turns[k % 4])
        for k, (di, dj) in enumerate(moves)
    ]
    batt = Batt([parse_program(text) for text in texts])
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")[:12]]
    samples = Samples([*inputs, ((0, 1, 2) * 15, (3, 0, 0) * 15) * 17, ((11, -1), (0, 2))])
    budget = Budget(steps=steps, bytes=20 * steps)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] == wanted.reasons.size
    for program in range(len(texts)):
        for sample in range(len(samples)):
            assert got.outcome(program, sample) == wanted.outcome(program, sample)


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("seed", range(3))
def test_chunks_are_begun_before_others_are_done(
    monkeypatch: pytest.MonkeyPatch, library_of_kernels: CDLL, seed: int
) -> None:
    texts = [
        PLAIN.format(k=k, di=1, dj=k, u="T", d="FT"[k], turn=("rot90", "vmirror")[k])
        for k in range(2)
    ]
    batt = Batt([parse_program(text) for text in texts])
    inputs = [task.demos[0].input for task in load("arc-agi-1/training")]
    samples = Samples([grid for grid in inputs if len(grid) * len(grid[0]) < 40][: 70 + seed])
    wanted = batt.run(samples, SMALL, device="cpu")
    driver = gpu_on_cpu.LateDriver(library_of_kernels, seed)
    monkeypatch.setattr(kernels, "driver_functions", driver.functions)
    monkeypatch.setattr(device_run, "EXPECTED_CALL_BYTES", 2**40)  # 32 samples a chunk
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": wanted.reasons.size}


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


# Calls on values that are large enough for wide lanes: of some the members lie close together.
LARGE_CALLS = """
def f(I):
    a = asindices(I)
    b = asobject(I)
    c = apply(initset, a)
    d = shift(a, (7, 900))
    e = insert(a, insert(shift(b, (3, 2)), initset(d)))
    return {call}
"""
CALLS_ON_LARGE = [
    *(
        "pair(a, d)",
        "pair(totuple(b), a)",
        "pair(totuple(e), totuple(e))",
        "product(a, corners(d))",
    ),
    *("product(c, corners(a))", "combine(c, e)", "combine(c, apply(initset, d))", "combine(c, b)"),
    *("combine(e, a)", "merge(e)", "merge(insert(d, initset(a)))", "merge(insert(a, initset(d)))"),
    "mapply(lbind(shift, a), corners(d))",
    "mapply(lbind(shift, b), corners(a))",
    "mapply(lbind(shift, d), totuple(corners(a)))",
    *("copies_at(a, a)", "copies_at(b, corners(d))", "copies_at(d, totuple(corners(a)))"),
    *("foreground(I)", "palette(I)", "palette(b)", "get_color_rank(I, 1)", "get_color_rank(b, -1)"),
    *(
        "get_color_rank(canvas(17, (20, 20)), 0)",
        "move(I, totuple(b), (0, 0))",
        "move(I, d, ORIGIN)",
    ),
    *(
        "objects(I, T, F, F)",
        "insert(upscale(I, 3), c)",
        "tile(astuple(ORIGIN, I), (30, 41), 1)",
        "b",
        "I",
    ),
]


@pytest.mark.usefixtures("on_cpu")
@pytest.mark.parametrize("steps", [20_000, 10**6])
def test_calls_on_large_values_agree(steps: int) -> None:
    batt = Batt([parse_program(LARGE_CALLS.format(call=call)) for call in CALLS_ON_LARGE])
    samples = Samples([tuple(tuple((i * j + i) % 7 % 4 for j in range(18)) for i in range(19))])
    budget = Budget(steps=steps, bytes=steps * 20)
    wanted = batt.run(samples, budget, device="cpu", keep_values=True)
    got = batt.run(samples, budget, device="cuda", keep_values=True)
    check_equal(got, wanted)
    assert got.ran_on == {"cuda:0": len(CALLS_ON_LARGE)}
    for program in range(len(CALLS_ON_LARGE)):
        assert got.outcome(program, 0) == wanted.outcome(program, 0)


@pytest.mark.usefixtures("on_cpu")
def test_stages_go_on_when_they_have_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program(NESTED.replace("(I)", "(S, I)", 1))]), training_samples(5)
    usual = sys.getswitchinterval()
    for n_bytes in (1, 5000):
        monkeypatch.setattr(device_run, "HOST_BYTES", n_bytes)
        monkeypatch.setattr(device_run, "DEVICE_BYTES", n_bytes)
        check_equal(batt.run(samples, SMALL, device="cuda"), batt.run(samples, SMALL, device="cpu"))
    assert sys.getswitchinterval() == usual


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
def test_chunks_get_smaller_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(9)
    wanted = batt.run(samples, SMALL, device="cpu")
    real, sizes = device_run.DeviceRun._chunk, []

    def chunk(run: device_run.DeviceRun, cupy: Any, chosen: Any, memory: Any) -> Any:
        sizes.append(chosen.size)
        if chosen.size > 2 or 4 in chosen:
            raise MemoryError("out of memory")
        return real(run, cupy, chosen, memory)

    monkeypatch.setattr(device_run.DeviceRun, "_chunk", chunk)
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cuda:0": 8, "cpu": 1}
    assert sorted(set(sizes))[-3:] == [4, 5, 9]


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
    device_memory.give_up(0)
    assert not device_memory._images
    assert not device_memory._idle


@pytest.mark.usefixtures("on_cpu")
def test_a_device_that_fails_in_the_middle_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_what_was_written_before_a_failure_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    batt, samples = Batt([parse_program("def f(I):\n    return rot90(I)\n")]), training_samples(70)
    wanted = batt.run(samples, SMALL, device="cpu")
    error = sys.modules["cupy"].cuda.runtime.CUDARuntimeError
    real, sizes = device_run.DeviceRun._chunk, []

    def chunk(run: device_run.DeviceRun, cupy: Any, chosen: Any, memory: Any) -> Any:
        sizes.append(chosen.size)
        if len(sizes) == 3:
            run.arrays.hashes[:, :32] = 7  # as if copies had come to nothing
            raise error("the card has fallen off the bus")
        return real(run, cupy, chosen, memory)

    monkeypatch.setattr(device_run, "EXPECTED_CALL_BYTES", 2**40)
    monkeypatch.setattr(device_run.DeviceRun, "_chunk", chunk)
    with pytest.warns(RuntimeWarning, match="the CPU runs instead: the card has fallen"):
        got = batt.run(samples, SMALL, device="cuda")
    assert sizes == [32, 32, 6]
    check_equal(got, wanted)
    assert dict(got.ran_on) == {"cpu": 70}


# --- both at once ---


def never_done(monkeypatch: pytest.MonkeyPatch, library: CDLL) -> None:
    """Let the device never come to the end of anything."""
    driver = gpu_on_cpu.driver_functions(library, query="never_done")
    monkeypatch.setattr(kernels, "driver_functions", lambda: driver)


class AlwaysBoth(Choices):
    """Choices that let the CPU and GPUs share runs out."""

    def choose(self, kind: Hashable, expected_s: Mapping[str, float]) -> Chosen:
        return replace(super().choose(kind, expected_s), way=choosing.BOTH)


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
    # So that the GPU, which is slow here, is waited for.
    new_queue = _engine.SampleQueue
    monkeypatch.setattr(
        _engine, "SampleQueue", lambda **options: new_queue(**{**options, "runs_spare": False})
    )
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
    new_queue = _engine.SampleQueue
    monkeypatch.setattr(
        _engine, "SampleQueue", lambda **options: new_queue(**{**options, "runs_spare": False})
    )
    got = run_on_tasks(batt, tasks, SMALL, n_threads=2)
    for name in TaskArrays._fields:
        assert (getattr(got, name) == getattr(wanted, name)).all(), name
    assert 0 < got.ran_on["cuda:0"] < wanted.reasons.size
    assert sum(got.ran_on.values()) == wanted.reasons.size


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
    queue = _engine.SampleQueue(n_samples=10, has_left_out=False, runs_spare=False)
    assert queue.lend(4) == (0, 6, 10)
    assert queue.lend(9) == (1, 0, 6)
    assert queue.lend(1) is None
    assert queue.finish(0)
    assert not queue.finish(0)
    queue.give_back(1)
    assert not queue.finish(1)
    assert not queue.is_overtaken(1)
    queue.close()
    assert queue.is_overtaken(1)
    with pytest.raises(ValueError, match="no such chunk"):
        queue.finish(2)


def test_a_gpu_that_has_nothing_takes_what_the_cpu_is_too_slow_for() -> None:
    queue = _engine.SampleQueue(n_samples=1000, has_left_out=False, runs_spare=False)
    pace = Pace(queue, 1, replace(EXPECTED, gpu_fixed_s=0.01, cpu_sample_s=1e-6))
    assert pace.share(1) == 0  # 1 ms on the CPU, 10 on the GPU
    time.sleep(0.02)
    assert 500 < pace.wait_for_share() <= 1000
    pace.note(500, 10_000.0)  # the GPU is even slower
    assert pace.share(1) == 0
    queue.close()
    assert pace.wait_for_share() == 0


EXPECTED = Prediction(
    n_threads=1,
    thread_s=0.0,
    cpu_sample_s=1e-6,
    left_out_sample_s=0.0,
    gpu_fixed_s=0.0,
    gpu_sample_s=1e-9,
)


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


# --- kernels ---


def test_every_primitive_that_a_plan_runs_has_a_kernel() -> None:
    made = {name for names in kernels.modules().values() for name in names}
    assert {f"run_{name}" for name in all_primitives()} - made == {
        f"run_{name}" for name in {*flatten.SITES, *flatten.NEVER}
    }
    assert {f"site_{name}" for name in flatten.SITES} <= made


def has_compiler() -> bool:
    try:
        return bool(nvrtc.version())
    except nvrtc.NvrtcError:
        return False


# All of them take minutes; what they share is in each.
@pytest.mark.skipif(not has_compiler(), reason="needs NVIDIA's run-time compiler")
@pytest.mark.parametrize("module", ["common", "functions_1", list(kernels.modules())[-1]])
def test_the_headers_compile_for_the_gpu(module: str, tmp_path: Path) -> None:
    assert kernels.compile_modules(tmp_path, [module], ["sm_90"], 1) == []
    (path,) = tmp_path.rglob("*.xz")
    assert path == tmp_path / kernels.source_digest() / "sm_90" / f"{module}.xz"
    assert kernel_files.read(path).startswith(b"\x7fELF")


# Another compiler, which warns of more.
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs the compiler of CUDA's toolkit")
@pytest.mark.parametrize("module", ["common", "functions_1", list(kernels.modules())[-1]])
def test_the_headers_compile_without_warnings(module: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"{module}.cu", tmp_path / f"{module}.cubin"
    source.write_text(kernels.source(module), "utf-8")
    options = [each for each in kernels.source_options(module) if each != "-default-device"]
    options += ["-arch=sm_90", "-cubin", "-Werror", "all-warnings"]
    command = ["nvcc", *options, "-o", target, source]
    compiled = subprocess.run(command, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    assert target.stat().st_size > 0


@pytest.mark.parametrize(
    ("capability", "wanted"),
    [(86, ["sm_86", "sm_80", "compute_75"]), (90, ["sm_90", "compute_75"]), (61, ["sm_60"])],
)
def test_code_is_taken_that_a_gpu_can_run(
    cache: Path, capability: int, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The best comes first, in whichever place it is; what was made of other sources is not taken.
    packaged = cache / "package"
    monkeypatch.setattr(kernel_files, "folders", lambda: [packaged, cache / "kernels"])
    targets = ["sm_60", "sm_75", "sm_80", "sm_86", "sm_90", "compute_75"]
    for k, target in enumerate(targets):
        folder = packaged if k % 2 else cache / "kernels"
        kernel_files.write(folder, "digest", target, "grids", target.encode())
    for target in wanted:
        found = kernel_files.find("digest", "grids", capability)
        assert found is not None
        assert kernel_files.read(found) == target.encode()
        found.unlink()
    assert kernel_files.find("digest", "grids", capability) is None
    assert kernel_files.find("other", "grids", 75) is None


def test_a_wheel_of_kernels_is_found_where_it_is_installed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "release")
    wheel = importlib.import_module("kernels").write_wheel
    folder = cache / "made"
    kernel_files.write(folder, "digest", "sm_90", "grids", b"code")
    path = wheel(folder, "1.2", cache)
    assert path.name == "arcbatt_kernels-1.2-py3-none-any.whl"
    assert kernel_files.find("digest", "grids", 90) is None
    with zipfile.ZipFile(path) as archive:
        rows = archive.read("arcbatt_kernels-1.2.dist-info/RECORD").decode().splitlines()
        assert [row.split(",")[0] for row in rows] == archive.namelist()
        archive.extractall(cache / "site")
    monkeypatch.syspath_prepend(cache / "site")
    found = kernel_files.find("digest", "grids", 90)
    assert found is not None
    assert kernel_files.read(found) == b"code"


def test_only_the_latest_versions_are_kept(tmp_path: Path) -> None:
    for k in range(kernel_files.N_VERSIONS + 2):
        (tmp_path / str(k) / "sm_90").mkdir(parents=True)
        os.utime(tmp_path / str(k), (k, k))
    kernel_files.drop_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "4", "5"]


def test_modules_are_compiled_meanwhile_each_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compilers = kernel_files.Compilers()
    monkeypatch.setattr(kernel_files, "compilers", compilers)
    monkeypatch.setattr(kernels, "_capability", lambda _device: 90)
    loaded: list[set[str]] = []
    monkeypatch.setattr(kernels, "_load_modules", lambda names, _device: loaded.append(set(names)))
    started = cache / "started"

    def command(module: str, capability: int) -> list[str]:
        code = f"open({str(started)!r}, 'a').write('{module} '); " + (
            "raise SystemExit('no such thing as a site')"
            if module.startswith("site")
            else "from arcbatt.engine import kernel_files, kernels; kernel_files.write("
            f"kernel_files.folders()[-1], kernels.source_digest(), 'sm_{capability}', "
            f"'{module}', b'code')"
        )
        return [sys.executable, "-c", code]

    monkeypatch.setattr(kernel_files, "compile_command", command)
    names = {"run_hmirror", "run_objects"}
    assert not kernels.are_ready(names, 0)
    kernels.load(names, 0)  # which waits
    assert kernels.are_ready(names, 0)
    assert loaded == [names, names]
    assert sorted(started.read_text().split()) == sorted(map(kernels.module_of, names))
    with pytest.raises(kernels.KernelError, match="no such thing as a site"):
        kernels.load({"site_apply"}, 0)
    monkeypatch.setattr(kernels, "_told", set())
    with pytest.warns(RuntimeWarning, match=r"cuda:0 is not used.*no such thing as a site.*doctor"):
        assert not kernels.are_ready({"site_apply"}, 0)
    assert not kernels.are_ready({"site_apply"}, 0)  # without a second warning, which is an error
    assert "no such thing" in kernels.trouble_with({"site_apply", "run_objects"}, 0)
    failed = kernel_files.read_troubles(kernels.source_digest())
    assert failed == {f"sm_90/{kernels.module_of('site_apply')}": "no such thing as a site"}
    assert compilers.n_busy == 0
    # A compiler that ends well and leaves nothing has failed, too.
    monkeypatch.setattr(kernel_files, "compile_command", lambda *_: [sys.executable, "-c", ""])
    with pytest.raises(kernels.KernelError, match="has left nothing in"):
        kernels.load({"run_add"}, 0)
    monkeypatch.setattr(kernel_files, "compile_command", lambda *_: [str(cache / "nowhere")])
    with pytest.raises(kernels.KernelError, match="nowhere"):
        kernels.load({"run_canvas"}, 0)


@pytest.mark.skipif(not has_compiler(), reason="needs NVIDIA's run-time compiler")
def test_modules_are_compiled_meanwhile_by_the_real_compiler(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_files, "compilers", kernel_files.Compilers())
    monkeypatch.setattr(kernels, "_capability", lambda _device: 90)
    monkeypatch.setattr(kernels, "_load_modules", lambda *_: None)
    names = set(kernels.modules()["functions_1"])
    assert not kernels.are_ready(names, 0)
    kernels.load(names, 0)
    assert kernels.are_ready(names, 0)
    path = kernel_files.find(kernels.source_digest(), "functions_1", 90)
    assert path is not None and path.is_relative_to(cache)
    assert kernel_files.read(path).startswith(b"\x7fELF")


def test_cores_are_left_to_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "n_compiling", lambda: 10)
    assert batt_module.Choice([]).n_threads_beside_compilers(16) == 6
    assert batt_module.Choice([]).n_threads_beside_compilers(8) == 2
    assert batt_module.Choice([]).n_threads_beside_compilers(1) == 1
    asked_for = batt_module.Choice([], may_compile=False)
    assert asked_for.n_threads_beside_compilers(16) == 16


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


# A GPU that does a part, for the way in which what it leaves is done by the CPU.
def test_what_a_gpu_leaves_the_cpu_finishes(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [random_program(seed, 10) for seed in range(30)]
    samples = training_samples(20)
    batt = Batt(programs)
    wanted = batt.run(samples, SMALL, device="cpu", keep_values=True)
    rng = np.random.default_rng(0)
    left = rng.random(wanted.reasons.shape) < 0.2
    left[np.setdiff1d(np.arange(len(programs)), batt.plan.programs)] = True

    def run_some(work: gpu.GpuRun, *_arguments: object) -> gpu.GpuPart:
        for name in ARRAYS:
            getattr(work.arrays, name)[~left] = getattr(wanted, name)[~left]
        return gpu.GpuPart(int((~left).sum()), list(wanted._kept or ()))

    monkeypatch.setattr("arcbatt.engine.batt._devices", lambda _device: [0])
    monkeypatch.setattr(device_memory, "new_array", np.empty)
    monkeypatch.setattr(gpu.GpuRun, "work", run_some)
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
    cores_worth=float(usable_cores()),
    plan_node_s=0.0,
    gpu_run_s=5e-4,
    gpu_step_s=2e-5,
    gpu_stage_s=0.0,
    gpu_plain_ratio=0.01,
    gpu_function_ratio=0.1,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    monkeypatch.setattr(calibration, "_known", [])
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
    monkeypatch.setattr(calibration, "measure", lambda _batts, _here: measured)
    monkeypatch.setattr(kernels, "are_ready", lambda *_: False)
    calibration.store(CALIBRATION)
    assert calibration.known() is None
    assert calibration.of_this_machine(Batt) is None
    assert calibration.load() == CALIBRATION
    monkeypatch.setattr(kernels, "are_ready", lambda *_: True)
    assert calibration.of_this_machine(Batt) == measured
    assert calibration.known() == measured
    assert json.loads((cache / "calibration.json").read_text())["machine"] == measured.machine


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
    cache: Path, monkeypatch: pytest.MonkeyPatch, expects_gpu: bool
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
def test_two_workers_on_one_card_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    batt = Batt([solver.program for solver in library_programs()])
    samples = training_samples(101)
    wanted = batt.run(samples, SMALL, device="cpu")
    monkeypatch.setattr(batt_module, "_devices", lambda _device: [0, 0])
    got = batt.run(samples, SMALL, device="cuda")
    check_equal(got, wanted)
    assert got.ran_on["cuda:0"] > 0.9 * 101 * batt.plan.programs.size


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
