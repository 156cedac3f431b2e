"""A picture of cells in, a block of drawing commands out.

Cell (row, column) of the window covers the pixels from (column * cell, row * cell); the lines
between cells are one pixel, so a grid of n columns is n * cell + 1 pixels wide.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from arcbatt.drawing import palette
from arcbatt.drawing.describe import number_text
from arcbatt.drawing.picture import Index, Patch, Picture
from arcbatt.drawing.scene import Block, Box, Boxes, Command, Label, Polygon

# The widest side of a picture in pixels that the size of a cell aims at, and its limits.
TARGET_SIDE = 300
MIN_CELL = 6
MAX_CELL = 26


def cell_size(pictures: Iterable[Picture]) -> int:
    """Return the pixels of one cell's side, the same for all pictures that are shown together."""
    longest = max((max(p.height, p.width) for p in pictures), default=1)
    return max(MIN_CELL, min(MAX_CELL, TARGET_SIDE // max(longest, 1)))


def picture_block(picture: Picture, cell: int) -> Block:
    """Return the block of a picture with cells of `cell` pixels."""
    commands: list[Command] = []
    is_backdrop = bool(picture.patches)
    if is_backdrop:
        # Cells of the window that belong to nothing: a light net, so that distances can be read.
        window = {
            (row, column)
            for row in range(picture.top, picture.top + picture.height)
            for column in range(picture.left, picture.left + picture.width)
        }
        outside = window - picture.grid.keys()
        if outside:
            commands.append(Boxes(tuple(_net(outside, picture, cell)), palette.VOID_LINE, 0.35))
    commands += _cells(picture.grid, picture, cell, is_backdrop)
    for number, patch in enumerate(picture.patches):
        commands += _patch(patch, number, picture, cell)
    if is_backdrop and picture.grid:
        commands.append(_frame(picture, cell))
    return Block(picture.width * cell + 1, picture.height * cell + 1, tuple(commands))


def empty_block(side: int) -> Block:
    """Return a dashed square: a picture without cells, or one that is not known."""
    n_dashes = 2 * max(2, side // 12) + 1  # with the gaps, and a dash at either end
    ends = [round(k * (side + 1) / n_dashes) for k in range(n_dashes + 1)]
    boxes: list[Box] = []
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        boxes += [(start, 0, end - start, 1), (start, side, end - start, 1)]
        boxes += [(0, start, 1, end - start), (side, start, 1, end - start)]
    return Block(side + 1, side + 1, (Boxes(tuple(boxes), palette.VOID_LINE),))


def _place(index: Index, picture: Picture, cell: int) -> tuple[int, int]:
    return (index[1] - picture.left) * cell, (index[0] - picture.top) * cell


def _cells(
    colours: Mapping[Index, int], picture: Picture, cell: int, is_backdrop: bool
) -> list[Command]:
    """Fill the cells, one command a colour, and draw the lines between them."""
    fade = palette.dimmed if is_backdrop else str
    by_colour: dict[str, list[Index]] = defaultdict(list)
    odd: list[tuple[Index, int]] = []
    for index, number in sorted(colours.items()):
        by_colour[palette.colour_of(number)].append(index)
        if not palette.is_colour(number):
            odd.append((index, number))
    commands: list[Command] = [
        Boxes(tuple(_filled(indices, picture, cell)), fade(colour))
        for colour, indices in sorted(by_colour.items())
    ]
    for index, _ in odd:
        commands += _hatch(index, picture, cell, fade(palette.ODD_HATCH))
    if colours:
        commands.append(Boxes(tuple(_net(colours, picture, cell)), fade(palette.GRID_LINE)))
    commands += [_digits(index, number, picture, cell) for index, number in odd]
    return commands


def _filled(indices: Iterable[Index], picture: Picture, cell: int) -> Iterable[Box]:
    """Yield boxes that fill the cells (in ascending order), neighbours in a row in one box."""
    for row, first, end in _runs(indices):
        x, y = _place((row, first), picture, cell)
        yield x, y, (end - first) * cell + 1, cell + 1


def _runs(indices: Iterable[Index]) -> Iterable[tuple[int, int, int]]:
    """Yield (row, first, end) for each run of neighbours in ascending `indices`."""
    run: tuple[int, int, int] | None = None
    for row, column in indices:
        if run is not None and run[0] == row and run[2] == column:
            run = (row, run[1], column + 1)
            continue
        if run is not None:
            yield run
        run = (row, column, column + 1)
    if run is not None:
        yield run


def _net(indices: Collection[Index], picture: Picture, cell: int) -> Iterable[Box]:
    """Yield the lines around all cells, each as long as it goes."""
    level = {(row + below, column) for row, column in indices for below in (0, 1)}
    for row, first, end in _runs(sorted(level)):
        x, y = _place((row, first), picture, cell)
        yield x, y, (end - first) * cell + 1, 1
    upright = {(column + right, row) for row, column in indices for right in (0, 1)}
    for column, first, end in _runs(sorted(upright)):
        x, y = _place((first, column), picture, cell)
        yield x, y, 1, (end - first) * cell + 1


def _hatch(index: Index, picture: Picture, cell: int, fill: str) -> Iterable[Command]:
    """Yield two diagonal stripes across a cell."""
    x, y = _place(index, picture, cell)
    stripe = max(1, cell // 6)
    for start in (cell // 2, cell):
        # A stripe runs down to the left, from (start, 0) to (0, start), and is cut at the cell.
        far = min(start + stripe, cell)
        cut = start + stripe - far
        points = ((start, 0), (far, 0), (far, cut), (cut, far), (0, far), (0, start))
        yield Polygon(tuple((x + dx, y + dy) for dx, dy in points), fill)


def _digits(index: Index, number: int, picture: Picture, cell: int) -> Label:
    x, y = _place(index, picture, cell)
    text = number_text(number)
    size = max(4, round(min(cell * 0.6, cell / (0.62 * len(text)))))
    baseline = y + round(cell / 2 + size * 0.36)
    return Label(x + cell // 2, baseline, text, size, palette.ODD_TEXT, "middle")


def _patch(patch: Patch, number: int, picture: Picture, cell: int) -> list[Command]:
    """Draw the cells of one patch and the outline of their border."""
    colours = {index: colour for index, colour in patch.cells.items() if colour is not None}
    cells = _cells(colours, picture, cell, is_backdrop=False)
    # Digits come last: the outline would cut into them.
    digits = [command for command in cells if isinstance(command, Label)]
    commands = [command for command in cells if not isinstance(command, Label)]
    shaded = sorted(index for index, colour in patch.cells.items() if colour is None)
    outline = palette.OUTLINES[number % len(palette.OUTLINES)]
    if shaded:
        shade = palette.SHADES[number % len(palette.SHADES)]
        outline = palette.mix(shade, "#FFFFFF", 0.55)
        commands.append(Boxes(tuple(_filled(shaded, picture, cell)), shade, 0.62))
    bright = min(3, max(1, cell // 6))
    border = patch.cells.keys()
    for thickness, fill in ((bright + max(1, bright // 2), palette.RIM), (bright, outline)):
        boxes = tuple(_outline(border, picture, cell, thickness))
        if boxes:
            commands.append(Boxes(boxes, fill))
    return [*commands, *digits]


def _outline(
    indices: Collection[Index], picture: Picture, cell: int, thickness: int
) -> Iterable[Box]:
    """Yield strips along the border of a patch, inside its own cells.

    Staying inside lets the outlines of two patches that touch lie side by side.
    """
    last = cell + 1 - thickness
    for row, column in sorted(indices):
        x, y = _place((row, column), picture, cell)
        strips = {
            (-1, 0): (x, y, cell + 1, thickness),
            (1, 0): (x, y + last, cell + 1, thickness),
            (0, -1): (x, y, thickness, cell + 1),
            (0, 1): (x + last, y, thickness, cell + 1),
        }
        free = {step for step in strips if (row + step[0], column + step[1]) not in indices}
        for step in sorted(free):
            yield strips[step]
        # An inner corner: the strips of the two neighbours end here and need a joint.
        for down in (-1, 1):
            for right in (-1, 1):
                if (down, 0) in free or (0, right) in free:
                    continue
                if (row + down, column + right) not in indices:
                    corner_x = x if right < 0 else x + last
                    corner_y = y if down < 0 else y + last
                    yield corner_x, corner_y, thickness, thickness


def _frame(picture: Picture, cell: int) -> Boxes:
    """Draw the border of the grid, so that it can be told from what lies beyond it."""
    rows = [row for row, _ in picture.grid]
    columns = [column for _, column in picture.grid]
    x, y = _place((min(rows), min(columns)), picture, cell)
    width = (max(columns) + 1 - min(columns)) * cell + 1
    height = (max(rows) + 1 - min(rows)) * cell + 1
    line = 1 if cell < 12 else 2
    boxes = (
        (x, y, width, line),
        (x, y + height - line, width, line),
        (x, y, line, height),
        (x + width - line, y, line, height),
    )
    return Boxes(boxes, palette.TEXT)
