"""A run: options and a folder in; a submission, a report and all else about it in that folder out.

| file | what it has |
| --- | --- |
| `submission.json` | two attempts at every test input of every task, in Kaggle's format |
| `report.html` | every task drawn, with attempts, programs and what is known about them |
| `programs.py` | the programs behind first attempts |
| `results.json` | all of it as data |
| `hall_of_fame.json` | the best programs of each task by size and fit |
| `explanations/` | a page for each program that fits all demos |

and what every run folder has (`run_folder`). All files are there, and whole, from before the first
round until after the last. Submission, results, hall of fame and the ledger are renewed as the run
goes on, the others at its end, however it ends; the ledger before the files, so that these never
have what a resumed run would lack. `solve` and `evolve` are presets: other options, one loop.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from numbers import Integral
from pathlib import Path
from time import perf_counter
from typing import Any

from arcbatt.evaluation import TaskBoard
from arcbatt.explainer import say_rules
from arcbatt.files import write_whole
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.pool import MergeCount, Pool, PoolError, merge
from arcbatt.proposers import PROPOSER_NAMES, ProposerOptions, make_proposers
from arcbatt.proposers.evolve import DEFAULT_CARD_SIZE, MAX_CARD_SIZE, EvolveOptions, Mutants
from arcbatt.proposers.first_programs import fill_pool
from arcbatt.proposers.presets import DEFAULT_MAX_BYTES, LEAST_MAX_BYTES, MOST_MAX_BYTES
from arcbatt.tasks import BadTask, Task
from arcbatt.tasks.submission import write_submission

from .interrupts import uninterrupted
from .log import EntrySums, LogEntry
from .loop import Loop, Watcher, Workers
from .ranking import RankedTask
from .report.explanations import write_explanations
from .report.page import make_report
from .report.results import (
    PROGRAMS,
    Winner,
    find_winners,
    format_winners,
    hall_of_fame_to_json,
    results_to_json,
)
from .report.submission import make_submission
from .run_folder import POOL, RunConfig, RunFolder, RunFolderError

SUBMISSION = "submission.json"
REPORT = "report.html"
RESULTS = "results.json"
HALL_OF_FAME = "hall_of_fame.json"
DIFFERENCES = "differences"
LOGGED = "n_logged"
HELD = "held_log_entries"
# What was found is saved so often, and never for more than this part of the time.
SAVE_EVERY_S = 5.0
SAVING_SHARE = 0.02
# What a run may write, a task and beside all tasks: pages of explanations are most of it.
BYTES_A_TASK = 300_000
BYTES_BESIDE = 20_000_000
# To write the files at the end takes so many times what it takes at the start, when they are short,
# and the charts take so long at most, however long the run was (`bench/log.py`); for that, and for
# explanations, so much of the budget is left.
ENDING = 2.5
CHARTS_S = 1.0
MAX_ENDING_SHARE = 0.15
EXPLAINING_SHARE = 0.04


def whole_number(
    name: str, given: object, least: int | None = None, most: int | None = None
) -> int:
    """Return a whole number, of Python or NumPy, within bounds; all else is a ValueError."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        number = int(given)
        if (least is None or least <= number) and (most is None or number <= most):
            return number
    bounds = (
        ""
        if least is None
        else f" from {least:,} on"
        if most is None
        else f" from {least:,} to {most:,}"
    )
    raise ValueError(f"{name} is {given!r:.40}, expected a whole number{bounds}")


