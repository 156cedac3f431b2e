"""The command line `arcbatt`: commands in, drawings, tables and JSON out.

`app` holds the commands and turns errors into messages; each `*_command` module is one command or
two that belong together.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # as in `arcbatt`: what is loaded before `main` cannot be ended quietly

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the command line; an interrupt ends it quietly, also while it is being loaded."""
    before = {
        number: signal.signal(number, _end_at_once)
        for number in (signal.SIGINT, signal.SIGTERM)
        # A signal that is ignored stays so: that is how a background job works.
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


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    """End without a word: nothing has begun, and a half-loaded module would end in a traceback."""
    os._exit(128 + number)
