"""Grids whose rows and columns are rolled by marks, or sheared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..native import find_rule
from ..registry import Rule, primitive, worded
from ..values import Demos, Grid, Value

_ENDS = ("", "first", "last")


@primitive(
    "Demos, Grid, Code[0..1] -> Grid",
    rule=Rule(plain_only=True),
    is_learner=True,
    ties="marks of rows before marks of columns, first lines before last ones; the shortest step",
    examples=(
        "learn_rolls(((((8, 0, 1), (8, 0, 2), (5, 0, 3)), ((0, 2), (0, 3), (0, 1))),), "
        "((8, 0, 1), (5, 0, 2), (8, 0, 3)), 0) == ((0, 3), (0, 1), (0, 2))",
        "learn_rolls(((((1, 2), (3, 4)), ((1, 2, 0), (0, 3, 4))),), ((5,), (6,)), 1) == "
        "((5, 0), (0, 6))",
    ),
)
def learn_rolls(S: Demos, I: Grid, form: int) -> Value:  # noqa: E741
    """Move the rows and columns of a grid along, as the demos do.

    Form 0 rolls lines: the first or last column has one cell of another color than all others,
    which marks a row; or the first or last row marks a column; or both. Lines with marks are cut
    off. What is left is rolled by the place of the mark, down or up, and right or left. For rows
    and for columns, some demo must have its mark in another place than the first.

    Form 1 shears: every row is moved further right than the one before, or than the one after, by
    the same 1 to 3 columns; or every column further down. The output has room for all, and 0
    elsewhere; its sides are at most 30.
    """


@worded("learn_rolls")
def _(given: Value, S: Demos, I: Grid, form: int) -> list[str]:  # noqa: E741
    rule: Any = find_rule("learn_rolls", [S, I, form])
    return list(_say_rolls(*rule)) if form == 0 else [_say_shear(*rule)]


def _say_rolls(column: int, row: int, rows_back: int, columns_back: int) -> Iterator[str]:
    if column:
        way = "up" if rows_back else "down"
        yield f"rows are rolled {way} by the place of the odd cell in the {_ENDS[column]} column"
    if row:
        way = "left" if columns_back else "right"
        yield f"columns are rolled {way} by the place of the odd cell in the {_ENDS[row]} row"
    yield "the lines with these cells are cut off"


def _say_shear(is_upright: int, step: int, from_last: int) -> str:
    line, way = ("column", "down") if is_upright else ("row", "right")
    neighbor = "after" if from_last else "before"
    return f"each {line} is moved {step} further {way} than the one {neighbor} it"
