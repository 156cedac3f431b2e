"""Programs alone give what they gave in the batt; where they do not, a record shows it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskResult
from arcbatt.evaluation import SEARCH_BUDGET, TaskBoard, Validator, validating
from arcbatt.evaluation.validating import COMPARED
from arcbatt.language import Program, format_program, parse_program
from arcbatt.library import library_programs
from arcbatt.tasks import Grid, Pair, Task, find_task

from .conftest import grids, programs

TASKS = [find_task("00d62c1b"), find_task("67a3c6ac")]
LIBRARY = [program.program for program in library_programs()]
ORIGIN = {"seed": 7, "card": 3}


@pytest.fixture
def board() -> TaskBoard:
    return TaskBoard(TASKS, device="cpu", n_threads=1)


def screen(board: TaskBoard, batt: list[Program]) -> TaskResult:
    return board.screen(Batt(batt), held_out=True)


def read_record(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record


def test_the_library_gives_alone_what_it_gives_fused(board: TaskBoard, tmp_path: Path) -> None:
    validator = Validator(board, tmp_path / "differences")
    result = screen(board, LIBRARY)
    assert result.solved.any()
    for task in range(len(TASKS)):
        verdicts = validator.validate(LIBRARY, range(len(LIBRARY)), result, task, ORIGIN)
        assert verdicts == [True] * len(LIBRARY)
    assert validator.n_differences == 0
    assert not validator.folder.exists()


def test_only_the_chosen_programs_and_the_task_are_looked_at(
    board: TaskBoard, tmp_path: Path
) -> None:
    result = screen(board, LIBRARY)
    chosen = [40, 3, 11]
    others = [place for place in range(len(LIBRARY)) if place not in chosen]
    result.steps[others] += 1
    result.steps[:, 0] += 1
    validator = Validator(board, tmp_path)
    assert validator.validate(LIBRARY, chosen, result, 1, ORIGIN) == [True] * 3
    assert validator.validate(LIBRARY, [40, 41, 11], result, 1, ORIGIN) == [True, False, True]
    assert validator.validate(LIBRARY, chosen, result, 0, ORIGIN) == [False] * 3


@given(st.lists(programs, min_size=1, max_size=6), st.lists(grids(), min_size=1, max_size=3))
def test_any_programs_give_alone_what_they_give_fused(
    batt: list[Program], inputs: list[Grid]
) -> None:
    demos = tuple(map(Pair, inputs, inputs[::-1]))
    board = TaskBoard([Task("made", demos, (), "made")], device="cpu", n_threads=1)
    validator = Validator(board, Path("no-record-is-written"))
    assert all(validator.validate(batt, range(len(batt)), screen(board, batt), 0, ORIGIN))


@pytest.mark.parametrize("field", COMPARED)
def test_a_difference_is_recorded_and_counted(board: TaskBoard, field: str, tmp_path: Path) -> None:
    batt = LIBRARY[:4]
    result = screen(board, batt)
    getattr(result, field)[2, 1] += 1
    validator = Validator(board, tmp_path / "differences")
    assert validator.validate(batt, range(4), result, 1, ORIGIN) == [True, True, False, True]
    assert validator.n_differences == 1
    (path,) = validator.records
    record = read_record(path)
    assert record["differs_in"] == [field]
    assert parse_program(record["program"]) == batt[2]


def test_the_record_is_enough_to_run_batt_and_program_again(
    board: TaskBoard, tmp_path: Path
) -> None:
    batt = LIBRARY[:6]
    result = screen(board, batt)
    expected = {name: getattr(result, name)[1, 1].item() for name in COMPARED}
    result.hashes[1, 1] += 1
    validator = Validator(board, tmp_path)
    assert validator.validate(batt, [5, 1], result, 1, ORIGIN) == [True, False]
    (path,) = validator.records
    record = read_record(path)
    assert record["differs_in"] == ["hashes"]
    assert record["origin"] == ORIGIN
    assert record["task"] == TASKS[1].id
    assert record["budget"] == {"steps": SEARCH_BUDGET.steps, "bytes": SEARCH_BUDGET.bytes}
    assert record["language"] and record["engine"]

    def as_grid(rows: Any) -> Grid:
        return tuple(map(tuple, rows))

    demos = tuple(Pair(as_grid(before), as_grid(after)) for before, after in record["demos"])
    assert demos == TASKS[1].demos
    members = [parse_program(text) for text in record["batt"]]
    place = record["place_in_batt"]
    assert members == batt
    assert members[place] == parse_program(record["sliced"]) == parse_program(record["program"])
    again = TaskBoard([Task("again", demos, (), "made")], device="cpu", n_threads=1)
    result = screen(again, members)
    assert {name: getattr(result, name)[place, 0].item() for name in COMPARED} == expected
    assert record["alone"] == expected
    assert record["in_batt"] == {**expected, "hashes": (expected["hashes"] + 1) % 2**64}


def test_text_that_slices_to_another_program_is_a_difference(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batt = LIBRARY[:2]
    result = screen(board, batt)
    validator = Validator(board, tmp_path)

    def sliced_as(text: str) -> list[bool]:
        monkeypatch.setattr(validating.BattText, "slice", lambda *_: text)
        return validator.validate(batt, range(2), result, 1, ORIGIN)

    assert sliced_as(format_program(LIBRARY[0])) == [True, False]
    assert sliced_as("no program") == [False, False]
    first, second, third = map(read_record, validator.records)
    assert "text" in first["differs_in"]
    assert second["differs_in"] == third["differs_in"] == ["text"]
    assert second["alone"] is None


def test_all_differences_are_counted_and_only_so_many_written(
    board: TaskBoard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validating, "MAX_RECORDS", 3)
    batt = LIBRARY[:2]
    result = screen(board, batt)
    result.steps[:] += 1
    validator = Validator(board, tmp_path)
    for _ in range(3):
        assert validator.validate(batt, range(2), result, 1, ORIGIN) == [False, False]
    assert validator.n_differences == 6
    assert len(set(validator.records)) == 3
    assert sorted(tmp_path.iterdir()) == sorted(validator.records)
