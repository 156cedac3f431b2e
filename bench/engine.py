"""Time the engine on the CPU: against the reference, and in nanoseconds per call.

    python bench/engine.py

Prints one table; ratios come from one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from random_programs import random_program
from rich.console import Console
from rich.table import Table

from arcbatt.engine import profiler
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Samples
from arcbatt.language import Budget, Program, interpret, parse_program
from arcbatt.library import library_programs
from arcbatt.tasks import load


def measure(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least wall-clock time of several runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


# Few, since the definitions take seconds for the library on one sample.
N_REFERENCE = 20


def training_samples() -> tuple[Samples, list[dict[str, object]]]:
    """Return all 1,718 samples of ARC-AGI-1 training, for the engine and for the reference."""
    inputs, targets, demos, for_reference = [], [], [], []
    for task in load("arc-agi-1/training"):
        pairs = tuple((pair.input, pair.output) for pair in task.demos)
        for pair in task.demos:
            inputs.append(pair.input)
            targets.append(pair.output)
            demos.append(pairs)
        for grid in task.test_inputs:
            inputs.append(grid)
            targets.append(None)
            demos.append(pairs)
    for grid, pairs in zip(inputs, demos, strict=True):
        for_reference.append({"I": grid, "S": pairs})
    return Samples(inputs, targets, demos), for_reference


# Mixed grid, object and set calls without functions: the bulk of a fused batt.
MIXED = """
def mixed_{k}(I):
    a = {turn}(I)
    b = replace(a, {k} , {c})
    o = objects(b, T, {diagonal}, T)
    p = partition(b)
    m = merge(o)
    x = ofcolor(b, {c})
    y = shift(x, ({k}, 1))
    z = combine(x, y)
    w = difference(z, toindices(m))
    f = fill(b, {c}, w)
    g = underfill(f, 3, y)
    q = asobject(tophalf(g))
    r = paint(g, shift(q, (1, {k})))
    t = toobject(y, r)
    u = recolor({c}, t)
    v = paint(r, u)
    h = hconcat(v, hmirror(v))
    s = crop(h, (1, 1), (9, 9))
    n = box(u)
    e = cover(s, n)
    return e
"""


def mixed_programs(n_calls: int) -> list[Program]:
    programs: list[Program] = []
    turns = ("hmirror", "vmirror", "dmirror", "rot90", "rot180")
    k = 0
    while sum(p.n_calls for p in programs) < n_calls:
        text = MIXED.format(k=k % 9, c=(k * 7 + 3) % 10, turn=turns[k % 5], diagonal="TF"[k % 2])
        programs.append(parse_program(text))
        k += 1
    return programs


CLOSURES = """
def closures(I):
    a = asindices(I)
    b = sfilter(a, compose(even, first))
    c = apply(fork(add, identity, compose(toivec, last)), a)
    d = argmax(a, fork(subtract, first, last))
    e = sfilter(a, fork(equality, first, last))
    f = order(a, compose(invert, fork(add, first, last)))
    g = sfilter(a, matcher(fork(add, first, compose(double, last)), 20))
    sizes = astuple(size(b), astuple(size(c), astuple(size(e), astuple(size(f), size(g)))))
    return astuple(d, sizes)
"""
# Inner calls of CLOSURES on its 625 elements: 2, 4, 3, 3, 4 and (with the comparison) 5 each.
N_INNER = 625 * (2 + 4 + 3 + 3 + 4 + 5)


# A rule learned from the demos by role and applied to the first of them, independent of I.
LEARNED = """
def learned_{code}(S, I):
    demos = role_demos(S)
    known = first(first(demos))
    again = learn_cells(demos, known, {code})
    colors = palette(again)
    return fill(I, size(colors), ofcolor(I, 0))
