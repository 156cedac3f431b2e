"""Properties and patterns that demos show: each property can be shared, and broken."""

from __future__ import annotations

from itertools import product
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine import _engine
from arcbatt.engine.cpu.calls import evaluate_data
from arcbatt.solving.properties import (
    PROPERTIES,
    SharedProperties,
)
from arcbatt.tasks import Grid, Pair, Task

# Of each property demos that share it, a test input with a grid that has it, and one that lacks it.
FIELD: Grid = ((1, 0, 0), (0, 0, 0), (0, 0, 2))
CASES: dict[str, tuple[list[tuple[Grid, Grid]], Grid, Grid, Grid]] = {
    "the same colors turn into the same": (
        [(((1, 0),), ((2, 0),)), (((1, 1),), ((2, 2),))],
        ((0, 1),),
        ((0, 2),),
        ((0, 3),),
    ),
    "the same colors change": (
        [(((1, 0),), ((2, 0),)), (((1, 1),), ((3, 3),))],
        ((0, 1),),
        ((0, 4),),
        ((4, 1),),
    ),
    "cells change to the same colors": (
        [(((1, 0),), ((2, 0),)), (((0, 0),), ((2, 2),))],
        ((0, 3),),
        ((0, 2),),
        ((0, 4),),
    ),
    "as many colors turn into others": (
        [(((1, 0),), ((2, 0),)), (((3, 3),), ((4, 4),))],
        ((0, 1),),
        ((5, 1),),
        ((5, 6),),
    ),
    "only the background changes": (
        [(((1, 0, 0),), ((1, 2, 0),)), (((3, 3, 1),), ((3, 2, 1),))],
        ((0, 0, 4),),
        ((5, 0, 4),),
        ((0, 0, 5),),
    ),
    "cells change only to the background": (
        [(((1, 0, 0),), ((0, 0, 0),)), (((3, 3, 2),), ((3, 3, 3),))],
        ((0, 0, 4),),
        ((0, 0, 0),),
        ((0, 0, 5),),
    ),
    "as many regions change": (
        [(((1, 0, 0, 0),), ((1, 2, 3, 0),)), (((3, 3, 1),), ((3, 2, 1),))],
        ((0, 0, 0, 4),),
        ((5, 6, 7, 4),),
        ((5, 0, 5, 4),),
    ),
    "every changed region is a rectangle": (
        [(FIELD, ((1, 3, 3), (0, 3, 4), (0, 0, 2))), (FIELD, ((1, 0, 0), (3, 3, 3), (0, 0, 2)))],
        FIELD,
        ((1, 3, 3), (0, 0, 0), (5, 5, 2)),
        ((1, 3, 3), (0, 0, 3), (0, 0, 2)),
    ),
    "changed regions have one size": (
        [(((1, 0, 0, 0),), ((1, 2, 2, 0),)), (((3, 3, 1, 3),), ((2, 3, 1, 2),))],
        ((0, 0, 0, 4),),
        ((5, 0, 0, 5),),
        ((5, 0, 5, 5),),
    ),
    "fewer cells are background than before": (
        [(((1, 0, 0),), ((1, 2, 0),)), (((3, 3, 1),), ((3, 1, 1),))],
        ((0, 0, 4),),
        ((0, 4, 4),),
        ((0, 0, 5),),
    ),
    "the output is not the input": (
        [(((1, 0),), ((0, 1),)), (((2, 2),), ((2,),))],
        ((1, 2),),
        ((2, 1),),
        ((1, 2),),
    ),
    "the output has the input's size, or one multiple of it": (
        [(((1, 0),), ((0, 1, 1, 1),)), (((2,),), ((2, 2),))],
        ((1, 2, 3),),
        ((1, 2, 3, 3, 2, 1),),
        ((1, 2, 3),),
    ),
    "outputs have one size": (
        [(((1, 0),), ((5, 6),)), (((2,),), ((6, 6),))],
        ((1, 2, 3),),
        ((7, 7),),
        ((7,), (7,)),
    ),
    "the output is larger and contains the input": (
        [(((1, 2),), ((0, 1, 2),)), (((3,), (4,)), ((3, 3), (4, 4), (0, 0)))],
        ((5, 6),),
        ((0, 0), (5, 6)),
        ((0, 5), (6, 0)),
    ),
    "no outermost row or column is all background": (
        [(FIELD, ((1, 0), (0, 1))), (FIELD, ((3,),))],
        FIELD,
        ((4, 0, 4), (0, 0, 0), (4, 0, 4)),
        ((4, 0, 0), (4, 0, 0)),
    ),
    "outputs have the same colors": (
        [(((1, 0),), ((5, 6),)), (((2,),), ((6, 5, 5),))],
        ((1, 2),),
        ((5,), (6,)),
        ((5,), (5,)),
    ),
    "the same colors are new": (
        [(((1, 0),), ((5, 1),)), (((2,),), ((2, 5, 5),))],
        ((3, 4),),
        ((3, 5),),
        ((3, 4),),
    ),
    "the same colors are lost": (
        [(((1, 0),), ((5, 1),)), (((0, 2),), ((2, 5, 5),))],
        ((3, 0),),
        ((3, 5),),
        ((0, 5),),
    ),
    "as many colors are lost": (
        [(((1, 0),), ((5, 1),)), (((3, 2),), ((2, 5, 5),))],
        ((3, 0),),
        ((0, 5),),
        ((6, 5),),
    ),
    "all colors of the input are there": (
        [(((1, 0),), ((5, 1, 0),)), (((2,),), ((2,),))],
        ((3, 4),),
        ((3, 4, 9),),
        ((3, 3),),
    ),
    "no color is new": (
        [(((1, 0),), ((1,),)), (((2,),), ((2, 2),))],
        ((3, 4),),
        ((3,),),
        ((3, 5),),
    ),
    "as many cells of each color as before": (
        [(((1, 0),), ((0, 1),)), (((2, 2),), ((2,), (2,)))],
        ((3, 4),),
        ((4,), (3,)),
        ((4,), (4,)),
    ),
    "outputs have as many colors": (
        [(((1, 0),), ((5, 6),)), (((2,),), ((7, 8, 8),))],
        ((1, 2),),
        ((1,), (6,)),
        ((5,), (5,)),
    ),
    "the background is the input's": (
        [(((1, 1, 0),), ((1, 1, 1),)), (((2, 2),), ((2, 2, 5),))],
        ((3, 3, 4),),
        ((3, 3),),
        ((4, 4, 3),),
    ),
    "outputs have the same background": (
        [(((1, 1, 0),), ((4, 4, 1),)), (((2, 2),), ((4, 5, 4),))],
        ((3, 3, 4),),
        ((4, 4, 3),),
        ((3, 3, 4),),
    ),
    "outputs are the same upside down": (
        [(FIELD, ((1, 2), (1, 2))), (FIELD, ((3,), (4,), (3,)))],
        FIELD,
        ((1, 5),),
        ((1,), (2,)),
    ),
    "outputs are the same left to right": (
        [(FIELD, ((1, 1), (2, 2))), (FIELD, ((3, 4, 3),))],
        FIELD,
        ((1,), (5,)),
        ((1, 2),),
    ),
    "outputs are the same turned around": (
        [(FIELD, ((1, 2), (2, 1))), (FIELD, ((3, 4, 3),))],
        FIELD,
        ((5, 1, 5),),
        ((1, 2),),
    ),
    "outputs are the same transposed": (
        [(FIELD, ((1, 2), (2, 1))), (FIELD, ((3,),))],
        FIELD,
        ((5, 1), (1, 6)),
        ((5, 1), (2, 6)),
    ),
    "outputs have as many parts": (
        [(FIELD, ((1, 0, 1),)), (FIELD, ((1, 2),))],
        FIELD,
        ((3, 0, 4),),
        ((3, 3, 4, 5),),
    ),
    "as many parts as in the input": (
        [(((1, 0, 0, 1),), ((0, 0, 1), (2, 0, 0))), (((2, 2),), ((2,),))],
        ((0, 0, 1),),
        ((0, 2, 2),),
        ((1, 0, 1),),
    ),
    "no part is a single cell": (
        [(((0, 0, 0),), ((0, 1, 1),)), (((2, 2),), ((2,),))],
        ((0, 0, 1),),
        ((2, 2, 0),),
        ((2, 0, 0),),
    ),
    "no shape of a part is new": (
        [(((0, 0, 1, 1),), ((0, 2, 2),)), (((2, 2),), ((2,),))],
        ((0, 0, 0, 3),),
        ((0, 4, 0, 4),),
        ((0, 4, 4, 0),),
    ),
    "parts have the shapes of the input's": (
        [(((0, 0, 1, 1),), ((0, 2, 2, 0),)), (((2, 2),), ((2,),))],
        ((0, 0, 0, 3),),
        ((4, 0, 0, 0),),
        ((4, 0, 4, 0),),
    ),
}


