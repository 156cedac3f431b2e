"""Proposes cell trees: for `learn`, on tasks whose outputs have their inputs' size.

First a tree of each way over all features; only where one of them finds again demos that it does
not see, trees of that way over parts of the features, which vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, input_node
from arcbatt.language.primitives.cell_trees import NODE_SIZE
from arcbatt.measure import phase
from arcbatt.tasks import Task

from .proposer import Context, Proposal

TREES = "trees"
# The primitive that learns them.
GROWING = "grow_tree"
# Of a task that is looked at, on training.
COST_S, GAIN = 0.08, 0.08
# On training nine of ten trees of up to 3 nodes that fit are right, three of four up to 7, two of
# five up to 11, one of seventeen up to 19.
BITS_OF_A_TREE, BITS_A_NODE = 1.0, 0.5
# All features, those that do not turn, those that name no colour; both at once adds nothing.
WAYS = (0, 1, 2)
# How many parts of the features vote.
N_VOTING = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tree: on the task as it is or with colours by role, its way, its part."""

    by_role: bool
    way: int
    part: int = 0

    @property
    def tree(self) -> Node:
        """The call that grows it."""
        demos = input_node("S")
        if self.by_role:
            demos = call_node("role_demos", demos)
        return call_node(GROWING, demos, constant(self.way), constant(self.part))

    @property
    def program(self) -> Program:
        """Return what grows the tree and applies it."""
        demos, grid = input_node("S"), input_node("I")
        name = f"tree_{self.way}_{self.part}"
        if not self.by_role:
            return Program(call_node("apply_tree", self.tree, grid), name)
        painted = call_node("apply_tree", self.tree, call_node("to_roles", demos, grid))
        return Program(call_node("from_roles", demos, grid, painted), f"role_{name}")


CHOICES = tuple(Choice(by_role, way) for by_role in (False, True) for way in WAYS)


def can_be_learnt(task: Task) -> bool:
    """Whether all outputs have their inputs' size."""
    return all(
        (len(demo.input), len(demo.input[0])) == (len(demo.output), len(demo.output[0]))
        for demo in task.demos
    )


def propose_trees(board: TaskBoard, context: Context) -> None:
    """Propose trees for the tasks of a board: those that fit, and find again a demo unseen."""
    with phase("fuse"):
        batt = Batt([choice.program for choice in CHOICES])
    result = board.screen(batt, device="cpu")
    for t, task in enumerate(board.tasks):
        fitting = [CHOICES[p] for p in np.flatnonzero(result.solved[:, t]).tolist()]
        held = _propose(fitting, task, context)
        voting = [replace(choice, part=1 + k) for k in range(N_VOTING) for choice in held]
        n_kept = len(held) + len(_propose(voting, task, context))
        context.note_done(TREES, task, {"n_fitting": len(fitting), "n_kept": n_kept})
    context.log({"n_pairs": len(batt.programs) * len(board)})


def _propose(choices: Sequence[Choice], task: Task, context: Context) -> list[Choice]:
    """Judge trees, keep those that fit and hold, and return those that hold for a demo unseen."""
    if not choices:
        return []
    proposals = [
        Proposal(choice.program, task, GROWING, BITS_OF_A_TREE + BITS_A_NODE * n_nodes)
        for choice, n_nodes in zip(choices, _sizes(choices, task, context.board), strict=True)
    ]
    held = []
    trials = context.judge(proposals)
    for choice, proposal, trial in zip(choices, proposals, trials, strict=True):
        # Of a task of one demo it is not known.
        if trial.fits and trial.n_held_out != 0:
            context.keep(proposal, trial)
            if trial.n_held_out:
                held.append(choice)
    return held


def _sizes(choices: Sequence[Choice], task: Task, board: TaskBoard) -> list[int]:
    """Return how many nodes the trees have; 0 for what cannot be grown."""
    programs = [Program(choice.tree, f"grow_{k}") for k, choice in enumerate(choices)]
    grown = board.learnt(task, programs)
    return [len(tree) // NODE_SIZE if isinstance(tree, tuple) else 0 for tree in grown]
