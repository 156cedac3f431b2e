"""Measure the batt pipeline step by step, against its targets.

    python bench/pipeline.py [--cards 20] [--evolve 60] [--memory 200000] [--only cards]
    python bench/pipeline.py --only cards [--card-size 800] [--seed 0] [--processes 4]
    python bench/pipeline.py --only archive [--all-tasks]

Prints five tables. Steps: wall clock, the shortest of several runs. The row of 400 tasks is the
whole process `arcbatt run` on all training tasks, with a mirrored copy of every pair and the first
32 programs of the library, both from files; bench/run.py has details. The other rows use the
library's 32 longest programs. Cards: the CPU time of evolve's two threads by phase, and of dealing
processes, without the engine's threads; on every fourth task, without the programs written for
these, with a checksum of the drawn mutants. Archive: how much of a card's calls, and of the
engine's time, is for parts of the archive's programs, which earlier cards ran too; on the same
tasks, or on all with the whole library. Evolve: the sustained rate of the loop. Memory: the growth
of the process after many programs on a few tasks.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from run import measure as time_command
from run import write_mirrored

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program, Reason, format_batt, format_program
from arcbatt.library import library_programs
from arcbatt.measure import Clock
from arcbatt.pool import Pool
from arcbatt.proposers.evolve import DEFAULT_CARD_SIZE, EvolveOptions
from arcbatt.proposers.evolve.dealer import DEALING
from arcbatt.proposers.evolve.evolution import ENGINE, N_BEGUN, Evolution
from arcbatt.tasks import Task, load
from arcbatt.tasks.program_names import program_name

REPEATS = 5
N_PROGRAMS = 32
N_TASKS = 100
N_CARDS = 3
N_MEMORY_TASKS = 8
CARDS_EVERY = 4
TABLES = ("steps", "cards", "archive", "evolve", "memory")


def measure(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the shortest wall-clock time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


class Rows:
    """Rows of the table, printed at the end."""

    def __init__(self, title: str) -> None:
        self.table = Table(title=title)
        for heading in ("step", "measured", "target", ""):
            self.table.add_column(heading, justify="left" if heading == "step" else "right")

    def add(self, step: str, seconds: float, target_s: float | None = None) -> None:
        verdict = "" if target_s is None else "reached" if seconds < target_s else "missed"
        target = "" if target_s is None else f"{target_s * 1e3:g} ms"
        self.table.add_row(step, f"{seconds * 1e3:.2f} ms", target, verdict)


def longest_programs() -> list[Program]:
    programs = [parsed.program for parsed in library_programs()]
    return sorted(programs, key=lambda program: -program.n_calls)[:N_PROGRAMS]


def add_run_rows(rows: Rows) -> None:
    """Time a whole command: startup, loading tasks and programs, run, tables."""
    with tempfile.TemporaryDirectory() as folder:
        tasks, file = Path(folder) / "mirrored_challenges.json", Path(folder) / "programs.py"
        n_samples = write_mirrored(tasks)
        programs = [parsed.program for parsed in library_programs()][:N_PROGRAMS]
        file.write_text("\n\n".join(map(format_program, programs)), encoding="utf-8")
        command = [sys.executable, "-c", "from arcbatt.cli import main; main()", "run"]
        command += [str(tasks), "--program", str(file), "--no-library", "--json"]
        outputs = []

        def run() -> None:
            done = subprocess.run(command, capture_output=True, check=True)
            outputs.append(json.loads(done.stdout))

        process_s = measure(run)
        loaded_s = time_command(command[4:-1], REPEATS)["command"]
    what = f"400 tasks, {n_samples:,} samples, a batt of {N_PROGRAMS}: all of `arcbatt run`"
    rows.add(f"{what}, modules loaded", loaded_s, 0.5)
    rows.add("including the start of Python and its modules", process_s, 0.5)
    rows.add("of this, in the engine", min(each["engine_s"] for each in outputs))


def add_text_rows(rows: Rows, programs: list[Program]) -> None:
    """Add the time to print programs fused."""
    rows.add(f"print the batt of {N_PROGRAMS} programs", measure(lambda: format_batt(programs)))


def add_loop_rows(rows: Rows) -> None:
    """Time cards on 100 tasks: deal, fuse, run, score, keep."""
    tasks = load("arc-agi-1/training")[:N_TASKS]

    def loop() -> None:
        with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "pool.db") as pool:
            evolution = begin_evolution(TaskBoard(tasks), pool, EvolveOptions(card_size=N_PROGRAMS))
            for _ in range(N_CARDS):
                evolution.step()
            evolution.close()

    rows.add(
        f"{N_TASKS} tasks: pool of {len(library_programs())} programs scored, then "
        f"{N_CARDS} cards of {N_PROGRAMS}, whole loop",
        measure(loop, 3),
        1.0,
    )


def begin_evolution(
    board: TaskBoard,
    pool: Pool,
    options: EvolveOptions,
    without: Sequence[Task] = (),
    n_processes: int | None = None,
) -> Evolution:
    """Fill a pool with the library, except programs written for some tasks."""
    pool.add_library()
    evolution = Evolution(board, pool, options, n_processes=n_processes)
    own = {program_name(task.id) for task in without}
    evolution.begin([program for program in pool.solvers() if program.name not in own])
    return evolution


def cards_table(n_cards: int, options: EvolveOptions, n_processes: int | None) -> Table:
    """Measure the CPU time of a card by phase, for both threads and dealing processes."""
    tasks = load("arc-agi-1/training")[::CARDS_EVERY]
    board = TaskBoard(tasks, device="cpu")
    drawn = blake2b(digest_size=8)
    with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "pool.db") as pool:
        evolution = begin_evolution(board, pool, options, tasks, n_processes)
        evolution.wait_for_processes()
        gc.collect()
        start = evolution._start

        def note_and_start(dealt: Any) -> Any:
            for place, (digest, kind) in enumerate(zip(dealt.digests, dealt.kinds, strict=True)):
                made_from = b"".join(each.result.digest for each in dealt.made_from(place))
                drawn.update(digest + made_from + kind.encode())
            return start(dealt)

        evolution._start = note_and_start  # type: ignore[method-assign]
        n_mutants = 0
        clock = Clock(time.thread_time_ns)
        with clock.active():
            for k in range(n_cards):
                # Wait for all started cards, so that the engine is idle at the end.
                n_mutants += evolution.step(is_last=k >= n_cards - N_BEGUN).n_mutants
        report = clock.report()
        evolution.close()
    table = Table(title=f"CPU of {n_cards} cards, {len(tasks)} tasks, without the engine's threads")
    for heading in ("phase", "per card", "per mutant"):
        table.add_column(heading, justify="left" if heading == "phase" else "right")

    def add(name: str, seconds: float) -> None:
        table.add_row(
            name, f"{seconds / n_cards * 1e3:.1f} ms", f"{seconds / n_mutants * 1e6:.0f} us"
        )

    for each in sorted(report.main.phases, key=lambda each: -each.ns):
        add(each.name, each.seconds)
    others = {line.name: line.wall_s for line in report.others}
    running_s = sum(others.get(name, 0.0) for name in ENGINE)
    add("threads that run cards on the engine", running_s)
    add("total of this process", report.main.wall_s + running_s)
    if DEALING in others:
        add("processes that deal", others[DEALING])
    fitted = f"{evolution.archive.n_fitted} of {len(tasks)} tasks fitted"
    table.caption = f"{n_mutants:,} mutants drawn: {drawn.hexdigest()}; {fitted}"
    return table


def archive_table(n_cards: int, options: EvolveOptions, *, all_tasks: bool) -> Table:
    """Measure what keeping the values of the archive's programs could save at most."""
    tasks = load("arc-agi-1/training")[:: 1 if all_tasks else CARDS_EVERY]
    board = TaskBoard(tasks, device="cpu", n_threads=1)
    cards: list[Any] = []
    with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "pool.db") as pool:
        evolution = begin_evolution(board, pool, options, () if all_tasks else tasks, 0)
        start = evolution._start

        def note_and_start(dealt: Any) -> Any:
            cards.append(dealt)
            return start(dealt)

        evolution._start = note_and_start  # type: ignore[method-assign]
        for k in range(n_cards):
            evolution.step(is_last=k >= n_cards - N_BEGUN)
        in_archive = {
            node
            for program in evolution.archive.programs()
            for node in program.nodes()
            if node.args
        }
        evolution.close()
    n_mutants = n_calls = n_shared = 0
    cards_s = shared_s = 0.0
    for dealt in cards[-N_BEGUN:]:
        result = board.screen(dealt.batt, held_out=True, skip_expensive=True)
        chosen = np.flatnonzero((result.reasons != Reason.BUDGET).any(axis=1))
        batt = dealt.batt.part(chosen)
        calls = {node for each in batt.programs for node in each.nodes() if node.args}
        shared = calls & in_archive
        # The nodes that other ones need are run with them.
        whole = shared.difference(*(node.args for node in shared))
        n_mutants, n_calls = n_mutants + len(dealt), n_calls + len(calls)
        n_shared += len(shared)
        cards_s += _cpu_s(board, batt)
        shared_s += _cpu_s(board, Batt([Program(node, "part") for node in whole]))
    table = Table(title=f"parts of the archive in {N_BEGUN} cards, {len(tasks)} tasks")
    for heading in ("per mutant", "all", "archive"):
        table.add_column(heading, justify="left" if heading == "per mutant" else "right")
    table.add_row("calls in the batt", f"{n_calls / n_mutants:.1f}", f"{n_shared / n_mutants:.1f}")
    times = (f"{s / n_mutants * 1e6:.0f} us" for s in (cards_s, shared_s))
    table.add_row("the engine, without expensive programs", *times)
    return table


