"""The process of a job: `python -m arcbatt.web.jobs_process`, jobs in, what they tell out.

Messages come by standard input and go by standard output. It ends at once when its input does, so
that none is left when the server was killed.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from typing import Any

from arcbatt.language import ProgramError
from arcbatt.processes import take_pipes, write_message
from arcbatt.tasks import TaskError

from .jobs_protocol import END, ERROR, SOLVE, Tell

EXPECTED = (TaskError, ProgramError)


def main() -> None:
    """Do jobs, one after the other, until there are no more."""
    messages, answers = take_pipes()

    def tell(name: str, data: dict[str, Any]) -> None:
        write_message(answers, json.dumps([name, data]).encode())

    while True:
        kind, given = json.loads(messages.get())
        try:
            _find(kind)(given, tell)
        except EXPECTED as error:
            tell(ERROR, {"message": str(error)})
        except Exception as error:  # a bug in one job: the next one is done all the same
            traceback.print_exc()
            tell(ERROR, {"message": f"this went wrong here: {type(error).__name__}"})
        tell(END, {})


def _find(kind: str) -> Callable[[dict[str, Any], Tell], None]:
    """Return what does jobs of a kind, loaded where it is needed."""
    if kind == SOLVE:
        from .draw_solving import solve_drawn

        return solve_drawn
    from .write_checking import check_written

    return check_written


if __name__ == "__main__":
    main()
