"""A grid in, the smallest picture of it out: a PNG of one pixel a cell, for pages of thousands.

The page says how large a cell is shown (`image-rendering: pixelated`).
"""

from base64 import b64encode
from io import BytesIO

from markupsafe import Markup
from PIL import Image

from arcbatt.drawing.pages import trusted
from arcbatt.drawing.palette import COLORS
from arcbatt.tasks import Grid

# The longer side of a thumbnail, in pixels, for grids that are not larger themselves.
THUMBNAIL_SIDE = 60
_PALETTE = bytes.fromhex("".join(color[1:] for color in COLORS))


def png_pixels(grid: Grid) -> bytes:
    """Return a grid of ARC colours as PNG, one pixel a cell."""
    image = Image.frombytes("P", (len(grid[0]), len(grid)), b"".join(map(bytes, grid)))
    image.putpalette(_PALETTE)
    file = BytesIO()
    image.save(file, "PNG", bits=4, compress_level=9)
    return file.getvalue()


def thumbnail(grid: Grid) -> Markup:
    """Return a small picture of a grid as HTML, its cells as large as there is room for."""
    cell = max(THUMBNAIL_SIDE // max(len(grid), len(grid[0])), 2)
    style = f"image-rendering:pixelated;display:inline;margin:0 4px;height:{cell * len(grid)}px"
    return trusted(f'<img alt="" src="{data_url(grid)}" style="{style}">')


def data_url(grid: Grid) -> str:
    """Return the picture of a grid as an address that needs no file."""
    return "data:image/png;base64," + b64encode(png_pixels(grid)).decode()
