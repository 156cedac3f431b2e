"""Proposes rules that primitives learn from the demos, every one of them for every task.

The rules are programs of one or a few calls (`learn_cells`, `learn_objects`, `learn_moves`,
`pick_object`, `learn_rewrites`, `close_symmetry`), all of them in one batt, on the task as it is
and with colours by role.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, input_node
from arcbatt.language.primitives.learning import FEATURES, N_CUTS, N_OBJECT_CUTS, N_SIGHTS
from arcbatt.language.primitives.rewriting import N_REWRITES
from arcbatt.measure import phase

from .proposer import Context, Offer, propose_plainly

# One rule of some hundred fits by chance more easily than one program that was there before.
BITS_OF_A_RULE = 2.0
MAX_OF_TASK = 24
# So many tasks between two looks at the clock.
TASKS_AT_ONCE = 64
# Of a task, on training.
COST_S, GAIN = 3e-3, 0.17
# The primitives that learn.
LEARNING = (
    "learn_cells",
    "learn_objects",
    "learn_moves",
    "pick_object",
    "learn_rewrites",
    "close_symmetry",
)
RULES = "rules"


@cache
def rules(off: frozenset[str] = frozenset()) -> tuple[Program, ...]:
    """Return all rules, as programs, but those of primitives that are off."""
    demos, grid = input_node("S"), input_node("I")
    role_demos, role_grid = call_node("role_demos", demos), call_node("to_roles", demos, grid)
    programs = []
    for number, node in enumerate(_rules(demos, grid, off)):
        programs.append(Program(node, f"rule_{number}"))
    for number, node in enumerate(_rules(role_demos, role_grid, off)):
        programs.append(Program(call_node("from_roles", demos, grid, node), f"role_rule_{number}"))
    return tuple(programs)


def _rules(demos: Node, grid: Node, off: frozenset[str]) -> Iterator[Node]:
    cells, objects, *others, rewrites, symmetry = LEARNING
    if cells not in off:
        for code in range(N_SIGHTS):
            yield call_node(cells, demos, grid, constant(code))
    for name in (objects, *others):
        if name in off:
            continue
        for cut in range(N_CUTS if name == objects else N_OBJECT_CUTS):
            for feature in range(len(FEATURES)):
                yield call_node(name, demos, grid, constant(cut), constant(feature))
    if rewrites not in off:
        for code in range(N_REWRITES):
            yield call_node("rewrite", call_node(rewrites, demos, constant(code)), grid)
    if symmetry not in off:
        for hidden, noise in product(map(constant, range(10)), map(constant, range(2))):
            closed = call_node(symmetry, grid, hidden, noise)
            yield closed
            yield call_node("subgrid", call_node("ofcolor", grid, hidden), closed)


class LearnedRules:
    """Tries all rules on all tasks."""

    name = "learn"
    trust = 1.0

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        """`off` has names of primitives that learn nothing here."""
        self._rules = rules(off & set(LEARNING))

    def next_offer(self, context: Context) -> Offer | None:
        done = context.done(RULES)
        tasks = tuple(task for task in context.board.tasks if task.id not in done)
        if not tasks or not self._rules:
            return None
        return Offer(RULES, tasks, GAIN * len(tasks), COST_S * len(tasks))

    def work(self, offer: Offer, context: Context) -> None:
        context.say(f"{len(self._rules)} rules learnt from the demos of {len(offer.tasks)} tasks")
        with phase("fuse"):
            batt = Batt(self._rules)
        for start in range(0, len(offer.tasks), TASKS_AT_ONCE):
            if context.allowance.is_spent:
                return
            board = context.board.part(offer.tasks[start : start + TASKS_AT_ONCE])
            result = board.screen(batt, device="cpu")
            for t, task in enumerate(board.tasks):
                places = np.flatnonzero(result.solved[:, t]).tolist()[:MAX_OF_TASK]
                proposals = [
                    replace(propose_plainly(batt.programs[p], task), bits=BITS_OF_A_RULE)
                    for p in places
                ]
                for proposal, trial in zip(proposals, context.judge(proposals), strict=True):
                    # A rule that finds again no demo which it does not see has learnt by heart.
                    if trial.n_held_out != 0:
                        context.keep(proposal, trial)
                context.note_done(RULES, task, {"n_fitting": len(places)})
            context.log({"n_pairs": len(batt.programs) * len(board)})

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        return {}
