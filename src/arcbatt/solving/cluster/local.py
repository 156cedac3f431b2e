"""Workers that are processes of this machine, with pipes to them."""

from __future__ import annotations

import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO

from .transport import Event

# Before each message: how many bytes it has.
LENGTH = struct.Struct(">Q")
END_S = 2.0


def write_message(stream: IO[bytes], message: bytes) -> None:
    """Write one message to a pipe."""
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Return the next message of a pipe; None at its end, also if that is in the middle of one."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (n_bytes,) = LENGTH.unpack(head)
    message = stream.read(n_bytes)
    return message if len(message) == n_bytes else None


class LocalProcesses:
    """So many processes (`arcbatt.solving.cluster.transport.Transport`)."""

    def __init__(
        self, n_workers: int, n_threads: int, device: str, log_folder: Path | None = None
    ) -> None:
        """What workers write to their standard error goes to a file in `log_folder`, if any."""
        self.name = f"local:{n_workers}"
        self.events: SimpleQueue[Event] = SimpleQueue()
        self._n_workers = n_workers
        self._n_threads = n_threads
        self._device = device
        self._log_folder = log_folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def n_possible(self) -> int:
        return self._n_workers

    def add(self) -> str:
        number = len(self._processes)
        name = f"local-{number + 1}"
        stderr: int | IO[bytes] = subprocess.DEVNULL
        if self._log_folder is not None:
            self._log_folder.mkdir(exist_ok=True)
            stderr = (self._log_folder / f"{name}.stderr").open("ab")
        arguments = (str(number), str(self._n_threads), self._device)
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arcbatt.solving.cluster.process", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            # Ctrl-C at the terminal is for the driver alone, which ends the workers.
            start_new_session=True,
        )
        if not isinstance(stderr, int):
            stderr.close()
        self._processes[name] = process
        Thread(target=self._listen, args=(name, process), daemon=True).start()
        return name

    def _listen(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Pass on what a worker writes until it ends, in a thread of its own."""
        assert process.stdout is not None
        while (message := read_message(process.stdout)) is not None:
            self.events.put(Event(name, message))
        status = process.wait()
        how = f"signal {-status}" if status < 0 else f"status {status}"
        self.events.put(Event(name, None, f"its process {process.pid} ended with {how}"))

    def send(self, worker: str, message: bytes, *, is_shared: bool = False) -> None:
        stdin = self._processes[worker].stdin
        assert stdin is not None
        # One that has ended is found out by whoever listens to it.
        with suppress(OSError):
            write_message(stdin, message)

    def end(self, worker: str) -> None:
        self._processes[worker].kill()

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait(END_S)
