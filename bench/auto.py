"""CPU and GPU at once: what `auto` takes against the better of the two, and from the first use on.

    python bench/auto.py [--first FOLDER | --shared]
    python bench/auto.py --model 0.5,1,2,4 [--gpus N] [--fixed MS]
    python bench/auto.py --evolve SECONDS [--card SIZE] [--processes N | --workers N] [--at-once 1]

Tables: runs on the CPU, on the GPU and on both, whose results are compared (a difference ends the
run); two workers on one card, and a card with hardly any memory, likewise. With `--first`, how long
a new process takes until a card gives its first results, without compiled kernels and with them;
with `--shared`, what long runs take that are shared out, whatever `auto` would do; with `--evolve`,
evolve's pairs a second with the CPU alone and with both. With `--model`, which needs no GPU, what
`auto` makes of GPUs so many times as fast as all cores (modelled_card.py).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from engine import library_programs, mixed_programs, training_samples
from gpu import BUDGET, SMALL_BUDGET, begin, differences, evolve_cards, table_of
from modelled_card import changed, in_place_of_gpus
from pipeline import begin_evolution
from rich.console import Console

from arcbatt.engine import batt as batt_module
from arcbatt.engine import calibration, device_memory, kernels, sharing
from arcbatt.engine.batt import Batt
from arcbatt.engine.choosing import Choices
from arcbatt.engine.results import BattResult
from arcbatt.engine.samples import Samples
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Budget
from arcbatt.language.random_programs import random_program
from arcbatt.measure import Clock, Report, usable_cores
from arcbatt.plurals import count
from arcbatt.pool import Pool
from arcbatt.proposers import make_proposers
from arcbatt.proposers.evolve import EvolveOptions, choose_card_size
from arcbatt.proposers.evolve import evolution as evolution_module
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.solving import Loop, RunOptions
from arcbatt.solving.cluster import open_cluster
from arcbatt.solving.loop import Watcher
from arcbatt.tasks import load

DEVICES = ("cpu", "cuda", "auto")
# So many runs on each device; of runs that take little as many more as fit into so long, so that
# what is tried of other ways counts as it does in use.
REPEATS, MOST_REPEATS, REPEATS_S = 5, 40, 1.0
WAIT_S = 100
TRAINING = "arc-agi-1/training"
# Of evolve, so many cards at first: the engine and the processes that deal are still getting warm.
N_UNCOUNTED = 2
# Phases that take less of a card's time are left out.
SHOWN_S = 1e-3
FIRST = """
import sys, time
sys.path.insert(0, "bench")
from engine import mixed_programs, training_samples
from arcbatt.engine.batt import Batt
from arcbatt.engine.samples import Samples
inputs = [sample["I"] for sample in training_samples()[1]]
batt, samples = Batt(mixed_programs(1000)), Samples((inputs * 2)[:3000])
start, n_runs = time.perf_counter(), 0
while True:
    n_runs += 1
    if "cuda:0" in batt.run(samples).ran_on or time.perf_counter() - start > 100:
        break
