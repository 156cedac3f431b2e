"""Demos held out: a program cannot look its output up, and one with a rule does not notice."""

from __future__ import annotations

import pytest

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskSamples, run_on_tasks
from arcbatt.language import Program, parse_program
from arcbatt.language import run as run_alone
from arcbatt.library import library_programs
from arcbatt.search.held_out import HeldOutSamples
from arcbatt.tasks import Task, load

TASKS = load("arc-agi-1/training")[:8]
# The output of the pair with this very input, where there is one.
LOOK_UP = """
def look_up(S, I):
    same = compose(rbind(equality, I), first)
    return second(extract(S, same))
"""
SEEN = "def seen(S, I):\n    return first(last(S))\n"


def n_matches(program: Program, samples: TaskSamples) -> list[int]:
    result = run_on_tasks(Batt([program]), samples, device="cpu")
    found: list[int] = result.n_matches[0].tolist()
    return found


def test_what_looks_outputs_up_matches_nothing() -> None:
    program = parse_program(LOOK_UP)
    assert n_matches(program, TaskSamples(TASKS)) == [len(task.demos) for task in TASKS]
    assert n_matches(program, HeldOutSamples(TASKS)) == [0] * len(TASKS)


def test_each_demo_sees_the_others() -> None:
    program = parse_program(SEEN)
    samples = HeldOutSamples(TASKS).demos_of(range(len(TASKS)))
    result = Batt([program]).run(samples, keep_values=True, device="cpu")
    place = 0
    for task in TASKS:
        pairs = [(demo.input, demo.output) for demo in task.demos]
        for k, demo in enumerate(task.demos):
            others = tuple(pairs[:k] + pairs[k + 1 :])
            wanted = run_alone(program, {"I": demo.input, "S": others}).outcome
            assert result.outcome(0, place) == wanted
            place += 1


def test_some_demos_of_some_tasks() -> None:
    samples = HeldOutSamples(TASKS)
    assert len(samples.demos_of([2, 5], 1)) == sum(len(TASKS[t].demos) - 1 for t in (2, 5))
    assert len(samples.first_demos) == len(TASKS)


def test_an_only_demo_is_seen() -> None:
    alone = Task("alone", TASKS[0].demos[:1], TASKS[0].test_inputs, "made")
    assert n_matches(parse_program(LOOK_UP), HeldOutSamples([alone])) == [1]


@pytest.mark.parametrize("parsed", library_programs()[::8], ids=lambda parsed: parsed.name)
def test_the_library_solves_what_it_solves(parsed: object) -> None:
    program = parsed.program  # type: ignore[attr-defined]
    tasks = [load("arc-agi-1/training")[program.name.removeprefix("solve_")]]
    assert n_matches(program, HeldOutSamples(tasks)) == [len(tasks[0].demos)]
