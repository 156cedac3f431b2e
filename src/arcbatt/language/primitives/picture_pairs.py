"""Combine two pictures: one masks, colors or fills the other, or is put into each of its cells."""

from __future__ import annotations

from collections.abc import Iterator

from ..failure import empty, out_of_range
from ..registry import Searched, primitive
from ..values import Picture, Pictures, Value
from .picture_drawing import grow, over, resample
from .picture_lists import in_order, n_colors
from .picture_tools import n_rows, n_shown, picture, require_cells, width
from .pictures import holes, shrink

# The most rows and columns of a result, as in grids of tasks.
MAX_SIDE = 30
MAX_TIMES = 10


def _masked(colors: Picture, shape: Picture) -> Value:
    """Return one picture's cells where another of its size is not 0, at (0, 0)."""
    return picture(
        0,
        0,
        (
            [color if shown else 0 for color, shown in zip(*lines, strict=True)]
            for lines in zip(colors[1], shape[1], strict=True)
        ),
    )


def _multiplied(coarse: Picture, fine: Picture, is_colored: bool) -> Value:
    """Replace each non-zero cell of a picture by a copy of another, in the cell's color or not."""
    high, wide = n_rows(coarse) * n_rows(fine), width(coarse) * width(fine)
    if max(high, wide) > MAX_SIDE:
        raise out_of_range(f"join_two: more than {MAX_SIDE} rows or columns")
    require_cells(high, wide)

    def rows() -> Iterator[list[int]]:
        for line in coarse[1]:
            for inner in fine[1]:
                yield [
                    (color if is_colored else cell) if color and cell else 0
                    for color in line
                    for cell in inner
                ]

    return picture(0, 0, rows())


def _filled(larger: Picture, smaller: Picture) -> Value:
    """Return a picture with another in the box of its holes, enlarged as much as fits."""
    place, grid = larger
    # Measured from its own corner, so that no place is out of range.
    frame: Picture = ((0, 0), grid)
    hole: Picture = shrink(holes(frame))  # type: ignore[arg-type, assignment]
    times = min(n_rows(hole) // n_rows(smaller), width(hole) // width(smaller), MAX_TIMES)
    if times < 1:
        raise empty("join_two: no hole that one fits in")
    grown: Picture = grow(smaller, times)  # type: ignore[assignment]
    filled: Picture = over((hole[0], grown[1]), frame)  # type: ignore[assignment]
    return place, filled[1]


@primitive(
    "Pictures, Code[0..4] -> Picture",
    ties="of two with as many colors the smaller is the key, then the first in order",
    searched=Searched(),
    examples=(
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 3, 0, 0),))}, 0) == ((0, 0), ((1, 0),))",
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 0, 0, 3),))}, 1) == "
        "((0, 0), ((1, 0, 0, 2),))",
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 0),))}, 2) == ((0, 0), ((1, 0, 2, 0),))",
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 0),))}, 3) == ((0, 0), ((1, 2, 0, 0),))",
        "join_two({((5, 5), ((1,),)), ((0, 0), ((2, 2, 2), (2, 0, 2), (2, 2, 2)))}, 4) == "
        "((0, 0), ((2, 2, 2), (2, 1, 2), (2, 2, 2)))",
    ),
    brief="the two pictures of a list combined; the key has more colors, the mask fewer: 0 key "
    "where the mask is not 0, 1 the same in the mask's size, 2 for each cell of the key "
    "the mask in its color, 3 for each cell of the mask the key, 4 the smaller one put "
    "into the holes of the larger",
)
def join_two(pictures: Pictures, code: int) -> Value:
    """The two pictures of a list that have shown cells, combined.

    The key is the one of more colors, the mask the other. By code: 0 the key where the mask,
    resampled to the key's size, is not 0; 1 the key, resampled to the mask's size, where the mask
    is not 0; 2 each non-zero cell of the key replaced by the mask in that cell's color; 3 each
    non-zero cell of the mask replaced by the key; these lie at (0, 0). 4 the picture with the
    larger frame, with the other one on it: enlarged as far as it fits into the box of the holes (at
    most 10 times), at the upper left corner of that box. Fails as empty unless exactly two pictures
    have shown cells, or if the other does not fit (4); with `out of range` if the result would have
    more than 30 rows or columns (2, 3).
    """
    shown = [p for p in in_order(pictures) if n_shown(p)]
    if len(shown) != 2:
        raise empty(f"join_two: {len(shown)} pictures in which something is shown")
    if code == 4:
        smaller, larger = sorted(shown, key=lambda p: n_rows(p) * width(p))
        return _filled(larger, smaller)
    key, mask = sorted(shown, key=lambda p: (-n_colors(p), n_rows(p) * width(p)))
    if code == 0:
        return _masked(key, resample(mask, (n_rows(key), width(key))))  # type: ignore[arg-type]
    if code == 1:
        return _masked(resample(key, (n_rows(mask), width(mask))), mask)  # type: ignore[arg-type]
    return _multiplied(key, mask, True) if code == 2 else _multiplied(mask, key, False)
