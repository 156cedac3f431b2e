"""Rolled and sheared grids: rules are found again from demos that are made by them."""

from __future__ import annotations

import pytest

from arcbatt.language import Reason
from arcbatt.language.registry import words_of_call
from tests.language.test_learned import failure, give, grid_of

# The odd cell is in row 2 and 1 of the last column.
MARKED_ROWS = (
    (grid_of("126", "346", "568", "786"), grid_of("56", "78", "12", "34")),
    (grid_of("216", "435", "656"), grid_of("65", "21", "43")),
)


def test_rows_are_rolled_by_the_mark_of_a_column() -> None:
    for before, after in MARKED_ROWS:
        assert give("learn_rolls", MARKED_ROWS, before, 0) == after
    lines = words_of_call("learn_rolls", None, [MARKED_ROWS, MARKED_ROWS[0][0], 0])
    assert lines == [
        "rows are rolled down by the place of the odd cell in the last column",
        "the lines with these cells are cut off",
    ]
    turned = tuple(tuple(tuple(zip(*side, strict=True)) for side in pair) for pair in MARKED_ROWS)
    for before, after in turned:
        assert give("learn_rolls", turned, before, 0) == after
    (line, _) = words_of_call("learn_rolls", None, [turned, turned[0][0], 0])
    assert line == "columns are rolled right by the place of the odd cell in the last row"


def test_both_are_rolled_by_both_marks() -> None:
    def rolled(rows: list[str], down: int, across: int) -> object:
        down, across = down % len(rows), across % len(rows[0])
        lines = rows[-down:] + rows[:-down] if down else rows
        return grid_of(*(line[-across:] + line[:-across] if across else line for line in lines))

    rows = ["123", "450", "781"]
    demos = (
        (grid_of("9363", "7123", "7450", "4781"), rolled(rows, -2, 1)),
        (grid_of("9336", "7123", "4450", "7781"), rolled(rows, -1, 2)),
    )
    grid = grid_of("9336", "7123", "7450", "4781")
    assert give("learn_rolls", demos, grid, 0) == rolled(rows, -2, 2)
    lines = words_of_call("learn_rolls", None, [demos, grid, 0])
    assert [line.split(" by ")[0] for line in lines[:2]] == [
        "rows are rolled up",
        "columns are rolled right",
    ]


def test_rows_and_columns_are_sheared() -> None:
    demos = ((grid_of("12", "34", "56"), grid_of("000012", "003400", "560000")),)
    assert give("learn_rolls", demos, grid_of("7", "8"), 1) == grid_of("007", "800")
    (line,) = words_of_call("learn_rolls", None, [demos, demos[0][0], 1])
    assert line == "each row is moved 2 further right than the one after it"
    upright = ((grid_of("12", "34"), grid_of("10", "32", "04")),)
    assert give("learn_rolls", upright, grid_of("567"), 1) == grid_of("500", "060", "007")


@pytest.mark.parametrize(
    "demos",
    [
        (),
        ((grid_of("12", "34"), grid_of("12", "34")),),
        # The mark is in the first place: nothing is rolled.
        ((grid_of("51", "62", "63"), grid_of("1", "2", "3")),),
        # Two odd cells.
        ((grid_of("61", "52", "63", "54"), grid_of("2", "3", "4", "1")),),
    ],
)
def test_other_demos_fail_as_empty(demos: object) -> None:
    for form in (0, 1):
        assert give("learn_rolls", demos, grid_of("12", "34", "54"), form) == failure(Reason.EMPTY)


def test_a_grid_without_marks_and_one_too_large_fail_as_empty() -> None:
    assert give("learn_rolls", MARKED_ROWS, grid_of("126", "346", "566"), 0) == failure(
        Reason.EMPTY
    )
    demos = ((grid_of("1", "2"), grid_of("10", "02")),)
    tall = grid_of(*["1"] * 31)
    assert give("learn_rolls", demos, tall[:30], 1)[29][29] == 1
    assert give("learn_rolls", demos, tall, 1) == failure(Reason.EMPTY)
