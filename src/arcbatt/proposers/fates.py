"""Propose the grids that rules about the fates of objects vote for.

`learn_fates` returns all rules that explain the demos, with their bits. The grid with the most
evidence is the output of one program, the next two are those of two others. A program costs the
bits of the evidence for its grids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log2
from typing import Any

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.language.ir import call_node, constant
from arcbatt.language.learners.object_fates import MAX_PLACES, split_rules
from arcbatt.language.native import find_rule
from arcbatt.language.values import Value
from arcbatt.measure import phase
from arcbatt.tasks import Grid, Task

from .proposer import Context, Proposal, penalize_memorized
from .views import View, group_by_view

FATES = "fates"
LEARN_FATES, APPLY_FATES = "learn_fates", "apply_fates"
# CPU time per task, and tasks gained per wrong task, on the seven sets of docs/solving.md, measured
# on the task as it is and on its first background. The other views take as long again.
COST_S, GAIN = 0.022, 0.096
# Fitted to ARC-AGI-1 training and half of ConceptARC. Rules of three bits are right as often as
# what all other proposers agree on, so their evidence counts more than that of other rules.
FATE_BITS, BITS_PER_BIT = -5.0, 0.8
# Predicates compare colors, whatever their numbers: roles won no task and lost one of ConceptARC.
WITHOUT_VIEWS = ("roles",)


def fate_programs(view: View) -> list[Program]:
    """Return the programs for a view, those with more evidence first."""
    learned = call_node(LEARN_FATES, view.demos_node)
    return [
        Program(
            view.restore(call_node(APPLY_FATES, learned, view.input_node, constant(place))),
            f"{view.prefix}_fates_{place}",
        )
        for place in range(MAX_PLACES)
    ]


def propose_fates(board: TaskBoard, context: Context, off: frozenset[str]) -> None:
    """Propose what the rules for tasks of a board vote for."""
    n_fitting = {task.id: 0 for task in board.tasks}
    n_pairs = 0
    for group in group_by_view(board.tasks, off, without=WITHOUT_VIEWS):
        programs = fate_programs(group[0][0])
        with phase("fuse"):
            batt = Batt(programs[:1])
        result = board.part([task for _, task in group]).screen(batt, device="cpu")
        n_pairs += len(group)
        for t, (view, task) in enumerate(group):
            if result.solved[0, t]:
                n_fitting[task.id] += _propose(view, task, programs, context)
    for task in board.tasks:
        context.note_done(FATES, task, {"n_fitting": n_fitting[task.id]})
    context.log({"n_pairs": n_pairs})


def _propose(view: View, task: Task, programs: Sequence[Program], context: Context) -> int:
    """Propose programs that fit a task in a view; return how many give a grid."""
    learned = call_node(LEARN_FATES, view.demos_node)
    (rules,) = context.board.values_on_first_demo(task, [Program(learned, "rules")])
    if not isinstance(rules, tuple):
        return 0
    proposals = [Proposal(program, task, APPLY_FATES, 0.0) for program in programs]
    seen = set()
    n_kept = 0
    for place, (proposal, trial) in enumerate(
        zip(proposals, context.judge(proposals), strict=True)
    ):
        # Rules that agree have no second choice.
        if trial.outputs in seen:
            break
        seen.add(trial.outputs)
        costs = [
            evidence_bits(rules, test, place)
            for test, output in zip(view.tests, trial.outputs, strict=True)
            if output is not None
        ]
        if not costs:
            continue
        bits = view.bits + FATE_BITS + BITS_PER_BIT * sum(costs) / len(costs)
        context.keep(penalize_memorized(replace(proposal, bits=bits), trial), trial)
        n_kept += 1
    return n_kept


def evidence_bits(rules: Value, grid: Grid, place: int) -> float:
    """Return the bits of the evidence for the grid at a place: 0 would be certain."""
    voting: Any = find_rule(APPLY_FATES, (rules, grid, place))
    costs = [rule[0] / 16 for rule in split_rules(voting)]
    return -log2(sum(2.0 ** -(cost + k) for k, cost in enumerate(costs)))
