"""The proposer that learns: its rules, and what it proposes."""

from __future__ import annotations

from dataclasses import replace

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program, Reason, interpret
from arcbatt.language.primitives.cell_trees import N_PARTS
from arcbatt.language.primitives.views import GROUNDS, TURNS
from arcbatt.language.text import format_program
from arcbatt.pool import Pool
from arcbatt.proposers.enumerate.stacks import View
from arcbatt.proposers.enumerate.views import plain, with_ground, with_roles, with_turns
from arcbatt.proposers.learn import (
    BITS_OF_A_RULE,
    GROUND_RULES,
    LEARNING,
    RULES,
    TURNED_RULES,
    LearnedRules,
    rules,
    views_to_learn_in,
)
from arcbatt.proposers.proposer import BITS_BY_HEART, SURE, doubt
from arcbatt.proposers.trees import BITS_OF_A_TREE, CHOICES, GROWING, TREES, can_be_learnt
from arcbatt.solving import Loop
from arcbatt.tasks import Pair, Task

from .solving_parts import FOREVER_S, candidate_for, huge_task, kept_by, task_named, training


def learnt(
    *tasks: Task, off: frozenset[str] = frozenset(), n_threads: int = 1, pool: Pool | None = None
) -> Loop:
    board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
    loop = Loop(board, pool or Pool.in_memory(), [LearnedRules(off)])
    loop.run(FOREVER_S)
    return loop


def all_views(task: Task) -> list[View]:
    """Every view that some task has."""
    as_it_is = plain(task)
    return [
        as_it_is,
        with_roles(as_it_is),
        *(with_ground(as_it_is, code) for code in range(len(GROUNDS))),
        *(with_roles(with_ground(as_it_is, code)) for code in range(len(GROUNDS))),
        *(with_turns(as_it_is, code) for code in range(len(TURNS))),
    ]


def all_rules(off: frozenset[str] = frozenset()) -> list[Program]:
    views = all_views(task_named("small"))
    return [program for view in views for program in rules(view, off)]


def test_what_is_not_found_again_unseen_may_be_by_heart() -> None:
    task = task_named("one")
    for n_held_out, bits in ((None, BITS_BY_HEART), (1, BITS_BY_HEART), (2, 0.0)):
        found = candidate_for(task, learns=True, n_held_out=n_held_out, n_fitted=2, bits=1.0)
        assert doubt(found.proposal, found.trial).bits == 1.0 + bits
    nothing_learnt = candidate_for(task, bits=1.0)
    assert doubt(nothing_learnt.proposal, nothing_learnt.trial) == nothing_learnt.proposal


def test_rules_are_programs_each_once() -> None:
    programs = all_rules()
    assert len(set(programs)) == len(programs) > 300
    assert len({program.name for program in programs}) == len(programs)
    assert all("I" in program.inputs for program in programs)


def test_all_rules_have_codes_that_there_are() -> None:
    board = TaskBoard(training("44d8ac46"), device="cpu", n_threads=1)
    result = board.screen(Batt(all_rules()), staged=False)
    assert not (result.reasons == Reason.RANGE).any()


def test_rules_of_primitives_that_are_off_are_left_out() -> None:
    n_left = [len(all_rules(frozenset({name}))) for name in LEARNING]
    assert sum(len(all_rules()) - n for n in n_left) == len(all_rules())
    assert all_rules(frozenset(LEARNING)) == []
    (task,) = training("44d8ac46")
    assert learnt(task).n_fitted == 1
    assert learnt(task, off=frozenset(LEARNING)).counts["learn"].n_rounds == 0


def test_rules_are_learnt_in_the_views_that_a_task_has() -> None:
    small = task_named("small")
    names = [view.name for view in views_to_learn_in(small)]
    assert names[:2] == ["plain", "roles"] and len(set(names)) == len(names)
    (task,) = training("b2862040")  # has another background than 0
    for switch, kind in ((GROUND_RULES, "ground"), (TURNED_RULES, "turn")):
        left = [view.name for view in views_to_learn_in(task, frozenset({switch}))]
        assert not any(kind in name for name in left)
    assert any(view.name.startswith("ground") for view in views_to_learn_in(task))
    texts = [format_program(each.program) for each in learnt(task).candidates(task).kept]
    assert any("swap_ground" in text for text in texts)


