"""Completing templates, and objects as bars."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Reason, all_primitives
from arcbatt.language.registry import words_of_call
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.learner_checks import check_cost
from tests.language.test_learned import TASKS, demos_of, failure, give, grid_of

TEMPLATE_CODES = list(all_primitives()["complete_templates"].all_codes())


@st.composite
def scenes(draw: st.DrawFn) -> Any:
    """Draw a template and copies of it: turned, larger, recolored, with only some colors."""
    template = draw(grids(3))
    n = 14
    rows = [[0] * n for _ in range(n)]

    def lay(at: tuple[int, int], cells: Any, scale: int) -> None:
        for i, row in enumerate(cells):
            for j, cell in enumerate(row):
                for k in range(at[0] + scale * i, at[0] + scale * (i + 1)):
                    for m in range(at[1] + scale * j, at[1] + scale * (j + 1)):
                        if k < n and m < n and cell:
                            rows[k][m] = cell

    lay((0, 0), template, 1)
    for at in ((0, 5), (6, 1), (7, 8)):
        copy = template
        if draw(st.booleans()):
            copy = tuple(zip(*copy[::-1], strict=True))
        kept = draw(st.sets(st.integers(1, 9)))
        body = draw(st.sampled_from([0, 8]))
        names = {c: c if c in kept else body for c in range(1, 10)} | {0: 0}
        lay(at, [[names[cell] for cell in row] for row in copy], draw(st.integers(1, 2)))
    return tuple(map(tuple, rows))


@pytest.mark.slow
@given(scenes())
def test_engine_completes_templates_within_the_grid(grid: Any) -> None:
    for codes in TEMPLATE_CODES:
        check_call("complete_templates", [grid, *codes])
        completed = give("complete_templates", grid, *codes)
        match, _, removes = codes
        if isinstance(completed, tuple) and not removes and match != 2:
            # Cells are added, and none is erased.
            assert all(
                after or not before
                for rows in zip(grid, completed, strict=True)
                for before, after in zip(*rows, strict=True)
            )


@pytest.mark.parametrize(
    ("task", "codes"),
    [
        ("0e206a2e", (0, 1, 1)),
        ("36d67576", (0, 1, 0)),
        ("447fd412", (0, 0, 0)),
        ("57aa92db", (1, 1, 0)),
        ("72322fa7", (0, 0, 0)),
        ("321b1fc6", (2, 0, 1)),
        ("e76a88a6", (2, 0, 0)),
    ],
)
def test_templates_solve_tasks(task: str, codes: tuple[int, ...]) -> None:
    for grid, wanted in demos_of(task):
        assert give("complete_templates", grid, *codes) == wanted
    for grid in TASKS[task].test_inputs:
        check_call("complete_templates", [grid, *codes])


def test_only_whole_objects_of_right_colors_are_completed() -> None:
    for row, wanted in [
        ("1230002", "1230012"),  # not outside
        ("1230020", "1230123"),
        ("1230230", "1231230"),  # it may touch the template
        ("1230222", "1230222"),  # not a whole object
        ("1230042", "1230042"),  # another color
        ("123", "123"),
    ]:
        output = give("complete_templates", grid_of(row), 0, 0, 0)
        assert output == (failure(Reason.EMPTY) if row == wanted else grid_of(wanted))
    # Unturned matches come first if they have as many cells.
    both = grid_of("121300", "000000", "000120")
    assert give("complete_templates", both, 0, 1, 0) == grid_of("121300", "000000", "000121")
    mirrored = grid_of("1230", "0000", "0021")
    assert give("complete_templates", mirrored, 0, 0, 0) == failure(Reason.EMPTY)
    assert give("complete_templates", mirrored, 0, 1, 0) == grid_of("1230", "0000", "0321")


def test_completing_keeps_to_the_budget() -> None:
    check_cost("complete_templates", (grid_of("1230020"), 0, 1, 0))


def test_a_body_may_have_another_color() -> None:
    grid = grid_of("211000", "000000", "024000")
    assert give("complete_templates", grid, 0, 0, 0) == failure(Reason.EMPTY)
    assert give("complete_templates", grid, 1, 0, 0) == grid_of("211000", "000000", "024400")
    assert give("complete_templates", grid, 1, 0, 1) == grid_of("000000", "000000", "024400")


def test_grids_without_templates_fail() -> None:
    dots = tuple(tuple(1 if i % 2 == j % 2 == 0 else 0 for j in range(12)) for i in range(12))
    for grid in (grid_of("1"), grid_of("12"), dots):
        assert give("complete_templates", grid, 0, 1, 0) == failure(Reason.EMPTY)
    # Too many matches.
    many = tuple(
        tuple(5 - 4 * (j == 0) if i == 0 else int(i % 2 == 0 and j % 2 == 0) for j in range(20))
        for i in range(7)
    )
    check_call("complete_templates", [many, 0, 1, 0])
    for bad in ((), ((1, 2), (3,)), ((10, 1),)):
        assert give("complete_templates", bad, 0, 0, 0) == failure(Reason.TYPE)


def test_every_code_has_words() -> None:
    said = {
        tuple(words_of_call("complete_templates", None, [grid_of("1"), *codes]))
        for codes in TEMPLATE_CODES
    }
    assert len(said) == len(TEMPLATE_CODES)
