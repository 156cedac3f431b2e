"""Lay out grids, pairs, tasks and values as blocks of drawing commands.

Grids that are drawn together share one cell size, so that their sizes can be compared.
"""

from collections.abc import Sequence
from math import ceil

from arcbatt.drawing import palette
from arcbatt.drawing.cells import canvas_block, cell_size, empty_block
from arcbatt.drawing.describe import Kind, describe
from arcbatt.drawing.figures import Canvas, Figure, canvas_of_grid, canvases_in, figure_of
from arcbatt.drawing.scene import (
    Block,
    Boxes,
    Label,
    Polygon,
    beside,
    flow,
    stack,
    text_block,
    widen,
    with_margin,
)
from arcbatt.language.types import ANY, Type
from arcbatt.plurals import count
from arcbatt.tasks import Grid, Pair, Task

MARGIN = 16
MAX_WIDTH = 1400
TITLE_SIZE = 17
LABEL_SIZE = 13
GAP = 8
ARROW_GAP = 14
PAIR_GAP = 44
ROW_GAP = 28


def lay_out_grid(grid: Grid) -> Block:
    """Lay out one grid, without a caption."""
    canvas = canvas_of_grid(grid)
    return with_margin(_with_note(canvas, cell_size([canvas])), MARGIN)


def lay_out_pair(pair: Pair) -> Block:
    """Lay out one pair: input, arrow, output."""
    canvases = [canvas_of_grid(pair.input), canvas_of_grid(pair.output)]
    cell = cell_size(canvases)
    left, right = (_with_note(canvas, cell) for canvas in canvases)
    return with_margin(beside([left, _arrow(), right], ARROW_GAP, "middle"), MARGIN)


def lay_out_task(task: Task, attempts: Sequence[Sequence[Grid]] | None = None) -> Block:
    """Lay out a task: its demos, then its test inputs with "?" or the given attempts at them."""
    demos = [(canvas_of_grid(demo.input), canvas_of_grid(demo.output)) for demo in task.demos]
    tests = [canvas_of_grid(grid) for grid in task.test_inputs]
    tried = [[canvas_of_grid(grid) for grid in grids] for grids in attempts or ()]
    shown = [
        *(side for demo in demos for side in demo),
        *tests,
        *(c for each in tried for c in each),
    ]
    cell = cell_size(shown)
    n_tests = len(tests)
    rows = [
        (f"demo {number}", _with_note(before, cell), _with_note(after, cell))
        for number, (before, after) in enumerate(demos, 1)
    ]
    asked = [
        (
            f"test {number}" if n_tests > 1 else "test",
            _with_note(canvas, cell),
            _attempts(tried[number - 1], cell) if tried else _question(cell),
        )
        for number, canvas in enumerate(tests, 1)
    ]
    demo_table, test_table = _pair_tables([rows, asked])
    width = max(demo_table.width, test_table.width)
    rule = Block(width, 1, (Boxes(((0, 0, width, 1),), palette.VOID_LINE, 0.5),))
    heading = stack(
        [
            text_block(task.id, TITLE_SIZE, palette.STRONG_TEXT, bold=True),
            text_block(
                f"{task.source}, {count(len(demos), 'demo')}, {count(n_tests, 'test input')}",
                LABEL_SIZE,
                palette.TEXT,
            ),
        ],
        4,
    )
    return with_margin(stack([heading, demo_table, rule, test_table], ROW_GAP - 6), MARGIN)


def lay_out_value(value: object, over: Grid | None, known: Type = ANY) -> Block:
    """Lay out any value with its caption; patches are drawn over the grid `over`.

    `known` is the type of the value, if known.
    """
    figure = figure_of(value, over, known)
    return with_margin(_figure(figure, cell_size(canvases_in(figure))), MARGIN)


