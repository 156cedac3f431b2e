"""Grids, pairs, tasks and values in, PNG files as bytes out: the scenes of the SVGs on white."""

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from arcbatt.drawing.layout import lay_out_grid, lay_out_pair, lay_out_task, lay_out_value
from arcbatt.drawing.scene import Block, Boxes, Label, Polygon
from arcbatt.tasks import Grid, Pair, Task

# Pixels of the file for one pixel of the scene: sharp on screens of high resolution too.
SCALE = 2
BACKGROUND = "#FFFFFF"


def png_grid(grid: Grid) -> bytes:
    """Return a grid as PNG."""
    return _render(lay_out_grid(grid))


def png_pair(pair: Pair) -> bytes:
    """Return a pair as PNG: input, arrow, output."""
    return _render(lay_out_pair(pair))


def png_task(task: Task) -> bytes:
    """Return a task as PNG: all demos and the test inputs."""
    return _render(lay_out_task(task))


def png_value(value: object, over: Grid | None = None) -> bytes:
    """Return any value of the DSL as PNG; patches are shown over the grid `over`."""
    return _render(lay_out_value(value, over))


def _render(scene: Block) -> bytes:
    size = (max(scene.width, 1) * SCALE, max(scene.height, 1) * SCALE)
    image = Image.new("RGB", size, BACKGROUND)
    draw = ImageDraw.Draw(image)
    for command in scene.commands:
        match command:
            case Boxes():
                _draw_boxes(image, draw, command)
            case Polygon(points, fill):
                draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)
            case Label():
                _draw_label(draw, command)
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_boxes(image: Image.Image, draw: ImageDraw.ImageDraw, boxes: Boxes) -> None:
    for x, y, width, height in boxes.boxes:
        left, top = x * SCALE, y * SCALE
        right, bottom = (x + width) * SCALE, (y + height) * SCALE
        if boxes.opacity == 1:
            # Pillow counts the last pixel in.
            draw.rectangle((left, top, right - 1, bottom - 1), fill=boxes.fill)
        else:
            under = image.crop((left, top, right, bottom))
            over = Image.new("RGB", under.size, boxes.fill)
            image.paste(Image.blend(under, over, boxes.opacity), (left, top))


def _draw_label(draw: ImageDraw.ImageDraw, label: Label) -> None:
    font = ImageFont.load_default(label.size * SCALE)
    anchor = "ls" if label.anchor == "start" else "ms"
    # The built-in font has one weight; a thin stroke stands in for bold.
    stroke = 0.5 if label.bold else 0
    place = (label.x * SCALE, label.y * SCALE)
    draw.text(place, label.text, label.fill, font, anchor, stroke_width=stroke)
