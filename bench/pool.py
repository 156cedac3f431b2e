"""Measure the pool: write and read programs, trials and cached values.

    python bench/pool.py [--rows 10000]

Prints wall-clock times, the shortest of three runs on fresh pools, and the cost of a phase.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arcbatt.language import Program, ir
from arcbatt.measure import Clock, phase
from arcbatt.pool import NO_TASK, Pool, PoolProgram, PoolTrial, export_file, import_file

REPEATS = 3
N_TASKS = 400


def key(number: int) -> bytes:
    return blake2b(str(number).encode(), digest_size=16).digest()


def make_programs(n_rows: int) -> list[Program]:
    grid = ir.input_node("I")
    for name in ("hmirror", "vmirror", "dmirror", "rot90", "cmirror", "trim"):
        grid = ir.call_node(name, grid)
    return [Program(ir.call_node("canvas", ir.constant((n, 1)), grid)) for n in range(n_rows)]


def measure_steps(folder: Path, n_rows: int, seconds: dict[str, float]) -> None:
    """Run once on a fresh pool; keep the shortest times in `seconds`."""

    def step(name: str, work: Callable[[], object]) -> None:
        started = time.perf_counter()
        work()
        elapsed_s = time.perf_counter() - started
        seconds[name] = min(elapsed_s, seconds.get(name, elapsed_s))

    programs = make_programs(n_rows)
    rows: list[PoolProgram] = []
    step("rows of programs (text and digest)", lambda: rows.extend(_rows(programs)))
    trials = [
        PoolTrial(row.digest, key(n % N_TASKS), str(n % N_TASKS), "set", n % 4, 3, n % 1000, n)
        for n, row in enumerate(rows)
    ]
    values = {(row.digest, NO_TASK): b"x" * 64 for row in rows}
    file = folder / "programs.py"
    with Pool.open(folder / "pool.db") as pool:
        step("add programs", lambda: pool.add_programs(rows))
        step("add programs that are known", lambda: pool.add_programs(rows))
        step("record trials", lambda: pool.record_trials(trials))
        step("record trials again", lambda: pool.record_trials(trials))
        step("seen", lambda: pool.seen(row.digest for row in rows))
        step(f"parents (best 5 of {N_TASKS} tasks)", lambda: pool.parents(per_task=5))
        step("put into a cache", lambda: pool.results.put(values))
        step("get from a cache", lambda: pool.results.get(values))
        step("export to a file", lambda: export_file(pool.programs(), file))
        step(f"evict down to 5 of {N_TASKS} tasks", lambda: pool.evict(5))
    with Pool.open(folder / "other.db") as pool:
        step("import from a file", lambda: import_file(pool, file, print, lambda _: None))


def _rows(programs: list[Program]) -> list[PoolProgram]:
    return [PoolProgram.of(program, "splice") for program in programs]


def measure_phase(n_phases: int = 200_000) -> float:
    """Return the seconds to enter and leave a phase."""
    with Clock().active():
        started = time.perf_counter()
        for _ in range(n_phases):
            with phase("run"):
                pass
        return (time.perf_counter() - started) / n_phases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=10_000, metavar="N")
    n_rows = parser.parse_args().rows
    seconds: dict[str, float] = {}
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            measure_steps(Path(folder), n_rows, seconds)
    table = Table(
        title=f"a pool of {n_rows:,} programs of 7 calls, and as many trials and cached values"
    )
    for heading in ("step", "seconds", "µs per row"):
        table.add_column(heading, justify="left" if heading == "step" else "right")
    for name, elapsed_s in seconds.items():
        table.add_row(name, f"{elapsed_s:.3f}", f"{elapsed_s / n_rows * 1e6:.1f}")
    Console().print(table)
    phase_s = min(measure_phase() for _ in range(REPEATS))
    Console().print(f"entering and leaving a phase: {phase_s * 1e6:.2f} µs")


if __name__ == "__main__":
    main()
