"""Signals: SIGTERM and SIGHUP as interrupts like Ctrl-C, and work that none may cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

# Of these some systems lack the last, which comes when a terminal is closed.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))

Handler = Callable[[int, FrameType | None], None]


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def termination_interrupts() -> Iterator[None]:
    """Have what ends a process raise KeyboardInterrupt inside, as Ctrl-C does."""
    with _handling(ENDING, _interrupt):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off interrupts until the end, so that files are written; then one of them comes.

    Inside another such block it comes at the end of that one.
    """
    came: list[int] = []
    with _handling((signal.SIGINT, *ENDING), lambda number, _frame: came.append(number)):
        yield
    if came:
        signal.raise_signal(came[0])


@contextmanager
def _handling(numbers: Sequence[int], handle: Handler) -> Iterator[None]:
    """Have signals handled so inside. Only the main thread is told of any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A signal that is ignored stays so: that is how `nohup` works.
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
