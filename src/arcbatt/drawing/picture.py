"""A value of the DSL in, what there is to see of it out: pictures of cells, nothing of pixels.

A `Picture` is a window on the plane of cells: a grid in it, patches over the grid. A `Figure` is
a picture or a line of text with a caption, or a group of figures. Terminal, SVG and PNG all draw
figures, so that they show the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from arcbatt.drawing.describe import Kind, count, describe
from arcbatt.language.values import Cell, ordered
from arcbatt.tasks import Grid

Index = tuple[int, int]

# Values in the middle of a program can be far larger than any task's grid. More cells a side
# than this are cut off, with a note.
MAX_SIDE = 96
# How far patches beyond the frame of their grid are followed, in cells.
MAX_OUTSIDE = 16
# Elements of a container, and containers in containers, that are drawn one by one.
MAX_ITEMS = 12
MAX_DEPTH = 3


@dataclass(frozen=True)
class Patch:
    """Cells drawn over a grid: index -> colour, or index -> None where it is a set of indices."""

    cells: Mapping[Index, int | None]


@dataclass(frozen=True)
class Picture:
    """The cells in the window of `height` x `width` cells whose upper left cell is (top, left).

    `grid` holds the colours of the grid's cells in the window, `patches` what lies over them. A
    note says what was cut off.
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
    """A caption with a picture, with items, or with neither, where the caption says it all."""

    caption: str
    picture: Picture | None = None
    items: tuple["Figure", ...] = ()
    note: str = ""
    is_failure: bool = False


def picture_of_grid(grid: Grid) -> Picture:
    """Return the picture of a grid, which may be ragged, empty, or larger than a task's."""
    height, width = _shape(grid)
    shown_height, shown_width = min(height, MAX_SIDE), min(width, MAX_SIDE)
    note = ""
    if (shown_height, shown_width) != (height, width):
        note = f"the first {shown_height}x{shown_width} cells of {height}x{width}"
    window = (0, 0, shown_height, shown_width)
    return Picture(*window, _cells_in(grid, window), note=note)


def picture_of_patches(patches: Sequence[frozenset[Any]], over: Grid | None) -> Picture:
    """Return the picture of objects and sets of indices over a grid, or alone if `over` is None.

    The window holds the grid and what lies up to `MAX_OUTSIDE` cells beyond it.
    """
    cells = [_patch_cells(patch) for patch in patches]
    window = _window([index for patch in cells for index in patch], over)
    shown = tuple(
        Patch({index: colour for index, colour in patch.items() if _is_in(index, window)})
        for patch in cells
    )
    n_hidden = sum(map(len, cells)) - sum(len(patch.cells) for patch in shown)
    note = f"{count(n_hidden, 'cell')} beyond this picture" if n_hidden else ""
    return Picture(*window, _cells_in(over or (), window), shown, note)


def figure_of(value: object, over: Grid | None = None, depth: int = 0) -> Figure:
    """Return the figure of any value; patches in it are shown over the grid `over`."""
    described = describe(value)
    kind, caption = described.kind, described.caption
    if kind is Kind.FAILURE:
        return Figure(caption, is_failure=True)
    if not isinstance(value, tuple | frozenset):
        return Figure(caption)
    if kind is Kind.GRID:
        return Figure(caption, picture_of_grid(tuple(value)))
    if kind in (Kind.OBJECT, Kind.INDICES):
        return Figure(caption, picture_of_patches([frozenset(value)], over))
    if kind is Kind.CELL:
        return Figure(caption, picture_of_patches([frozenset([value])], over))
    if kind is Kind.PATCHES:
        patches = cast(Sequence[frozenset[Any]], ordered(value))
        return Figure(caption, picture_of_patches(patches, over))
    if kind in (Kind.GRIDS, Kind.CONTAINER) and depth < MAX_DEPTH:
        elements = ordered(value)
        items = tuple(figure_of(element, over, depth + 1) for element in elements[:MAX_ITEMS])
        n_hidden = len(elements) - len(items)
        return Figure(caption, items=items, note=f"and {n_hidden} more" if n_hidden else "")
    return Figure(caption)


def pictures_in(figure: Figure) -> Iterable[Picture]:
    """Yield all pictures of a figure and of the figures in it."""
    if figure.picture is not None:
        yield figure.picture
    for item in figure.items:
        yield from pictures_in(item)


_Window = tuple[int, int, int, int]  # top, left, height, width


def _shape(grid: Grid) -> tuple[int, int]:
    return len(grid), max((len(row) for row in grid), default=0)


def _cells_in(grid: Grid, window: _Window) -> dict[Index, int]:
    top, left, height, width = window
    first_row, first_column = max(top, 0), max(left, 0)
    return {
        (row, column): colour
        for row, cells in enumerate(grid[first_row : top + height], first_row)
        for column, colour in enumerate(cells[first_column : left + width], first_column)
    }


def _patch_cells(patch: frozenset[Any]) -> dict[Index, int | None]:
    """Return index -> colour of an object, where the last colour in order wins, or -> None."""
    if describe(patch).kind is Kind.OBJECT:
        return {index: colour for colour, index in cast(Sequence[Cell], ordered(patch))}
    return dict.fromkeys(cast(Sequence[Index], ordered(patch)))


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
        # Cells beyond the limit must not widen the window: they are not shown in any case.
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
