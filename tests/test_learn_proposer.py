"""The stage that learns: its rules, and what it offers."""

from __future__ import annotations

from arcbatt.engine.batt import Batt
from arcbatt.language import Reason, run
from arcbatt.search.validating import SampleGrids
from arcbatt.solving import Solver
from arcbatt.solving.learn_stage import BITS_OF_A_RULE, LEARNING, LearnStage, rules
from arcbatt.tasks import Pair, Task

from .solving_parts import huge_task, task_named, training

FOREVER_S = 1e6


def learnt(*tasks: Task, off: frozenset[str] = frozenset(), n_threads: int = 1) -> Solver:
    solver = Solver(tasks, [LearnStage(n_threads=n_threads, off=off)])
    solver.run(FOREVER_S)
    return solver


def test_rules_are_programs_each_once() -> None:
    programs = rules()
    assert len(set(programs)) == len(programs) > 300
    assert len({program.name for program in programs}) == len(programs)
    assert all({"S", "I"} == set(program.inputs) for program in programs)


def test_all_rules_have_codes_that_there_are() -> None:
    (task,) = training("44d8ac46")
    result = Batt(rules()).run(SampleGrids.of_task(task).packed, device="cpu", n_threads=1)
    assert not (result.reasons == Reason.RANGE).any()


def test_rules_of_primitives_that_are_off_are_left_out() -> None:
    n_left = [len(rules(frozenset({name}))) for name in LEARNING]
    assert sum(len(rules()) - n for n in n_left) == len(rules())
    assert rules(frozenset(LEARNING)) == ()
    (task,) = training("44d8ac46")
    assert learnt(task).n_fitted == 1
    assert learnt(task, off=frozenset(LEARNING)).counts["learn"].n_offered == 0


def test_what_is_offered_fits_by_the_reference_and_holds_for_demos_it_did_not_see() -> None:
    tasks = training("44d8ac46", "25d8a9c8", "67a3c6ac", "0520fde7")
    solver = learnt(*tasks)
    assert solver.n_fitted >= 2
    for task in tasks:
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        for each in solver.candidates(task).kept[:3]:
            candidate = each.candidate
            assert candidate.fits and candidate.bits == BITS_OF_A_RULE
            assert candidate.n_held_out and candidate.program is not None
            for demo in task.demos:
                values = {"I": demo.input, "S": pairs}
                assert run(candidate.program, values).outcome == demo.output


def test_it_repeats_with_any_number_of_threads_and_is_done_once() -> None:
    tasks = training("44d8ac46", "25d8a9c8")
    first, second = learnt(*tasks), learnt(*tasks, n_threads=2)
    for task in tasks:
        programs = [
            [each.candidate.program for each in solver.candidates(task).kept]
            for solver in (first, second)
        ]
        assert programs[0] == programs[1] != []
    again = Solver(tasks, [LearnStage(n_threads=1)])
    again.restore(first.state())
    again.run(FOREVER_S)
    assert again.counts["learn"].n_offered == first.counts["learn"].n_offered


def test_any_task_can_be_learnt_from() -> None:
    dot = ((3,),)
    tasks = [
        huge_task(),
        Task("dot", (Pair(dot, dot),), (dot,), "tests"),
        Task("grow", (Pair(dot, ((1,) * 30,) * 30),) * 3, (dot, ((4, 5),)), "tests"),
        Task("contradiction", tuple(Pair(dot, ((k,),)) for k in range(4)), (dot,), "tests"),
        task_named("small"),
    ]
    solver = learnt(*tasks)
    for task in tasks:
        for each in solver.candidates(task).kept:
            assert len(each.candidate.outputs) == len(task.test_inputs)
    assert not solver.candidates(tasks[3]).fits
