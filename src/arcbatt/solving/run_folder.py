"""The folder of a run: what it was asked for, what happened, where to go on, how it went.

| file | what it has |
| --- | --- |
| `config.json` | command, options, seed, versions: enough to run it again on any machine |
| `log.jsonl` | one JSON object a generation, in order, each written as soon as it is known |
| `state.json` | all that is needed to go on; always whole, an older one until the next is written |
| `progress.svg`, `progress.png` | charts, drawn when the run ends, however it ends |

A process that is killed leaves at most a torn last line in the log, which nobody reads. A run that
goes on starts from its state, so what the log has beyond that is cut off and logged anew.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from arcbatt import __version__
from arcbatt.drawing.charts import png_charts, svg_charts
from arcbatt.language import language_version
from arcbatt.measure import phase

from .progress import Generation, progress_charts

CONFIG = "config.json"
LOG = "log.jsonl"
STATE = "state.json"
LOCK = "lock"
# Of the files here; another number is another way to write them.
FORMAT = 1


class RunFolderError(Exception):
    """A folder cannot be used as that of a run; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What a run was asked for: nothing in it may depend on the machine."""

    command: str
    seed: int
    options: Mapping[str, Any]


class RunFolder:
    """The folder of a run that this process works on; no other can at the same time.

    Make it by `create` or `open`, and use it as a context: its end draws the charts.
    """

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self.state: Any = None
        """What `write_state` was last given; None before."""
        self._n_generations = 0
        self._lock = _lock(path)
        try:
            if (path / STATE).exists():
                whole = _read_json(path / STATE, f"{path} has no state to go on from")
                self.state, self._n_generations = whole["state"], whole["n_generations"]
            self._log = _open_log(path / LOG, self._n_generations)
        except BaseException:
            self._lock.close()
            raise

    @classmethod
    def create(cls, base: Path, config: RunConfig) -> RunFolder:
        """Make a new folder inside `base`, named after the command and the time."""
        content = {
            "format": FORMAT,
            **asdict(config),
            "versions": {"arcbatt": __version__, "language": language_version()},
        }
        text = _to_json(content, indent=2)
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
        """Open the folder of a run to go on with it, from its state or, without one, anew."""
        content = _read_json(path / CONFIG, f"{path} is not the folder of a run")
        if content.get("format") != FORMAT:
            raise RunFolderError(
                f"{path / CONFIG} is of format {content.get('format')}, not {FORMAT}: "
                f"go on with the version of arcbatt that wrote it"
            )
        language = content["versions"]["language"]
        if language != language_version():
            raise RunFolderError(
                f"{path} was begun with another version of the language ({language}), and its "
                f"results do not hold for this one; begin a new run"
            )
        return cls(path, RunConfig(content["command"], content["seed"], content["options"]))

    @phase("store")
    def append(self, generation: Generation) -> None:
        """Add a generation to the log. It survives the end of this process, however sudden."""
        self._log.write(_to_json(generation.to_json()).encode())
        self._log.flush()
        self._n_generations += 1

    @phase("store")
    def write_state(self, state: Any) -> None:
        """Replace the state by another, of plain data, that covers all that was logged."""
        os.fsync(self._log.fileno())
        content = {"n_generations": self._n_generations, "state": state}
        write_whole(self.path / STATE, _to_json(content))
        self.state = state

    @phase("display")
    def draw_progress(self) -> None:
        """Draw the charts of what is in the log by now."""
        charts = progress_charts(read_log(self.path / LOG))
        title = f"arcbatt {self.config.command}, seed {self.config.seed}"
        write_whole(self.path / "progress.svg", svg_charts(title, charts))
        write_whole(self.path / "progress.png", png_charts(title, charts))

    def close(self) -> None:
        """Let other processes have the folder."""
        self._log.close()
        self._lock.close()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.draw_progress()
        finally:
            self.close()


@phase("load")
def read_log(path: Path) -> list[Generation]:
    """Return the generations of a log, which may belong to a run that is going on.

    A torn last line does not count. A line that is no generation is a `RunFolderError`.
    """
    generations = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            generations.append(Generation.from_json(json.loads(line)))
        except ValueError as error:
            raise RunFolderError(f"{path}:{number}: no generation of a run: {error}") from error
    return generations


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that is there whole or, after a sudden end, as it was before."""
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _open_log(path: Path, n_generations: int) -> IO[bytes]:
    """Open a log to add to it, cut back to what the state covers: no torn line, nothing after."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    if len(lines) < n_generations:
        raise RunFolderError(
            f"{path} has {len(lines)} generations, {STATE} speaks of {n_generations}: "
            f"it was shortened or is damaged; begin a new run"
        )
    file = path.open("ab")
    file.truncate(sum(len(line) + 1 for line in lines[:n_generations]))
    return file


def _to_json(content: Any, indent: int | None = None) -> str:
    return json.dumps(content, indent=indent, allow_nan=False) + "\n"


def _read_json(path: Path, otherwise: str) -> dict[str, Any]:
    """Read one of the files that this module writes whole."""
    try:
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict):
            raise ValueError("expected an object")
        return content
    except OSError as error:
        raise RunFolderError(f"{otherwise}: {path.name}: {error.strerror}") from error
    except ValueError as error:
        raise RunFolderError(f"{otherwise}: {path.name}: {error}") from error


def _lock(path: Path) -> IO[bytes]:
    """Return an open file that keeps the folder from other processes until it is closed."""
    file = (path / LOCK).open("ab")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise RunFolderError(f"{path} is in use by another process that runs in it") from error
    return file