print(time.perf_counter() - start, n_runs)
"""


def shares(result: BattResult) -> str:
    return ", ".join(f"{name} {n / result.reasons.size:.0%}" for name, n in result.ran_on.items())


def workloads() -> Iterator[tuple[str, Batt, Samples, Budget]]:
    samples, for_reference = training_samples()
    inputs = [sample["I"] for sample in for_reference]
    few = Samples(inputs[:300], inputs[:300], [((grid, grid),) for grid in inputs[:300]])
    mixed = Batt(mixed_programs(1000))
    for n in (16, 64, 256, 1024, 3000, 12_000, 48_000):
        yield f"mixed calls, {n:,} samples", mixed, Samples((inputs * 28)[:n]), BUDGET
    library = [solver.program for solver in library_programs()]
    yield "library, training samples", Batt(library), samples, BUDGET
    yield "32 library programs, training samples", Batt(library[:32]), samples, BUDGET
    for kind, well_typed in (("well-typed", True), ("ill-typed", False)):
        programs = [random_program(seed, 10, well_typed=well_typed) for seed in range(2000)]
        yield f"2,000 random {kind} programs, 300 samples", Batt(programs), few, SMALL_BUDGET


@dataclass(frozen=True)
class Compared:
    """What runs of a batt took: medians, and where the last one of `auto` ran."""

    cpu_s: float
    gpu_s: float
    auto_s: float
    ran_on: str

    @property
    def better_s(self) -> float:
        return min(self.cpu_s, self.gpu_s)

    def figures(self) -> list[str]:
        """Return what a table shows of all three, and how `auto` compares with the better."""
        times = [f"{s * 1e3:.2f} ms" for s in (self.cpu_s, self.gpu_s, self.auto_s)]
        return [*times, f"{self.auto_s / self.better_s:.2f}"]


def compare_devices(name: str, batt: Batt, samples: Samples, budget: Budget) -> Compared:
    """Run a batt on each device again and again, in any order, once their results are equal."""
    results = {d: batt.run(samples, budget, device=d) for d in DEVICES}
    n_different = sum(differences(results["cpu"], results[d]) for d in DEVICES[1:])
    if n_different:
        sys.exit(f"{name}: {n_different} results differ")
    order = np.random.default_rng(0)  # none is to come after the same other one always
    times: dict[str, list[float]] = {device: [] for device in DEVICES}
    began_s = time.perf_counter()
    for k in range(MOST_REPEATS):
        if k >= REPEATS and time.perf_counter() - began_s > REPEATS_S:
            break
        for device in order.permutation(DEVICES).tolist():
            start = time.perf_counter()
            results[device] = batt.run(samples, budget, device=device)
            times[device].append(time.perf_counter() - start)
    medians = [float(np.median(times[device])) for device in DEVICES]
    return Compared(*medians, shares(results["auto"]))


def run_workloads(console: Console) -> None:
    """Print what each device takes, and how `auto` shares the work out."""
    rows = []
    for name, batt, samples, budget in workloads():
        found = compare_devices(name, batt, samples, budget)
        rows.append((name, *found.figures(), found.ran_on))
    headings = ("workload", "CPU", "GPU", "auto", "auto / better", "auto ran on")
    title = f"{os.cpu_count()} threads; target: at most 1.10"
    console.print(table_of(title, headings, rows))


def modelled_workloads() -> Iterator[tuple[str, Batt, Samples, Budget]]:
    """Yield what takes two cores some tenths of a second."""
    inputs = [sample["I"] for sample in training_samples()[1]]
    few = Samples(inputs[:300], inputs[:300], [((grid, grid),) for grid in inputs[:300]])
    mixed = Batt(mixed_programs(1000))
    for n in (1000, 4000):
        yield f"mixed calls, {n:,} samples", mixed, Samples((inputs * 3)[:n]), BUDGET
    library = Batt([solver.program for solver in library_programs()])
    yield "library, 300 samples", library, few, BUDGET
    programs = Batt([random_program(seed, 10, well_typed=True) for seed in range(2000)])
    yield "2,000 random well-typed programs, 300 samples", programs, few, SMALL_BUDGET


def run_modelled(console: Console, n_gpus: int, speeds: Iterable[float], fixed_s: float) -> None:
    """Print the same for GPUs that are none, and what the best way to share would take."""
    rows = []
    for speed in speeds:
        modelled = in_place_of_gpus(n_gpus, speed, fixed_s)
        with modelled as card, changed(batt_module, choices=Choices()):
            for name, batt, samples, budget in modelled_workloads():
                card.results_of(batt, samples, budget)  # while no thread works beside
                found = compare_devices(name, batt, samples, budget)
                ideal_s = 1 / (1 / found.cpu_s + 1 / found.gpu_s)
                ideal = f"{ideal_s / found.better_s:.2f}"
                rows.append((f"{speed:g}", name, *found.figures(), ideal, found.ran_on))
    headings = ("times the CPU", "workload", "CPU", "GPU", "auto", "/ better", "ideal", "ran on")
    cards = count(n_gpus, "modelled GPU")
    title = (
        f"{count(usable_cores(), 'core')} and {cards}, {fixed_s * 1e3:g} ms for each chunk beside"
    )
    console.print(table_of(title, headings, rows))


def run_shared(console: Console) -> None:
    """Print what long runs take that are shared out, by what both were measured to take."""
    rows = []
    for name, batt, samples, budget in (*workloads(), mutants()):
        cpu_s, gpu_s = (median_s(batt, samples, budget, device) for device in DEVICES[:2])
        if min(cpu_s, gpu_s) < sharing.LEAST_SHARED_S:
            continue
        n, half = len(samples), every_second(samples)
        # What does not depend on the number of samples, by a run on half of them.
        sample_s = max(gpu_s - median_s(batt, half, budget, "cuda"), 0.0) / (n - len(half))
        expected = calibration.Prediction(
            n_threads=usable_cores(),
            thread_s=0.0,
            cpu_sample_s=cpu_s / n,
            left_out_sample_s=0.0,
            gpu_fixed_s=gpu_s - n * sample_s,
            gpu_sample_s=sample_s,
        )
        shared_out = batt_module.Choice([0], expected)
        with changed(Batt, choose=lambda *_, shared_out=shared_out, **__: shared_out):
            got = batt.run(samples, budget)
            both_s = median_s(batt, samples, budget, "auto")
        n_different = differences(batt.run(samples, budget, device="cpu"), got)
        if n_different:
            sys.exit(f"{name}: {n_different} results differ")
        seconds = (cpu_s, gpu_s, expected.gpu_fixed_s, expected.split(n)[1], both_s)
        figures = [f"{each * 1e3:.1f} ms" for each in seconds]
        rows.append((name, *figures, f"{both_s / min(cpu_s, gpu_s):.2f}", shares(got)))
    headings = (
        "workload",
        "CPU",
        "GPU",
        "of it fixed",
        "both, at best",
        "both",
        "/ better",
        "ran on",
    )
    console.print(table_of("runs shared out", headings, rows))


def median_s(batt: Batt, samples: Samples, budget: Budget, device: str) -> float:
    """Return what a run takes, the first one not counted."""
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        batt.run(samples, budget, device=device)
        times.append(time.perf_counter() - start)
    return float(np.median(times[1:]))


def every_second(samples: Samples) -> Samples:
    inputs, targets, demos = samples._given
    return Samples(inputs[::2], targets[::2], None if demos is None else demos[::2])


def mutants() -> tuple[str, Batt, Samples, Budget]:
    """Return evolve's mutants, on what they are run on first."""
    name, (programs, board) = list(evolve_cards().items())[-1]
    return name, Batt(programs), board.held_out.first_demos, SMALL_BUDGET


