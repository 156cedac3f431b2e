"""What `arcbatt solve` and `arcbatt evolve` show while they run and at the end."""

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

from arcbatt.drawing import draw_pairs
from arcbatt.measure import phase
from arcbatt.plurals import count
from arcbatt.solving import Loop, ProposerCount, RankedTask, Run, Watcher
from arcbatt.solving.report.results import results_to_json
from arcbatt.tasks import Task

from .cluster_display import worker_tables
from .console import can_overwrite, say_how_many_more, stderr
from .durations import format_duration

# Where there is no terminal: a line so often, and no more than so many in a run.
SECONDS_A_LINE = 10.0
MAX_LINES = 200
REFRESHES_A_SECOND = 4


class LoopDisplay(Watcher):
    """Counts that change on a terminal, now and then a line elsewhere.

    A thread of its own keeps the clock going while the engine is at work. It shows what was copied
    from the loop when that had something to say, since the loop may be changing meanwhile.
    """

    def __init__(self) -> None:
        self._loop: Loop | None = None
        self._counts: dict[str, ProposerCount] = {}
        self._mutations: Mapping[str, Mapping[str, Any]] = {}
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
        if can_overwrite(self._console):
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
    def on_message(self, loop: Loop, message: str) -> None:
        self._copy(loop)
        self._message = f"{loop.current}: {message}" if loop.current else message
        if not self._live.is_started:
            self._console.print(Text(self._message))

    def say_quietly(self, message: str) -> None:
        """Say what changes many times a second: only where it can be overwritten."""
        self._message = message

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        self._mutations = record.get("mutations", self._mutations)

    @phase("display")
    def on_progress(self, loop: Loop) -> None:
        self._copy(loop)
        self._message = ""  # what was said is done
        wait_s = max(SECONDS_A_LINE, loop.budget_s / MAX_LINES)
        if not self._live.is_started and loop.elapsed_s - self._shown_s >= wait_s:
            self._shown_s = loop.elapsed_s
            self._console.print(Text(_line(loop, self._n_fitted)))

    @phase("display")
    def on_trace(self, task: Task, proposer: str, message: str) -> None:
        self._console.print(Text(f"trace {task.id}, {proposer}: {message}", style="dim"))

    def _copy(self, loop: Loop) -> None:
        self._loop = loop
        self._counts = {name: replace(done) for name, done in loop.counts.items()}
        self._n_fitted = loop.n_fitted

    def _draw(self) -> RenderableType:
        loop = self._loop
        if loop is None:
            return Text(self._message)
        used_s = loop.budget_s - loop.left_s
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(total=max(loop.budget_s, 1e-9), completed=used_s, width=20),
            Text(f"{format_duration(loop.left_s)} left", style="bold"),
            Text(
                f"programs fit {self._n_fitted} of {count(len(loop.tasks), 'task')}",
                style="bold green",
            ),
            Text(share_of_gpus(loop)),
        )
        parts = [bar, proposer_table(self._counts, loop.current), *worker_tables(loop)]
        if self._mutations:
            parts.append(mutation_table(self._mutations))
        return Group(*parts, Text(self._message, "dim"))


def _line(loop: Loop, n_fitted: int) -> str:
    share = share_of_gpus(loop)
    return (
        f"{format_duration(loop.elapsed_s)}, {loop.current or 'between rounds'}: programs fit "
        f"{n_fitted} of {count(len(loop.tasks), 'task')}, {format_duration(loop.left_s)} left"
        f"{', ' * bool(share)}{share}"
    )


def share_of_gpus(loop: Loop) -> str:
    """What part of the results of screening came from GPUs, where some did."""
    ran_on = dict(loop.board.ran_on)
    n_on_gpus = sum(n for device, n in ran_on.items() if device.startswith("cuda"))
    return f"{n_on_gpus / sum(ran_on.values()):.0%} of results from GPUs" if n_on_gpus else ""


