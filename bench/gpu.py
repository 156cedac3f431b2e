"""What the GPU takes against the CPU, and whether `auto` chooses well.

    python bench/gpu.py

Every workload's results are first compared with the CPU's: a difference ends the run. Ratios come
from one run; the CPU's own figures are those of the machine that the GPU is in.
"""

from __future__ import annotations

import os
import sys
import time
import warnings

import numpy as np
from engine import library_programs, measure, mixed_programs, training_samples
from rich.console import Console
from rich.table import Table

from arcbatt.conformance import read_recorded, replay
from arcbatt.conformance.engines import fused
from arcbatt.conformance.recorded import SHIPPED
from arcbatt.engine import calibration, gpu, health, kernels
from arcbatt.engine.batt import Batt
from arcbatt.engine.results import BattResult
from arcbatt.engine.samples import Samples
from arcbatt.language import Budget
from arcbatt.language.random_programs import random_program

BUDGET = Budget(steps=1_000_000, bytes=2**24)
SMALL_BUDGET = Budget(steps=100_000, bytes=2**21)
N_PROGRAMS = 32
BATCHES = (1, 4, 16, 64, 128, 256, 512, 1024, 3000, 12_000, 48_000)


def differences(a: BattResult, b: BattResult) -> int:
    return sum(
        int((getattr(a, name) != getattr(b, name)).sum())
        for name in ("reasons", "matches", "hashes", "steps")
    )


def fresh(samples: Samples) -> Samples:
    """The samples as if never run: their transfer to the GPU is part of the figure."""
    samples.images.clear()
    return samples


