"""Proposes cell trees: for `learn`, on tasks whose outputs have their inputs' size.

First a tree of each way over all features; only where one of them finds again demos that it does
not see, trees of that way over parts of the features, which vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard, Trial
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant
from arcbatt.language.primitives.cell_trees import NODE_SIZE
from arcbatt.measure import phase
from arcbatt.tasks import Task

from .enumerate.stacks import View
from .enumerate.views import BASE, bare, with_roles
from .proposer import Context, Proposal, doubt

TREES = "trees"
# The primitive that learns them.
GROWING = "grow_tree"
# Of a task that is looked at, and of one that is wrong, on training.
COST_S, GAIN = 0.045, 0.06
# On training nine of ten trees of up to 3 nodes that fit are right, three of four up to 7, two of
# five up to 11, one of seventeen up to 19.
BITS_OF_A_TREE, BITS_A_NODE = 1.0, 0.5
# All features, those that do not turn, those that name no colour; both at once adds nothing.
WAYS = (0, 1, 2)
# How many parts of the features vote.
N_VOTING = 1


@dataclass(frozen=True)
class Choice:
    """Which tree: the view that it is grown in, its way, its part."""

    view: View
    way: int
    part: int = 0

    @property
    def tree(self) -> Node:
        """The call that grows it."""
        way, part = constant(self.way), constant(self.part)
        return call_node(GROWING, self.view.demos_node, way, part)

    @property
    def program(self) -> Program:
        """Return what grows the tree and applies it."""
        painted = call_node("apply_tree", self.tree, self.view.input_node)
        return Program(self.view.restore(painted), f"{self.view.kind}_tree_{self.way}_{self.part}")


def choices_in(*views: View) -> tuple[Choice, ...]:
    """Return the trees that are grown first: of each way over all features."""
    return tuple(Choice(view, way) for view in views for way in WAYS)


CHOICES = choices_in(bare(), with_roles(bare()))


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
        n_kept = propose_fitting(fitting, task, context)
        context.note_done(TREES, task, {"n_fitting": len(fitting), "n_kept": n_kept})
    context.log({"n_pairs": len(batt.programs) * len(board)})


def propose_fitting(
    fitting: Sequence[Choice], task: Task, context: Context, least_share: float = 0.0
) -> int:
    """Propose trees that fit a task, and those that vote with them; return how many were kept.

    Each must find again at least one demo that it is not shown, and such a share of them.
    """
    held = _propose(fitting, task, context, least_share)
    voting = [replace(choice, part=1 + k) for k in range(N_VOTING) for choice in held]
    return len(held) + len(_propose(voting, task, context, least_share))


def holds_unseen(trial: Trial, least_share: float = 0.0) -> bool:
    """Whether what is learnt finds again demos that it is not shown; of a single one none knows."""
    if trial.n_held_out is None:
        return True
    return trial.n_held_out >= max(1, least_share * trial.n_demos)


def _propose(
    choices: Sequence[Choice], task: Task, context: Context, least_share: float
) -> list[Choice]:
    """Judge trees, keep those that fit and hold, and return those that hold for a demo unseen."""
    # What is grown anew to be counted takes as long as a trial: so only what is kept is.
    proposals = [Proposal(choice.program, task, _family(choice.view), 0.0) for choice in choices]
    kept = [
        (choice, proposal, trial)
        for choice, proposal, trial in zip(
            choices, proposals, context.judge(proposals), strict=True
        )
        if trial.fits and holds_unseen(trial, least_share)
    ]
    sizes = _sizes([choice for choice, _, _ in kept], task, context.board)
    for (choice, proposal, trial), n_nodes in zip(kept, sizes, strict=True):
        context.keep(doubt(replace(proposal, bits=_bits(choice.view, n_nodes)), trial), trial)
    return [choice for choice, _, trial in kept if trial.n_held_out]


def _family(view: View) -> str:
    """Trees over the cells of the input are kin, in whatever view; those over a base are others."""
    return f"{BASE} {GROWING}" if view.name == BASE else GROWING


def _bits(view: View, n_nodes: int) -> float:
    return view.bits + BITS_OF_A_TREE + BITS_A_NODE * n_nodes


def _sizes(choices: Sequence[Choice], task: Task, board: TaskBoard) -> list[int]:
    """Return how many nodes the trees have; 0 for what cannot be grown."""
    if not choices:
        return []
    programs = [Program(choice.tree, f"grow_{k}") for k, choice in enumerate(choices)]
    grown = board.learnt(task, programs)
    return [len(tree) // NODE_SIZE if isinstance(tree, tuple) else 0 for tree in grown]
