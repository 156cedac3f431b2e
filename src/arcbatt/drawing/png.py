"""Render tasks and scenes as PNG files on a white background."""

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from arcbatt.drawing.layout import lay_out_task
from arcbatt.drawing.scene import Block, Boxes, Label, Polygon, Polyline
from arcbatt.tasks import Task

# Image pixels per scene pixel, for high-resolution screens.
SCALE = 2
# The factor by which lines are drawn larger before they are scaled down.
SMOOTHING = 4
BACKGROUND = "#FFFFFF"


def png_task(task: Task) -> bytes:
    """Return a task as PNG: all demos and the test inputs."""
    return render_png(lay_out_task(task))


def render_png(scene: Block) -> bytes:
    """Return a scene as a PNG file."""
    size = (max(scene.width, 1) * SCALE, max(scene.height, 1) * SCALE)
    image = Image.new("RGB", size, BACKGROUND)
    draw = ImageDraw.Draw(image)
    for command in scene.commands:
        match command:
            case Boxes():
                _draw_boxes(image, draw, command)
            case Polygon(points, fill):
                draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)
            case Polyline():
                _draw_line(image, command)
            case Label():
                _draw_label(draw, command)
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _draw_boxes(image: Image.Image, draw: ImageDraw.ImageDraw, boxes: Boxes) -> None:
    for x, y, width, height in boxes.boxes:
        left, top = x * SCALE, y * SCALE
        right, bottom = (x + width) * SCALE, (y + height) * SCALE
        if boxes.opacity == 1:
            # Pillow includes the last pixel.
            draw.rectangle((left, top, right - 1, bottom - 1), fill=boxes.fill)
        else:
            under = image.crop((left, top, right, bottom))
            over = Image.new("RGB", under.size, boxes.fill)
            image.paste(Image.blend(under, over, boxes.opacity), (left, top))


def _draw_line(image: Image.Image, line: Polyline) -> None:
    """Draw a line at a larger scale and shrink it, as Pillow does not antialias lines."""
    radius = line.width / 2
    points = [(x * SCALE * SMOOTHING, y * SCALE * SMOOTHING) for x, y in line.points]
    reach = SCALE * SMOOTHING * (radius + 1)
    left = int(min(x for x, _ in points) - reach) // SMOOTHING
    top = int(min(y for _, y in points) - reach) // SMOOTHING
    right = int(max(x for x, _ in points) + reach) // SMOOTHING + 1
    bottom = int(max(y for _, y in points) + reach) // SMOOTHING + 1
    size = (right - left, bottom - top)
    mask = Image.new("L", (size[0] * SMOOTHING, size[1] * SMOOTHING))
    draw = ImageDraw.Draw(mask)
    moved = [(x - left * SMOOTHING, y - top * SMOOTHING) for x, y in points]
    draw.line(moved, 255, line.width * SCALE * SMOOTHING, "curve")
    reach = radius * SCALE * SMOOTHING
    for x, y in (moved[0], moved[-1]):
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), 255)
    image.paste(line.stroke, (left, top), mask.resize(size, Image.Resampling.BOX))


def _draw_label(draw: ImageDraw.ImageDraw, label: Label) -> None:
    font = ImageFont.load_default(label.size * SCALE)
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[label.anchor]
    # The built-in font has one weight; bold text is drawn twice, a pixel apart.
    for dx in range(1 + label.bold):
        place = (label.x * SCALE + dx, label.y * SCALE)
        draw.text(place, label.text, label.fill, font, anchor)
