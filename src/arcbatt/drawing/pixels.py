"""A grid in, the smallest picture of it out: a PNG of one pixel a cell, for pages of thousands.

The page says how large a cell is shown (`image-rendering: pixelated`).
"""

import struct
from base64 import b64encode
from functools import cache
from zlib import compress, crc32

from arcbatt.drawing.palette import COLOURS
from arcbatt.tasks import Grid

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Four bits a pixel, by a table of colours.
_DEPTH, _INDEXED = 4, 3


def png_pixels(grid: Grid) -> bytes:
    """Return a grid of ARC colours as PNG, one pixel a cell."""
    header = struct.pack(">IIBBBBB", len(grid[0]), len(grid), _DEPTH, _INDEXED, 0, 0, 0)
    rows = b"".join(_row(row) for row in grid)
    return _SIGNATURE + b"".join(
        (
            _chunk(b"IHDR", header),
            _colours(),
            _chunk(b"IDAT", compress(rows, 9)),
            _chunk(b"IEND", b""),
        )
    )


def data_url(grid: Grid) -> str:
    """Return the picture of a grid as an address that needs no file."""
    return "data:image/png;base64," + b64encode(png_pixels(grid)).decode()


def _row(row: tuple[int, ...]) -> bytes:
    """A row as the file has it: unfiltered, two pixels a byte."""
    padded = (*row, 0) if len(row) % 2 else row
    pairs = zip(padded[::2], padded[1::2], strict=True)
    return b"\0" + bytes(left << _DEPTH | right for left, right in pairs)


@cache
def _colours() -> bytes:
    return _chunk(b"PLTE", bytes.fromhex("".join(colour[1:] for colour in COLOURS)))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", crc32(kind + content))
    )
