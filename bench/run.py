"""What `arcbatt run` takes, everything included: 32 programs on the 400 tasks of ARC-AGI-1
training.

    python bench/run.py [--repeats 5] [--device cpu] [--threads 2]

Prints one table: tasks loaded and validated, programs parsed and fused, run, scored, shown. Each
row is the best of several processes; "command" counts from when Python has loaded its modules,
"process" from its start. 3,436 samples are every pair a second time, mirrored. The programs are the
first 32 of the library, or every second one, among which some take many steps on tasks of others.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from arcbatt.language import format_program
from arcbatt.library import library_programs
from arcbatt.tasks import Grid, load

N_PROGRAMS = 32
TRAINING = "arc-agi-1/training"
PHASES = ("load", "fuse", "run", "score", "display", "other")


def run_once(args: list[str]) -> None:
    """One command in this process; prints its times as JSON."""
    from arcbatt.cli.app import app
    from arcbatt.measure import Clock

    with redirect_stdout(io.StringIO()):
        app(["primitives", "hmirror"], standalone_mode=False)  # the modules of any command
    clock = Clock()
    with clock.active(), redirect_stdout(io.StringIO()) as out:
        app(["run", *args], standalone_mode=False)
    report = clock.report().main
    print(
        json.dumps(
            {
                "command": report.wall_s,
                "solved": out.getvalue().splitlines()[-2],
                **{each.name: each.seconds for each in report.phases},
            }
        )
    )


def measure(args: list[str], repeats: int) -> dict[str, Any]:
    """The times of the process whose command took least."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, __file__, "--once", *args],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "ARCBATT_POOL": os.devnull + "/no-pool"},
        )
        times = json.loads(done.stdout)
        times["process"] = time.perf_counter() - start
        found.append(times)
    return min(found, key=lambda times: times["command"])


def mirrored(grid: Grid) -> list[tuple[int, ...]]:
    return [row[::-1] for row in grid]


def write_mirrored(path: Path) -> int:
    """All training tasks with every pair twice, in Kaggle's form; returns how many samples."""
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
                    args = ["--data", data, "--programs", str(file), mode]
                    args += ["--device", options.device, "--threads", str(options.threads)]
                    times = measure(args, options.repeats)
                    figures = [times.get(column, 0.0) for column in (*PHASES, "command", "process")]
                    shown = [f"{1000 * each:.0f}" for each in figures]
                    table.add_row(name, f"{n_samples:,}", mode[2:], *shown)
                    print(f"{name}, {n_samples:,} samples, {mode[2:]}: {times['solved']}")
    console = Console()
    console.width = max(console.width, 110)
    console.print(table)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        run_once(sys.argv[2:])
    else:
        main()
