"""What the batt pipeline costs, step by step, against its targets.

    python bench/pipeline.py [--cards 20] [--evolve 60] [--memory 200000] [--only cards]
    python bench/pipeline.py --only cards [--card-size 800] [--seed 0] [--processes 4]

Prints four tables. Steps: wall clock, the least of several runs. The row of 400 tasks is `arcbatt
run` as a process, from its start to its end: all training tasks with every pair a second time,
mirrored, and the first 32 programs of the library, both from files; bench/run.py has more of it.
For the others the programs are the library's 32 longest. They are validated on the demos of each
training task: the time of the task in the middle counts. On a few tasks the programs themselves
take long, which a row shows beside its time. Cards: the CPU time of evolve's own two threads, by
phase, and of processes that deal, the engine's threads not counted; on every fourth task without
the programs that were written for those, and what tells whether two versions have drawn the same
mutants. Evolve: what the loop sustains. Memory: how much more the process has after so many
programs were seen, on a few tasks, so that many are seen.
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

from rich.console import Console
from rich.table import Table
from run import measure as time_command
from run import write_mirrored

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard, Validator
from arcbatt.evaluation.validating import BattText
from arcbatt.language import Program, format_batt, format_program
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
TABLES = ("steps", "cards", "evolve", "memory")


def measure(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The least wall-clock time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


class Rows:
    """The rows of the table, printed at the end."""

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
    """Everything of a command: Python's start, tasks and programs from files, run, tables."""
    with tempfile.TemporaryDirectory() as folder:
        tasks, file = Path(folder) / "mirrored_challenges.json", Path(folder) / "programs.py"
        n_samples = write_mirrored(tasks)
        programs = [parsed.program for parsed in library_programs()][:N_PROGRAMS]
        file.write_text("\n\n".join(map(format_program, programs)), encoding="utf-8")
        command = [sys.executable, "-c", "from arcbatt.cli import main; main()", "run"]
        command += ["--data", str(tasks), "--program", str(file), "--no-library", "--json"]
        found = []

        def run() -> None:
            done = subprocess.run(command, capture_output=True, check=True)
            found.append(json.loads(done.stdout))

        process_s = measure(run)
        loaded_s = time_command(command[4:-1], REPEATS)["command"]
    what = f"400 tasks, {n_samples:,} samples, a batt of {N_PROGRAMS}: all of `arcbatt run`"
    rows.add(f"{what}, modules loaded", loaded_s, 0.5)
    rows.add("with the start of Python and its modules", process_s, 0.5)
    rows.add("of it, in the engine", min(each["engine_s"] for each in found))


def add_text_rows(rows: Rows, programs: list[Program]) -> None:
    """Printing them fused, and each sliced out of the fused text."""
    text = format_batt(programs)
    rows.add(f"print the batt of {N_PROGRAMS} programs", measure(lambda: format_batt(programs)))

    def slice_all() -> list[str]:
        batt = BattText(text)
        return [batt.slice(place) for place in range(len(batt))]

    rows.add(f"slice {N_PROGRAMS} programs out of its text", measure(slice_all))


def time_validation(programs: list[Program], task: Task) -> tuple[float, float, str]:
    """Seconds to validate programs on a task's demos, and to run them there fused; the task."""
    board = TaskBoard([task], device="cpu", n_threads=1)
    batt = Batt(programs)
    found = board.screen(batt, held_out=True)
    validator = Validator(board, Path("differences"))
    origin = {"bench": task.id}
    chosen = range(len(programs))
    alone_s = measure(lambda: validator.validate(programs, chosen, found, 0, origin), 2)
    fused_s = measure(lambda: board.screen(batt, held_out=True), 2)
    assert not validator.n_differences
    return alone_s, fused_s, task.id


