"""Measure how the memory of evolve and solve changes over a long run.

    python bench/memory.py [--minutes 60] [--commands evolve,solve] [--threads 2] [--every 1]

Runs each command for that long on the tasks of ARC-AGI-1 training, on the CPU, solve without the
bundled solvers, and prints a table: every few minutes the wall-clock and CPU time, the resident
memory of the process and of the processes that it has started, and how many tasks fit. The last row
has the largest memory that the process had at any moment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

DATA = "arc-agi-1/training"
COMMANDS = {
    "evolve": ["evolve", DATA],
    "solve": ["solve", DATA, "--no-library", "--no-explain"],
}
MIB = 2**20
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def status_bytes(pid: int, field: str) -> int:
    """Return a field of a process's status in bytes, 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process, without its children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def children_of(pid: int) -> Iterator[int]:
    """Yield the ids of the processes that a process has started."""
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, thread.read_text().split())


def n_fitted(base: Path) -> int:
    """Return the number of tasks that fit, as the run's results have it."""
    results = list(base.glob("*/results.json"))
    return int(json.loads(results[0].read_bytes())["fits"]) if results else 0


def soak(command: str, minutes: float, every_min: float, n_threads: int) -> Table:
    """Run a command and return its table."""
    table = Table(title=f"{command}, {minutes:g} minutes, {n_threads} threads")
    for heading in ("minutes", "CPU s", "MiB", "children MiB", "tasks fit"):
        table.add_column(heading, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "arcbatt", *COMMANDS[command], "--out", folder]
        words += ["--device", "cpu", "--threads", str(n_threads), "--budget", f"{minutes}m"]
        began_s = time.monotonic()
        with (Path(folder) / "output").open("wb") as output:
            child = subprocess.Popen(words, stdout=output, stderr=output)
        largest = 0
        turn = 1
        while child.poll() is None:
            elapsed_s = time.monotonic() - began_s
            largest = max(largest, status_bytes(child.pid, "VmHWM"))
            if elapsed_s >= 60 * every_min * turn:
                turn += 1
                others = sum(status_bytes(pid, "VmRSS") for pid in children_of(child.pid))
                row = (elapsed_s / 60, cpu_s(child.pid), status_bytes(child.pid, "VmRSS") / MIB)
                shown = [*(f"{value:.0f}" for value in row), f"{others / MIB:.0f}"]
                shown.append(str(n_fitted(Path(folder))))
                table.add_row(*shown)
                print(command, *shown, file=sys.stderr, flush=True)
            time.sleep(1)
        if child.returncode:
            output_text = (Path(folder) / "output").read_text(errors="replace")
            raise SystemExit(f"{command} ended with status {child.returncode}:\n{output_text}")
        table.add_row("at most", "", f"{largest / MIB:.0f}", "", str(n_fitted(Path(folder))))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=float, default=60.0, help="how long each command runs")
    parser.add_argument("--every", type=float, default=1.0, help="minutes between two rows")
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    for command in options.commands.split(","):
        Console().print(soak(command, options.minutes, options.every, options.threads))


if __name__ == "__main__":
    main()
