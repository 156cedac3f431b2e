"""Learners: properties of what they learn, and small cases by brute force."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.cpu.calls import run_call
from arcbatt.language import Budget, Failure, Reason, all_primitives
from tests.conftest import grids
from tests.language.test_learned import demos_of, failure, give, grid_of, lessons

LEARNERS = [
    name
    for name, primitive in all_primitives().items()
    if primitive.is_learner and primitive.parameters[:2] == ("S", "I")
]
# Only demos whose output has the input's size count for these.
OF_SAME_SIZE = ("learn_cells",)
# They reproduce the outputs of the demos; the others use the demos for sizes or colors only.
REPRODUCING = [name for name in LEARNERS if name.startswith(("learn_", "pick_", "panel_", "fill_"))]
# Learned from real tasks too: random demos seldom have panels, or one class per output.
REAL_TASKS = ("0520fde7", "a61f2674", "be94b721", "27a28665", "6773b310", "29623171")


def codes_of(name: str) -> list[tuple[int, ...]]:
    return list(all_primitives()[name].all_codes())


def same_size(demo: tuple[Any, Any]) -> bool:
    return (len(demo[0]), len(demo[0][0])) == (len(demo[1]), len(demo[1][0]))


def check_learned(name: str, demos: Any, grid: Any, codes: tuple[int, ...]) -> None:
    result = give(name, demos, grid, *codes)
    if len(demos) <= 3:
        for other in permutations(demos):
            assert give(name, other, grid, *codes) == result, "the order of the demos matters"
    if isinstance(result, Failure) or name not in REPRODUCING:
        return
    for demo in demos:
        if name in OF_SAME_SIZE and not same_size(demo):
            continue
        again = give(name, demos, demo[0], *codes)
        # Several things may be like the picked one, and show the same: then none is picked.
        is_ambiguous = name.startswith("pick_") and again == failure(Reason.EMPTY)
        assert again == demo[1] or is_ambiguous, "a demo is not reproduced"


@pytest.mark.parametrize("name", LEARNERS)
@given(lessons(), st.data())
def test_rules_reproduce_the_demos_in_any_order(
    name: str, lesson: tuple[Any, Any], data: st.DataObject
) -> None:
    demos, grid = lesson
    for codes in data.draw(st.lists(st.sampled_from(codes_of(name)), min_size=4, max_size=4)):
        check_learned(name, demos, grid, codes)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("task", REAL_TASKS)
def test_rules_of_tasks_reproduce_the_demos(name: str, task: str) -> None:
    demos = demos_of(task)[:3]
    for codes in codes_of(name)[::3]:
        check_learned(name, demos, demos[0][0], codes)


@pytest.mark.parametrize("name", LEARNERS)
def test_cost_is_counted_and_bounded(name: str) -> None:
    grid = grid_of("10520", "00530", "55555", "11520", "00533")
    demos = ((grid, grid), (grid, grid_of("3")))
    for codes in codes_of(name):
        args = [demos, grid, *codes]
        whole = run_call(name, args)
        assert run_call(name, args) == whole
        if not isinstance(whole.outcome, Failure):
            assert run_call(name, args, Budget(whole.steps)).outcome == whole.outcome
        less = run_call(name, args, Budget(whole.steps - 1))
        assert less.outcome == failure(Reason.BUDGET)


def test_the_language_loads_the_engine_for_its_learners() -> None:
    code = (
        "from arcbatt.language import evaluate_call\n"
        "print(evaluate_call('learn_cells', (((((1,),), ((2,),)),), ((1, 1),), 0)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "((2, 2),)"


# --- brute force ---


def neighbors(grid: Any, i: int, j: int, steps: Any) -> tuple[int, ...]:
    return tuple(
        grid[i + di][j + dj] if 0 <= i + di < len(grid) and 0 <= j + dj < len(grid[0]) else 10
        for di, dj in steps
    )


BESIDE = ((-1, 0), (0, -1), (0, 1), (1, 0))
AROUND = [(di, dj) for di in (-1, 0, 1) for dj in (-1, 0, 1) if di or dj]
SEEN: dict[int, Any] = {
    0: lambda grid, i, j: (),
    1: lambda grid, i, j: neighbors(grid, i, j, BESIDE),
    2: lambda grid, i, j: neighbors(grid, i, j, AROUND),
    3: lambda grid, i, j: tuple(sorted(neighbors(grid, i, j, AROUND))),
    4: lambda grid, i, j: (grid[i][-1 - j], grid[-1 - i][j]),
    7: lambda grid, i, j: (i % 2, j % 2),
    19: lambda grid, i, j: frozenset(neighbors(grid, i, j, AROUND)),
    21: lambda grid, i, j: (frozenset(grid[i]), frozenset(row[j] for row in grid)),
}


def learn_cells_slowly(demos: Any, grid: Any, code: int) -> Any:
    """Return the output by comparing each cell with every cell of the demos."""
    cells = [
        (given[i][j], SEEN[code](given, i, j), wanted[i][j])
        for given, wanted in demos
        if same_size((given, wanted))
        for i, row in enumerate(given)
        for j in range(len(row))
    ]
    if any(a[:2] == b[:2] and a[2] != b[2] for a in cells for b in cells):
        return failure(Reason.EMPTY)
    rows = []
    for i, row in enumerate(grid):
        rows.append([])
        for j, own in enumerate(row):
            seen = SEEN[code](grid, i, j)
            outcomes = {new for color, other, new in cells if (color, other) == (own, seen)}
            of_color = {new for color, _, new in cells if color == own}
            if of_color == {own}:
                outcomes = of_color
            if not outcomes:
                return failure(Reason.EMPTY)
            rows[-1].append(outcomes.pop())
    return tuple(map(tuple, rows)) if cells else failure(Reason.EMPTY)


@pytest.mark.parametrize("code", SEEN)
@given(lessons())
def test_cells_by_brute_force(code: int, lesson: tuple[Any, Any]) -> None:
    demos, grid = lesson
    assert give("learn_cells", demos, grid, code) == learn_cells_slowly(demos, grid, code)


@given(grids(6), st.integers(1, 3))
def test_rows_continue_with_their_shortest_period(grid: Any, factor: int) -> None:
    longer = tuple(row * (factor + 1) for row in grid)
    rows = []
    for row in grid:
        period = next(
            p
            for p in range(1, len(row) + 1)
            if all(a == b for a, b in zip(row, row[p:], strict=False))
        )
        rows.append(tuple(row[k % period] for k in range(len(longer[0]))))
    assert give("continue_pattern", ((grid, longer),), grid, 1, 0) == tuple(rows)
