"""Programs and tasks in, who fits which task out: every program on every task.

Programs are fused into batts and screened; those that fit all demos of a task have a trial on it,
which says whether they give outputs for its test inputs, never whether those are right.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt import measure
from arcbatt.engine.batt import Batt, BattSize
from arcbatt.language import Program, Reason
from arcbatt.pool import NewTrial
from arcbatt.tasks import Task
from arcbatt.tasks.program_names import task_id_of

from .board import TaskBoard
from .result_cache import ROW, ResultCache, Rows
from .trial import FULL_CREDIT

# Batts are so large that one takes about so long: who watches sees how far it is, and after an
# interrupt little is lost.
BATT_S = 0.4
FIRST_BATT = 32
MAX_BATT = 2_000


@dataclass(frozen=True, slots=True)
class Match:
    """A program that gives the output of some demo of a task.

    `steps` is its cost on the demos that it was run on; `n_test_outputs` how many test inputs it
    gives an output for, None if it does not fit all demos.
    """

    program: int
    task: int
    n_fitted: int
    steps: int
    n_test_outputs: int | None


@dataclass(frozen=True, slots=True)
class RanProgram:
    """A program and how it fared over all tasks.

    `names` are all that it was given under, its own first. `n_failures` counts the first demos that
    it failed on; `steps` is its cost on all demos that it was run on.
    """

    program: Program
    names: Sequence[str]
    n_fitted: int
    n_failures: int
    steps: int

    @property
    def own_tasks(self) -> list[str]:
        """The tasks that the program's names say it is for."""
        return [task for task in map(task_id_of, self.names) if task is not None]