def test_what_is_proposed_fits_by_the_reference_and_holds_for_demos_it_did_not_see() -> None:
    tasks = training("44d8ac46", "25d8a9c8", "67a3c6ac", "0520fde7")
    loop = learnt(*tasks)
    assert loop.n_fitted >= 2
    for task in tasks:
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        for candidate in loop.candidates(task).kept[:3]:
            assert candidate.fits
            is_tree = candidate.proposal.family == GROWING
            assert is_tree or candidate.proposal.bits >= BITS_OF_A_RULE
            assert candidate.trial.learns and candidate.trial.n_held_out
            for demo in task.demos:
                values = {"I": demo.input, "S": pairs}
                assert interpret(candidate.program, values).outcome == demo.output


def test_it_repeats_with_any_number_of_threads_and_is_done_once() -> None:
    tasks = training("44d8ac46", "25d8a9c8")
    with Pool.in_memory() as pool:
        first, second = learnt(*tasks, pool=pool), learnt(*tasks, n_threads=2)
        for task in tasks:
            programs = [
                [each.program for each in loop.candidates(task).kept] for loop in (first, second)
            ]
            assert programs[0] == programs[1] != []
        n_rounds = first.counts["learn"].n_rounds
        first.save()
        again = learnt(*tasks, pool=pool)
        assert again.is_resumed and again.counts["learn"].n_rounds == n_rounds > 0
        assert again.done("learn", RULES) == first.done("learn", RULES)
        assert kept_by(again) == kept_by(first)


def test_what_was_learnt_from_a_single_demo_is_proposed_as_unknown() -> None:
    pair = Pair(((1, 2), (2, 1)), ((3, 4), (4, 3)))
    task = Task("one demo", (pair,), (((1, 1),),), "tests")
    loop = learnt(task)
    assert loop.n_fitted == 1
    trials = [each.trial for each in loop.candidates(task).kept]
    assert all(trial.learns and trial.n_held_out is None for trial in trials)


def test_any_task_can_be_learnt_from() -> None:
    dot = ((3,),)
    tasks = [
        huge_task(),
        Task("dot", (Pair(dot, dot),), (dot,), "tests"),
        Task("grow", (Pair(dot, ((1,) * 30,) * 30),) * 3, (dot, ((4, 5),)), "tests"),
        Task("contradiction", tuple(Pair(dot, ((k,),)) for k in range(4)), (dot,), "tests"),
        task_named("small"),
    ]
    loop = learnt(*tasks)
    for task in tasks:
        for each in loop.candidates(task).kept:
            assert len(each.trial.outputs) == len(task.test_inputs)
    assert not loop.candidates(tasks[3]).fits


# --- trees over cells ---


def test_trees_are_proposed_where_they_hold_for_demos_they_did_not_see() -> None:
    tasks = training("3befdf3e", "d90796e8", "44d8ac46")
    others = frozenset(LEARNING) - {GROWING}
    loop = learnt(*tasks, off=others)
    counts = loop.done("learn", TREES)
    assert loop.n_fitted == len(tasks) == len(counts)
    for task in tasks:
        kept = loop.candidates(task).kept
        assert len(kept) == counts[task.id]["n_kept"] > 0
        for candidate in kept:
            assert candidate.proposal.family == GROWING
            assert candidate.fits and candidate.trial.n_held_out
            assert candidate.proposal.bits > BITS_OF_A_TREE


def test_trees_are_tried_only_where_outputs_have_their_inputs_size() -> None:
    tasks = training("44d8ac46", "67a3c6ac", "0520fde7")
    assert [can_be_learnt(task) for task in tasks] == [True, True, False]
    others = frozenset(LEARNING) - {GROWING}
    assert set(learnt(*tasks, off=others).done("learn", TREES)) == {"44d8ac46", "67a3c6ac"}
    assert not learnt(*tasks, off=frozenset({GROWING})).done("learn", TREES)


def test_trees_are_tried_only_where_rules_leave_it_unsure() -> None:
    tasks = training("67a3c6ac", "0ca9ddb6", "3befdf3e")
    loop, of_rules = learnt(*tasks), learnt(*tasks, off=frozenset({GROWING}))
    assert set(loop.done("learn", RULES)) == {task.id for task in tasks}
    left = {task.id for task in tasks if of_rules.confidence(task) < SURE}
    assert set(loop.done("learn", TREES)) == left == {"3befdf3e"}


def test_trees_are_programs_each_once() -> None:
    programs = [replace(choice, part=part).program for choice in CHOICES for part in range(N_PARTS)]
    assert len(set(programs)) == len(programs)
    assert all({"S", "I"} == set(program.inputs) for program in programs)