@dataclass(frozen=True)
class RunOptions:
    """What a run is asked for, and keeps when it is resumed.

    With `skip_bad` it goes on without tasks that are not valid; `submission` is a file that is
    kept the same as `submission.json` in the run's folder. With `survives_errors`, what goes wrong
    in a proposer ends that proposer and not the run.
    """

    data: str
    tasks: tuple[str, ...] | None = None
    proposers: tuple[str, ...] = PROPOSER_NAMES
    pool: str | None = None
    library: bool = True
    seed: int = 0
    device: str = "auto"
    n_threads: int | None = None
    off: tuple[str, ...] = ()
    max_bytes: int = DEFAULT_MAX_BYTES
    card_size: int = DEFAULT_CARD_SIZE
    use_differs: bool = True
    skip_bad: bool = False
    submission: str | None = None
    survives_errors: bool = False

    def __post_init__(self) -> None:
        """Have numbers be whole and within their bounds, and switches be true or false.

        What is not is a ValueError.
        """
        bounds = {
            "seed": (None, None),
            "max_bytes": (LEAST_MAX_BYTES, MOST_MAX_BYTES),
            "card_size": (1, MAX_CARD_SIZE),
        }
        for name, (least, most) in bounds.items():
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least, most))
        for name in ("library", "use_differs", "skip_bad", "survives_errors"):
            given = getattr(self, name)
            if not isinstance(given, bool):
                raise ValueError(f"{name} is {given!r:.40}, expected True or False")

    def to_config(self, command: str) -> RunConfig:
        options = asdict(self)
        seed = options.pop("seed")
        return RunConfig(command, seed, options)

    @classmethod
    def from_config(cls, config: RunConfig) -> RunOptions:
        """Return the options of a run."""
        options = dict(config.options)
        try:
            for name in ("tasks", "proposers", "off"):
                options[name] = None if options[name] is None else tuple(options[name])
            return cls(seed=config.seed, **options)
        except (KeyError, TypeError, ValueError) as error:  # what another version wrote
            raise RunFolderError(
                f"the options of this run cannot be read ({error}); begin a new run"
            ) from None

    def to_proposers(self, differences: Path | None = None) -> ProposerOptions:
        """Return what the proposers are made from; a switch that is none is a ValueError.

        `differences` is a folder of the run; without one it is a folder for what is temporary.
        """
        return ProposerOptions(
            differences or Path(tempfile.gettempdir()) / f"arcbatt-{DIFFERENCES}",
            EvolveOptions(seed=self.seed, card_size=self.card_size, use_differs=self.use_differs),
            frozenset(self.off),
            self.max_bytes,
        )


def fill_from(pool: Pool, options: RunOptions) -> MergeCount:
    """Put into a run's pool what is known at its start; return what came of another pool."""
    merged = MergeCount()
    if options.pool is not None:
        merged = merge(pool, Path(options.pool), only_programs=True)
    fill_pool(pool, library=options.library)
    return merged


def describe_known(options: RunOptions, merged: MergeCount) -> str:
    """Say where the programs come from that a run begins with."""
    parts = ["the bundled solvers"] if options.library else ["no bundled solvers"]
    if options.pool is not None:
        parts.append(f"{count(merged.n_programs, 'program')} of {options.pool}")
        if merged.n_rejected:
            parts[-1] += f" ({merged.n_rejected:,} unreadable, left out)"
    return f"begins with {' and '.join(parts)}"