def _cpu_s(board: TaskBoard, batt: Batt) -> float:
    """Return the CPU time of screening programs."""
    began_s = time.process_time()
    board.screen(batt, held_out=True)
    return time.process_time() - began_s


def evolve_table(seconds: float) -> Table:
    """Run the loop for a while, with default options, on all training tasks."""
    board = TaskBoard(load("arc-agi-1/training"))
    with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "pool.db") as pool:
        evolution = begin_evolution(board, pool, EvolveOptions())
        at_start = evolution.archive.n_fitted
        cards = []
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            cards.append(evolution.step())
        wall_s = time.perf_counter() - start
        evolution.close()
    n_pairs = sum(card.n_pairs for card in cards)
    engine_s = sum(card.engine_s for card in cards)
    table = Table(title=f"evolve for {wall_s:.0f} s, {len(board)} tasks")
    for heading in ("figure", "measured", "target"):
        table.add_column(heading, justify="left" if heading == "figure" else "right")
    rate = f"{n_pairs / wall_s:,.0f} per second"
    table.add_row("new distinct programs x tasks, whole loop", rate, "60,000 per second")
    table.add_row("wall clock inside the engine", f"{engine_s / wall_s:.0%}", "80%")
    fitted = f"{at_start} at the start, {evolution.archive.n_fitted} at the end"
    table.add_row("tasks fitted", fitted, "")
    return table


