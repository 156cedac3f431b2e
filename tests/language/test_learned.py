"""Learners of cells, objects and roles: examples, and the engine against `interpret`."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Failure, Reason, all_primitives
from arcbatt.language.budget import Meter, use_meter
from arcbatt.language.calls import call_primitive
from arcbatt.language.failure import CallFailed
from arcbatt.proposers.learn import rule_primitives
from arcbatt.tasks import load
from tests.conftest import grids
from tests.engine.test_engine import check_call

TASKS = {task.id: task for task in load("arc-agi-1/training")}
WORK = {
    name: list(primitive.all_codes())
    for name, primitive in rule_primitives().items()
    if primitive.parameters[:2] == ("S", "I")
}


def give(name: str, *args: Any) -> Any:
    use_meter(Meter(Budget()))
    try:
        return call_primitive(all_primitives()[name], args)
    except CallFailed as failed:
        return failed.failure


def demos_of(task: str) -> Any:
    return tuple((pair.input, pair.output) for pair in TASKS[task].demos)


def grid_of(*rows: str) -> Any:
    return tuple(tuple(map(int, row)) for row in rows)


def failure(reason: Reason) -> Failure:
    return Failure(reason)


# --- the engine agrees ---


@st.composite
def lessons(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw a grid, and demos whose outputs come from their inputs so that rules can be learned."""
    become = draw(st.sampled_from(["renamed", "same", "part", "mirrored", "moved", "any"]))
    names = [0, *draw(st.permutations(range(1, 10)))]
    demos = []
    for grid in draw(st.lists(grids(6), max_size=3)):
        wanted = grid
        if become == "renamed":
            wanted = tuple(tuple(names[cell] for cell in row) for row in grid)
        elif become == "part":
            wanted = grid[: draw(st.integers(1, len(grid)))]
        elif become == "mirrored":
            wanted = tuple(row[::-1] for row in grid)
        elif become == "moved":
            grid = tuple((*row, 0) for row in grid)
            wanted = tuple((0, *row[:-1]) for row in grid)
        elif become == "any":
            wanted = draw(grids(6))
        demos.append((grid, wanted))
    last = draw(grids(6))
    if become == "moved":
        last = tuple((*row, 0) for row in last)
    return tuple(demos), draw(st.sampled_from([last, *(grid for grid, _ in demos)]))


@pytest.mark.slow
@given(lessons(), grids(5))
def test_roles_and_outputs_in_the_engine(lesson: tuple[Any, Any], other: Any) -> None:
    demos, grid = lesson
    check_call("role_demos", [demos])
    check_call("to_roles", [demos, grid])
    check_call("from_roles", [demos, grid, other])
    for k in range(-1, len(demos) + 1):
        check_call("other_output", [demos, k, grid])


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
@given(lessons(), st.data())
def test_learning_in_the_engine(name: str, lesson: tuple[Any, Any], data: st.DataObject) -> None:
    demos, grid = lesson
    for codes in data.draw(st.lists(st.sampled_from(WORK[name]), min_size=8, max_size=8)):
        check_call(name, [demos, grid, *codes])


@pytest.mark.slow
def test_real_tasks_in_the_engine() -> None:
    rng = random.Random(5)
    for task in rng.sample(list(TASKS), 25):
        demos = demos_of(task)
        for grid in [*TASKS[task].test_inputs, demos[0][0]]:
            check_call("to_roles", [demos, grid])
            check_call("from_roles", [demos, grid, demos[0][1]])
            for name, work in WORK.items():
                for codes in rng.sample(work, min(6, len(work))):
                    check_call(name, [demos, grid, *codes])
        check_call("role_demos", [demos])


# --- what they take ---


@pytest.mark.parametrize("name", WORK)
def test_codes_and_colors_are_checked(name: str) -> None:
    demos = (((((1,),), ((1,),))),)
    n_codes = len(WORK[name][0])
    zeros = [0] * n_codes
    for place in range(n_codes):
        for code in (-1, 99):
            codes = [*zeros[:place], code, *zeros[place + 1 :]]
            assert give(name, demos, ((10,),), *codes) == failure(Reason.RANGE)
    for bad in ((), ((),), ((1, 2), (3,)), ((10,),), ((-1,),)):
        for args in ([demos, bad], [((bad, ((1,),)),), ((1,),)], [((((1,),), bad),), ((1,),)]):
            assert give(name, *args, *zeros) == failure(Reason.TYPE)
            check_call(name, [*args, *zeros])
    assert give(name, (), ((1,),), *zeros) == failure(Reason.EMPTY)


