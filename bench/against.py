"""Compare this checkout with another one: CPU time, memory and results, alternating in one run.

    git worktree add ../before main && make -C ../before .venv/ready
    python bench/against.py ../before                 all workloads
    python bench/against.py ../before --only library --rounds 5
    python bench/against.py ../before --only evolve --seconds 60

Each workload runs in a process of its own with the checkout's environment, in turn: one round here,
one there, so that both see the same machine. The programs are those of this checkout that the other
one can read. Prints the least CPU time of each, the ratio, the peak memory, and which programs have
other results: matches, failures, steps, with `Batt.run` also hashes.

The time of evolve is that of a million pairs of a new program and a task, in a loop of `--seconds`
CPU seconds in one thread. It has every fourth training task, without the bundled programs that were
written for these. The time of enumeration is that of a million moves, in searches of a million
moves each on eight training tasks, without the cover. Both checkouts have their bytecode, as an
installed package has.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from random_programs import random_program
from rich.console import Console
from rich.table import Table

from arcbatt.language import Program
from arcbatt.language.prompt import is_arc_dsl
from arcbatt.language.registry import all_primitives
from arcbatt.library import library_programs
from arcbatt.proposers.known import new_variants

HERE = Path(__file__).parent.parent
N_PUBLIC = 400
# Kinds of variants: of each program in the public dialect two of each kind, up to that number.
KINDS = ("two_colors", "delete", "sequence")

READABLE = """
import json, sys
from arcbatt.language import ParsedProgram, read_file
print(json.dumps([type(each) is ParsedProgram for each in read_file(sys.argv[1])]))
"""
# Python that measures `Batt.run` on the demos and test inputs of a set.
BATT = """
import hashlib, json, resource, sys, time
from arcbatt import Batt, Budget, Samples, load, read_file
inputs, targets, demos = [], [], []
for task in load("arc-agi-1/training"):
    pairs = tuple((pair.input, pair.output) for pair in task.demos)
    inputs += [*(pair.input for pair in task.demos), *task.test_inputs]
    targets += [*(pair.output for pair in task.demos), *(None for _ in task.test_inputs)]
    demos += [pairs] * (len(pairs) + len(task.test_inputs))
samples = Samples(inputs, targets, demos)
batt = Batt([each.program for each in read_file(sys.argv[1])])
budget = Budget(*map(int, sys.argv[2:]))
began = time.process_time()
result = batt.run(samples, budget, device="cpu", n_threads=1)
cpu_s = time.process_time() - began
arrays = (result.reasons, result.hashes * (result.reasons == 0), result.steps, result.matches)
results = {
    program.name: hashlib.sha256(b"".join(array[k].tobytes() for array in arrays)).hexdigest()
    for k, program in enumerate(batt.programs)
}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([cpu_s, peak, results]))
"""
# Python that measures the time of a million pairs of `evolve`.
EVOLVE = """
import json, resource, sys, tempfile, time
from pathlib import Path
from arcbatt.evaluation import TaskBoard
from arcbatt.pool import Pool
from arcbatt.proposers.evolve.evolution import Evolution, EvolveOptions
from arcbatt.tasks import load
from arcbatt.tasks.program_names import program_name
try:
    from arcbatt.evaluation import Validator  # until 0.2
except ImportError:
    Validator = None
tasks = load("arc-agi-1/training")[::4]
own = {program_name(task.id) for task in tasks}
board = TaskBoard(tasks, device="cpu", n_threads=1)
with tempfile.TemporaryDirectory() as folder, Pool.open(Path(folder) / "pool.db") as pool:
    more = () if Validator is None else (Validator(board, Path(folder)),)
    evolution = Evolution(board, pool, EvolveOptions(), *more)
    pool.add_library()
    evolution.begin([program for program in pool.solvers() if program.name not in own])
    n_pairs, began = 0, time.process_time()
    while (cpu_s := time.process_time() - began) < float(sys.argv[1]):
        n_pairs += evolution.step().n_pairs
    evolution.close()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([1e6 * cpu_s / n_pairs, peak, {}]))
"""
# Python that measures the time of a million moves of `enumerate`.
ENUMERATE = """
import json, resource
from arcbatt.tasks import load
try:
    from arcbatt.proposers.enumerate import EnumerateOptions
    from arcbatt.proposers.enumerate.search import search_view
    from arcbatt.proposers.views import by_role
except ImportError:  # until 0.2
    from arcbatt.proposers.enumerate.stacks import EnumerateOptions, enumerate_view as search_view
    from arcbatt.proposers.enumerate.views import by_role
options = EnumerateOptions(depth=3, max_applications=10**6, max_bytes=6 * 2**30, max_s=1e6)
cpu_s = n_moves = 0
results = {}
for task in load("arc-agi-1/training")[::50]:
    counts = search_view(by_role(task), options).counts
    cpu_s += counts["size_s"] + counts["walk_s"] + counts.get("pieces_s", 0)
    n_moves += counts["n_applications"]
    results[task.id] = [counts["n_applications"], counts["n_pieces"]]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([1e6 * cpu_s / n_moves, peak, results]))
