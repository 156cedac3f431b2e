"""Values that depend on the demos alone are computed once per task, without any difference."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pytest

from arcbatt.engine import profiler
from arcbatt.engine.batt import Batt
from arcbatt.engine.graph.samples import Grid, Samples
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.evaluation.board import HeldOutSamples
from arcbatt.language import Budget, Program, Reason, parse_program
from arcbatt.language.ir import call_node
from arcbatt.tasks import Task, load
from bench.random_programs import random_program
from tests.fuzz import of_a_demo

BUDGETS = (Budget(200_000, 2**22), Budget(3_000, 2**22), Budget(200_000, 2**15))
ARRAYS = ("reasons", "matches", "hashes", "steps", "numbers")
TASK_ARRAYS = ("reasons", "n_matches", "hashes", "steps", "numbers")


def mixed_programs(n: int) -> list[Program]:
    """Programs of samples, of demos, and of both; some fail."""
    programs = []
    for seed in range(n):
        own = random_program(seed, 8, well_typed=seed % 4 > 0)
        shared = of_a_demo(random_program(seed + n, 8, well_typed=seed % 4 > 1))
        both = Program(call_node("astuple", shared.result, own.result), f"both_{seed}")
        programs += [own, shared, both]
    return programs


def apart(samples: TaskSamples) -> TaskSamples:
    """Return the same samples, each with its own copy of the demos, so that none share values."""

    class Apart(TaskSamples):
        def demos_of(self, tasks: Sequence[int], first: int = 0, end: int | None = None) -> Samples:
            chosen = [(t, demo) for t in tasks for demo in self.tasks[t].demos[first:end]]
            return Samples(
                [demo.input for _, demo in chosen],
                [demo.output for _, demo in chosen],
                [(*self.pairs[t],) for t, _ in chosen],
            )

    return Apart(samples.tasks)


@pytest.fixture(scope="module")
def tasks() -> TaskSamples:
    return TaskSamples(load("arc-agi-1/training")[:30])


@pytest.fixture(scope="module")
def batt() -> Batt:
    return Batt(mixed_programs(30))


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("budget", BUDGETS, ids=["ample", "few steps", "few bytes"])
def test_samples_give_together_what_each_gives_alone(
    tasks: TaskSamples, batt: Batt, budget: Budget, n_threads: int
) -> None:
    samples = apart(tasks).demos
    alone = batt.run(samples, budget, n_threads=1, device="cpu", keep_values=True)
    together = batt.run(tasks.demos, budget, n_threads=n_threads, device="cpu", keep_values=True)
    for name in ARRAYS:
        assert (getattr(together, name) == getattr(alone, name)).all(), name
    for program in range(len(batt.programs)):
        for sample in range(tasks.n_samples):
            assert together.outcome(program, sample) == alone.outcome(program, sample)
    reasons = set(np.unique(together.reasons).tolist())
    assert {0, int(Reason.TYPE)} < reasons
    assert (int(Reason.BUDGET) in reasons) or budget is BUDGETS[0]


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("staged", [True, False])
def test_tasks_give_what_their_samples_give_alone(
    tasks: TaskSamples, batt: Batt, staged: bool, n_threads: int
) -> None:
    only = [p % 31 - 1 if p % 2 else -1 for p in range(len(batt.programs))]
    for budget in BUDGETS:
        got, wanted = (
            run_on_tasks(batt, each, budget, only=only, staged=staged, n_threads=n_threads)
            for each in (tasks, apart(tasks))
        )
        for name in TASK_ARRAYS:
            assert (getattr(got, name) == getattr(wanted, name)).all(), name


def test_tasks_with_the_same_demos_may_have_programs_of_their_own(batt: Batt) -> None:
    class Twice(TaskSamples):
        @cached_property
        def pairs(self) -> list[tuple[tuple[Grid, Grid], ...]]:
            first = self.tasks[0]
            return [tuple((d.input, d.output) for d in first.demos)] * len(self.tasks)

    task = load("arc-agi-1/training")[3]
    samples = Twice([task] * 6)
    only = [p % 6 for p in range(len(batt.programs))]
    got = run_on_tasks(batt, samples, only=only, n_threads=1)
    whole = run_on_tasks(batt, apart(TaskSamples([task])), staged=False)
    for program, t in enumerate(only):
        for name in TASK_ARRAYS:
            assert getattr(got, name)[program, t] == getattr(whole, name)[program, 0]


# --- how often they are made ---

ROLES = "def f(S, I):\n    return from_roles(S, I, learn_cells(role_demos(S), to_roles(S, I), 0))\n"


def calls_of(batt: Batt, samples: Samples, n_threads: int) -> dict[str, int]:
    with profiler.profile() as profile:
        batt.run(samples, n_threads=n_threads, device="cpu")
    return {row.name: row.n_calls for row in profile.rows()}


def test_they_are_made_once_for_a_task(tasks: TaskSamples) -> None:
    batt = Batt([parse_program(ROLES)])
    n_samples = tasks.n_samples
    calls = calls_of(batt, tasks.demos, 1)
    assert (calls["role_demos"], calls["to_roles"]) == (len(tasks), n_samples)
    assert calls_of(batt, apart(tasks).demos, 1)["role_demos"] == n_samples
    assert calls_of(batt, HeldOutSamples(tasks.tasks).demos, 1)["role_demos"] == n_samples
    with profiler.profile() as profile:
        run_on_tasks(batt, tasks, staged=False, device="cpu")
    assert {row.name: row.n_calls for row in profile.rows()} == calls


def test_one_thread_takes_all_samples_of_a_task_but_of_the_last(
    tasks: TaskSamples, batt: Batt
) -> None:
    n_threads = 2
    task_of = np.repeat(np.arange(len(tasks)), tasks.n_demos)
    in_order = list(dict.fromkeys(task_of[tasks.demos.by_demos].tolist()))
    # The first program has a value on every sample.
    several = Batt([parse_program("def f(I):\n    return double(1)\n"), *batt.programs])
    for _ in range(5):
        result = several.run(tasks.demos, n_threads=n_threads, device="cpu", keep_values=True)
        threads: dict[int, set[int]] = {}
        for thread, kept in enumerate(result._kept or ()):
            for sample in kept.cells[kept.cells < tasks.n_samples].tolist():
                threads.setdefault(int(task_of[sample]), set()).add(thread)
        for task in in_order[: -2 * n_threads]:
            assert len(threads[task]) == 1


def _largest(task: Task) -> int:
    return max(len(demo.input) * len(demo.input[0]) for demo in task.demos)


def test_samples_with_the_same_demos_come_one_after_the_other(tasks: TaskSamples) -> None:
    order = tasks.demos.by_demos.tolist()
    assert sorted(order) == list(range(tasks.n_samples))
    task_of = np.repeat(np.arange(len(tasks)), tasks.n_demos)[order]
    assert 1 + np.count_nonzero(np.diff(task_of)) == len(tasks)
    largest = [_largest(tasks.tasks[t]) for t in task_of]
    assert largest == sorted(largest, reverse=True)
    rng = random.Random(0)
    grids = [((0,) * rng.randint(1, 9),) for _ in range(20)]
    without = Samples(grids)
    assert [len(grids[k][0]) for k in without.by_demos] == sorted(map(len, sum(grids, ())))[::-1]
    assert not len(Samples([]).by_demos)


# --- where memory is short ---

# In a process of its own: the memory that a worker has from earlier runs is not counted.
SHORT = """
import sys
from arcbatt.engine import batt as batts, profiler
from arcbatt.engine.cpu import run as cpu_run
from arcbatt.engine.task_run import TaskSamples, run_on_tasks
from arcbatt.language import parse_program
from arcbatt.tasks import load
from tests.engine.test_shared_values import ARRAYS, TASK_ARRAYS, apart, mixed_programs
big = [
    "a = upscale(upscale({grid}, 5), 5)", "a = upscale(upscale({grid}, 6), 5)",
    "a = asobject(upscale({grid}, 9))", "a = asobject(upscale({grid}, 8))",
]
texts = [f"def f(S, I):\\n    {line.format(grid=grid)}\\n    return size(combine(a, a))\\n"
         for line in big for grid in ("first(first(S))", "I")]
batt = batts.Batt([*mixed_programs(10), *map(parse_program, texts)])
tasks = TaskSamples(load("arc-agi-1/training")[:12])

def run():
    with profiler.profile() as profile:
        got = batt.run(tasks.demos, n_threads=1, device="cpu")
        by_task = run_on_tasks(batt, tasks, n_threads=1, device="cpu")
    return got, by_task, sum(row.n_calls for row in profile.rows())

cpu_run.MAX_ARENA_BYTES = int(sys.argv[1])
short = run()
cpu_run.MAX_ARENA_BYTES = 2**29
ample = run()
for name in ARRAYS:
    assert (getattr(short[0], name) == getattr(ample[0], name)).all(), name
for name in TASK_ARRAYS:
    assert (getattr(short[1], name) == getattr(ample[1], name)).all(), name
assert short[2] > ample[2], "memory was not short"
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", [1, 2**20, 2**21, 3 * 2**20])
def test_where_memory_is_short_programs_make_them_one_by_one(n_bytes: int) -> None:
    command = [sys.executable, "-c", SHORT, str(n_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr
