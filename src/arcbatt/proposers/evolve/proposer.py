"""Proposes mutants of what nearly works, card after card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arcbatt.evaluation import Validator
from arcbatt.language import Program
from arcbatt.plurals import count

from ..proposer import Candidate, Context, Offer, propose_plainly
from .cards import pool_parents
from .evolution import N_BEGUN, Evolution, EvolveOptions
from .mutation import Mutator, Rates
from .mutation.kinds import MACRO

CARD = "card"
# Programs that are nearly right are proposed every so many cards; what fits a task, at once.
PROPOSE_EVERY = 20
# Of what other proposers have found for a task, so many become parents.
MAX_PARENTS = 8
# Of a card, and of each of its tasks, on training: what it costs to deal and fuse it however few
# tasks are open, what it costs to run. What a card gains halves with every so many.
CARD_S, COST_S, GAIN, CARDS_TO_HALVE = 0.35, 4e-3, 8e-5, 100
# So many cards in a row without a mutant end it: one may find none by chance, and what was kept
# meanwhile is known to the last of so many.
CARDS_TO_GIVE_UP = N_BEGUN + 2


class Mutants:
    """Evolves programs in the run's pool, and proposes what its archive keeps."""

    name = "evolve"
    trust = 0.5

    def __init__(
        self,
        options: EvolveOptions,
        differences: Path,
        *,
        use_parents: bool = True,
        use_macros: bool = True,
    ) -> None:
        """`differences` is where a program is written that gives alone what its batt did not.

        `use_parents`: what other proposers have found for a task is evolved from. `use_macros`:
        what recurs in the library is a kind of mutation.
        """
        self._options = options
        self._differences = differences
        self._use_parents = use_parents
        self._kinds = [kind for kind in Mutator.kinds if use_macros or kind != MACRO]
        self.evolution: Evolution | None = None
        # Once it is finished, there is only what came of it; the next round begins it anew.
        self._is_finished = False
        self._proposed: set[tuple[int, Program]] = set()
        self._taken: set[tuple[int, Program]] = set()
        self._n_worked = 0
        # What the last ones took: none is begun that would not end in time.
        self._card_s = 0.0
        self._propose_s = 0.0
        self._n_rounds_met = -1  # of the loop: more of them, and others have worked meanwhile
        self._is_exhausted = False
        self._n_empty = 0
        self._counts = {"n_parents_offered": 0, "n_parents_kept": 0}

    def next_offer(self, context: Context) -> Offer | None:
        if self._is_exhausted:
            return None
        state = context.state()
        if self.evolution is not None:
            tasks, n_cards = self.evolution.board.tasks, self.evolution.n_cards
        elif state is not None:
            # Those that it began with, also if they are fitted by now: solvers are parents, too.
            begun = set(state["tasks"])
            tasks = tuple(task for task in context.board.tasks if task.id in begun)
            n_cards = state["n_cards"]
        else:
            # The archive keeps one solver a task: where something fits it has nothing to add.
            tasks = tuple(task for task in context.board.tasks if not context.n_agreeing(task))
            n_cards = 0
        if not tasks or context.allowance.left_s < self._card_s + self._propose_s:
            return None
        gain = GAIN * len(tasks) * 0.5 ** (n_cards / CARDS_TO_HALVE)
        return Offer(
            CARD,
            tasks,
            gain,
            CARD_S + COST_S * len(tasks),
            divides=False,
            reads_candidates=self._use_parents,
        )

    def work(self, offer: Offer, context: Context) -> None:
        if self.evolution is None or self._is_finished:
            self.evolution = self._begin(offer, context)
            self._is_finished = False
        evolution = self.evolution
        if self._use_parents and context.n_rounds != self._n_rounds_met:
            self._take_parents(evolution, context)
        self._n_rounds_met = context.n_rounds + 1
        if not self._n_worked:
            self._propose(evolution, context)
        left_s = context.allowance.left_s
        if left_s < self._card_s + self._propose_s:
            return
        # By the clock of the budget: on a busy machine that of CPU time goes slower.
        began_s = context.allowance.clock()
        result = evolution.step(is_last=left_s < (N_BEGUN + 1) * self._card_s + self._propose_s)
        self._card_s = context.allowance.clock() - began_s
        self._n_worked += 1
        is_due = self._n_worked % PROPOSE_EVERY == 0
        if result.found or is_due:
            self._propose(evolution, context, nearly_right=is_due)
        context.save_state(evolution.to_json())
        context.log(
            {
                "card": result.number,
                "engine_s": result.engine_s,
                "n_pairs": result.n_pairs,
                "mutations": self.mutations(),
                "n_mutants": result.n_mutants,
                "n_calls": result.n_calls,
                "verdicts": result.verdicts,
                "best_credit": evolution.archive.best_credit,
                "ran_on": result.ran_on,
                "found": [
                    {"task": f.task.id, "program": f.program.hash, "mutation": f.mutation}
                    for f in result.found
                ],
            }
        )
        self._n_empty = 0 if result.n_mutants else self._n_empty + 1
        if self._n_empty == CARDS_TO_GIVE_UP:
            context.say("no new program can be made from what is there")
            self._is_exhausted = True

    def _begin(self, offer: Offer, context: Context) -> Evolution:
        board = context.board.part(offer.tasks)
        validator = Validator(board, self._differences)
        if self.evolution is not None:
            validator = replace(self.evolution.validator, board=board)
            self._taken.clear()
            self._n_worked = 0
        rates = Rates(self._kinds)
        known = context.known
        evolution = Evolution(board, context.pool, self._options, validator, rates, known)
        state = context.state()
        programs = list(known)
        if state is not None:
            evolution.resume_from(state)
            kept, _ = pool_parents(context.pool)
            programs = list(dict.fromkeys([*programs, *kept]))
        a_program_s = evolution.begin(
            programs,
            context.say,
            lambda: context.allowance.is_spent,
            context.allowance.clock,
        )
        if state is not None:
            evolution.take_kept()
        self._card_s = a_program_s * self._options.card_size
        return evolution

    def _take_parents(self, evolution: Evolution, context: Context) -> None:
        """Put the best that other proposers have found for each task among what is evolved."""
        found = [
            (t, candidate.program, candidate.proposer)
            for t, task in enumerate(evolution.board.tasks)
            for candidate in _best_of_others(context.candidates(task), self.name)
            if (t, candidate.program) not in self._taken
        ]
        if not found:
            return
        self._taken.update((t, program) for t, program, _ in found)
        context.say(f"{count(len(found), 'program')} of other proposers")
        self._counts["n_parents_offered"] += len(found)
        self._counts["n_parents_kept"] += evolution.take(found)

    def _propose(
        self, evolution: Evolution, context: Context, *, nearly_right: bool = True
    ) -> None:
        """Propose what the archive has that was not proposed before."""
        began_s = context.allowance.clock()
        for t, niche in enumerate(evolution.archive.niches):
            entries = [] if niche.solver is None else [niche.solver]
            entries += niche.nearly_right if nearly_right else []
            new = [entry for entry in entries if (t, entry.program) not in self._proposed]
            if new:
                self._proposed.update((t, entry.program) for entry in new)
                task = evolution.board.tasks[t]
                context.propose(
                    [propose_plainly(entry.program, task, entry.credit) for entry in new]
                )
        if nearly_right:
            self._propose_s = context.allowance.clock() - began_s

    def mutations(self) -> dict[str, dict[str, float]]:
        """Return by kind of mutation what was tried and what became of it."""
        rates = None if self.evolution is None else self.evolution.rates
        return {} if rates is None else rates.table()

    def finish(self, context: Context) -> None:
        if self.evolution is None or self._is_finished:
            return
        self._is_finished = True
        context.save_state(self.evolution.to_json())
        try:
            self.evolution.close()
        finally:  # a pool that cannot be written to any more loses none of it
            in_time = context.allowance.left_s > self._propose_s
            self._propose(self.evolution, context, nearly_right=in_time)

    @property
    def trouble(self) -> str | None:
        """What is wrong with the engine, if programs gave alone what they did not in a batt."""
        validator = None if self.evolution is None else self.evolution.validator
        if validator is None or not validator.n_differences:
            return None
        return (
            f"{validator.n_differences} programs gave alone what they did not give in their batt: "
            f"a bug; the files in {validator.folder} have all about it"
        )

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        parents = {"parents": dict(self._counts)} if self._use_parents else {}
        return {**parents, **self.mutations()}


def _best_of_others(known: Sequence[Candidate], name: str) -> list[Candidate]:
    """The best that other proposers have found, no two with the same outputs."""
    chosen: dict[object, Candidate] = {}
    for candidate in known:
        if candidate.proposer != name:
            chosen.setdefault(candidate.trial.outputs, candidate)
    return list(chosen.values())[:MAX_PARENTS]
