"""Two pictures made one: one masks, colours or fills the other, or stands in each of its cells."""

from __future__ import annotations

from collections.abc import Iterator

from ..domains import Number, Picture, Pictures
from ..failure import empty, out_of_range
from ..registry import Searched, primitive
from ..values import Value
from .picture_drawing import grow, over, resample
from .picture_lists import in_order, n_colors
from .pictures import holes, shrink
from .picturing import n_rows, n_shown, picture, require_cells, width

# What is put together from two has at most so many rows and columns, as grids of tasks have.
MAX_SIDE = 30
MAX_TIMES = 10


def _masked(colors: Picture, shape: Picture) -> Value:
    """One picture's cells where another of its size is not 0, at (0, 0)."""
    return picture(
        0,
        0,
        (
            [color if shown else 0 for color, shown in zip(*lines, strict=True)]
            for lines in zip(colors[1], shape[1], strict=True)
        ),
    )


def _multiplied(coarse: Picture, fine: Picture, is_colored: bool) -> Value:
    """One picture in each cell of another that is not 0, in that cell's colour or in its own."""
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
    """A picture with another in the box of its holes, enlarged as often as fits."""
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
    ties="of two with as many colours the smaller is the key, then the first in order",
    searched=Searched(495),
    examples=(
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 3, 0, 0),))}, 0) == ((0, 0), ((1, 0),))",
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 0, 0, 3),))}, 1) == "
        "((0, 0), ((1, 0, 0, 2),))",
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 0),))}, 2) == ((0, 0), ((1, 0, 2, 0),))",
        "join_two({((0, 0), ((1, 2),)), ((0, 3), ((3, 0),))}, 3) == ((0, 0), ((1, 2, 0, 0),))",
        "join_two({((5, 5), ((1,),)), ((0, 0), ((2, 2, 2), (2, 0, 2), (2, 2, 2)))}, 4) == "
        "((0, 0), ((2, 2, 2), (2, 1, 2), (2, 2, 2)))",
    ),
)
def join_two(pictures: Pictures, code: Number) -> Value:
    """The two pictures of a list in which something is shown, made one.

    The key is the one of more colours, the other the mask. By code: 0 the key where the mask,
    brought to its size by `resample`, is not 0; 1 the key brought to the mask's size, where that
    is not 0; 2 for each cell of the key the mask in its colour, nothing for 0; 3 for each cell
    of the mask that is not 0 the key; these lie at (0, 0). 4 the one of the larger frame, over it
    the other, enlarged so many times (10 at most) as fits into the box of the larger one's
    holes, from its upper left on. Fails as empty unless something is shown in two, or where
    nothing fits; with `out of range` where it would have more than 30 rows or columns (2, 3).
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
