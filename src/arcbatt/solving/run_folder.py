"""The folder of a run: its options, log, ledger and charts.

| file | content |
| --- | --- |
| `config.json` | command, options, seed, versions: enough to repeat the run on any machine |
| `log.jsonl` | a JSON object per part of the work, in order; in long runs (`log`) per many cards |
| `pool.db` | the run's ledger: programs, trials, finished work, states of proposers |
| `progress.svg`, `progress.png` | charts, drawn at the end of the run |

A killed process leaves at most an incomplete last line in the log, which is ignored. A resumed run
starts from its ledger; log entries beyond it are cut off.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from io import FileIO
from itertools import count, islice
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from arcbatt import __version__
from arcbatt.drawing.charts import png_charts, svg_charts
from arcbatt.engine.version import engine_version
from arcbatt.files import write_whole
from arcbatt.language import language_version
from arcbatt.measure import phase
from arcbatt.tasks.json_file import read_json, refuse_constant
from arcbatt.tasks.kaggle import RUNS

from .log import LogEntry, progress_charts
from .report.results_shape import CONFIG as CONFIG_SHAPE
from .report.results_shape import find_fault

CONFIG = "config.json"
LOG = "log.jsonl"
POOL = "pool.db"
SUBMISSION = "submission.json"
REPORT = "report.html"
RESULTS = "results.json"
HALL_OF_FAME = "hall_of_fame.json"
LOCK = "lock"
# `runs.is_running` holds the lock for a moment.
LOCK_WAIT_S = 0.3
# Increase with any change of the files' form.
FORMAT = 2


class RunFolderError(Exception):
    """A folder cannot be used as a run folder; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The command of a run and its options.

    Only paths, and the default size of cards, may depend on the machine.
    """

    command: str
    seed: int
    options: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The heading of the run's report."""
        return f"arcbatt {self.command} {self.options['data']}"


def run_versions() -> dict[str, str]:
    """Return the versions that the results of a run depend on."""
    return {
        "arcbatt": __version__,
        "language": language_version(),
        "engine": engine_version(),
    }


