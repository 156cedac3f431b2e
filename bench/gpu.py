"""What the GPU takes against the CPU, and whether `auto` chooses well.

    python bench/gpu.py [--profile] [--check MILLIONS] [--pool FOLDER] [--only TEXT]

Every workload's results are first compared with the CPU's: a difference ends the run. Ratios come
from one run; the CPU's own figures are those of the machine that the GPU is in. With a pool, the
programs of a folder's files are one more workload. With a profile, tables say where the time of
each workload goes: on the host by phase, on the card by kernel and by stage of the plan. With a
check, so many million results of random programs, under large and small budgets, are compared.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from engine import library_programs, measure, mixed_programs, training_samples
from pipeline import begin_evolution
from rich.console import Console
from rich.table import Table

from arcbatt.conformance import read_recorded, replay
from arcbatt.conformance.engines import fused
from arcbatt.conformance.recorded import SHIPPED
from arcbatt.engine import calibration, device_memory, gpu, health, kernels, profiling
from arcbatt.engine.batt import Batt
from arcbatt.engine.results import BattResult
from arcbatt.engine.samples import Samples
from arcbatt.engine.staged import TaskArrays, TaskResult
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Budget, Program, parse_file
from arcbatt.language.random_programs import random_program
from arcbatt.measure import Clock
from arcbatt.pool import Pool
from arcbatt.proposers.evolve import EvolveOptions
from arcbatt.tasks import Task, load

BUDGET = Budget(steps=1_000_000, bytes=2**24)
SMALL_BUDGET = Budget(steps=100_000, bytes=2**21)
# Of a check: enough, hardly enough and too little for most programs.
CHECK_BUDGETS = (SMALL_BUDGET, Budget(steps=5000, bytes=2**17), Budget(steps=400, bytes=2**13))
CHECK_PROGRAMS = 1000
CARD = 800
N_PROGRAMS = 32
BATCHES = (1, 4, 16, 64, 128, 256, 512, 1024, 3000, 12_000, 48_000)


def differences(a: BattResult, b: BattResult) -> int:
    return sum(
        int((getattr(a, name) != getattr(b, name)).sum())
        for name in ("reasons", "matches", "hashes", "steps")
    )


def fresh(samples: Samples) -> Samples:
    """The samples as if never run: their transfer to the GPU is part of the figure."""
    device_memory.forget(samples)
    return samples


def table_of(title: str, headings: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    table = Table(title=title)
    for heading in headings:
        table.add_column(heading)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def print_profile(console: Console, name: str, work: Callable[[], object], n_rows: int) -> None:
    """Where the time of a run goes: by phase of the host, by kernel and by stage."""
    work()
    clock = Clock()
    start = time.perf_counter()
    with clock.active():
        work()
    whole_s = time.perf_counter() - start
    phases = [
        f"{timeline.name}: "
        + ", ".join(f"{each.name} {each.seconds * 1e3:.2f}" for each in timeline.phases if each.ns)
        for timeline in clock.report().timelines
    ]
    with profiling.profile() as profile:
        work()
    launches = profile.launches
    on_card_s = sum(launch.seconds for launch in launches)
    console.print(
        f"[bold]{name}[/bold]: {whole_s * 1e3:.2f} ms; "
        + "; ".join(phases)
        + f"; {len(launches)} launches, {on_card_s * 1e3:.2f} ms in kernels"
    )
    headings = ("launches", "items", "ms", "share", "longest, ms", "of items", "us an item")
    for title, key in (("kernel", "kernel"), ("stage", "stage")):
        groups: dict[object, list[profiling.Launch]] = {}
        for launch in launches:
            groups.setdefault(getattr(launch, key), []).append(launch)
        rows = []
        for group, members in groups.items():
            seconds = sum(member.seconds for member in members)
            n_items = sum(member.n_items for member in members)
            longest = max(members, key=lambda member: member.seconds)
            rows.append(
                (
                    group,
                    len(members),
                    f"{n_items:,}",
                    f"{seconds * 1e3:.3f}",
                    f"{seconds / on_card_s:.1%}",
                    f"{longest.seconds * 1e3:.3f}",
                    f"{longest.n_items:,}",
                    f"{seconds / max(n_items, 1) * 1e6:.3f}",
                )
            )
        rows.sort(key=lambda row: -float(row[3]))
        console.print(table_of(f"{name}, by {title}", (title, *headings), rows[:n_rows]))
    on_cpu = profile.rows()[:10]
    if on_cpu:
        rows = [(row.name, row.n_calls, f"{row.seconds * 1e3:.2f}") for row in on_cpu]
        console.print(table_of("beside on the CPU", ("primitive", "calls", "ms of threads"), rows))


class RecordingBoard(TaskBoard):
    """A board that keeps the programs of the cards that it screens."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(tasks, device="cpu")
        self.mutants: list[Program] = []

    def screen(self, batt: Batt, **options: Any) -> TaskResult:
        if options.get("skip_dear"):
            self.mutants += batt.programs
        return super().screen(batt, **options)


def evolve_cards() -> dict[str, tuple[list[Program], TaskBoard]]:
    """What evolve deals: a card, and four cards at once."""
    board = RecordingBoard(load("arc-agi-1/training"))
    with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "p.db") as pool:
        evolution = begin_evolution(board, pool, EvolveOptions(card_size=CARD))
        for _ in range(5):
            evolution.step()
        evolution.close()
    whole = TaskBoard(board.tasks)
    mutants = board.mutants
    cards = (mutants[:CARD], mutants[: 4 * CARD])
    return {f"{len(some):,} mutants on {len(whole)} tasks": (some, whole) for some in cards}


