"""The command line `arcbatt`.

`app` discovers the commands in `commands/`, one module each, and turns errors into messages.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # not imported: an interrupt before `main` runs would print a traceback

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the command line; exit quietly on an interrupt, also while modules are being loaded."""
    before = {
        number: signal.signal(number, _exit_at_once)
        for number in (signal.SIGINT, signal.SIGTERM)
        # Background jobs ignore signals; keep ignoring them.
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    from arcbatt.measure import Clock, phase, process_start_ns

    with Clock(loading_since_ns=process_start_ns()).active():
        with phase("load"):
            from .app import run_app
        for number, handler in before.items():
            signal.signal(number, handler)
        try:
            run_app()
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)


def _exit_at_once(number: int, _frame: FrameType | None) -> None:
    """Exit silently: a half-loaded module would print a traceback."""
    os._exit(128 + number)
