"""A run in, `report.html` out: every task drawn, with its attempts and the program behind them.

The page refers to nothing outside itself but the explanations beside it. Grids are pictures of one
pixel a cell, which the browser enlarges, and what is not in view is not laid out: so a page of 400
tasks has some 2 MB and is there at once. `report.html` beside this module has its markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import join
from urllib.parse import quote

from arcbatt.drawing.pages import render_page
from arcbatt.drawing.pixels import data_url
from arcbatt.measure import phase
from arcbatt.tasks import TASK_SETS, Grid, Task

from ..loop import Loop
from ..ranking import RankedTask
from ..tracing import N_LOST, describe_weight
from .results import PROGRAMS, Winner

# The longer side of a grid is about so many pixels long, a cell between these many.
DEMO_SIDE, TEST_SIDE = 96, 132
MIN_CELL, MAX_CELL = 3, 16
# A program of so many calls is shown at once, a longer one when asked for.
MAX_OPEN = 12

FITS, PARTIAL, NOTHING = "fits", "partial", "nothing"
# What the filter and the mark of a task say of it.
_STATES = {
    FITS: "fits all demos",
    PARTIAL: "fits some demos",
    NOTHING: "fits no demo",
}
_ORDERS = {
    "task": "task id",
    "confidence": "confidence",
    "found": "time found",
    "spent": "time spent",
    "size": "program size",
}


@phase("display")
def make_report(
    loop: Loop,
    ranked: Sequence[RankedTask],
    winners: Mapping[str, Winner],
    *,
    title: str,
    explanations: Mapping[str, str] | None = None,
    rules: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the page.

    `explanations` has by task id where the page about its program is, `rules` what it has learnt.
    """
    cards = [
        _Card(
            each,
            loop.spent_s[each.task.id],
            winners.get(each.task.id),
            (explanations or {}).get(each.task.id),
            (rules or {}).get(each.task.id, ()),
        )
        for each in ranked
    ]
    states = [card.state for card in cards]
    return render_page(
        "arcbatt.solving.report",
        "report.html",
        title=title,
        cards=cards,
        proposers=loop.counts,
        elapsed_s=loop.elapsed_s,
        counts={state: states.count(state) for state in _STATES},
        states=_STATES,
        orders=_ORDERS,
        demo_side=DEMO_SIDE,
        test_side=TEST_SIDE,
        cell_size=_cell_size,
        data_url=data_url,
        describe_weight=describe_weight,
        n_lost=N_LOST,
        duration=_duration,
        quote=quote,
    )


@dataclass(frozen=True, slots=True)
class _Card:
    """A task as the page shows it; `explanation` is where the page about its program is.

    `rules` has what that has learnt, line by line.
    """

    ranked: RankedTask
    spent_s: float
    winner: Winner | None
    explanation: str | None
    rules: Sequence[str]

    @property
    def task(self) -> Task:
        return self.ranked.task

    @property
    def state(self) -> str:
        """Whether what is behind the task's first attempts fits its demos."""
        firsts = [test.attempts[0].best for test in self.ranked.tests]
        fitted = [0 if best is None else best.trial.n_fitted for best in firsts]
        if min(fitted) == len(self.task.demos):
            return FITS
        return PARTIAL if max(fitted) else NOTHING

    @property
    def is_open(self) -> bool:
        """Whether the program is shown at once."""
        if self.winner is None:
            return False
        candidate = self.winner.candidate
        return candidate.fits and candidate.program.n_calls <= MAX_OPEN

    @property
    def command(self) -> str:
        """What explains the program."""
        if self.winner is None:
            return ""
        words = ["arcbatt", "explain", PROGRAMS, "--task", self.task.id]
        words += [] if self.task.source in TASK_SETS else ["--data", self.task.source]
        return join([*words, "--name", self.winner.program.name])


def _cell_size(grid: Grid, side: int) -> int:
    """Return the pixels of a cell's side."""
    return min(max(side // max(len(grid), len(grid[0])), MIN_CELL), MAX_CELL)


def _duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:,.0f} s"
