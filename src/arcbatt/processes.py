"""Processes of this machine that run a module of the package, with pipes to them.

A leaf: what messages mean is up to those who write them.
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

if sys.platform == "linux":  # which alone has pipes of other sizes
    from fcntl import F_SETPIPE_SZ, fcntl

# Before each message: how many bytes it has.
LENGTH = struct.Struct(">Q")
# Pipes hold so many bytes, where the system lets them: whoever sends one of evolve's orders, of
# 100 KB, would otherwise wait until the other side, which may be busy, has read a part of it.
PIPE_BYTES = 2**20
# A process that was killed is gone within so long, also where the machine is busy.
END_S = 60.0


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


def take_pipes() -> tuple[SimpleQueue[bytes], IO[bytes]]:
    """Return, in a process that was started with pipes, the messages that come and where to answer.

    It ends at once when its input does, so that none is left when whoever started it was killed.
    """
    # Whatever else is printed must not get between messages.
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
def ending_at_once() -> Iterator[None]:
    """End this process if anything goes wrong within, and say what."""
    try:
        yield
    except BaseException:
        traceback.print_exc()
        # Whatever it was: the thread that listens could not be ended otherwise.
        os._exit(1)


def _widen(stream: IO[bytes] | None) -> None:
    """Let a pipe hold a message, if the system allows it."""
    if sys.platform == "linux" and stream is not None:
        with suppress(OSError):
            fcntl(stream, F_SETPIPE_SZ, PIPE_BYTES)


class PipedProcess:
    """A process that runs a module: it is sent messages, and what it sends is passed on."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        on_message: Callable[[bytes], None],
        on_end: Callable[[str], None],
        stderr: int | IO[bytes] | None = None,
    ) -> None:
        """Start it; functions are called in another thread, `on_end` with how it ended."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            # Ctrl-C at the terminal is for whoever started it alone, who ends it.
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
        """Send it a message; of one that has ended, `on_end` is told."""
        assert self._process.stdin is not None
        with suppress(OSError):
            write_message(self._process.stdin, message)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait(END_S)
