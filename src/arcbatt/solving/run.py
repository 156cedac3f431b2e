"""Solving as a run: a folder in, a submission, a report and all else about it in that folder out.

| file | what it has |
| --- | --- |
| `submission.json` | two attempts at every test input of every task, in Kaggle's format |
| `report.html` | every task drawn, with attempts, programs and what is known about them |
| `programs.py` | the programs behind first attempts |
| `results.json` | all of it as data |
| `hall_of_fame.json` | the best programs of each task by size and fit |
| `explanations/` | a page for each program that fits all demos |
| `pool.db` | the run's own pool: what was known at the start and what evolution kept |

and what every run folder has (`search.run_folder`). All files are there, and whole, from before the
first stage until after the last: each is written beside itself and then renamed. Submission, hall
of fame and the state to go on from are renewed as the run goes on, the others at its end, however
it ends.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from arcbatt.measure import phase
from arcbatt.pool import Pool, merge
from arcbatt.search.progress import Generation
from arcbatt.search.run_folder import RunConfig, RunFolder, RunFolderError, write_whole
from arcbatt.tasks import Task

from .explanations import write_explanations
from .hall_of_fame import hall_of_fame_to_json
from .interrupts import uninterrupted
from .ranking import RankedTask
from .report import make_report
from .results import PROGRAMS, find_winners, format_winners, results_to_json
from .seeds import fill_pool
from .solver import Solver, Watcher
from .stage_list import (
    DEFAULT_MAX_BYTES,
    STAGE_NAMES,
    StageOptions,
    describe_differences,
    make_stages,
)
from .stages import Stage
from .submission import write_submission

COMMAND = "solve"
SUBMISSION = "submission.json"
REPORT = "report.html"
RESULTS = "results.json"
HALL_OF_FAME = "hall_of_fame.json"
POOL = "pool.db"
DIFFERENCES = "differences"
# What was found is saved so often, and never for more than this part of the time.
SAVE_EVERY_S = 5.0
SAVING_SHARE = 0.02
# What a run may write, a task and beside all tasks: pages of explanations are most of it.
BYTES_A_TASK = 300_000
BYTES_BESIDE = 20_000_000


@dataclass(frozen=True)
class SolveOptions:
    """What a run is asked for, and keeps when it is gone on with."""

    data: str
    tasks: tuple[str, ...] | None = None
    stages: tuple[str, ...] = STAGE_NAMES
    pool: str | None = None
    library: bool = True
    seed: int = 0
    device: str = "auto"
    n_threads: int | None = None
    off: tuple[str, ...] = ()
    max_bytes: int = DEFAULT_MAX_BYTES

    def to_config(self) -> RunConfig:
        options = asdict(self)
        seed = options.pop("seed")
        return RunConfig(COMMAND, seed, options)

    @classmethod
    def from_config(cls, config: RunConfig) -> SolveOptions:
        """Return the options of a run; that of another command is a `RunFolderError`."""
        if config.command != COMMAND:
            raise RunFolderError(f"this is the folder of `arcbatt {config.command}`, not of solve")
        options = dict(config.options)
        tasks = options.pop("tasks")
        return cls(
            seed=config.seed,
            tasks=None if tasks is None else tuple(tasks),
            stages=tuple(options.pop("stages")),
            off=tuple(options.pop("off")),
            **options,
        )


def require_space(folder: Path, n_tasks: int) -> None:
    """Raise a `RunFolderError` if a run over so many tasks may not fit on the disk of a folder."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    needed = BYTES_BESIDE + BYTES_A_TASK * n_tasks
    free = shutil.disk_usage(there).free
    if free < needed:
        raise RunFolderError(
            f"{folder}: {free / 1e6:,.0f} MB are free, and a run over {n_tasks} tasks may write "
            f"{needed / 1e6:,.0f} MB; free some, or choose another folder with --out"
        )


