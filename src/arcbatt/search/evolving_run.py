"""An evolution as a run: with a budget of time, a log, and a state to go on from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from .evolving import Evolution, Found, Generation
from .mutation import Rates
from .progress import Generation as LoggedGeneration
from .run_folder import RunFolder

STATE_EVERY_S = 5.0


@dataclass
class EvolutionRun:
    """Runs an evolution in a folder, from where the folder's state says."""

    evolution: Evolution
    folder: RunFolder
    n_solved_at_start: int = 0
    elapsed_s: float = 0.0
    n_pairs: int = 0
    n_calls: int = 0
    engine_s: float = 0.0
    ran_on: dict[str, int] = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)
    last: Generation | None = None

    def go_on(
        self,
        budget_s: float,
        say: Callable[[str], None] = lambda _message: None,
        show: Callable[[], None] = lambda: None,
        *,
        max_generations: int | None = None,
    ) -> None:
        """Generation after generation until so many seconds have gone by, or so many are done."""
        began = perf_counter()
        before_s = 0.0
        state = self.folder.state
        if state is not None:
            before_s = self._restore(state)
        self.evolution.begin(say)
        n_solved = self.evolution.archive.n_solved
        self.n_solved_at_start = n_solved if state is None else state["n_solved_at_start"]
        self.elapsed_s = before_s + perf_counter() - began
        saved_s = self.elapsed_s
        try:
            n_generations = 0
            while self.elapsed_s - before_s < budget_s and n_generations != max_generations:
                generation = self.evolution.step()
                n_generations += 1
                self.elapsed_s = before_s + perf_counter() - began
                self._count(generation)
                self._log(generation)
                if self.elapsed_s - saved_s > STATE_EVERY_S:
                    self.folder.write_state(self._state())
                    saved_s = self.elapsed_s
                show()
                if not generation.n_mutants:
                    say("no new program can be made from what is there")
                    break
        finally:
            self.folder.write_state(self._state())

    @property
    def pairs_a_second(self) -> float:
        return self.n_pairs / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def engine_share(self) -> float:
        """The part of the time that the engine was at work."""
        return self.engine_s / self.elapsed_s if self.elapsed_s else 0.0

    def _count(self, generation: Generation) -> None:
        self.last = generation
        self.n_pairs += generation.n_pairs
        self.n_calls += generation.n_calls * len(self.evolution.samples)
        self.engine_s += generation.engine_s
        self.found += generation.found
        for device, n in generation.ran_on.items():
            self.ran_on[device] = self.ran_on.get(device, 0) + n

    def _log(self, generation: Generation) -> None:
        rows = self.evolution.rates.table()
        archive = self.evolution.archive
        self.folder.append(
            LoggedGeneration(
                generation=generation.number,
                elapsed_s=self.elapsed_s,
                wall_s=generation.wall_s,
                engine_s=generation.engine_s,
                n_solved=archive.n_solved,
                n_pairs=generation.n_pairs,
                mutations={
                    row.kind: {
                        "tried": row.tried,
                        "ran": row.ran,
                        "improved": row.improved,
                        "solved": row.solved,
                    }
                    for row in rows
                },
                details={
                    "n_mutants": generation.n_mutants,
                    "n_calls": generation.n_calls,
                    "offers": generation.n_offers,
                    "best_partial": archive.best_partial,
                    "ran_on": generation.ran_on,
                    "found": [
                        {"task": f.task.id, "program": f.program.hash, "mutation": f.kind}
                        for f in generation.found
                    ],
                },
            )
        )

    def _state(self) -> dict[str, Any]:
        version, words, gauss = self.evolution.rng.getstate()
        return {
            "generation": self.evolution.generation,
            "elapsed_s": self.elapsed_s,
            "n_pairs": self.n_pairs,
            "n_calls": self.n_calls,
            "engine_s": self.engine_s,
            "ran_on": self.ran_on,
            "n_solved_at_start": self.n_solved_at_start,
            "rates": self.evolution.rates.to_json(),
            "rng": [version, list(words), gauss],
        }

    def _restore(self, state: dict[str, Any]) -> float:
        """Takes up a state; the pool has the programs. Returns the seconds spent before."""
        evolution = self.evolution
        evolution.go_on_from(state["generation"], Rates.from_json(state["rates"]))
        version, words, gauss = state["rng"]
        evolution.rng.setstate((version, tuple(words), gauss))
        self.n_pairs, self.n_calls = state["n_pairs"], state["n_calls"]
        self.engine_s, self.ran_on = state["engine_s"], dict(state["ran_on"])
        return float(state["elapsed_s"])