def test_every_property_has_a_case() -> None:
    assert CASES.keys() == PROPERTIES.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_property_is_shared_and_can_be_broken(name: str) -> None:
    demos, test_input, has, lacks = CASES[name]
    task = Task("made", tuple(Pair(*demo) for demo in demos), (test_input,), "tests")
    shared = SharedProperties(task)
    assert name in shared.values
    assert name not in shared.oddities(0, has).broken
    assert name in shared.oddities(0, lacks).broken
    # A demo that is otherwise ends it.
    odd = Task("odd", (*task.demos, Pair(test_input, lacks)), (test_input,), "tests")
    assert name not in SharedProperties(odd).values


def test_a_demo_breaks_nothing_of_its_own_task() -> None:
    for demos, *_ in CASES.values():
        pairs = tuple(Pair(*demo) for demo in demos)
        task = Task("made", pairs, tuple(pair.input for pair in pairs), "tests")
        shared = SharedProperties(task)
        for k, pair in enumerate(pairs):
            odd = shared.oddities(k, pair.output)
            assert odd.broken == () and odd.newness == 0


def test_patterns_that_no_demo_shows_are_counted_beyond_what_demos_have() -> None:
    flat: Grid = ((0, 0, 0),) * 3
    striped: Grid = ((0, 0, 0), (1, 1, 1), (0, 0, 0))
    checked: Grid = ((0, 1, 0), (1, 0, 1), (0, 1, 0))
    alike = Task("alike", (Pair(flat, striped), Pair(flat, striped)), (flat, checked), "tests")
    shared = SharedProperties(alike)
    assert shared.oddities(0, striped).newness == 0
    # The two windows of a checkerboard occur in no demo, but in the second test input.
    assert shared.oddities(0, checked).newness == log2(1 + 2)
    assert shared.oddities(1, checked).newness == 0
    # Demos whose outputs are unlike each other allow a test output to be unlike them.
    other: Grid = ((5, 6, 7), (6, 5, 5), (7, 5, 6))
    unlike = Task("unlike", (Pair(flat, striped), Pair(flat, other)), (flat,), "tests")
    assert SharedProperties(unlike).oddities(0, checked).newness == 0
    # Grids of one row have no windows.
    assert _engine.windows_of(bytes([1, 2, 3]), 3) == bytes(10000 // 8)


@st.composite
def _grids(draw: st.DrawFn) -> Grid:
    width = draw(st.integers(1, 7))
    row = st.tuples(*[st.integers(0, 2)] * width)
    return tuple(draw(st.lists(row, min_size=1, max_size=7)))


@given(_grids())
def test_parts_are_the_objects_of_the_language(grid: Grid) -> None:
    ground = evaluate_data("mostcolor", (grid,))
    objects = evaluate_data("objects", (grid, True, True, True))
    assert isinstance(ground, int) and isinstance(objects, frozenset)
    shapes = _engine.shapes_of(b"".join(map(bytes, grid)), len(grid[0]), ground)
    assert sorted(shapes) == sorted(_shape_of({place for _, place in each}) for each in objects)  # type: ignore[union-attr, misc]


def _shape_of(places: set[tuple[int, int]]) -> bytes:
    rows, columns = ({place[axis] for place in places} for axis in (0, 1))
    width = max(columns) - min(columns) + 1
    box = product(range(min(rows), max(rows) + 1), range(min(columns), max(columns) + 1))
    return bytes([width, *(place in places for place in box)])


@given(_grids())
def test_windows_are_the_parts_of_a_grid_that_two_by_two_cells_show(grid: Grid) -> None:
    shown = {
        1000 * grid[row][column]
        + 100 * grid[row + 1][column]
        + 10 * grid[row][column + 1]
        + grid[row + 1][column + 1]
        for row in range(len(grid) - 1)
        for column in range(len(grid[0]) - 1)
    }
    windows = int.from_bytes(_engine.windows_of(b"".join(map(bytes, grid)), len(grid[0])), "little")
    assert windows == sum(1 << window for window in shown)


@pytest.mark.parametrize(
    ("cells", "width", "fault"),
    [
        (b"", 1, "width"),
        (bytes(3), 2, "width"),
        (bytes(256), 256, "wider"),
        (b"\x0a", 1, "above 9"),
    ],
)
def test_cells_that_are_no_grid_are_refused(cells: bytes, width: int, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        _engine.shapes_of(cells, width, 0)
    with pytest.raises(ValueError, match=fault):
        _engine.windows_of(cells, width)
