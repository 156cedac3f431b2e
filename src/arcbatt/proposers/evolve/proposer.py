"""The proposer `evolve`: mutants of programs that nearly work, card after card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from arcbatt.language import Program
from arcbatt.plurals import count

from ..proposer import Candidate, Context, Offer, Proposal
from .cards import pool_parents
from .evolution import N_BEGUN, Evolution, EvolveOptions

CARD = "card"
# Nearly right programs are proposed once per this many cards; programs that fit, at once.
PROPOSE_EVERY = 20
# The most candidates of other proposers per task that become parents.
MAX_PARENTS = 8
# Estimates from training: seconds per card, however few tasks are open; seconds per card and task;
# tasks gained per card and task at first; the number of cards after which the gain has halved.
CARD_S, TASK_S, GAIN, CARDS_TO_HALVE = 0.35, 4e-3, 8e-5, 100
# Give up after this many cards in a row without a mutant: one may be empty by chance, and the last
# of them was dealt from everything that is kept now.
CARDS_TO_GIVE_UP = N_BEGUN + 2


class EvolveProposer:
    """Evolves programs in the run's pool, and proposes those that its archive keeps."""

    name = "evolve"
    trust = 0.5
    switches: ClassVar = {
        "parents": "candidates of other proposers as parents",
    }
    count_columns: ClassVar = {
        "": "mutation",
        "tried": "tried",
        "ran": "ran",
        "improved": "improved",
        "fitted": "fitted",
    }

    def __init__(self, options: EvolveOptions, off: frozenset[str] = frozenset()) -> None:
        """Make a proposer; `off` names the `switches` that are off."""
        self._options = options
        self._use_parents = "parents" not in off
        self.evolution: Evolution | None = None
        # A finished evolution is only read; another round of work begins a new one.
        self._is_finished = False
        self._proposed: set[tuple[int, Program]] = set()
        self._taken: set[tuple[int, Program]] = set()
        self._n_worked = 0
        # Durations of the last card and proposal: neither is begun if it would not end in time.
        self._card_s = 0.0
        self._propose_s = 0.0
        self._next_round = -1  # of the loop; another number means that other proposers worked
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
            # The tasks at the start, even if they are fitted by now: solvers are parents too.
            begun = set(state["tasks"])
            tasks = tuple(task for task in context.board.tasks if task.id in begun)
            n_cards = state["n_cards"]
        else:
            # The archive keeps one solver per task, so it cannot add to a fitted one.
            tasks = tuple(task for task in context.board.tasks if not context.n_agreeing(task))
            n_cards = 0
        if not tasks or context.allowance.left_s < self._card_s + self._propose_s:
            return None
        gain = GAIN * len(tasks) * 0.5 ** (n_cards / CARDS_TO_HALVE)
        return Offer(
            CARD,
            tasks,
            gain,
            CARD_S + TASK_S * len(tasks),
            divides=False,
            reads_candidates=self._use_parents,
        )

    def work(self, offer: Offer, context: Context) -> None:
        if self.evolution is None or self._is_finished:
            self.evolution = self._begin(offer, context)
            self._is_finished = False
        evolution = self.evolution
        if self._use_parents and context.n_rounds != self._next_round:
            self._take_parents(evolution, context)
        self._next_round = context.n_rounds + 1
        if not self._n_worked:
            self._propose(evolution, context)
        left_s = context.allowance.left_s
        if left_s < self._card_s + self._propose_s:
            return
        # Measured by the budget's clock: on a busy machine, CPU time lags behind it.
        began_s = context.allowance.clock()
        result = evolution.step(is_last=left_s < (N_BEGUN + 1) * self._card_s + self._propose_s)
        self._card_s = context.allowance.clock() - began_s
        self._n_worked += 1
        is_due = self._n_worked % PROPOSE_EVERY == 0
        if result.new_fits or is_due:
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
                    {"task": fit.task.id, "program": fit.program.hash, "mutation": fit.mutation}
                    for fit in result.new_fits
                ],
            }
        )
        self._n_empty = 0 if result.n_mutants else self._n_empty + 1
        if self._n_empty == CARDS_TO_GIVE_UP:
            context.say("the parents yield no new programs")
            self._is_exhausted = True

    def _begin(self, offer: Offer, context: Context) -> Evolution:
        board = context.board.part(offer.tasks)
        if self.evolution is not None:
            self._taken.clear()
            self._n_worked = 0
        known = context.known
        evolution = Evolution(board, context.pool, self._options, known=known)
        state = context.state()
        programs = list(known)
        if state is not None:
            evolution.resume_from(state)
            kept, _ = pool_parents(context.pool)
            programs = list(dict.fromkeys([*programs, *kept]))
        program_s = evolution.begin(
            programs,
            context.say,
            lambda: context.allowance.is_spent,
            context.allowance.clock,
        )
        if state is not None:
            evolution.take_from_pool()
        self._card_s = program_s * self._options.card_size
        return evolution

    def _take_parents(self, evolution: Evolution, context: Context) -> None:
        """Offer the best candidates of other proposers for each task to the archive."""
        new = [
            (t, candidate.program, candidate.proposer)
            for t, task in enumerate(evolution.board.tasks)
            for candidate in _best_of_others(context.candidates(task), self.name)
            if (t, candidate.program) not in self._taken
        ]
        if not new:
            return
        kept = {
            (t, candidate.program)
            for t, task in enumerate(evolution.board.tasks)
            for candidate in context.candidates(task)
        }
        # A candidate that was dropped never comes back: forget it, or a long run keeps them all.
        self._taken = self._taken & kept
        self._taken.update((t, program) for t, program, _ in new)
        context.say(f"{count(len(new), 'program')} of other proposers")
        self._counts["n_parents_offered"] += len(new)
        self._counts["n_parents_kept"] += evolution.take(new)

    def _propose(
        self, evolution: Evolution, context: Context, *, nearly_right: bool = True
    ) -> None:
        """Propose the archive's programs that were not proposed before."""
        began_s = context.allowance.clock()
        archived: set[tuple[int, Program]] = set()
        for t, niche in enumerate(evolution.archive.niches):
            archived.update((t, entry.program) for entry in niche.entries)
            entries = [] if niche.solver is None else [niche.solver]
            entries += niche.nearly_right if nearly_right else []
            new = [entry for entry in entries if (t, entry.program) not in self._proposed]
            if new:
                self._proposed.update((t, entry.program) for entry in new)
                task = evolution.board.tasks[t]
                context.propose(
                    [
                        Proposal.from_program(entry.program, task, entry.trial.credit)
                        for entry in new
                    ]
                )
        self._proposed &= archived  # the others never come back
        if nearly_right:
            self._propose_s = context.allowance.clock() - began_s

    def mutations(self) -> dict[str, dict[str, float]]:
        """Return the counts by kind of mutation: tried, ran, improved, fitted."""
        return {} if self.evolution is None else self.evolution.mutations.to_json()

    def finish(self, context: Context) -> None:
        if self.evolution is None or self._is_finished:
            return
        self._is_finished = True
        context.save_state(self.evolution.to_json())
        try:
            self.evolution.close()
        finally:  # propose even if the pool cannot be written to
            in_time = context.allowance.left_s > self._propose_s
            self._propose(self.evolution, context, nearly_right=in_time)

    def counts(self) -> Mapping[str, Mapping[str, Any]]:
        parents = {"parents": dict(self._counts)} if self._use_parents else {}
        return {**parents, **self.mutations()}


def _best_of_others(known: Sequence[Candidate], name: str) -> list[Candidate]:
    """Return the best candidates of other proposers, no two with the same outputs."""
    chosen: dict[object, Candidate] = {}
    for candidate in known:
        if candidate.proposer != name:
            chosen.setdefault(candidate.trial.outputs, candidate)
    return list(chosen.values())[:MAX_PARENTS]
