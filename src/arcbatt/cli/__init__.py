"""The command line `arcbatt`.

`app` discovers the commands in `commands/`, one module each, and turns errors into messages.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys

TYPE_CHECKING = False  # not imported: an interrupt before `main` runs would print a traceback

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, TypeVar

    Callback = TypeVar("Callback", bound=Any)

INTERRUPTED = 130
OUT_OF_MEMORY = "out of memory; allow the process more, or give it fewer --threads"
# Messages of loaders, Python and OpenBLAS that get no memory for a library or a thread.
_SIGNS = ("failed to map segment", "annot allocate memory", "can't start new thread")
# The handlers of signals before `main`, while it runs. Windows has no SIGHUP.
_before: dict[int, Any] = {}
_is_ending = False


def main() -> None:
    """Run the command line and exit with its status.

    A signal ends the process at once while modules are being loaded. Then a command either lets
    Ctrl-C raise `KeyboardInterrupt` (`raise_interrupts`) or notes signals in a flag, and has them
    ignored once it has its results (`ignore_signals`).
    """
    global _is_ending
    _is_ending = False
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Background jobs ignore signals; keep ignoring them.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            _before[number] = signal.signal(number, _exit_at_once)
    # NumPy would reserve memory for the threads of functions that are never called here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _load_and_run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        sys.stderr.write(f"error: {OUT_OF_MEMORY}\n")
        sys.exit(2)
    finally:
        # Python joins threads and puts default handlers in place of its own as it exits: a signal
        # would end it with another status, or in the middle.
        for number in _before:
            signal.signal(number, signal.SIG_IGN)
        _before.clear()


def _load_and_run() -> None:
    from arcbatt.measure import Clock, phase, process_start_ns

    with Clock(loading_since_ns=process_start_ns()).active():
        # Modules make many objects and no garbage; `keep_loaded` turns collection on again.
        gc.disable()
        with phase("load"):
            from .app import run_app
        run_app()


def keep_loaded() -> None:
    """Collect garbage from now on, but never look for it in what has been loaded."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether memory, or the address space of a limit, was the problem."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, ImportError | RuntimeError) and any(s in str(error) for s in _SIGNS))
    )


def notes_interrupts(callback: Callback) -> Callback:
    """Mark a command that notes signals in a flag: none raises an exception in it."""
    callback.notes_interrupts = True
    return callback


def raise_interrupts() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt`, and other signals end the process."""
    for number, handler in _before.items():
        signal.signal(number, handler)


def ignore_signals() -> None:
    """Ignore the signals that arrive from now on: the command has only to exit."""
    global _is_ending
    _is_ending = True


def _exit_at_once(number: int, _frame: FrameType | None) -> None:
    """Exit silently: a half-loaded module would print a traceback."""
    if not _is_ending:
        os._exit(128 + number)
