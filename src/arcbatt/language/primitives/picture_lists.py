"""Pictures cut into lists of pictures, picked from lists, and put together again.

A list is a set of pictures: its order is that of values, by place first, and no two of its
pictures are equal.
"""

from __future__ import annotations

from ..domains import Picture
from ..registry import primitive
from ..values import Value
from .picturing import cells, picture

# --- cut ---


@primitive(
    "Picture -> Pictures",
    examples=(
        "split_colors(((0, 0), ((1, 2),))) == {((0, 0), ((1, 0),)), ((0, 0), ((0, 2),))}",
        "split_colors(((2, 2), ((0, 0),))) == EMPTY",
    ),
)
def split_colors(p: Picture) -> Value:
    """A picture for each colour but 0, of the same size and place, with that colour alone."""
    (row, column), grid = p
    colors = sorted(set(cells(p)) - {0})
    return frozenset(
        picture(row, column, ([c if c == color else 0 for c in line] for line in grid))
        for color in colors
    )
