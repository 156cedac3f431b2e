"""Programs on their tasks turned, recolored and framed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.checking import KnownTask, check_on_changed_tasks
from arcbatt.language import parse_programs
from arcbatt.tasks import Grid, Task
from arcbatt.tasks.transforms import N_TURNS, framed, recolored, turned, turned_back, unframed
from tests.conftest import colors, grids
from tests.support.commands import Outcome, error_of, write

WIDE = ((1, 2, 3), (4, 5, 6))


@given(grids(), st.integers(0, N_TURNS - 1))
def test_turning_back_restores_a_grid(grid: Grid, turn: int) -> None:
    assert turned_back(turned(grid, turn), turn) == grid


def test_the_eight_ways_to_lay_a_grid_differ() -> None:
    ways = [turned(WIDE, turn) for turn in range(N_TURNS)]
    assert len(set(ways)) == N_TURNS
    assert ways[0] == WIDE and ways[1] == ((4, 1), (5, 2), (6, 3)) and ways[4] == WIDE[::-1]


@given(grids(), st.integers(1, 3), colors)
def test_a_frame_can_be_taken_off(grid: Grid, width: int, color: int) -> None:
    whole = framed(grid, width, color)
    assert unframed(whole, width, color) == grid
    broken = (((color + 1) % 10, *whole[0][1:]), *whole[1:])
    assert unframed(broken, width, color) is None
    assert recolored(grid, range(10)) == grid


def holds(body: str, *demos: tuple[Grid, Grid]) -> dict[str, tuple[bool, ...]]:
    (program,) = parse_programs(f"def solve_made(I):\n    return {body}\n")
    task = Task.of(list(demos), [demos[0][0]])
    return dict(check_on_changed_tasks(program, KnownTask(task, None)).holds)


def test_changes_show_what_a_program_depends_on() -> None:
    grid = ((0, 0, 0, 0), (0, 3, 2, 0), (0, 0, 0, 0))
    as_it_is = holds("I", (grid, grid))
    assert {kind: len(found) for kind, found in as_it_is.items()} == {
        "turned": 7,
        "recolored": 4,
        "background": 4,
        "framed": 2,
    }
    assert all(all(found) for found in as_it_is.values())
    # A mirror image: right when the task is upside down, not when it is rotated by 90 degrees.
    mirrored = holds("vmirror(I)", (grid, tuple(row[::-1] for row in grid)))
    assert mirrored["turned"] == (False, True, False, True, False, True, False)
    # The program names a color.
    red = holds("replace(I, RED, GREEN)", (grid, recolored(grid, (0, 1, 3, *range(3, 10)))))
    assert not any(red["recolored"]) and all(red["turned"]) and all(red["background"])
    # The program names the background.
    black = holds("replace(I, BLACK, RED)", (grid, recolored(grid, (2, *range(1, 10)))))
    assert not any(black["background"]) and not any(black["framed"])
    # The program names a location; outputs of another size cannot be framed.
    corner = holds("crop(I, (1, 1), (1, 2))", (grid, ((3, 2),)))
    assert corner["framed"] == ()


def test_a_failure_or_another_value_does_not_hold() -> None:
    grid = ((0, 3), (0, 0))
    for body in ("first(difference(I, I))", "height(I)"):
        assert not any(any(found) for found in holds(body, (grid, grid)).values())


def test_check_on_changed_tasks(tmp_path: Path) -> None:
    text = "def solve_67a3c6ac(I):\n    return vmirror(I)\n\n\ndef solve_other(I):\n    return I\n"
    path = write(tmp_path, text)
    outcome = Outcome("check", path, "--turned")
    assert outcome.status == 0 and "solve_67a3c6ac" in outcome.out
    assert "0 of 1 programs still work when their task is turned or mirrored" in outcome.out
    assert "1 of 1 programs still work when their task is on another background" in outcome.out
    assert "for no known task: solve_other" in outcome.err
    content = Outcome("check", path, "--turned", "--json").json
    assert content["hold"]["recolored"] == {"all": 1, "of": 1}
    assert content["programs"][0]["holds"]["turned"] == [False, True] * 3 + [False]
    assert content["unknown"] == ["solve_other"]
    assert "--show draws them as they are" in error_of("check", path, "--turned", "--show", "1")


def test_a_file_that_cannot_be_read_ends_with_status_two(tmp_path: Path) -> None:
    path = write(tmp_path, "def solve_67a3c6ac(I):\n    return nothing_such(I)\n")
    outcome = Outcome("check", path, "--turned")
    assert outcome.status == 2 and "nothing_such" in outcome.err


@pytest.mark.parametrize("value", [(), ((),), ((1,), (1, 2)), ((11,),)])
def test_only_grids_are_turned_back(value: object) -> None:
    from arcbatt.checking.changed_tasks import _is_grid

    assert not _is_grid(value)
