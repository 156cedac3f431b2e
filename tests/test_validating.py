"""Programs alone give what they gave in the batt; where they do not, a record shows it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.batt import Batt
from arcbatt.engine.staged import TaskSamples, run_on_tasks
from arcbatt.language import Budget, Program, format_program, parse_program
from arcbatt.library import library_programs
from arcbatt.search import validating
from arcbatt.search.validating import Outcomes, SampleGrids, StagedTask, ValidationError, Validator
from arcbatt.tasks import Grid, find_task

from .conftest import grids, programs

SMALL = Budget(steps=200_000, bytes=2**22)
TASK = find_task("67a3c6ac")
LIBRARY = [program.program for program in library_programs()]


def run_batt(batt: list[Program], samples: SampleGrids, budget: Budget | None = None) -> Outcomes:
    return Outcomes.of(Batt(batt).run(samples.packed, budget, device="cpu", n_threads=1))


def validate(validator: Validator, found: Outcomes, samples: SampleGrids) -> list[bool]:
    batt = LIBRARY[: len(found.reasons)]
    return validator.validate(batt, range(len(batt)), found, samples, {"seed": 7, "card": 3})


def test_samples_of_a_task_have_targets_for_its_demos_alone() -> None:
    samples = SampleGrids.of_task(TASK)
    n_demos = len(TASK.demos)
    assert samples.inputs[:n_demos] == tuple(demo.input for demo in TASK.demos)
    assert samples.inputs[n_demos:] == TASK.test_inputs
    assert all(samples.targets[:n_demos])
    assert not any(samples.targets[n_demos:])
    assert len(samples.packed) == len(samples.inputs)


def test_the_library_gives_alone_what_it_gives_fused(tmp_path: Path) -> None:
    samples = SampleGrids.of_task(TASK)
    validator = Validator(tmp_path / "differences")
    assert all(validate(validator, run_batt(LIBRARY, samples), samples))
    assert (validator.n_validated, validator.n_differences) == (len(LIBRARY), 0)
    assert not validator.folder.exists()


def test_only_the_chosen_programs_and_samples_are_looked_at(tmp_path: Path) -> None:
    samples = SampleGrids.of_task(TASK)
    result = Batt(LIBRARY).run(samples.packed, device="cpu", n_threads=1)
    first_two = SampleGrids(samples.inputs[:2], samples.targets[:2], samples.demos[:2])
    chosen = [40, 3, 11]
    validator = Validator(tmp_path)
    found = Outcomes.of(result, chosen, [0, 1])
    assert validator.validate(LIBRARY, chosen, found, first_two, {}) == [True] * 3
    wrong = Outcomes.of(result, [41, 3, 11], [0, 1])
    with pytest.raises(ValidationError):
        validator.validate(LIBRARY, chosen, wrong, first_two, {})
    with pytest.raises(ValueError, match=r"expected outcomes of shape \(3, 2\)"):
        validator.validate(LIBRARY, chosen, Outcomes.of(result), first_two, {})


def test_a_task_is_validated_in_the_stages_that_it_was_run_in(tmp_path: Path) -> None:
    tasks = [find_task("00d62c1b"), TASK]
    result = run_on_tasks(Batt(LIBRARY), TaskSamples(tasks), device="cpu")
    validator = Validator(tmp_path, strict=False)
    chosen = list(range(0, len(LIBRARY), 5))
    for t, task in enumerate(tasks):
        found = Outcomes.of_task(result, t, chosen)
        assert found.matches.max() <= len(task.demos)
        samples = StagedTask(TaskSamples([task]))
        assert all(validator.validate(LIBRARY, chosen, found, samples, {}))
        found.matches[1] += 1
        verdicts = validator.validate(LIBRARY, chosen, found, samples, {})
        assert verdicts == [place != 1 for place in range(len(chosen))]
        record = json.loads(validator.records[-1].read_text("utf-8"))
        assert record["differs_in"] == ["matches"]
        assert record["samples"]["task"] == task.id
        assert record["samples"]["samples"] == "TaskSamples"
        assert len(record["samples"]["in_stages"]) == len(task.demos)


@given(st.lists(programs, min_size=1, max_size=6), st.lists(grids(), min_size=1, max_size=3))
def test_any_programs_give_alone_what_they_give_fused(
    batt: list[Program], inputs: list[Grid]
) -> None:
    demos = ((inputs[0], inputs[-1]),)
    samples = SampleGrids(tuple(inputs), tuple(inputs[::-1]), (demos,) * len(inputs))
    validator = Validator(Path("no-record-is-written"), budget=SMALL)
    found = run_batt(batt, samples, SMALL)
    assert all(validator.validate(batt, range(len(batt)), found, samples, {}))


@pytest.mark.parametrize("field", Outcomes._fields)
def test_a_difference_is_recorded_and_raised(field: str, tmp_path: Path) -> None:
    samples = SampleGrids.of_task(TASK)
    found = run_batt(LIBRARY[:4], samples)
    changed = getattr(found, field)
    changed[2, 1] = not changed[2, 1] if field == "matches" else changed[2, 1] + 1
    validator = Validator(tmp_path / "differences")
    with pytest.raises(ValidationError) as raised:
        validate(validator, found, samples)
    assert raised.value.what == (field,)
    assert raised.value.record == validator.records[0]
    assert LIBRARY[2].name in str(raised.value)
    assert str(raised.value.record) in str(raised.value)
    assert (validator.n_validated, validator.n_differences) == (3, 1)


def test_the_record_is_enough_to_run_batt_and_program_again(tmp_path: Path) -> None:
    samples = SampleGrids.of_task(TASK)
    budget = Budget(steps=100_000, bytes=2**22)
    batt = LIBRARY[:6]
    chosen = [5, 1]
    found = run_batt(batt, samples, budget)
    expected = found.to_json(1)
    found.hashes[1, 0] += np.uint64(1)
    validator = Validator(tmp_path, strict=False, budget=budget)
    verdicts = validator.validate(
        batt, chosen, Outcomes(*(array[chosen] for array in found)), samples, {"seed": 7}
    )
    assert verdicts == [True, False]
    record: dict[str, Any] = json.loads(validator.records[0].read_text("utf-8"))
    assert record["differs_in"] == ["hashes"]
    assert record["origin"] == {"seed": 7}

    def as_grid(rows: Any) -> Grid:
        return tuple(map(tuple, rows))

    written = record["samples"]
    demos = [
        tuple((as_grid(before), as_grid(after)) for before, after in pairs)
        for pairs in written["demos"]
    ]
    again = SampleGrids(
        tuple(map(as_grid, written["inputs"])),
        tuple(rows and as_grid(rows) for rows in written["targets"]),
        tuple(demos[place] for place in written["demos_of_sample"]),
    )
    assert again == samples
    members = [parse_program(text) for text in record["batt"]]
    place = record["place_in_batt"]
    assert members == batt
    assert members[place] == parse_program(record["sliced"]) == parse_program(record["program"])
    assert run_batt(members, again, Budget(**record["budget"])).to_json(place) == expected
    assert record["alone"] == expected
    assert record["in_batt"] == found.to_json(1)


def test_text_that_slices_to_another_program_is_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = SampleGrids.of_task(TASK)
    found = run_batt(LIBRARY[:2], samples)
    validator = Validator(tmp_path, strict=False)

    def sliced_as(text: str) -> list[bool]:
        monkeypatch.setattr(validating.BattText, "slice", lambda *_: text)
        return validate(validator, found, samples)

    assert sliced_as(format_program(LIBRARY[0])) == [True, False]
    assert sliced_as("no program") == [False, False]
    first, second, third = [json.loads(path.read_text("utf-8")) for path in validator.records]
    assert "text" in first["differs_in"]
    assert second["differs_in"] == third["differs_in"] == ["text"]
    assert second["alone"] is None


def test_one_that_is_not_strict_counts_and_writes_only_so_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validating, "MAX_RECORDS", 3)
    samples = SampleGrids.of_task(TASK)
    found = run_batt(LIBRARY[:2], samples)
    found.steps[:] += 1
    validator = Validator(tmp_path, strict=False)
    for _ in range(3):
        assert validate(validator, found, samples) == [False, False]
    assert (validator.n_validated, validator.n_differences) == (6, 6)
    assert len(set(validator.records)) == 3
    assert sorted(tmp_path.iterdir()) == sorted(validator.records)
