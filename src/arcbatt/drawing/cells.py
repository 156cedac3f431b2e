"""Convert a canvas of cells to drawing commands.

Cell (row, column) of the window starts at pixel (column * cell, row * cell). Lines between cells
are one pixel wide, so a grid of n columns is n * cell + 1 pixels wide.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from arcbatt.drawing import palette
from arcbatt.drawing.describe import number_text
from arcbatt.drawing.figures import Canvas, Index, Patch
from arcbatt.drawing.scene import Block, Box, Boxes, Command, Label, Polygon

# The target for the longest side of a canvas in pixels, and the limits of the cell size.
TARGET_SIDE = 300
MIN_CELL = 6
MAX_CELL = 26


def cell_size(canvases: Iterable[Canvas]) -> int:
    """Return the cell size in pixels, shared by canvases that are shown together."""
    longest = max((max(p.height, p.width) for p in canvases), default=1)
    return max(MIN_CELL, min(MAX_CELL, TARGET_SIDE // max(longest, 1)))


def canvas_block(canvas: Canvas, cell: int) -> Block:
    """Return the block of a canvas with cells of `cell` pixels."""
    commands: list[Command] = []
    is_backdrop = bool(canvas.patches)
    if is_backdrop:
        # A light net over empty cells of the window makes distances readable.
        window = {
            (row, column)
            for row in range(canvas.top, canvas.top + canvas.height)
            for column in range(canvas.left, canvas.left + canvas.width)
        }
        outside = window - canvas.grid.keys()
        if outside:
            commands.append(Boxes(tuple(_net(outside, canvas, cell)), palette.VOID_LINE, 0.35))
    commands += _cells(canvas.grid, canvas, cell, is_backdrop)
    for number, patch in enumerate(canvas.patches):
        commands += _patch(patch, number, canvas, cell)
    if is_backdrop and canvas.grid:
        commands.append(_frame(canvas, cell))
    return Block(canvas.width * cell + 1, canvas.height * cell + 1, tuple(commands))


def empty_block(side: int) -> Block:
    """Return a dashed square for a canvas that has no cells or is unknown."""
    n_dashes = 2 * max(2, side // 12) + 1  # including gaps, with a dash at either end
    ends = [round(k * (side + 1) / n_dashes) for k in range(n_dashes + 1)]
    boxes: list[Box] = []
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        boxes += [(start, 0, end - start, 1), (start, side, end - start, 1)]
        boxes += [(0, start, 1, end - start), (side, start, 1, end - start)]
    return Block(side + 1, side + 1, (Boxes(tuple(boxes), palette.VOID_LINE),))


def _place(index: Index, canvas: Canvas, cell: int) -> tuple[int, int]:
    return (index[1] - canvas.left) * cell, (index[0] - canvas.top) * cell


def _cells(
    colors: Mapping[Index, int], canvas: Canvas, cell: int, is_backdrop: bool
) -> list[Command]:
    """Fill the cells, one command per color, and draw the lines between them."""
    fade = palette.dimmed if is_backdrop else str
    by_color: dict[str, list[Index]] = defaultdict(list)
    odd: list[tuple[Index, int]] = []
    for index, number in sorted(colors.items()):
        by_color[palette.color_of(number)].append(index)
        if not palette.is_color(number):
            odd.append((index, number))
    commands: list[Command] = [
        Boxes(tuple(_filled(indices, canvas, cell)), fade(color))
        for color, indices in sorted(by_color.items())
    ]
    for index, _ in odd:
        commands += _hatch(index, canvas, cell, fade(palette.ODD_HATCH))
    if colors:
        commands.append(Boxes(tuple(_net(colors, canvas, cell)), fade(palette.GRID_LINE)))
    commands += [_digits(index, number, canvas, cell) for index, number in odd]
    return commands


def _filled(indices: Iterable[Index], canvas: Canvas, cell: int) -> Iterable[Box]:
    """Yield boxes that fill sorted cells; adjacent cells of a row share a box."""
    for row, first, end in runs(indices):
        x, y = _place((row, first), canvas, cell)
        yield x, y, (end - first) * cell + 1, cell + 1


def runs(indices: Iterable[Index]) -> Iterable[tuple[int, int, int]]:
    """Yield (row, first, end) for each horizontal run in sorted `indices`."""
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


def _net(indices: Collection[Index], canvas: Canvas, cell: int) -> Iterable[Box]:
    """Yield the lines around all cells, merged where they are collinear."""
    horizontal = {(row + below, column) for row, column in indices for below in (0, 1)}
    for row, first, end in runs(sorted(horizontal)):
        x, y = _place((row, first), canvas, cell)
        yield x, y, (end - first) * cell + 1, 1
    vertical = {(column + right, row) for row, column in indices for right in (0, 1)}
    for column, first, end in runs(sorted(vertical)):
        x, y = _place((first, column), canvas, cell)
        yield x, y, 1, (end - first) * cell + 1


def _hatch(index: Index, canvas: Canvas, cell: int, fill: str) -> Iterable[Command]:
    """Yield two diagonal stripes across a cell."""
    x, y = _place(index, canvas, cell)
    stripe = max(1, cell // 6)
    for start in (cell // 2, cell):
        # A stripe runs from (start, 0) down to (0, start), clipped to the cell.
        far = min(start + stripe, cell)
        cut = start + stripe - far
        points = ((start, 0), (far, 0), (far, cut), (cut, far), (0, far), (0, start))
        yield Polygon(tuple((x + dx, y + dy) for dx, dy in points), fill)


def _digits(index: Index, number: int, canvas: Canvas, cell: int) -> Label:
    x, y = _place(index, canvas, cell)
    text = number_text(number)
    size = max(4, round(min(cell * 0.6, cell / (0.62 * len(text)))))
    baseline = y + round(cell / 2 + size * 0.36)
    return Label(x + cell // 2, baseline, text, size, palette.ODD_TEXT, "middle")


def _patch(patch: Patch, number: int, canvas: Canvas, cell: int) -> list[Command]:
    """Draw the cells of one patch and the outline of their border."""
    colors = {index: color for index, color in patch.cells.items() if color is not None}
    cells = _cells(colors, canvas, cell, is_backdrop=False)
    # Digits come last, so that the outline does not cover them.
    digits = [command for command in cells if isinstance(command, Label)]
    commands = [command for command in cells if not isinstance(command, Label)]
    shaded = sorted(index for index, color in patch.cells.items() if color is None)
    outline = palette.OUTLINES[number % len(palette.OUTLINES)]
    if shaded:
        shade = palette.SHADES[number % len(palette.SHADES)]
        outline = palette.mix(shade, "#FFFFFF", 0.55)
        commands.append(Boxes(tuple(_filled(shaded, canvas, cell)), shade, 0.62))
    bright = min(3, max(1, cell // 6))
    border = patch.cells.keys()
    for thickness, fill in ((bright + max(1, bright // 2), palette.RIM), (bright, outline)):
        boxes = tuple(_outline(border, canvas, cell, thickness))
        if boxes:
            commands.append(Boxes(boxes, fill))
    return [*commands, *digits]


def _outline(
    indices: Collection[Index], canvas: Canvas, cell: int, thickness: int
) -> Iterable[Box]:
    """Yield strips along the border of a patch, inside its own cells.

    Outlines of touching patches therefore lie side by side.
    """
    last = cell + 1 - thickness
    for row, column in sorted(indices):
        x, y = _place((row, column), canvas, cell)
        strips = {
            (-1, 0): (x, y, cell + 1, thickness),
            (1, 0): (x, y + last, cell + 1, thickness),
            (0, -1): (x, y, thickness, cell + 1),
            (0, 1): (x + last, y, thickness, cell + 1),
        }
        free = {step for step in strips if (row + step[0], column + step[1]) not in indices}
        for step in sorted(free):
            yield strips[step]
        # At an inner corner, fill the joint between the strips of two neighbors.
        for down in (-1, 1):
            for right in (-1, 1):
                if (down, 0) in free or (0, right) in free:
                    continue
                if (row + down, column + right) not in indices:
                    corner_x = x if right < 0 else x + last
                    corner_y = y if down < 0 else y + last
                    yield corner_x, corner_y, thickness, thickness


def _frame(canvas: Canvas, cell: int) -> Boxes:
    """Draw the border of the grid, to separate it from cells beyond it."""
    rows = [row for row, _ in canvas.grid]
    columns = [column for _, column in canvas.grid]
    x, y = _place((min(rows), min(columns)), canvas, cell)
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