class RunFolder:
    """The folder of a run, locked by this process.

    Use `create` or `open`, and the folder as a context: leaving it draws the charts.
    """

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self._lock = FileLock(path / LOCK, timeout=LOCK_WAIT_S)
        try:
            self._lock.acquire()
        except Timeout:
            raise RunFolderError(f"{path} is in use by another process") from None
        self._log: FileIO | None = None

    @classmethod
    def create(cls, base: Path, config: RunConfig) -> RunFolder:
        """Create a folder inside `base`, named after the command and the time."""
        content = {
            "format": FORMAT,
            **asdict(config),
            "versions": run_versions(),
        }
        text = json.dumps(content, indent=2, allow_nan=False) + "\n"
        name = f"{config.command}-{datetime.now():%Y%m%d-%H%M%S}"
        for number in count(1):
            path = base / (name if number == 1 else f"{name}-{number}")
            try:
                path.mkdir(parents=True)
            except FileExistsError:
                continue
            break
        write_whole(path / CONFIG, text)
        return cls(path, config)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open the folder of a run to resume it."""
        refuse_links(path)
        config, language = read_config(path)
        if language != language_version():
            raise RunFolderError(
                f"{path} was started with another version of the language ({language}), and its "
                f"results are not valid for this one; start a new run"
            )
        return cls(path, config)

    def begin_log(self, n_entries: int) -> None:
        """Open the log for appending, cut back to the entries that the ledger covers."""
        self._log = _open_log(self.path / LOG, n_entries)

    @phase("store")
    def append(self, entry: LogEntry) -> None:
        """Append an entry, which survives a sudden end of this process.

        An `OSError` leaves the log unchanged, so that the entry can be appended later.
        """
        assert self._log is not None  # begin_log was called
        left = memoryview((json.dumps(entry.to_json(), allow_nan=False) + "\n").encode())
        size = os.fstat(self._log.fileno()).st_size
        try:
            while left:
                left = left[self._log.write(left) :]
        except OSError:
            self._log.truncate(size)
            raise

    @phase("store")
    def sync_log(self) -> None:
        """Write the log to disk, before the ledger that covers it."""
        if self._log is not None:
            os.fsync(self._log.fileno())

    @phase("display")
    def draw_progress(self) -> None:
        """Draw the charts of the log."""
        charts = progress_charts(read_log(self.path / LOG))
        title = f"arcbatt {self.config.command}, seed {self.config.seed}"
        write_whole(self.path / "progress.svg", svg_charts(title, charts))
        write_whole(self.path / "progress.png", png_charts(title, charts))

    def _try_to_draw(self) -> None:
        """Draw the charts; warn if that fails."""
        try:
            self.draw_progress()
        except Exception as error:  # of any library
            why = f"{type(error).__name__}: {error}"
            warnings.warn(f"{self.path}: no charts ({why})", RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        """Unlock the folder."""
        if self._log is not None:
            self._log.close()
        self._lock.release()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if (self.path / LOG).exists():
                self._try_to_draw()
        finally:
            self.close()


def read_config(path: Path) -> tuple[RunConfig, str]:
    """Return the config of a run, and the version of the language it was started with."""
    content = read_config_json(path)
    if content.get("format") != FORMAT:
        raise RunFolderError(
            f"{path / CONFIG} is of format {content.get('format')!r:.40}, not {FORMAT}: "
            f"use the version of arcbatt that wrote it"
        )
    if fault := find_fault(content, CONFIG_SHAPE):
        raise not_a_run(path, fault)
    config = RunConfig(content["command"], content["seed"], content["options"])
    return config, content["versions"]["language"]


def read_config_json(path: Path) -> dict[str, Any]:
    """Return the object in the config of a run; it may be of another version."""
    try:
        content = read_json(path / CONFIG, _Unreadable, only_finite=True)
    except _Unreadable as error:
        raise not_a_run(path, str(error).removeprefix(f"{path / CONFIG}: ")) from None
    if not isinstance(content, dict):
        raise not_a_run(path, "expected an object")
    return content


def refuse_links(path: Path) -> None:
    """Raise `RunFolderError` if a file in the folder of a run is a link.

    A folder may come from elsewhere, and must not choose which other files are overwritten.
    """
    for each in path.rglob("*"):
        if each.is_symlink():
            raise RunFolderError(
                f"{each} is a link, and a run writes only into its own folder: replace it by what "
                f"it leads to"
            )


class _Unreadable(Exception):
    """A file of a run cannot be read as JSON."""


def not_a_run(path: Path, why: str) -> RunFolderError:
    """Return the error for a folder that is not a run folder, with a hint where runs are.

    A user may name the parent folder, or the output folder of `kaggle`.
    """
    message = f"{path} is not the folder of a run: {CONFIG}: {why}"
    for place in (path, path / RUNS):
        if any(place.glob(f"*/{CONFIG}")):
            return RunFolderError(f"{message}; the runs are in {place}, name one of them")
    return RunFolderError(message)


def read_log(path: Path) -> Iterator[LogEntry]:
    """Yield the entries of a log, also while the run is in progress.

    An incomplete last line is ignored. Any other malformed line raises `RunFolderError`.
    """
    for number, line in enumerate(_whole_lines(path), 1):
        try:
            yield LogEntry.from_json(json.loads(line, parse_constant=refuse_constant))
        except (ValueError, RecursionError) as error:
            raise RunFolderError(f"{path}:{number}: not an entry of a log: {error}") from error


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the complete lines of a file; a log may be long."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _open_log(path: Path, n_entries: int) -> FileIO:
    sizes = map(len, _whole_lines(path)) if path.exists() else iter(())
    kept = list(islice(sizes, n_entries))
    if len(kept) < n_entries:
        raise RunFolderError(
            f"{path} has {len(kept)} entries, but {POOL} expects {n_entries}: "
            f"it was shortened or is damaged; start a new run"
        )
    # Unbuffered: a buffer would keep what did not fit on the disk, and write it again at the end.
    file = path.open("ab", buffering=0)
    file.truncate(sum(kept))
    return file
