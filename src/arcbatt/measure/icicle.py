"""An icicle chart of a report: time runs to the right, nested phases are stacked downward.

The SVG is self-contained: no script and no external font or style. Hovering over a block shows its
path and times.
"""

from __future__ import annotations

from html import escape

from .report import NS, PHASES, PathTime, Report, TimelineReport

WIDTH = 1000
MARGIN = 16
ROW = 24
HEAD = 28
GAP = 18
LEGEND_ROW = 20
LEGEND_COLUMNS = 4
# Upper estimate for a 12-pixel sans-serif font, so that labels stay inside their blocks.
LETTER_WIDTH = 7.2
MIN_BLOCK = 0.3

# Light enough for black text.
COLORS = (
    "#9ecae1",
    "#fdd0a2",
    "#c7e9c0",
    "#d9f0d3",
    "#dadaeb",
    "#ccebc5",
    "#decbe4",
    "#fdae6b",
    "#a1d99b",
    "#f7d6e6",
    "#fff2ae",
    "#e0e0e0",
)
COLOR_OF: dict[str, str] = dict(zip(PHASES, COLORS, strict=True))


def svg_icicle(report: Report) -> str:
    """Return a chart of all timelines, one below the other, on one time scale."""
    longest_ns = max(timeline.wall_ns for timeline in report.timelines) or 1
    scale = (WIDTH - 2 * MARGIN) / longest_ns
    parts: list[str] = []
    y: float = MARGIN
    for timeline in report.timelines:
        drawn, y = _draw_timeline(timeline, y, scale)
        parts += drawn
    drawn, y = _draw_legend(report.main, y)
    parts += drawn
    height = round(y + MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12" fill="#000">'
    )
    background = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    return "\n".join([head, "<title>time by phase</title>", background, *parts, "</svg>"]) + "\n"


def _draw_timeline(timeline: TimelineReport, top: float, scale: float) -> tuple[list[str], float]:
    label = f"{timeline.name}: {_seconds(timeline.wall_ns)}"
    parts = [f'<text x="{MARGIN}" y="{top + 14:g}" font-weight="bold">{escape(label)}</text>']
    top += HEAD
    # The left edge of the next block per path; a path comes before those nested in it.
    starts: dict[tuple[str, ...], float] = {(): MARGIN}
    depth = 1
    whole, *inner = timeline.paths
    for at in inner:
        around = at.path[:-1]
        left = starts[at.path] = starts[around]
        starts[around] = left + at.total_ns * scale
        depth = max(depth, len(at.path))
        parts += _draw_block(timeline, at, left, top + (len(at.path) - 1) * ROW, scale)
    if whole.self_ns:
        alone = PathTime(("other",), whole.self_ns, whole.self_ns, 0)
        parts += _draw_block(timeline, alone, starts[()], top, scale)
    return parts, top + depth * ROW + GAP


def _draw_block(
    timeline: TimelineReport, at: PathTime, left: float, top: float, scale: float
) -> list[str]:
    width = at.total_ns * scale
    if width < MIN_BLOCK:
        return []
    name = at.path[-1]
    hint = f"{' > '.join(at.path)}: {_seconds(at.total_ns)}, {timeline.share(at.total_ns):.1%}"
    if at.self_ns != at.total_ns:
        hint += f"; self {_seconds(at.self_ns)}"
    if at.n_entered:
        hint += f"; entered {at.n_entered:,} times"
    block = (
        f'<rect x="{left:.2f}" y="{top:g}" width="{width:.2f}" height="{ROW - 1}" '
        f'fill="{COLOR_OF[name]}" stroke="#fff" stroke-width="0.5"/>'
    )
    parts = [f"<g><title>{escape(hint)}</title>", block]
    for label in (f"{name} {_seconds(at.total_ns)}", name):
        if len(label) * LETTER_WIDTH + 8 <= width:
            parts.append(f'<text x="{left + 4:.2f}" y="{top + 16:g}">{escape(label)}</text>')
            break
    return [*parts, "</g>"]


def _draw_legend(timeline: TimelineReport, top: float) -> tuple[list[str], float]:
    """Draw all phases of the main timeline with their own times."""
    parts = []
    column_width = (WIDTH - 2 * MARGIN) / LEGEND_COLUMNS
    for number, each in enumerate(timeline.phases):
        row, column = divmod(number, LEGEND_COLUMNS)
        x, y = MARGIN + column * column_width, top + row * LEGEND_ROW
        text = f"{each.name}  {_seconds(each.ns)}  {timeline.share(each.ns):.1%}"
        fill = COLOR_OF[each.name]
        parts.append(f'<rect x="{x:g}" y="{y:g}" width="12" height="12" fill="{fill}"/>')
        parts.append(f'<text x="{x + 18:g}" y="{y + 10:g}">{escape(text)}</text>')
    n_rows = -(-len(timeline.phases) // LEGEND_COLUMNS)
    return parts, top + n_rows * LEGEND_ROW


def _seconds(ns: int) -> str:
    return f"{ns / NS:.3f} s"