# --- roles ---


@pytest.mark.slow
def test_roles_are_a_renaming_that_can_be_undone() -> None:
    for task in list(TASKS.values())[::5]:
        demos = demos_of(task.id)
        renamed = give("role_demos", demos)
        for (grid, wanted), (new_grid, new_wanted) in zip(demos, renamed, strict=True):
            assert give("to_roles", demos, grid) == new_grid
            assert give("from_roles", demos, grid, new_grid) == grid
            assert give("from_roles", demos, grid, new_wanted) == wanted


def test_fixed_colors_come_first() -> None:
    # 7 is in no input, 8 in all of them and in no output; the others get roles by their cells.
    demos = ((grid_of("85560"), grid_of("7550")), (grid_of("84490"), grid_of("7440")))
    renamed = grid_of("23340"), grid_of("1330")
    assert give("role_demos", demos) == (renamed, renamed)


def test_a_color_of_all_inputs_has_its_own_role() -> None:
    demos = ((grid_of("4555"), grid_of("45")), (grid_of("4446"), grid_of("46")))
    assert give("to_roles", demos, grid_of("47777")) == grid_of("12222")
    assert give("to_roles", demos, grid_of("37777")) == grid_of("32222")


# --- cells ---


@pytest.mark.parametrize(
    ("code", "given", "wanted", "grid", "becomes"),
    [
        (0, "12", "32", "21", "23"),
        (1, "000 010 000", "020 212 020", "000 010 000", "020 212 020"),
        (4, "120", "121", "120 120", "121 121"),
        (5, "00100", "33144", "0100", "3144"),
        (6, "11100 10100 11100", "11100 12100 11100", "01110 01010 01110", "01110 01210 01110"),
        (7, "0000 0000", "0101 0000", "000 000 000", "010 000 010"),
        (9, "5555 5555 5555", "2222 2552 2222", "555 555 555", "222 252 222"),
        (13, "1011", "2011", "10011", "20011"),
        (17, "333 303 333 030", "333 313 333 030", "0333 0303 0333", "0333 0313 0333"),
        (20, "1010 0100 0000", "1410 4140 0000", "01010 00100", "01410 04140"),
        (22, "000 010 000", "010 111 010", "000 040 000", "040 444 040"),
        (25, "00100", "11111", "0400", "4444"),
        (28, "1001 0220", "1111 0220", "500053", "555553"),
        (30, "120 340", "121 343", "560", "565"),
    ],
)
def test_cells(code: int, given: str, wanted: str, grid: str, becomes: str) -> None:
    demos = ((grid_of(*given.split()), grid_of(*wanted.split())),)
    assert give("learn_cells", demos, grid_of(*grid.split()), code) == grid_of(*becomes.split())


def test_cells_that_contradict_or_are_unknown_fail() -> None:
    demos = ((grid_of("12"), grid_of("32")), (grid_of("12"), grid_of("42")))
    assert give("learn_cells", demos, grid_of("2"), 0) == failure(Reason.EMPTY)
    assert give("learn_cells", demos[:1], grid_of("2"), 0) == grid_of("2")
    assert give("learn_cells", demos[:1], grid_of("5"), 0) == failure(Reason.EMPTY)
    assert give("learn_cells", ((grid_of("12"), grid_of("3")),), grid_of("1"), 0) == failure(
        Reason.EMPTY
    )


# --- tasks in which every demo follows from the others ---

FOLLOWING = [
    ("learn_cells", (0,), "b1948b0a"),
    ("learn_cells", (28,), "40853293"),
    ("learn_panels", (0, 0), "0520fde7"),
    ("learn_panels", (0, 1), "e98196ab"),
    ("learn_panels", (3, 2), "fafffa47"),
    ("panel_cells", (0, 0), "6773b310"),
    ("fill_panels", (8, 0), "09629e4f"),
    ("fill_panels", (0, 0), "1e32b0e9"),
    ("fill_panels", (2, 1), "29623171"),
    ("continue_pattern", (3, 1), "05269061"),
    ("continue_pattern", (0, 0), "53b68214"),
    ("continue_pattern", (1, 1), "d8c310e9"),
]


@pytest.mark.parametrize(("name", "codes", "task"), FOLLOWING)
def test_each_demo_follows_from_the_others(name: str, codes: tuple[int, ...], task: str) -> None:
    demos = demos_of(task)
    for k, (grid, wanted) in enumerate(demos):
        assert give(name, demos[:k] + demos[k + 1 :], grid, *codes) == wanted
