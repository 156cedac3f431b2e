"""The smallest picture of a grid: a PNG with one pixel per cell, for pages with thousands.

The page scales it up (`image-rendering: pixelated`).
"""

from base64 import b64encode
from collections.abc import Iterable
from io import BytesIO

from markupsafe import Markup, escape
from PIL import Image

from arcbatt.drawing.pages import trusted
from arcbatt.drawing.palette import COLORS
from arcbatt.tasks import Grid

# The longer side of a thumbnail in pixels, unless the grid is larger.
THUMBNAIL_SIDE = 60
# Cell sizes in pixels; the style sheet of pages has a class for each.
MIN_CELL, MAX_CELL = 3, 16
_PALETTE = bytes.fromhex("".join(color[1:] for color in COLORS))


def png_pixels(grid: Grid) -> bytes:
    """Return a grid of ARC colors as PNG with one pixel per cell."""
    image = Image.frombytes("P", (len(grid[0]), len(grid)), b"".join(map(bytes, grid)))
    image.putpalette(_PALETTE)
    file = BytesIO()
    image.save(file, "PNG", bits=4, compress_level=9)
    return file.getvalue()


def thumbnail(grid: Grid) -> Markup:
    """Return a small picture of a grid as HTML."""
    cell = max(THUMBNAIL_SIDE // max(len(grid), len(grid[0])), 2)
    style = f"image-rendering:pixelated;display:inline;margin:0 4px;height:{cell * len(grid)}px"
    return trusted(f'<img alt="" src="{data_url(grid)}" style="{style}">')


def picture(
    grid: Grid,
    side: int,
    *,
    name: str = "",
    max_cell: int = MAX_CELL,
    marked: Iterable[tuple[int, int]] = (),
) -> Markup:
    """Return a grid as HTML, with its longer side about `side` pixels.

    Cells in `marked`, as (row, column), get a frame. There are no inline styles, which the content
    security policy of served pages forbids.
    """
    height, width = len(grid), len(grid[0])
    cell = min(max(side // max(height, width), MIN_CELL), max_cell)
    size = f'width="{width * cell}" height="{height * cell}"'
    frames = "".join(f"M{column} {row}h1v1h-1z" for row, column in sorted(marked))
    marks = ""
    if frames:
        both = "".join(f'<path class="{kind}" d="{frames}"/>' for kind in ("rim", "frame"))
        marks = f'<svg class="marks" viewBox="0 0 {width} {height}" aria-hidden="true">{both}</svg>'
    alt = escape(f"{name}: {height}x{width} grid" if name else f"{height}x{width} grid")
    return trusted(
        f'<i class="g c{cell}"><img alt="{alt}" {size} src="{data_url(grid)}">{marks}</i>'
    )


def data_url(grid: Grid) -> str:
    """Return the picture of a grid as a data URL."""
    return "data:image/png;base64," + b64encode(png_pixels(grid)).decode()
