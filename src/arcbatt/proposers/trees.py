"""Propose decision trees over cells, for tasks whose outputs have their inputs' size.

A way selects features (`WAYS`). The first trees use all features of a way. Only if such a tree
predicts a held-out demo, voting trees over parts of those features follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant
from arcbatt.language.primitives.cell_trees import NODE_SIZE
from arcbatt.measure import phase
from arcbatt.tasks import Task

from .proposer import Context, Proposal, penalize_memorized
from .views import BASE, View, group_by_view

TREES = "trees"
GROW_TREE = "grow_tree"
# CPU time per task, and tasks gained per wrong task, on the seven sets of docs/solving.md, measured
# without the turned view, which takes a third more.
COST_S, GAIN = 0.02, 0.075
# On training, of the trees that fit, nine of ten are right up to 3 nodes, three of four up to 7,
# two of five up to 11, one of seventeen up to 19.
TREE_BITS, BITS_PER_NODE = 1.0, 0.5
# All features, those that are the same after turns, those that name no color. Both restrictions
# together add nothing.
WAYS = (0, 1, 2)
# Features know the background, so trees need no views for other backgrounds.
WITHOUT_VIEWS = ("ground",)
# The parts of the features that vote.
VOTING_PARTS = (1,)


@dataclass(frozen=True)
class TreeChoice:
    """A tree to grow: its view, way, and part of the features; 0 stands for all features."""

    view: View
    way: int
    part: int = 0

    @property
    def tree(self) -> Node:
        """The call that grows the tree."""
        way, part = constant(self.way), constant(self.part)
        return call_node(GROW_TREE, self.view.demos_node, way, part)

    @property
    def program(self) -> Program:
        """The program that grows the tree and applies it."""
        painted = call_node("apply_tree", self.tree, self.view.input_node)
        return Program(
            self.view.restore(painted), f"{self.view.prefix}_tree_{self.way}_{self.part}"
        )


def tree_choices(view: View) -> tuple[TreeChoice, ...]:
    """Return the trees over all features in a view, one per way."""
    return tuple(TreeChoice(view, way) for way in WAYS)


def is_applicable(task: Task) -> bool:
    """Return whether all outputs have their inputs' size."""
    return all(
        (len(demo.input), len(demo.input[0])) == (len(demo.output), len(demo.output[0]))
        for demo in task.demos
    )


def propose_trees(board: TaskBoard, context: Context, off: frozenset[str]) -> None:
    """Propose the trees that fit tasks of a board, in all views."""
    fitting: dict[str, list[TreeChoice]] = {task.id: [] for task in board.tasks}
    n_pairs = 0
    for group in group_by_view(board.tasks, off, without=WITHOUT_VIEWS):
        choices = tree_choices(group[0][0])
        with phase("fuse"):
            batt = Batt([choice.program for choice in choices])
        result = board.part([task for _, task in group]).screen(batt, device="cpu")
        n_pairs += len(choices) * len(group)
        for t, (_, task) in enumerate(group):
            fitting[task.id] += [choices[p] for p in np.flatnonzero(result.solved[:, t]).tolist()]
    for task in board.tasks:
        n_kept = propose_fitting(fitting[task.id], task, context)
        counts = {"n_fitting": len(fitting[task.id]), "n_kept": n_kept}
        context.note_done(TREES, task, counts)
    context.log({"n_pairs": n_pairs})


def propose_fitting(
    fitting: Sequence[TreeChoice], task: Task, context: Context, min_share: float = 0.0
) -> int:
    """Propose trees that fit a task, then voting trees; return how many were kept.

    A tree must predict at least one held-out demo, and at least `min_share` of them.
    """
    kept = _propose(fitting, task, context, min_share)
    voting = [replace(choice, part=part) for part in VOTING_PARTS for choice in kept]
    return len(kept) + len(_propose(voting, task, context, min_share))


def _propose(
    choices: Sequence[TreeChoice], task: Task, context: Context, min_share: float
) -> list[TreeChoice]:
    """Judge trees, keep the good ones, and return those that predict a held-out demo."""
    choice_of = {choice.program: choice for choice in choices}
    proposals = [
        Proposal(program, task, _family(choice.view), 0.0) for program, choice in choice_of.items()
    ]
    kept = [
        (choice_of[proposal.program], proposal, trial)
        for proposal, trial in context.judge_learned(proposals, min_share)
        if trial.fits
    ]
    # Growing a tree to count its nodes takes as long as a trial, so only those kept are grown.
    sizes = _sizes([choice for choice, _, _ in kept], task, context.board)
    for (choice, proposal, trial), n_nodes in zip(kept, sizes, strict=True):
        bits = choice.view.bits + TREE_BITS + BITS_PER_NODE * n_nodes
        context.keep(penalize_memorized(replace(proposal, bits=bits), trial), trial)
    return [choice for choice, _, trial in kept if trial.n_held_out]


def _family(view: View) -> str:
    """Return one family for trees over the input, whatever the view, and one for bases."""
    return f"{BASE} {GROW_TREE}" if view.name == BASE else GROW_TREE


def _sizes(choices: Sequence[TreeChoice], task: Task, board: TaskBoard) -> list[int]:
    """Return the number of nodes of each tree; 0 if it cannot be grown."""
    if not choices:
        return []
    programs = [Program(choice.tree, f"grow_{k}") for k, choice in enumerate(choices)]
    grown = board.values_on_first_demo(task, programs)
    return [len(tree) // NODE_SIZE if isinstance(tree, tuple) else 0 for tree in grown]
