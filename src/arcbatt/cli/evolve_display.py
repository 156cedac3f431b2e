"""What `arcbatt evolve` shows while it runs and at the end."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich import box
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from arcbatt.measure import phase
from arcbatt.search.evolving_run import EvolutionRun

from .console import print_blocks, stderr
from .durations import format_duration

# Where there is no terminal: a line so often.
SECONDS_A_LINE = 10.0


class EvolveDisplay:
    """A table that changes on a terminal, now and then a line elsewhere."""

    def __init__(self, run: EvolutionRun, budget_s: float) -> None:
        self.run = run
        self.budget_s = budget_s
        self._console = stderr()
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._shown_s = 0.0

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
    def say(self, message: str) -> None:
        """Say what is being done."""
        if self._live.is_started:
            self._live.update(Text(message), refresh=True)
        else:
            self._console.print(Text(message))

    @phase("display")
    def show(self) -> None:
        """Show how far the run is."""
        if self._live.is_started:
            self._live.update(Group(*overview(self.run, self.budget_s)), refresh=True)
        elif self.run.elapsed_s - self._shown_s >= SECONDS_A_LINE:
            self._shown_s = self.run.elapsed_s
            self._console.print(Text(_line(self.run)))


def _line(run: EvolutionRun) -> str:
    archive = run.evolution.archive
    return (
        f"{format_duration(run.elapsed_s)}: generation {run.evolution.generation}, "
        f"{archive.n_solved} of {len(run.evolution.samples)} tasks solved, "
        f"{run.pairs_a_second:,.0f} pairs a second"
    )


def overview(run: EvolutionRun, budget_s: float | None = None) -> list[RenderableType]:
    """How far a run is: numbers, and the mutations by kind."""
    evolution = run.evolution
    seconds = max(run.elapsed_s, 1e-9)
    of_budget = f" of {format_duration(budget_s)}" if budget_s else ""
    results = sum(run.ran_on.values()) or 1
    devices = ", ".join(f"{name} {n / results:.0%}" for name, n in sorted(run.ran_on.items()))
    numbers = Table.grid(padding=(0, 2))
    for name, value in (
        ("time", f"{format_duration(run.elapsed_s)}{of_budget}"),
        (
            "generation",
            f"{evolution.generation}, {evolution.generation / seconds:.2f} batts a second",
        ),
        (
            "tasks solved",
            f"{evolution.archive.n_solved} of {len(evolution.samples)}"
            f" ({run.n_solved_at_start} at the start)",
        ),
        ("best partial credit", str(evolution.archive.best_partial)),
        ("new programs x tasks", f"{run.n_pairs:,}, {run.pairs_a_second:,.0f} a second"),
        ("calls", f"{run.n_calls / seconds:,.0f} a second"),
        ("in the engine", f"{run.engine_share:.0%} of the time; {devices}"),
    ):
        numbers.add_row(Text(name, style="bold"), Text(value))
    return [numbers, mutation_table(run)]


def mutation_table(run: EvolutionRun) -> Table:
    """Each kind of mutation: how often it was tried and what became of it."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("mutation")
    for heading in ("tried", "ran", "improved", "solved", "share now", "payoff now"):
        table.add_column(heading, justify="right")
    for row in sorted(run.evolution.rates.table(), key=lambda row: -row.tried):
        counts = (f"{n:,}" for n in (row.tried, row.ran, row.improved, row.solved))
        table.add_row(row.kind, *counts, f"{row.share:.0%}", f"{row.payoff:.2%}")
    return table


def print_summary(run: EvolutionRun) -> None:
    """What a run has brought."""
    blocks = overview(run)
    if run.found:
        table = Table(title="solved for the first time", box=box.SIMPLE_HEAD)
        for heading in ("task", "program", "mutation", "calls", "cost"):
            table.add_column(heading)
        for found in run.found:
            program = found.program
            cells = (found.task.id, program.hash[:12], found.kind)
            table.add_row(*cells, str(program.n_calls), f"{found.steps:,}")
        blocks.append(table)
    print_blocks(*blocks, Text(f"the run's folder: {run.folder.path}", style="green"))
