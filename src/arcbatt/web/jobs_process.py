"""The process that does jobs: `python -m arcbatt.web.jobs_process`.

It reads jobs from standard input and writes events to standard output. It exits as soon as its
input ends, so that it does not outlive the server.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from typing import Any

from arcbatt.language import ProgramError
from arcbatt.plugins import load_plugins_of_parent
from arcbatt.processes import take_pipes, write_message
from arcbatt.tasks import TaskError

from .jobs_protocol import END, ERROR, SOLVE, SendEvent

EXPECTED = (TaskError, ProgramError)


def main() -> None:
    """Do jobs one after another until the input ends."""
    messages, answers = take_pipes()
    load_plugins_of_parent()

    def send(name: str, data: dict[str, Any]) -> None:
        write_message(answers, json.dumps([name, data]).encode())

    while True:
        kind, given = json.loads(messages.get())
        try:
            _find(kind)(given, send)
        except EXPECTED as error:
            send(ERROR, {"message": str(error)})
        except Exception as error:  # a bug in one job must not affect the next
            traceback.print_exc()
            send(ERROR, {"message": f"internal error: {type(error).__name__}"})
        send(END, {})


def _find(kind: str) -> Callable[[dict[str, Any], SendEvent], None]:
    """Return the function for jobs of a kind, imported on demand."""
    if kind == SOLVE:
        from .draw_solving import solve_drawn

        return solve_drawn
    from .program_check import check_written

    return check_written


if __name__ == "__main__":
    main()
