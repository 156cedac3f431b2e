"""Propose what rules about the fates of objects vote for.

`learn_fates` returns all rules that explain the demos, with their bits. The grid that has the most
evidence among them is one program, the next two are others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log2

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.language.ir import call_node, constant
from arcbatt.language.native import find_rule
from arcbatt.measure import phase
from arcbatt.language.values import Value
from arcbatt.tasks import Grid, Task

from .proposer import Context, Proposal, penalize_memorized
from .views import View, background_views, plain, plain_nodes

FATES = "fates"
LEARN_FATES = "learn_fates"
# CPU time per task, and tasks gained per wrong task, on training.
COST_S, GAIN = 0.02, 0.1
N_PLACES = 3
FATE_BITS = 1.0
BIT_SCALE = 0.5


def fate_programs(view: View) -> list[Program]:
    learned = call_node(LEARN_FATES, view.demos_node)
    return [
        Program(
            view.restore(call_node("apply_fates", learned, view.input_node, constant(place))),
            f"fates_{place}",
        )
        for place in range(N_PLACES)
    ]


def fate_views(task: Task) -> Iterator[View]:
    unchanged = plain(task)
    yield unchanged
    yield from list(background_views(unchanged))[:1]


def propose_fates(board: TaskBoard, context: Context) -> None:
    by_name: dict[str, tuple[View, list[Task]]] = {}
    n_fitting = {task.id: 0 for task in board.tasks}
    for task in board.tasks:
        for view in fate_views(task):
            by_name.setdefault(view.name, (view, []))[1].append(task)
    for view, tasks in by_name.values():
        programs = fate_programs(view)
        with phase("fuse"):
            batt = Batt(programs[:1])
        result = context.board.part(tasks).screen(batt, device="cpu")
        for t, task in enumerate(tasks):
            if result.solved[0, t]:
                n_fitting[task.id] += _propose(view.name, task, programs, context)
    for task in board.tasks:
        context.note_done(FATES, task, {"n_fitting": n_fitting[task.id]})
    context.log({"n_pairs": len(board)})


def _propose(name: str, task: Task, programs: Sequence[Program], context: Context) -> int:
    view = next(each for each in fate_views(task) if each.name == name)
    learned = call_node(LEARN_FATES, view.demos_node)
    (rules,) = context.board.values_on_first_demo(task, [Program(learned, "rules")])
    if not isinstance(rules, tuple):
        return 0
    proposals = [Proposal(program, task, "apply_fates", 0.0) for program in programs]
    n_kept = 0
    for place, (proposal, trial) in enumerate(
        zip(proposals, context.judge(proposals), strict=True)
    ):
        costs = [
            evidence_bits(rules, test, place)
            for test, output in zip(view.tests, trial.outputs, strict=True)
            if output is not None
        ]
        if not costs:
            continue
        bits = view.bits + FATE_BITS + BIT_SCALE * sum(costs) / len(costs)
        context.keep(penalize_memorized(replace(proposal, bits=bits), trial), trial)
        n_kept += 1
    return n_kept


def evidence_bits(rules: Value, grid: Grid, place: int) -> float:
    """Return how many bits short of certain the grid at a place is."""
    voting = find_rule("apply_fates", (rules, grid, place))
    assert isinstance(voting, tuple)
    costs, at = [], 0
    while at < len(voting):
        costs.append(voting[at + 1] / 16)
        at += voting[at] + 1
    return -log2(sum(2.0 ** -(cost + k) for k, cost in enumerate(costs)))
