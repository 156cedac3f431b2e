"""Compare the engine with the definitions on many random (program, sample) pairs.

    python -m tests.pairs                          ten million pairs, on one core
    python -m tests.pairs --pairs 100000 --seed 7  fewer, from this seed on
    python -m tests.pairs --minutes 60             for a time
    python -m tests.pairs --device cuda            the definitions with a GPU

It complements `tests.fuzz`, whose programs are made by types: these are made by domains, from
awkward values. Arguments are numbers next to the limits of numbers, codes, sizes and places; grids
up to 40 cells wide; rows of unequal length; sets of mixed members; pictures; functions of the wrong
arity. Budgets range from one step to a hundred thousand, so that calls run out at every place.
Failure, cost, hash and match are compared; every tenth batch is run on the demos of tasks instead,
in stages or not, by `run_on_tasks`. Prints what was compared, by outcome, also after Ctrl-C;
exits 1 at the first difference, and prints it with the command that repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arcbatt.language import (
    Budget,
    Failure,
    Program,
    Value,
    all_primitives,
    format_program,
    format_value,
    interpret,
    ir,
)
from arcbatt.language.ir import Node
from arcbatt.language.registry import Primitive
from arcbatt.language.values import MAX_NUMBER, content_hash
from arcbatt.tasks import Pair, Task

from .fuzz import TaskCase, check_task_case
from .support.extension import use_extension

Grid = tuple[tuple[int, ...], ...]

ALL_PAIRS = 10_000_000
# A case is a batt of programs with samples and a budget.
N_PROGRAMS = 24
N_SAMPLES = 3
MAX_CALLS = 5
# One batch in ON_TASKS_EVERY is run on tasks.
ON_TASKS_EVERY = 10
# Few learners, since they take long and are the same code on both sides.
LEARNER_SHARE = 0.1
MAKERS = ("compose", "chain", "fork", "matcher", "rbind", "lbind", "power")


class ValueMaker:
    """Makes values of every kind, most of them small and many at a limit."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.kinds: tuple[Callable[[], Value], ...] = (
            self.number,
            self.number,
            self.pair,
            self.pair,
            self.cell,
            self.grid,
            self.grid,
            self.rows,
            self.numbers,
            self.indices,
            self.obj,
            self.obj,
            self.picture,
            self.objects,
            self.grids,
            self.pictures,
            self.mixed,
            lambda: None,
        )

    def any(self) -> Value:
        return self.rng.choice(self.kinds)()

    def number(self) -> int:
        draw = self.rng.random()
        if draw < 0.7:
            return self.rng.randint(-2, 10)
        if draw < 0.8:
            return self.rng.randint(-40, 40)
        if draw < 0.9:
            edge = self.rng.choice((2**4, 2**5, 2**8, 2**16, 2**20)) + self.rng.randint(-2, 1)
            return max(-MAX_NUMBER, min(MAX_NUMBER, self.rng.choice((-1, 1)) * edge))
        return self.rng.randint(-MAX_NUMBER, MAX_NUMBER)

    def pair(self) -> tuple[int, int]:
        if self.rng.random() < 0.6:
            return self.rng.randint(-2, 6), self.rng.randint(-2, 6)
        return self.number(), self.number()

    def cell(self) -> Value:
        return (self.rng.randint(0, 9) if self.rng.random() < 0.9 else self.number()), self.pair()

    def color(self) -> int:
        return self.rng.randint(0, 9)

    def grid(self, most: int = 0) -> Grid:
        side = most or (self.rng.choice((40, 33, 32, 31)) if self.rng.random() < 0.03 else 7)
        high, wide = self.rng.randint(1, side), self.rng.randint(1, side)
        palette = self.rng.choices(range(10), k=self.rng.randint(1, 4))
        return tuple(tuple(self.rng.choices(palette, k=wide)) for _ in range(high))

    def rows(self) -> Value:
        return tuple(self.numbers() for _ in range(self.rng.randint(0, 4)))

    def numbers(self) -> Value:
        return tuple(self.number() for _ in range(self.rng.randint(0, 5)))

    def _set(self, make: Callable[[], Value], most: int) -> frozenset[Value]:
        return frozenset(make() for _ in range(self.rng.randint(0, most)))

    def indices(self) -> Value:
        return self._set(self.pair, 9)

    def obj(self) -> Value:
        shift = self.pair()
        near = lambda: (self.color(), (self.rng.randint(0, 3), self.rng.randint(0, 3)))  # noqa: E731
        cells = self._set(near, 9)
        if any(abs(x) > MAX_NUMBER - 4 for x in shift):
            return cells
        return frozenset((c, (i + shift[0], j + shift[1])) for c, (i, j) in cells)  # type: ignore[misc]

    def objects(self) -> Value:
        parts = self._set(self.obj, 4)
        return tuple(parts) if self.rng.random() < 0.2 else parts

    def picture(self) -> Value:
        return (0, 0) if self.rng.random() < 0.05 else (self.pair(), self.grid(5))

    def pictures(self) -> Value:
        return self._set(self.picture, 4)

    def grids(self) -> Value:
        return tuple(self.grid(4) for _ in range(self.rng.randint(0, 3)))

    def mixed(self) -> Value:
        members = [self.any() for _ in range(self.rng.randint(0, 3))]
        return tuple(members) if self.rng.random() < 0.5 else frozenset(members)