def main() -> None:
    warnings.simplefilter("error", RuntimeWarning)
    console = Console(width=130)
    try:
        gpu.device_count()
    except gpu.GpuError as error:
        sys.exit(f"there is no GPU to measure: {error}")
    start = time.perf_counter()
    kernels.load([name for names in kernels.modules().values() for name in names], 0)
    console.print(
        f"{health.look_for_gpus().gpus[0].name}; kernels: {time.perf_counter() - start:.1f} s"
    )

    samples, for_reference = training_samples()
    inputs = [sample["I"] for sample in for_reference]
    demos = [((grid, grid),) for grid in inputs[:300]]
    few = Samples(inputs[:300], inputs[:300], demos)
    mixed = Batt(mixed_programs(1000))
    many = {n: Samples((inputs * 28)[:n]) for n in BATCHES}
    workloads = {
        "mixed calls, 3,000 samples": (mixed, many[3000], BUDGET),
        "mixed calls, 48,000 samples": (mixed, many[48_000], BUDGET),
        "library, training samples": (
            Batt([solver.program for solver in library_programs()]),
            samples,
            BUDGET,
        ),
    }
    for kind, well_typed in (("well-typed", True), ("ill-typed", False)):
        programs = [random_program(seed, 10, well_typed=well_typed) for seed in range(2000)]
        workloads[f"2,000 random {kind} programs, 300 samples"] = (
            Batt(programs),
            few,
            SMALL_BUDGET,
        )

    n_recorded, wrong = replay(read_recorded(SHIPPED), fused("cuda:0"))
    console.print(f"recorded calls on cuda:0: {n_recorded - len(wrong)} of {n_recorded} right")
    table = Table(title="GPU against CPU")
    for heading in (
        "workload",
        "results",
        "differ",
        "on the CPU after all",
        "GPU",
        "CPU, all cores",
    ):
        table.add_column(heading)
    failed = bool(wrong)
    for name, (batt, inputs_of, budget) in workloads.items():
        on_cpu = batt.run(inputs_of, budget, device="cpu")
        on_gpu = batt.run(inputs_of, budget, device="cuda")
        n_different = differences(on_cpu, on_gpu)
        failed |= n_different > 0
        cpu_s = measure(lambda b=batt, s=inputs_of, u=budget: b.run(s, u, device="cpu"), 2)
        gpu_s = measure(lambda b=batt, s=inputs_of, u=budget: b.run(fresh(s), u, device="cuda"), 5)
        table.add_row(
            name,
            f"{on_cpu.reasons.size:,}",
            str(n_different),
            f"{on_gpu.ran_on.get('cpu', 0):,}",
            f"{gpu_s * 1e3:.1f} ms",
            f"{cpu_s * 1e3:.1f} ms",
        )
    console.print(table)
    if failed:
        sys.exit("the GPU's results differ")

    n_calls = mixed.size.n_calls
    core_s = measure(lambda: mixed.run(many[3000], BUDGET, device="cpu", n_threads=1), 3)
    table = Table(title=f"{n_calls} mixed calls")
    for heading in ("workload", "figure", "target"):
        table.add_column(heading)
    large_s = measure(lambda: mixed.run(fresh(many[48_000]), BUDGET, device="cuda"), 5)
    table.add_row(
        "48,000 samples against one core (3,000 samples there, times 16)",
        f"{large_s * 1e3:.1f} ms, {16 * core_s / large_s:.0f} times",
        "100 times",
    )
    small_s = measure(lambda: mixed.run(fresh(many[3000]), BUDGET, device="cuda"), 10)
    table.add_row("3,000 samples, transfers included", f"{small_s * 1e3:.1f} ms", "10 ms")
    console.print(table)

    programs = [solver.program for solver in library_programs()][:N_PROGRAMS]
    mirrored = [tuple(row[::-1] for row in grid) for grid in inputs]
    twice = Samples([*inputs, *mirrored], [*inputs, *mirrored])
    table = Table(title=f"{N_PROGRAMS} library programs on 400 tasks, {len(twice):,} samples")
    for heading in ("device", "fuse, transfer, run, score", "in the engine", "target", "ran on"):
        table.add_column(heading)
    for device in ("cpu", "cuda", "auto"):
        whole, engine = [], []
        for _ in range(5):
            fresh(twice)
            start = time.perf_counter()
            batt = Batt(programs)
            engine_start = time.perf_counter()
            found = batt.run(twice, BUDGET, device=device)
            engine.append(time.perf_counter() - engine_start)
            found.matches.sum(axis=1)
            whole.append(time.perf_counter() - start)
        shares = ", ".join(f"{d} {c / found.reasons.size:.0%}" for d, c in found.ran_on.items())
        figures = (f"{min(each) * 1e3:.1f} ms" for each in (whole, engine))
        table.add_row(device, *figures, "50 ms", shares)
    console.print(table)

    console.print(calibration.of_this_machine(Batt))
    table = Table(title=f"auto against the better, {os.cpu_count()} threads; target: at most 1.15")
    for heading in ("samples", "CPU", "GPU", "auto", "auto / better", "auto ran on"):
        table.add_column(heading)
    for n in BATCHES:
        times: dict[str, list[float]] = {"cpu": [], "cuda": [], "auto": []}
        order = np.random.default_rng(0)  # none is to come after the same other one always
        for _ in range(40 if n < 10_000 else 6):
            for device in order.permutation(list(times)).tolist():
                start = time.perf_counter()
                mixed.run(fresh(many[n]), BUDGET, device=device)
                times[device].append(time.perf_counter() - start)
        cpu_s, gpu_s, auto_s = (float(np.median(taken)) for taken in times.values())
        ran_on = mixed.run(fresh(many[n]), BUDGET, device="auto").ran_on
        shares = ", ".join(f"{d} {c / (len(mixed.programs) * n):.0%}" for d, c in ran_on.items())
        row = (f"{cpu_s * 1e3:.2f} ms", f"{gpu_s * 1e3:.2f} ms", f"{auto_s * 1e3:.2f} ms")
        table.add_row(f"{n:,}", *row, f"{auto_s / min(cpu_s, gpu_s):.2f}", shares)
    console.print(table)


if __name__ == "__main__":
    main()
