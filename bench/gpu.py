"""Compare the GPU with the CPU: results, times, and the choice of `auto`.

    python bench/gpu.py [--only TEXT] [--pool FOLDER] [--profile]
    python bench/gpu.py --first FOLDER | --check MILLIONS | --evolve SECONDS

By default, runs workloads on the CPU, on the GPU and by `auto`, from the same process; different
results end the run. `--first` measures how long a new process takes until a GPU returns its first
results, without compiled kernels and with them. `--check` compares results of random programs.
`--evolve` counts evolve's pairs of a program and a task per second. `--profile` prints tables of
the time by phase of the host, by kernel and by stage of the plan.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from engine import library_programs, mixed_programs, training_samples
from pipeline import begin_evolution
from random_programs import random_program
from rich.console import Console
from rich.table import Table

from arcbatt.checking import SHIPPED, fused, read_recorded, replay
from arcbatt.engine import batt as batt_module
from arcbatt.engine import profiler
from arcbatt.engine.batt import Batt
from arcbatt.engine.gpu import calibration, device_memory, health, kernels
from arcbatt.engine.gpu.devices import GpuError, device_count
from arcbatt.engine.graph.results import BattResult
from arcbatt.engine.graph.samples import Samples
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Budget, Program, parse_file
from arcbatt.measure import Clock, Report
from arcbatt.pool import Pool
from arcbatt.proposers.evolve import EvolveOptions, choose_card_size
from arcbatt.tasks import Task, load

BUDGET = Budget(steps=1_000_000, bytes=2**24)
SMALL_BUDGET = Budget(steps=100_000, bytes=2**21)
# Budgets of a check: enough, hardly enough and too little for most programs.
CHECK_BUDGETS = (SMALL_BUDGET, Budget(steps=5000, bytes=2**17), Budget(steps=400, bytes=2**13))
CHECK_PROGRAMS = 1000
CARD = 800
N_PROGRAMS = 32
DEVICES = ("cpu", "cuda", "auto")
# Runs per device; short ones are repeated until REPEATS_S have passed.
REPEATS, MOST_REPEATS, REPEATS_S = 5, 40, 1.0
TRAINING = "arc-agi-1/training"
# The first cards of evolve are not counted: the engine and the processes that deal warm up.
N_UNCOUNTED = 2
# Phases of a card that take less are not shown.
SHOWN_S = 1e-3
FIRST_LIMIT_S = 100
FIRST = """
import sys, time
sys.path.insert(0, "bench")
from engine import mixed_programs, training_samples
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
inputs = [sample["I"] for sample in training_samples()[1]]
batt, samples = Batt(mixed_programs(1000)), Samples((inputs * 2)[:3000])
start, n_runs = time.perf_counter(), 0
while True:
    n_runs += 1
    if "cuda:0" in batt.run(samples).ran_on or time.perf_counter() - start > 100:
        break
