"""What `arcbatt solve` shows while it runs and at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from rich import box
from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arcbatt.measure import phase
from arcbatt.solving import RankedTask, Solver, StageCount, Watcher
from arcbatt.solving.results import results_to_json
from arcbatt.tasks import Task

from .console import stderr
from .durations import format_duration

# Where there is no terminal: a line so often.
SECONDS_A_LINE = 10.0
REFRESHES_A_SECOND = 4


class SolveDisplay(Watcher):
    """Counts that change on a terminal, now and then a line elsewhere.

    A thread of its own keeps the clock going while the engine is at work. It shows what was copied
    from the solver when that had something to say, since the solver may be changing meanwhile.
    """

    def __init__(self) -> None:
        self._solver: Solver | None = None
        self._counts: dict[str, StageCount] = {}
        self._n_fitted = 0
        self._message = ""
        self._shown_s = 0.0
        self._console = stderr()
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=REFRESHES_A_SECOND,
            transient=True,
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    @phase("display")
    def said(self, solver: Solver, message: str) -> None:
        self._copy(solver)
        self.say(f"{solver.current}: {message}" if solver.current else message)

    def say(self, message: str) -> None:
        """Say what is being done."""
        self._message = message
        if not self._live.is_started:
            self._console.print(Text(message))

    def say_quietly(self, message: str) -> None:
        """Say what changes many times a second: only where it can be overwritten."""
        self._message = message

    @phase("display")
    def went_on(self, solver: Solver) -> None:
        self._copy(solver)
        self._message = ""  # what was said is done
        if not self._live.is_started and solver.elapsed_s - self._shown_s >= SECONDS_A_LINE:
            self._shown_s = solver.elapsed_s
            self._console.print(Text(_line(solver, self._n_fitted)))

    def ended_stage(self, solver: Solver, stage: str) -> None:
        self._copy(solver)

    @phase("display")
    def traced(self, task: Task, stage: str, message: str) -> None:
        self._console.print(Text(f"trace {task.id}, {stage}: {message}", style="dim"))

    def _copy(self, solver: Solver) -> None:
        self._solver = solver
        self._counts = {name: replace(count) for name, count in solver.counts.items()}
        self._n_fitted = solver.n_fitted

    def _draw(self) -> RenderableType:
        solver = self._solver
        if solver is None:
            return Text(self._message)
        n_tasks, used_s = len(solver.tasks), solver.budget_s - solver.left_s
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=max(solver.budget_s, 1e-9), completed=used_s, width=20),
            Text(f"{format_duration(solver.left_s)} left", style="bold"),
            Text(f"{self._n_fitted} of {n_tasks} tasks solved on their demos", style="bold green"),
        )
        return Group(bar, stage_table(self._counts, solver.current), Text(self._message, "dim"))


def _line(solver: Solver, n_fitted: int) -> str:
    return (
        f"{format_duration(solver.elapsed_s)}, {solver.current}: {n_fitted} of "
        f"{len(solver.tasks)} tasks solved on their demos, {format_duration(solver.left_s)} left"
    )


def stage_table(counts: dict[str, StageCount], current: str | None = None) -> Table:
    """Each stage: what it did, and how many tasks it was the first to solve on their demos."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("stage")
    for heading in ("tasks", "rounds", "candidates", "kept", "solved first", "time"):
        table.add_column(heading, justify="right")
    for name, count in counts.items():
        numbers = (count.n_tasks, count.n_rounds, count.n_offered, count.n_kept, count.n_first)
        table.add_row(
            name,
            *(f"{n:,}" for n in numbers),
            "now" if name == current else format_duration(count.elapsed_s),
            style="bold" if name == current else "",
        )
    return table


def pass_table(counts: Mapping[str, Mapping[str, Any]]) -> Table:
    """Each pass of enumeration that searched some task, and what that came to."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("pass of enumerate")
    headings = ("tasks", "steps applied", "values", "pieces", "stacks", "known", "cut off")
    for heading in (*headings, "most memory", "CPU"):
        table.add_column(heading, justify="right")
    keys = ("tasks", "applications", "values", "pieces", "stacks", "seeds", "cut")
    for name, count in counts.items():
        if count["n_tasks"]:
            table.add_row(
                name,
                *(f"{count[f'n_{key}']:,}" for key in keys),
                f"{count['most_bytes'] / 2**20:,.0f} MiB",
                format_duration(count["cpu_s"]),
            )
    return table


def task_table(solver: Solver, ranked: Sequence[RankedTask], limit: int) -> Table:
    """The tasks that are solved on their demos, the surest first."""
    fitted = [each for each in ranked if solver.candidates(each.task).fits]
    fitted.sort(key=lambda each: (-each.confidence, each.task.id))
    shown = fitted[: limit or None]
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("task", overflow="fold")
    table.add_column("stage")
    for heading in ("demos", "calls", "agreeing", "found after", "confidence"):
        table.add_column(heading, justify="right")
    for each in shown:
        table.add_row(*_cells(solver, each))
    if len(shown) < len(fitted):
        table.caption = f"and {len(fitted) - len(shown):,} more; --limit 0 shows all"
        table.caption_justify = "left"
    return table


def _cells(solver: Solver, ranked: RankedTask) -> tuple[str, ...]:
    best = ranked.best
    assert best is not None  # something fits, so something was offered
    candidate = best.candidate
    return (
        ranked.task.id,
        best.stage,
        f"{candidate.n_fitted} of {candidate.n_demos}",
        f"{candidate.size:,}",
        f"{len(ranked.tests[0].attempts[0].supporters):,}",
        format_duration(best.found_s),
        f"{ranked.confidence:.2f}",
    )


def summary_to_json(solver: Solver, ranked: Sequence[RankedTask]) -> dict[str, Any]:
    """What a run came to, short enough to be printed; `results.json` has all of it."""
    content = results_to_json(solver, ranked)
    shown = ("task", "fitted", "confidence", "stage")
    rows = [{key: row[key] for key in shown} for row in content["by_task"]]
    return {**content, "by_task": rows}
