"""Properties that all demos share: each can be shared, and broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.cpu.calls import evaluate_data
from arcbatt.solving.properties import PROPERTIES, SharedProperties, _part_sizes
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
}


def test_every_property_has_a_case() -> None:
    assert CASES.keys() == PROPERTIES.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_property_is_shared_and_can_be_broken(name: str) -> None:
    demos, test_input, has, lacks = CASES[name]
    task = Task("made", tuple(Pair(*demo) for demo in demos), (test_input,), "tests")
    shared = SharedProperties(task)
    assert name in shared.values
    assert name not in shared.broken(0, has)
    assert name in shared.broken(0, lacks)
    # A demo that is otherwise ends it.
    odd = Task("odd", (*task.demos, Pair(test_input, lacks)), (test_input,), "tests")
    assert name not in SharedProperties(odd).values


def test_a_demo_breaks_nothing_of_its_own_task() -> None:
    for demos, *_ in CASES.values():
        pairs = tuple(Pair(*demo) for demo in demos)
        task = Task("made", pairs, tuple(pair.input for pair in pairs), "tests")
        shared = SharedProperties(task)
        assert all(shared.broken(k, pair.output) == () for k, pair in enumerate(pairs))


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
    sizes = sorted(len(each) for each in objects)  # type: ignore[arg-type]
    assert sorted(_part_sizes(grid, ground)) == sizes
