"""The known proposer: tries every program of the pool on every task, then variants of them.

First all programs are run in stages and with a quick budget, which finds most of those that fit all
demos. On tasks that none fits, all variants follow (`evolve.mutation.variants`), one kind after
another, and all programs on all demos with the search's own budget: some fit with more steps, and
others fit some demos.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcbatt.engine.batt import Batt
from arcbatt.engine.task_run import TaskResult
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Node, Program, ProgramError
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.pool import PoolProgram
from arcbatt.tasks import Task

from .evolve.mutation import Mutant, variants
from .proposer import Context, Offer, Proposal, smallest_programs

PROGRAMS_PER_BATT = 500
# Variants of one program are neighbors and share most of their calls.
VARIANTS_PER_BATT = 800
# The most programs of a batt that are proposed for one task.
MAX_PER_BATT = 16
# Variants are tried of this many programs, those with the fewest calls.
MAX_VARIED = 1000
ALL_DEMOS, SOME_DEMOS = "all demos", "some demos"


@dataclass(frozen=True)
class _Estimate:
    """Gain and cost per (program, task) pair, and cost per program regardless of tasks.

    Measured with the bundled solvers on training, without the solver of the task itself.
    """

    gain: float
    cost_s: float
    fixed_s: float = 0.0


WHOLE = {
    ALL_DEMOS: _Estimate(2e-4, 2e-5),
    SOME_DEMOS: _Estimate(5e-6, 8e-5),
}
# Gains are 1/20 of the tasks that a kind solves beyond all kinds above it, the same scale as the
# gain of a card of evolve: other proposers find most of these tasks, too.
VARIED = {
    "demo_color": _Estimate(5.8e-6, 1.2e-5, 1.6e-3),
    "finish": _Estimate(3.5e-6, 1e-5, 1.5e-3),
    "two_colors": _Estimate(3.8e-6, 1.9e-5, 3.6e-3),
    "delete": _Estimate(3.5e-6, 2.8e-5, 4.8e-3),
    "generalize": _Estimate(6.4e-7, 1.2e-5, 1.7e-3),
    "sequence": _Estimate(1.9e-6, 6e-5, 5e-3),
}


class KnownProposer:
    """Runs the programs known at the start, and their variants."""

    name = "known"
    trust = 1.0

    switches: ClassVar = {"variants": "all programs one change away from known ones"}

    def __init__(self, off: frozenset[str] = frozenset()) -> None:
        """`off` names `switches` that are off."""
        self._varied = {} if "variants" in off else VARIED
        self._context: Context | None = None
        # Counts of kinds that ran out of time; the ledger has all others.
        self._cut_off: dict[str, dict[str, int]] = {}

    def next_offer(self, context: Context) -> Offer | None:
        self._context = context
        whole = self._offer(ALL_DEMOS, WHOLE[ALL_DEMOS], context.board.tasks, context)
        if whole is not None:
            return whole
        open_tasks = [task for task in context.board.tasks if not context.n_agreeing(task)]
        offers = [
            self._offer(SOME_DEMOS, WHOLE[SOME_DEMOS], context.board.tasks, context),
            *(self._offer(kind, each, open_tasks, context) for kind, each in self._varied.items()),
        ]
        made = [offer for offer in offers if offer is not None]
        return max(made, key=lambda offer: offer.gain_per_s, default=None)

    def _offer(
        self, item: str, estimate: _Estimate, tasks: Sequence[Task], context: Context
    ) -> Offer | None:
        """Return an offer of an item for the tasks that lack it."""
        done = context.done(item)
        tasks = tuple(task for task in tasks if task.id not in done)
        n_programs = len(context.known)
        if item not in WHOLE:
            n_programs = min(n_programs, MAX_VARIED)
        if not tasks or not n_programs:
            return None
        n_pairs = n_programs * len(tasks)
        cost_s = estimate.cost_s * n_pairs + estimate.fixed_s * n_programs
        return Offer(item, tasks, estimate.gain * n_pairs, cost_s)

    def work(self, offer: Offer, context: Context) -> None:
        if offer.item in WHOLE:
            self._run_known(offer, context)
        else:
            self._run_variants(offer, context)

    def _run_known(self, offer: Offer, context: Context) -> None:
        """Run all known programs; after the first item, only on tasks that none fits so far."""
        item, tasks, n_known = offer.item, offer.tasks, len(context.known)
        if item != ALL_DEMOS:
            done = context.done(ALL_DEMOS).items()
            fitted = {task_id for task_id, counts in done if counts["n_fitting"]}
            tasks = tuple(task for task in tasks if task.id not in fitted)
        if tasks:
            context.say(f"{count(n_known, 'known program')} on {count(len(tasks), 'task')}, {item}")
        board = context.board.part(tasks)
        n_fitting = np.zeros(len(tasks), np.int64)
        for start in range(0, n_known if tasks else 0, PROGRAMS_PER_BATT):
            if context.allowance.is_spent:
                return
            with phase("fuse"):
                batt = Batt(context.known[start : start + PROGRAMS_PER_BATT])
            result = board.screen(batt, staged=item == ALL_DEMOS, quick=item == ALL_DEMOS)
            n_fitting += _propose(batt, board, result, result.n_matches > 0, context)
        for task in offer.tasks:
            context.note_done(item, task, {"n_fitting": 0})
        for task, n in zip(tasks, n_fitting.tolist(), strict=True):
            context.note_done(item, task, {"n_fitting": n})

    def _run_variants(self, offer: Offer, context: Context) -> None:
        """Run all variants of a kind with demos held out: some of them read the demos."""
        kind = offer.item
        varied = smallest_programs(context.known, MAX_VARIED)
        context.say(
            f"variants ({kind}) of {count(len(varied), 'known program')} on "
            f"{count(len(offer.tasks), 'task')}"
        )
        board = context.board.part(offer.tasks)
        n_fitting = np.zeros(len(offer.tasks), np.int64)
        n_tried = 0
        for mutants in batches(new_variants(varied, kind)):
            if context.allowance.is_spent:
                return
            with phase("fuse"):
                batt = Batt([mutant.program for mutant in mutants])
            result = board.screen(batt, held_out=True, skip_expensive=True)
            fits = result.solved
            with phase("store"):
                _keep_parents([mutants[p] for p in np.flatnonzero(fits.any(axis=1))], context)
            n_tried += len(mutants)
            n_fitting += _propose(batt, board, result, fits, context)
            n_fitted = int(np.count_nonzero(n_fitting))
            self._cut_off[kind] = {"tried": n_tried, "fitted": n_fitted}
        self._cut_off.pop(kind, None)
        for task, n in zip(offer.tasks, n_fitting.tolist(), strict=True):
            context.note_done(kind, task, {"n_fitting": n, "n_tried": n_tried})

    def finish(self, context: Context) -> None:
        pass

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        """Return by kind how many variants were tried and how many tasks they fit."""
        if self._context is None:
            return {}
        by_kind = {}
        for kind in self._varied:
            done = self._context.done(kind).values()
            cut_off = self._cut_off.get(kind, {"tried": 0, "fitted": 0})
            # The variants are the same on all tasks.
            n_tried = max((noted.get("n_tried", 0) for noted in done), default=0)
            n_fitted = sum(noted["n_fitting"] > 0 for noted in done)
            by_kind[kind] = {
                "tried": max(n_tried, cut_off["tried"]),
                "fitted": n_fitted + cut_off["fitted"],
            }
        return by_kind


def _propose(
    batt: Batt, board: TaskBoard, result: TaskResult, wanted: NDArray[np.bool_], context: Context
) -> NDArray[np.int64]:
    """Propose the best pairs marked in `wanted`; return how many programs fit each task."""
    for t in np.flatnonzero(wanted.any(axis=0)).tolist():
        places = np.flatnonzero(wanted[:, t]).tolist()
        n_matches, steps = result.n_matches[:, t].tolist(), result.steps[:, t].tolist()
        places.sort(key=lambda p: (-n_matches[p], steps[p], p))
        chosen: Sequence[Program] = [batt.programs[p] for p in places[:MAX_PER_BATT]]
        context.propose([Proposal.from_program(program, board.tasks[t]) for program in chosen])
    context.log({"n_pairs": len(batt.programs) * len(board)})
    n_fitting: NDArray[np.int64] = np.count_nonzero(result.solved, axis=0)
    return n_fitting


def new_variants(programs: Sequence[Program], kind: str) -> Iterator[Mutant]:
    """Yield the variants of all programs, each once, without the programs themselves."""
    seen: set[Node] = {program.result for program in programs}
    for program in programs:
        for mutant in variants(program, kind, programs):
            if mutant.program.result not in seen:
                seen.add(mutant.program.result)
                yield mutant


def batches(mutants: Iterator[Mutant]) -> Iterator[list[Mutant]]:
    """Yield mutants in groups that are run together."""
    while True:
        with phase("deal"):
            some = list(islice(mutants, VARIANTS_PER_BATT))
        if not some:
            return
        yield some


def _keep_parents(mutants: Sequence[Mutant], context: Context) -> None:
    """Add mutants to the pool, with their parents."""
    rows = []
    for mutant in mutants:
        parents = tuple(parent.result.digest for parent in mutant.parents)
        try:
            rows.append(PoolProgram.of(mutant.program, mutant.kind, parents=parents))
        except ProgramError:
            continue  # its text is too long
    context.pool.add_programs(rows)
