"""Signals that end a search: they set a flag, which the loop reads. No handler raises."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# Windows has no SIGHUP, which is sent when a terminal is closed.
TERMINATION = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Interrupt:
    """Whether a search has been asked to end early."""

    is_set = False

    def set(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """Ask the search to end; also usable as a signal handler."""
        self.is_set = True


@contextmanager
def noting_interrupts(interrupt: Interrupt, *others: int) -> Iterator[Interrupt]:
    """Set a flag on Ctrl-C, and on other signals, inside; only the main thread receives them."""
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    # A signal that is ignored stays ignored: `nohup` relies on it.
    handled = [
        number
        for number in (signal.SIGINT, *others)
        if signal.getsignal(number) not in (signal.SIG_IGN, None)
    ]
    before = {number: signal.signal(number, interrupt.set) for number in handled}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
