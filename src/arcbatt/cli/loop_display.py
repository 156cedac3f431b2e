"""The display of a search, while it runs and at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from arcbatt.solving import Loop, ProposerCount, RankedTask, Watcher
from arcbatt.solving.report.results import results_to_json
from arcbatt.tasks import BadTask, Task

from .cluster_display import worker_tables
from .console import FittingTable, can_overwrite, note_hidden_rows, stderr
from .units import format_duration

# Without a terminal a line is printed this often, and at most this many times per run.
SECONDS_PER_LINE = 10.0
MAX_LINES = 200
REFRESHES_PER_S = 4


class LoopDisplay(Watcher):
    """Shows live counts on a terminal, and occasional lines elsewhere.

    A separate thread draws, so that the clock advances while the engine works. It shows copies of
    the loop's counts, since the loop changes meanwhile.
    """

    def __init__(self) -> None:
        self._loop: Loop | None = None
        self._counts: dict[str, ProposerCount] = {}
        self._parts: dict[str, Mapping[str, Mapping[str, Any]]] = {}
        self._n_fitted = 0
        self._message = ""
        self._shown_s = 0.0
        self._console = stderr()
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=REFRESHES_PER_S,
            transient=True,
        )

    def __enter__(self) -> Self:
        if can_overwrite(self._console):
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    @phase("display")
    def on_message(self, loop: Loop, message: str) -> None:
        self._copy(loop)
        self._message = f"{loop.current}: {message}" if loop.current else message
        if not self._live.is_started:
            self._console.print(Text(self._message))

    def say_quietly(self, message: str) -> None:
        """Show a message that changes often, only where it can be overwritten."""
        self._message = message

    def on_log(self, loop: Loop, proposer: str, record: dict[str, Any]) -> None:
        if "mutations" in record:
            self._parts[proposer] = record["mutations"]

    @phase("display")
    def on_progress(self, loop: Loop) -> None:
        self._copy(loop)
        self._message = ""
        wait_s = max(SECONDS_PER_LINE, loop.budget_s / MAX_LINES)
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
        return Group(
            bar,
            proposer_table(self._counts, loop.current),
            *worker_tables(loop),
            *part_tables(loop, self._parts),
            Text(self._message, "dim"),
        )


def _line(loop: Loop, n_fitted: int) -> str:
    share = share_of_gpus(loop)
    return (
        f"{format_duration(loop.elapsed_s)}, {loop.current or 'between rounds'}: programs fit "
        f"{n_fitted} of {count(len(loop.tasks), 'task')}, {format_duration(loop.left_s)} left"
        f"{', ' * bool(share)}{share}"
    )


def share_of_gpus(loop: Loop) -> str:
    """Return the share of screening results that came from GPUs, or nothing."""
    ran_on = dict(loop.board.ran_on)
    n_on_gpus = sum(n for device, n in ran_on.items() if device.startswith("cuda"))
    return f"{n_on_gpus / sum(ran_on.values()):.0%} of results from GPUs" if n_on_gpus else ""


def _new_table(first: str, *headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def proposer_table(counts: Mapping[str, ProposerCount], current: str | None = None) -> Table:
    """Return a row per proposer: its work, and how many tasks it was the first to fit."""
    table = _new_table("proposer", "tasks", "rounds", "proposed", "kept", "fitted first", "time")
    for name, done in counts.items():
        numbers = (done.n_tasks, done.n_rounds, done.n_proposed, done.n_kept, done.n_first)
        table.add_row(
            name,
            *(f"{n:,}" for n in numbers),
            "now" if name == current else format_duration(done.elapsed_s),
            style="bold" if name == current else "",
        )
    return table


def part_tables(
    loop: Loop, parts: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None
) -> list[Table]:
    """Return a table per proposer that has `count_columns`, of its parts that have these counts."""
    tables = []
    counts_of = loop.parts() if parts is None else parts
    for proposer in loop.proposers:
        columns: Mapping[str, str] = getattr(proposer, "count_columns", {})
        first, *keys = columns or [""]
        rows = {
            name: counts
            for name, counts in counts_of.get(proposer.name, {}).items()
            if keys and counts.keys() >= set(keys)
        }
        if not any(counts[keys[0]] for counts in rows.values()):
            continue
        # Without columns of zeros, the table fits 80 columns.
        keys = [key for key in keys if any(counts[key] for counts in rows.values())]
        table = _new_table(columns[first], *(columns[key] for key in keys))
        for name, counts in sorted(rows.items(), key=lambda row: -row[1][keys[0]]):
            table.add_row(name, *(_format_count(key, counts[key]) for key in keys))
        tables.append(table)
    return tables


def _format_count(key: str, value: float) -> str:
    if key == "n_bytes":
        return f"{value / 2**20:,.0f}"
    if key.endswith("_s"):
        return format_duration(value)
    if isinstance(value, float):
        return f"{value:.1%}"
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if value >= 10 * size:
            return f"{value / size:,.0f}{unit}"
    return f"{value:,}"


def task_table(loop: Loop, ranked: Sequence[RankedTask], limit: int) -> Table:
    """Return the tasks that programs fit, the most confident first."""
    fitted = [each for each in ranked if loop.candidates(each.task).fits]
    fitted.sort(key=lambda each: (-each.confidence, each.task.id))
    shown = fitted[: limit or None]
    table = FittingTable("agreeing", "calls", "demos", elsewhere="results.json has all")
    table.add_copied_column("task", (each.task.id for each in shown))
    table.add_column("proposer")
    for heading in ("demos", "calls", "agreeing", "found after", "confidence"):
        table.add_column(heading, justify="right")
    for each in shown:
        table.add_row(*_cells(each))
    note_hidden_rows(table, len(fitted) - len(shown))
    return table


def draw_attempts(ranked: RankedTask) -> RenderableType:
    """Draw both attempts at every test input of a task."""
    inputs = ranked.task.test_inputs
    pairs = []
    for number, (grid, test) in enumerate(zip(inputs, ranked.tests, strict=True), 1):
        for k, attempt in enumerate(test.attempts, 1):
            of_test = f"test {number}, " if len(inputs) > 1 else ""
            note = "" if attempt.supporters else ", a stand-in"
            pairs.append((f"{of_test}attempt {k}{note}", grid, attempt.grid))
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


def summary_to_json(
    loop: Loop, ranked: Sequence[RankedTask], bad: Sequence[BadTask]
) -> dict[str, Any]:
    """Return the results of a run, short enough to print; `results.json` has all of them."""
    content = results_to_json(loop, ranked, bad)
    shown = ("task", "fits", "confidence", "proposer")
    rows = [{key: row[key] for key in shown} for row in content["by_task"]]
    return {**content, "by_task": rows}
