"""Processes with pipes: a message is sent at once, also to a busy process."""

from __future__ import annotations

import sys
from threading import Event, Thread

import pytest

from arcbatt import processes
from arcbatt.processes import PipedProcess


@pytest.mark.skipif(sys.platform != "linux", reason="pipes of other systems have one size")
def test_sending_does_not_wait_for_a_busy_reader() -> None:
    ended = Event()
    # It reads nothing.
    process = PipedProcess(
        "timeit",
        *("-n", "1", "-r", "1", "__import__('time').sleep(600)"),
        on_message=lambda _message: None,
        on_end=lambda _how: ended.set(),
    )
    sending = Thread(target=process.send, args=(bytes(processes.PIPE_BYTES // 2),), daemon=True)
    sending.start()
    sending.join(timeout=60)
    was_sent = not sending.is_alive()
    process.kill()
    assert was_sent
    assert ended.wait(timeout=60)
