"""Line charts as SVG or PNG, with axes, round ticks and a legend.

The vertical axis includes 0, so that heights can be compared. Lines with very many points are
reduced to the extremes per pixel column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from arcbatt.drawing import palette
from arcbatt.drawing.png import render_png
from arcbatt.drawing.scene import (
    Block,
    Boxes,
    Command,
    Label,
    Polyline,
    beside,
    flow,
    stack,
    text_block,
    text_width,
    with_margin,
)
from arcbatt.drawing.svg import render_svg

PLOT_WIDTH = 440
PLOT_HEIGHT = 220
N_COLUMNS = 2
N_TICKS = 5
NEAR = 0.1
MARGIN = 20
GAP = 8
CHART_GAP = 36
TITLE_SIZE = 17
CHART_TITLE_SIZE = 14
LABEL_SIZE = 12
LINE_WIDTH = 2
AXIS_OPACITY = 0.9
GRID_OPACITY = 0.3

# Distinct colors, readable on white and on black.
COLORS = (
    "#2F7FD6",
    "#E4572E",
    "#2A9D6F",
    "#B05CD6",
    "#D19A00",
    "#17A2B8",
    "#D6498F",
    "#7A8B2A",
    "#8C6D5A",
    "#6C7BD9",
    "#E08A5B",
    "#7F8C99",
)

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """Points (x, y), sorted by x, with a name for the legend."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines in one pair of axes; `top` is the end of the vertical axis, if given."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    top: float | None = None


def svg_charts(title: str, charts: Sequence[Chart]) -> str:
    """Return charts under a title as SVG."""
    return render_svg(lay_out_charts(title, charts))


def png_charts(title: str, charts: Sequence[Chart]) -> bytes:
    """Return charts under a title as PNG."""
    return render_png(lay_out_charts(title, charts))


def lay_out_charts(title: str, charts: Sequence[Chart]) -> Block:
    """Lay out charts in rows of two."""
    blocks = [lay_out_chart(chart) for chart in charts]
    rows = [beside(blocks[k : k + N_COLUMNS], CHART_GAP) for k in range(0, len(blocks), N_COLUMNS)]
    heading = text_block(title, TITLE_SIZE, palette.STRONG_TEXT, bold=True)
    return with_margin(stack([heading, *rows], CHART_GAP - GAP), MARGIN)


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers, its end pixels, and its ticks."""

    low: float
    high: float
    start: int
    end: int
    ticks: tuple[float, ...]

    def place(self, number: float) -> float:
        """Return the pixel of a number."""
        part = (number - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def label(self, tick: float) -> str:
        """Return a tick as text, with the decimals needed to distinguish ticks."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else 1
        return f"{tick:,.{max(0, -floor(log10(step) + 1e-9))}f}"


