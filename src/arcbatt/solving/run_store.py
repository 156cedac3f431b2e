"""The store of a run: results, log and ledger in the run's folder.

| file | content |
| --- | --- |
| `submission.json` | two attempts per test input of every task, in Kaggle's format |
| `report.html` | every task drawn, with attempts, programs and evidence |
| `programs.py` | the programs behind first attempts |
| `results.json` | all of it as data |
| `hall_of_fame.json` | the best programs of each task by size and fit |
| `explanations/` | a page for each program that fits all demos |

Other files are those of every run folder (`run_folder`). All files exist, whole, from before the
first round until after the last. Submission, results, hall of fame and ledger are updated during
the search, the others at its end. The ledger is written before the files, so that they never hold
what a resumed run would lack, unless the ledger cannot be written. A file that cannot be written
does not keep the others from being current.
"""

from __future__ import annotations

import json
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from arcbatt.explainer import describe_rules
from arcbatt.files import write_whole
from arcbatt.interrupts import Interrupt
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.pool import Pool, PoolError
from arcbatt.tasks import BadTask
from arcbatt.tasks.submission import write_submission

from .log import EntrySums, LogEntry
from .loop import Loop
from .options import SearchOptions
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
from .run_folder import (
    HALL_OF_FAME,
    POOL,
    REPORT,
    RESULTS,
    SUBMISSION,
    RunConfig,
    RunFolder,
    RunFolderError,
)
from .store import Store

LEDGER = "log and ledger"
# Keys of the ledger's states.
LOGGED = "n_logged"
HELD = "held_log_entries"
# Seconds between two saves of the results, and the share of the time that saving may take.
SAVE_EVERY_S = 5.0
SAVING_SHARE = 0.02
# Disk space of a run: most of a task's is its page of explanations.
BYTES_PER_TASK = 300_000
BYTES_PER_RUN = 20_000_000
# Writing at the end takes this many times as long as at the start, when files are short, plus the
# charts (`bench/log.py`), and at most this share of the budget.
FINAL_WRITE_RATIO = 2.5
CHARTS_S = 1.0
MAX_FINAL_WRITE_SHARE = 0.15


