"""The learn proposer: its rules, its trees, and its proposals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program, Reason, all_primitives, interpret
from arcbatt.language.ir import call_node, input_node
from arcbatt.language.primitives.views import TURNS
from arcbatt.pool import Pool
from arcbatt.proposers.fates import APPLY_FATES, FATES, LEARN_FATES, fate_programs
from arcbatt.proposers.learn import (
    RULE_BITS,
    RULES,
    LearnProposer,
    learner_names,
    rules,
)
from arcbatt.proposers.proposer import CONFIDENT, MEMORIZED_BITS, Proposal, penalize_memorized
from arcbatt.proposers.trees import GROW_TREE, TREE_BITS, TREES, is_applicable, tree_choices
from arcbatt.proposers.views import (
    TURNED_RULES,
    View,
    by_role,
    learning_views,
    plain,
    with_turns,
)
from arcbatt.solving import Loop
from arcbatt.tasks import Pair, Task
from tests.language.test_learned import grid_of
from tests.support.search import (
    FOREVER_S,
    candidate_for,
    huge_task,
    kept_candidates,
    task_named,
    training,
)


def learn(
    *tasks: Task, off: frozenset[str] = frozenset(), n_threads: int = 1, pool: Pool | None = None
) -> Loop:
    board = TaskBoard(tasks, device="cpu", n_threads=n_threads)
    loop = Loop(board, pool or Pool.in_memory(), [LearnProposer(off)])
    loop.run(FOREVER_S)
    return loop


def all_views(task: Task) -> list[View]:
    """Return every view in which rules are learned for some task."""
    turned = (with_turns(plain(task), code) for code in range(len(TURNS)))
    return [plain(task), by_role(task), *turned]


def all_rules(off: frozenset[str] = frozenset()) -> list[Program]:
    views = all_views(task_named("small"))
    return [rule.program for view in views for rule in rules(view, off)]


def test_a_proposal_that_misses_held_out_demos_may_be_memorized() -> None:
    task = task_named("one")
    for n_held_out, bits in ((None, MEMORIZED_BITS), (1, MEMORIZED_BITS), (2, 0.0)):
        candidate = candidate_for(task, learns=True, n_held_out=n_held_out, n_fitted=2, bits=1.0)
        assert penalize_memorized(candidate.proposal, candidate.trial).bits == 1.0 + bits
    unlearned = candidate_for(task, bits=1.0)
    assert penalize_memorized(unlearned.proposal, unlearned.trial) == unlearned.proposal


def test_rules_are_distinct_programs() -> None:
    programs = all_rules()
    assert len(set(programs)) == len(programs) > 300
    assert len({program.name for program in programs}) == len(programs)
    assert all("I" in program.inputs for program in programs)


def test_codes_of_rules_are_in_range() -> None:
    board = TaskBoard(training("44d8ac46"), device="cpu", n_threads=1)
    result = board.screen(Batt(all_rules()), staged=False)
    assert not (result.reasons == Reason.RANGE).any()


@pytest.mark.slow
def test_rules_of_switched_off_primitives_are_left_out() -> None:
    n_left = [len(all_rules(frozenset({name}))) for name in learner_names()]
    assert sum(len(all_rules()) - n for n in n_left) == len(all_rules())
    assert all_rules(frozenset(learner_names())) == []
    (task,) = training("44d8ac46")
    assert learn(task).n_fitted == 1
    assert learn(task, off=frozenset(learner_names())).counts["learn"].n_rounds == 0


def test_rules_fates_and_trees_are_learned_in_the_views_of_a_task() -> None:
    small = task_named("small")
    names = [view.name for view in learning_views(small)]
    assert names[:2] == ["plain", "roles"] and len(set(names)) == len(names)
    (task,) = training("39a8645d")  # has a turned view
    assert [view.kind for view in learning_views(task)] == ["plain", "roles", "turn"]
    views = learning_views(task, frozenset({TURNED_RULES}))
    assert [view.name for view in views] == ["plain", "roles"]


def test_proposals_fit_by_the_reference_and_find_held_out_demos() -> None:
    tasks = training("44d8ac46", "25d8a9c8", "67a3c6ac", "0520fde7")
    loop = learn(*tasks)
    assert loop.n_fitted >= 2
    for task in tasks:
        pairs = tuple((demo.input, demo.output) for demo in task.demos)
        for candidate in loop.candidates(task).kept[:3]:
            if candidate.program.name.endswith(("_fates_1", "_fates_2")):
                continue  # second choices, which demos leave none
            assert candidate.fits
            is_rule = candidate.proposal.family not in (GROW_TREE, APPLY_FATES)
            assert not is_rule or candidate.proposal.bits >= RULE_BITS
            assert candidate.trial.learns and candidate.trial.n_held_out
            for demo in task.demos:
                values = {"I": demo.input, "S": pairs}
                assert interpret(candidate.program, values).outcome == demo.output


def test_results_do_not_depend_on_threads_and_work_is_done_once() -> None:
    tasks = training("44d8ac46", "25d8a9c8")
    with Pool.in_memory() as pool:
        first, second = learn(*tasks, pool=pool), learn(*tasks, n_threads=2)
        for task in tasks:
            programs = [
                [each.program for each in loop.candidates(task).kept] for loop in (first, second)
            ]
            assert programs[0] == programs[1] != []
        n_rounds = first.counts["learn"].n_rounds
        first.save()
        again = learn(*tasks, pool=pool)
        assert again.is_resumed and again.counts["learn"].n_rounds == n_rounds > 0
        assert again.done("learn", RULES) == first.done("learn", RULES)
        assert kept_candidates(again) == kept_candidates(first)


def test_rules_from_a_single_demo_have_no_held_out_demos() -> None:
    pair = Pair(((1, 2), (2, 1)), ((3, 4), (4, 3)))
    task = Task("one demo", (pair,), (((1, 1),),), "tests")
    loop = learn(task)
    assert loop.n_fitted == 1
    trials = [each.trial for each in loop.candidates(task).kept]
    assert all(trial.learns and trial.n_held_out is None for trial in trials)


def test_any_task_is_applicable_from() -> None:
    dot = ((3,),)
    tasks = [
        huge_task(),
        Task("dot", (Pair(dot, dot),), (dot,), "tests"),
        Task("grow", (Pair(dot, ((1,) * 30,) * 30),) * 3, (dot, ((4, 5),)), "tests"),
        Task("contradiction", tuple(Pair(dot, ((k,),)) for k in range(4)), (dot,), "tests"),
        task_named("small"),
    ]
    loop = learn(*tasks)
    for task in tasks:
        for each in loop.candidates(task).kept:
            assert len(each.trial.outputs) == len(task.test_inputs)
    assert not loop.candidates(tasks[3]).fits


# --- trees over cells ---


def test_trees_are_proposed_if_they_find_held_out_demos() -> None:
    tasks = training("3befdf3e", "d90796e8", "44d8ac46")
    others = frozenset(learner_names()) - {GROW_TREE}
    loop = learn(*tasks, off=others)
    counts = loop.done("learn", TREES)
    assert loop.n_fitted == len(tasks) == len(counts)
    for task in tasks:
        kept = loop.candidates(task).kept
        assert len(kept) == counts[task.id]["n_kept"] > 0
        for candidate in kept:
            assert candidate.proposal.family == GROW_TREE
            assert candidate.fits and candidate.trial.n_held_out
            assert candidate.proposal.bits > TREE_BITS


@pytest.mark.parametrize("min_share", [0.0, 1.0])
def test_programs_that_predict_held_out_demos_are_judged_in_full(min_share: float) -> None:
    (task,) = training("25d487eb")
    loop = Loop(TaskBoard([task], device="cpu"), Pool.in_memory(), [LearnProposer()])
    programs = [choice.program for view in learning_views(task) for choice in tree_choices(view)]
    programs.append(Program(call_node("vmirror", input_node("I")), "does not learn"))
    proposals = [Proposal.from_program(program, task) for program in programs]
    context = loop.context("learn")
    judged = zip(proposals, context.judge(proposals), strict=True)
    assert context.judge_learned(proposals, min_share) == [
        (proposal, trial)
        for proposal, trial in judged
        if trial.n_held_out is None or trial.n_held_out >= max(1, min_share * trial.n_demos)
    ]


def test_trees_are_tried_only_if_outputs_have_their_inputs_size() -> None:
    tasks = training("44d8ac46", "67a3c6ac", "0520fde7")
    assert [is_applicable(task) for task in tasks] == [True, True, False]
    others = frozenset(learner_names()) - {GROW_TREE}
    assert set(learn(*tasks, off=others).done("learn", TREES)) == {"44d8ac46", "67a3c6ac"}
    assert not learn(*tasks, off=frozenset({GROW_TREE})).done("learn", TREES)


def test_trees_are_tried_only_on_tasks_that_rules_leave_uncertain() -> None:
    tasks = training("67a3c6ac", "0ca9ddb6", "3befdf3e")
    loop, of_rules = learn(*tasks), learn(*tasks, off=frozenset({GROW_TREE}))
    assert set(loop.done("learn", RULES)) == {task.id for task in tasks}
    left = {task.id for task in tasks if of_rules.confidence(task) < CONFIDENT}
    assert set(loop.done("learn", TREES)) == left == {"3befdf3e"}


def test_trees_are_distinct_programs() -> None:
    parts = dict(all_primitives()["grow_tree"].codes)[2]
    choices = [choice for view in all_views(task_named("small")) for choice in tree_choices(view)]
    programs = [replace(choice, part=part).program for choice in choices for part in parts]
    assert len(set(programs)) == len(programs)
    assert all({"S", "I"} == set(program.inputs) for program in programs)


# --- fates of objects ---


def test_fates_are_proposed_with_the_bits_of_their_evidence() -> None:
    """Several grids are voted for; the one with the most evidence costs the fewest bits."""
    (task,) = training("25d8a9c8")
    other = frozenset(learner_names()) - {LEARN_FATES}
    loop = learn(task, off=other)
    assert loop.n_fitted == 1 and learn(task, off=frozenset(learner_names())).n_fitted == 0
    kept = {each.program.name: each for each in loop.candidates(task).kept}
    assert {each.proposal.family for each in kept.values()} == {APPLY_FATES}
    first = kept["plain_fates_0"]
    assert first.fits and first.trial.n_held_out == len(task.demos)
    assert all(each.proposal.bits >= first.proposal.bits for each in kept.values())
    assert loop.done("learn", FATES)[task.id]["n_fitting"] == len(kept)


def test_fates_are_learned_on_the_task_s_background() -> None:
    pairs = (
        Pair(grid_of("3333", "3133", "3322"), grid_of("3333", "3333", "3322")),
        Pair(grid_of("3333", "2233", "3331"), grid_of("3333", "2233", "3333")),
    )
    task = Task("grounded", pairs, (grid_of("33331", "22333", "33333"),), "tests")
    views = list(learning_views(task))
    assert {"plain", "ground"} <= {view.kind for view in views}
    wanted = grid_of("33333", "22333", "33333")
    board = TaskBoard([task], device="cpu", n_threads=1)
    for view in views:
        assert (wanted,) in board.test_outputs(task, fate_programs(view))
