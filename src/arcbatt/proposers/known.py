"""Proposes what is known: every program of the pool for every task.

First all are run in stages, which finds those that fit all demos; then, on tasks that none fits, on
all demos, for those that fit some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.measure import phase
from arcbatt.plurals import count

from .proposer import Context, Offer, propose_plainly

PROGRAMS_A_BATT = 500
# Of one batt and one task, so many programs at most have a trial.
MAX_OF_BATT = 16
ALL_DEMOS, SOME_DEMOS = "all demos", "some demos"
# Of a task and program, seconds and tasks gained, as with the bundled solvers on training.
COST_S = {ALL_DEMOS: 3e-5, SOME_DEMOS: 8e-5}
GAIN = {ALL_DEMOS: 2e-4, SOME_DEMOS: 5e-6}


class KnownPrograms:
    """Runs the programs that were there before."""

    name = "known"
    trust = 1.0

    def next_offer(self, context: Context) -> Offer | None:
        n_programs = len(context.known)
        for item in (ALL_DEMOS, SOME_DEMOS):
            done = context.done(item)
            tasks = tuple(task for task in context.board.tasks if task.id not in done)
            if tasks and n_programs:
                n_pairs = n_programs * len(tasks)
                return Offer(item, tasks, GAIN[item] * n_pairs, COST_S[item] * n_pairs)
        return None

    def work(self, offer: Offer, context: Context) -> None:
        is_staged = offer.item == ALL_DEMOS
        tasks = offer.tasks
        if not is_staged:
            fitted = {id for id, counts in context.done(ALL_DEMOS).items() if counts["n_fitting"]}
            tasks = tuple(task for task in tasks if task.id not in fitted)
        context.say(
            f"{count(len(context.known), 'known program')} on {count(len(tasks), 'task')}, "
            f"{offer.item}"
        )
        board = context.board.part(tasks)
        n_fitting = np.zeros(len(tasks), np.int64)
        for start in range(0, len(context.known) if tasks else 0, PROGRAMS_A_BATT):
            if context.allowance.is_spent:
                return
            with phase("fuse"):
                batt = Batt(context.known[start : start + PROGRAMS_A_BATT])
            n_fitting += self._screen(batt, board, is_staged, context)
        for task in offer.tasks:
            context.note_done(offer.item, task, {"n_fitting": 0})
        for task, n in zip(tasks, n_fitting.tolist(), strict=True):
            context.note_done(offer.item, task, {"n_fitting": n})

    def _screen(
        self, batt: Batt, board: TaskBoard, staged: bool, context: Context
    ) -> NDArray[np.int64]:
        """Propose what fits some demos; return how many programs fit each task."""
        result = board.screen(batt, staged=staged)
        for t in np.flatnonzero(result.n_matches.any(axis=0)).tolist():
            places = np.flatnonzero(result.n_matches[:, t]).tolist()
            n_matches, steps = result.n_matches[:, t].tolist(), result.steps[:, t].tolist()
            places.sort(key=lambda p: (-n_matches[p], steps[p], p))
            chosen: Sequence[Program] = [batt.programs[p] for p in places[:MAX_OF_BATT]]
            context.propose([propose_plainly(program, board.tasks[t]) for program in chosen])
        context.log({"n_pairs": len(batt.programs) * len(board), "staged": staged})
        n_fitting: NDArray[np.int64] = np.count_nonzero(result.solved, axis=0)
        return n_fitting

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        return {}
