"""A task that was drawn and a budget in; how the search gets on and its attempts out."""

from __future__ import annotations

import time
from typing import Any

from arcbatt.solving import Loop, RankedTask, Watcher, solve
from arcbatt.tasks import Task

from .draw_tasks import DRAWN
from .jobs_protocol import Tell

# Events; `SOLVED` comes last, with what the program has learnt in words.
PROGRESS, ATTEMPTS, SOLVED = "progress", "attempts", "solved"
# So often news are told, since some proposers have some many times a second.
SECONDS_A_TURN = 0.2


def solve_drawn(given: dict[str, Any], tell: Tell) -> None:
    """Search for programs; tell progress, and attempts whenever they change."""
    task = Task.of(given["task"], source=DRAWN)
    teller = _Teller(tell)
    solution = solve(task, given["budget_s"], progress=teller)
    tell(ATTEMPTS, describe_attempts(solution.ranked, solution.fits))
    tell(SOLVED, {"says": solution.say(), "elapsed_s": solution.elapsed_s, "rules": solution.rules})


class _Teller(Watcher):
    """Tells what a loop has found, when that has changed and not too often."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._ranked: RankedTask | None = None
        self._told_s = 0.0

    def on_message(self, loop: Loop, message: str) -> None:
        self._tell_progress(loop, message)

    def on_progress(self, loop: Loop) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s < SECONDS_A_TURN:
            return
        self._told_s = now_s
        self._tell_progress(loop, "")
        (ranked,) = loop.rank()
        if ranked is not self._ranked:
            self._ranked = ranked
            self._tell(ATTEMPTS, describe_attempts(ranked, bool(loop.n_fitted)))

    def _tell_progress(self, loop: Loop, message: str) -> None:
        self._tell(
            PROGRESS,
            {
                "elapsed_s": round(loop.elapsed_s, 2),
                "proposer": loop.current,
                "message": message,
                "n_proposed": sum(each.n_proposed for each in loop.counts.values()),
                "n_kept": sum(each.n_kept for each in loop.counts.values()),
            },
        )


def describe_attempts(ranked: RankedTask, fits: bool) -> dict[str, Any]:
    """Return the attempts at every test input, with who offered them and how sure they are."""
    return {
        "fits": fits,
        "confidence": round(ranked.confidence, 4),
        "tests": [
            {
                "confidence": round(test.confidence, 4),
                "n_grids": test.n_grids,
                "attempts": [
                    {
                        "grid": attempt.grid,
                        # Nobody is behind a grid that merely stands in.
                        "proposer": attempt.best.proposer if attempt.best else None,
                        "program": attempt.best.program.text if attempt.best else None,
                    }
                    for attempt in test.attempts
                ],
            }
            for test in ranked.tests
        ],
    }