print(time.perf_counter() - start, n_runs)
"""


def differences(a: BattResult, b: BattResult) -> int:
    """Count results that differ in failure, match, hash or cost."""
    return sum(
        int((getattr(a, name) != getattr(b, name)).sum())
        for name in ("reasons", "matches", "hashes", "steps")
    )


def table_of(title: str, headings: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    """Return a table of rich."""
    table = Table(title=title)
    for heading in headings:
        table.add_column(heading)
    for row in rows:
        table.add_row(*map(str, row))
    return table


def shares(ran_on: Mapping[str, int]) -> str:
    """Return the share of each device in words."""
    n_results = sum(ran_on.values())
    return ", ".join(f"{name} {n / n_results:.0%}" for name, n in ran_on.items())


def workloads(pool: Path | None) -> Iterator[tuple[str, Batt, Samples, Budget]]:
    """Yield batts with samples: a name, both, and the budget."""
    samples, for_reference = training_samples()
    inputs = [sample["I"] for sample in for_reference]
    few = Samples(inputs[:300], inputs[:300], [((grid, grid),) for grid in inputs[:300]])
    mixed = Batt(mixed_programs(1000))
    for n in (16, 64, 256, 1024, 3000, 12_000, 48_000):
        yield f"mixed calls, {n:,} samples", mixed, Samples((inputs * 28)[:n]), BUDGET
    library = [solver.program for solver in library_programs()]
    yield "library, training samples", Batt(library), samples, BUDGET
    some = Batt(library[:N_PROGRAMS])
    yield f"{N_PROGRAMS} library programs, training samples", some, samples, BUDGET
    for kind, well_typed in (("well-typed", True), ("ill-typed", False)):
        programs = [random_program(seed, 10, well_typed=well_typed) for seed in range(2000)]
        yield f"2,000 random {kind} programs, 300 samples", Batt(programs), few, SMALL_BUDGET
    if pool:
        programs = [p.program for path in sorted(pool.glob("*.py")) for p in parse_file(path)]
        yield f"pool of {len(programs)} programs, training samples", Batt(programs), samples, BUDGET


def compare_devices(
    name: str,
    run: Callable[[str], BattResult | TaskResult],
    count_differences: Callable[[Any, Any], int],
) -> tuple[str, ...]:
    """Run on each device in random order; return a row of medians, once the results are equal."""
    results = {device: run(device) for device in DEVICES}
    n_different = sum(count_differences(results["cpu"], results[d]) for d in DEVICES[1:])
    if n_different:
        sys.exit(f"{name}: {n_different} results differ")
    order = np.random.default_rng(0)  # so that no device always follows the same other one
    times: dict[str, list[float]] = {device: [] for device in DEVICES}
    began_s = time.perf_counter()
    for k in range(MOST_REPEATS):
        if k >= REPEATS and time.perf_counter() - began_s > REPEATS_S:
            break
        for device in order.permutation(DEVICES).tolist():
            start = time.perf_counter()
            results[device] = run(device)
            times[device].append(time.perf_counter() - start)
    cpu_s, gpu_s, auto_s = (float(np.median(times[device])) for device in DEVICES)
    figures = [f"{s * 1e3:.2f} ms" for s in (cpu_s, gpu_s, auto_s)]
    n_results = f"{results['cpu'].reasons.size:,}"
    ratio = f"{auto_s / min(cpu_s, gpu_s):.2f}"
    ran_on = [shares(results[device].ran_on) for device in DEVICES[1:]]
    return (name, n_results, *figures, ratio, *ran_on)


def run_workloads(console: Console, only: str, pool: Path | None) -> None:
    """Print the times of each device, transfers of samples included."""
    rows = []
    for name, batt, samples, budget in workloads(pool):
        if only not in name:
            continue

        def run(
            device: str, batt: Batt = batt, samples: Samples = samples, budget: Budget = budget
        ) -> BattResult:
            device_memory.forget(samples)
            return batt.run(samples, budget, device=device)

        rows.append(compare_devices(name, run, differences))
    for name, (programs, board) in evolve_cards().items():
        if only not in name:
            continue

        def screen(
            device: str, programs: Sequence[Program] = programs, board: TaskBoard = board
        ) -> TaskResult:
            return board.screen(Batt(programs), held_out=True, skip_expensive=True, device=device)

        rows.append(compare_devices(f"{name}, fusing included", screen, task_differences))
    headings = (
        *("workload", "results", "CPU", "GPU", "auto", "auto / better"),
        *("GPU ran on", "auto ran on"),
    )
    title = f"{os.cpu_count()} threads; target of auto / better: at most 1.10"
    console.print(table_of(title, headings, rows))


def task_differences(a: TaskResult, b: TaskResult) -> int:
    """Count results on tasks that differ in anything."""
    return sum(int((one != other).sum()) for one, other in zip(a.arrays, b.arrays, strict=True))


def run_single_core(console: Console) -> None:
    """Print the mixed calls against one core."""
    inputs = [sample["I"] for sample in training_samples()[1]]
    mixed = Batt(mixed_programs(1000))
    few, many = (Samples((inputs * 28)[:n]) for n in (3000, 48_000))
    mixed.run(many, BUDGET, device="cuda")
    start = time.perf_counter()
    mixed.run(few, BUDGET, device="cpu", n_threads=1)
    middle = time.perf_counter()
    mixed.run(many, BUDGET, device="cuda")
    core_s, gpu_s = middle - start, time.perf_counter() - middle
    console.print(
        f"{mixed.n_calls} mixed calls, 48,000 samples: {gpu_s * 1e3:.1f} ms, "
        f"{16 * core_s / gpu_s:.0f} times one core (16 times its 3,000 samples); target 200"
    )


def print_profile(console: Console, name: str, work: Callable[[], object], n_rows: int) -> None:
    """Print the time of a run by phase of the host, by kernel and by stage."""
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
    with profiler.profile() as profile:
        work()
    launches = profile.launches
    on_card_s = sum(launch.seconds for launch in launches)
    console.print(
        f"[bold]{name}[/bold]: {whole_s * 1e3:.2f} ms; "
        + "; ".join(phases)
        + f"; {len(launches)} launches, {on_card_s * 1e3:.2f} ms in kernels"
    )
    headings = ("launches", "items", "ms", "share", "longest, ms", "of items", "us per item")
    for title, key in (("kernel", "kernel"), ("stage", "stage")):
        groups: dict[object, list[profiler.Launch]] = {}
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
        console.print(
            table_of("meanwhile on the CPU", ("primitive", "calls", "ms over all threads"), rows)
        )


class RecordingBoard(TaskBoard):
    """A board that records the programs of the cards it screens."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(tasks, device="cpu")
        self.mutants: list[Program] = []

    def screen(self, batt: Batt, **options: Any) -> TaskResult:
        if options.get("skip_expensive"):
            self.mutants += batt.programs
        return super().screen(batt, **options)


