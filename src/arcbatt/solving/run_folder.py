"""The folder of a run: what it was asked for, what happened, all that is known, how it went.

| file | what it has |
| --- | --- |
| `config.json` | command, options, seed, versions: enough to run it again on any machine |
| `log.jsonl` | one JSON object a part of the work, in order; in long runs (`log`), of many cards |
| `pool.db` | the run's ledger: programs, trials, finished work, where proposers stand |
| `progress.svg`, `progress.png` | charts, drawn when the run ends, however it ends |

A process that is killed leaves at most a torn last line in the log, which nobody reads. A run that
is resumed starts from its ledger, so what the log has beyond that is cut off and logged anew.
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
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from arcbatt import __version__
from arcbatt.drawing.charts import png_charts, svg_charts
from arcbatt.engine.version import engine_version
from arcbatt.files import write_whole
from arcbatt.language import language_version
from arcbatt.measure import phase
from arcbatt.tasks.kaggle import RUNS

from .log import LogEntry, progress_charts

CONFIG = "config.json"
LOG = "log.jsonl"
POOL = "pool.db"
LOCK = "lock"
# Whoever looks whether a run goes on (`runs.is_running`) has its lock for a moment.
LOCK_WAIT_S = 0.3
# Of the files here; another number is another way to write them.
FORMAT = 2


class RunFolderError(Exception):
    """A folder cannot be used as that of a run; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What a run was asked for.

    Nothing in it may depend on the machine but paths, and how large cards are if nobody has said.
    """

    command: str
    seed: int
    options: Mapping[str, Any]


def run_versions() -> dict[str, str]:
    """Return the versions that what a run finds depends on."""
    return {
        "arcbatt": __version__,
        "language": language_version(),
        "engine": engine_version(),
    }


class RunFolder:
    """The folder of a run that this process works on; no other can at the same time.

    Make it by `create` or `open`, and use it as a context: its end draws the charts.
    """

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self._lock = FileLock(path / LOCK, timeout=LOCK_WAIT_S)
        try:
            self._lock.acquire()
        except Timeout:
            raise RunFolderError(f"{path} is in use by another process that runs in it") from None
        self._log: FileIO | None = None

    @classmethod
    def create(cls, base: Path, config: RunConfig) -> RunFolder:
        """Make a new folder inside `base`, named after the command and the time."""
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
        """Open the folder of a run to resume it, from its ledger or, without one, anew."""
        config, language = read_config(path)
        if language != language_version():
            raise RunFolderError(
                f"{path} was begun with another version of the language ({language}), and its "
                f"results do not hold for this one; begin a new run"
            )
        return cls(path, config)

    def begin_log(self, n_entries: int) -> None:
        """Open the log to add to it, cut back to what the ledger covers."""
        self._log = _open_log(self.path / LOG, n_entries)

    @phase("store")
    def append(self, entry: LogEntry) -> None:
        """Add to the log. It survives the end of this process, however sudden.

        An `OSError` leaves the log as it was before, so that the entry can be added later.
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
        """Have the log reach the disk, before a ledger that covers it does."""
        if self._log is not None:
            os.fsync(self._log.fileno())

    @phase("display")
    def draw_progress(self) -> None:
        """Draw the charts of what is in the log by now."""
        charts = progress_charts(read_log(self.path / LOG))
        title = f"arcbatt {self.config.command}, seed {self.config.seed}"
        write_whole(self.path / "progress.svg", svg_charts(title, charts))
        write_whole(self.path / "progress.png", png_charts(title, charts))

    def _try_to_draw(self) -> None:
        """Draw the charts; that they cannot be drawn or written ends nothing, and is said."""
        try:
            self.draw_progress()
        except Exception as error:  # whatever a library of another version may raise
            why = f"{type(error).__name__}: {error}"
            warnings.warn(f"{self.path}: no charts ({why})", RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        """Let other processes have the folder."""
        if self._log is not None:
            self._log.close()
        self._lock.release()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if (self.path / LOG).exists():
                self._try_to_draw()
        finally:
            self.close()


def read_config(path: Path) -> tuple[RunConfig, str]:
    """Return what the run in a folder was asked for, and the language that it was begun with."""
    try:
        content = json.loads((path / CONFIG).read_bytes())
        if not isinstance(content, dict):
            raise ValueError("expected an object")
        if content.get("format") != FORMAT:
            raise RunFolderError(
                f"{path / CONFIG} is of format {content.get('format')}, not {FORMAT}: "
                f"use the version of arcbatt that wrote it"
            )
        config = RunConfig(content["command"], content["seed"], dict(content["options"]))
        return config, str(content["versions"]["language"])
    except OSError as error:
        why = error.strerror
    except (ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
    raise not_a_run(path, why)


def not_a_run(path: Path, why: str | None) -> RunFolderError:
    """Return the error that a folder is not that of a run, with where runs are that may be meant.

    `kaggle` has them in a folder of its output; and who has only one may name the folder above it.
    """
    message = f"{path} is not the folder of a run: {CONFIG}: {why}"
    for place in (path, path / RUNS):
        if any(place.glob(f"*/{CONFIG}")):
            return RunFolderError(f"{message}; the runs are in {place}, name one of them")
    return RunFolderError(message)


def read_log(path: Path) -> Iterator[LogEntry]:
    """Yield the entries of a log, which may belong to a run that is going on.

    A torn last line does not count. A line that is no entry is a `RunFolderError`.
    """
    for number, line in enumerate(_whole_lines(path), 1):
        try:
            yield LogEntry.from_json(json.loads(line))
        except ValueError as error:
            raise RunFolderError(f"{path}:{number}: not an entry of a log: {error}") from error


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file that have an end, one at a time: a log may be long."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _open_log(path: Path, n_entries: int) -> FileIO:
    sizes = map(len, _whole_lines(path)) if path.exists() else iter(())
    kept = list(islice(sizes, n_entries))
    if len(kept) < n_entries:
        raise RunFolderError(
            f"{path} has {len(kept)} entries, {POOL} speaks of {n_entries}: "
            f"it was shortened or is damaged; begin a new run"
        )
    # Without a buffer: one would keep what had no room on the disk, and write it again at the end.
    file = path.open("ab", buffering=0)
    file.truncate(sum(kept))
    return file
