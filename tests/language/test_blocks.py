"""Outputs as blocks of a map: rules are found again from grids that are drawn by them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from arcbatt.language import Reason
from arcbatt.language.learners.blocks import FEATURES, MAPS
from arcbatt.language.native import find_rule
from arcbatt.language.registry import words_of_call
from tests.conftest import grids
from tests.language.test_learned import failure, give, grid_of


def drawn(grid: Any, block_of: Any) -> Any:
    """Return a grid with a block in the place of each cell; `block_of` returns rows."""
    return tuple(
        tuple(cell for block in blocks for cell in block[k])
        for row in grid
        for blocks in [[block_of(cell) for cell in row]]
        for k in range(len(blocks[0]))
    )


def blank(grid: Any) -> Any:
    return tuple((0,) * len(row) for row in grid)


def recolored(grid: Any, change: Any) -> Any:
    return tuple(tuple(change(cell) for cell in row) for row in grid)


# Blocks of a cell of the map, which is the grid itself.
RULES = {
    "the grid where a cell is shown": lambda grid: lambda cell: grid if cell else blank(grid),
    "only the cell's color": lambda grid: (
        lambda cell: recolored(grid, lambda each: each if each == cell else 0)
    ),
    "the gaps in the cell's color": lambda grid: (
        lambda cell: recolored(grid, lambda each: 0 if each else cell)
    ),
    "full": lambda grid: lambda cell: recolored(grid, lambda each: cell),
}
DEMOS = (grid_of("120", "003", "010"), grid_of("440", "054", "450"), grid_of("070", "777", "860"))


@pytest.mark.parametrize("name", RULES)
@given(grids(5))
def test_rules_are_found_in_three_demos(name: str, grid: Any) -> None:
    demos = tuple((each, drawn(each, RULES[name](each))) for each in DEMOS)
    # The demos are as high as wide, so they do not tell how blocks of other grids lie.
    square = tuple(row[: len(grid)] for row in grid) if len(grid) <= len(grid[0]) else DEMOS[0]
    assert give("learn_blocks", demos, square, 0) == drawn(square, RULES[name](square))
    for before, after in demos:
        assert give("learn_blocks", demos, before, 0) == after


def test_blocks_depend_on_the_most_common_color() -> None:
    def blocks(grid: Any, most: int) -> Any:
        return drawn(grid, lambda cell: grid if cell == most else blank(grid))

    demos = ((grid_of("112", "034"), 1), (grid_of("552", "053"), 5))
    grid = grid_of("776", "170")
    lesson = tuple((each, blocks(each, most)) for each, most in demos)
    assert give("learn_blocks", lesson, grid, 0) == blocks(grid, 7)
    lines = words_of_call("learn_blocks", None, [lesson, grid, 0])
    assert lines == [
        "each cell of the grid becomes a block that depends on whether it has the most common "
        "color:",
        "no: full of black",
        "yes: the grid",
    ]


@pytest.mark.parametrize(
    ("code", "grid", "of_map"),
    [
        (1, ("0000", "0120", "0000"), ("12",)),
        (2, ("1122", "1122", "3322"), ("12", "32")),
        (3, ("1020", "0000", "3040"), ("12", "34")),
    ],
)
def test_maps_are_made_from_the_grid(code: int, grid: Any, of_map: Any) -> None:
    before, chart = grid_of(*grid), grid_of(*of_map)
    after = drawn(chart, lambda cell: ((cell,) * 5,) * 3)
    lesson = ((before, after),)
    assert give("learn_blocks", lesson, before, code) == after
    assert give("learn_blocks", lesson, before, 0) == failure(Reason.EMPTY)


def test_what_the_demos_do_not_show_fails() -> None:
    by_color = ((grid_of("12"), grid_of("1100", "1100")), (grid_of("21"), grid_of("0011", "0011")))
    assert give("learn_blocks", by_color, grid_of("122"), 0) == grid_of("110000", "110000")
    assert give("learn_blocks", by_color, grid_of("123"), 0) == failure(Reason.EMPTY)
    for bad in (
        (),
        ((grid_of("12"), grid_of("12")),),  # no blocks
        ((grid_of("1"), grid_of("12")),),  # no map
        ((grid_of("12"), grid_of("123")),),  # no equal blocks
    ):
        assert give("learn_blocks", bad, grid_of("12"), 0) == failure(Reason.EMPTY)


def test_every_kind_of_block_has_words() -> None:
    grid = grid_of("012", "300", "045")
    wordings = set()
    for block_of in (rule(grid) for rule in RULES.values()):
        lesson = ((grid, drawn(grid, block_of)),)
        (feature, *rows) = find_rule("learn_blocks", [lesson, grid, 0])  # type: ignore[misc]
        lines = words_of_call("learn_blocks", None, [lesson, grid, 0])
        assert lines[0].startswith(f"each cell of {MAPS[0]} becomes a block")
        assert len(lines) == (1 + len(rows) if len(rows) > 1 else 1) and feature in range(
            len(FEATURES)
        )
        wordings.add(tuple(lines))
    assert len(wordings) == len(RULES)
