"""Draw a checked program beside its task."""

from typing import TypeGuard

from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from arcbatt.checking import FurtherPairsCheck, PairCheck, ProgramCheck
from arcbatt.drawing import Kind, describe, draw_pair, draw_value
from arcbatt.explainer import draw_source, read_source
from arcbatt.tasks import Grid, Pair, Task

FIGURE_GAP = 4
# The width of a pair: two grids of 10 cells and the arrow.
MIN_PICTURES = 46


def draw_checked_task(check: ProgramCheck) -> RenderableType:
    """Draw the program, the first demo, and the outcome for each test input."""
    assert check.known is not None  # a program that was only typed has no task
    task = check.known.task
    source = read_source(check.program)
    first = task.demos[0]
    label = _label(f"demo 1 of {len(task.demos)}", "")
    pictures: list[RenderableType] = [Group(label, draw_pair(first))]
    for grid, pair in zip(task.test_inputs, check.pairs[len(task.demos) :], strict=True):
        pictures.append(_draw_test(grid, pair))
    body = _Beside(draw_source(source), Columns(pictures, padding=(0, FIGURE_GAP)))
    return Panel(
        Group(Text(source.doc, style="italic"), Text(), body) if source.doc else body,
        title=_title(task),
        title_align="left",
        border_style="dim",
        padding=(0, 2, 1, 2),
    )


def draw_first_trouble(check: FurtherPairsCheck) -> RenderableType:
    """Draw the first pair that a program gets wrong: the input, the output, and what it gives."""
    assert check.first_trouble is not None  # the caller has looked
    pair, outcome = check.first_trouble
    title = Text.assemble((check.program.name, "bold"), (f"  {outcome.located_reason}", "red"))
    wanted = _label(outcome.pair, "as it should be")
    return Group(title, wanted, draw_pair(pair), _draw_test(pair.input, outcome))


class _Beside:
    """Text with pictures beside it, or below it if the console is too narrow."""

    def __init__(self, text: Text, pictures: RenderableType) -> None:
        self._text = text
        self._pictures = pictures

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text_width = Measurement.get(console, options, self._text).maximum
        if text_width + FIGURE_GAP + MIN_PICTURES <= options.max_width:
            table = Table.grid(padding=(0, FIGURE_GAP))
            table.add_column(min_width=text_width)
            table.add_column()
            table.add_row(self._text, self._pictures)
            yield table
        else:
            yield from (self._text, Text(), self._pictures)


def _title(task: Task) -> Text:
    return Text.assemble((f" {task.id} ", "bold"), (f"{task.source} ", "dim"))


def _label(pair: str, result: str) -> Text:
    return Text.assemble((pair, "bold"), (f"  {result}", "dim"))


def _draw_test(grid: Grid, pair: PairCheck) -> RenderableType:
    """Draw an input with the program's output."""
    label = _label(pair.pair, f"the program's output: {pair.result}")
    if _is_grid(pair.outcome):
        return Group(label, draw_pair(Pair(grid, pair.outcome)))
    return Group(label, draw_value(grid), draw_value(pair.outcome))


def _is_grid(value: object) -> TypeGuard[Grid]:
    return describe(value).kind is Kind.GRID
