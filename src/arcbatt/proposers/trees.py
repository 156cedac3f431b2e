"""Proposes cell trees: for `learn`, on tasks whose outputs have their inputs' size.

First a tree of each way over all features; only where one of them finds again demos that it does
not see, trees of that way over parts of the features, which vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program
from arcbatt.language.ir import call_node, constant, input_node
from arcbatt.language.primitives.cell_trees import N_WAYS
from arcbatt.measure import phase
from arcbatt.tasks import Task

from .proposer import Context, propose_plainly

TREES = "trees"
# The primitive that learns them.
GROWING = "grow_tree"
# Of a task that is looked at, on training.
COST_S, GAIN = 0.1, 0.05
BITS_OF_A_TREE = 3.0
# How many parts of the features vote.
N_VOTING = 6


@cache
def tree_program(by_role: bool, way: int, part: int) -> Program:
    """Return the program that grows a tree and applies it, as it is or with colours by role."""
    demos, grid = input_node("S"), input_node("I")
    name = f"tree_{way}_{part}"
    if not by_role:
        tree = call_node(GROWING, demos, constant(way), constant(part))
        return Program(call_node("apply_tree", tree, grid), name)
    tree = call_node(GROWING, call_node("role_demos", demos), constant(way), constant(part))
    painted = call_node("apply_tree", tree, call_node("to_roles", demos, grid))
    return Program(call_node("from_roles", demos, grid, painted), f"role_{name}")


CHOICES = tuple((by_role, way) for by_role in (False, True) for way in range(N_WAYS))


def can_be_learnt(task: Task) -> bool:
    """Whether all outputs have their inputs' size."""
    return all(
        (len(demo.input), len(demo.input[0])) == (len(demo.output), len(demo.output[0]))
        for demo in task.demos
    )


def propose_trees(tasks: Sequence[Task], board: TaskBoard, context: Context) -> None:
    """Propose trees for tasks, all of which fit and hold for a demo that they did not see."""
    with phase("fuse"):
        batt = Batt([tree_program(*choice, 0) for choice in CHOICES])
    result = board.screen(batt, device="cpu")
    for t, task in enumerate(tasks):
        fitting = [CHOICES[p] for p in np.flatnonzero(result.solved[:, t]).tolist()]
        firsts = [tree_program(*choice, 0) for choice in fitting]
        trials = _propose(firsts, task, context)
        held = [choice for choice, trial in zip(fitting, trials, strict=True) if trial.n_held_out]
        n_kept = len(held)
        if held:
            voting = [tree_program(*choice, 1 + part) for part in range(N_VOTING) for choice in held]
            n_kept += sum(bool(trial.n_held_out) for trial in _propose(voting, task, context))
        context.note_done(TREES, task, {"n_fitting": len(fitting), "n_kept": n_kept})
    context.log({"n_pairs": len(batt.programs) * len(board)})


def _propose(programs: Sequence[Program], task: Task, context: Context) -> list[Trial]:
    """Judge trees, and keep those that fit and find again a demo that they did not see."""
    proposals = [
        replace(propose_plainly(program, task), family=GROWING, bits=BITS_OF_A_TREE)
        for program in programs
    ]
    trials = context.judge(proposals)
    for proposal, trial in zip(proposals, trials, strict=True):
        if trial.fits and trial.n_held_out != 0:
            context.keep(proposal, trial)
    return trials
