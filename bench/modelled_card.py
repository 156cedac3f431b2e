"""A GPU that is none, of any speed, to see how `auto` shares runs out between it and the CPU.

It is so many times as fast as all threads of the CPU, and takes some time beside for each chunk of
samples. It gives what the CPU gave before, after that time, in which it leaves the cores alone. So
with it one measures how well work is shared out, and nothing else of a GPU.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter, sleep
from typing import Any

from arcbatt.engine import calibration, device_memory, gpu, kernels, profiling
from arcbatt.engine.batt import Batt, Run
from arcbatt.engine.device_run import Overtaken
from arcbatt.engine.results import BattArrays, KeptWords
from arcbatt.engine.samples import Samples
from arcbatt.language import Budget
from arcbatt.measure import usable_cores

# So often it is looked whether others are done with a chunk, as a run on a GPU does.
LOOK_S = 5e-4
N_TIMED = 3


@dataclass(frozen=True)
class Known:
    """What the CPU gave for the programs that a GPU runs, and what it took for a sample."""

    arrays: BattArrays
    sample_s: float


@dataclass(frozen=True)
class ModelledCard:
    """How fast it is, and what it knows by batt and samples, which stay as long as it does."""

    times_cpu: float
    fixed_s: float
    known: dict[tuple[int, int, Budget], tuple[object, object, Known]] = field(default_factory=dict)
    learning: Lock = field(default_factory=Lock)  # two at once would each find the CPU slower

    def results_of(
        self, batt: Batt | device_memory.GpuBatt, samples: Samples, budget: Budget
    ) -> Known:
        """Return what the CPU gives, which it runs the first time: nobody else should run then."""
        key = id(batt.fused), id(samples), budget
        with self.learning:
            if key not in self.known:
                run = Run(samples, budget, usable_cores())
                part = batt.fused.part(batt.plan.programs)
                times = []
                for _ in range(N_TIMED):
                    arrays = run.new_arrays(batt.plan.programs.size)
                    start = perf_counter()
                    run.on_cpu(part, samples.by_demos, arrays)
                    times.append(perf_counter() - start)
                self.known[key] = batt.fused, samples, Known(arrays, min(times) / len(samples))
        return self.known[key][-1]


@dataclass
class ModelledRun:
    """What stands for `DeviceRun`."""

    card: ModelledCard
    batt: device_memory.GpuBatt
    samples: Samples
    budget: Budget
    device: int
    arrays: BattArrays
    keep_values: bool
    is_alone: bool
    launches: list[profiling.Launch] | None

    def samples_from(
        self, first: int, end: int, is_overtaken: Callable[[], bool]
    ) -> list[KeptWords]:
        known = self.card.results_of(self.batt, self.samples, self.budget)
        work_s = (end - first) * known.sample_s / self.card.times_cpu
        done_s = perf_counter() + self.card.fixed_s + work_s
        while (left_s := done_s - perf_counter()) > 0:
            if is_overtaken():
                raise Overtaken
            sleep(min(left_s, LOOK_S))
        return []

    def write(self, first: int, end: int) -> int:
        known = self.card.results_of(self.batt, self.samples, self.budget).arrays
        rows = self.batt.plan.programs
        for name, array in self.arrays._asdict().items():
            array[rows, first:end] = getattr(known, name)[:, first:end]
        return rows.size * (end - first)


@contextmanager
def in_place_of_gpus(n_gpus: int, times_cpu: float, fixed_s: float) -> Iterator[ModelledCard]:
    """Have runs on GPUs go to so many that are none, each of that speed."""
    card = ModelledCard(times_cpu, fixed_s)
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(  # type: ignore[attr-defined]
        compiler=types.SimpleNamespace(CompileException=RuntimeError),
        memory=types.SimpleNamespace(OutOfMemoryError=MemoryError),
    )

    def new_run(*given: Any) -> ModelledRun:
        return ModelledRun(card, *given)

    with ExitStack() as stack:
        for place, values in (
            (gpu, {"DeviceRun": new_run, "_look_for_devices": lambda: (n_gpus, "")}),
            (kernels, {"are_ready": lambda *_: True}),
            (device_memory, {"new_results": device_memory.np.empty}),
            (calibration, {"machine": lambda: f"a card {times_cpu:g} times the CPU", "_known": []}),
            (calibration, {"load": lambda: None, "store": lambda _: None}),
        ):
            stack.enter_context(changed(place, **values))
        before = sys.modules.get("cupy")
        sys.modules["cupy"] = cupy
        try:
            yield card
        finally:
            if before is None:
                del sys.modules["cupy"]
            else:
                sys.modules["cupy"] = before


@contextmanager
def changed(place: object, **values: object) -> Iterator[None]:
    """Set what a module or class has otherwise."""
    before = {name: getattr(place, name) for name in values}
    try:
        for name, value in values.items():
            setattr(place, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(place, name, value)
