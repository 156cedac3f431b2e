"""Figures: the cells and captions that show a value, independent of the output format.

A `Canvas` is a window on the plane of cells: a grid, and patches over it. A `Figure` is a caption
with a canvas or with further figures. Terminal, SVG and PNG all draw figures.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from arcbatt.drawing.describe import Kind, describe, member_types
from arcbatt.language.types import ANY, Type
from arcbatt.language.values import Cell, ordered
from arcbatt.plurals import count
from arcbatt.tasks import Grid

Index = tuple[int, int]

# The longest side that is drawn, in cells; the rest is cut off, with a note. Intermediate values
# can be far larger than any grid of a task.
MAX_SIDE = 96
# The most cells beyond a grid to which patches over it are drawn.
MAX_OUTSIDE = 16
# The elements of a container that are drawn, and the nesting depth.
MAX_ITEMS = 12
MAX_DEPTH = 3


@dataclass(frozen=True)
class Patch:
    """Cells drawn over a grid: index -> color, or None in a set of indices."""

    cells: Mapping[Index, int | None]


@dataclass(frozen=True)
class Canvas:
    """The cells in the window of `height` x `width` cells whose upper left cell is (top, left).

    `grid` holds the colors of the grid's cells in the window, `patches` the cells over them. The
    note says how much was cut off.
    """

    top: int
    left: int
    height: int
    width: int
    grid: Mapping[Index, int]
    patches: tuple[Patch, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A caption, with a canvas or items if there is more to show."""

    caption: str
    canvas: Canvas | None = None
    items: tuple["Figure", ...] = ()
    note: str = ""
    is_failure: bool = False


def canvas_of_grid(grid: Grid) -> Canvas:
    """Return the canvas of a grid, which may be ragged, empty or very large."""
    height, width = _shape(grid)
    shown_height, shown_width = min(height, MAX_SIDE), min(width, MAX_SIDE)
    note = ""
    if (shown_height, shown_width) != (height, width):
        note = f"the first {shown_height}x{shown_width} cells of {height}x{width}"
    window = (0, 0, shown_height, shown_width)
    return Canvas(*window, _cells_in(grid, window), note=note)


def canvas_of_patches(patches: Sequence[Patch], over: Grid | None) -> Canvas:
    """Return the canvas of patches over a grid, or alone if `over` is None.

    The window extends up to `MAX_OUTSIDE` cells beyond the grid.
    """
    window = _window([index for patch in patches for index in patch.cells], over)
    shown = tuple(
        Patch({index: color for index, color in patch.cells.items() if _is_in(index, window)})
        for patch in patches
    )
    n_hidden = sum(len(patch.cells) for patch in patches) - sum(len(patch.cells) for patch in shown)
    note = f"{count(n_hidden, 'cell')} beyond this drawing" if n_hidden else ""
    return Canvas(*window, _cells_in(over or (), window), shown, note)


def figure_of(value: object, over: Grid | None = None, known: Type = ANY, depth: int = 0) -> Figure:
    """Return the figure of any value; patches and pictures are drawn over the grid `over`.

    `known` is the type of the value, if known.
    """
    described = describe(value, known)
    kind, caption = described.kind, described.caption
    if kind is Kind.FAILURE:
        return Figure(caption, is_failure=True)
    if not isinstance(value, tuple | frozenset):
        return Figure(caption)
    if kind is Kind.GRID:
        return Figure(caption, canvas_of_grid(tuple(value)))
    if kind in (Kind.OBJECT, Kind.INDICES):
        return Figure(caption, canvas_of_patches([_patch_of(frozenset(value))], over))
    if kind is Kind.CELL:
        return Figure(caption, canvas_of_patches([_patch_of(frozenset([value]))], over))
    if kind is Kind.PATCHES:
        patches = [_patch_of(cast(frozenset[Any], each)) for each in ordered(value)]
        return Figure(caption, canvas_of_patches(patches, over))
    if kind is Kind.PICTURE:
        patch = _patch_of_picture(value)
        return Figure(caption, canvas_of_patches([patch], over) if patch.cells else None)
    if kind is Kind.PICTURES:
        patches = [_patch_of_picture(each) for each in ordered(value)]
        if any(patch.cells for patch in patches) and _are_apart(patches):
            return Figure(caption, canvas_of_patches(patches, over))
    if kind in (Kind.GRIDS, Kind.PICTURES, Kind.CONTAINER) and depth < MAX_DEPTH:
        elements = ordered(value)
        items = tuple(
            figure_of(element, over, each, depth + 1)
            for element, each in zip(elements[:MAX_ITEMS], member_types(known), strict=False)
        )
        n_hidden = len(elements) - len(items)
        return Figure(caption, items=items, note=f"and {n_hidden} more" if n_hidden else "")
    return Figure(caption)


def canvases_in(figure: Figure) -> Iterable[Canvas]:
    """Yield all canvases of a figure and its items."""
    if figure.canvas is not None:
        yield figure.canvas
    for item in figure.items:
        yield from canvases_in(item)


_Window = tuple[int, int, int, int]  # top, left, height, width


def _shape(grid: Grid) -> tuple[int, int]:
    return len(grid), max((len(row) for row in grid), default=0)


def _cells_in(grid: Grid, window: _Window) -> dict[Index, int]:
    top, left, height, width = window
    first_row, first_column = max(top, 0), max(left, 0)
    return {
        (row, column): color
        for row, cells in enumerate(grid[first_row : top + height], first_row)
        for column, color in enumerate(cells[first_column : left + width], first_column)
    }


def _patch_of(patch: frozenset[Any]) -> Patch:
    """Return the patch of an object (the last color wins at an index) or of indices."""
    if describe(patch).kind is Kind.OBJECT:
        return Patch({index: color for color, index in cast(Sequence[Cell], ordered(patch))})
    return Patch(dict.fromkeys(cast(Sequence[Index], ordered(patch))))


def _patch_of_picture(picture: Any) -> Patch:
    """Return all cells of a picture, including those of color 0."""
    (top, left), grid = picture
    return Patch(
        {
            (row, column): color
            for row, cells in enumerate(grid, top)
            for column, color in enumerate(cells, left)
        }
    )


def _are_apart(patches: Sequence[Patch]) -> bool:
    """Return whether no two patches overlap, so that one drawing can show all."""
    n_cells = sum(len(patch.cells) for patch in patches)
    return len({index for patch in patches for index in patch.cells}) == n_cells


def _is_in(index: Index, window: _Window) -> bool:
    top, left, height, width = window
    return top <= index[0] < top + height and left <= index[1] < left + width


def _window(indices: Sequence[Index], over: Grid | None) -> _Window:
    limit = MAX_SIDE
    first, last = (0, 0), (-1, -1)
    if over is not None:
        height, width = (min(side, MAX_SIDE) for side in _shape(over))
        first, last = (0, 0), (height - 1, width - 1)
        limit = MAX_SIDE + 2 * MAX_OUTSIDE
        # Cells beyond the limit are not shown, so they must not widen the window.
        reach = (-MAX_OUTSIDE, -MAX_OUTSIDE, height + 2 * MAX_OUTSIDE, width + 2 * MAX_OUTSIDE)
        indices = [index for index in indices if _is_in(index, reach)]
    elif indices:
        first = last = indices[0]
    rows = [first[0], last[0], *(row for row, _ in indices)]
    columns = [first[1], last[1], *(column for _, column in indices)]
    top, left = min(rows), min(columns)
    if not indices and over is None:
        return 0, 0, 0, 0
    return top, left, min(max(rows) + 1 - top, limit), min(max(columns) + 1 - left, limit)