def lack_of_space(folder: Path, n_tasks: int) -> str | None:
    """Say it if a run over so many tasks may not fit on the disk of a folder."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    needed = BYTES_BESIDE + BYTES_A_TASK * n_tasks
    free = shutil.disk_usage(there).free
    if free >= needed:
        return None
    return (
        f"{folder}: {free / 1e6:,.0f} MB are free, and a run over {count(n_tasks, 'task')} may "
        f"write {needed / 1e6:,.0f} MB"
    )


def report_title(config: RunConfig) -> str:
    """Return what a run is called in its report."""
    return f"arcbatt {config.command} {config.options['data']}"


class Run(Watcher):
    """Runs the loop in a folder, from where its ledger says. Use it as a context."""

    def __init__(
        self,
        folder: RunFolder,
        tasks: Sequence[Task],
        *,
        bad: Sequence[BadTask] = (),
        watcher: Watcher | None = None,
        traced: Collection[str] = (),
        workers: Workers | None = None,
    ) -> None:
        """`bad` are tasks that are not solved, but are in the submission all the same."""
        self.folder = folder
        self.bad = tuple(bad)
        self.options = RunOptions.from_config(folder.config)
        self._watcher = watcher or Watcher()
        if (folder.path / RESULTS).exists() and not (folder.path / POOL).exists():
            # To begin anew would put stand-ins in the place of what was found.
            raise RunFolderError(f"{folder.path / POOL} is gone: begin a new run")
        self._pool = Pool.open(folder.path / POOL)
        self.explanations: dict[str, str] = {}
        self.rules: dict[str, list[str]] = {}
        """By task, what the program behind its first attempt has learnt, line by line."""
        self._n_logged = 0
        self._unlogged: deque[LogEntry] = deque()
        self._sums = EntrySums()
        self._saved_s = perf_counter()
        self._save_after_s = SAVE_EVERY_S
        self._trouble: str | None = None
        self._is_late = False
        try:
            self.loop = self._make_loop(tasks, traced, workers)
            if self.loop.is_resumed:
                self._n_logged = self._pool.state(LOGGED)
                held = self._pool.state(HELD) or ()  # earlier versions hold none
                self._sums = EntrySums(self._n_logged, map(LogEntry.from_json, held))
            folder.begin_log(self._n_logged)
        except BaseException:  # an interrupt, too, leaves nothing open
            self._pool.close()
            raise

    def _make_loop(
        self, tasks: Sequence[Task], traced: Collection[str], workers: Workers | None
    ) -> Loop:
        options = self.options
        board = TaskBoard(tasks, device=options.device, n_threads=options.n_threads)
        try:
            made = options.to_proposers(self.folder.path / DIFFERENCES)
            proposers = make_proposers(options.proposers, made)
            return Loop(
                board,
                self._pool,
                proposers,
                watcher=self,
                traced=traced,
                survives_errors=options.survives_errors,
                workers=workers,
            )
        except ValueError as error:  # names that another version had, or other tasks
            raise RunFolderError(
                f"{self.folder.path} cannot be resumed; begin a new run: {error}"
            ) from None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def spend(
        self,
        budget_s: float,
        max_rounds: int | None = None,
        *,
        explain: bool = False,
        on_explained: Callable[[int, int], None] = lambda _n, _of: None,
    ) -> None:
        """Spend a budget, files included; whatever ends it, an interrupt above all, writes them.

        With `explain`, the rest of the time goes into a page about each program that fits all
        demos, the surest first; `on_explained` is told how many there are by now, of how many.
        """
        began_s = perf_counter()
        with uninterrupted():
            self.write_files()
        writing_s = ENDING * (perf_counter() - began_s)
        ending_s = min(writing_s + CHARTS_S, MAX_ENDING_SHARE * budget_s)
        explaining_s = EXPLAINING_SHARE * budget_s if explain else 0.0
        is_begun = self.loop.is_resumed
        try:
            if not is_begun:
                merged = fill_from(self._pool, self.options)
                self.on_message(self.loop, describe_known(self.options, merged))
                self.loop.load_known()
                is_begun = True
                # Proposers add programs to the pool: which were there before, a resumed run must
                # know however soon this one is killed.
                self._note(self._save_ledger)
            spent_s = perf_counter() - began_s
            n_before = self.loop.n_rounds
            self.loop.run(budget_s - ending_s - explaining_s - spent_s, max_rounds)
            self._is_late = self.loop.n_rounds == n_before and not self.loop.left_s
        finally:
            with uninterrupted():
                if is_begun:  # otherwise there is nothing yet to resume
                    self._unlogged.extend(self._sums.let_go())
                    self._note(self._save_ledger)
                self.write_files()
        if explain:
            self._explain(began_s + budget_s - ending_s / 2, on_explained)

    # --- files ---

    def write_files(self) -> None:
        """Write all files but the explanations, the submission first."""
        ranked = self.loop.rank()
        self._write_found(ranked)
        winners = find_winners(ranked)
        with phase("store"):
            self._write(PROGRAMS, format_winners(winners.values(), self.options.data))
        self._write_report(ranked)

    def _write_report(self, ranked: Sequence[RankedTask]) -> None:
        """Write what came of the run, as data and for people."""
        report = make_report(
            self._write_results(ranked),
            self.loop.tasks,
            title=report_title(self.folder.config),
            explanations=self.explanations,
        )
        with phase("store"):
            self._write(REPORT, report)

    def _write_results(self, ranked: Sequence[RankedTask]) -> dict[str, Any]:
        results = results_to_json(self.loop, ranked, self.bad, self.rules)
        with phase("store"):
            self._write(RESULTS, _to_json(results))
        return results

    def _explain(self, until_s: float, on_explained: Callable[[int, int], None]) -> None:
        """Write pages about programs while there is time, and the report with links to them."""
        ranked = self.loop.rank()
        winners = find_winners(ranked)
        fitting = [winner for winner in winners.values() if winner.candidate.fits]
        fitting.sort(key=lambda winner: -winner.ranked.confidence)
        text = format_winners(winners.values(), self.options.data)
        self._tell_rules(fitting, until_s)
        self.explanations.clear()
        for place in write_explanations(self.folder.path, text, fitting):
            self.explanations.update(place)
            on_explained(len(self.explanations), len(fitting))
            if perf_counter() > until_s:
                break
        with uninterrupted():
            self._write_report(ranked)

    def _tell_rules(self, winners: Sequence[Winner], until_s: float) -> None:
        """Put into words what programs have learnt, while there is time."""
        self.rules.clear()
        for winner in winners:
            if perf_counter() > until_s:
                break
            task = winner.ranked.task
            rules = say_rules(winner.program, partial(self.loop.board.learnt, task))
            if rules:
                self.rules[task.id] = rules

    def _write_found(self, ranked: Sequence[RankedTask]) -> None:
        submission = make_submission(ranked, self.bad)
        write_submission(self.folder.path / SUBMISSION, submission)
        if self.options.submission is not None:
            write_submission(self.options.submission, submission)
        with phase("store"):
            found = (self.loop.candidates(task) for task in self.loop.tasks)
            self._write(HALL_OF_FAME, _to_json(hall_of_fame_to_json(found)))

    def _write(self, name: str, content: str) -> None:
        write_whole(self.folder.path / name, content)

    # --- what happens meanwhile ---

    def on_message(self, loop: Loop, message: str) -> None:
        self._watcher.on_message(loop, message)

    def on_trace(self, task: Task, proposer: str, message: str) -> None:
        self._watcher.on_trace(task, proposer, message)

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        """Log a part of the work; what charts do not know of goes into its details.

        Cards of a long run may be held back and summed up (`log`); the ledger has them meanwhile.
        """
        known = ("item", "wall_s", "engine_s", "n_pairs", "mutations")
        entry = LogEntry(
            number=0,  # until it is written
            proposer=proposer,
            item=record["item"],
            elapsed_s=loop.elapsed_s,
            wall_s=record.get("wall_s", 0.0),
            engine_s=record.get("engine_s", 0.0),
            n_fitted=loop.n_fitted,
            n_pairs=record.get("n_pairs", 0),
            mutations=record.get("mutations", {}),
            details={key: value for key, value in record.items() if key not in known},
        )
        with uninterrupted():  # or what was let go would be lost
            self._unlogged.extend(self._sums.take(entry))
        if self._trouble is None:  # otherwise it waits for the next save
            self._note(self._write_log)
        self._watcher.on_log(loop, proposer, record)

    def _write_log(self) -> None:
        # None may come between: a ledger counts what is there, and nothing is there twice.
        with uninterrupted():
            while self._unlogged:
                self.folder.append(replace(self._unlogged[0], number=self._n_logged + 1))
                self._unlogged.popleft()
                self._n_logged += 1

    def on_progress(self, loop: Loop) -> None:
        began_s = perf_counter()
        if began_s - self._saved_s > self._save_after_s:
            self._note(self._save)
            self._saved_s = perf_counter()
            self._save_after_s = max(SAVE_EVERY_S, (self._saved_s - began_s) / SAVING_SHARE)
        self._watcher.on_progress(loop)

    def _save(self) -> None:
        # The ledger first, as at the end: a run that is killed in between is resumed from it, and
        # what it lacked would be gone from files that had it.
        self._save_ledger()
        ranked = self.loop.rank()
        self._write_found(ranked)
        self._write_results(ranked)

    def _save_ledger(self) -> None:
        # The loop takes what it has written for saved, so none may cut in once it is committed.
        with uninterrupted():
            self._write_log()
            self.folder.sync_log()
            held = [entry.to_json() for entry in self._sums.held]
            self.loop.save({LOGGED: self._n_logged, HELD: held})

    def _note(self, write: Callable[[], None]) -> None:
        """Write something that only a later run needs; that it cannot be done ends nothing.

        The search goes on, and what was not written is tried again with every save, since the disk
        may have room by then.
        """
        try:
            write()
        except (OSError, PoolError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            if self._trouble is None:
                place = (isinstance(error, OSError) and error.filename) or self.folder.path
                message = f"cannot write to {place} ({why}); going on without"
                self._watcher.on_message(self.loop, message)
            self._trouble = why
        else:
            if self._trouble is not None:
                message = f"log and ledger in {self.folder.path} are written again, without a gap"
                self._watcher.on_message(self.loop, message)
            self._trouble = None

    @property
    def trouble(self) -> str | None:
        """What is wrong with the run that its files do not show."""
        if self._trouble is not None:
            return (
                f"the run's log and ledger could not be written ({self._trouble}): "
                f"--resume goes on from before that"
            )
        if self._is_late:
            return "nothing was searched: the start took all of the budget; give it more"
        return describe_trouble(self.loop)


def describe_trouble(loop: Loop) -> str | None:
    """Say it if a proposer failed, or programs gave alone what they did not give in their batt.

    Both are bugs.
    """
    for name, failure in loop.failed.items():
        return f"{name} failed, and the rest went on without it; this is a bug\n{failure.rstrip()}"
    if loop.workers is not None and loop.workers.trouble is not None:
        return loop.workers.trouble
    for proposer in loop.proposers:
        if isinstance(proposer, Mutants) and proposer.trouble is not None:
            return proposer.trouble
    return None


def _to_json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":")) + "\n"