def resident_bytes() -> int:
    """Return the resident memory of this process (Linux only)."""
    n_pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return n_pages * resource.getpagesize()


def memory_table(n_programs: int) -> Table:
    """Measure memory growth over the second half of `n_programs` programs."""
    board = TaskBoard(load("arc-agi-1/training")[:N_MEMORY_TASKS])
    with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "pool.db") as pool:
        evolution = begin_evolution(board, pool, EvolveOptions())

        def see(n: int) -> int:
            n_seen = 0
            while n_seen < n and (n_new := evolution.step().n_mutants):
                n_seen += n_new
            return n_seen

        n_before = see(n_programs // 2)
        before_bytes = resident_bytes()
        n_seen = see(n_programs // 2)
        grown_bytes = resident_bytes() - before_bytes
        evolution.close()
    table = Table(title=f"memory of evolve, {N_MEMORY_TASKS} tasks")
    for heading in ("programs seen", "MB"):
        table.add_column(heading, justify="right")
    table.add_row(f"{n_before:,}", f"{before_bytes / 1e6:,.0f}")
    table.add_row(f"{n_seen:,} more", f"{grown_bytes / 1e6:+,.1f}")
    if n_seen:
        table.add_row("per 100,000", f"{grown_bytes / n_seen / 10:+,.1f}")
    return table


def steps_table() -> Table:
    programs = longest_programs()
    rows = Rows("the batt pipeline")
    add_run_rows(rows)
    add_text_rows(rows, programs)
    add_loop_rows(rows)
    return rows.table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cards", type=int, default=20, metavar="N", help="cards to measure")
    parser.add_argument(
        "--evolve", type=float, default=60, metavar="SECONDS", help="time to evolve"
    )
    parser.add_argument(
        "--memory", type=int, default=200_000, metavar="PROGRAMS", help="programs to run"
    )
    parser.add_argument("--only", choices=TABLES, help="print one table only")
    parser.add_argument(
        "--card-size", type=int, default=DEFAULT_CARD_SIZE, help="programs per card"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the cards")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="dealing processes; by default from the cores"
    )
    parser.add_argument(
        "--all-tasks", action="store_true", help="all tasks and the whole library for `archive`"
    )
    options = parser.parse_args()
    makers: dict[str, Callable[[], Table]] = {
        "steps": steps_table,
        "cards": lambda: cards_table(
            options.cards,
            EvolveOptions(seed=options.seed, card_size=options.card_size),
            options.processes,
        ),
        "archive": lambda: archive_table(
            options.cards,
            EvolveOptions(seed=options.seed, card_size=options.card_size),
            all_tasks=options.all_tasks,
        ),
        "evolve": lambda: evolve_table(options.evolve),
        "memory": lambda: memory_table(options.memory),
    }
    console = Console()
    for name in [options.only] if options.only else TABLES:
        console.print(makers[name]())


if __name__ == "__main__":
    main()
