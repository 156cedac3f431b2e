"""Draw grids, pairs, tasks and values as Rich renderables.

The style of cells is chosen when a renderable is printed, as only then the console is known: color
blocks two columns wide, half blocks where those do not fit, or digits without color (NO_COLOR, a
file, a pipe).
"""

from collections.abc import Callable, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from arcbatt.drawing import palette
from arcbatt.drawing.figures import Figure, canvas_of_grid, figure_of
from arcbatt.drawing.terminal_cells import Style, draw_cells
from arcbatt.language.types import ANY, Type
from arcbatt.plurals import count
from arcbatt.tasks import Grid, Pair, Task

FLOW_GAP = 4
# Columns; wider than any pair of canvases.
UNLIMITED = 10_000

Build = Callable[[Style], RenderableType]


def draw_grid(grid: Grid) -> RenderableType:
    """Draw a grid, without a caption."""
    canvas = canvas_of_grid(grid)
    return _Fitted(lambda style: draw_cells(canvas, style))


def draw_pair(pair: Pair) -> RenderableType:
    """Draw a pair: input, arrow, output; one below the other if they do not fit."""
    return _Fitted(lambda style: _pair(pair.input, pair.output, style))


def draw_task(task: Task) -> RenderableType:
    """Draw all demos and test inputs of a task, in as many columns as fit."""
    title = Text(task.id, style="bold")
    title.append(
        f"  {task.source}, {count(len(task.demos), 'demo')}, "
        f"{count(len(task.test_inputs), 'test input')}",
        style="not bold dim",
    )
    pairs: list[tuple[str, Grid, Grid | None]] = [
        (f"demo {number}", demo.input, demo.output) for number, demo in enumerate(task.demos, 1)
    ]
    for number, grid in enumerate(task.test_inputs, 1):
        pairs.append((f"test {number}" if len(task.test_inputs) > 1 else "test", grid, None))

    return Group(title, Text(), draw_pairs(pairs))


def draw_pairs(pairs: Sequence[tuple[str, Grid, Grid | None]]) -> RenderableType:
    """Draw labeled pairs in as many columns as fit; an output may be unknown."""

    def build(style: Style) -> list[RenderableType]:
        return [
            Group(
                Text(f"{label}  {_size(before)} -> {_size(after)}", style="dim"),
                _pair(before, after, style),
            )
            for label, before, after in pairs
        ]

    return _Pairs(build)


def draw_value(value: object, over: Grid | None = None, known: Type = ANY) -> RenderableType:
    """Draw any value of the DSL with a caption; patches are drawn over the grid `over`.

    `known` is the type of the value, if known.
    """
    return _figure(figure_of(value, over, known))


class _Fitted:
    """A drawing in the first supported style that fits the console width."""

    def __init__(self, build: Build) -> None:
        self._build = build

    def _fit(self, console: Console, options: ConsoleOptions) -> RenderableType:
        for style in _styles(console, options):
            drawn = self._build(style)
            if _width(drawn, console, options) <= options.max_width:
                break
        return drawn

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._fit(console, options)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._fit(console, options))


class _Flow:
    """Drawings side by side, in rows that fit the console width."""

    def __init__(self, items: Sequence[RenderableType]) -> None:
        self._items = items

    def _rows(self, console: Console, options: ConsoleOptions) -> list[list[RenderableType]]:
        rows: list[list[RenderableType]] = []
        x = 0
        for item in self._items:
            width = Measurement.get(console, options, item).maximum
            if not rows or x + width > options.max_width:
                rows.append([])
                x = 0
            rows[-1].append(item)
            x += width + FLOW_GAP
        return rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for number, row in enumerate(self._rows(console, options)):
            if number:
                yield Text()
            table = Table.grid(padding=(0, FLOW_GAP))
            table.add_row(*row)
            yield table

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widths = [Measurement.get(console, options, item).maximum for item in self._items]
        total = sum(widths) + FLOW_GAP * (len(widths) - 1)
        return Measurement(max(widths), min(total, options.max_width))


class _Pairs:
    """Pairs in rows, all in the first style in which the widest fits."""

    def __init__(self, build: Callable[[Style], list[RenderableType]]) -> None:
        self._build = build

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for style in _styles(console, options):
            drawn = self._build(style)
            if max(_width(pair, console, options) for pair in drawn) <= options.max_width:
                break
        yield _Flow(drawn)


def _width(drawn: RenderableType, console: Console, options: ConsoleOptions) -> int:
    """Return the width of a drawing on an unlimited console."""
    # Rich clips measurements at the console width.
    return Measurement.get(console, options.update(width=UNLIMITED), drawn).maximum


def _styles(console: Console, options: ConsoleOptions) -> Sequence[Style]:
    """Return the styles that a console supports, from widest to narrowest."""
    if console.no_color or console.color_system is None:
        return (Style.DIGITS, Style.TIGHT_DIGITS, Style.STACKED_DIGITS)
    if options.ascii_only:
        return (Style.BLOCKS,)
    return (Style.BLOCKS, Style.HALF_BLOCKS, Style.STACKED_HALF_BLOCKS)


def _size(grid: Grid | None) -> str:
    """Return the size as "3x3", or "?" for no grid; black grids are invisible otherwise."""
    return "?" if grid is None else f"{len(grid)}x{len(grid[0])}"


def _pair(before: Grid, after: Grid | None, style: Style) -> RenderableType:
    left = draw_cells(canvas_of_grid(before), style)
    right = Text("?", style="bold") if after is None else draw_cells(canvas_of_grid(after), style)
    if style in (Style.STACKED_DIGITS, Style.STACKED_HALF_BLOCKS):
        return Group(left, Text("->"), right)
    table = Table.grid(padding=(0, 1))
    for _ in range(3):
        table.add_column(vertical="middle", no_wrap=True)
    table.add_row(left, Text("->"), right)
    return table


def _figure(figure: Figure) -> RenderableType:
    style = f"bold {palette.FAILURE}" if figure.is_failure else "dim"
    parts: list[RenderableType] = [Text(figure.caption, style=style)]
    if figure.canvas is not None:
        canvas = figure.canvas
        parts.append(_Fitted(lambda style: draw_cells(canvas, style)))
    if figure.items:
        parts.append(_Flow([_figure(item) for item in figure.items]))
    if figure.note:
        parts.append(Text(figure.note, style="dim"))
    return parts[0] if len(parts) == 1 else Group(*parts)
