"""Calibration of a machine: times of CPU and GPU, measured once, stored and used by `auto`."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from arcbatt.engine.gpu import health, kernels
from arcbatt.engine.graph.samples import Samples
from arcbatt.files import cache_folder
from arcbatt.language import parse_program
from arcbatt.measure import usable_cores

if TYPE_CHECKING:
    from arcbatt.engine.batt import Batt
    from arcbatt.engine.gpu.plan import Plan

PLAIN = """
def plain_{k}(I):
    a = replace({turn}(I), {k}, 3)
    b = merge(objects(a, T, F, T))
    c = shift(ofcolor(a, 3), (1, {k}))
    d = paint(fill(a, {k}, c), b)
    return hconcat(underfill(d, 2, difference(c, toindices(b))), vmirror(d))
"""
OF_FUNCTIONS = """
def of_functions_{k}(I):
    a = objects(I, T, F, T)
    b = sfilter(a, compose(even, size))
    c = apply(fork(combine, toindices, delta), a)
    d = mapply(rbind(shift, (1, {k})), b)
    e = ofcolor(I, {k})
    f = mapply(fork(connect, first, last), product(e, e))
    return paint(fill(underfill(I, 3, f), {k}, merge(c)), d)
"""
SMALL = """
def small_{k}(I):
    return {turn}(I)
