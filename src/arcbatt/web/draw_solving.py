"""The search for a drawn task: progress and attempts as events."""

from __future__ import annotations

import time
from typing import Any

from arcbatt.proposers import PROPOSER_NAMES
from arcbatt.proposers.registry import plugin_proposers
from arcbatt.solving import Loop, RankedTask, Watcher, solve
from arcbatt.tasks import Task

from .draw_tasks import DRAWN
from .jobs_protocol import SendEvent

# Events; `SOLVED` comes last, with the rules that the program has learned.
PROGRESS, ATTEMPTS, SOLVED = "progress", "attempts", "solved"
# Some proposers report many times per second; events are sent at most this often.
SECONDS_PER_EVENT = 0.2


def solve_drawn(given: dict[str, Any], send: SendEvent) -> None:
    """Search for programs; send progress, and attempts whenever they change."""
    task = Task.of(given["task"], source=DRAWN)
    watcher = _EventSender(send)
    solution = solve(
        task,
        given["budget_s"],
        library=given["library"],
        progress=watcher,
        proposers=[*PROPOSER_NAMES, *plugin_proposers()],
    )
    send(ATTEMPTS, describe_attempts(solution.ranked, solution.fits))
    send(SOLVED, {"says": solution.say(), "elapsed_s": solution.elapsed_s, "rules": solution.rules})


class _EventSender(Watcher):
    """Sends changed attempts of a loop, not too often."""

    def __init__(self, send: SendEvent) -> None:
        self._send = send
        self._ranked: RankedTask | None = None
        self._sent_s = 0.0

    def on_message(self, loop: Loop, message: str) -> None:
        self._send_progress(loop, message)

    def on_progress(self, loop: Loop) -> None:
        now_s = time.monotonic()
        if now_s - self._sent_s < SECONDS_PER_EVENT:
            return
        self._sent_s = now_s
        self._send_progress(loop, "")
        (ranked,) = loop.rank()
        if ranked is not self._ranked:
            self._ranked = ranked
            self._send(ATTEMPTS, describe_attempts(ranked, bool(loop.n_fitted)))

    def _send_progress(self, loop: Loop, message: str) -> None:
        self._send(
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
    """Return the attempts at every test input, with their proposers and confidence."""
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
                        # A stand-in has no proposer.
                        "proposer": attempt.best.proposer if attempt.best else None,
                        "program": attempt.best.program.text if attempt.best else None,
                    }
                    for attempt in test.attempts
                ],
            }
            for test in ranked.tests
        ],
    }