def screen(programs: list[Program], board: TaskBoard, device: str) -> TaskResult:
    """Screen a card as evolve does, fusing included."""
    return board.screen(Batt(programs), held_out=True, skip_dear=True, device=device)


def run_cards(console: Console) -> None:
    """Print what evolve's cards take, fusing included, and compare what devices give."""
    rows = []
    for name, (programs, board) in evolve_cards().items():
        wanted = screen(programs, board, "cpu")
        taken: dict[str, list[float]] = {"cpu": [], "cuda": [], "auto": []}
        for _ in range(7):
            for device, times in taken.items():
                start = time.perf_counter()
                got = screen(programs, board, device)
                times.append(time.perf_counter() - start)
                if any((getattr(got, a) != getattr(wanted, a)).any() for a in TaskArrays._fields):
                    sys.exit(f"{name}: {device} gives other results")
        seconds = [float(np.median(times)) for times in taken.values()]
        ran_on = ", ".join(f"{d} {n / got.reasons.size:.0%}" for d, n in got.ran_on.items())
        figures = [f"{s * 1e3:.1f} ms" for s in seconds]
        rows.append((name, *figures, f"{seconds[2] / min(seconds[:2]):.2f}", ran_on))
    headings = ("card", "CPU", "GPU", "auto", "auto / better", "auto ran on")
    console.print(table_of("evolve's cards, fusing included", headings, rows))


def check(console: Console, inputs: list[tuple[tuple[int, ...], ...]], n_wanted: int) -> None:
    """Compare so many results of random programs, well-typed and not, under several budgets."""
    samples = Samples(inputs, inputs, [((grid, grid),) for grid in inputs])
    n_compared = n_different = n_on_cpu = 0
    batch = 0
    while n_compared < n_wanted:
        seeds = range(CHECK_PROGRAMS * batch, CHECK_PROGRAMS * (batch + 1))
        budget = CHECK_BUDGETS[batch % len(CHECK_BUDGETS)]
        batt = Batt([random_program(seed, 10, well_typed=seed % 3 > 0) for seed in seeds])
        on_cpu = batt.run(samples, budget, device="cpu")
        on_gpu = batt.run(samples, budget, device="cuda")
        n_different += differences(on_cpu, on_gpu)
        n_on_cpu += on_gpu.ran_on.get("cpu", 0)
        n_compared += on_cpu.reasons.size
        batch += 1
    console.print(
        f"random programs: {n_compared:,} results compared, {n_different} differ; "
        f"{n_on_cpu:,} of them came from the CPU"
    )
    if n_different:
        sys.exit("the GPU's results differ")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What the GPU takes against the CPU.")
    parser.add_argument("--profile", action="store_true", help="say where the time goes, and stop")
    parser.add_argument("--rows", type=int, default=30, help="of a profile's tables, at most")
    parser.add_argument("--check", type=float, default=0, help="million results, and stop")
    parser.add_argument("--pool", type=Path, help="a folder with files of programs, run as one")
    parser.add_argument("--only", default="", help="workloads whose name has this text")
    return parser.parse_args()


def begin() -> Console:
    """Return where to print to; ends where there is no GPU, and later where one fails."""
    warnings.simplefilter("error", RuntimeWarning)
    try:
        gpu.device_count()
    except gpu.GpuError as error:
        sys.exit(f"there is no GPU to measure: {error}")
    return Console(width=130)


def main() -> None:
    options = read_options()
    console = begin()
    start = time.perf_counter()
    kernels.load([name for names in kernels.modules().values() for name in names], 0)
    console.print(
        f"{health.look_for_gpus().gpus[0].name}; kernels: {time.perf_counter() - start:.1f} s"
    )

    samples, for_reference = training_samples()
    inputs = [sample["I"] for sample in for_reference]
    if options.check:
        check(console, inputs[::2], int(options.check * 1e6))
        return
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
    if options.pool:
        files = sorted(options.pool.glob("*.py"))
        pool = [solver.program for path in files for solver in parse_file(path)]
        name = f"pool of {len(pool)} programs, training samples"
        workloads[name] = (Batt(pool), samples, BUDGET)
    workloads = {name: work for name, work in workloads.items() if options.only in name}
    if options.profile:
        for name, (batt, inputs_of, budget) in workloads.items():

            def run(
                batt: Batt = batt, inputs_of: Samples = inputs_of, budget: Budget = budget
            ) -> None:
                batt.run(fresh(inputs_of), budget, device="cuda")

            print_profile(console, name, run, options.rows)
        few_programs = [solver.program for solver in library_programs()][:N_PROGRAMS]
        print_profile(
            console,
            f"{N_PROGRAMS} library programs, fusing included",
            lambda: Batt(few_programs).run(fresh(samples), BUDGET, device="cuda"),
            options.rows,
        )
        for name, (programs, board) in evolve_cards().items():

            def screen(programs: tuple[Program, ...] = programs, board: TaskBoard = board) -> None:
                board.screen(Batt(programs), held_out=True, device="cuda")

            print_profile(console, name, screen, options.rows)
        return

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
        "70 ms, 200 times",
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
        table.add_row(device, *figures, "15 ms", shares)
    console.print(table)

    console.print(calibration.of_this_machine(Batt))
    run_cards(console)
    table = Table(title=f"auto against the better, {os.cpu_count()} threads; target: at most 1.10")
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
