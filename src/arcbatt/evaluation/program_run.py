"""Run every program on every task and report which program fits which task.

Programs are fused into batts and screened. Programs that fit all demos of a task are also run on
its test inputs, to count the outputs there; whether those are right is never checked.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcbatt import measure
from arcbatt.engine.batt import Batt, BattSize
from arcbatt.language import Program, Reason
from arcbatt.pool import PoolTrial
from arcbatt.tasks import Task
from arcbatt.tasks.program_names import task_id_of

from .board import TaskBoard
from .result_cache import ROW, ResultCache, Rows
from .trial import FULL_CREDIT, Trial

# The size of batts is adapted so that one takes about BATT_S: progress is visible, and an interrupt
# loses little.
BATT_S = 0.4
FIRST_BATT = 32
MAX_BATT = 2_000


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The results of one program over all tasks.

    `names` are all names it was given under, its own first. `n_failures` counts the first demos it
    failed on; `n_fitted` and `steps` are sums over all demos it was run on. `trials` are those on
    tasks of which it fits a demo, in the order of tasks.
    """

    program: Program
    names: Sequence[str]
    n_fitted: int
    n_failures: int
    steps: int
    trials: Sequence[Trial]

    @property
    def own_tasks(self) -> list[str]:
        """The ids of the tasks that the program is named after."""
        return [task for task in map(task_id_of, self.names) if task is not None]

    @property
    def fitted(self) -> list[Trial]:
        """The trials on tasks that the program fits."""
        return [trial for trial in self.trials if trial.fits]

    def is_own(self, trial: Trial) -> bool:
        """Return whether the program is named after a trial's task."""
        return trial.task.id in self.own_tasks


