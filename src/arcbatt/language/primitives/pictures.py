"""Steps from picture to picture: each does to a whole picture what takes a solver many lines.

Nothing to give is the empty picture, not a failure, so that a step can be tried on anything.
"""

from __future__ import annotations

from ..domains import Number, Picture
from ..registry import primitive
from ..values import Value
from .picturing import picture

# --- colours ---


@primitive(
    "Picture, Color -> Picture",
    examples=(
        "keep_color(((0, 0), ((1, 2), (2, 3))), 2) == ((0, 0), ((0, 2), (2, 0)))",
        "keep_color(((3, 1), ((1, 1),)), 4) == ((3, 1), ((0, 0),))",
    ),
)
def keep_color(p: Picture, color: Number) -> Value:
    """The cells of one colour; all others become 0."""
    (row, column), grid = p
    return picture(row, column, ([c if c == color else 0 for c in line] for line in grid))
