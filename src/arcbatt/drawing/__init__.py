"""Drawings of grids, pairs, tasks and values, for the terminal and as SVG or PNG.

`arcbatt.drawing.charts` draws line charts.
"""

from arcbatt.drawing.describe import Kind, describe
from arcbatt.drawing.png import png_task
from arcbatt.drawing.svg import svg_call, svg_grid, svg_pair, svg_task, svg_value
from arcbatt.drawing.terminal import draw_grid, draw_pair, draw_pairs, draw_task, draw_value

__all__ = [
    "Kind",
    "describe",
    "draw_grid",
    "draw_pair",
    "draw_pairs",
    "draw_task",
    "draw_value",
    "png_task",
    "svg_call",
    "svg_grid",
    "svg_pair",
    "svg_task",
    "svg_value",
]