def missing_space(folder: Path, n_tasks: int) -> str | None:
    """Return a message if a run over that many tasks may not fit on a folder's disk."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    needed = BYTES_PER_RUN + BYTES_PER_TASK * n_tasks
    free = shutil.disk_usage(existing).free
    if free >= needed:
        return None
    return (
        f"{folder}: {free / 1e6:,.0f} MB are free, and a run over {count(n_tasks, 'task')} may "
        f"write {needed / 1e6:,.0f} MB"
    )


def make_config(command: str, options: SearchOptions) -> RunConfig:
    """Return the config of a run that a command starts."""
    return RunConfig(command, options.evolve.seed, options.to_json())


def read_options(config: RunConfig) -> SearchOptions:
    """Return the options of a run."""
    try:
        return SearchOptions.from_json(config.options)
    except ValueError as error:  # written by another version
        raise RunFolderError(
            f"the options of this run cannot be read ({error}); start a new run"
        ) from None


class RunStore(Store):
    """Writes the results of a search into the folder of a run, which this process has locked."""

    def __init__(
        self,
        folder: RunFolder,
        *,
        submission: str | Path | None = None,
        bad: Sequence[BadTask] = (),
        on_explained: Callable[[int, int], None] = lambda _n, _of: None,
    ) -> None:
        """`bad` tasks are not solved, but are in the submission.

        It is written to the file `submission` too, whatever file the folder's config names: a
        folder from elsewhere must not choose which file is overwritten.

        `on_explained` is called with the number of explanations written, and of all.
        """
        self.folder = folder
        self.path: Path = folder.path
        self.bad = tuple(bad)
        self.on_explained = on_explained
        self.explanations: dict[str, str] = {}
        self.rules: dict[str, list[str]] = {}
        """The rules learned by the program behind each task's first attempt."""
        self._submission = None if submission is None else Path(submission)
        # Why files, or log and ledger, could not be written at the last attempt.
        self._unwritten: dict[str, str] = {}
        self._n_logged = 0
        self._unlogged: deque[LogEntry] = deque()
        self._sums = EntrySums()
        self._saved_s = perf_counter()
        self._save_after_s = SAVE_EVERY_S
        try:
            self.options = read_options(folder.config)
            if (self.path / RESULTS).exists() and not (self.path / POOL).exists():
                # Starting again would replace what was found by stand-ins.
                raise RunFolderError(f"{self.path / POOL} is missing: start a new run")
            super().__init__(Pool.open(self.path / POOL))
        except BaseException:
            folder.close()
            raise

    @classmethod
    def create(
        cls,
        base: Path,
        command: str,
        options: SearchOptions,
        **given: Any,
    ) -> RunStore:
        """Return the store of a new run, in a new folder inside `base`."""
        folder = RunFolder.create(base, make_config(command, options))
        return cls(folder, submission=options.submission, **given)

    def refuse(self, error: ValueError) -> Exception:
        return RunFolderError(f"{self.path} cannot be resumed; start a new run: {error}")

    def resume(self, loop: Loop) -> None:
        if loop.is_resumed:
            self._n_logged = self.pool.state(LOGGED)
            held = self.pool.state(HELD) or ()
            self._sums = EntrySums(self._n_logged, map(LogEntry.from_json, held))
        self.folder.begin_log(self._n_logged)

    def final_write_s(self, budget_s: float, first_write_s: float) -> float:
        writing_s = FINAL_WRITE_RATIO * first_write_s + CHARTS_S
        return min(writing_s, MAX_FINAL_WRITE_SHARE * budget_s)

    # --- results ---

    def write(self, loop: Loop) -> None:
        """Write all files but the explanations, as many as can be; raise the first error."""
        errors: list[OSError] = []
        written: list[str] = []
        for name, write in self._files(loop, is_end=True):
            try:
                write()
                written.append(name)
            except OSError as error:
                errors.append(error)
        if errors:
            if str(self._submission) in written:
                loop.watcher.on_message(loop, f"{self._submission} has the newest attempts")
            raise errors[0]

    def _files(self, loop: Loop, *, is_end: bool) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield each file to write, with how to write it, the submission first."""
        ranked = loop.rank()
        submission = make_submission(ranked, self.bad)
        for path in (self._submission, self.path / SUBMISSION):
            if path is not None:
                yield str(path), partial(write_submission, path, submission)
        candidates = (loop.candidates(task) for task in loop.tasks)
        yield self._file(HALL_OF_FAME, _to_json(hall_of_fame_to_json(candidates)))
        results = results_to_json(loop, ranked, self.bad, self.rules)
        yield self._file(RESULTS, _to_json(results))
        if is_end:
            winners = find_winners(ranked)
            yield self._file(PROGRAMS, format_winners(winners.values(), self.options.data))
            yield self._file(REPORT, self._make_report(loop, results))

    def _file(self, name: str, content: str) -> tuple[str, Callable[[], None]]:
        return str(self.path / name), partial(self._write_file, name, content)

    @phase("store")
    def _write_file(self, name: str, content: str) -> None:
        write_whole(self.path / name, content)

    def _make_report(self, loop: Loop, results: dict[str, Any]) -> str:
        return make_report(
            results,
            loop.tasks,
            title=self.folder.config.title,
            explanations=self.explanations,
        )

    def explain(self, loop: Loop, until_s: float, interrupt: Interrupt) -> None:
        """Write a page per winning program while there is time, then the report with links."""

        def is_over() -> bool:
            return interrupt.is_set or perf_counter() > until_s

        ranked = loop.rank()
        winners = find_winners(ranked)
        fitting = [winner for winner in winners.values() if winner.candidate.fits]
        fitting.sort(key=lambda winner: -winner.ranked.confidence)
        text = format_winners(winners.values(), self.options.data)
        self._describe_rules(loop, fitting, is_over)
        self.explanations.clear()
        for place in write_explanations(self.path, text, fitting):
            self.explanations.update(place)
            self.on_explained(len(self.explanations), len(fitting))
            if is_over():
                break
        results = results_to_json(loop, ranked, self.bad, self.rules)
        report = self._make_report(loop, results)
        for _, write in (self._file(RESULTS, _to_json(results)), self._file(REPORT, report)):
            write()

    def _describe_rules(
        self, loop: Loop, winners: Sequence[Winner], is_over: Callable[[], bool]
    ) -> None:
        """Put into words what programs have learned, while there is time."""
        self.rules.clear()
        for winner in winners:
            if is_over():
                break
            task = winner.ranked.task
            rules = describe_rules(winner.program, partial(loop.board.values_on_first_demo, task))
            if rules:
                self.rules[task.id] = rules

    # --- log and ledger ---

    def log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        """Log a part of the work; keys that charts do not read go into its details.

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
        self._unlogged.extend(self._sums.take(entry))
        if LEDGER not in self._unwritten:  # otherwise it waits for the next save
            self._try(loop, LEDGER, self._write_log)

    def _write_log(self) -> None:
        while self._unlogged:
            self.folder.append(replace(self._unlogged[0], number=self._n_logged + 1))
            self._unlogged.popleft()
            self._n_logged += 1

    def checkpoint(self, loop: Loop) -> None:
        began_s = perf_counter()
        if began_s - self._saved_s > self._save_after_s:
            self.save(loop)
            for place, write in self._files(loop, is_end=False):
                self._try(loop, place, write)
            self._saved_s = perf_counter()
            self._save_after_s = max(SAVE_EVERY_S, (self._saved_s - began_s) / SAVING_SHARE)

    def save(self, loop: Loop) -> None:
        self._try(loop, LEDGER, partial(self._save_ledger, loop))

    def _save_ledger(self, loop: Loop) -> None:
        self._write_log()
        self.folder.sync_log()
        held = [entry.to_json() for entry in self._sums.held]
        loop.save({LOGGED: self._n_logged, HELD: held})

    def finish(self, loop: Loop) -> None:
        if loop.is_loaded:  # otherwise there is nothing to resume yet
            self._unlogged.extend(self._sums.release())
            self.save(loop)
        self.write(loop)

    def _try(self, loop: Loop, what: str, write: Callable[[], None]) -> None:
        """Write a file, or log and ledger; a failure does not end the search.

        It is tried again with every save: the disk may have space by then.
        """
        try:
            write()
        except (OSError, PoolError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            if what not in self._unwritten:
                place = (isinstance(error, OSError) and error.filename) or self.path
                message = f"cannot write to {place} ({why}); continuing without"
                loop.watcher.on_message(loop, message)
            self._unwritten[what] = why
        else:
            if self._unwritten.pop(what, None) is not None:
                message = f"{what} is written again"
                if what == LEDGER:
                    message = f"log and ledger in {self.path} are written again, without a gap"
                loop.watcher.on_message(loop, message)

    @property
    def trouble(self) -> str | None:  # type: ignore[override]
        if LEDGER not in self._unwritten:
            return None
        return (
            f"the run's log and ledger could not be written ({self._unwritten[LEDGER]}): "
            f"--resume continues from before that"
        )

    def close(self) -> None:
        """Close the ledger, draw the charts and let other processes have the folder."""
        with self.folder:
            self.pool.close()


def _to_json(content: Any) -> str:
    return json.dumps(content, allow_nan=False, separators=(",", ":")) + "\n"