def round_step(span: float, whole: bool) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a span into about five."""
    step = 10.0 ** floor(log10(span / N_TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if factor * step * N_TICKS >= span * 0.999)
    return max(step, 1.0) if whole else step


def _ticks(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(k * step for k in range(ceil(low / step - 1e-6), floor(high / step + 1e-6) + 1))


def _x_axis(numbers: Sequence[float], start: int) -> Axis:
    """Return an axis that ends at the largest number and starts at 0 if that is near."""
    low, high = min(numbers, default=0), max(numbers, default=1)
    if 0 < low < NEAR * high:
        low = 0
    if high == low:
        high = low + 1
    ticks = _ticks(low, high, round_step(high - low, whole=False))
    return Axis(low, high, start, start + PLOT_WIDTH, ticks)


def _y_axis(numbers: Sequence[float], top: float | None, start: int) -> Axis:
    """Return an axis that includes 0 and ends at ticks."""
    low = min(0, *numbers) if numbers else 0
    high = max(numbers, default=0) if top is None else top
    if high <= low:
        high = low + 1
    whole = all(number == floor(number) for number in (*numbers, high))
    step = round_step(high - low, whole)
    low = floor(low / step + 1e-6) * step
    high = ceil(high / step - 1e-6) * step
    return Axis(low, high, start, start - PLOT_HEIGHT, _ticks(low, high, step))


def lay_out_chart(chart: Chart) -> Block:
    """Lay out one chart."""
    points = [point for line in chart.lines for point in line.points]
    if not all(isfinite(x) and isfinite(y) for x, y in points):
        raise ValueError(f"{chart.title}: a chart needs finite numbers")
    bottom = PLOT_HEIGHT + LABEL_SIZE
    y_axis = _y_axis([y for _, y in points], chart.top, bottom)
    left = GAP + max(text_width(y_axis.label(tick), LABEL_SIZE) for tick in y_axis.ticks)
    x_axis = _x_axis([x for x, _ in points], left)
    commands: list[Command] = [*_draw_axes(x_axis, y_axis, left, bottom)]
    for line, color in zip(chart.lines, _colors(), strict=False):
        if line.points:
            places = [(x_axis.place(x), y_axis.place(y)) for x, y in line.points]
            commands.append(Polyline(tuple(thin_out(places)), color, LINE_WIDTH))
    if not points:
        middle = (left + PLOT_WIDTH // 2, bottom - PLOT_HEIGHT // 2)
        commands.append(Label(*middle, "no numbers", LABEL_SIZE, palette.TEXT, "middle"))
    below = bottom + 2 * GAP + 2 * LABEL_SIZE
    end = left + PLOT_WIDTH
    commands.append(Label(end, below, chart.x_label, LABEL_SIZE, palette.TEXT, "end"))
    width = end + text_width(x_axis.label(x_axis.ticks[-1]), LABEL_SIZE) // 2
    plot = Block(width, below + GAP // 2, tuple(commands))
    heading = [
        text_block(chart.title, CHART_TITLE_SIZE, palette.STRONG_TEXT, bold=True),
        text_block(chart.y_label, LABEL_SIZE, palette.TEXT),
    ]
    return stack([stack(heading, 4), plot, _legend(chart.lines, width)], GAP)


def _draw_axes(x_axis: Axis, y_axis: Axis, left: int, bottom: int) -> Iterable[Command]:
    rows = [round(y_axis.place(tick)) for tick in y_axis.ticks]
    yield Boxes(tuple((left, y, PLOT_WIDTH, 1) for y in rows), palette.VOID_LINE, GRID_OPACITY)
    columns = [round(x_axis.place(tick)) for tick in x_axis.ticks]
    ticks = tuple((x, bottom, 1, 5) for x in columns)
    zero = round(y_axis.place(0))
    axes = ((left, bottom - PLOT_HEIGHT, 1, PLOT_HEIGHT), (left, zero, PLOT_WIDTH, 1))
    yield Boxes((*axes, *ticks), palette.TEXT, AXIS_OPACITY)
    for tick, y in zip(y_axis.ticks, rows, strict=True):
        text = y_axis.label(tick)
        yield Label(left - GAP, y + LABEL_SIZE // 3, text, LABEL_SIZE, palette.TEXT, "end")
    for tick, x in zip(x_axis.ticks, columns, strict=True):
        text = x_axis.label(tick)
        yield Label(x, bottom + GAP + LABEL_SIZE, text, LABEL_SIZE, palette.TEXT, "middle")


def thin_out(places: Points) -> list[tuple[float, float]]:
    """Return the first, lowest, highest and last point of every column of pixels."""
    columns: dict[int, list[tuple[float, float]]] = {}
    for place in places:
        columns.setdefault(floor(place[0]), []).append(place)
    kept: list[tuple[float, float]] = []
    for members in columns.values():
        if len(members) > 4:
            ys = [y for _, y in members]
            chosen = {0, ys.index(min(ys)), ys.index(max(ys)), len(ys) - 1}
            members = [members[k] for k in sorted(chosen)]
        kept += members
    return kept


def _colors() -> Iterable[str]:
    """Yield colors for any number of lines, then lighter shades of them."""
    part = 0.0
    while True:
        for color in COLORS:
            yield palette.mix(color, "#FFFFFF", part)
        part = (part + 0.35) % 1


def _legend(lines: Sequence[Line], width: int) -> Block:
    """Lay out the names of the lines, if there are several."""
    if len(lines) < 2:
        return Block(0, 0, ())
    entries = []
    for line, color in zip(lines, _colors(), strict=False):
        swatch = Block(14, 4, (Boxes(((0, 0, 14, 4),), color),))
        name = text_block(line.name, LABEL_SIZE, palette.TEXT)
        entries.append(beside([swatch, name], 5, "middle"))
    return flow(entries, width, 2 * GAP, 4)
