"""Compare this checkout with another one: CPU time, memory and results, alternating in one run.

    git worktree add ../before main && make -C ../before .venv/ready
    python bench/against.py ../before                 all workloads
    python bench/against.py ../before --only library --rounds 5

Each workload runs in a process of its own with the checkout's environment, in turn: one round here,
one there, so that both see the same machine. Prints the least CPU time of each, the ratio, the peak
memory, and whether all hashes, steps, failures and matches are the same.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent.parent
# A workload prints its results as bytes to hash; {n} is the number of tasks.
RUN = """
import hashlib, json, resource, time
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.evaluation.board import SEARCH_BUDGET
from arcbatt.language import Budget
from arcbatt.language.random_programs import random_program
from arcbatt.library import library_programs
from arcbatt.tasks import load
tasks = load("arc-agi-1/training")[:{n}]
programs = [parsed.program for parsed in library_programs()]
random_programs = [random_program(seed, 8) for seed in range(1000)]
{setup}
began = time.process_time()
result = {run}
cpu_s = time.process_time() - began
digest = hashlib.sha256()
for name in ("reasons", "hashes", "steps", {matches!r}):
    array = getattr(result, name)
    digest.update((array if name != "hashes" else array * (result.reasons == 0)).tobytes())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([cpu_s, peak, digest.hexdigest()]))
"""
ON_SAMPLES = "samples = Samples.of(*tasks); batt = Batt({0})"
ON_TASKS = "samples = TaskSamples(tasks); batt = Batt({0})"
WORKLOADS = {
    # name: setup, run, the matches it has
    "library": (
        ON_SAMPLES.format("programs"),
        "batt.run(samples, device='cpu', n_threads=1)",
        "matches",
    ),
    "library, search budget": (
        ON_SAMPLES.format("programs"),
        "batt.run(samples, SEARCH_BUDGET, device='cpu', n_threads=1)",
        "matches",
    ),
    "library on tasks, full": (
        ON_TASKS.format("programs"),
        "run_on_tasks(batt, samples, SEARCH_BUDGET, staged=False, device='cpu', n_threads=1)",
        "n_matches",
    ),
    "library on tasks, staged": (
        ON_TASKS.format("programs"),
        "run_on_tasks(batt, samples, SEARCH_BUDGET, device='cpu', n_threads=1)",
        "n_matches",
    ),
    "random programs": (
        ON_SAMPLES.format("random_programs"),
        "batt.run(samples, SEARCH_BUDGET, device='cpu', n_threads=1)",
        "matches",
    ),
}
HELP = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "arcbatt", "--help"], capture_output=True, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss, ""]))
"""


def measure(checkout: Path, code: str) -> tuple[float, int, str]:
    """Run a workload in a checkout; return its CPU time, peak memory in KiB and digest."""
    command = [str(checkout / ".venv/bin/python"), "-c", code]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{checkout}: {done.stderr}")
    cpu_s, peak, digest = json.loads(done.stdout)
    return cpu_s, peak, digest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("before", type=Path, help="the other checkout, with its .venv")
    parser.add_argument("--tasks", type=int, default=400, help="of ARC-AGI-1 training")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="workloads, by the start of their names")
    args = parser.parse_args()
    codes = {
        name: RUN.format(n=args.tasks, setup=setup, run=run, matches=matches)
        for name, (setup, run, matches) in WORKLOADS.items()
    }
    codes["arcbatt --help"] = HELP
    table = Table(
        "workload", "before", "now", "times as fast", "peak before", "peak now", "results"
    )
    for name, code in codes.items():
        if args.only and not any(name.startswith(each) for each in args.only):
            continue
        runs = [
            [measure(checkout, code) for checkout in (args.before.resolve(), HERE)]
            for _ in range(args.rounds)
        ]
        before, now = zip(*runs, strict=True)
        (before_s, before_peak, _), (now_s, now_peak, _) = min(before), min(now)
        digests = {digest for _, _, digest in (*before, *now)}
        table.add_row(
            name,
            f"{before_s:.2f} s",
            f"{now_s:.2f} s",
            f"{before_s / now_s:.2f}",
            f"{before_peak / 1024:,.0f} MiB",
            f"{now_peak / 1024:,.0f} MiB",
            "the same" if len(digests) == 1 else "DIFFERENT",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