def run_in_need(console: Console) -> None:
    """Print what two workers on one card and one with little memory give."""
    batt = Batt([solver.program for solver in library_programs()])
    samples, _ = training_samples()
    wanted = batt.run(samples, BUDGET, device="cpu")

    def compare(name: str) -> tuple[str, ...]:
        start = time.perf_counter()
        got = batt.run(samples, BUDGET, device="cuda")
        elapsed_s = time.perf_counter() - start
        return name, str(differences(got, wanted)), f"{elapsed_s * 1e3:.1f} ms", shares(got)

    rows = []
    with changed(batt_module, _devices=lambda _device: [0, 0]):
        rows.append(compare("two workers on one card"))
    device_memory.give_up(0)
    with changed(device_memory, POOL_SHARE=1e-9, MIN_POOL_BYTES=64 * 2**20):
        rows.append(compare("64 MiB for values"))
    device_memory.give_up(0)
    rows.append(compare("as always"))
    headings = ("library, training samples", "differ", "took", "ran on")
    console.print(table_of("in need", headings, rows))


def run_first(console: Console, folder: Path) -> None:
    """Print when a new process has its first results from a card."""
    rows = []
    if (folder / "kernels").exists():
        sys.exit(f"{folder}: there are kernels already; name a new folder")
    for name in ("from source", "with compiled kernels", "and a calibration"):
        done = subprocess.run(
            [sys.executable, "-c", FIRST],
            env={**os.environ, "ARCBATT_CACHE": str(folder)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        elapsed_s, n_runs = map(float, done.stdout.split())
        took = f"{elapsed_s:.1f} s" if elapsed_s < WAIT_S else f"not in {WAIT_S} s"
        console.print(f"{name}: {took}, {int(n_runs) - 1} runs on the CPU meanwhile")
        rows.append((name, took, int(n_runs) - 1))
        if name == "from source":
            (folder / "calibration.json").unlink(missing_ok=True)
    headings = ("first results from a card", "after", "runs on the CPU meanwhile")
    console.print(table_of("mixed calls, 3,000 samples", headings, rows))


def run_evolve(console: Console, options: argparse.Namespace) -> None:
    """Print how many pairs of a new program and a task evolve runs in a second."""
    rows = []
    rates = {}
    sizes = []
    for device in options.devices.split(","):
        phases = ""
        size = options.card or choose_card_size(device)
        sizes.append(size)
        if options.workers:
            cards = evolve_on_workers(device, size, options)
            beside = f"{options.workers} workers"
        else:
            with changed(evolution_module, N_AT_ONCE=options.at_once):
                cards, beside, report = evolve_here(device, size, options)
            phases = ", ".join(
                f"{each.name} {each.seconds / len(cards) * 1e3:.1f}"
                for each in sorted(report.main.phases, key=lambda each: -each.ns)
                if each.seconds / len(cards) > SHOWN_S
            )
        n_pairs = sum(card.n_pairs for card in cards)
        wall_s, engine_s = sum(card.wall_s for card in cards), sum(card.engine_s for card in cards)
        n_at_once = max(options.workers, 1)
        names = sorted({name for card in cards for name in card.ran_on})
        ran_on = {name: sum(card.ran_on.get(name, 0) for card in cards) for name in names}
        told = ", ".join(f"{name} {n / sum(ran_on.values()):.0%}" for name, n in ran_on.items())
        rates[device] = n_pairs / wall_s * n_at_once
        in_engine = f"{n_pairs / engine_s * n_at_once:,.0f}"
        share = f"{engine_s / wall_s:.0%}"
        rate = f"{rates[device]:,.0f}"
        rows.append((device, beside, len(cards), rate, in_engine, share, told, phases))
    headings = (
        "device",
        "by",
        "cards",
        "pairs a second",
        "of the engine's time",
        "in the engine",
        "ran on",
        "main thread, ms a card",
    )
    title = f"evolve on 400 tasks, cards of {', '.join(map(str, sizes))}"
    if rates.keys() >= {"cpu", "auto"}:
        title += f"; auto {rates['auto'] / rates['cpu']:.2f} times the CPU, target 3"
    console.print(table_of(title, headings, rows))


@dataclass(frozen=True)
class CardTime:
    """What one card took, and where it ran."""

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
        beside = f"this and {evolution.n_dealing} that deal, {options.at_once} at once"
        report = clock.report()
        evolution.close()
    return cards, beside, report


def evolve_on_workers(device: str, size: int, options: argparse.Namespace) -> list[CardTime]:
    """Evolve on islands in so many workers, which share the machine; as above."""
    run = RunOptions(TRAINING, proposers=("evolve",), library=True, device=device, card_size=size)
    cards = []

    class Noting(Watcher):
        def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
            if record.get("card", 0) > N_UNCOUNTED:
                took = (record["wall_s"], record["engine_s"])
                cards.append(CardTime(record["n_pairs"], *took, record["ran_on"]))

    with tempfile.TemporaryDirectory() as folder, Pool.in_memory() as pool:
        fill_pool(pool, library=True)
        board = TaskBoard(load(TRAINING), device="cpu")
        proposers = make_proposers(run.proposers, run.to_proposers(Path(folder)))
        cluster = open_cluster(f"local:{options.workers}", run)
        Loop(board, pool, proposers, watcher=Noting(), workers=cluster).run(options.evolve)
    if not cards:
        sys.exit(
            f"no worker has come to its card {N_UNCOUNTED + 1} in {options.evolve:g} s: they begin "
            f"with the library on all tasks; give them more"
        )
    return cards


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU and GPU at once.")
    parser.add_argument(
        "--first", type=Path, metavar="FOLDER", help="the first use, kernels kept there; and stop"
    )
    parser.add_argument(
        "--evolve", type=float, metavar="SECONDS", help="evolve for so long on each; and stop"
    )
    parser.add_argument("--shared", action="store_true", help="share long runs out; and stop")
    parser.add_argument(
        "--model", metavar="SPEEDS", help="GPUs that are none, by their times of the CPU; and stop"
    )
    parser.add_argument("--gpus", type=int, default=1, metavar="N", help="how many of them")
    parser.add_argument(
        "--fixed", type=float, default=5.0, metavar="MS", help="of them, for each chunk of samples"
    )
    parser.add_argument("--card", type=int, help="size of evolve's cards, by default by device")
    parser.add_argument("--devices", default="cpu,auto", help="that evolve is run on")
    parser.add_argument(
        "--at-once",
        type=int,
        choices=(1, evolution_module.N_AT_ONCE),
        default=evolution_module.N_AT_ONCE,
        help="cards of evolve that the engine runs at a time",
    )
    deal = parser.add_mutually_exclusive_group()
    deal.add_argument(
        "--processes", type=int, metavar="N", help="that deal for evolve; by default by the cores"
    )
    deal.add_argument(
        "--workers", type=int, default=0, metavar="N", help="on which evolve runs, as local:N"
    )
    options = parser.parse_args()
    if options.model:
        speeds = map(float, options.model.split(","))
        run_modelled(Console(width=130), options.gpus, speeds, options.fixed / 1e3)
        return
    console = begin()
    if options.first:
        run_first(console, options.first)
        return
    start = time.perf_counter()
    kernels.load([name for names in kernels.modules().values() for name in names], 0)
    console.print(f"kernels: {time.perf_counter() - start:.1f} s")
    console.print(calibration.of_this_machine(Batt))
    if options.evolve:
        run_evolve(console, options)
        return
    if options.shared:
        run_shared(console)
        return
    run_workloads(console)
    run_in_need(console)


if __name__ == "__main__":
    main()