"""
# Python that measures a command with everything that it does.
COMMAND = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", *sys.argv[1:]], capture_output=True, check=True)
results = {}
if "--json" in sys.argv:
    for each in json.loads(done.stdout)["by_program"]:
        names = ("fits", "demos_fitted", "failures", "steps")
        results[each["name"]] = [each[name] for name in names]
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss, results]))
"""
SEARCH = ("1000000", "8388608")  # SEARCH_BUDGET
DEFAULT = ("50000000", "536870912")  # Budget()


def workloads(library: str, public: str, random: str, seconds: float) -> dict[str, tuple[str, ...]]:
    """Return the arguments of Python by workload; the arguments here are files of programs."""
    run = (COMMAND, "arcbatt", "run", "--no-library", "--device", "cpu", "--threads", "1", "--json")
    solve = (COMMAND, "arcbatt", "solve", "67a3c6ac", "--rounds", "1")
    return {
        "public dialect, full": (*run, "--program", public, "--full"),
        "public dialect, staged": (*run, "--program", public),
        "library, full": (*run, "--program", library, "--full"),
        "library, Batt.run, default budget": (BATT, library, *DEFAULT),
        "library, Batt.run, search budget": (BATT, library, *SEARCH),
        "random programs, Batt.run, search budget": (BATT, random, *SEARCH),
        "evolve, a million pairs": (EVOLVE, str(seconds)),
        "enumeration, a million moves": (ENUMERATE,),
        "arcbatt --help": (COMMAND, "arcbatt", "--help"),
        "arcbatt solve ID --rounds 1": (*solve, "--out", str(Path(library).parent / "runs")),
    }


def is_public(program: Program) -> bool:
    """Return whether a program calls only primitives of the public arc-dsl."""
    primitives = all_primitives()
    names = (node.name for node in program.nodes() if node.kind in ("primitive", "call"))
    return all(is_arc_dsl(primitives[name]) for name in names)


def public_programs() -> list[Program]:
    """Return programs in the public dialect: those of the library, and variants of each."""
    solvers = [parsed.program for parsed in library_programs() if is_public(parsed.program)]
    chosen = dict.fromkeys(solvers)
    for kind in KINDS:
        for solver in solvers:
            made = (mutant.program for mutant in new_variants([solver], kind))
            chosen.update(dict.fromkeys(islice(filter(is_public, made), 2)))
    return list(chosen)


def write(path: Path, programs: Iterable[Program], other: Path, most: int) -> str:
    """Write the first programs that another checkout can read to a file; return its path."""
    texts = [
        Program(program.result, f"{program.name}_{number}").text
        for number, program in enumerate(programs)
    ]
    path.write_text("\n".join(texts))
    readable = run_python(other, READABLE, str(path))
    texts = [text for text, is_readable in zip(texts, readable, strict=True) if is_readable][:most]
    path.write_text("\n".join(texts))
    print(f"{path.stem}: {len(texts)} programs", file=sys.stderr)
    return str(path)


def run_python(checkout: Path, code: str, *args: str) -> list:
    """Run Python code in a checkout's environment; return what it prints as JSON."""
    words = [str(checkout / ".venv/bin/python"), "-c", code, *args]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(words, cwd=checkout, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{checkout}: {done.stderr}")
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("before", type=Path, help="the other checkout, with its .venv")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20, help="CPU seconds of evolve")
    parser.add_argument("--only", nargs="*", help="workloads, by the start of their names")
    args = parser.parse_args()
    before = args.before.resolve()
    table = Table(
        "workload", "before", "now", "times as fast", "peak before", "peak now", "results"
    )
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "library": ([parsed.program for parsed in library_programs()], 1000),
            "public": (public_programs(), N_PUBLIC),
            "random": ([random_program(seed, 8) for seed in range(1100)], 1000),
        }
        paths = [
            write(Path(folder) / f"{name}.py", each, before, most)
            for name, (each, most) in files.items()
        ]
        for name, words in workloads(*paths, args.seconds).items():
            if args.only and not any(name.startswith(each) for each in args.only):
                continue
            table.add_row(name, *compare(before, words, args.rounds))
    Console(width=130).print(table)


def compare(before: Path, words: tuple[str, ...], n_rounds: int) -> list[str]:
    """Run a workload in both checkouts in turn; return the cells of its row."""
    runs = [[run_python(each, *words) for each in (before, HERE)] for _ in range(n_rounds)]
    (before_s, before_peak, _), (now_s, now_peak, _) = (
        min(each, key=lambda run: run[0]) for each in zip(*runs, strict=True)
    )
    results = [each for both in runs for _, _, each in both]
    others = [
        name for name in results[0] if any(each[name] != results[0][name] for each in results)
    ]
    return [
        f"{before_s:.3f} s",
        f"{now_s:.3f} s",
        f"{before_s / now_s:.2f}",
        f"{before_peak / 1024:,.0f} MiB",
        f"{now_peak / 1024:,.0f} MiB",
        f"other for {', '.join(others[:3])}, {len(others)} in all" if others else "the same",
    ]


if __name__ == "__main__":
    main()