class SolveRun(Watcher):
    """Solves tasks in a folder, from where its state says. Use it as a context."""

    def __init__(
        self,
        folder: RunFolder,
        tasks: Sequence[Task],
        *,
        watcher: Watcher | None = None,
        traced: Collection[str] = (),
    ) -> None:
        self.folder = folder
        self.options = SolveOptions.from_config(folder.config)
        self._watcher = watcher or Watcher()
        self._pool = Pool.open(folder.path / POOL)
        self.explanations: dict[str, str] = {}
        self._n_logged = 0
        self._saved_s = perf_counter()
        self._save_after_s = SAVE_EVERY_S
        self._trouble: OSError | None = None
        try:
            self.solver = Solver(tasks, self._make_stages(), watcher=self, traced=traced)
            self._restore()
        except BaseException:
            self._pool.close()
            raise

    def _make_stages(self) -> list[Stage]:
        options = self.options
        try:
            return make_stages(
                options.stages,
                StageOptions(
                    self._pool,
                    self.folder.path / DIFFERENCES,
                    options.seed,
                    options.device,
                    options.n_threads,
                    frozenset(options.off),
                    options.max_bytes,
                ),
            )
        except ValueError as error:  # names that another version had
            raise RunFolderError(
                f"{self.folder.path} cannot be gone on with; begin a new run: {error}"
            ) from None

    def __enter__(self) -> SolveRun:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def go_on(self, budget_s: float, max_rounds: int | None = None) -> None:
        """Spend a budget. Whatever ends it, an interrupt above all, the files are written then."""
        self.write_files()
        try:
            if self.folder.state is None:
                self._fill_pool()
                self._save_state()
            self.solver.run(budget_s, max_rounds)
        finally:
            with uninterrupted():
                if self.folder.state is not None:  # otherwise there is nothing yet to go on from
                    self._note(self._save_state)
                self.write_files()

    def _fill_pool(self) -> None:
        if self.options.pool is not None:
            self._watcher.said(self.solver, f"programs of {self.options.pool}")
            merge(self._pool, Path(self.options.pool))
        fill_pool(self._pool, library=self.options.library)

    # --- files ---

    def write_files(self) -> None:
        """Write all files but the explanations, the submission first."""
        ranked = self.solver.rank()
        self._write_found(ranked)
        winners = find_winners(ranked)
        with phase("store"):
            self._write(PROGRAMS, format_winners(winners.values()))
            self._write(RESULTS, _to_json(results_to_json(self.solver, ranked)))
        report = make_report(
            self.solver,
            ranked,
            winners,
            title=f"arcbatt solve {self.options.data}",
            explanations=self.explanations,
        )
        with phase("store"):
            self._write(REPORT, report)

    def explain(self, went_on: Callable[[int, int], None] = lambda _n, _of: None) -> None:
        """Write a page about each program that fits all demos, and the report with links to them.

        `went_on` is told how many there are by now, of how many.
        """
        winners = find_winners(self.solver.rank())
        fitting = [winner for winner in winners.values() if winner.kept.candidate.fits]
        text = format_winners(winners.values())
        write_explanations(
            self.folder.path,
            text,
            fitting,
            self.explanations,
            lambda n: went_on(n, len(fitting)),
        )
        with uninterrupted():
            self.write_files()

    def _write_found(self, ranked: Sequence[RankedTask]) -> None:
        write_submission(self.folder.path / SUBMISSION, ranked)
        with phase("store"):
            found = (self.solver.candidates(task) for task in self.solver.tasks)
            self._write(HALL_OF_FAME, _to_json(hall_of_fame_to_json(found)))

    def _write(self, name: str, content: str) -> None:
        write_whole(self.folder.path / name, content)

    # --- what happens meanwhile ---

    def said(self, solver: Solver, message: str) -> None:
        self._watcher.said(solver, message)

    def traced(self, task: Task, stage: str, message: str) -> None:
        self._watcher.traced(task, stage, message)

    def logged(self, solver: Solver, stage: str, record: dict[str, Any]) -> None:
        self._append(stage, record)
        self._watcher.logged(solver, stage, record)

    def went_on(self, solver: Solver) -> None:
        began_s = perf_counter()
        if began_s - self._saved_s > self._save_after_s:
            self._note(self._save)
            self._saved_s = perf_counter()
            self._save_after_s = max(SAVE_EVERY_S, (self._saved_s - began_s) / SAVING_SHARE)
        self._watcher.went_on(solver)

    def ended_stage(self, solver: Solver, stage: str) -> None:
        self._append(stage, {"ended": asdict(solver.counts[stage])})
        self._note(self._save)
        self._watcher.ended_stage(solver, stage)

    def _append(self, stage: str, record: dict[str, Any]) -> None:
        """Log a round; what charts do not know of goes into its details."""
        known = ("wall_s", "engine_s", "n_pairs", "mutations")
        details = {key: value for key, value in record.items() if key not in known}
        self._n_logged += 1
        generation = Generation(
            generation=self._n_logged,
            elapsed_s=self.solver.elapsed_s,
            wall_s=record.get("wall_s", 0.0),
            engine_s=record.get("engine_s", 0.0),
            n_solved=self.solver.n_fitted,
            n_pairs=record.get("n_pairs", 0),
            mutations=record.get("mutations", {}),
            details={"stage": stage, **details},
        )
        self._note(lambda: self.folder.append(generation))

    def _save(self) -> None:
        self._write_found(self.solver.rank())
        self._save_state()

    def _note(self, write: Callable[[], None]) -> None:
        """Write something that only a later run needs; that it cannot be done ends nothing.

        The search goes on, since the disk may have room again when it ends. But nothing more is
        logged or saved: a log with a hole, or one that a state does not cover, could not be read.
        """
        if self._trouble is not None:
            return
        try:
            write()
        except OSError as error:
            self._trouble = error
            self._watcher.said(
                self.solver,
                f"cannot write to {self.folder.path} ({error.strerror}); going on without",
            )

    @property
    def trouble(self) -> str | None:
        """What is wrong with the run that its files do not show."""
        if self._trouble is not None:
            return (
                f"the run's log and state could not be written ({self._trouble.strerror}): "
                f"--resume goes on from before that"
            )
        return describe_differences(self.solver.stages)

    # --- going on ---

    def _save_state(self) -> None:
        tasks = {task.id: task.digest for task in self.solver.tasks}
        state = {"tasks": tasks, "n_logged": self._n_logged, "solver": self.solver.state()}
        self.folder.write_state(state)

    def _restore(self) -> None:
        state = self.folder.state
        if state is None:
            return
        if state["tasks"] != {task.id: task.digest for task in self.solver.tasks}:
            raise RunFolderError(
                f"the tasks in {self.options.data} are not those that {self.folder.path} was begun "
                f"with; begin a new run"
            )
        self.solver.restore(state["solver"])
        self._n_logged = state["n_logged"]


def _to_json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":")) + "\n"