def evolve_cards() -> dict[str, tuple[list[Program], TaskBoard]]:
    """Return programs that evolve deals: those of a card, and of four cards."""
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


def run_profiles(console: Console, only: str, pool: Path | None, n_rows: int) -> None:
    """Print where the time of each workload goes."""
    for name, batt, samples, budget in workloads(pool):
        if only not in name:
            continue

        def run(batt: Batt = batt, samples: Samples = samples, budget: Budget = budget) -> None:
            device_memory.forget(samples)
            batt.run(samples, budget, device="cuda")

        print_profile(console, name, run, n_rows)
    for name, (programs, board) in evolve_cards().items():
        if only not in name:
            continue

        def screen(programs: Sequence[Program] = programs, board: TaskBoard = board) -> None:
            board.screen(Batt(programs), held_out=True, device="cuda")

        print_profile(console, name, screen, n_rows)


def check(console: Console, inputs: list[tuple[tuple[int, ...], ...]], n_wanted: int) -> None:
    """Compare results of random programs, well-typed and not, under several budgets."""
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


def run_scarce(console: Console) -> None:
    """Print times with two workers on one GPU, and with little memory."""
    batt = Batt([solver.program for solver in library_programs()])
    samples, _ = training_samples()
    wanted = batt.run(samples, BUDGET, device="cpu")

    def compare(name: str) -> tuple[str, ...]:
        start = time.perf_counter()
        got = batt.run(samples, BUDGET, device="cuda")
        elapsed_s = time.perf_counter() - start
        return name, str(differences(got, wanted)), f"{elapsed_s * 1e3:.1f} ms", shares(got.ran_on)

    rows = []
    with patch.object(batt_module, "find_devices", lambda _device: [0, 0]):
        rows.append(compare("two workers on one GPU"))
    device_memory.release_cached(0)
    with patch.multiple(device_memory, POOL_SHARE=1e-9, MIN_POOL_BYTES=64 * 2**20):
        rows.append(compare("64 MiB for values"))
    device_memory.release_cached(0)
    rows.append(compare("one worker, all memory"))
    headings = ("library, training samples", "differ", "time", "ran on")
    console.print(table_of("scarce resources", headings, rows))