def add_validation_rows(rows: Rows, programs: list[Program]) -> None:
    """Slicing, parsing and running each alone on a task's demos, in stages, and comparing."""
    times = sorted(time_validation(programs, task) for task in load("arc-agi-1/training"))
    middle_s, _, _ = times[len(times) // 2]
    rows.add(
        f"validate {N_PROGRAMS} programs on the middle one of {len(times)} tasks", middle_s, 0.05
    )
    slowest_s, fused_s, task_id = times[-1]
    rows.add(f"on the slowest, {task_id} (fused they run {fused_s * 1e3:.0f} ms)", slowest_s)


def add_loop_rows(rows: Rows) -> None:
    """Card by card on 100 tasks: deal, fuse, run, score, dedupe, slice, validate, keep."""
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
    """Begin with the library, but for what was written for some tasks."""
    pool.add_library()
    evolution = Evolution(
        board, pool, options, Validator(board, Path("differences")), n_processes=n_processes
    )
    own = {program_name(task.id) for task in without}
    evolution.begin([program for program in pool.solvers() if program.name not in own])
    return evolution


def cards_table(n_cards: int, options: EvolveOptions, n_processes: int | None) -> Table:
    """The CPU time of a card by phase: of the main thread, that which runs cards, and processes."""
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
                # So that all cards that are begun are counted, and the engine is idle at the end.
                n_mutants += evolution.step(is_last=k >= n_cards - N_BEGUN).n_mutants
        report = clock.report()
        evolution.close()
    table = Table(title=f"CPU of {n_cards} cards, {len(tasks)} tasks, without the engine's threads")
    for heading in ("phase", "a card", "a mutant"):
        table.add_column(heading, justify="left" if heading == "phase" else "right")

    def add(name: str, seconds: float) -> None:
        table.add_row(
            name, f"{seconds / n_cards * 1e3:.1f} ms", f"{seconds / n_mutants * 1e6:.0f} us"
        )

    for each in sorted(report.main.phases, key=lambda each: -each.ns):
        add(each.name, each.seconds)
    beside = {line.name: line.wall_s for line in report.beside}
    running_s = sum(beside.get(name, 0.0) for name in ENGINE)
    add("the threads that have the engine run cards", running_s)
    add("all of this process", report.main.wall_s + running_s)
    if DEALING in beside:
        add("processes that deal", beside[DEALING])
    fitted = f"{evolution.archive.n_fitted} of {len(tasks)} tasks fitted"
    table.caption = f"{n_mutants:,} mutants drawn: {drawn.hexdigest()}; {fitted}"
    return table


def evolve_table(seconds: float) -> Table:
    """The loop for a while, with default options, on all training tasks."""
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
    rate = f"{n_pairs / wall_s:,.0f} a second"
    table.add_row("new distinct programs x tasks, whole loop", rate, "60,000 a second")
    table.add_row("wall clock inside the engine", f"{engine_s / wall_s:.0%}", "80%")
    fitted = f"{at_start} at the start, {evolution.archive.n_fitted} at the end"
    table.add_row("tasks fitted", fitted, "")
    return table


def resident_bytes() -> int:
    """What of this process is in memory now; only Linux tells."""
    n_pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return n_pages * resource.getpagesize()


def memory_table(n_programs: int) -> Table:
    """The loop until so many programs were seen; the first half is not counted."""
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
        table.add_row("for each 100,000", f"{grown_bytes / n_seen / 10:+,.1f}")
    return table


def steps_table() -> Table:
    programs = longest_programs()
    rows = Rows("the batt pipeline")
    add_run_rows(rows)
    add_text_rows(rows, programs)
    add_validation_rows(rows, programs)
    add_loop_rows(rows)
    return rows.table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cards", type=int, default=20, metavar="N", help="of the second table")
    parser.add_argument("--evolve", type=float, default=60, metavar="SECONDS", help="of the third")
    parser.add_argument(
        "--memory", type=int, default=200_000, metavar="PROGRAMS", help="of the fourth"
    )
    parser.add_argument("--only", choices=TABLES, help="one table alone")
    parser.add_argument(
        "--card-size", type=int, default=DEFAULT_CARD_SIZE, help="of the second table's cards"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the second table's cards")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="that deal them; by default by the cores"
    )
    options = parser.parse_args()
    makers: dict[str, Callable[[], Table]] = {
        "steps": steps_table,
        "cards": lambda: cards_table(
            options.cards,
            EvolveOptions(seed=options.seed, card_size=options.card_size),
            options.processes,
        ),
        "evolve": lambda: evolve_table(options.evolve),
        "memory": lambda: memory_table(options.memory),
    }
    console = Console()
    for name in [options.only] if options.only else TABLES:
        console.print(makers[name]())


if __name__ == "__main__":
    main()
