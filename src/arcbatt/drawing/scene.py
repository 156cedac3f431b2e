"""Drawing commands, and blocks of them that are combined into a scene.

Coordinates are whole pixels, x to the right and y down, and lines and outlines are thin boxes, so
that both renderers (SVG and PNG) draw crisp cells. Only chart curves use fractions of pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Box = tuple[int, int, int, int]  # x, y, width, height
Align = Literal["start", "middle"]
Anchor = Literal["start", "middle", "end"]

# An upper estimate of the average character width of sans-serif fonts, relative to the font size.
# The exact width is known only to the renderer.
CHARACTER_WIDTH = 0.58


@dataclass(frozen=True)
class Boxes:
    """Filled boxes of one color."""

    boxes: tuple[Box, ...]
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[int, int], ...]
    fill: str


@dataclass(frozen=True)
class Polyline:
    """A line through points; a dot if there is only one."""

    points: tuple[tuple[float, float], ...]
    stroke: str
    width: int


@dataclass(frozen=True)
class Label:
    """One line of text; (x, y) is the start, middle or end of its baseline."""

    x: int
    y: int
    text: str
    size: int
    fill: str
    anchor: Anchor = "start"
    bold: bool = False


Command = Boxes | Polygon | Polyline | Label


@dataclass(frozen=True)
class Block:
    """Commands and the size of their area; its upper left corner is (0, 0)."""

    width: int
    height: int
    commands: tuple[Command, ...]


def move(block: Block, dx: int, dy: int) -> tuple[Command, ...]:
    """Return the commands of a block, moved right by `dx` and down by `dy`."""
    return tuple(_move(command, dx, dy) for command in block.commands)


def _move(command: Command, dx: int, dy: int) -> Command:
    match command:
        case Boxes(boxes):
            moved = tuple((x + dx, y + dy, width, height) for x, y, width, height in boxes)
            return replace(command, boxes=moved)
        case Polygon(points):
            return replace(command, points=tuple((x + dx, y + dy) for x, y in points))
        case Polyline(line):
            return replace(command, points=tuple((x + dx, y + dy) for x, y in line))
        case Label(x, y):
            return replace(command, x=x + dx, y=y + dy)


def text_width(text: str, size: int) -> int:
    """Return an upper estimate of the width of text in pixels."""
    return round(len(text) * size * CHARACTER_WIDTH) + 2


def text_block(text: str, size: int, fill: str, bold: bool = False) -> Block:
    """Return one line of text as a block, or an empty block for an empty text."""
    if not text:
        return Block(0, 0, ())
    height = round(size * 1.3)
    label = Label(0, round(size * 1.0), text, size, fill, bold=bold)
    return Block(text_width(text, size), height, (label,))


def beside(blocks: Sequence[Block], gap: int, align: Align = "start") -> Block:
    """Arrange blocks from left to right, aligned at their tops or middles."""
    height = max((block.height for block in blocks), default=0)
    commands: list[Command] = []
    x = 0
    for block in blocks:
        y = (height - block.height) // 2 if align == "middle" else 0
        commands += move(block, x, y)
        x += block.width + gap
    return Block(max(x - gap, 0), height, tuple(commands))


def stack(blocks: Sequence[Block], gap: int) -> Block:
    """Arrange blocks from top to bottom, aligned at the left; skip empty ones."""
    blocks = [block for block in blocks if block.height]
    commands: list[Command] = []
    y = 0
    for block in blocks:
        commands += move(block, 0, y)
        y += block.height + gap
    return Block(
        max((block.width for block in blocks), default=0), max(y - gap, 0), tuple(commands)
    )


def flow(blocks: Sequence[Block], max_width: int, gap: int, row_gap: int) -> Block:
    """Arrange blocks in rows that are at most `max_width` wide."""
    rows: list[list[Block]] = []
    x = 0
    for block in blocks:
        if not rows or x + block.width > max_width:
            rows.append([])
            x = 0
        rows[-1].append(block)
        x += block.width + gap
    return stack([beside(row, gap) for row in rows], row_gap)


def widen(block: Block, width: int, height: int) -> Block:
    """Center a block in an area of at least this width and height."""
    width, height = max(width, block.width), max(height, block.height)
    dx, dy = (width - block.width) // 2, (height - block.height) // 2
    return Block(width, height, move(block, dx, dy))


def with_margin(block: Block, margin: int) -> Block:
    """Add a margin on all four sides."""
    commands = move(block, margin, margin)
    return Block(block.width + 2 * margin, block.height + 2 * margin, commands)
