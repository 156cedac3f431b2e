"""Render a canvas of cells as terminal text."""

from collections.abc import Mapping
from enum import Enum, auto
from string import ascii_lowercase

from rich.text import Text

from arcbatt.drawing import palette
from arcbatt.drawing.describe import number_text
from arcbatt.drawing.figures import Canvas, Index

MAX_CELL_COLUMNS = 6


class Style(Enum):
    """Styles of cells. The stacked styles put the output of a pair below its input."""

    BLOCKS = auto()
    HALF_BLOCKS = auto()
    STACKED_HALF_BLOCKS = auto()
    DIGITS = auto()
    TIGHT_DIGITS = auto()
    STACKED_DIGITS = auto()


def draw_cells(canvas: Canvas, style: Style) -> Text:
    """Return the cells of a canvas as text, one line per row, or per two rows in half blocks."""
    if not canvas.height or not canvas.width:
        text = Text("(no cells)", style="dim")
    elif style is Style.BLOCKS:
        text = _blocks(canvas)
    elif style in (Style.HALF_BLOCKS, Style.STACKED_HALF_BLOCKS):
        text = _half_blocks(canvas)
    else:
        text = _digits(canvas, "" if style is not Style.DIGITS else " ")
    if canvas.note:
        text.append(f"\n{canvas.note}", style="dim")
    text.no_wrap = True
    # Mark lines that are too wide for the terminal in any style.
    text.overflow = "ellipsis"
    return text


def _rows(canvas: Canvas) -> range:
    return range(canvas.top, canvas.top + canvas.height)


def _columns(canvas: Canvas) -> range:
    return range(canvas.left, canvas.left + canvas.width)


def _owners(canvas: Canvas) -> dict[Index, int]:
    """Return the visible patch per index: the last one that covers it."""
    return {index: k for k, patch in enumerate(canvas.patches) for index in patch.cells}


def _number_at(canvas: Canvas, index: Index, owners: Mapping[Index, int]) -> int | None:
    """Return the visible number at an index, or None."""
    if index in owners:
        number = canvas.patches[owners[index]].cells[index]
        if number is not None:
            return number
    return canvas.grid.get(index)


def _is_shaded(canvas: Canvas, index: Index, owners: Mapping[Index, int]) -> bool:
    return index in owners and canvas.patches[owners[index]].cells[index] is None


def _color_at(canvas: Canvas, index: Index, owners: Mapping[Index, int]) -> str | None:
    """Return the visible color at an index, or None."""
    number = _number_at(canvas, index, owners)
    if index not in owners:
        if number is None:
            return None
        color = palette.color_of(number)
        return palette.dimmed(color) if canvas.patches else color
    if not _is_shaded(canvas, index, owners):
        return palette.color_of(number) if number is not None else None
    shade = palette.SHADES[owners[index] % len(palette.SHADES)]
    return shade if number is None else palette.mix(palette.color_of(number), shade, 0.7)


def _letter(canvas: Canvas, index: Index, owners: Mapping[Index, int]) -> str:
    """Return a letter for the patch at an index if there are several patches."""
    if len(canvas.patches) < 2 or index not in owners:
        return ""
    return ascii_lowercase[owners[index] % len(ascii_lowercase)]


def _cell_text(text: str, columns: int) -> str:
    return text.rjust(columns) if len(text) <= columns else "#" * columns


def _blocks(canvas: Canvas) -> Text:
    """Render cells as background color, two columns each, more if numbers need them."""
    owners = _owners(canvas)
    labels: dict[Index, str] = {}
    for row in _rows(canvas):
        for column in _columns(canvas):
            number = _number_at(canvas, (row, column), owners)
            is_odd = number is not None and not palette.is_color(number)
            digits = number_text(number) if number is not None and is_odd else ""
            labels[row, column] = digits + _letter(canvas, (row, column), owners)
    widest = max(map(len, labels.values()))
    columns = max(2, min(widest, MAX_CELL_COLUMNS))
    text = Text()
    for row in _rows(canvas):
        if row != canvas.top:
            text.append("\n")
        for column in _columns(canvas):
            color = _color_at(canvas, (row, column), owners)
            if color is None:
                text.append(_cell_text("." if canvas.patches else "", columns), style="dim")
            else:
                style = f"{palette.text_on(color)} on {color}"
                text.append(_cell_text(labels[row, column], columns), style=style)
    return text


def _half_blocks(canvas: Canvas) -> Text:
    """Render two rows per line: the upper cell as foreground, the lower as background."""
    owners = _owners(canvas)
    text = Text()
    for row in _rows(canvas)[::2]:
        if row != canvas.top:
            text.append("\n")
        for column in _columns(canvas):
            upper = _color_at(canvas, (row, column), owners)
            lower = None
            if row + 1 in _rows(canvas):
                lower = _color_at(canvas, (row + 1, column), owners)
            if upper is None and lower is None:
                text.append(" ")
            elif upper is None:
                text.append("▄", style=f"{lower}")
            elif lower is None:
                text.append("▀", style=f"{upper}")
            else:
                text.append("▀", style=f"{upper} on {lower}")
    return text


def _digits(canvas: Canvas, gap: str) -> Text:
    """Render numbers; with patches only theirs, "#" for an index and "." for other cells."""
    owners = _owners(canvas)
    cells: dict[Index, str] = {}
    for row in _rows(canvas):
        for column in _columns(canvas):
            index = (row, column)
            if canvas.patches and index not in owners:
                cells[index] = "." if index in canvas.grid else " "
            elif _is_shaded(canvas, index, owners):
                cells[index] = _letter(canvas, index, owners) or "#"
            else:
                number = _number_at(canvas, index, owners)
                digits = number_text(number) if number is not None else ""
                cells[index] = digits + _letter(canvas, index, owners)
    columns = min(max(map(len, cells.values())), MAX_CELL_COLUMNS)
    # Separate numbers of several digits.
    gap = gap if columns == 1 else " "
    return Text(
        "\n".join(
            gap.join(_cell_text(cells[row, column], columns) for column in _columns(canvas))
            for row in _rows(canvas)
        )
    )
