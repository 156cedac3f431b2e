"""Child processes that run a module of the package and exchange messages over pipes.

Messages are bytes; their meaning is up to the caller.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO

if sys.platform == "linux":  # only Linux can resize pipes
    from fcntl import F_SETPIPE_SZ, fcntl

# The length in bytes that precedes each message.
LENGTH = struct.Struct(">Q")
# The pipe size to request. An order of evolve takes 100 KB; with a smaller pipe, its sender would
# block until a busy receiver has read part of it.
PIPE_BYTES = 2**20
# Seconds to wait for a killed process; enough on a busy machine, too.
END_S = 60.0


def write_message(stream: IO[bytes], message: bytes) -> None:
    """Write one message to a pipe."""
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Return the next message of a pipe, or None if it ends, even within a message."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (n_bytes,) = LENGTH.unpack(head)
    message = stream.read(n_bytes)
    return message if len(message) == n_bytes else None


def take_pipes() -> tuple[SimpleQueue[bytes], IO[bytes]]:
    """Return the queue of incoming messages and the stream for answers, in a child process.

    The process exits when its input ends, so that no child survives a killed parent.
    """
    # Redirect other output to stderr, so that it does not mix with messages.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    messages: SimpleQueue[bytes] = SimpleQueue()

    def listen() -> None:
        while (message := read_message(sys.stdin.buffer)) is not None:
            messages.put(message)
        os._exit(0)

    Thread(target=listen, daemon=True).start()
    return messages, answers


@contextmanager
def exit_on_error() -> Iterator[None]:
    """On any exception, print it and exit the process."""
    try:
        yield
    except BaseException:
        traceback.print_exc()
        # A normal exit would wait for the listening thread.
        os._exit(1)


def _widen(stream: IO[bytes] | None) -> None:
    """Enlarge a pipe to hold a message, if the system allows it."""
    if sys.platform == "linux" and stream is not None:
        with suppress(OSError):
            fcntl(stream, F_SETPIPE_SZ, PIPE_BYTES)


class PipedProcess:
    """A child process that runs a module; its messages are passed to a callback."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        on_message: Callable[[bytes], None],
        on_end: Callable[[str], None],
        stderr: int | IO[bytes] | None = None,
    ) -> None:
        """Start the process; callbacks run in another thread, `on_end` with how it ended."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            # Ctrl-C at the terminal goes to the parent only, which ends the child.
            start_new_session=True,
        )
        for stream in (self._process.stdin, self._process.stdout):
            _widen(stream)
        Thread(target=self._listen, args=(on_message, on_end), daemon=True).start()

    def _listen(self, on_message: Callable[[bytes], None], on_end: Callable[[str], None]) -> None:
        assert self._process.stdout is not None
        while (message := read_message(self._process.stdout)) is not None:
            on_message(message)
        status = self._process.wait()
        how = f"signal {-status}" if status < 0 else f"status {status}"
        on_end(f"its process {self._process.pid} ended with {how}")

    def send(self, message: bytes) -> None:
        """Send a message; if the process has ended, `on_end` reports it."""
        assert self._process.stdin is not None
        with suppress(OSError):
            write_message(self._process.stdin, message)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    def wait(self) -> None:
        """Wait until the process has ended."""
        self._process.wait(END_S)