def run_first(console: Console, folder: Path) -> None:
    """Print how long a new process takes to get its first results from a GPU."""
    rows = []
    if (folder / "kernels").exists():
        sys.exit(f"{folder}: the folder already has kernels; name a new one")
    for name in ("from source", "with compiled kernels", "and a calibration"):
        done = subprocess.run(
            [sys.executable, "-c", FIRST],
            env={**os.environ, "ARCBATT_CACHE": str(folder)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        elapsed_s, n_runs = map(float, done.stdout.split())
        took = f"{elapsed_s:.1f} s" if elapsed_s < FIRST_LIMIT_S else f"not in {FIRST_LIMIT_S} s"
        console.print(f"{name}: {took}, {int(n_runs) - 1} runs on the CPU meanwhile")
        rows.append((name, took, int(n_runs) - 1))
        if name == "from source":
            (folder / "calibration.json").unlink(missing_ok=True)
    headings = ("first results from a GPU", "after", "runs on the CPU meanwhile")
    console.print(table_of("mixed calls, 3,000 samples", headings, rows))


def run_evolve(console: Console, options: argparse.Namespace) -> None:
    """Print the pairs of a new program and a task that evolve runs per second."""
    rows = []
    rates = {}
    sizes = []
    for device in options.devices.split(","):
        size = options.card or choose_card_size(device)
        sizes.append(size)
        cards, processes, report = evolve_here(device, size, options)
        phases = ", ".join(
            f"{each.name} {each.seconds / len(cards) * 1e3:.1f}"
            for each in sorted(report.main.phases, key=lambda each: -each.ns)
            if each.seconds / len(cards) > SHOWN_S
        )
        n_pairs = sum(card.n_pairs for card in cards)
        wall_s, engine_s = sum(card.wall_s for card in cards), sum(card.engine_s for card in cards)
        names = sorted({name for card in cards for name in card.ran_on})
        ran_on = {name: sum(card.ran_on.get(name, 0) for card in cards) for name in names}
        devices = ", ".join(f"{name} {n / sum(ran_on.values()):.0%}" for name, n in ran_on.items())
        rates[device] = n_pairs / wall_s
        in_engine = f"{n_pairs / engine_s:,.0f}"
        share = f"{engine_s / wall_s:.0%}"
        rate = f"{rates[device]:,.0f}"
        rows.append((device, processes, len(cards), rate, in_engine, share, devices, phases))
    headings = (
        "device",
        "processes",
        "cards",
        "pairs per second",
        "per second in the engine",
        "engine's share",
        "ran on",
        "main thread, ms per card",
    )
    title = f"evolve on 400 tasks, cards of {', '.join(map(str, sizes))}"
    if rates.keys() >= {"cpu", "auto"}:
        title += f"; auto {rates['auto'] / rates['cpu']:.2f} times the CPU, target 3"
    console.print(table_of(title, headings, rows))


@dataclass(frozen=True)
class CardTime:
    """The time of one card, and the devices it ran on."""

    n_pairs: int
    wall_s: float
    engine_s: float
    ran_on: Mapping[str, int]


def evolve_here(
    device: str, size: int, options: argparse.Namespace
) -> tuple[list[CardTime], str, Report]:
    """Evolve in this process and those that deal for it; the first cards are not counted."""
    board = TaskBoard(load(TRAINING), device=device)
    wanted = EvolveOptions(card_size=size)
    with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "p.db") as pool:
        evolution = begin_evolution(board, pool, wanted, n_processes=options.processes)
        evolution.wait_for_processes()
        for _ in range(N_UNCOUNTED):
            evolution.step()
        cards = []
        start = before = time.perf_counter()
        clock = Clock()
        with clock.active():
            while before - start < options.evolve:
                card = evolution.step()
                now = time.perf_counter()
                cards.append(CardTime(card.n_pairs, now - before, card.engine_s, card.ran_on))
                before = now
        processes = f"this one and {evolution.n_dealing} that deal"
        report = clock.report()
        evolution.close()
    return cards, processes, report


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare the GPU with the CPU.")
    parser.add_argument("--only", default="", help="workloads whose name contains this text")
    parser.add_argument("--pool", type=Path, help="a folder of program files, as one more workload")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    parser.add_argument("--rows", type=int, default=30, help="rows of a profile's tables, at most")
    parser.add_argument(
        "--first", type=Path, metavar="FOLDER", help="time the first use; keep kernels there"
    )
    parser.add_argument("--check", type=float, default=0, help="million results to compare")
    parser.add_argument(
        "--evolve", type=float, metavar="SECONDS", help="time of evolve on each device"
    )
    parser.add_argument("--card", type=int, help="size of evolve's cards, by default by device")
    parser.add_argument("--devices", default="cpu,auto", help="devices of evolve")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="processes that deal; by default by the cores"
    )
    return parser.parse_args()


def main() -> None:
    options = read_options()
    warnings.simplefilter("error", RuntimeWarning)
    try:
        device_count()
    except GpuError as error:
        sys.exit(f"there is no GPU to measure: {error}")
    console = Console(width=150)
    if options.first:
        run_first(console, options.first)
        return
    start = time.perf_counter()
    kernels.load([name for names in kernels.modules().values() for name in names], 0)
    gpu_name = health.look_for_gpus().gpus[0].name
    console.print(f"{gpu_name}; kernels: {time.perf_counter() - start:.1f} s")
    if options.check:
        inputs = [sample["I"] for sample in training_samples()[1]]
        check(console, inputs[::2], int(options.check * 1e6))
    elif options.evolve:
        calibration.of_this_machine(Batt)
        run_evolve(console, options)
    elif options.profile:
        run_profiles(console, options.only, options.pool, options.rows)
    else:
        n_recorded, wrong = replay(read_recorded(SHIPPED), fused("cuda:0"))
        console.print(f"recorded calls on cuda:0: {n_recorded - len(wrong)} of {n_recorded} right")
        if wrong:
            sys.exit("the GPU's results differ")
        console.print(calibration.of_this_machine(Batt))
        run_workloads(console, options.only, options.pool)
        if not options.only:
            run_single_core(console)
            run_scarce(console)


if __name__ == "__main__":
    main()