@dataclass
class ProgramRun:
    """A run of programs that can be watched and stopped between batts, with its results so far.

    If `staged`, a program that misses a task's first demo is not run on its others. `n_same` counts
    programs that equal an earlier one, which are not run again; `n_recalled` counts the (program,
    task) pairs that came from the cache.
    """

    board: TaskBoard
    staged: bool = True
    cache: ResultCache | None = None
    programs: list[ProgramResult] = field(default_factory=list)
    n_same: int = 0
    n_recalled: int = 0
    engine_s: float = 0.0
    ran_on: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names: dict[Program, list[str]] = {}
        self._n_by_reason = np.zeros(max(Reason) + 1, np.int64)

    def batts(self, programs: Iterable[Program]) -> Iterator[int]:
        """Run all new programs; yield the number of programs after each batt."""
        new = (program for program in programs if self._is_new(program))
        size = FIRST_BATT
        while True:
            with measure.phase("load"):  # the iterable may have to read its programs
                batch = list(islice(new, size))
            if not batch:
                return
            began_s = time.perf_counter()
            rows = self._screen(batch)
            with measure.phase("score"):
                self._add_results(batch, rows)
            yield len(batch)
            elapsed_s = time.perf_counter() - began_s
            if elapsed_s > BATT_S:
                size = max(size // 2, 1)
            elif elapsed_s < BATT_S / 4:
                size = min(2 * size, MAX_BATT)

    def _is_new(self, program: Program) -> bool:
        """Return whether a program was not seen before, and remember its name."""
        names = self._names.setdefault(program, [])
        is_new = not names
        if program.name not in names:
            names.append(program.name)
        self.n_same += not is_new
        return is_new

    def _screen(self, programs: Sequence[Program]) -> Rows:
        """Return the results of programs on all tasks, from the cache where possible."""
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

    def _add_results(self, programs: Sequence[Program], rows: Rows) -> None:
        trials: list[list[Trial]] = [[] for _ in programs]
        for t in np.flatnonzero(rows["n_fitted"].any(axis=0)).tolist():
            for p, trial in self._trials_on(t, programs, rows[:, t]):
                trials[p].append(trial)
        # Nothing below takes long, so an interrupt leaves no batt half counted.
        self.programs += map(
            ProgramResult,
            programs,
            [self._names[program] for program in programs],
            rows["n_fitted"].sum(axis=1, dtype=np.int64).tolist(),
            np.count_nonzero(rows["reason"], axis=1).tolist(),
            rows["steps"].sum(axis=1).tolist(),
            trials,
        )
        self._n_by_reason += np.bincount(rows["reason"].ravel(), minlength=max(Reason) + 1)

    def _trials_on(
        self, task: int, programs: Sequence[Program], rows: Rows
    ) -> Iterator[tuple[int, Trial]]:
        """Yield the trials of programs that fit a demo of a task, with their indices."""
        tried = self.board.tasks[task]
        fits = rows["n_fitted"] == len(tried.demos)
        fitting = np.flatnonzero(fits).tolist()
        outputs = dict(
            zip(
                fitting, self.board.test_outputs(tried, [programs[p] for p in fitting]), strict=True
            )
        )
        for p in np.flatnonzero(rows["n_fitted"]).tolist():
            credit = FULL_CREDIT if fits[p] else 0  # only differs know more
            trial = Trial.screened(
                tried, programs[p], int(rows["n_fitted"][p]), int(rows["steps"][p]), credit
            )
            yield p, replace(trial, outputs=outputs[p]) if p in outputs else trial

    # --- results ---

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.board.tasks

    @property
    def n_pairs(self) -> int:
        """The number of (program, task) pairs done."""
        return len(self.programs) * len(self.tasks)

    @property
    def failures(self) -> dict[Reason, int]:
        """The number of failed first demos by reason."""
        return {reason: int(self._n_by_reason[reason]) for reason in Reason}

    @property
    def size(self) -> BattSize:
        """The number of calls of all programs, fused and separate."""
        with measure.phase("score"):
            return Batt([each.program for each in self.programs]).size

    @property
    def fitting(self) -> list[ProgramResult]:
        """The programs that fit a task, those that fit most first."""
        fitting = [each for each in self.programs if each.fitted]
        return sorted(fitting, key=lambda each: (-len(each.fitted), each.program.name))

    @property
    def fitted(self) -> dict[str, list[tuple[ProgramResult, Trial]]]:
        """By the id of each fitted task, in order: the fitting programs, the cheapest first."""
        by_task: dict[str, list[tuple[ProgramResult, Trial]]] = {}
        for result in self.programs:
            for trial in result.fitted:
                by_task.setdefault(trial.task.id, []).append((result, trial))
        for fits in by_task.values():
            fits.sort(key=lambda fit: fit[1].steps)
        return {task.id: by_task[task.id] for task in self.tasks if task.id in by_task}

    @property
    def transfers(self) -> dict[str, list[ProgramResult]]:
        """By task id: the programs that fit it though not named after it, the cheapest first."""
        by_task = {
            task: [result for result, trial in fits if not result.is_own(trial)]
            for task, fits in self.fitted.items()
        }
        return {task: results for task, results in by_task.items() if results}

    def to_rows(self) -> list[PoolTrial]:
        """Return the pool's rows: every program on every task of which it fits a demo."""
        return [trial.to_row(with_outputs=False) for each in self.programs for trial in each.trials]

    def to_json(self) -> dict[str, Any]:
        fitted, size = self.fitted, self.size
        best: dict[str, int] = {}
        for each in self.programs:
            for trial in each.trials:
                best[trial.task.id] = max(best.get(trial.task.id, 0), trial.n_fitted)
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
                    "best_fitted": best.get(task.id, 0),
                    "fitted_by": [
                        {
                            "name": result.program.name,
                            "hash": result.program.hash,
                            "own": result.is_own(trial),
                            "steps": trial.steps,
                            "test_outputs": trial.n_outputs,
                        }
                        for result, trial in fitted.get(task.id, ())
                    ],
                }
                for task in self.tasks
            ],
            "by_program": [
                {
                    "name": each.program.name,
                    "names": list(each.names),
                    "hash": each.program.hash,
                    "calls": each.program.n_calls,
                    "own_tasks": each.own_tasks,
                    "fits": [trial.task.id for trial in each.fitted],
                    "demos_fitted": each.n_fitted,
                    "failures": each.n_failures,
                    "steps": each.steps,
                }
                for each in self.programs
            ],
        }
