"""Tasks and scenes in, PNG files as bytes out: what the SVGs show, on white."""

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from arcbatt.drawing.layout import lay_out_task
from arcbatt.drawing.scene import Block, Boxes, Label, Polygon, Polyline
from arcbatt.tasks import Task

# Pixels of the file for one pixel of the scene: sharp on screens of high resolution too.
SCALE = 2
# How many times as large lines are drawn before they are shrunk to their size.
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
                _draw_label(image, draw, command)
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


def _draw_line(image: Image.Image, line: Polyline) -> None:
    """Draw a line larger than it is and shrink it: Pillow itself draws slanting ones jagged."""
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


def _draw_label(image: Image.Image, draw: ImageDraw.ImageDraw, label: Label) -> None:
    font = _font(label.size * SCALE)
    # The built-in font has one weight; drawn twice, a pixel apart, it stands for bold.
    places = [(label.x * SCALE + dx, label.y * SCALE) for dx in range(1 + label.bold)]
    if isinstance(font, ImageFont.FreeTypeFont):
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[label.anchor]
        for place in places:
            draw.text(place, label.text, label.fill, font, anchor)
        return
    mask = _enlarge(font, label.text, label.size * SCALE)
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    for x, y in places:
        image.paste(label.fill, (int(x - shift * mask.width), y - mask.height), mask)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the built-in font; Pillow 10.0, or one without FreeType, has it in one size alone."""
    try:
        return ImageFont.load_default(size)
    except TypeError:
        return ImageFont.load_default()


def _enlarge(font: ImageFont.ImageFont, text: str, height: int) -> Image.Image:
    """Return text in a font that has one size, brought to another."""
    # It has the letters of Latin-1 alone.
    known = text.encode("latin-1", "replace").decode("latin-1") or " "
    left, top, right, bottom = map(int, font.getbbox(known))
    mask = Image.new("L", (max(right, left + 1), max(bottom, top + 1)))
    ImageDraw.Draw(mask).text((0, 0), known, 255, font)
    return mask.resize((mask.width * height // mask.height, height), Image.Resampling.BICUBIC)