def lay_out_call(args: Sequence[object], result: object) -> Block:
    """Lay out a call: its arguments, an arrow, its result.

    Patches are drawn over the first argument that is a grid.
    """
    over = next((arg for arg in args if describe(arg).kind is Kind.GRID), None)
    figures = [figure_of(value, over) for value in (*args, result)]  # type: ignore[arg-type]
    cell = min(cell_size(canvases_in(figure)) for figure in figures)
    blocks = [_figure(figure, cell) for figure in figures]
    row = beside([*blocks[:-1], _arrow(), blocks[-1]], 2 * ARROW_GAP, "middle")
    return with_margin(row, MARGIN // 2)


def _with_note(canvas: Canvas, cell: int) -> Block:
    """Lay out a canvas with its note about cut-off cells, if any."""
    if not canvas.height or not canvas.width:
        return empty_block(max(cell, 12))
    note = text_block(canvas.note, LABEL_SIZE - 1, palette.TEXT)
    return stack([canvas_block(canvas, cell), note], GAP // 2)


def _figure(figure: Figure, cell: int) -> Block:
    fill = palette.FAILURE if figure.is_failure else palette.TEXT
    parts = [text_block(figure.caption, LABEL_SIZE, fill, bold=figure.is_failure)]
    if figure.canvas is not None:
        parts.append(_with_note(figure.canvas, cell))
    if figure.items:
        items = [_figure(item, cell) for item in figure.items]
        parts.append(flow(items, MAX_WIDTH, 3 * GAP, 2 * GAP))
    parts.append(text_block(figure.note, LABEL_SIZE - 1, palette.TEXT))
    return stack(parts, GAP)


_LabeledPair = tuple[str, Block, Block]


def _pair_tables(sections: Sequence[Sequence[_LabeledPair]]) -> list[Block]:
    """Return one table of labeled pairs per section.

    Inputs, arrows and outputs are aligned in columns across all sections. There are as many columns
    as fit into `MAX_WIDTH` and fill the rows of the first section evenly.
    """
    n_pairs = len(sections[0])
    for n_columns in range(n_pairs, 0, -1):
        columns = [
            [pair for section in sections for pair in section[k::n_columns]]
            for k in range(n_columns)
        ]
        before = [max(left.width for _, left, _ in column) for column in columns]
        after = [max(right.width for _, _, right in column) for column in columns]
        width = sum(before) + sum(after) + n_columns * (_arrow().width + 2 * ARROW_GAP)
        width += (n_columns - 1) * PAIR_GAP
        is_even = n_columns == ceil(n_pairs / ceil(n_pairs / n_columns))
        if is_even and width <= MAX_WIDTH:
            break
    return [
        stack(
            [
                _pair_row(section[k : k + n_columns], before, after)
                for k in range(0, len(section), n_columns)
            ],
            ROW_GAP,
        )
        for section in sections
    ]


def _pair_row(row: Sequence[_LabeledPair], before: Sequence[int], after: Sequence[int]) -> Block:
    """Return one table row, given the widths of inputs and outputs per column."""
    height = max(max(left.height, right.height) for _, left, right in row)
    pairs = []
    for (label, left, right), before_width, after_width in zip(row, before, after, strict=False):
        sides = [widen(left, before_width, height), _arrow(), widen(right, after_width, height)]
        title = text_block(label, LABEL_SIZE, palette.TEXT, bold=True)
        pairs.append(stack([title, beside(sides, ARROW_GAP, "middle")], GAP))
    return beside(pairs, PAIR_GAP)


def _arrow() -> Block:
    shaft = Boxes(((0, 6, 18, 2),), palette.TEXT)
    head = Polygon(((17, 1), (26, 7), (17, 13)), palette.TEXT)
    return Block(26, 14, (shaft, head))


def _attempts(canvases: Sequence[Canvas], cell: int) -> Block:
    """Lay out attempts side by side, most likely first."""
    blocks = [
        stack(
            [text_block(f"attempt {number}", LABEL_SIZE, palette.TEXT), _with_note(canvas, cell)],
            GAP,
        )
        for number, canvas in enumerate(canvases, 1)
    ]
    return beside(blocks, 2 * ARROW_GAP)


def _question(cell: int) -> Block:
    """Return a box with a question mark for an unknown output."""
    side = max(48, 4 * cell)
    border = empty_block(side)
    size = side // 2
    mark = Label(side // 2, side // 2 + round(size * 0.36), "?", size, palette.TEXT, "middle", True)
    return Block(side + 1, side + 1, (*border.commands, mark))
