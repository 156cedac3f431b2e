"""The last stage: mutants of what nearly works, card after card, with the rest of the budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arcbatt.engine.staged import TaskSamples
from arcbatt.language import Program
from arcbatt.measure import phase
from arcbatt.pool import Pool
from arcbatt.search.evolving import MUTANT_BUDGET, Evolution, EvolveOptions
from arcbatt.search.mutation import Rates
from arcbatt.search.validating import Validator
from arcbatt.tasks import Task

from .candidates import Kept
from .outputs import candidates_of
from .stages import Desk, Share

# Programs that are nearly right are offered every so many rounds; what solves a task, at once.
OFFER_EVERY = 20
# Of what other stages have found for a task, so many become parents.
MAX_PARENTS = 8


class EvolveStage:
    """Evolves programs in a pool, and offers what its archive keeps."""

    name = "evolve"
    weight = 1.0
    trust = 0.5
    enough = 1  # the archive keeps one solver a task

    def __init__(
        self, pool: Pool, options: EvolveOptions, differences: Path, *, with_parents: bool = True
    ) -> None:
        """`differences` is where a program is written that gives alone what its batt did not.

        `with_parents`: what other stages have found for a task is evolved from.
        """
        self._with_parents = with_parents
        self._counts = {"n_parents_offered": 0, "n_parents_kept": 0}
        self._pool = pool
        self._options = options
        self.validator = Validator(differences, strict=False, budget=MUTANT_BUDGET)
        self._state: Any = None
        self._evolution: Evolution | None = None  # while it runs

    def run(self, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        with phase("load"):
            samples = TaskSamples(tasks)
        evolution = Evolution(samples, self._pool, self._options, self.validator)
        if self._state is not None:
            version, words, gauss = self._state["rng"]
            evolution.rng.setstate((version, tuple(words), gauss))
            evolution.go_on_from(self._state["generation"], Rates.from_json(self._state["rates"]))
        offered: set[tuple[int, Program]] = set()
        self._evolution = evolution
        try:
            evolution.begin(desk.say)
            if self._with_parents:
                self._take_parents(evolution, desk)
            self._offer(evolution, offered, desk)
            while not share.is_spent:
                generation = evolution.step()
                share.end_round()
                is_due = share.n_rounds % OFFER_EVERY == 0
                if generation.found or is_due:
                    self._offer(evolution, offered, desk, nearly_right=is_due)
                desk.log(
                    {
                        "generation": generation.number,
                        "wall_s": generation.wall_s,
                        "engine_s": generation.engine_s,
                        "n_pairs": generation.n_pairs,
                        "mutations": _mutations(evolution),
                        "n_mutants": generation.n_mutants,
                        "n_calls": generation.n_calls,
                        "best_partial": evolution.archive.best_partial,
                        "ran_on": generation.ran_on,
                        "found": [
                            {"task": f.task.id, "program": f.program.hash, "mutation": f.kind}
                            for f in generation.found
                        ],
                    }
                )
                if not generation.n_mutants:
                    desk.say("no new program can be made from what is there")
                    break
        finally:
            self._state, self._evolution = _state_of(evolution), None
            evolution.close()
            self._offer(evolution, offered, desk)

    def _take_parents(self, evolution: Evolution, desk: Desk) -> None:
        """Put the best that other stages have found for each task among what is evolved."""
        found = [
            (t, kept.candidate.program, kept.stage)
            for t, task in enumerate(evolution.samples.tasks)
            for kept in _best_of_others(desk.known(task), self.name)
            if kept.candidate.program is not None
        ]
        desk.say(f"{len(found)} programs of other stages")
        self._counts["n_parents_offered"] += len(found)
        self._counts["n_parents_kept"] += evolution.take(found)

    def _offer(
        self,
        evolution: Evolution,
        offered: set[tuple[int, Program]],
        desk: Desk,
        *,
        nearly_right: bool = True,
    ) -> None:
        """Offer what the archive has that was not offered before."""
        for t, niche in enumerate(evolution.archive.niches):
            members = [] if niche.solver is None else [niche.solver]
            members += niche.nearly_right if nearly_right else []
            new = {m.program: m.credit for m in members if (t, m.program) not in offered}
            if not new:
                continue
            offered |= {(t, program) for program in new}
            task = evolution.samples.tasks[t]
            n_threads = self._options.n_threads
            for candidate in candidates_of(task, list(new), new, n_threads=n_threads):
                desk.offer(candidate)

    def state(self) -> Any:
        return self._state if self._evolution is None else _state_of(self._evolution)

    def restore(self, state: Any) -> None:
        self._state = state

    def parts(self) -> dict[str, dict[str, Any]]:
        return {"parents": dict(self._counts)} if self._with_parents else {}


def _best_of_others(known: Sequence[Kept], stage: str) -> list[Kept]:
    """The best that other stages have found, no two with the same outputs."""
    chosen: dict[object, Kept] = {}
    for kept in known:
        if kept.stage != stage and kept.candidate.program is not None:
            chosen.setdefault(kept.candidate.outputs, kept)
    return list(chosen.values())[:MAX_PARENTS]


def _mutations(evolution: Evolution) -> dict[str, dict[str, int]]:
    return {
        row.kind: {
            "tried": row.tried,
            "ran": row.ran,
            "improved": row.improved,
            "solved": row.solved,
        }
        for row in evolution.rates.table()
    }


def _state_of(evolution: Evolution) -> dict[str, Any]:
    version, words, gauss = evolution.rng.getstate()
    return {
        "generation": evolution.generation,
        "rates": evolution.rates.to_json(),
        "rng": [version, list(words), gauss],
    }