@dataclass
class ProgramRun:
    """A run that can be watched and stopped between its batts, and what has come of it by then.

    In stages, a program that misses a task's first demo is not run on its others. Programs and
    tasks are named by their places; `n_same` counts programs that are the same as one before, which
    are not run again, `n_recalled` the (program, task) pairs that were known before.
    """

    board: TaskBoard
    staged: bool = True
    cache: ResultCache | None = None
    programs: list[RanProgram] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    n_same: int = 0
    n_recalled: int = 0
    engine_s: float = 0.0
    ran_on: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names: dict[Program, list[str]] = {}
        self._n_by_reason = np.zeros(len(Reason) + 1, np.int64)

    def batts(self, programs: Iterable[Program]) -> Iterator[int]:
        """Run the programs, those met before left out; yield after each batt how many it had."""
        new = (program for program in programs if self._is_new(program))
        size = FIRST_BATT
        while True:
            with measure.phase("load"):  # where they come from may have to read them
                some = list(islice(new, size))
            if not some:
                return
            began_s = time.perf_counter()
            rows = self._screen(some)
            with measure.phase("score"):
                self._note(some, rows)
            yield len(some)
            elapsed_s = time.perf_counter() - began_s
            if elapsed_s > BATT_S:
                size = max(size // 2, 1)
            elif elapsed_s < BATT_S / 4:
                size = min(2 * size, MAX_BATT)

    def _is_new(self, program: Program) -> bool:
        """Whether a program was not met before; if it was, it has one more name by now."""
        names = self._names.setdefault(program, [])
        is_new = not names
        if program.name not in names:
            names.append(program.name)
        self.n_same += not is_new
        return is_new

    def _screen(self, programs: Sequence[Program]) -> Rows:
        """What programs give on all tasks, from the cache where that knows it."""
        rows = np.zeros((len(programs), len(self.board)), ROW)
        recalled: NDArray[np.intp] = np.zeros(0, np.intp)
        cache = self.cache if self.staged else None
        if cache is not None:
            recalled, known = cache.recall(programs)
            rows[recalled] = known
            self.n_recalled += len(recalled) * len(self.board)
        rest = np.setdiff1d(np.arange(len(programs)), recalled)
        if len(rest) and len(self.board):
            with measure.phase("fuse"):
                batt = Batt([programs[p] for p in rest])
            began_s = time.perf_counter()
            result = self.board.screen(batt, staged=self.staged)
            elapsed_s = time.perf_counter() - began_s
            self.engine_s += elapsed_s
            for device, n in result.ran_on.items():
                self.ran_on[device] = self.ran_on.get(device, 0) + n
            if list(result.ran_on) != ["cpu"]:
                measure.record(" and ".join(result.ran_on), "run", elapsed_s)
            rows["reason"][rest] = result.reasons
            rows["n_fitted"][rest] = result.n_matches
            rows["steps"][rest] = result.steps
            if cache is not None:
                cache.remember(batt.programs, rows[rest])
        return rows

    def _note(self, programs: Sequence[Program], rows: Rows) -> None:
        first = len(self.programs)
        n_fitted, steps = rows["n_fitted"], rows["steps"]
        fits = n_fitted == self.board.n_demos
        n_outputs = {}
        for t in np.flatnonzero(fits.any(axis=0)).tolist():
            places = np.flatnonzero(fits[:, t]).tolist()
            trials = self.board.trials(self.board.tasks[t], [programs[p] for p in places])
            for p, trial in zip(places, trials, strict=True):
                n_outputs[p, t] = sum(grid is not None for grid in trial.outputs)
        # All that may be interrupted is done: what is noted from here on belongs together.
        matches = [
            Match(first + p, t, int(n_fitted[p, t]), int(steps[p, t]), n_outputs.get((p, t)))
            for p, t in np.argwhere(n_fitted > 0).tolist()
        ]
        self.programs += map(
            RanProgram,
            programs,
            [self._names[program] for program in programs],
            n_fitted.sum(axis=1, dtype=np.int64).tolist(),
            np.count_nonzero(rows["reason"], axis=1).tolist(),
            steps.sum(axis=1).tolist(),
        )
        self.matches += matches
        self._n_by_reason += np.bincount(rows["reason"].ravel(), minlength=len(Reason) + 1)

    # --- what came of it ---

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.board.tasks

    @property
    def n_pairs(self) -> int:
        """How many (program, task) were done."""
        return len(self.programs) * len(self.tasks)

    @property
    def failures(self) -> dict[Reason, int]:
        """Failed first demos by reason."""
        return {reason: int(self._n_by_reason[reason]) for reason in Reason}

    @property
    def size(self) -> BattSize:
        """The calls of all programs, fused and one by one."""
        with measure.phase("score"):
            return Batt([each.program for each in self.programs]).size

    @property
    def fitted(self) -> dict[int, list[Match]]:
        """The tasks that programs fit, ascending, with those programs, the cheapest first."""
        found: dict[int, list[Match]] = {}
        for match in self.matches:
            if match.n_fitted == len(self.tasks[match.task].demos):
                found.setdefault(match.task, []).append(match)
        for matches in found.values():
            matches.sort(key=lambda match: (match.steps, match.program))
        return dict(sorted(found.items()))

    @property
    def fitting(self) -> dict[int, list[Match]]:
        """The programs that fit some task with the tasks; who fits most comes first."""
        found: dict[int, list[Match]] = {}
        for matches in self.fitted.values():
            for match in matches:
                found.setdefault(match.program, []).append(match)
        order = sorted(found, key=lambda p: (-len(found[p]), self.programs[p].program.name, p))
        return {program: found[program] for program in order}

    def is_own(self, match: Match) -> bool:
        """Whether the task is that of a name of the program."""
        return self.tasks[match.task].id in self.programs[match.program].own_tasks

    @property
    def transfers(self) -> list[Match]:
        """Tasks fitted by programs that are not for them, by task, the cheapest first."""
        return [m for matches in self.fitted.values() for m in matches if not self.is_own(m)]

    def new_trials(self) -> list[NewTrial]:
        """What a pool keeps of it: every program on every task of which it fits a demo.

        A task that is fitted has full credit; for others this run knows none.
        """
        trials = []
        for match in self.matches:
            task = self.tasks[match.task]
            digest = self.programs[match.program].program.result.digest
            credit = FULL_CREDIT if match.n_fitted == len(task.demos) else 0
            trials.append(
                NewTrial.of(digest, task, match.n_fitted, credit=credit, steps=match.steps)
            )
        return trials

    def to_json(self) -> dict[str, Any]:
        fitted, fitting, size = self.fitted, self.fitting, self.size
        best: dict[int, int] = {}
        for match in self.matches:
            best[match.task] = max(best.get(match.task, 0), match.n_fitted)
        return {
            "tasks": len(self.tasks),
            "fitted": len(fitted),
            "programs": len(self.programs),
            "same_programs": self.n_same,
            "calls": size.n_calls,
            "calls_before_sharing": size.n_calls_before,
            "engine_s": self.engine_s,
            "staged": self.staged,
            "pairs": self.n_pairs,
            "pairs_recalled": self.n_recalled,
            "demos_fitted": sum(each.n_fitted for each in self.programs),
            "failures": {reason.words: n for reason, n in self.failures.items()},
            "ran_on": dict(self.ran_on),
            "by_task": [
                {
                    "task": task.id,
                    "demos": len(task.demos),
                    "best_fitted": best.get(number, 0),
                    "fitted_by": [self._match_to_json(match) for match in fitted.get(number, ())],
                }
                for number, task in enumerate(self.tasks)
            ],
            "by_program": [
                {
                    "name": each.program.name,
                    "names": list(each.names),
                    "hash": each.program.hash,
                    "calls": each.program.n_calls,
                    "own_tasks": each.own_tasks,
                    "fits": [self.tasks[match.task].id for match in fitting.get(number, ())],
                    "demos_fitted": each.n_fitted,
                    "failures": each.n_failures,
                    "steps": each.steps,
                }
                for number, each in enumerate(self.programs)
            ],
        }

    def _match_to_json(self, match: Match) -> dict[str, Any]:
        program = self.programs[match.program].program
        return {
            "name": program.name,
            "hash": program.hash,
            "own": self.is_own(match),
            "steps": match.steps,
            "test_outputs": match.n_test_outputs,
        }
