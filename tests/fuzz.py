"""Compare the engine with the reference on random programs and real and random grids.

    python -m tests.fuzz --minutes 10          for a time, from seeds that no run had before
    python -m tests.fuzz --count 100 --seed 7  a number of cases, from this seed on
    python -m tests.fuzz --conform --count 0   the recorded calls only
    python -m tests.fuzz --search --count 0    searches of tasks only, and what they find
    python -m tests.fuzz --mutants --count 0   mutants only: fused, and sliced out and run alone

A case is a few programs, well-typed and ill-typed, with a few samples and a budget. Every program
is run alone, then all are run fused; value, failure, steps, hash and match must be the
reference's. Every tenth case is instead many programs on the demos of a few tasks, by
`run_on_tasks`: in stages or not, in slices, some programs on one task only. Everything about a case
follows from its seed. Exits 1 at the first difference, and prints it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from arcbatt.language import Budget, Failure, Program, format_program, format_value, interpret
from arcbatt.language.ir import call_node, input_node, replace_input
from arcbatt.language.values import content_hash
from arcbatt.tasks import Pair, Task, load
from bench.random_programs import random_program

from .support.extension import use_extension

if TYPE_CHECKING:  # imported at run time only after the extension is chosen
    from arcbatt.engine.graph.results import BattResult
    from arcbatt.proposers.enumerate.search import SearchResult
    from arcbatt.proposers.views import View

Grid = tuple[tuple[int, ...], ...]
Demos = tuple[tuple[Grid, Grid], ...]
# Called before each run of the engine, so that a crash can be traced to its input.
Announce = Callable[[str], None]

MAX_PROGRAMS = 6
MAX_SAMPLES = 3
MAX_CALLS = 12
# A case on tasks: with few tasks and several threads, programs are run in slices.
TASK_CASE_EVERY = 10
MAX_TASK_PROGRAMS = 200
# Tasks that are searched in addition to odd ones, every tenth of them with many moves.
N_SEARCHED = 20
FEW_MOVES, MANY_MOVES = 3_000, 100_000
# Threads that search, each a task of its own.
N_SEARCHERS = 2
# Cards of mutants that are run fused and alone.
N_CARDS = 20
CARD_SIZE = 200
# The reference is slow on large grids; most are cut down to this size.
SIDE = 12
LARGE_SIDE = 60
# Mostly ample budgets; otherwise one that runs out in the middle, or hardly lets a value be made.
BUDGETS = (
    *[Budget(steps=200_000, bytes=2**22)] * 8,
    *[Budget(2_000, 2**22), Budget(200_000, 2**13)] * 2,
    Budget(5_000_000, 2**28),
    Budget(40, 2**22),
    Budget(200_000, 2**9),
)


@dataclass(frozen=True)
class Case:
    """The test case of one seed."""

    seed: int
    programs: tuple[Program, ...]
    inputs: tuple[Grid, ...]
    demos: tuple[Demos, ...]  # per sample; some samples share them
    budget: Budget
    n_threads: int

    def describe(self, programs: Iterable[int], samples: Iterable[int]) -> str:
        """Return all that is needed to reproduce a part of the case."""
        lines = [f"seed {self.seed}: {self.budget.steps} steps, {self.budget.bytes} bytes"]
        for k in programs:
            lines += [f"program {k}:", format_program(self.programs[k]).rstrip()]
        for k in samples:
            lines.append(f"I of sample {k} = {format_value(self.inputs[k])}")
            lines.append(f"S of sample {k} = {format_value(self.demos[k])}")
        return "\n".join(lines)


def make_case(seed: int) -> Case:
    rng = random.Random(seed)
    programs = tuple(
        random_program(rng.randrange(2**32), rng.randint(1, MAX_CALLS), well_typed=k % 2 == 0)
        for k in range(rng.randint(1, MAX_PROGRAMS))
    )
    programs = tuple(of_a_demo(p) if rng.random() < 0.3 else p for p in programs)
    inputs = tuple(_any_grid(rng) for _ in range(rng.randint(1, MAX_SAMPLES)))
    tasks = [
        tuple((_any_grid(rng), _any_grid(rng)) for _ in range(rng.randint(1, 3)))
        for _ in range(rng.randint(1, 2))
    ]
    demos = tuple(rng.choice(tasks) for _ in inputs)
    return Case(seed, programs, inputs, demos, rng.choice(BUDGETS), rng.randint(1, 2))


def of_a_demo(program: Program) -> Program:
    """Return the program on the input of the first demo, which samples with equal demos share."""
    demo = call_node("first", call_node("first", input_node("S")))
    return Program(replace_input(program.result, "I", demo), program.name)


def _any_grid(rng: random.Random) -> Grid:
    """Return a real grid, whole or cut, or a random one with few colors, so that it has objects."""
    if rng.random() < 0.5:
        demo = rng.choice(rng.choice(load("arc-agi-1/training")).demos)
        grid = rng.choice((demo.input, demo.output))
        if rng.random() < 0.1:
            return grid
        return tuple(row[:SIDE] for row in grid[:SIDE])
    side = LARGE_SIDE if rng.random() < 0.04 else SIDE
    high, wide = rng.randint(1, side), rng.randint(1, side)
    palette = rng.choices(range(10), k=rng.randint(1, 4))
    return tuple(tuple(rng.choices(palette, k=wide)) for _ in range(high))


def check_case(case: Case, announce: Announce = lambda text: None) -> str | None:
    """Return the first difference as text, or an empty text."""
    from arcbatt.engine.batt import Batt
    from arcbatt.engine.graph.samples import Samples

    # The targets are reversed inputs: some are matched.
    targets = case.inputs[::-1]
    samples = Samples(case.inputs, targets, case.demos)
    everything = range(len(case.programs))
    for chosen in (*([k] for k in everything), everything):
        announce(f"{case.seed} {' '.join(map(str, chosen))}")
        batt = Batt([case.programs[k] for k in chosen])
        result = batt.run(samples, case.budget, n_threads=case.n_threads, keep_values=True)
        for place, k in enumerate(chosen):
            for s in range(len(case.inputs)):
                if difference := _compare(case, k, s, result, place, targets[s]):
                    how = "alone" if len(chosen) == 1 else f"fused, in place {place}"
                    where = f"program {k}, {how}, on sample {s}"
                    again = f"again: python -m tests.fuzz --seed {case.seed} --count 1"
                    return f"{where}: {difference}\n{case.describe([k], [s])}\n{again}"
    return None


@dataclass(frozen=True)
class TaskCase:
    """Programs on the demos of tasks; `only` has the one task of a program, or -1."""

    seed: int
    programs: tuple[Program, ...]
    tasks: tuple[Task, ...]
    only: tuple[int, ...] | None
    staged: bool
    budget: Budget
    n_threads: int

    def expect(self, program: int, task: int) -> tuple[int, ...]:
        """Return reason and hash on the first demo, and matches, steps and number of all."""
        demos = [(demo.input, demo.output) for demo in self.tasks[task].demos]
        reason = hash_ = n_matches = steps = number = 0
        for k, (grid, wanted) in enumerate(demos):
            result = interpret(self.programs[program], {"I": grid, "S": tuple(demos)}, self.budget)
            value = result.outcome
            steps += result.steps
            matches = value == wanted
            if isinstance(value, Failure):
                reason = reason if k else int(value.reason)
            else:
                hash_ = hash_ if k else content_hash(value)
                n_matches += matches
                first = value[0] if isinstance(value, tuple) and value else value
                number += first if isinstance(first, int) else 0
            is_staged = self.staged and (self.only is None or self.only[program] < 0)
            if is_staged and k == 0 and not matches:
                break
        return reason, hash_, n_matches, steps, number


def make_task_case(seed: int) -> TaskCase:
    rng = random.Random(seed)
    tasks = []
    for k in range(rng.randint(1, 3)):
        inputs = [_any_grid(rng) for _ in range(rng.randint(1, 4))]
        # The outputs of some programs.
        turned = rng.random() < 0.5
        pairs = tuple(Pair(grid, grid[::-1] if turned else grid) for grid in inputs)
        tasks.append(Task(f"fuzz{k}", pairs, (inputs[0],), "fuzz"))
    n_programs = rng.choice((3, 30, MAX_TASK_PROGRAMS))
    programs = [
        random_program(rng.randrange(2**32), rng.randint(1, 6), well_typed=k % 3 > 0)
        for k in range(n_programs)
    ]
    programs[:2] = [
        Program(call_node("identity", input_node("I")), "same"),
        Program(call_node("hmirror", input_node("I")), "turned"),
    ]
    only = None
    if rng.random() < 0.5:
        only = tuple(rng.choice((-1, -1, rng.randrange(len(tasks)))) for _ in programs)
    budget = rng.choice(BUDGETS[:-3])
    return TaskCase(
        seed, tuple(programs), tuple(tasks), only, rng.random() < 0.7, budget, rng.randint(1, 4)
    )


def check_task_case(
    case: TaskCase,
    announce: Announce = lambda text: None,
    again: str = "tests.fuzz --count 1",
) -> str | None:
    """Return the first difference as text, with the command to see it again, or an empty text."""
    from arcbatt.engine.batt import Batt
    from arcbatt.engine.task_run import TaskSamples, run_on_tasks

    announce(f"case {case.seed} on tasks")
    result = run_on_tasks(
        Batt(case.programs),
        TaskSamples(case.tasks),
        case.budget,
        only=case.only,
        staged=case.staged,
        device="cpu",
        n_threads=case.n_threads,
    )
    arrays = (result.reasons, result.hashes, result.n_matches, result.steps, result.numbers)
    for p, program in enumerate(case.programs):
        for t, task in enumerate(case.tasks):
            if case.only is not None and case.only[p] not in (-1, t):
                continue
            wanted = case.expect(p, t)
            given = tuple(int(array[p, t]) for array in arrays)
            if wanted[0]:  # a failure has no hash
                given = (given[0], 0, *given[2:])
            if wanted != given:
                return (
                    f"program {p} on task {t}, staged {case.staged}, {case.n_threads} threads: "
                    f"reason, hash, matches, steps, number\n  reference: {wanted}\n  "
                    f"engine:    {given}\n{case.budget}\n{format_program(program)}"
                    f"{task.to_json()}\nagain: python -m {again} --seed {case.seed}"
                )
    return None


def _compare(
    case: Case, program: int, sample: int, result: BattResult, place: int, target: Grid
) -> str | None:
    grid = case.inputs[sample]
    wanted = interpret(case.programs[program], {"I": grid, "S": case.demos[sample]}, case.budget)
    compared: list[tuple[str, object, object]] = [
        ("outcome", wanted.outcome, result.outcome(place, sample)),
        ("steps", wanted.steps, int(result.steps[place, sample])),
    ]
    if not isinstance(wanted.outcome, Failure):
        matches = wanted.outcome == target
        compared += [
            ("hash", content_hash(wanted.outcome), int(result.hashes[place, sample])),
            ("match", matches, bool(result.matches[place, sample])),
        ]
    for name, ours, theirs in compared:
        if ours != theirs:
            return f"{name}\n  reference: {_text(ours)}\n  engine:    {_text(theirs)}"
    return None


def _text(outcome: object) -> str:
    if isinstance(outcome, Failure):
        return f"failure: {outcome}"
    return format_value(outcome)  # type: ignore[arg-type]


def check_recorded_calls(announce: Announce) -> str | None:
    """Replay the recorded calls, one by one and fused; return the differences as text."""
    from arcbatt.checking import ENGINES, SHIPPED, RecordedCall, read_recorded, replay

    def announced(how: str) -> Iterator[RecordedCall]:
        for call in read_recorded(SHIPPED):
            announce(f"{how} line {call.line}: {call}")
            yield call

    for name, how in (("cpu", "recorded call,"), ("batt", "recorded calls, fused, up to")):
        total, differences = replay(announced(how), ENGINES[name])
        if differences:
            return "\n".join([f"recorded calls on {name}:", *map(str, differences[:10])])
        print(f"{total:,} of {total:,} recorded calls reproduced on {name}", flush=True)
    return None


def check_searches(n_tasks: int, announce: Announce) -> str | None:
    """Enumerate tasks in all views and run the programs found; return a difference as text.

    Where a stack covers the output, it must equal the output of its program in the engine.
    """
    from arcbatt.evaluation import TaskBoard
    from arcbatt.proposers.enumerate import EnumerateOptions
    from arcbatt.proposers.enumerate.search import search_view
    from arcbatt.proposers.views import by_role, plain, with_turns

    from .support.odd_tasks import odd_tasks

    tasks = list(load("arc-agi-1/training"))
    chosen = [*tasks[:: len(tasks) // n_tasks], *odd_tasks()]
    n_stacks = 0

    def search(number: int) -> list[tuple[View, SearchResult]]:
        task = chosen[number]
        views = (plain(task), by_role(task), with_turns(plain(task), 0))
        n_moves = FEW_MOVES if number % 10 else MANY_MOVES
        options = EnumerateOptions(depth=3, max_applications=n_moves, max_stacks=10)
        announce(f"search of {task.id}")
        return [(view, search_view(view, options)) for view in views]

    with ThreadPoolExecutor(N_SEARCHERS) as pool:
        all_found = list(pool.map(search, range(len(chosen))))
    for task, found in zip(chosen, all_found, strict=True):
        for view, result in found:
            programs = [result.program(stack, "found") for stack in result.stacks]
            if not programs:
                continue
            announce(f"programs found for {task.id}, {view.name}")
            trials = TaskBoard([task], device="cpu", n_threads=1).trials(task, programs)
            for trial, stack in zip(trials, result.stacks, strict=True):
                n_stacks += 1
                for said, given in zip(stack.outputs, trial.outputs, strict=True):
                    if view.name == "plain" and said is not None and said != given:
                        return f"{task.id}: a stack gives another output than its program"
    print(f"{len(chosen)} tasks searched, {n_stacks:,} stacks are what their programs give")
    return None


def check_mutants(first: int, announce: Announce) -> str | None:
    """Deal cards, and check that each mutant does the same fused and alone; return a difference."""
    from arcbatt.evaluation import TaskBoard
    from arcbatt.library import library_programs
    from arcbatt.proposers.evolve.cards import deal

    from .support.self_check import find_difference

    tasks = list(load("arc-agi-1/training"))
    parents = [parsed.program for parsed in library_programs()]
    n_mutants = 0
    for seed in range(first, first + N_CARDS):
        task = tasks[seed % len(tasks)]
        announce(f"card with seed {seed} on {task.id}")
        card = deal(parents, CARD_SIZE, seed)
        board = TaskBoard([task], device="cpu", n_threads=1)
        fused = board.screen(card.batt, held_out=True)
        if difference := find_difference(board, card.programs, fused, 0):
            return f"card with seed {seed}: {difference}"
        n_mutants += len(card.programs)
    print(f"{n_mutants:,} mutants do the same fused and alone", flush=True)
    return None


def _seeds(first: int, n_cases: int | None, minutes: float) -> Iterator[tuple[int, float]]:
    """Yield seeds, each with the fraction of the work done before it."""
    started = time.monotonic()
    for done, seed in enumerate(islice(count(first), n_cases)):
        part = (time.monotonic() - started) / (60 * minutes) if n_cases is None else done / n_cases
        if part >= 1:
            return
        yield seed, part


def fuzz(first: int, n_cases: int | None, minutes: float, announce: Announce) -> str | None:
    """Check cases; return the first difference as text, or an empty text."""
    n_checked = n_programs = n_runs = n_on_tasks = 0
    with Progress(
        TextColumn("fuzzing"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="dim"),
        console=Console(),
        transient=True,
        disable=not sys.stdout.isatty(),
    ) as progress:
        bar = progress.add_task("", total=1.0)
        for seed, part in _seeds(first, n_cases, minutes):
            progress.update(bar, completed=part, description=f"{n_runs:,} runs, seed {seed}")
            n_checked += 1
            if seed % TASK_CASE_EVERY == 0:
                on_tasks = make_task_case(seed)
                if difference := check_task_case(on_tasks, announce):
                    return difference
                n_on_tasks += len(on_tasks.programs) * len(on_tasks.tasks)
                continue
            case = make_case(seed)
            if difference := check_case(case, announce):
                return difference
            n_programs += len(case.programs)
            n_runs += len(case.programs) * len(case.inputs)
    if n_checked:
        last = first + n_checked - 1
        print(
            f"{n_programs:,} programs, {n_runs:,} runs alone and as many fused, {n_on_tasks:,} on "
            f"tasks, no difference (seeds {first} to {last})"
        )
    return None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=float, default=1.0, help="how long, without --count")
    parser.add_argument("--count", type=int, help="how many cases")
    parser.add_argument("--seed", type=int, help="of the first case; otherwise from the clock")
    parser.add_argument("--conform", action="store_true", help="replay the recorded calls first")
    parser.add_argument("--search", action="store_true", help="enumerate tasks too")
    parser.add_argument("--mutants", action="store_true", help="run mutants fused and alone too")
    parser.add_argument("--extension", type=Path, help="a build of the engine to use instead")
    parser.add_argument("--log", type=Path, help="where to write what is about to be run")
    options = parser.parse_args()
    if options.extension is not None:
        use_extension(options.extension)
    from arcbatt.engine.gpu.health import read_build

    built = read_build()
    print(f"engine: {built.compiler}{', with sanitizers' * built.sanitized}", flush=True)
    first = options.seed if options.seed is not None else time.time_ns() // 1_000_000 % 10**10
    announce: Announce = lambda text: None  # noqa: E731
    if options.log is not None:
        announce = options.log.write_text
    difference = check_recorded_calls(announce) if options.conform else None
    if options.search:
        difference = difference or check_searches(N_SEARCHED, announce)
    if options.mutants:
        difference = difference or check_mutants(first, announce)
    difference = difference or fuzz(first, options.count, options.minutes, announce)
    if difference:
        print(difference)
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
