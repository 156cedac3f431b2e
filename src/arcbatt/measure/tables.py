"""Terminal tables for a report."""

from __future__ import annotations

from rich import box
from rich.console import RenderableType
from rich.table import Table

from .report import Report, TableReport, TimelineReport

# Rows of an added table that the terminal shows; JSON has all.
MAX_ROWS = 25
# Columns that are formatted as percentages.
SHARES = ("share", "hit rate")


def draw_report(report: Report) -> list[RenderableType]:
    """Return tables of the main timeline, other timelines, counters, and added tables."""
    drawn: list[RenderableType] = [_draw_timeline(report.main, "time by phase")]
    for timeline in report.others:
        drawn.append(_draw_timeline(timeline, f"{timeline.name} (in parallel, not added)"))
    if report.counters:
        drawn.append(
            _draw_table(TableReport("counters", ("name", "count"), tuple(report.counters.items())))
        )
    return drawn + [_draw_table(table) for table in report.tables]


def _draw_timeline(timeline: TimelineReport, title: str) -> Table:
    table = _new_table(title, show_footer=True)
    table.add_column("phase", "sum = wall clock", no_wrap=True)
    table.add_column("seconds", f"{timeline.wall_s:.3f}", justify="right")
    table.add_column("share", f"{timeline.share(timeline.wall_ns):.1%}", justify="right")
    table.add_column("entered", justify="right")
    for each in timeline.phases:
        entered = f"{each.n_entered:,}" if each.n_entered else ""
        table.add_row(each.name, f"{each.seconds:.3f}", f"{timeline.share(each.ns):.1%}", entered)
    return table


def _draw_table(content: TableReport) -> Table:
    table = _new_table(content.title)
    for number, column in enumerate(content.columns):
        values = [row[number] for row in content.rows]
        is_text = any(isinstance(value, str) for value in values)
        table.add_column(column, justify="left" if is_text else "right", no_wrap=True)
    for row in content.rows[:MAX_ROWS]:
        table.add_row(*map(_format, content.columns, row))
    if len(content.rows) > MAX_ROWS:
        table.caption = f"and {len(content.rows) - MAX_ROWS:,} more"
        table.caption_justify = "left"
    return table


def _new_table(title: str, show_footer: bool = False) -> Table:
    return Table(
        box=box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        show_footer=show_footer,
        footer_style="bold",
    )


def _format(column: str, value: str | int | float) -> str:
    if isinstance(value, str):
        return value
    if column in SHARES:
        return f"{value:.1%}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
