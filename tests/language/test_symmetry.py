"""Filling hidden cells by symmetry."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import Budget, Reason
from tests.conftest import grids
from tests.engine.test_engine import check_call
from tests.language.test_learned import TASKS, failure, give, grid_of

ROOMY = Budget(steps=5_000_000, bytes=2**26)


@st.composite
def hiding(draw: st.DrawFn) -> Any:
    """Draw a grid with or without a symmetry, of which a box is hidden by 9."""
    tile = draw(grids(4))
    made = draw(st.sampled_from(["any", "tiled", "mirrored", "turned"]))
    rows = [list(row) for row in tile]
    if made == "tiled":
        rows = [row * 3 for row in rows] * 2
    elif made == "mirrored":
        rows = [row + row[::-1] for row in rows]
        rows += rows[::-1]
    elif made == "turned":
        rows += [row[::-1] for row in reversed(rows)]
    i, j = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows[0]) - 1))
    for row in rows[i : i + 2]:
        row[j : j + 2] = [9] * len(row[j : j + 2])
    return tuple(map(tuple, rows))


@given(hiding(), st.integers(0, 9), st.integers(0, 1))
def test_engine_agrees(grid: Any, other: int, noise: int) -> None:
    for hidden in (9, other):
        check_call("close_symmetry", [grid, hidden, noise])


@pytest.mark.parametrize(("n_rows", "width"), [(1, 150), (70, 2), (3, 65), (2, 128)])
@pytest.mark.parametrize("noise", [0, 1])
def test_engine_agrees_on_long_lines(n_rows: int, width: int, noise: int) -> None:
    # Rows and columns are words of 64 cells in the engine.
    rng = random.Random(n_rows)
    for kind in ("tiled", "mirrored", "turned", "any"):
        tile = [[rng.randrange(4) for _ in range(width)] for _ in range(n_rows)]
        grid = [
            [
                {
                    "tiled": tile[0][(i + j) % 5 % width],
                    "mirrored": tile[i][min(j, width - 1 - j)],
                    "turned": tile[i][j] if 2 * i < n_rows - 1 else tile[n_rows - 1 - i][~j],
                    "any": tile[i][j],
                }[kind]
                for j in range(width)
            ]
            for i in range(n_rows)
        ]
        for _ in range(1 + n_rows * width // 60):
            grid[rng.randrange(n_rows)][rng.randrange(width)] = 9
        check_call("close_symmetry", [tuple(map(tuple, grid)), 9, noise], ROOMY)


def test_engine_agrees_on_tasks() -> None:
    for task in ("3631a71a", "b8825c91", "f9012d9b"):
        for grid in TASKS[task].test_inputs:
            for hidden, noise in ((0, 0), (4, 1), (9, 0)):
                check_call("close_symmetry", [grid, hidden, noise])


@pytest.mark.parametrize(
    ("given_rows", "wanted"),
    [
        # The axis of the mirror images is not the grid's middle.
        (("12343215", "56787690", "31424130"), ("12343215", "56787650", "31424130")),
        # A shift down and to the right at once.
        (("1234", "4123", "3412", "2399"), ("1234", "4123", "3412", "2341")),
        # A half turn.
        (("123456", "780218", "812087", "654399"), ("123456", "780218", "812087", "654321")),
    ],
)
def test_reflections_shifts_and_turns(given_rows: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    assert give("close_symmetry", grid_of(*given_rows), 9, 0) == grid_of(*wanted)


def test_noise_may_change_one_pair_in_twenty_and_is_repaired() -> None:
    row, other = [1, 2, 3, 4, 4, 3, 2, 1], [5, 6, 7, 8, 8, 7, 6, 5]
    whole = tuple(tuple(r) for r in (row, other, row, other, row, other, row, other))
    noisy = [list(r) for r in whole]
    noisy[0][0], noisy[7][7], noisy[6][7] = 3, 9, 9
    grid = tuple(map(tuple, noisy))
    assert give("close_symmetry", grid, 9, 1) == whole
    assert give("close_symmetry", grid, 9, 0) != whole


def test_grids_without_hidden_cells_or_symmetry_fail() -> None:
    for rows, hidden in [(("12", "21"), 3), (("33", "33"), 3), (("123", "456", "780"), 0)]:
        assert give("close_symmetry", grid_of(*rows), hidden, 0) == failure(Reason.EMPTY)
    for bad in ((), ((1, 2), (3,)), ((10, 1),)):
        assert give("close_symmetry", bad, 1, 0) == failure(Reason.TYPE)
    assert give("close_symmetry", grid_of("12"), 1, 2) == failure(Reason.RANGE)