"""


# The slowest calls that learn from the demos.
LEARNING = (
    "def trees(S, I):\n    return apply_tree(grow_tree(S, 0, 0), I)\n",
    "def roles(S, I):\n    return to_roles(S, I)\n",
    "def symmetry(I):\n    return close_symmetry(I, 0, 1)\n",
)
SMALL_BUDGET = Budget(steps=100_000, bytes=2**21)


def demo_samples(n_tasks: int, *, shared: bool) -> Samples:
    """Return demos of tasks; those of a task share `S`, or each has its own copy."""
    inputs, targets, demos = [], [], []
    for task in load("arc-agi-1/training")[:n_tasks]:
        pairs = tuple((pair.input, pair.output) for pair in task.demos)
        for pair in task.demos:
            inputs.append(pair.input)
            targets.append(pair.output)
            demos.append(pairs if shared else (*pairs,))
    return Samples(inputs, targets, demos)


def main() -> None:
    table = Table(title="engine, CPU")
    for heading in ("workload", "figure", "target"):
        table.add_column(heading)
    samples, for_reference = training_samples()

    library = [solver.program for solver in library_programs()]
    batt = Batt(library)
    engine_s = measure(lambda: batt.run(samples, n_threads=1), 3)
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(for_reference), N_REFERENCE, replace=False)
    start = time.perf_counter()
    for k in chosen:
        for program in library:
            interpret(program, for_reference[k])  # type: ignore[arg-type]
    reference_s = (time.perf_counter() - start) * len(for_reference) / len(chosen)
    table.add_row(
        f"library ({len(library)}) x {len(samples)} samples, one thread",
        f"{engine_s:.2f} s; reference {reference_s:.0f} s (from {N_REFERENCE} samples): "
        f"{reference_s / engine_s:.0f} times",
        "150 times",
    )

    mixed = Batt(mixed_programs(1000))
    inputs = [s["I"] for s in for_reference]
    many = Samples((inputs * 2)[:3000])  # type: ignore[arg-type]
    one_s = measure(lambda: mixed.run(many, n_threads=1))
    two_s = measure(lambda: mixed.run(many, n_threads=2))
    n_calls = mixed.size.n_calls * 3000
    table.add_row(
        f"{mixed.size.n_calls} mixed calls x 3,000 samples",
        f"one thread {one_s:.3f} s, {one_s / n_calls * 1e9:.0f} ns per call; "
        f"two threads {one_s / two_s:.2f} times",
        "150 ns, 0.5 s; 1.8 times",
    )

    objects = Batt([parse_program("def f(I):\n    return size(objects(I, T, F, T))\n")])
    nothing = Batt([parse_program("def f(I):\n    return size(I)\n")])
    objects_s = measure(lambda: objects.run(samples, n_threads=1), 20)
    nothing_s = measure(lambda: nothing.run(samples, n_threads=1), 20)
    table.add_row(
        "objects, background dropped",
        f"{(objects_s - nothing_s) / len(samples) * 1e6:.2f} µs",
        "0.6 µs",
    )

    closures = Batt([parse_program(CLOSURES)])
    few = Samples([((0,) * 25,) * 25] * 200)
    closures_s = measure(lambda: closures.run(few, n_threads=1))
    table.add_row(
        "closures over 625 elements",
        f"{closures_s / 200 / N_INNER * 1e9:.1f} ns per inner call",
        "3 ns",
    )

    learned = Batt([parse_program(LEARNED.format(code=code)) for code in range(8)])
    alone, together = (demo_samples(100, shared=shared) for shared in (False, True))
    figures = []
    for n_threads in (1, 2):
        alone_s = measure(lambda: learned.run(alone, n_threads=n_threads))  # noqa: B023
        together_s = measure(lambda: learned.run(together, n_threads=n_threads))  # noqa: B023
        figures.append(f"{together_s * 1e3:.0f} ms, {alone_s / together_s:.2f} times")
    table.add_row(
        f"8 rules learned from S, {len(together)} demos of 100 tasks; S shared, against copies",
        f"one thread {figures[0]}; two {figures[1]}",
        f"{len(together) / 100:.1f} times at most",
    )

    # Each sample has its own S, so that calls are not shared.
    learning = Batt([parse_program(text) for text in LEARNING])
    with profiler.profile() as profile:
        learning.run(alone, n_threads=1)
    figures = [f"{row.name} {row.seconds / row.n_calls * 1e6:.1f} µs" for row in profile.rows()]
    table.add_row(f"calls on {len(alone)} demos of 100 tasks", ", ".join(figures[:4]), "")

    random_batt = Batt([random_program(seed, 10) for seed in range(2000)])
    left_out = np.setdiff1d(np.arange(random_batt.n_programs), random_batt.plan.programs)
    cpu_only = random_batt.part(left_out)
    first_inputs = inputs[:300]
    own_demos = Samples(first_inputs, first_inputs, [((grid, grid),) for grid in first_inputs])
    cpu_only_s = measure(lambda: cpu_only.run(own_demos, SMALL_BUDGET, n_threads=1))
    table.add_row(
        f"2,000 random programs: those without a GPU plan ({len(left_out)}) x 300 samples",
        f"{cpu_only_s * 1e3:.0f} ms on one thread",
        "500 ms",
    )

    many_programs = [random_program(seed, 24) for seed in range(2000)]
    fuse_s = measure(lambda: Batt(many_programs), 3) * 10_000 / len(many_programs)
    table.add_row("fusing 10,000 programs (from 2,000)", f"{fuse_s:.2f} s", "0.2 s")

    small = Samples(inputs[:4])  # type: ignore[arg-type]
    one = Batt([library[0]])
    small_s = measure(lambda: [one.run(small) for _ in range(1000)]) / 1000
    table.add_row("1 program, 4 samples", f"{small_s * 1e6:.0f} µs", "50 µs")
    Console().print(table)


if __name__ == "__main__":
    main()
