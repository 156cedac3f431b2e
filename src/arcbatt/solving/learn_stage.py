"""The stage that learns: every rule that primitives can learn from demos, tried on every task.

The rules are programs of one or a few calls (`learn_cells`, `learn_objects`, `learn_moves`,
`pick_object`), all of them in one batt, on the task as it is and with colours by role.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskSamples, run_on_tasks
from arcbatt.language import Program
from arcbatt.language.ir import Node, call_node, constant, input_node
from arcbatt.language.primitives.learning import FEATURES, N_CUTS, N_OBJECT_CUTS, N_SIGHTS
from arcbatt.measure import phase
from arcbatt.search.evolving import MUTANT_BUDGET
from arcbatt.tasks import Task

from .outputs import candidates_of
from .stages import Desk, Share

# One rule of some hundred fits by chance more easily than one program that was there before.
BITS_OF_A_RULE = 2.0
MAX_OF_TASK = 24
# The primitives that learn.
LEARNING = ("learn_cells", "learn_objects", "learn_moves", "pick_object")


@cache
def rules(off: frozenset[str] = frozenset()) -> tuple[Program, ...]:
    """All rules, as programs, but those of primitives that are off."""
    demos, grid = input_node("S"), input_node("I")
    role_demos, role_grid = call_node("role_demos", demos), call_node("to_roles", demos, grid)
    programs = []
    for number, node in enumerate(_rules(demos, grid, off)):
        programs.append(Program(node, f"rule_{number}"))
    for number, node in enumerate(_rules(role_demos, role_grid, off)):
        programs.append(Program(call_node("from_roles", demos, grid, node), f"role_rule_{number}"))
    return tuple(programs)


def _rules(demos: Node, grid: Node, off: frozenset[str]) -> Iterator[Node]:
    cells, objects, *others = LEARNING
    if cells not in off:
        for code in range(N_SIGHTS):
            yield call_node(cells, demos, grid, constant(code))
    for name in (objects, *others):
        if name in off:
            continue
        for cut in range(N_CUTS if name == objects else N_OBJECT_CUTS):
            for feature in range(len(FEATURES)):
                yield call_node(name, demos, grid, constant(cut), constant(feature))


class LearnStage:
    """Runs all rules on all tasks."""

    name = "learn"
    weight = 1.0
    trust = 1.0
    enough = 1_000_000  # it takes one pass in any case

    def __init__(self, *, n_threads: int | None = None, off: frozenset[str] = frozenset()) -> None:
        """`off` has names of primitives that learn nothing here."""
        self._n_threads = n_threads
        self._off = off & set(LEARNING)
        self._is_done = False

    def run(self, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        if self._is_done or share.is_spent:
            return
        learnt = rules(self._off)
        if not learnt:
            return
        desk.say(f"{len(learnt)} rules learnt from the demos of {len(tasks)} tasks")
        began_s = perf_counter()
        with phase("load"):
            samples = TaskSamples(tasks)
        with phase("fuse"):
            batt = Batt(learnt)
        with phase("run"):
            result = run_on_tasks(
                batt, samples, MUTANT_BUDGET, device="cpu", n_threads=self._n_threads
            )
        engine_s = perf_counter() - began_s
        for t in np.flatnonzero(result.solved.any(axis=0)).tolist():
            places = np.flatnonzero(result.solved[:, t]).tolist()[:MAX_OF_TASK]
            programs = [batt.programs[place] for place in places]
            for candidate in candidates_of(tasks[t], programs, n_threads=self._n_threads):
                # A rule that finds again no demo which it does not see has learnt by heart.
                if candidate.n_held_out != 0:
                    desk.offer(replace(candidate, bits=BITS_OF_A_RULE))
        self._is_done = True
        share.end_round()
        desk.log(
            {
                "n_pairs": len(batt.programs) * len(samples),
                "wall_s": perf_counter() - began_s,
                "engine_s": engine_s,
            }
        )

    def state(self) -> Any:
        return {"is_done": self._is_done}

    def restore(self, state: Any) -> None:
        self._is_done = bool(state["is_done"])

    def parts(self) -> dict[str, dict[str, Any]]:
        return {}
