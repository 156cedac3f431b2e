"""The self-check of fused programs finds no difference, and reports one that is made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.engine.batt import Batt
from arcbatt.evaluation import TaskBoard
from arcbatt.language import Program
from arcbatt.library import library_programs
from arcbatt.tasks import find_task
from tests.conftest import programs
from tests.support import self_check
from tests.support.self_check import COMPARED, find_difference

BOARD = TaskBoard([find_task("00d62c1b"), find_task("67a3c6ac")], device="cpu", n_threads=1)
LIBRARY = [program.program for program in library_programs()][:60]


def test_library_programs_do_the_same_fused_and_alone() -> None:
    fused = BOARD.screen(Batt(LIBRARY), held_out=True)
    for task in range(len(BOARD)):
        assert find_difference(BOARD, LIBRARY, fused, task) is None


@given(st.lists(programs, min_size=1, max_size=4))
def test_random_programs_do_the_same_fused_and_alone(batt: list[Program]) -> None:
    assert find_difference(BOARD, batt, BOARD.screen(Batt(batt), held_out=True), 0) is None


@pytest.mark.parametrize("name", COMPARED)
def test_a_difference_is_reported(name: str) -> None:
    fused = BOARD.screen(Batt(LIBRARY), held_out=True)
    getattr(fused, name)[7, 1] += 1
    assert find_difference(BOARD, LIBRARY, fused, 0) is None
    difference = find_difference(BOARD, LIBRARY, fused, 1)
    assert difference is not None
    assert difference.startswith(f"{LIBRARY[7].name} on 67a3c6ac: {name} is ")


@pytest.mark.parametrize("result", ["nothing(I)", "I"])
def test_a_wrong_slice_is_reported(result: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"def f(I):\n    return {result}\n"
    monkeypatch.setattr(self_check.BattText, "slice", lambda *_: text)
    fused = BOARD.screen(Batt(LIBRARY), held_out=True)
    assert "its slice" in (find_difference(BOARD, LIBRARY, fused, 0) or "")
