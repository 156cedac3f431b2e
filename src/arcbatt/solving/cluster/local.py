"""Workers as processes of this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from arcbatt.processes import PipedProcess

from .transport import Event


class LocalProcesses:
    """A `Transport` to a fixed number of processes."""

    def __init__(
        self, n_workers: int, n_threads: int, device: str, log_folder: Path | None = None
    ) -> None:
        """Standard error of a worker goes to a file in `log_folder`, if one is given."""
        self.name = f"local:{n_workers}"
        self.events: SimpleQueue[Event] = SimpleQueue()
        self._n_workers = n_workers
        self._n_threads = n_threads
        self._device = device
        self._log_folder = log_folder
        self._processes: dict[str, PipedProcess] = {}

    def n_possible(self) -> int:
        return self._n_workers

    def add(self) -> str:
        number = len(self._processes)
        name = f"local-{number + 1}"
        stderr: int | IO[bytes] = subprocess.DEVNULL
        if self._log_folder is not None:
            self._log_folder.mkdir(exist_ok=True)
            stderr = (self._log_folder / f"{name}.stderr").open("ab")
        process = PipedProcess(
            "arcbatt.solving.cluster.process",
            str(number),
            str(self._n_threads),
            self._device,
            on_message=lambda message: self.events.put(Event(name, message)),
            on_end=lambda how: self.events.put(Event(name, None, how)),
            stderr=stderr,
        )
        if not isinstance(stderr, int):
            stderr.close()
        self._processes[name] = process
        return name

    def send(self, worker: str, message: bytes, *, is_shared: bool = False) -> None:
        self._processes[worker].send(message)

    def end(self, worker: str) -> None:
        self._processes[worker].kill()

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()
