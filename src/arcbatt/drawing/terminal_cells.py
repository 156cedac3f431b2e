"""A picture of cells and a style in, lines of terminal text out."""

from collections.abc import Mapping
from enum import Enum, auto
from string import ascii_lowercase

from rich.text import Text

from arcbatt.drawing import palette
from arcbatt.drawing.describe import number_text
from arcbatt.drawing.picture import Index, Picture

MAX_CELL_COLUMNS = 6


class Style(Enum):
    """How cells are shown. The stacked styles put the two grids of a pair below one another."""

    BLOCKS = auto()
    HALF_BLOCKS = auto()
    STACKED_HALF_BLOCKS = auto()
    DIGITS = auto()
    TIGHT_DIGITS = auto()
    STACKED_DIGITS = auto()


def draw_cells(picture: Picture, style: Style) -> Text:
    """Return the cells of a picture as text of one line a row, or half a line in half blocks."""
    if not picture.height or not picture.width:
        text = Text("(no cells)", style="dim")
    elif style is Style.BLOCKS:
        text = _blocks(picture)
    elif style in (Style.HALF_BLOCKS, Style.STACKED_HALF_BLOCKS):
        text = _half_blocks(picture)
    else:
        text = _digits(picture, "" if style is not Style.DIGITS else " ")
    if picture.note:
        text.append(f"\n{picture.note}", style="dim")
    text.no_wrap = True
    # Too wide for the terminal even so: the end of a cut line says it.
    text.overflow = "ellipsis"
    return text


def _rows(picture: Picture) -> range:
    return range(picture.top, picture.top + picture.height)


def _columns(picture: Picture) -> range:
    return range(picture.left, picture.left + picture.width)


def _owners(picture: Picture) -> dict[Index, int]:
    """Return which patch is seen at an index: the last one that covers it."""
    return {index: k for k, patch in enumerate(picture.patches) for index in patch.cells}


def _number_at(picture: Picture, index: Index, owners: Mapping[Index, int]) -> int | None:
    """Return the number that is seen at an index, None where there is none."""
    if index in owners:
        number = picture.patches[owners[index]].cells[index]
        if number is not None:
            return number
    return picture.grid.get(index)


def _is_shaded(picture: Picture, index: Index, owners: Mapping[Index, int]) -> bool:
    return index in owners and picture.patches[owners[index]].cells[index] is None


def _colour_at(picture: Picture, index: Index, owners: Mapping[Index, int]) -> str | None:
    """Return the colour that is seen at an index, None where there is nothing."""
    number = _number_at(picture, index, owners)
    if index not in owners:
        if number is None:
            return None
        colour = palette.colour_of(number)
        return palette.dimmed(colour) if picture.patches else colour
    if not _is_shaded(picture, index, owners):
        return palette.colour_of(number) if number is not None else None
    shade = palette.SHADES[owners[index] % len(palette.SHADES)]
    return shade if number is None else palette.mix(palette.colour_of(number), shade, 0.7)


def _letter(picture: Picture, index: Index, owners: Mapping[Index, int]) -> str:
    """Return a letter for the patch at an index if there are several patches to tell apart."""
    if len(picture.patches) < 2 or index not in owners:
        return ""
    return ascii_lowercase[owners[index] % len(ascii_lowercase)]


def _cell_text(text: str, columns: int) -> str:
    return text.rjust(columns) if len(text) <= columns else "#" * columns


def _blocks(picture: Picture) -> Text:
    """Two columns of background colour a cell, more where odd numbers need them."""
    owners = _owners(picture)
    labels: dict[Index, str] = {}
    for row in _rows(picture):
        for column in _columns(picture):
            number = _number_at(picture, (row, column), owners)
            is_odd = number is not None and not palette.is_colour(number)
            digits = number_text(number) if number is not None and is_odd else ""
            labels[row, column] = digits + _letter(picture, (row, column), owners)
    widest = max(map(len, labels.values()))
    columns = max(2, min(widest, MAX_CELL_COLUMNS))
    text = Text()
    for row in _rows(picture):
        if row != picture.top:
            text.append("\n")
        for column in _columns(picture):
            colour = _colour_at(picture, (row, column), owners)
            if colour is None:
                text.append(_cell_text("." if picture.patches else "", columns), style="dim")
            else:
                style = f"{palette.text_on(colour)} on {colour}"
                text.append(_cell_text(labels[row, column], columns), style=style)
    return text


def _half_blocks(picture: Picture) -> Text:
    """One column a cell and two rows a line: the upper cell in front, the lower behind it."""
    owners = _owners(picture)
    text = Text()
    for row in _rows(picture)[::2]:
        if row != picture.top:
            text.append("\n")
        for column in _columns(picture):
            upper = _colour_at(picture, (row, column), owners)
            lower = None
            if row + 1 in _rows(picture):
                lower = _colour_at(picture, (row + 1, column), owners)
            if upper is None and lower is None:
                text.append(" ")
            elif upper is None:
                text.append("▄", style=f"{lower}")
            elif lower is None:
                text.append("▀", style=f"{upper}")
            else:
                text.append("▀", style=f"{upper} on {lower}")
    return text


def _digits(picture: Picture, gap: str) -> Text:
    """The number of each cell; under patches only theirs, "#" for an index, "." for the rest."""
    owners = _owners(picture)
    cells: dict[Index, str] = {}
    for row in _rows(picture):
        for column in _columns(picture):
            index = (row, column)
            if picture.patches and index not in owners:
                cells[index] = "." if index in picture.grid else " "
            elif _is_shaded(picture, index, owners):
                cells[index] = _letter(picture, index, owners) or "#"
            else:
                number = _number_at(picture, index, owners)
                digits = number_text(number) if number is not None else ""
                cells[index] = digits + _letter(picture, index, owners)
    columns = min(max(map(len, cells.values())), MAX_CELL_COLUMNS)
    # Numbers of several digits would run into one another.
    gap = gap if columns == 1 else " "
    return Text(
        "\n".join(
            gap.join(_cell_text(cells[row, column], columns) for column in _columns(picture))
            for row in _rows(picture)
        )
    )