def _headed(first: str, *headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column(first)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def proposer_table(counts: Mapping[str, ProposerCount], current: str | None = None) -> Table:
    """Each proposer: what it did, and how many tasks it was the first to fit."""
    table = _headed("proposer", "tasks", "rounds", "proposed", "kept", "fitted first", "time")
    for name, done in counts.items():
        numbers = (done.n_tasks, done.n_rounds, done.n_proposed, done.n_kept, done.n_first)
        table.add_row(
            name,
            *(f"{n:,}" for n in numbers),
            "now" if name == current else format_duration(done.elapsed_s),
            style="bold" if name == current else "",
        )
    return table


def part_tables(loop: Loop) -> list[Table]:
    """Return the parts of proposers that have some: passes of enumerate, mutations of evolve."""
    parts = loop.parts()
    tables = []
    if passes := parts.get("enumerate"):
        tables.append(pass_table(passes))
    mutations = {kind: row for kind, row in parts.get("evolve", {}).items() if "tried" in row}
    if any(row["tried"] for row in mutations.values()):
        tables.append(mutation_table(mutations))
    return tables


def pass_table(counts: Mapping[str, Mapping[str, Any]]) -> Table:
    """Each pass of enumeration that searched some task, and what that came to."""
    headings = ("tasks", "moves applied", "values", "pieces", "stacks", "known", "cut off")
    table = _headed("pass of enumerate", *headings, "most memory", "CPU")
    keys = ("tasks", "applications", "values", "pieces", "stacks", "known", "cut")
    for name, done in counts.items():
        table.add_row(
            name,
            *(f"{done[f'n_{key}']:,}" for key in keys),
            f"{done['n_bytes'] / 2**20:,.0f} MiB",
            format_duration(done["cpu_s"]),
        )
    return table


def mutation_table(mutations: Mapping[str, Mapping[str, Any]]) -> Table:
    """Each kind of mutation: how often it was tried and what became of it."""
    headings = ("tried", "ran", "improved", "fitted", "share now", "payoff now")
    table = _headed("mutation", *headings)
    for kind, row in sorted(mutations.items(), key=lambda pair: -pair[1]["tried"]):
        counts = (f"{row[name]:,}" for name in ("tried", "ran", "improved", "fitted"))
        table.add_row(kind, *counts, f"{row['share']:.0%}", f"{row['payoff']:.2%}")
    return table


def task_table(loop: Loop, ranked: Sequence[RankedTask], limit: int) -> Table:
    """The tasks that programs fit, the surest first."""
    fitted = [each for each in ranked if loop.candidates(each.task).fits]
    fitted.sort(key=lambda each: (-each.confidence, each.task.id))
    shown = fitted[: limit or None]
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("task", overflow="fold")
    table.add_column("proposer")
    for heading in ("demos", "calls", "agreeing", "found after", "confidence"):
        table.add_column(heading, justify="right")
    for each in shown:
        table.add_row(*_cells(each))
    say_how_many_more(table, len(fitted) - len(shown))
    return table


def draw_attempts(ranked: RankedTask) -> RenderableType:
    """Draw both attempts at every test input of a task."""
    inputs = ranked.task.test_inputs
    pairs = []
    for number, (grid, test) in enumerate(zip(inputs, ranked.tests, strict=True), 1):
        for k, attempt in enumerate(test.attempts, 1):
            of_test = f"test {number}, " if len(inputs) > 1 else ""
            nobody = "" if attempt.supporters else ", a stand-in"
            pairs.append((f"{of_test}attempt {k}{nobody}", grid, attempt.grid))
    return draw_pairs(pairs)


def _cells(ranked: RankedTask) -> tuple[str, ...]:
    best = ranked.best
    assert best is not None  # something fits, so something was proposed
    return (
        ranked.task.id,
        best.proposer,
        f"{best.trial.n_fitted} of {best.trial.n_demos}",
        f"{best.program.n_calls:,}",
        f"{len(ranked.tests[0].attempts[0].supporters):,}",
        format_duration(best.found_s),
        f"{ranked.confidence:.2f}",
    )


def summary_to_json(run: Run, ranked: Sequence[RankedTask]) -> dict[str, Any]:
    """Return what a run came to, short enough to be printed; `results.json` has all of it."""
    content = results_to_json(run.loop, ranked, run.bad)
    shown = ("task", "fits", "confidence", "proposer")
    rows = [{key: row[key] for key in shown} for row in content["by_task"]]
    return {**content, "by_task": rows}
