"""Render grids, pairs, tasks and values as SVG documents.

The background is transparent and text is medium gray, so that a picture works on light and dark
pages. Documents are self-contained.
"""

from collections.abc import Sequence
from html import escape

from arcbatt.drawing.layout import (
    lay_out_call,
    lay_out_grid,
    lay_out_pair,
    lay_out_task,
    lay_out_value,
)
from arcbatt.drawing.scene import Block, Boxes, Command, Label, Polygon, Polyline
from arcbatt.language.types import ANY, Type
from arcbatt.tasks import Grid, Pair, Task

FONT = "system-ui, -apple-system, Helvetica, Arial, sans-serif"


def svg_grid(grid: Grid) -> str:
    """Return a grid as SVG."""
    return render_svg(lay_out_grid(grid))


def svg_pair(pair: Pair) -> str:
    """Return a pair as SVG: input, arrow, output."""
    return render_svg(lay_out_pair(pair))


def svg_task(task: Task) -> str:
    """Return a task as SVG: all demos and the test inputs."""
    return render_svg(lay_out_task(task))


def svg_value(value: object, over: Grid | None = None, known: Type = ANY) -> str:
    """Return any value of the DSL as SVG; patches are drawn over the grid `over`.

    `known` is the type of the value, if known.
    """
    return render_svg(lay_out_value(value, over, known))


def svg_call(args: Sequence[object], result: object) -> str:
    """Return a call as SVG: arguments, arrow, result."""
    return render_svg(lay_out_call(args, result))


def render_svg(scene: Block) -> str:
    """Return a scene as an SVG document."""
    width, height = max(scene.width, 1), max(scene.height, 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}">',
        *(_element(command) for command in scene.commands),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(command: Command) -> str:
    match command:
        case Boxes(boxes, fill, opacity):
            transparency = f' fill-opacity="{opacity}"' if opacity < 1 else ""
            path = "".join(f"M{x} {y}h{width}v{height}h-{width}z" for x, y, width, height in boxes)
            return f'<path fill="{fill}"{transparency} shape-rendering="crispEdges" d="{path}"/>'
        case Polygon(points, fill):
            corners = " ".join(f"{x},{y}" for x, y in points)
            return f'<polygon fill="{fill}" points="{corners}"/>'
        case Polyline(points, stroke, width):
            # A line of length zero shows its round ends.
            ends = points if len(points) > 1 else points * 2
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
            return (
                f'<polyline fill="none" stroke="{stroke}" stroke-width="{width}" '
                f'stroke-linejoin="round" stroke-linecap="round" points="{path}"/>'
            )
        case Label(x, y, text, size, fill, anchor, bold):
            weight = ' font-weight="600"' if bold else ""
            return (
                f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" '
                f'text-anchor="{anchor}"{weight}>{escape(text, quote=False)}</text>'
            )