class ProgramMaker:
    """Makes programs: each argument is mostly one that its domain admits."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.values = ValueMaker(rng)
        both = [p for p in all_primitives().values() if not p.is_user_defined]
        self.learners = [p for p in both if p.family in _learner_families()]
        self.primitives = [p for p in both if p not in self.learners and p.name not in MAKERS]
        self.domains = {p.name: [d.holds for d in p.domains] for p in both}
        self.with_arity = {n: [p for p in self.primitives if p.arity == n] for n in range(1, 5)}

    def make(self, name: str) -> Program:
        lines: list[Node] = []
        for _ in range(self.rng.randint(1, MAX_CALLS)):
            some = self.learners if self.rng.random() < LEARNER_SHARE else self.primitives
            primitive = self.rng.choice(some)
            lines.append(self.call(primitive, lines))
        return Program(lines[-1], name)

    def call(self, primitive: Primitive, lines: list[Node]) -> Node:
        args = [self.argument(primitive, k, lines) for k in range(primitive.arity)]
        return ir.call_node(primitive.name, *args)

    def argument(self, primitive: Primitive, k: int, lines: list[Node]) -> Node:
        domain = primitive.domains[k]
        draw = self.rng.random()
        if domain.name in ("ANY_FUNCTION", "FUNCTIONS") or draw < 0.02:
            return self.function(2, lines)
        if lines and draw < 0.35:
            return lines[-1] if self.rng.random() < 0.7 else self.rng.choice(lines)
        if domain.name == "DEMOS" or draw < 0.5:
            return ir.input_node("S" if domain.name == "DEMOS" else "I")
        for _ in range(20):
            value = self.values.any()
            if domain.holds(value) or self.rng.random() < 0.02:
                return ir.constant(value)
        return ir.constant(self.values.any())

    def function(self, depth: int, lines: list[Node]) -> Node:
        """Return a function, mostly of one or two arguments."""
        kind = self.rng.choice(MAKERS) if depth and self.rng.random() < 0.5 else "bare"
        inner = lambda: self.function(depth - 1, lines)  # noqa: E731
        match kind:
            case "bare":
                some = self.with_arity[self.rng.choice((1, 1, 1, 2, 2, 3))]
                return ir.primitive_node(self.rng.choice(some).name)
            case "compose":
                return ir.call_node(kind, inner(), inner())
            case "chain" | "fork":
                return ir.call_node(kind, inner(), inner(), inner())
            case "power":
                times = self.rng.choice((1, 2, 3, 5, 1000, MAX_NUMBER))
                return ir.call_node(kind, inner(), ir.constant(times))
            case _:
                fixed = ir.constant(self.values.any())
                if lines and self.rng.random() < 0.3:
                    fixed = self.rng.choice(lines)
                return ir.call_node(kind, inner(), fixed)


def _learner_families() -> frozenset[str]:
    from arcbatt.language import learners

    return frozenset(path.stem for path in Path(str(learners.__path__[0])).glob("*.py"))


@dataclass(frozen=True)
class Batch:
    """The programs, samples and budget of one seed."""

    seed: int
    programs: tuple[Program, ...]
    inputs: tuple[Grid, ...]
    demos: tuple[tuple[tuple[Grid, Grid], ...], ...]
    budget: Budget


def make_batch(seed: int) -> Batch:
    rng = random.Random(seed)
    maker = ProgramMaker(rng)
    programs = tuple(maker.make(f"p{k}") for k in range(N_PROGRAMS))
    grid = maker.values.grid
    inputs = tuple(grid() for _ in range(N_SAMPLES))
    tasks = [tuple((grid(6), grid(6)) for _ in range(rng.randint(1, 3))) for _ in range(2)]
    demos = tuple(rng.choice(tasks) for _ in inputs)
    steps = int(10 ** (rng.uniform(0, 4) if rng.random() < 0.5 else rng.uniform(4, 5)))
    n_bytes = int(16 * 10 ** rng.uniform(0, 4)) if rng.random() < 0.3 else 2**22
    return Batch(seed, programs, inputs, demos, Budget(steps, n_bytes))


def check_batch(
    batch: Batch, counts: Counter[str], device: str, ran_on: Counter[str]
) -> str | None:
    """Return the first difference as text; count the pairs by outcome, and by what ran them."""
    from arcbatt.engine.batt import Batt
    from arcbatt.engine.graph.samples import Samples

    targets = batch.inputs[::-1]
    samples = Samples(batch.inputs, targets, batch.demos)
    result = Batt(batch.programs).run(samples, batch.budget, device=device, n_threads=1)
    ran_on.update(result.ran_on)
    for p, program in enumerate(batch.programs):
        for s, grid in enumerate(batch.inputs):
            wanted = interpret(program, {"I": grid, "S": batch.demos[s]}, batch.budget)
            ours: tuple[object, ...]
            theirs: tuple[object, ...] = (int(result.reasons[p, s]), int(result.steps[p, s]))
            if isinstance(wanted.outcome, Failure):
                ours = (int(wanted.outcome.reason), wanted.steps)
                counts[wanted.outcome.reason.words] += 1
            else:
                matches = wanted.outcome == targets[s]
                ours = (0, wanted.steps, content_hash(wanted.outcome), matches)
                theirs += (int(result.hashes[p, s]), bool(result.matches[p, s]))
                counts["values"] += 1
            if ours != theirs:
                again = f"--seed {batch.seed} --pairs 1 --device {device}"
                return "\n".join(
                    (
                        f"seed {batch.seed}, program {p}, sample {s}, {batch.budget}:",
                        f"  (reason, steps, hash, match) by the definitions {ours}",
                        f"  by the engine {theirs}; {wanted.outcome}",
                        format_program(program),
                        f"I = {format_value(grid)}",
                        f"S = {format_value(batch.demos[s])}",
                        f"again: python -m tests.pairs {again}",
                    )
                )
    return None


def as_task_case(batch: Batch) -> TaskCase:
    """Return a batch as programs on the demos of its tasks."""
    tasks = tuple(
        Task(f"task{k}", tuple(Pair(*demo) for demo in demos), batch.inputs[:1], "pairs")
        for k, demos in enumerate(dict.fromkeys(batch.demos))
    )
    staged, n_threads = batch.seed // ON_TASKS_EVERY % 3 > 0, 1 + batch.seed // ON_TASKS_EVERY % 2
    return TaskCase(batch.seed, batch.programs, tasks, None, staged, batch.budget, n_threads)


def check_on_tasks(batch: Batch, counts: Counter[str]) -> str | None:
    """Return the first difference of a batch on its tasks as text; count the pairs."""
    case = as_task_case(batch)
    counts["on tasks"] += len(case.programs) * len(case.tasks)
    return check_task_case(case, again="tests.pairs --pairs 1")


def compare(
    first: int, n_pairs: int, minutes: float, *, go_on: bool = False, device: str = "cpu"
) -> bool:
    """Compare pairs up to a number or a time; print what was compared; return whether all agree."""
    counts, ran_on = Counter[str](), Counter[str]()
    started, cpu_started, seed, n_different = time.monotonic(), time.process_time(), first, 0
    try:
        while counts.total() < n_pairs and time.monotonic() - started < 60 * minutes:
            if seed % ON_TASKS_EVERY == 0 and device == "cpu":
                difference = check_on_tasks(make_batch(seed), counts)
            else:
                difference = check_batch(make_batch(seed), counts, device, ran_on)
            if difference:
                print(difference, flush=True)
                n_different += 1
                if not go_on:
                    return False
            seed += 1
    finally:  # after an interrupt, too
        by_outcome = ", ".join(f"{n:,} {name}" for name, n in sorted(counts.items()))
        by_device = ", ".join(f"{n:,} on {name}" for name, n in sorted(ran_on.items()))
        cpu_s = time.process_time() - cpu_started
        print(f"{counts.total():,} pairs of {N_PROGRAMS * (seed - first):,} programs: {by_outcome}")
        print(f"run by Batt.run: {by_device}")
        differences = f"{n_different or 'no'} difference{'s' * (n_different > 1)}"
        print(f"{differences}, seeds {first} to {seed - 1}, {cpu_s:,.0f} s of CPU", flush=True)
    return not n_different


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.pairs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--pairs", type=int, default=ALL_PAIRS, help="how many")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="the longest time")
    parser.add_argument("--seed", type=int, help="of the first batch; otherwise from the clock")
    parser.add_argument("--go-on", action="store_true", help="after a difference too")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="for programs")
    parser.add_argument("--extension", type=Path, help="a build of the engine to use instead")
    options = parser.parse_args()
    if options.extension is not None:
        use_extension(options.extension)
    first = options.seed if options.seed is not None else time.time_ns() // 1_000_000 % 10**10
    bounds = (first, options.pairs, options.minutes)
    if not compare(*bounds, go_on=options.go_on, device=options.device):
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
