"""The first stage: every known program on every task.

Programs are fused into batts. First they are run in stages, which finds those that fit all demos;
then, on tasks that none fits, on all demos, for those that fit some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskSamples, run_on_tasks
from arcbatt.measure import phase
from arcbatt.pool import Pool
from arcbatt.search.evolving import MUTANT_BUDGET
from arcbatt.tasks import Task

from .known_values import solvers_of
from .outputs import candidates_of
from .stages import Desk, Share

PROGRAMS_A_BATT = 500
# Of one batt and one task, so many programs at most are run on its test inputs.
MAX_OF_BATT = 16


class PoolStage:
    """Runs the solvers of a pool."""

    name = "pool"
    weight = 1.0
    trust = 1.0
    enough = 1_000_000  # it takes one pass in any case

    def __init__(self, pool: Pool, *, device: str = "auto", n_threads: int | None = None) -> None:
        self._pool = pool
        self._device = device
        self._n_threads = n_threads
        self._is_done = False

    def run(self, tasks: Sequence[Task], share: Share, desk: Desk) -> None:
        if self._is_done:
            return
        with phase("load"):
            samples = TaskSamples(tasks)
        fitted: set[int] = set()
        desk.say(f"{self._pool.n_programs} known programs on {len(tasks)} tasks")
        for staged in (True, False):
            if not staged:
                left = [t for t in range(len(tasks)) if t not in fitted]
                if not left:
                    break
                desk.say(f"known programs that fit some demos of {len(left)} tasks")
                with phase("load"):
                    samples = TaskSamples([tasks[t] for t in left])
            for batt in self._batts():
                if share.is_spent:
                    return
                began_s = perf_counter()
                solved, engine_s = self._run(batt, samples, staged, desk)
                fitted |= solved
                share.end_round()
                desk.log(
                    {
                        "n_pairs": len(batt.programs) * len(samples),
                        "wall_s": perf_counter() - began_s,
                        "engine_s": engine_s,
                        "n_programs": len(batt.programs),
                        "staged": staged,
                    }
                )
        self._is_done = True

    def _batts(self) -> Iterator[Batt]:
        programs = solvers_of(self._pool)
        while some := list(islice(programs, PROGRAMS_A_BATT)):
            with phase("fuse"):
                yield Batt(some)

    def _run(
        self, batt: Batt, samples: TaskSamples, staged: bool, desk: Desk
    ) -> tuple[set[int], float]:
        """Offer what fits some demos; return the tasks that one fits, and the engine's seconds."""
        began_s = perf_counter()
        with phase("run"):
            result = run_on_tasks(
                batt,
                samples,
                MUTANT_BUDGET,
                staged=staged,
                device=self._device,
                n_threads=self._n_threads,
            )
        engine_s = perf_counter() - began_s
        for t in np.flatnonzero(result.n_matches.any(axis=0)).tolist():
            places = np.flatnonzero(result.n_matches[:, t]).tolist()
            n_matches, steps = result.n_matches[:, t].tolist(), result.steps[:, t].tolist()
            places.sort(key=lambda p: (-n_matches[p], steps[p], p))
            programs = [batt.programs[p] for p in places[:MAX_OF_BATT]]
            for candidate in candidates_of(samples.tasks[t], programs, n_threads=self._n_threads):
                desk.offer(candidate)
        return set(np.flatnonzero(result.solved.any(axis=0)).tolist()), engine_s

    def state(self) -> Any:
        return {"is_done": self._is_done}

    def restore(self, state: Any) -> None:
        self._is_done = bool(state["is_done"])

    def parts(self) -> dict[str, dict[str, Any]]:
        return {}
