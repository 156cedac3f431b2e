"""Patterns continued and two parts combined: what they mean, and that the engine agrees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Reason, all_primitives

from .conftest import grids
from .test_engine import check_call, run_call
from .test_learned import TASKS, demos_of, failure, give, grid_of

WAYS = list(all_primitives()["combine_two"].all_codes())
FORMS = list(all_primitives()["continue_pattern"].all_codes())


@st.composite
def patterns(draw: st.DrawFn) -> Any:
    """Demos, and a grid that shows a part of something that repeats."""
    kinds = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    down, along = draw(st.integers(-2, 3)), draw(st.integers(0, 3))
    size = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    shown = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    rows = tuple(
        tuple(
            kinds[(down * i + along * j) % len(kinds)] if i < shown[0] and j < shown[1] else 0
            for j in range(size[1])
        )
        for i in range(size[0])
    )
    larger = tuple((row * 2)[: len(row) + 2] for row in rows)
    demos = draw(st.sampled_from([(), ((rows, rows),), ((rows, larger),), ((rows, ((1,),)),)]))
    return demos, draw(st.sampled_from([rows, rows[: shown[0]]]))


@given(patterns())
def test_patterns_in_the_engine(lesson: Any) -> None:
    for codes in FORMS:
        check_call("continue_pattern", [*lesson, *codes])


@st.composite
def two_parts(draw: st.DrawFn) -> Any:
    """A grid with a larger part, often made of blocks, and a smaller one."""
    small = draw(grids(3))
    n = draw(st.integers(1, 3))
    mask = [[8 * (cell % 2) for cell in row for _ in range(n)] for row in small for _ in range(n)]
    height, width = len(mask), len(mask[0])
    how = draw(st.sampled_from(["beside", "lines", "squares", "framed"]))
    if how == "squares":
        side = min(len(small), len(small[0]))
        rows = [[*row[:side], *(9 * (cell > 3) for cell in row[:side])] for row in small[:side]]
        return tuple(map(tuple, rows))
    if how == "framed":
        mask = [[5] * (width + 2), *([5, *row, 5] for row in mask), [5] * (width + 2)]
        height, width = height + 2, width + 2
    gap = 7 if how == "lines" else 0
    total = width + 1 + len(small[0])
    rows = [[*row, gap, *[0] * len(small[0])] for row in mask]
    rows += [[gap] * total]
    rows += [[0] * width + [gap] + list(row) for row in small]
    return tuple(map(tuple, rows))


@given(two_parts())
def test_two_parts_in_the_engine(grid: Any) -> None:
    for codes in WAYS:
        check_call("combine_two", [grid, *codes])


@pytest.mark.parametrize(
    ("task", "codes"),
    [
        ("6b9890af", (1, 4)),
        ("6ecd11f4", (1, 3)),
        ("77fdfe62", (2, 2)),
        ("7c008303", (2, 2)),
        ("b190f7f5", (0, 0)),
    ],
)
def test_two_parts_of_tasks(task: str, codes: tuple[int, ...]) -> None:
    for grid, wanted in demos_of(task):
        assert give("combine_two", grid, *codes) == wanted
    for grid in TASKS[task].test_inputs:
        check_call("combine_two", [grid, *codes])


def test_how_two_parts_are_combined() -> None:
    grid = grid_of("808002", "080800", "808000", "080800")
    first, second = ("8080", "0808", "8080", "0808"), ("2",)
    assert give("combine_two", grid, 1, 0) == grid_of(*(row.replace("8", "2") for row in first))
    assert give("combine_two", grid, 1, 1) == grid_of(*(row.replace("8", *second) for row in first))
    assert give("combine_two", grid, 1, 2) == give("combine_two", grid, 1, 0)
    assert give("combine_two", grid, 1, 3) == failure(Reason.EMPTY)
    assert give("combine_two", grid, 1, 4) == grid_of("8080", "0228", "8220", "0808")
    for codes in WAYS:
        assert give("combine_two", grid_of("1"), *codes) == failure(Reason.EMPTY)
    uneven = grid_of("888011", "888033")
    assert give("combine_two", uneven, 1, 2) == failure(Reason.EMPTY)
    assert give("combine_two", grid_of("880102"), 1, 0) == failure(Reason.EMPTY)
    assert give("combine_two", grid_of("8801"), 1, 4) == failure(Reason.EMPTY)
    wide = ((1,) * 50 + (0,) + (2,) * 50,)
    budget = Budget(steps=1000)
    assert run_call("combine_two", [wide, 1, 0], budget).outcome == failure(Reason.BUDGET)
    check_call("combine_two", [wide, 1, 0], budget)


@pytest.mark.parametrize(
    ("form", "hidden", "given_rows", "wanted"),
    [
        (0, 0, "100 010", "100 010 001"),
        (0, 1, "12000 01200 00000", "12000 01200 00120"),
        (1, 1, "1210 3000 0000", "1212 3333 0000"),
        (2, 1, "13 20 10 00", "13 23 13 23"),
        (3, 1, "120 200 000", "121 212 121"),
        (4, 1, "012 000 000", "212 121 212"),
        (4, 1, "312 230 000", "312 231 123"),
        (5, 1, "120 340 000", "121 343 121"),
        (5, 1, "120 210 000", "121 212 121"),
        (5, 1, "123 456 780", None),
    ],
)
def test_patterns_go_on(form: int, hidden: int, given_rows: str, wanted: str | None) -> None:
    grid = grid_of(*given_rows.split())
    goal = grid_of(*wanted.split()) if wanted else grid
    found = give("continue_pattern", ((grid, goal),), grid, form, hidden)
    assert found == (goal if wanted else failure(Reason.EMPTY))


def test_the_size_is_what_demos_say() -> None:
    grid, longer = grid_of("12"), grid_of("1212")
    assert give("continue_pattern", ((grid, longer),), grid, 1, 0) == longer
    assert give("continue_pattern", ((longer, grid),), longer, 1, 0) == failure(Reason.EMPTY)
    two = ((grid, longer), (grid, grid_of("121")))
    assert give("continue_pattern", two, grid, 1, 0) == failure(Reason.EMPTY)
    higher = ((grid, grid_of("1212", "1212")),)
    assert give("continue_pattern", higher, grid, 1, 0) == failure(Reason.EMPTY)
    assert give("continue_pattern", higher, grid, 2, 0) == failure(Reason.EMPTY)
    assert give("continue_pattern", higher, grid, 5, 0) == grid_of("1212", "1212")
    assert give("continue_pattern", (), ((1,) + (0,) * 30,), 1, 1) == failure(Reason.EMPTY)
    assert give("continue_pattern", (), grid_of("00"), 1, 1) == failure(Reason.EMPTY)
    assert give("continue_pattern", (), grid_of("10", "02"), 0, 1) == failure(Reason.EMPTY)
