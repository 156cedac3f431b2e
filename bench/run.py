"""Measure the whole of `arcbatt run`: 32 programs on the 400 tasks of ARC-AGI-1 training.

    python bench/run.py [--repeats 5] [--device cpu] [--threads 2]

Prints two tables. The first has the time by phase; each row is the best of several processes.
"command" counts from the time Python has loaded its modules, "process" from its start. The 3,436
samples include a mirrored copy of every pair. The programs are the first 32 of the library, or
every second one, some of which take many steps on other tasks. The second runs the library and
equally many mutants with a pool, in one process, with an empty and a full cache.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from arcbatt.evaluation import ResultCache, TaskBoard
from arcbatt.evaluation.program_run import ProgramRun
from arcbatt.language import format_program
from arcbatt.library import library_programs
from arcbatt.pool import Pool
from arcbatt.proposers.evolve.cards import deal
from arcbatt.tasks import Grid, load

N_PROGRAMS = 32
TRAINING = "arc-agi-1/training"
PHASES = ("load", "fuse", "run", "score", "display", "other")


def run_once(args: list[str]) -> None:
    """Run one command in this process and print its times as JSON."""
    from arcbatt.cli.app import app
    from arcbatt.measure import Clock

    with redirect_stdout(io.StringIO()):
        app(
            ["primitives", "hmirror"], standalone_mode=False
        )  # load the modules that every command needs
    clock = Clock()
    with clock.active(), redirect_stdout(io.StringIO()) as out:
        app(["run", *args], standalone_mode=False)
    report = clock.report().main
    print(
        json.dumps(
            {
                "command": report.wall_s,
                "fits": next(
                    line for line in out.getvalue().splitlines() if "programs fit" in line
                ),
                **{each.name: each.seconds for each in report.phases},
            }
        )
    )


def measure(args: list[str], repeats: int) -> dict[str, Any]:
    """Return the times of the process with the fastest command."""
    measured = []
    for _ in range(repeats):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, __file__, "--once", *args],
            capture_output=True,
            text=True,
            check=True,
        )
        times = json.loads(done.stdout)
        times["process"] = time.perf_counter() - start
        measured.append(times)
    return min(measured, key=lambda times: times["command"])


def mirrored(grid: Grid) -> list[tuple[int, ...]]:
    return [row[::-1] for row in grid]


def write_mirrored(path: Path) -> int:
    """Write training tasks with every pair mirrored too, as a Kaggle file; count the samples."""
    content = {}
    n_samples = 0
    for task in load(TRAINING):
        train = [{"input": demo.input, "output": demo.output} for demo in task.demos]
        train += [{"input": mirrored(d.input), "output": mirrored(d.output)} for d in task.demos]
        test = [{"input": grid} for grid in task.test_inputs]
        test += [{"input": mirrored(grid)} for grid in task.test_inputs]
        content[task.id] = {"train": train, "test": test}
        n_samples += len(train) + len(test)
    path.write_text(json.dumps(content), encoding="utf-8")
    return n_samples


def cache_table(device: str, n_threads: int) -> Table:
    """Time the same run with an empty and a full cache."""
    tasks = list(load(TRAINING))
    library = [each.program for each in library_programs()]
    programs = [*library, *deal(library, len(library)).programs]
    table = Table(title=f"{len(programs)} programs, {len(tasks)} tasks, results in a pool")
    for heading in ("run", "ms", "ms in the engine", "hits", "misses", "ms in the cache", "KiB"):
        table.add_column(heading, justify="left" if heading == "run" else "right")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first", "again"):
            with Pool.open(Path(folder) / "pool.db") as pool:
                start = time.perf_counter()
                board = TaskBoard(tasks, device=device, n_threads=n_threads)
                run = ProgramRun(board, cache=ResultCache(pool.results, tasks))
                for _ in run.batts(programs):
                    pass
                elapsed_s = time.perf_counter() - start
                use, size = pool.results.use, pool.stats().caches["results"].n_bytes
            figures = [1000 * elapsed_s, 1000 * run.engine_s, use.n_hits, use.n_misses]
            figures += [1000 * use.seconds, size / 1024]
            table.add_row(name, *(f"{figure:,.0f}" for figure in figures))
    return table


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    library = [each.program for each in library_programs()]
    batts = {"first": library[:N_PROGRAMS], "every second": library[::2][:N_PROGRAMS]}
    table = Table(title=f"arcbatt run, {N_PROGRAMS} programs, 400 tasks; milliseconds")
    for heading in ("programs", "samples", "mode"):
        table.add_column(heading, no_wrap=True)
    for heading in (*PHASES, "command", "process"):
        table.add_column(heading, justify="right", no_wrap=True)
    with tempfile.TemporaryDirectory() as folder:
        twice = Path(folder) / "mirrored_challenges.json"
        n_twice = write_mirrored(twice)
        file = Path(folder) / "programs.py"
        for name, programs in batts.items():
            file.write_text("\n\n".join(map(format_program, programs)), encoding="utf-8")
            for data, n_samples in ((TRAINING, n_twice // 2), (str(twice), n_twice)):
                for mode in ("--staged", "--full"):
                    args = [data, "--program", str(file), "--no-library", mode]
                    args += ["--device", options.device, "--threads", str(options.threads)]
                    times = measure(args, options.repeats)
                    figures = [times.get(column, 0.0) for column in (*PHASES, "command", "process")]
                    shown = [f"{1000 * each:.0f}" for each in figures]
                    table.add_row(name, f"{n_samples:,}", mode[2:], *shown)
                    print(f"{name}, {n_samples:,} samples, {mode[2:]}: {times['fits']}")
    console = Console()
    console.width = max(console.width, 110)
    console.print(table)
    console.print(cache_table(options.device, options.threads))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        run_once(sys.argv[2:])
    else:
        main()
