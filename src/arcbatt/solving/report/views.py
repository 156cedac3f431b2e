"""Views of a run's results for pages: each task, and an overview in numbers.

The report of a run and the web app both show the content of `results.json` through these views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import join
from typing import Any
from urllib.parse import quote

from arcbatt.drawing.pixels import picture
from arcbatt.explainer.choice_table import ChoiceTable
from arcbatt.explainer.rule_tables import RuleTable, to_tables
from arcbatt.plurals import count
from arcbatt.tasks import TASK_SETS, Task
from arcbatt.tasks.program_names import program_name

from ..descriptions import choice_table
from .results import PROGRAMS

# The longer side of a grid in pixels, about.
DEMO_SIDE, TEST_SIDE, SMALL_SIDE = 96, 132, 40
# Longer programs are folded.
MAX_OPEN = 12
N_BARS = 10

FITS, PARTIAL, NOTHING = "fits", "partial", "nothing"
# Labels of the filter and of a task's mark.
STATES = {
    FITS: "fits all demos",
    PARTIAL: "fits some demos",
    NOTHING: "fits no demo",
}
RIGHT, WRONG = "right", "wrong"
ORDERS = {
    "task": "task id",
    "confidence": "confidence",
    "found": "time found",
    "spent": "time spent",
    "size": "program size",
}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task of a run as pages show it, with its row of the results.

    `explanation` is the path of the page about its program. `right` has the first right attempt at
    each test input, None for none; it is None itself if the run was not scored.
    """

    task: Task
    row: Row
    explanation: str | None = None
    right: Sequence[int | None] | None = None

    @property
    def best(self) -> Row | None:
        """The candidate behind the first attempt at the first test input."""
        return self.row["tests"][0]["attempts"][0]["best"]  # type: ignore[no-any-return]

    @property
    def state(self) -> str:
        """Whether some program fits all demos; otherwise, whether a first attempt fits some."""
        if self.row["fits"]:
            return FITS
        firsts = [test["attempts"][0]["best"] for test in self.row["tests"]]
        return PARTIAL if any(best is not None and best["fitted"] for best in firsts) else NOTHING

    @property
    def best_fits(self) -> bool:
        """Whether the program behind the first attempt fits all demos; another one may."""
        return self.best is not None and self.best["fitted"] == len(self.task.demos)

    @property
    def verdict(self) -> str:
        """Whether all test inputs are right within two attempts; empty if unknown."""
        if self.right is None:
            return ""
        return WRONG if None in self.right else RIGHT

    def verdict_on(self, test: int, attempt: int) -> str:
        """Return whether an attempt is right, with indices from 0.

        The result is empty if unknown, and for a second attempt that was not needed.
        """
        if self.right is None:
            return ""
        first = self.right[test]
        if first is None or attempt + 1 < first:
            return WRONG
        return RIGHT if attempt + 1 == first else ""

    @property
    def has_program(self) -> bool:
        """Whether there is a program to show: one that fits some demo."""
        return self.best is not None and self.best["fitted"] > 0

    @property
    def is_open(self) -> bool:
        """Whether the program is shown unfolded."""
        best = self.best
        return best is not None and self.best_fits and best["size"] <= MAX_OPEN

    @property
    def program(self) -> str:
        """The text of the program under the name that it has in `programs.py`."""
        assert self.best is not None
        return rename_program(self.best["program"], program_name(self.task.id))

    @property
    def command(self) -> str:
        """The command that explains the program."""
        words = ["arcbatt", "explain", PROGRAMS, "--task", self.task.id]
        words += [] if self.task.source in TASK_SETS else ["--data", self.task.source]
        return join([*words, "--name", program_name(self.task.id)])

    @property
    def choices(self) -> list[ChoiceTable]:
        """The tables that explain the attempts, one per test input."""
        return [choice_of(number, test) for number, test in enumerate(self.row["tests"], 1)]

    @property
    def rules(self) -> list[RuleTable]:
        """The rules that the program has learned."""
        return to_tables(self.row.get("rules", ()))


def choice_of(number: int, test: Row) -> ChoiceTable:
    """Return the table that explains the attempts at a test input."""
    grids = [*test["attempts"], *test["lost"]]
    return choice_table(number, [(each["reasons"], each["broken"]) for each in grids])


def rename_program(text: str, name: str) -> str:
    """Return the text of a program under another name."""
    return f"def {name}{text[text.index('(') :]}"


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram of confidence: how many tasks, and how many right and wrong."""

    low: float
    high: float
    n_tasks: int
    n_right: int
    n_wrong: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A run in numbers."""

    views: Sequence[TaskView]
    results: Row

    @property
    def counts(self) -> dict[str, int]:
        """The number of tasks in each state."""
        states = [view.state for view in self.views]
        return {state: states.count(state) for state in STATES}

    @property
    def is_scored(self) -> bool:
        return any(view.right is not None for view in self.views)

    def n_of(self, verdict: str) -> int:
        """Return how many tasks have a verdict."""
        return sum(view.verdict == verdict for view in self.views)

    @property
    def bars(self) -> list[Bar]:
        """The histogram of confidence."""
        parts: list[list[TaskView]] = [[] for _ in range(N_BARS)]
        for view in self.views:
            parts[min(int(view.row["confidence"] * N_BARS), N_BARS - 1)].append(view)
        return [
            Bar(
                k / N_BARS,
                (k + 1) / N_BARS,
                len(part),
                sum(view.verdict == RIGHT for view in part),
                sum(view.verdict == WRONG for view in part),
            )
            for k, part in enumerate(parts)
        ]

    @property
    def proposers(self) -> Mapping[str, Row]:
        """The counts of each proposer."""
        return self.results["proposers"]  # type: ignore[no-any-return]

    @property
    def elapsed_s(self) -> float:
        return self.results["elapsed_s"]  # type: ignore[no-any-return]


def make_views(
    results: Row,
    tasks: Iterable[Task],
    explanations: Mapping[str, str] | None = None,
    right: Mapping[str, Sequence[int | None]] | None = None,
) -> list[TaskView]:
    """Return the views of a run's tasks, in the order of its results.

    `explanations` has paths of pages about programs, `right` the scores, both by task id.
    """
    known = {task.id: task for task in tasks}
    return [
        TaskView(
            known[row["task"]],
            row,
            (explanations or {}).get(row["task"]),
            None if right is None else right.get(row["task"]),
        )
        for row in results["by_task"]
        if row["task"] in known
    ]


def view_values() -> dict[str, Any]:
    """Return the values that pages using `parts.html` need."""
    return {
        "states": STATES,
        "orders": ORDERS,
        "demo_side": DEMO_SIDE,
        "test_side": TEST_SIDE,
        "small_side": SMALL_SIDE,
        "picture": picture,
        "duration": say_duration,
        "quote": quote,
        "count": count,
    }


def say_duration(seconds: float) -> str:
    """Return a time in a short form."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:,.0f} s"