"""
TURNS = ("hmirror", "vmirror", "dmirror", "rot90", "rot180")
# Real samples vary more in size than these: with functions that call functions, a warp takes long
# for a few large ones, and the rest waits.
FUNCTION_TAIL = 4
# The thread that starts a GPU's kernels gets a core of its own, unless a core is more than this
# share of the CPU: that thread mostly waits.
MAX_FREE_SHARE = 1 / 8
N_SAMPLES = 4096
N_SOME = 1024
N_FEW = 128


@dataclass(frozen=True, slots=True)
class Calibration:
    """Measured times of calls on the CPU, and their ratios to times on a GPU.

    `machine` names the machine and the version of the engine that were measured; others need
    another calibration. Plain calls are those of primitives that call no functions.
    """

    machine: str
    measured_at: str
    thread_s: float  # to start a thread
    plain_call_s: float  # a plain call, on one core
    function_call_s: float  # a call that calls functions, on one core
    cores_worth: float  # speed of all threads together, relative to one
    plan_node_s: float  # to plan a node of a batt for GPUs
    gpu_run_s: float  # a run with almost no work
    gpu_step_s: float  # per step of the plan
    gpu_stage_s: float  # per stage of the plan, which is waited for
    gpu_plain_ratio: float  # seconds per second of a core
    gpu_function_ratio: float

    def core_s(self, n_nodes: int, n_functions: int) -> float:
        """Return the time per sample on one core; `n_functions` of the nodes call functions."""
        plain_s = self.plain_call_s * (n_nodes - n_functions)
        return max(plain_s + self.function_call_s * n_functions, 1e-9)

    def predict(self, plan: Plan, n_threads: int) -> Prediction:
        """Predict the times of a batt on samples of average size."""
        n_functions = plan.n_function_calls
        plain_s = self.plain_call_s * (plan.n_nodes - n_functions)
        function_s = self.function_call_s * n_functions
        speed = max(1.0, self.cores_worth * min(1.0, n_threads / usable_cores()))
        sample_s = self.core_s(plan.n_nodes, n_functions) / speed
        steps_s = self.gpu_step_s * plan.n_steps + self.gpu_stage_s * len(plan.stage_ends)
        return Prediction(
            n_threads=n_threads,
            thread_s=self.thread_s,
            cpu_sample_s=sample_s,
            left_out_sample_s=sample_s * plan.n_left_out / plan.n_nodes,
            gpu_fixed_s=self.gpu_run_s + steps_s,
            gpu_sample_s=plain_s * self.gpu_plain_ratio + function_s * self.gpu_function_ratio,
        )


def threads_beside(n_threads: int, n_devices: int) -> int:
    """Return the number of threads that the CPU should use while GPUs are running."""
    return n_threads - n_devices if n_devices <= n_threads * MAX_FREE_SHARE else n_threads


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted seconds of a run: per sample on all threads of the CPU, and on a GPU."""

    n_threads: int
    thread_s: float  # to start one
    cpu_sample_s: float
    left_out_sample_s: float  # on the CPU, for programs that a GPU leaves out
    gpu_fixed_s: float
    gpu_sample_s: float

    def cpu_s(self, n_samples: int) -> float:
        """Return the time of the CPU alone."""
        n_used = max(1, min(self.n_threads, n_samples))
        return self.thread_s * n_used + self.cpu_sample_s * n_samples * self.n_threads / n_used

    def gpu_s(self, n_samples: int, n_devices: int = 1) -> float:
        """Return the time of GPUs, with the CPU running the programs that they leave out."""
        device_s = self.gpu_fixed_s + -(-n_samples // n_devices) * self.gpu_sample_s
        slowdown = self.n_threads / threads_beside(self.n_threads, n_devices)
        return max(device_s, n_samples * self.left_out_sample_s * slowdown)


def path() -> Path:
    """Return the path of the stored calibration."""
    return cache_folder() / "calibration.json"


@cache
def machine() -> str:
    """Return what a calibration depends on: the first GPU, the cores, the engine's source."""
    gpus = health.look_for_gpus().gpus
    name = gpus[0].name if gpus else "no GPU"
    return f"{name}, {usable_cores()} cores, engine {kernels.source_digest()}"


def load() -> Calibration | None:
    """Return the stored calibration, or None if there is none or it cannot be read."""
    try:
        return Calibration(**json.loads(path().read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def store(calibration: Calibration) -> None:
    """Replace the stored calibration atomically."""
    target = path()
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_suffix(f".{os.getpid()}.new")
    new.write_text(json.dumps(asdict(calibration), indent=2) + "\n", "utf-8")
    new.replace(target)


def known() -> Calibration | None:
    """Return the calibration of this machine if it was measured before."""
    if _known and _known[-1].machine == machine():
        return _known[-1]
    stored = load()
    if stored is None or stored.machine != machine():
        return None
    _known.append(stored)
    return stored


_known: list[Calibration] = []


def of_this_machine(new_batt: Callable[..., Batt]) -> Calibration | None:
    """Return the known calibration, or measure and store one.

    Returns None while the kernels for it are being compiled, and if the GPU fails.
    """
    calibration = known()
    # Runs that start at the same time must not measure each other.
    if calibration is None and _measuring.acquire(blocking=False):
        try:
            calibration = known() or _measure_now(new_batt)
        finally:
            _measuring.release()
    return calibration


_measuring = Lock()
_failed: set[str] = set()  # machines whose GPU has failed


def _measure_now(new_batt: Callable[..., Batt]) -> Calibration | None:
    if machine() in _failed:
        return None
    batts = _batts(new_batt)
    if not kernels.are_ready({name for batt in batts for name in batt.kernels}, 0):
        return None
    try:
        calibration = measure(batts, machine())
    except GpuHasFailed as error:
        _failed.add(machine())
        warnings.warn(f"{error}; auto leaves it out", RuntimeWarning, stacklevel=6)
        return None
    _known.append(calibration)
    with suppress(OSError):  # in a read-only folder, the next process measures again
        store(calibration)
    return calibration


class GpuHasFailed(Exception):
    """The CPU had to run a part of the measurement of a GPU."""


def _batts(new_batt: Callable[..., Batt]) -> tuple[Batt, Batt, Batt]:
    """Return a small batt, one of plain calls and one of calls that call functions."""

    def batt_of(text: str, n: int) -> Batt:
        return new_batt([parse_program(text.format(k=k, turn=TURNS[k % 5])) for k in range(n)])

    return batt_of(SMALL, 1), batt_of(PLAIN, 10), batt_of(OF_FUNCTIONS, 10)


def measure(batts: tuple[Batt, Batt, Batt], here: str) -> Calibration:
    """Measure runs on both devices: about a second once the kernels are compiled.

    Raises `GpuHasFailed` if the CPU had to run a part that was the GPU's.
    """
    rng = np.random.default_rng(0)
    sizes = rng.integers(3, 20, (N_SAMPLES, 2)).tolist()
    grids = [
        tuple(map(tuple, np.where(rng.random(size) < 0.6, 0, rng.integers(0, 10, size)).tolist()))
        for size in sizes
    ]
    many, some = Samples(grids), Samples(grids[:N_SOME])
    few, one = Samples(grids[:N_FEW]), Samples(grids[:1])

    def least_s(batt: Batt, samples: Samples, device: str, n_threads: int = 1) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            result = batt.run(samples, device=device, n_threads=n_threads)
            times.append(time.perf_counter() - start)
            n_on_cpu = result.ran_on.get("cpu", 0)
            if device != "cpu" and n_on_cpu:
                share = f"{n_on_cpu} of {result.reasons.size} results"
                raise GpuHasFailed(f"{device} cannot be measured: {share} came from the CPU")
        return min(times)

    small, plain, of_functions = batts
    start = time.perf_counter()
    plain.make_plan()
    plan_node_s = (time.perf_counter() - start) / plain.n_nodes
    n_cores = usable_cores()
    plain_s, function_s = (least_s(batt, few, "cpu") for batt in (plain, of_functions))
    # Threads share caches and memory: the additional time for more samples gives their joint speed,
    # and the rest of the time for few samples is that of starting them.
    threaded_s, more_s = (least_s(plain, each, "cpu", n_cores) for each in (few, some))
    slope_s = max(more_s - threaded_s, 1e-9) / (N_SOME - N_FEW)
    plain_call_s = plain_s / N_FEW / plain.plan.n_nodes
    n_functions = of_functions.plan.n_function_calls
    n_plain = of_functions.plan.n_nodes - n_functions
    function_call_s = (function_s / N_FEW - plain_call_s * n_plain) / n_functions

    small_s = least_s(small, one, "cuda:0")

    def ratio_and_rest(batt: Batt, core_s: float) -> tuple[float, float]:
        """Return seconds on the GPU per second of a core, and the fixed seconds of a run."""
        few_s, many_s = least_s(batt, few, "cuda:0"), least_s(batt, many, "cuda:0")
        ratio = max(0.0, (many_s - few_s) / (core_s / N_FEW * (N_SAMPLES - N_FEW)))
        return ratio, few_s - ratio * core_s

    plain_ratio, plain_rest_s = ratio_and_rest(plain, plain_s)
    function_ratio, function_rest_s = ratio_and_rest(of_functions, function_s)
    more_steps = plain.plan.n_steps - small.plan.n_steps
    step_s = max(0.0, plain_rest_s - small_s) / more_steps
    run_s = max(0.0, small_s - step_s * small.plan.n_steps)
    n_stages = len(of_functions.plan.stage_ends)
    waiting_s = function_rest_s - run_s - step_s * of_functions.plan.n_steps
    stage_s = max(0.0, waiting_s) / n_stages
    return Calibration(
        machine=here,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        thread_s=max(0.0, threaded_s - slope_s * N_FEW) / n_cores,
        plain_call_s=plain_call_s,
        function_call_s=max(plain_call_s, function_call_s),
        cores_worth=min(max(1.0, plain_s / N_FEW / slope_s), n_cores),
        plan_node_s=plan_node_s,
        gpu_run_s=run_s,
        gpu_step_s=step_s,
        gpu_stage_s=stage_s,
        gpu_plain_ratio=plain_ratio,
        gpu_function_ratio=FUNCTION_TAIL * max(plain_ratio, function_ratio),
    )
