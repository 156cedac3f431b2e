"""The command line `arcbatt`: commands in, drawings, tables and JSON out.

`app` holds the commands and turns errors into messages; each `*_command` module is one command or
two that belong together.
"""

import sys

from arcbatt.measure import Clock, phase, process_start_ns

INTERRUPTED = 130


def main() -> None:
    """Run the command line; an interrupt ends it quietly, also while it is being loaded."""
    try:
        with Clock(loading_since_ns=process_start_ns()).active():
            with phase("load"):
                from .app import run_app
            run_app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
