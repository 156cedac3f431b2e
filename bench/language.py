"""Measure the language: parsing, printing, types, hashes, and reference runs.

    python bench/language.py [--programs 10000]

Prints a table. The programs are random and well typed, with about 15 lines each.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence

from random_programs import random_program
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arcbatt.language import format_program, interpret, ir, parse_programs
from arcbatt.language.infer import infer
from arcbatt.language.ir import Node, Program
from arcbatt.library import library_programs
from arcbatt.tasks import find_task

LARGE_BYTES = 10_000_000


def measure(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the shortest wall-clock time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def make_programs(n_programs: int, n_lines: int) -> list[Program]:
    """Return random programs with about `n_lines` lines."""
    programs: list[Program] = []
    seed = 0
    with Progress(transient=True) as progress:
        bar = progress.add_task("making programs", total=n_programs)
        while len(programs) < n_programs:
            program = random_program(seed, n_calls=n_lines + 12)
            if abs(program.n_calls - n_lines) <= 1:
                programs.append(program)
                progress.advance(bar)
            seed += 1
    return programs


def rebuild(programs: Sequence[Program]) -> list[Program]:
    """Rebuild every program from its leaves, which interns and hashes every node."""
    made = []
    for number, program in enumerate(programs):
        fresh: dict[Node, Node] = {node: node for node in program.nodes() if not node.args}
        fresh[ir.input_node("I")] = ir.constant((number,))
        for node in program.nodes():
            if node.args:
                args = [fresh[arg] for arg in node.args]
                fresh[node] = (
                    ir.invoke_node(*args)
                    if node.kind == "invoke"
                    else ir.call_node(node.name, *args)
                )
        made.append(Program(fresh[program.result]))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--programs", type=int, default=10_000, metavar="N")
    n_programs = parser.parse_args().programs
    programs = make_programs(n_programs, 15)
    lines = sum(program.n_calls for program in programs) / n_programs
    texts = [format_program(program) for program in programs]
    text = "\n".join(texts)
    hashes = [program.hash for program in programs]
    del programs
    gc.collect()

    table = Table(title=f"{n_programs} random programs of {lines:.1f} lines on average")
    for heading in ("step", "seconds", "programs per second", "µs per program"):
        table.add_column(heading, justify="left" if heading == "step" else "right")

    def add(step: str, seconds: float, n: int = n_programs) -> None:
        rate, each = n / seconds, seconds / n * 1e6
        table.add_row(step, f"{seconds:.3f}", f"{rate:,.0f}", f"{each:.1f}")

    add("parse", measure(lambda: sum(1 for _ in parse_programs(text))))
    parsed = [p.program for p in parse_programs(text)]
    assert [program.hash for program in parsed] == hashes
    add(
        "rebuild nodes and hash",
        measure(lambda: [program.hash for program in rebuild(parsed)]),
    )
    add("infer types", measure(lambda: [infer(program) for program in parsed]))
    add("print", measure(lambda: [format_program(program) for program in parsed]))
    n_times = -(-LARGE_BYTES // len(text))
    large = "\n".join([text] * n_times)
    parse_s = measure(lambda: sum(1 for _ in parse_programs(large)), 1)
    add(f"parse a text of {len(large) / 1e6:.1f} MB", parse_s, n_times * n_programs)
    Console().print(table)

    runs = []
    for solver in library_programs():
        task = find_task(solver.name.removeprefix("solve_"))
        demos = tuple((pair.input, pair.output) for pair in task.demos)
        grids = [pair.input for pair in task.demos] + list(task.test_inputs)
        runs += [(solver.program, {"I": grid, "S": demos}) for grid in grids]
    seconds = measure(lambda: [interpret(program, inputs) for program, inputs in runs])
    n_calls = sum(program.n_calls for program, _ in runs)
    steps = sum(interpret(program, inputs).steps for program, inputs in runs)
    table = Table(title=f"the library's {len(library_programs())} programs on their own tasks")
    for heading in ("runs", "lines", "steps", "seconds", "µs per line", "ns per step"):
        table.add_column(heading, justify="right")
    table.add_row(
        f"{len(runs):,}",
        f"{n_calls:,}",
        f"{steps:,}",
        f"{seconds:.3f}",
        f"{seconds / n_calls * 1e6:.1f}",
        f"{seconds / steps * 1e9:.0f}",
    )
    Console().print(table)


if __name__ == "__main__":
    main()
